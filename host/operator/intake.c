/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads sparse operands from the user's arrays in any format, checks every
 * index and value, and makes rows with ascending columns.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/operator/operator.h"

/* ---- types and sizes ------------------------------------------------------------------------------- */

unsigned matrix_type_bytes(enum tulle_type type)
{
    static const unsigned bytes[TULLE_TYPES] = {1, 2, 4, 8, 4};
    return bytes[type];
}

const char *matrix_type_name(enum tulle_type type)
{
    static const char *const names[TULLE_TYPES] = {"int8", "int16", "int32", "int64", "float32"};
    return (unsigned)type < TULLE_TYPES ? names[type] : "no type";
}

#define SIZE_LIMIT INT32_MAX /* of rows, columns and entries */

enum tulle_status matrix_check_strides(int64_t row_stride, int64_t column_stride, int64_t rows,
                                       int64_t columns, const char *name)
{
    if (row_stride < 0 || column_stride < 0)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: a stride is negative", name);
    if (!row_stride && !column_stride)
        return TULLE_OK;
    if ((rows > 1 && !row_stride) || (columns > 1 && !column_stride))
        return message_set(TULLE_INVALID_ARGUMENT, "%s: one stride of two is 0; set both or none", name);
    return TULLE_OK;
}

static enum tulle_status check_dense(const struct tulle_matrix *m, const char *name)
{
    if (m->rows && m->columns && !m->values)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: values is NULL", name);
    return matrix_check_strides(m->row_stride, m->column_stride, m->rows, m->columns, name);
}

static enum tulle_status check_sparse(const struct tulle_matrix *m, const char *name)
{
    if (m->entries < 0 || m->entries > SIZE_LIMIT)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: %lld entries; 0 to %d are possible", name,
                           (long long)m->entries, SIZE_LIMIT);
    if (m->index_type != TULLE_INT32 && m->index_type != TULLE_INT64)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: indices are int32 or int64, not %s", name,
                           matrix_type_name(m->index_type));
    if (m->format != TULLE_COO && !m->starts)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: starts is NULL", name);
    if (m->entries && (!m->indices || (m->format == TULLE_COO && !m->more_indices)))
        return message_set(TULLE_INVALID_ARGUMENT, "%s: indices are NULL", name);
    return TULLE_OK;
}

enum tulle_status matrix_check(const struct tulle_matrix *m, const char *name)
{
    if (!m)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: there is none", name);
    if ((unsigned)m->format >= TULLE_FORMATS || (unsigned)m->type >= TULLE_TYPES)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: unknown format or type", name);
    if (m->rows < 0 || m->columns < 0 || m->rows > SIZE_LIMIT || m->columns > SIZE_LIMIT)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: %lld x %lld; sizes are 0 to %d", name,
                           (long long)m->rows, (long long)m->columns, SIZE_LIMIT);
    return m->format == TULLE_DENSE ? check_dense(m, name) : check_sparse(m, name);
}

/* ---- values ---------------------------------------------------------------------------------------- */

struct taking {
    const struct intake *in;
    struct sparse *to;
    double scale;  /* quantised: value / scale is stored */
    int64_t limit; /* values are -limit .. limit - 1 */
};

static int64_t stored_rows(const struct intake *in)
{
    return in->transposed ? in->matrix->columns : in->matrix->rows;
}

int64_t matrix_place(const struct tulle_matrix *m, int64_t row, int64_t column)
{
    if (!m->row_stride && !m->column_stride)
        return row * m->columns + column;
    return row * m->row_stride + column * m->column_stride;
}

float matrix_float(const struct tulle_matrix *m, int64_t at)
{
    if (!m->values)
        return 1;
    return m->type == TULLE_FLOAT32 ? ((const float *)m->values)[at]
                                    : (float)element_at(m->values, m->type, at);
}

/* The largest magnitude; every value must be finite. */
static enum tulle_status find_scale(struct taking *t)
{
    const struct tulle_matrix *m = t->in->matrix;
    const float *values = m->values;
    bool dense = m->format == TULLE_DENSE;
    int64_t count = dense ? m->rows * m->columns : m->entries;
    float most = 0;
    for (int64_t i = 0; i < count && values; i++) {
        float v = fabsf(values[dense ? matrix_place(m, i / m->columns, i % m->columns) : i]);
        if (!isfinite(v))
            return message_set(TULLE_INVALID_MATRIX, "%s: value %lld is not a finite number", t->in->name,
                               (long long)i);
        most = v > most ? v : most;
    }
    t->scale = most > 0 ? most / (double)(t->limit - 1) : 1;
    return TULLE_OK;
}

