/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/board.h"

#include <string.h>

const struct board_api *const board_simulated[] = {&board_sim, &board_model, NULL};

const struct board_api *board_find(const struct board_api *const *kinds, const char *name, const char **place)
{
    size_t length = strcspn(name, ":");
    for (; *kinds; kinds++) {
        if (strlen((*kinds)->kind) != length || strncmp((*kinds)->kind, name, length) != 0)
            continue;
        *place = name[length] ? name + length + 1 : "";
        return *kinds;
    }
    return NULL;
}
