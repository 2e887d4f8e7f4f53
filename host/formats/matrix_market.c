/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "gen/base/near.h"
#include "host/formats/readers.h"
#include "host/formats/scan.h"

/* The header's choices. */
enum { COORDINATE, ARRAY };
enum { INTEGER, REAL, PATTERN, COMPLEX };
enum { GENERAL, SYMMETRIC, SKEW, HERMITIAN };

/* The words of line 1 behind the banner, in this order. */
struct header {
    unsigned object, format, field, symmetry;
};

struct reader {
    struct scan scan;
    struct header header;
    struct entries *entries;
    size_t file_bytes;
    bool below, above; /* the diagonal: an entry was there */
};

/* The words that may be at one place of the header. */
struct vocabulary {
    const char *what;
    const char *const *words;
    size_t count;
    size_t supported; /* the first so many; the others are known, and refused with their own reason */
};

static bool wrong_word(const struct scan *s, const char *at, const struct vocabulary *v, const char *near)
{
    struct strbuf list = {0};
    for (size_t i = 0; i < v->supported && !near; i++)
        sb_addf(&list, "%s\"%s\"", i == 0 ? "" : i + 1 < v->supported ? ", " : " or ", v->words[i]);
    if (near)
        scan_fail_word(s, at, "is no %s; did you mean \"%s\"?", v->what, near);
    else
        scan_fail_word(s, at, "is no %s; it is %s", v->what, sb_text(&list));
    sb_free(&list);
    return false;
}

/* One word of the header, whatever its case, as its index in the vocabulary. */
static bool take_word(struct scan *s, const struct vocabulary *v, unsigned *index)
{
    char word[32] = {0};
    scan_blanks(s);
    const char *at = s->at;
    const size_t length = scan_word(s);
    if (!length)
        return scan_fail(s, at,
                         "the header ends before the %s; it is \"%s matrix <format> <field> <symmetry>\"",
                         v->what, MATRIX_MARKET_BANNER);
    for (size_t i = 0; i < length && i < sizeof word - 1; i++)
        word[i] = (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] - 'A' + 'a' : at[i]);
    s->at += length;
    for (*index = 0; *index < v->count; ++*index)
        if (!strcmp(word, v->words[*index]))
            return true;
    return wrong_word(s, at, v, near_word(word, v->words, v->supported));
}

static bool take_banner(struct scan *s)
{
    const size_t length = strlen(MATRIX_MARKET_BANNER);
    scan_blanks(s);
    if (scan_word(s) != length || strncasecmp(s->at, MATRIX_MARKET_BANNER, length))
        return scan_fail(s, s->at, "not a Matrix Market file; line 1 must begin with \"%s matrix\"",
                         MATRIX_MARKET_BANNER);
    s->at += length;
    return true;
}

/* What the words must not be together. */
static bool check_header(const struct scan *s, const struct header *h)
{
    const char *at = s->line_start;
    if (h->field == COMPLEX)
        return scan_fail(s, at,
                         "complex values are not supported: the device computes with whole numbers; "
                         "store the real and the imaginary part as two matrices");
    if (h->field == PATTERN && h->format == ARRAY)
        return scan_fail(s, at, "an array has values, so it cannot be a pattern; use \"coordinate pattern\"");
    if (h->field == PATTERN && h->symmetry >= SKEW)
        return scan_fail(s, at, "a pattern has no signs; its symmetry is \"general\" or \"symmetric\"");
    return true;
}