/* The value at a place of the user's array, as it goes to the device. */
static enum tulle_status take_value(const struct taking *t, int64_t at, int32_t *value)
{
    const struct tulle_matrix *m = t->in->matrix;
    if (t->in->floats) {
        *value = float_bits(matrix_float(m, at));
        return TULLE_OK;
    }
    int64_t v = !m->values                 ? 1
                : m->type == TULLE_FLOAT32 ? llrint(((const float *)m->values)[at] / t->scale)
                                           : activation_at(m, at, t->in->has_no_sign);
    const int64_t least = t->in->has_no_sign ? 0 : -t->limit;
    if (v < -INT64_C(0x7FFFFFFF) || v > INT64_C(0x7FFFFFFF) || v - t->in->zero < least ||
        v - t->in->zero >= least + 2 * t->limit)
        return message_set(TULLE_INVALID_MATRIX,
                           "%s: value %lld, with the zero point %d taken off, does not fit %sint%u, which "
                           "the device multiplies",
                           t->in->name, (long long)v, t->in->zero, t->in->has_no_sign ? "u" : "",
                           8 * t->in->data_bytes);
    *value = (int32_t)(v - t->in->zero);
    return TULLE_OK;
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static int64_t index_at(const struct tulle_matrix *m, const void *indices, int64_t at)
{
    return element_at(indices, m->index_type, at);
}

static enum tulle_status check_starts(const struct intake *in)
{
    const struct tulle_matrix *m = in->matrix;
    int64_t lines = m->format == TULLE_CSR ? m->rows : m->columns, before = 0;
    for (int64_t i = 0; i <= lines; i++) {
        int64_t start = index_at(m, m->starts, i);
        if (start < before || start > m->entries || (i == 0 && start != 0))
            return message_set(TULLE_INVALID_MATRIX,
                               "%s: starts[%lld] is %lld; they begin with 0, do not descend and end with "
                               "the number of entries, %lld",
                               in->name, (long long)i, (long long)start, (long long)m->entries);
        before = start;
    }
    if (before == m->entries)
        return TULLE_OK;
    return message_set(TULLE_INVALID_MATRIX,
                       "%s: the last of starts is %lld, not the number of entries, %lld", in->name,
                       (long long)before, (long long)m->entries);
}

static enum tulle_status check_index(const struct taking *t, int64_t index, int64_t limit, int64_t at,
                                     const char *what)
{
    if (index >= 0 && index < limit)
        return TULLE_OK;
    return message_set(TULLE_INVALID_MATRIX, "%s: entry %lld has %s %lld, and there are %lld", t->in->name,
                       (long long)at, what, (long long)index, (long long)limit);
}

/* What is done with every entry, in the user's order: (row, column) of the user's matrix, place of its value.
 */
typedef enum tulle_status each_entry(struct taking *t, int64_t row, int64_t column, int64_t at);

static enum tulle_status for_lines(struct taking *t, each_entry *each)
{
    const struct tulle_matrix *m = t->in->matrix;
    bool by_rows = m->format == TULLE_CSR;
    int64_t lines = by_rows ? m->rows : m->columns, across = by_rows ? m->columns : m->rows;
    enum tulle_status status = check_starts(t->in);
    for (int64_t line = 0; !status && line < lines; line++) {
        int64_t before = -1, end = index_at(m, m->starts, line + 1);
        for (int64_t e = index_at(m, m->starts, line); !status && e < end; e++) {
            int64_t index = index_at(m, m->indices, e);
            status = check_index(t, index, across, e, by_rows ? "column" : "row");
            if (!status && index <= before)
                status = message_set(TULLE_INVALID_MATRIX,
                                     "%s: entry %lld, in %s %lld: index %lld comes after %lld; they must "
                                     "ascend without duplicates",
                                     t->in->name, (long long)e, by_rows ? "row" : "column", (long long)line,
                                     (long long)index, (long long)before);
            if (!status)
                status = each(t, by_rows ? line : index, by_rows ? index : line, e);
            before = index;
        }
    }
    return status;
}

static enum tulle_status for_coordinates(struct taking *t, each_entry *each)
{
    const struct tulle_matrix *m = t->in->matrix;
    enum tulle_status status = TULLE_OK;
    for (int64_t e = 0; !status && e < m->entries; e++) {
        int64_t row = index_at(m, m->indices, e), column = index_at(m, m->more_indices, e);
        status = check_index(t, row, m->rows, e, "row");
        if (!status)
            status = check_index(t, column, m->columns, e, "column");
        if (!status)
            status = each(t, row, column, e);
    }
    return status;
}

/* Elements that stand for 0 are no entries. */
static enum tulle_status for_dense(struct taking *t, each_entry *each)
{
    const struct tulle_matrix *m = t->in->matrix;
    enum tulle_status status = TULLE_OK;
    for (int64_t row = 0; !status && row < m->rows; row++)
        for (int64_t column = 0; !status && column < m->columns; column++) {
            int64_t at = matrix_place(m, row, column);
            bool zero = m->type == TULLE_FLOAT32 ? ((const float *)m->values)[at] == 0
                                                 : element_at(m->values, m->type, at) == t->in->zero;
            status = zero ? TULLE_OK : each(t, row, column, at);
        }
    return status;
}

static enum tulle_status for_entries(struct taking *t, each_entry *each)
{
    switch (t->in->matrix->format) {
    case TULLE_DENSE:
        return for_dense(t, each);
    case TULLE_COO:
        return for_coordinates(t, each);
    default:
        return for_lines(t, each);
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static enum tulle_status count_entry(struct taking *t, int64_t row, int64_t column, int64_t at)
{
    (void)at;
    t->to->start[(t->in->transposed ? column : row) + 2]++;
    return TULLE_OK;
}

static enum tulle_status put_entry(struct taking *t, int64_t row, int64_t column, int64_t at)
{
    uint32_t place = t->to->start[(t->in->transposed ? column : row) + 1]++;
    t->to->column[place] = (uint32_t)(t->in->transposed ? row : column);
    return take_value(t, at, &t->to->value[place]);
}

struct pair {
    uint32_t column;
    int32_t value;
};

static int by_column(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    return (a->column > b->column) - (a->column < b->column);
}

/* One row of coordinates; `pairs` has room for it. False when there is a duplicate. */
static bool sort_row(struct sparse *w, uint32_t row, struct pair *pairs)
{
    uint32_t first = w->start[row], length = w->start[row + 1] - first;
    for (uint32_t i = 0; i < length; i++)
        pairs[i] = (struct pair){w->column[first + i], w->value[first + i]};
    qsort(pairs, length, sizeof *pairs, by_column);
    for (uint32_t i = 0; i < length; i++) {
        if (i && pairs[i].column == pairs[i - 1].column)
            return false;
        w->column[first + i] = pairs[i].column;
        w->value[first + i] = pairs[i].value;
    }
    return true;
}

enum tulle_status intake_sort(const char *name, struct sparse *w)
{
    uint32_t longest = 1;
    for (uint32_t r = 0; r < w->rows; r++)
        longest = w->start[r + 1] - w->start[r] > longest ? w->start[r + 1] - w->start[r] : longest;
    struct pair *pairs = malloc(longest * sizeof *pairs);
    if (!pairs)
        return message_no_memory();
    enum tulle_status status = TULLE_OK;
    for (uint32_t r = 0; !status && r < w->rows; r++)
        if (!sort_row(w, r, pairs))
            status = message_set(TULLE_INVALID_MATRIX, "%s: there is a duplicate in line %u", name, r);
    free(pairs);
    return status;
}

static enum tulle_status take_entries(struct taking *t)
{
    struct sparse *to = t->to;
    const struct tulle_matrix *m = t->in->matrix;
    uint64_t most =
        m->format == TULLE_DENSE ? (uint64_t)m->rows * (uint64_t)m->columns : (uint64_t)m->entries;
    if (most > SIZE_LIMIT)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: %llu elements are too many", t->in->name,
                           (unsigned long long)most);
    enum tulle_status status = for_entries(t, count_entry);
    if (status)
        return status;
    /* While entries are put, start[r + 1] is the place of row r's next one: at last, where row r + 1 begins.
     */
    for (uint32_t r = 1; r <= to->rows; r++)
        to->start[r + 1] += to->start[r];
    const size_t entries = to->start[(size_t)to->rows + 1];
    to->column = malloc((entries + 1) * sizeof *to->column);
    to->value = malloc((entries + 1) * sizeof *to->value);
    if (!to->column || !to->value)
        return message_no_memory();
    status = for_entries(t, put_entry);
    return !status && m->format == TULLE_COO ? intake_sort(t->in->name, to) : status;
}

enum tulle_status intake_matrix(const struct intake *in, struct sparse *to, double *scale)
{
    struct taking t = {.in = in, .to = to, .scale = 1, .limit = INT64_C(1) << (8 * in->data_bytes - 1)};
    enum tulle_status status = matrix_check(in->matrix, in->name);
    *to = (struct sparse){0};
    if (!status && in->matrix->type == TULLE_FLOAT32 && in->matrix->values && !in->quantise && !in->floats)
        return message_set(TULLE_INVALID_ARGUMENT, "%s has floats; set quantise to have them scaled",
                           in->name);
    if (!status && in->matrix->type == TULLE_FLOAT32)
        status = find_scale(&t);
    if (status)
        return status;
    to->rows = (uint32_t)stored_rows(in);
    to->columns = (uint32_t)(in->transposed ? in->matrix->rows : in->matrix->columns);
    to->start = calloc((size_t)to->rows + 2, sizeof *to->start);
    status = to->start ? take_entries(&t) : message_no_memory();
    if (status)
        sparse_free(to);
    *scale = t.scale;
    return status;
}
