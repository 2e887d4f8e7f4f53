/* SPDX-License-Identifier: Apache-2.0
 *
 * Generates operands for benchmarks and tests. The same shape and seed give
 * the same matrix on every machine. Values are int8 and not zero.
 */
#ifndef TULLE_HOST_FORMATS_GENERATE_H
#define TULLE_HOST_FORMATS_GENERATE_H

#include "gen/base/diag.h"
#include "host/formats/matrix.h"

enum generate_kind {
    GENERATE_RANDOM,    /* each place is an entry with probability density */
    GENERATE_FIXED,     /* per_row entries in each row, anywhere */
    GENERATE_BANDED,    /* per_row entries in each row, at most half_bandwidth from the diagonal */
    GENERATE_POWER_LAW, /* a graph with few busy and many quiet nodes (R-MAT); `edges` are drawn, those drawn
                           again do not count */
    GENERATE_BLOCK,     /* full blocks of block x block, each with probability density */
    GENERATE_KINDS
};

/* "random", "fixed", ... by enum generate_kind. */
extern const char *const generate_kind_names[GENERATE_KINDS];

/* Each kind uses only the fields that it names. */
struct generate_shape {
    enum generate_kind kind;
    uint32_t rows, columns;
    double density;
    uint32_t per_row;
    uint32_t half_bandwidth;
    uint32_t block;
    uint64_t edges;
    uint64_t seed;
};

/* False with an error reported when the shape makes no sense or memory does not suffice. */
bool generate_matrix(const struct generate_shape *shape, struct matrix *matrix, struct diag *diag);

/* Fills `count` activations, each not zero with probability density (0..1; false otherwise). */
bool generate_activations(int8_t *to, uint64_t count, double density, uint64_t seed);

#endif