static bool take_header(struct scan *s, struct header *h)
{
    static const char *const objects[] = {"matrix"};
    static const char *const formats[] = {"coordinate", "array"};
    static const char *const fields[] = {"integer", "real", "pattern", "complex"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    static const struct vocabulary object = {"object", objects, 1, 1}, format = {"format", formats, 2, 2},
                                   field = {"field", fields, 4, 3}, symmetry = {"symmetry", symmetries, 4, 4};
    const struct scan line = *s; /* for messages about the line as a whole */
    return take_banner(s) && take_word(s, &object, &h->object) && take_word(s, &format, &h->format) &&
           take_word(s, &field, &h->field) && take_word(s, &symmetry, &h->symmetry) &&
           check_header(&line, h) && scan_line_done(s);
}

/* Comments may be of any length; a line of numbers has this many characters at most, as the format says. */
enum { LINE_MAX_LENGTH = 1024 };

static bool line_done(struct scan *s)
{
    const char *start = s->line_start, *at = s->at;
    const struct scan line = *s;
    if (at - start > LINE_MAX_LENGTH)
        return scan_fail(&line, start, "the line is longer than %d characters; put one entry on a line",
                         LINE_MAX_LENGTH);
    return scan_line_done(s);
}

static struct place here(const struct scan *s)
{
    return (struct place){.file = s->file, .line = s->line};
}

static bool take_size(struct reader *r, uint64_t *count)
{
    struct scan *s = &r->scan;
    uint64_t rows, columns;
    if (!scan_to_line(s, '%'))
        return scan_fail(s, s->at, "the file ends before the size; it is cut off");
    struct place at = here(s);
    const char *size = s->at;
    if (!scan_count(s, "number of rows", &rows) || !scan_count(s, "number of columns", &columns) ||
        (r->header.format == COORDINATE && !scan_count(s, "number of entries", count)))
        return false;
    if (r->header.symmetry != GENERAL && rows != columns)
        return scan_fail(s, size, "%" PRIu64 " x %" PRIu64 " is not square; a symmetric matrix must be", rows,
                         columns);
    return entries_size(r->entries, rows, columns, r->file_bytes, at, s->diag) && line_done(s);
}

/* The rest of the file limits what is allocated, not the header. Each value takes at least so many bytes,
 * the last one a byte less. */
static bool reserve(struct reader *r, uint64_t count, size_t entry_bytes)
{
    const uint64_t possible = (uint64_t)(r->scan.end - r->scan.at) / entry_bytes + 1;
    return entries_reserve(r->entries, (size_t)(count < possible ? count : possible), here(&r->scan),
                           r->scan.diag);
}

static bool ends_early(const struct scan *s, uint64_t have, uint64_t count)
{
    return scan_fail(s, s->at,
                     "the file ends after %" PRIu64 " of %" PRIu64 " entries; "
                     "it is cut off, or its size is wrong",
                     have, count);
}

/* From 1 in the file, from 0 in `index`. */
static bool take_index(struct scan *s, const char *what, uint32_t limit, uint32_t *index)
{
    uint64_t value;
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_count(s, what, &value))
        return false;
    if (value < 1 || value > limit)
        return scan_fail_word(s, at, "is outside of 1..%" PRIu32 "; correct the %s or the size", limit, what);
    *index = (uint32_t)(value - 1);
    return true;
}

static bool take_integer(struct scan *s, struct entries *entries, struct entry *entry, bool negate)
{
    bool negative;
    uint64_t magnitude;
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_integer(s, "value", &negative, &magnitude))
        return false;
    if (negate && magnitude)
        negative = !negative;
    const bool no_mirror = entries->symmetry == MATRIX_SKEW_SYMMETRIC && magnitude > INT64_MAX;
    return (!no_mirror && entries_add_integer(entries, entry->row, entry->column, negative, magnitude)) ||
           scan_fail_word(s, at, "does not fit 64 bits%s; a real matrix takes it",
                          no_mirror ? " with either sign" : "");
}

/* Reads the value and adds the entry. */
static bool take_value(struct reader *r, struct entry *entry, bool negate)
{
    struct scan *s = &r->scan;
    if (r->header.field == INTEGER)
        return take_integer(s, r->entries, entry, negate);
    if (r->header.field == REAL && !scan_real(s, "value", &entry->value.real))
        return false;
    if (r->header.field == REAL && negate)
        entry->value.real = -entry->value.real;
    entries_add(r->entries, entry->row, entry->column, entry->value);
    return true;
}

/* Of a symmetric matrix either half may be in the file: turned into the lower one. Of both halves one cannot
 * tell whether an entry and its mirror image are one entry or two. */
static bool fold(struct reader *r, const char *at, struct entry *entry)
{
    r->below |= entry->row > entry->column;
    r->above |= entry->row < entry->column;
    if (r->below && r->above)
        return scan_fail(&r->scan, at,
                         "a symmetric matrix with entries on both sides of the diagonal is ambiguous; "
                         "store one side, or declare it general");
    if (entry->row < entry->column) {
        const uint32_t row = entry->row;
        entry->row = entry->column;
        entry->column = row;
    }
    return true;
}

