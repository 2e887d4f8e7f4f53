/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators of the cases, as plain loops over sim/numerics. Each reads its case, computes it and leaves
 * the result and what is expected in the answer; mistakes go to the case's diag.
 */
#ifndef TULLE_TESTS_GOLDENS_OPERATORS_H
#define TULLE_TESTS_GOLDENS_OPERATORS_H

#include "tests/goldens/tool/golden.h"

void convolution(struct golden *golden, struct answer *answer);
void depthwise_convolution(struct golden *golden, struct answer *answer);
void transposed_convolution(struct golden *golden, struct answer *answer);
void fully_connected(struct golden *golden, struct answer *answer);
void batch_product(struct golden *golden, struct answer *answer);
void average_pooling(struct golden *golden, struct answer *answer);
void maximum_pooling(struct golden *golden, struct answer *answer);
void addition(struct golden *golden, struct answer *answer);
void multiplication(struct golden *golden, struct answer *answer);
void maximum(struct golden *golden, struct answer *answer);
void minimum(struct golden *golden, struct answer *answer);
void softmax(struct golden *golden, struct answer *answer);
void recurrent(struct golden *golden, struct answer *answer);
/* Layers one behind the other, of which the last one's result is expected. */
void network(struct golden *golden, struct answer *answer);

/* ---- what several of them share ---------------------------------------------------------------- */

/* One dimension of an image under a window. */
struct axis {
    int64_t in, out, window, stride, pad, dilation;
    bool transposed;
};

/* Which place of the input lies below this place of the window; -1: none, it is padding. */
int64_t axis_place(const struct axis *axis, int64_t out, int64_t window);

/* How TFLite requantises: in two steps, or sums of 64 bits with a multiplier of 16 bits. */
enum sums { SUMS_32, SUMS_64 };
void requantise(struct num_step *step, const struct golden *golden, enum sums sums, int64_t multiplier,
                int64_t shift);
/* The element, the zero point and the limits of the result. */
struct num_step result_step(const struct golden *golden, enum golden_type type);

/* What shifts are possible: 31 - shift is one of num_scale. Four sizes are multiplied without an overflow. */
enum { SHIFT_MIN = -32, SHIFT_MAX = 31, SIZE_MOST = 1 << 15 };
int64_t size_of(const struct golden *golden, const char *key);
/* Of an input or a result. */
const char *type_word(enum golden_type type);

#endif
