/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of docs/numerics.md once more, from the text and not from
 * the code: plain 128-bit integers and division instead of shifts and masks.
 */
#ifndef TULLE_TESTS_SIM_NUMERICS_REFERENCE_H
#define TULLE_TESTS_SIM_NUMERICS_REFERENCE_H

#include "gen/base/random.h"
#include "sim/numerics/numerics.h"

__extension__ typedef __int128 big;

/* Operands of every magnitude, and the ends of the ranges often. */
int64_t operand_signed(struct random *from, unsigned bits);
/* Halves go up in it. */
struct num_step operand_step(struct random *from);

big two_to(unsigned exponent);
big reference_floor(big dividend, big divisor);
int64_t reference_wrap(big value, unsigned width);
int64_t reference_saturate(big value, unsigned bits);
int64_t reference_scale(int64_t value, int32_t multiplier, unsigned shift, enum num_rounding rounding);
int64_t reference_apply(const struct num_step *step, int64_t acc);

#endif
