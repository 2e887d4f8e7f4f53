/* SPDX-License-Identifier: Apache-2.0
 *
 * Two quantised numbers become one, each with a scale and a zero point of its own, and the mean of several
 * numbers: docs/numerics.md, "Two operands" and "Means". Devices do not have these.
 */
#ifndef TULLE_SIM_JOIN_H
#define TULLE_SIM_JOIN_H

#include "sim/numerics/numerics.h"

enum num_joining { NUM_ADD, NUM_SUBTRACT, NUM_MULTIPLY, NUM_JOININGS };

/* How a quantised number comes to the scale that both operands share. */
struct num_operand {
    int32_t zero, multiplier;
    unsigned left;  /* 0..31: places that keep fractions; one number for both operands */
    unsigned shift; /* 0..63 */
};

struct num_join {
    enum num_joining joining;
    struct num_operand a, b; /* a multiplication has their zero points only: the scales are in the step's */
    struct num_step step;    /* what becomes of the result; operands round in two steps if it does, else up */
};

/* The result before the step. */
int64_t num_join(const struct num_join *join, int32_t a, int32_t b);
int64_t num_join_apply(const struct num_join *join, int32_t a, int32_t b);

/* sum / count, halves away from zero; count 1 .. 2^62. */
int64_t num_mean(int64_t sum, int64_t count);

#endif
