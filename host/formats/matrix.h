/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix that the readers and the generator make: rows of entries with
 * ascending columns and without duplicates.
 */
#ifndef TULLE_HOST_FORMATS_MATRIX_H
#define TULLE_HOST_FORMATS_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

enum matrix_values {
    MATRIX_PATTERN, /* only places; every value counts as 1 */
    MATRIX_INTEGER, /* every value is whole and fits 64 bits */
    MATRIX_REAL     /* finite doubles, at least one of them not whole or beyond 2^53 */
};

enum matrix_symmetry {
    MATRIX_GENERAL,
    MATRIX_SYMMETRIC,     /* a[c][r] = a[r][c]; only entries with c <= r are stored */
    MATRIX_SKEW_SYMMETRIC /* a[c][r] = -a[r][c]; likewise */
};

/* Row r's entries are at start[r] .. start[r + 1] - 1. Every array is allocated, also for an empty matrix. */
struct matrix {
    uint32_t rows, columns;
    enum matrix_values values;
    enum matrix_symmetry symmetry;
    uint64_t *start;  /* rows + 1 of them; start[0] is 0 */
    uint32_t *column; /* start[rows] of them */
    int64_t *integer; /* MATRIX_INTEGER, NULL otherwise */
    double *real;     /* MATRIX_REAL, NULL otherwise */
    bool bytes;       /* the type of the file's numbers is uint8 */
};

/* Frees the matrix, which may be empty, and leaves it empty. */
void matrix_free(struct matrix *matrix);

/* The number of stored entries, including zeros. */
uint64_t matrix_entries(const struct matrix *matrix);

/* Smallest and largest value, 0 for a matrix without entries. False for MATRIX_REAL. */
bool matrix_range(const struct matrix *matrix, int64_t *low, int64_t *high);

/* Drops the values. */
void matrix_drop_values(struct matrix *matrix);

#endif
