/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole numbers rounded up: counts of pieces, and sizes padded to a multiple.
 * value + by must not exceed 64 bits.
 */
#ifndef TULLE_GEN_MATH_H
#define TULLE_GEN_MATH_H

#include <stdint.h>

/* How many pieces of `by` hold `value`; by from 1. */
static inline uint64_t math_divide_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

/* The smallest multiple of `of` that is not below `value`; of from 1. */
static inline uint64_t math_round_up(uint64_t value, uint64_t of)
{
    return math_divide_up(value, of) * of;
}

#endif
