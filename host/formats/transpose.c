/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/transpose.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The same shape of memory as `from`, transposed; nothing in it yet. */
static bool allocate(const struct matrix *from, struct matrix *to)
{
    const size_t entries = (size_t)matrix_entries(from) + 1;
    *to = (struct matrix){.rows = from->columns, .columns = from->rows, .values = from->values};
    to->start = calloc((size_t)to->rows + 1, sizeof *to->start);
    to->column = calloc(entries, sizeof *to->column);
    to->integer = from->integer ? calloc(entries, sizeof *to->integer) : NULL;
    to->real = from->real ? calloc(entries, sizeof *to->real) : NULL;
    if (to->start && to->column && !to->integer == !from->integer && !to->real == !from->real)
        return true;
    matrix_free(to);
    return false;
}

static void put(const struct matrix *from, uint64_t entry, uint32_t row, struct matrix *to, uint64_t at)
{
    to->column[at] = row;
    if (from->integer)
        to->integer[at] = from->integer[entry];
    if (from->real)
        to->real[at] = from->real[entry];
}

/* Entries go to their rows in the order of their columns, so that they ascend there. */
static void fill(const struct matrix *from, struct matrix *to)
{
    for (uint64_t i = 0; i < matrix_entries(from); i++)
        to->start[from->column[i]]++;
    uint64_t sum = 0;
    for (uint32_t r = 0; r < to->rows; r++) {
        const uint64_t count = to->start[r];
        to->start[r] = sum;
        sum += count;
    }
    for (uint32_t r = 0; r < from->rows; r++)
        for (uint64_t i = from->start[r]; i < from->start[r + 1]; i++)
            put(from, i, r, to, to->start[from->column[i]]++);
    /* Each start has become its row's end. */
    memmove(to->start + 1, to->start, to->rows * sizeof *to->start);
    to->start[0] = 0;
}

bool matrix_transpose(struct matrix *matrix)
{
    struct matrix to;
    assert(matrix->symmetry == MATRIX_GENERAL);
    if (!allocate(matrix, &to))
        return false;
    fill(matrix, &to);
    matrix_free(matrix);
    *matrix = to;
    return true;
}
