/* SPDX-License-Identifier: Apache-2.0
 *
 * The roofline: what multipliers and memory ports need at least (docs/performance.md).
 */
#ifndef TULLE_HOST_MEASURE_LIMITS_H
#define TULLE_HOST_MEASURE_LIMITS_H

#include <stdint.h>

struct variant;

/* The limits of a problem, in cycles; bytes are those of the operands, however they are packed. Activations
 * are those that a weight meets, results those that a weight contributes to. */
struct limits {
    double compute, read, write;
};
struct limits limits_of(const struct variant *variant, uint64_t macs, uint64_t nonzeros, uint64_t activations,
                        uint64_t results);
/* The largest of them. */
double roofline(const struct limits *limits);

#endif
