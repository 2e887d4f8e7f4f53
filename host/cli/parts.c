/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/cli/boards.h"

static const struct place nowhere = {0};

/* The next line that is no comment; false at the end or when it is not understood. */
static bool next_part(const char **text, struct fpga_part *to)
{
    while (**text == '#')
        *text += strcspn(*text, "\n") + 1;
    const char *line = *text;
    *text += strcspn(line, "\n");
    *text += **text == '\n';
    *to = (struct fpga_part){0};
    char count[4][PART_WORD];
    char copy[8 * PART_WORD];
    unsigned *const to_count[] = {&to->luts, &to->flip_flops, &to->dsps, &to->block_rams};
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
    if (sscanf(copy, "%63s %63s %63s %63s %63s %63s %63s %63[^\n]", to->name, to->family, count[0], count[1],
               count[2], count[3], to->boards, to->source) != 8)
        return false;
    for (unsigned i = 0; i < 4; i++)
        *to_count[i] = (unsigned)strtoul(count[i], NULL, 10);
    return true;
}

/* Whether it is among names with commas between them. */
static bool is_among(const char *name, const char *list)
{
    const size_t length = strlen(name);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (length && strcspn(list, ",") == length && !strncasecmp(list, name, length))
            return true;
    return false;
}

#define BLOCK_BYTES 2048 /* of ECP5, without parity */

static double board_number(const struct board_source *board, const char *key)
{
    struct strbuf value = {0};
    board_value(board, key, &value);
    const double number = strtod(sb_text(&value), NULL);
    sb_free(&value);
    return number;
}

/* Boards that are described in full have their device memory on the chip:
 * bitstreams/rtl/tulle_board_memory.v. */
static void set_board(const char *name, struct fpga_part *to)
{
    const struct board_source *board = board_named(name);
    if (!board)
        return;
    to->board_mhz = board_number(board, "clock") / 1e6;
    to->board_block_rams = (unsigned)(board_number(board, "memory") / BLOCK_BYTES);
}

static void add_names(const char *list, struct strbuf *to)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        sb_addf(to, "%s%.*s", to->len ? ", " : "", (int)strcspn(list, ","), list);
}

bool part_find(const char *name, struct fpga_part *to, struct diag *diag)
{
    struct strbuf boards = {0}, parts = {0};
    bool found = false;
    for (const char *text = part_sources[0].text; !found && next_part(&text, to);) {
        found = !strcasecmp(to->name, name) || (strcmp(name, "-") != 0 && is_among(name, to->boards));
        if (strcmp(to->boards, "-") != 0)
            add_names(to->boards, &boards);
        sb_addf(&parts, "%s%s", parts.len ? ", " : "", to->name);
    }
    if (found)
        set_board(name, to);
    else
        diag_error(diag, nowhere, "there is no board or part \"%s\"; boards are %s; parts are %s", name,
                   sb_text(&boards), sb_text(&parts));
    sb_free(&boards);
    sb_free(&parts);
    return found;
}
