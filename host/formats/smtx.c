/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "host/formats/readers.h"
#include "host/formats/scan.h"

struct reader {
    struct scan scan;
    struct entries *entries;
    size_t file_bytes;
    uint64_t count;   /* entries */
    uint64_t *offset; /* rows + 1 */
};

static bool take_comma(struct scan *s)
{
    scan_blanks(s);
    if (*s->at != ',')
        return scan_fail(s, s->at,
                         "a comma is missing; line 1 of an .smtx file is \"rows, columns, entries\"");
    s->at++;
    return true;
}

/* A count with a comma behind it. */
static bool take_field(struct scan *s, const char *what, uint64_t *value)
{
    bool negative;
    scan_blanks(s);
    const char *at = s->at;
    if (number_integer(&s->at, &negative, value) != NUMBER_OK || negative)
        return scan_fail_word(s, at, "is not the %s; line 1 of an .smtx file is \"rows, columns, entries\"",
                              what);
    return take_comma(s);
}

static bool take_header(struct reader *r)
{
    struct scan *s = &r->scan;
    const struct place at = {.file = s->file, .line = s->line};
    uint64_t rows, columns;
    return take_field(s, "number of rows", &rows) && take_field(s, "number of columns", &columns) &&
           scan_count(s, "number of entries", &r->count) && scan_line_done(s) &&
           entries_size(r->entries, rows, columns, r->file_bytes, at, s->diag);
}

/* Numbers of line `s->line` that are there at most: a digit and a blank each. */
static bool enough_text(const struct scan *s, uint64_t count, const char *what)
{
    const uint64_t possible = (uint64_t)(s->end - s->at) / 2 + 1;
    return count <= possible || scan_fail(s, s->at,
                                          "the file is too short for %" PRIu64 " %s; "
                                          "it is cut off, or line 1 is wrong",
                                          count, what);
}

static bool take_offset(struct reader *r, uint64_t row)
{
    struct scan *s = &r->scan;
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_count(s, "row offset", &r->offset[row]))
        return false;
    if (row ? r->offset[row] < r->offset[row - 1] : r->offset[0] != 0)
        return scan_fail_word(s, at, "is a wrong row offset; they begin at 0 and never fall");
    if (r->offset[row] > r->count || (row == r->entries->rows && r->offset[row] != r->count))
        return scan_fail_word(s, at, "is a wrong row offset; the last is the number of entries, %" PRIu64,
                              r->count);
    return true;
}

static bool take_offsets(struct reader *r)
{
    const uint64_t rows = r->entries->rows;
    if (!enough_text(&r->scan, rows + 1, "row offsets"))
        return false;
    r->offset = calloc((size_t)rows + 1, sizeof *r->offset);
    if (!r->offset)
        return scan_fail(&r->scan, r->scan.at, "out of memory; the machine is too small for this matrix");
    for (uint64_t row = 0; row <= rows; row++)
        if (!take_offset(r, row))
            return false;
    return scan_line_done(&r->scan);
}

static bool take_columns(struct reader *r)
{
    struct scan *s = &r->scan;
    const struct place place = {.file = s->file};
    uint32_t row = 0;
    uint64_t column;
    if (!enough_text(s, r->count, "column indices") ||
        !entries_reserve(r->entries, (size_t)r->count, place, s->diag))
        return false;
    for (uint64_t i = 0; i < r->count; i++) {
        scan_blanks(s);
        const char *at = s->at;
        if (!scan_count(s, "column index", &column))
            return false;
        if (column >= r->entries->columns)
            return scan_fail_word(s, at, "is a wrong column index; there are %" PRIu32 " columns, from 0",
                                  r->entries->columns);
        while (r->offset[row + 1] <= i)
            row++;
        entries_add(r->entries, row, (uint32_t)column, (union entry_value){0});
    }
    return scan_line_done(s);
}

bool smtx_read(const char *name, const struct strbuf *bytes, struct entries *entries, struct diag *diag)
{
    struct reader r = {.scan = scan_begin(name, bytes, diag), .entries = entries, .file_bytes = bytes->len};
    entries->values = MATRIX_PATTERN;
    bool ok = take_header(&r) && take_offsets(&r) && take_columns(&r);
    free(r.offset);
    if (ok && scan_to_line(&r.scan, '\0'))
        ok = scan_fail_word(&r.scan, r.scan.at,
                            "comes after the column indices; an .smtx file has three lines");
    return ok;
}
