/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts matrices of 64-bit integers that fit to the matrices of libtulle.
 */
#ifndef TULLE_HOST_CLI_NARROW_H
#define TULLE_HOST_CLI_NARROW_H

#include <stdbool.h>

#include "host/formats/matrix.h"
#include "host/tulle.h"

struct narrow_matrix {
    struct tulle_matrix matrix;
    void *values;
    int64_t *starts, *indices;
};

/* NULL when out of memory. Floats hold integers of up to 24 bits. */
void *narrow_values(const int64_t *from, int64_t count, enum tulle_type type);
int64_t narrow_get(const void *values, int64_t at, enum tulle_type type);

/* False when out of memory; to be freed in any case. */
bool narrow_sparse(const struct matrix *from, bool transposed, enum tulle_type type,
                   struct narrow_matrix *to);
bool narrow_dense(const int64_t *from, int64_t rows, int64_t columns, enum tulle_type type,
                  struct narrow_matrix *to);
void narrow_free(struct narrow_matrix *matrix);

#endif
