/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/verilog.h"

#include <assert.h>
#include <string.h>

enum { CELLS_MAX = 8 };

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

static bool has_cells(const char *line)
{
    return memchr(line, '\t', line_length(line)) != NULL;
}

/* A blank line or a comment: inside a table it is kept as it is. The heading of a section ends the table. */
static bool is_remark(const char *line)
{
    line += strspn(line, " ");
    return *line == '\n' || (!strncmp(line, "//", 2) && strncmp(line, "// -- ", 6) != 0);
}

/* The widest of each cell over the lines of the table; returns the end of the table. */
static const char *measure(const char *table, size_t widths[CELLS_MAX])
{
    memset(widths, 0, CELLS_MAX * sizeof *widths);
    const char *end = table;
    for (const char *line = table; *line && (has_cells(line) || is_remark(line));) {
        const char *next = line + line_length(line) + 1;
        if (has_cells(line))
            end = next;
        for (size_t cell = 0; cell < CELLS_MAX && has_cells(line); cell++) {
            size_t len = strcspn(line, "\t");
            widths[cell] = len > widths[cell] ? len : widths[cell];
            line += len + 1;
        }
        line = next;
    }
    return end;
}

static void add_padded_line(struct strbuf *to, const char *line, const size_t widths[CELLS_MAX])
{
    for (size_t cell = 0; has_cells(line); cell++) {
        size_t len = strcspn(line, "\t");
        assert(cell < CELLS_MAX);
        sb_addf(to, "%-*.*s", (int)widths[cell] + (widths[cell] ? 1 : 0), (int)len, line);
        line += len + 1;
    }
    sb_addn(to, line, line_length(line));
    sb_add(to, "\n");
}

void verilog_align(struct strbuf *to, const char *from)
{
    size_t widths[CELLS_MAX] = {0};
    while (*from) {
        const char *end = has_cells(from) ? measure(from, widths) : from + line_length(from) + 1;
        for (; from < end; from += line_length(from) + 1)
            add_padded_line(to, from, widths);
    }
}
