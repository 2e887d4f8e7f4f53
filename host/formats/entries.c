/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/entries.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool out_of_memory(struct place at, struct diag *diag)
{
    at.line = 0;
    diag_error(diag, at, "out of memory; the machine is too small for this matrix");
    return false;
}

/* Never NULL for nothing. */
static void *new_array(uint64_t count, size_t size)
{
    return count < SIZE_MAX ? calloc((size_t)count + 1, size) : NULL;
}

bool entries_size(struct entries *entries, uint64_t rows, uint64_t columns, size_t file_bytes,
                  struct place at, struct diag *diag)
{
    const uint64_t limit = file_bytes > ENTRIES_ROWS_FREE ? file_bytes : ENTRIES_ROWS_FREE;
    if (rows > UINT32_MAX || columns > UINT32_MAX) {
        diag_error(diag, at, "%" PRIu64 " x %" PRIu64 " is too large; rows and columns are at most %" PRIu32,
                   rows, columns, UINT32_MAX);
        return false;
    }
    if (rows > limit) {
        diag_error(diag, at,
                   "%" PRIu64 " rows are too many for a file of %zu bytes; "
                   "more than %" PRIu64 " are only taken when there is a byte for each: leave out empty rows",
                   rows, file_bytes, ENTRIES_ROWS_FREE);
        return false;
    }
    entries->rows = (uint32_t)rows;
    entries->columns = (uint32_t)columns;
    return true;
}

bool entries_reserve(struct entries *entries, size_t capacity, struct place at, struct diag *diag)
{
    entries->at = new_array(capacity, sizeof *entries->at);
    entries->capacity = entries->at ? capacity : 0;
    return entries->at || out_of_memory(at, diag);
}

void entries_free(struct entries *entries)
{
    free(entries->at);
    *entries = (struct entries){0};
}

void entries_add(struct entries *entries, uint32_t row, uint32_t column, union entry_value value)
{
    entries->at[entries->count++] = (struct entry){.row = row, .column = column, .value = value};
}

static void make_real(struct entries *entries)
{
    if (entries->values == MATRIX_REAL)
        return;
    for (size_t i = 0; i < entries->count; i++)
        entries->at[i].value.real = (double)entries->at[i].value.integer;
    entries->values = MATRIX_REAL;
}

bool entries_add_integer(struct entries *entries, uint32_t row, uint32_t column, bool negative,
                         uint64_t magnitude)
{
    union entry_value value;
    if (negative && magnitude > (uint64_t)1 << 63)
        return false;
    if (!negative && magnitude > INT64_MAX)
        make_real(entries);
    if (entries->values == MATRIX_REAL)
        value.real = negative ? -(double)magnitude : (double)magnitude;
    else
        value.integer = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    entries_add(entries, row, column, value);
    return true;
}

/* Doubles are contiguous in whole numbers up to 2^53: beyond it a sum of integers could differ. */
static bool whole(double value)
{
    return fabs(value) <= 9007199254740992.0 && value == (double)(int64_t)value;
}

static void make_integer_if_whole(struct entries *entries)
{
    if (entries->values != MATRIX_REAL)
        return;
    for (size_t i = 0; i < entries->count; i++)
        if (!whole(entries->at[i].value.real))
            return;
    for (size_t i = 0; i < entries->count; i++)
        entries->at[i].value.integer = (int64_t)entries->at[i].value.real;
    entries->values = MATRIX_INTEGER;
}

/* Whether the other half is to be made of this entry too. */
static bool has_mirror(const struct entries *entries, const struct matrix *matrix, const struct entry *entry)
{
    return entries->symmetry != matrix->symmetry && entry->row != entry->column;
}

/* start[r + 1] = entries of row r, then their sums. */
static void count_rows(const struct entries *entries, struct matrix *matrix)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->at[i];
        matrix->start[entry->row + 1]++;
        if (has_mirror(entries, matrix, entry))
            matrix->start[entry->column + 1]++;
    }
    for (uint64_t r = 0; r < matrix->rows; r++)
        matrix->start[r + 1] += matrix->start[r];
}

static bool allocate(const struct entries *entries, const struct read_options *options, struct matrix *matrix)
{
    *matrix = (struct matrix){.rows = entries->rows,
                              .columns = entries->columns,
                              .values = entries->values,
                              .bytes = entries->bytes,
                              .symmetry = options->keep_symmetric ? entries->symmetry : MATRIX_GENERAL};
    matrix->start = new_array((uint64_t)entries->rows + 1, sizeof *matrix->start);
    if (!matrix->start)
        return false;
    count_rows(entries, matrix);
    const uint64_t count = matrix_entries(matrix);
    matrix->column = new_array(count, sizeof *matrix->column);
    if (matrix->values == MATRIX_INTEGER)
        matrix->integer = new_array(count, sizeof *matrix->integer);
    if (matrix->values == MATRIX_REAL)
        matrix->real = new_array(count, sizeof *matrix->real);
    return matrix->column && (matrix->integer || matrix->values != MATRIX_INTEGER) &&
           (matrix->real || matrix->values != MATRIX_REAL);
}

