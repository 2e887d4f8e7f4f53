/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/number.h"
#include "gen/base/output.h"
#include "host/formats/name.h"
#include "host/formats/npy_array.h"
#include "host/formats/npy_type.h"

/* What is expanded to every value, zeros included, may be this large. */
#define DENSE_LIMIT (UINT64_C(4) << 30)

struct writer {
    const struct matrix *matrix;
    const struct write_options *options;
    struct strbuf *to;
    struct place place;
    struct diag *diag;
};

static bool fail(const struct writer *w, const char *cause)
{
    diag_error(w->diag, w->place, "%s", cause);
    return false;
}

static void add_count(struct strbuf *to, uint64_t value, char behind)
{
    char text[NUMBER_TEXT];
    size_t length = number_write_integer(text, (int64_t)value);
    text[length++] = behind;
    sb_addn(to, text, length);
}

static void add_value(const struct writer *w, uint64_t entry)
{
    char text[NUMBER_TEXT];
    const struct matrix *m = w->matrix;
    size_t length = m->real ? number_write_real(text, m->real[entry])
                            : number_write_integer(text, m->integer ? m->integer[entry] : 1);
    text[length++] = '\n';
    sb_addn(w->to, text, length);
}

static bool can_be_dense(const struct writer *w, unsigned value_bytes)
{
    const uint64_t count = (uint64_t)w->matrix->rows * w->matrix->columns;
    if (w->matrix->symmetry != MATRIX_GENERAL)
        return fail(w, "only half of a symmetric matrix is here; read it with its symmetry expanded");
    return count <= DENSE_LIMIT / value_bytes ||
           fail(w, "more than 4 GiB with its zeros; write the matrix as entries, to a .mtx file");
}

static void add_size(const struct writer *w)
{
    const struct matrix *m = w->matrix;
    add_count(w->to, m->rows, ' ');
    add_count(w->to, m->columns, w->options->array ? '\n' : ' ');
    if (!w->options->array)
        add_count(w->to, matrix_entries(m), '\n');
}

static void add_coordinate(const struct writer *w)
{
    const struct matrix *m = w->matrix;
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint64_t i = m->start[r]; i < m->start[r + 1]; i++) {
            add_count(w->to, (uint64_t)r + 1, ' ');
            add_count(w->to, (uint64_t)m->column[i] + 1, m->values == MATRIX_PATTERN ? '\n' : ' ');
            if (m->values != MATRIX_PATTERN)
                add_value(w, i);
        }
}

/* Columns are the outer loop, as the format wants: each row's place moves on with them. */
static bool add_array(const struct writer *w)
{
    const struct matrix *m = w->matrix;
    uint64_t *next = malloc(((size_t)m->rows + 1) * sizeof *next);
    if (!next)
        return fail(w, "out of memory");
    memcpy(next, m->start, ((size_t)m->rows + 1) * sizeof *next);
    for (uint32_t c = 0; c < m->columns; c++)
        for (uint32_t r = 0; r < m->rows; r++)
            if (next[r] < m->start[r + 1] && m->column[next[r]] == c)
                add_value(w, next[r]++);
            else
                sb_add(w->to, "0\n");
    free(next);
    return true;
}

static bool format_matrix_market(const struct writer *w)
{
    static const char *const fields[] = {
        [MATRIX_PATTERN] = "pattern", [MATRIX_INTEGER] = "integer", [MATRIX_REAL] = "real"};
    static const char *const symmetries[] = {[MATRIX_GENERAL] = "general",
                                             [MATRIX_SYMMETRIC] = "symmetric",
                                             [MATRIX_SKEW_SYMMETRIC] = "skew-symmetric"};
    const struct matrix *m = w->matrix;
    const bool array = w->options->array;
    if (array && m->values == MATRIX_PATTERN)
        return fail(w, "an array has values, so it cannot be a pattern; write the matrix as entries");
    if (array && !can_be_dense(w, sizeof "0"))
        return false;
    sb_addf(w->to, "%%%%MatrixMarket matrix %s %s %s\n", array ? "array" : "coordinate", fields[m->values],
            symmetries[m->symmetry]);
    add_size(w);
    if (array)
        return add_array(w);
    add_coordinate(w);
    return true;
}

/* count numbers of a line, of which number(m, i) is the i-th. */
static void add_line(struct strbuf *to, const struct matrix *m, uint64_t count,
                     uint64_t (*number)(const struct matrix *, uint64_t))
{
    for (uint64_t i = 0; i < count; i++)
        add_count(to, number(m, i), i + 1 < count ? ' ' : '\n');
    if (!count)
        sb_add(to, "\n");
}

static uint64_t offset_of(const struct matrix *m, uint64_t row)
{
    return m->start[row];
}

static uint64_t column_of(const struct matrix *m, uint64_t entry)
{
    return m->column[entry];
}

static bool format_smtx(const struct writer *w)
{
    const struct matrix *m = w->matrix;
    if (m->values != MATRIX_PATTERN)
        return fail(w, "an .smtx file has no values; drop them first, or write a .mtx file");
    if (m->symmetry != MATRIX_GENERAL)
        return fail(w, "only half of a symmetric matrix is here; read it with its symmetry expanded");
    sb_addf(w->to, "%" PRIu32 ", %" PRIu32 ", %" PRIu64 "\n", m->rows, m->columns, matrix_entries(m));
    add_line(w->to, m, (uint64_t)m->rows + 1, offset_of);
    add_line(w->to, m, matrix_entries(m), column_of);
    return true;
}

