/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/boards.h"

#include <string.h>

const struct board_source *board_named(const char *name)
{
    for (size_t i = 0; i < board_source_count; i++)
        if (!strcmp(board_sources[i].name, name))
            return &board_sources[i];
    return NULL;
}

void board_value(const struct board_source *board, const char *key, struct strbuf *to)
{
    size_t len = strlen(key);
    for (const char *line = board->text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, key, len) != 0 || line[len] != ' ')
            continue;
        const char *value = line + len + strspn(line + len, " ");
        sb_addn(to, value, strcspn(value, "\n"));
        return;
    }
}
