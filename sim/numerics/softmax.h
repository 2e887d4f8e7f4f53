/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of a row of quantised numbers, bit for bit as TFLite defines it: docs/numerics.md, "Softmax".
 * Devices have that of int8, by a table of exponentials.
 */
#ifndef TULLE_SIM_SOFTMAX_H
#define TULLE_SIM_SOFTMAX_H

#include "sim/numerics/numerics.h"

/* More numbers would leave 32 bits in TFLite. */
enum { NUM_SOFTMAX_MOST = 4095 };

struct num_softmax {
    enum num_element input, result; /* int8 to int8 or int16, or int16 to int16 */
    int32_t multiplier;             /* from 0; it and the shift make the argument of exp from a difference */
    unsigned shift;                 /* 0..63 */
    int32_t least;                  /* of int8: a difference below counts as minus infinity */
};

/* exp of the difference 0, -1 .. -255 between a number and the largest one, in units of 2^-31. Of int8. */
enum { NUM_SOFTMAX_ENTRIES = 256 };
void num_softmax_table(const struct num_softmax *softmax, int32_t *entries);

/* What is added up for a number with this exponential. */
static inline uint32_t num_softmax_summand(int32_t exponential)
{
    return ((uint32_t)exponential + (UINT32_C(1) << 11)) >> 12;
}

/* What turns exponentials into shares of their sum: requantise with this multiplier, and a shift that is so
 * much larger. The sum is below 2^31. */
struct num_softmax_share {
    int32_t multiplier;
    unsigned shift; /* 0..12: by how many bits the sum is longer than the largest summand less one */
};
struct num_softmax_share num_softmax_share(uint32_t sum);

/* 1 .. NUM_SOFTMAX_MOST numbers of the input's element. `to` may be `from`. */
void num_softmax(const struct num_softmax *softmax, const int32_t *from, int32_t *to, size_t count);

#endif
