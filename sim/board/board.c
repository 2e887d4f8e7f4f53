/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/board.h"

#include <string.h>

const struct board_api *board_find(const char *name, const char **place)
{
    static const struct board_api *const kinds[] = {&board_sim, &board_model, &board_pcie, &board_serial};
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i]->kind) != length || strncmp(kinds[i]->kind, name, length) != 0)
            continue;
        *place = name[length] ? name + length + 1 : "";
        return kinds[i];
    }
    return NULL;
}
