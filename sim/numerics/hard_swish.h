/* SPDX-License-Identifier: Apache-2.0
 *
 * x * min(max(x + 3, 0), 6) / 6 of quantised numbers of 8 bits, bit for bit as TFLite defines it:
 * docs/numerics.md, "Hard-swish".
 */
#ifndef TULLE_SIM_HARD_SWISH_H
#define TULLE_SIM_HARD_SWISH_H

#include "sim/numerics/numerics.h"

/* Factors of x in units of 1/128: to the result's scale, result * 2^-(15 + result_shift), and to units of
 * 3/32768, three * 2^(three_shift - 15). */
struct num_hard_swish {
    int32_t zero;          /* of x */
    int16_t result, three; /* 0 .. 32767 */
    unsigned result_shift; /* 0 .. 31 */
    int three_shift;       /* -31 .. 31 */
    int16_t result_zero, low, high;
};

/* x - zero: -255 .. 255. */
int32_t num_hard_swish(const struct num_hard_swish *how, int32_t x);

#endif
