/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of the functional model: one weight segment against many
 * rows of activations at once, and against one. The implementation is chosen
 * at run time from what the processor has.
 */
#ifndef TULLE_SIM_DOT_H
#define TULLE_SIM_DOT_H

#include <stddef.h>
#include <stdint.h>

/* Rows are handled in groups of this many. */
#define DOT_ROWS 16

/* sums[r] = sum over e of value[e] * table[position[e] * stride + r], r < DOT_ROWS, modulo 2^32. `table` is
 * 32-byte aligned and stride a multiple of DOT_ROWS. Exact for weights of 8 bits, activations of 9
 * bits (int8 or uint8 without a zero point) and up to 2^16 entries. */
typedef void dot_function(const uint16_t *position, const int16_t *value, size_t entries,
                          const int16_t *table, size_t stride, int32_t sums[DOT_ROWS]);

dot_function *dot_choose(void);
dot_function dot_portable;

/* The sum over e of value[e] * input[position[e]], modulo 2^32 and as exact, for activations in place. Adds
 * to *nonzero how many of these are not 0. */
typedef int32_t dot_one_function(const uint16_t *position, const int16_t *value, size_t entries,
                                 const int32_t *input, uint64_t *nonzero);

dot_one_function *dot_one_choose(void);
dot_one_function dot_one_portable;

#endif