/* Whether every integer from low to high is one of the type. */
static bool holds(const struct npy_type_info *type, int64_t low, int64_t high)
{
    const unsigned bits = 8 * type->bytes;
    if (type->is_float)
        return false;
    if (type->is_unsigned)
        return low >= 0 && high >> bits == 0;
    return low >= -(INT64_C(1) << (bits - 2)) * 2 && high <= ((INT64_C(1) << (bits - 2)) - 1) * 2 + 1;
}

static enum npy_type narrowest(const struct matrix *m)
{
    int64_t low, high;
    enum npy_type type = NPY_INT8;
    if (!matrix_range(m, &low, &high))
        return NPY_FLOAT64;
    while (type < NPY_INT64 && !holds(&npy_types[type], low, high))
        type++;
    return type;
}

static bool float_holds(const struct npy_type_info *type, double value)
{
    const bool single = type->bytes == sizeof(float);
    /* Before the conversion, which beyond the range of a float is undefined. */
    if (single && (value > 3.4028234663852886e38 || value < -3.4028234663852886e38))
        return false;
    return !single || (double)(float)value == value;
}

static bool integer_survives(int64_t value)
{
    return value >= -(INT64_C(1) << 53) && value <= INT64_C(1) << 53;
}

/* Whether nothing is lost. */
static bool type_fits(const struct matrix *m, const struct npy_type_info *type)
{
    int64_t low, high;
    if (matrix_range(m, &low, &high) && !type->is_float)
        return holds(type, low, high);
    for (uint64_t i = 0; i < matrix_entries(m); i++) {
        const double value = m->real ? m->real[i] : m->integer ? (double)m->integer[i] : 1;
        if (!type->is_float || (m->integer && !integer_survives(m->integer[i])) || !float_holds(type, value))
            return false;
    }
    return true;
}

static uint64_t element_bits(const struct matrix *m, const struct npy_type_info *type, uint64_t entry)
{
    uint64_t bits = 0;
    uint32_t single_bits;
    const int64_t integer = m->integer ? m->integer[entry] : 1;
    const double value = m->real ? m->real[entry] : (double)integer;
    const float single = type->bytes == sizeof single && type->is_float ? (float)value : 0;
    if (!type->is_float)
        return (uint64_t)integer;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&single_bits, &single, sizeof single_bits);
    return type->bytes == sizeof single ? single_bits : bits;
}

/* The row with its zeros into `to`, little-endian. */
static void fill_row(const struct matrix *m, const struct npy_type_info *type, uint32_t row, char *to)
{
    for (uint64_t i = m->start[row]; i < m->start[row + 1]; i++) {
        const uint64_t bits = element_bits(m, type, i);
        for (unsigned b = 0; b < type->bytes; b++)
            to[(uint64_t)m->column[i] * type->bytes + b] = (char)(bits >> 8 * b);
    }
}

static bool format_npy(const struct writer *w)
{
    const struct matrix *m = w->matrix;
    const enum npy_type wanted = w->options->npy_type;
    const struct npy_type_info *type = &npy_types[wanted == NPY_NARROWEST ? narrowest(m) : wanted];
    if (!can_be_dense(w, type->bytes))
        return false;
    if (!type_fits(m, type)) {
        diag_error(w->diag, w->place, "not every value is exactly one of %s; choose a wider type",
                   type->name);
        return false;
    }
    const size_t row_bytes = (size_t)m->columns * type->bytes;
    char *row = malloc(row_bytes + 1);
    if (!row)
        return fail(w, "out of memory");
    npy_add_header(w->to, type->descr, (const uint64_t[]){m->rows, m->columns}, 2);
    for (uint32_t r = 0; r < m->rows; r++) {
        memset(row, 0, row_bytes);
        fill_row(m, type, r, row);
        sb_addn(w->to, row, row_bytes);
    }
    free(row);
    return true;
}

static bool format_as(enum format format, const struct writer *w)
{
    switch (format) {
    case FORMAT_MATRIX_MARKET:
        return format_matrix_market(w);
    case FORMAT_SMTX:
        return format_smtx(w);
    case FORMAT_NPY:
        return format_npy(w);
    case FORMAT_AUTO:
        break;
    }
    return fail(w, "cannot tell the format from the name; let it end in .mtx, .smtx or .npy");
}

bool matrix_format(const char *name, const struct write_options *options, const struct matrix *matrix,
                   struct strbuf *to, struct diag *diag)
{
    static const struct write_options defaults;
    struct number_locale locale;
    const struct writer w = {.matrix = matrix,
                             .options = options ? options : &defaults,
                             .to = to,
                             .place = {.file = name},
                             .diag = diag};
    if (!number_locale_enter(&locale))
        return fail(&w, "out of memory");
    bool ok = format_as(w.options->format ? w.options->format : format_of_name(name), &w);
    number_locale_leave(&locale);
    if (ok && !sb_ok(to))
        ok = fail(&w, "out of memory");
    return ok;
}

bool matrix_write(const char *path, const struct write_options *options, const struct matrix *matrix,
                  struct diag *diag)
{
    struct strbuf text = {0};
    const bool ok = matrix_format(path, options, matrix, &text, diag) && output_file(path, &text, diag);
    sb_free(&text);
    return ok;
}
