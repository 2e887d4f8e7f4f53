/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX's quantised operators multiply an exact sum by a factor in float and round the product. A device has a
 * multiplier and a shift. Both are steps that rise with the sum, so they are the same if each result begins
 * at the same sum in both; every such place bounds the multiplier from below and from above.
 */
#ifndef TULLE_HOST_NET_CPU_FLOAT_STEP_H
#define TULLE_HOST_NET_CPU_FLOAT_STEP_H

#include "sim/numerics/join.h"

/* The nearest integer to the product in float, halves to even. */
double float_result(int64_t sum, float factor);

/* Sets multiplier, shift and rounding of a step of NUM_REQUANTISE, which has limits and a zero point, so that
 * it gives those results for all sums of 31 bits. False: no multiplier does. */
bool float_step(struct num_step *step, float factor);

/* Two bytes that are joined in float: each times its scale, and the quotient of the result and its scale. */
struct float_join {
    enum num_joining joining;
    bool has_no_sign;
    int32_t a_zero, b_zero;
    float a_scale, b_scale, y_scale;
};

/* The nearest integer, halves to even, without limits and zero point. */
float float_join_result(const struct float_join *join, int64_t a, int64_t b);

/* Sets all but limits and zero point of the step, as devices with joins have it, so that all pairs of bytes
 * give those results. False: no multiplier does. */
bool float_join(struct num_join *to, const struct float_join *join);

#endif