static bool check_skew_diagonal(const struct reader *r, const char *at)
{
    const struct entry *last = &r->entries->at[r->entries->count - 1];
    const bool zero = r->entries->values == MATRIX_REAL ? last->value.real == 0 : last->value.integer == 0;
    return zero ||
           scan_fail(&r->scan, at, "the diagonal of a skew-symmetric matrix is zero; remove the entry");
}

static bool take_entry(struct reader *r)
{
    struct scan *s = &r->scan;
    struct entry entry = {0};
    const char *at = s->at;
    if (!take_index(s, "row index", r->entries->rows, &entry.row) ||
        !take_index(s, "column index", r->entries->columns, &entry.column))
        return false;
    const bool negate = r->header.symmetry == SKEW && entry.row < entry.column;
    if (r->header.symmetry != GENERAL && !fold(r, at, &entry))
        return false;
    if (!take_value(r, &entry, negate))
        return false;
    if (r->header.symmetry == SKEW && entry.row == entry.column && !check_skew_diagonal(r, at))
        return false;
    return line_done(s);
}

static bool take_coordinate(struct reader *r, uint64_t count)
{
    if (!reserve(r, count, sizeof "1 1" /* and the line's end */))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!scan_to_line(&r->scan, '%'))
            return ends_early(&r->scan, i, count);
        if (!take_entry(r))
            return false;
    }
    return true;
}

/* Zeros of an array are its holes. */
static void drop_last_if_zero(struct entries *entries)
{
    const union entry_value value = entries->at[entries->count - 1].value;
    if (entries->values == MATRIX_REAL ? value.real == 0 : value.integer == 0)
        entries->count--;
}

/* Where column c of an array begins. */
static uint32_t first_row(const struct reader *r, uint32_t column)
{
    return r->header.symmetry == GENERAL ? 0 : r->header.symmetry == SKEW ? column + 1 : column;
}

static uint64_t array_count(const struct reader *r)
{
    const uint64_t n = r->entries->rows;
    if (r->header.symmetry == GENERAL)
        return n * r->entries->columns;
    return r->header.symmetry == SKEW ? n * (n - (n > 0)) / 2 : n * (n + 1) / 2;
}

static bool take_array(struct reader *r)
{
    const uint64_t count = array_count(r);
    struct entry entry = {0};
    if (!reserve(r, count, sizeof "1" /* and the line's end */))
        return false;
    entry.row = first_row(r, 0);
    for (uint64_t i = 0; i < count; i++) {
        if (!scan_to_line(&r->scan, '%'))
            return ends_early(&r->scan, i, count);
        if (!take_value(r, &entry, false) || !line_done(&r->scan))
            return false;
        drop_last_if_zero(r->entries);
        if (++entry.row == r->entries->rows)
            entry.row = first_row(r, ++entry.column);
    }
    return true;
}

bool matrix_market_read(const char *name, const struct strbuf *bytes, struct entries *entries,
                        struct diag *diag)
{
    static const enum matrix_values values[] = {MATRIX_INTEGER, MATRIX_REAL, MATRIX_PATTERN, MATRIX_REAL};
    static const enum matrix_symmetry symmetries[] = {MATRIX_GENERAL, MATRIX_SYMMETRIC, MATRIX_SKEW_SYMMETRIC,
                                                      MATRIX_SYMMETRIC};
    struct reader r = {.scan = scan_begin(name, bytes, diag), .entries = entries, .file_bytes = bytes->len};
    uint64_t count = 0;
    if (!take_header(&r.scan, &r.header))
        return false;
    entries->values = values[r.header.field];
    entries->symmetry = symmetries[r.header.symmetry];
    if (!take_size(&r, &count))
        return false;
    if (r.header.format == COORDINATE ? !take_coordinate(&r, count) : !take_array(&r))
        return false;
    if (scan_to_line(&r.scan, '%'))
        return scan_fail_word(&r.scan, r.scan.at,
                              "comes after the last entry; remove it, or correct the size");
    return true;
}
