/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/narrow.h"

#include <stdlib.h>

#include "sim/numerics/numerics.h"

static enum num_element element_of(enum tulle_type type)
{
    return type == TULLE_INT8    ? NUM_INT8
           : type == TULLE_INT16 ? NUM_INT16
           : type == TULLE_INT32 ? NUM_INT32
                                 : NUM_INT64;
}

static float *float_values(const int64_t *from, int64_t count)
{
    float *to = malloc((size_t)count * sizeof *to + 1);
    for (int64_t i = 0; to && i < count; i++)
        to[i] = (float)from[i];
    return to;
}

void *narrow_values(const int64_t *from, int64_t count, enum tulle_type type)
{
    if (type == TULLE_FLOAT32)
        return float_values(from, count);
    uint8_t *to = malloc((size_t)count * sizeof *from + 1);
    if (to)
        num_put_elements(to, element_of(type), false, from, (size_t)count);
    return to;
}

int64_t narrow_get(const void *values, int64_t at, enum tulle_type type)
{
    const enum num_element element = element_of(type);
    return num_get_element((const uint8_t *)values + (size_t)at * num_element_bytes(element), element);
}

static int64_t *starts_of(const struct matrix *m)
{
    int64_t *to = calloc((size_t)m->rows + 1, sizeof *to);
    for (uint64_t i = 0; to && i <= m->rows; i++)
        to[i] = (int64_t)m->start[i];
    return to;
}

static int64_t *indices_of(const struct matrix *m)
{
    const uint64_t count = matrix_entries(m);
    int64_t *to = calloc((size_t)count + 1, sizeof *to);
    for (uint64_t i = 0; to && i < count; i++)
        to[i] = m->column[i];
    return to;
}

bool narrow_sparse(const struct matrix *from, bool transposed, enum tulle_type type, struct narrow_matrix *to)
{
    const uint64_t entries = matrix_entries(from);
    to->starts = starts_of(from);
    to->indices = indices_of(from);
    to->values = narrow_values(from->integer, (int64_t)entries, type);
    to->matrix = (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                       .format = transposed ? TULLE_CSC : TULLE_CSR,
                                       .type = type,
                                       .rows = transposed ? from->columns : from->rows,
                                       .columns = transposed ? from->rows : from->columns,
                                       .entries = (int64_t)entries,
                                       .index_type = TULLE_INT64,
                                       .values = to->values,
                                       .starts = to->starts,
                                       .indices = to->indices};
    return to->starts && to->indices && to->values;
}

bool narrow_dense(const int64_t *from, int64_t rows, int64_t columns, enum tulle_type type,
                  struct narrow_matrix *to)
{
    to->values = narrow_values(from, rows * columns, type);
    to->matrix = (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                       .format = TULLE_DENSE,
                                       .type = type,
                                       .rows = rows,
                                       .columns = columns,
                                       .values = to->values};
    return to->values;
}

void narrow_free(struct narrow_matrix *m)
{
    free(m->values);
    free(m->starts);
    free(m->indices);
}
