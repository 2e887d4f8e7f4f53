/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/matrix.h"

#include <stdlib.h>

void matrix_free(struct matrix *matrix)
{
    free(matrix->start);
    free(matrix->column);
    free(matrix->integer);
    free(matrix->real);
    *matrix = (struct matrix){0};
}

uint64_t matrix_entries(const struct matrix *matrix)
{
    return matrix->start ? matrix->start[matrix->rows] : 0;
}

bool matrix_range(const struct matrix *matrix, int64_t *low, int64_t *high)
{
    const uint64_t entries = matrix_entries(matrix);
    *low = *high = matrix->values == MATRIX_PATTERN && entries ? 1 : 0;
    if (matrix->values != MATRIX_INTEGER || !entries)
        return matrix->values != MATRIX_REAL;
    *low = *high = matrix->integer[0];
    for (uint64_t i = 1; i < entries; i++) {
        *low = matrix->integer[i] < *low ? matrix->integer[i] : *low;
        *high = matrix->integer[i] > *high ? matrix->integer[i] : *high;
    }
    return true;
}

void matrix_drop_values(struct matrix *matrix)
{
    free(matrix->integer);
    free(matrix->real);
    matrix->integer = NULL;
    matrix->real = NULL;
    matrix->values = MATRIX_PATTERN;
}