static void put(struct matrix *matrix, uint64_t at, uint32_t column, union entry_value value)
{
    matrix->column[at] = column;
    if (matrix->integer)
        matrix->integer[at] = value.integer;
    if (matrix->real)
        matrix->real[at] = value.real;
}

static union entry_value get(const struct matrix *matrix, uint64_t at)
{
    union entry_value value = {0};
    if (matrix->integer)
        value.integer = matrix->integer[at];
    if (matrix->real)
        value.real = matrix->real[at];
    return value;
}

static union entry_value mirrored(const struct entries *entries, union entry_value value)
{
    if (entries->symmetry == MATRIX_SKEW_SYMMETRIC && entries->values == MATRIX_INTEGER)
        value.integer = -value.integer;
    if (entries->symmetry == MATRIX_SKEW_SYMMETRIC && entries->values == MATRIX_REAL)
        value.real = -value.real;
    return value;
}

/* Into their rows, in the order of the file. `next` has rows places. */
static void scatter(const struct entries *entries, uint64_t *next, struct matrix *matrix)
{
    for (uint64_t r = 0; r < matrix->rows; r++)
        next[r] = matrix->start[r];
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->at[i];
        put(matrix, next[entry->row]++, entry->column, entry->value);
        if (has_mirror(entries, matrix, entry))
            put(matrix, next[entry->column]++, entry->row, mirrored(entries, entry->value));
    }
}

/* An entry of a row that is being sorted; order keeps repeated ones in the order of the file. */
struct slot {
    uint32_t column;
    uint64_t order;
    union entry_value value;
};

static int compare_slots(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool ascending(const struct matrix *matrix, uint64_t first, uint64_t end)
{
    for (uint64_t i = first + 1; i < end; i++)
        if (matrix->column[i] < matrix->column[i - 1])
            return false;
    return true;
}

static bool sort_row(struct matrix *matrix, uint64_t first, uint64_t end)
{
    struct slot *slots = new_array(end - first, sizeof *slots);
    if (!slots)
        return false;
    for (uint64_t i = first; i < end; i++)
        slots[i - first] = (struct slot){.column = matrix->column[i], .order = i, .value = get(matrix, i)};
    qsort(slots, (size_t)(end - first), sizeof *slots, compare_slots);
    for (uint64_t i = first; i < end; i++)
        put(matrix, i, slots[i - first].column, slots[i - first].value);
    free(slots);
    return true;
}

static bool sort_rows(struct matrix *matrix)
{
    for (uint64_t r = 0; r < matrix->rows; r++) {
        const uint64_t first = matrix->start[r], end = matrix->start[r + 1];
        if (!ascending(matrix, first, end) && !sort_row(matrix, first, end))
            return false;
    }
    return true;
}

/* False when the sum is not representable. In a pattern a repeated entry is one entry. */
static bool add_value(const struct matrix *matrix, union entry_value *sum, union entry_value value)
{
    if (matrix->values == MATRIX_INTEGER)
        return !__builtin_add_overflow(sum->integer, value.integer, &sum->integer);
    if (matrix->values == MATRIX_REAL)
        sum->real += value.real;
    return matrix->values != MATRIX_REAL || isfinite(sum->real);
}

static bool is_zero(const struct matrix *matrix, union entry_value value)
{
    return (matrix->integer && value.integer == 0) || (matrix->real && value.real == 0);
}

/* Moves row `row`, which was at first .. end - 1, to *to, each column once. */
static bool merge_row(struct matrix *matrix, uint64_t first, uint64_t end, bool drop_zeros, uint64_t *to)
{
    for (uint64_t i = first; i < end;) {
        const uint32_t column = matrix->column[i];
        union entry_value sum = get(matrix, i);
        for (i++; i < end && matrix->column[i] == column; i++)
            if (!add_value(matrix, &sum, get(matrix, i)))
                return false;
        if (!drop_zeros || !is_zero(matrix, sum))
            put(matrix, (*to)++, column, sum);
    }
    return true;
}

static bool merge_rows(struct matrix *matrix, bool drop_zeros, struct place at, struct diag *diag)
{
    uint64_t to = 0, first = 0;
    for (uint64_t r = 0; r < matrix->rows; r++) {
        const uint64_t end = matrix->start[r + 1];
        if (!merge_row(matrix, first, end, drop_zeros, &to)) {
            at.line = 0;
            diag_error(diag, at,
                       "repeated entries of row %" PRIu64 " add up to more than %s; store their sum once",
                       r + 1, matrix->real ? "a double holds" : "64 bits hold");
            return false;
        }
        first = end;
        matrix->start[r + 1] = to;
    }
    return true;
}

bool entries_build(struct entries *entries, const struct read_options *options, struct place at,
                   struct matrix *matrix, struct diag *diag)
{
    make_integer_if_whole(entries);
    uint64_t *next = new_array(entries->rows, sizeof *next);
    bool ok = next && allocate(entries, options, matrix);
    if (ok)
        scatter(entries, next, matrix);
    free(next);
    ok = (ok && sort_rows(matrix)) || out_of_memory(at, diag);
    ok = ok && merge_rows(matrix, options->drop_zeros, at, diag);
    if (!ok)
        matrix_free(matrix);
    return ok;
}
