/* SPDX-License-Identifier: Apache-2.0
 *
 * What each step does to the bits: the one implementation of
 * docs/numerics.md, used by the functional model, the host library's checks
 * and the tests of the RTL. Pure functions of integers; no floating point.
 */
#ifndef TULLE_SIM_NUMERICS_H
#define TULLE_SIM_NUMERICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are those of the instruction set (the "function" and "element" values). */
enum num_function {
    NUM_NONE,
    NUM_RELU,
    NUM_LEAKY_RELU,
    NUM_CLAMP,
    NUM_SIGMOID,
    NUM_TANH,
    NUM_REQUANTISE,
    NUM_SUM,
    NUM_MAX,
    NUM_AVERAGE,
    NUM_USER,
    NUM_LOOKUP,
    NUM_FUNCTIONS
};
enum num_element { NUM_INT8, NUM_INT16, NUM_INT32, NUM_INT64 };

/* How a shift rounds. Two steps: once after 31 places, halves up, then halves away from zero. */
enum num_rounding { NUM_HALVES_UP, NUM_HALVES_TO_EVEN, NUM_TWO_STEPS, NUM_ROUNDINGS };

/* One entry of an operator's function table. */
struct num_step {
    enum num_function function;
    enum num_element element; /* what the result is narrowed to */
    unsigned shift;           /* 0..63 */
    int32_t multiplier;
    int16_t low, high, zero, slope;
    enum num_rounding rounding;
    const int8_t *lookup; /* of NUM_LOOKUP: 256 entries, by a number's byte */
};

/* The accumulator: value modulo 2^width, as a signed number. 1 <= width <= 64. */
static inline int64_t num_wrap(int64_t value, unsigned width)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    uint64_t mask = sign | (sign - 1);
    return (int64_t)((((uint64_t)value & mask) ^ sign) - sign);
}

/* What the largest of products of two numbers of `data_width` bits begins with: below all of them. */
static inline int64_t num_maximum_of_nothing(unsigned data_width)
{
    return -((int64_t)1 << (2 * data_width - 1));
}

/* value * multiplier / 2^shift, rounded and saturated to 64 bits. */
int64_t num_scale(int64_t value, int32_t multiplier, unsigned shift, enum num_rounding rounding);

/* A multiplier of 31 fraction bits with 15, rounded; at most 32767. */
int32_t num_short_multiplier(int32_t multiplier);
/* A factor as TFLite has it, multiplier * 2^(shift - 31), becomes the step's, with the rounding that TFLite
 * has for sums of 32 bits, or of 64, for which it keeps 15 bits of the multiplier. shift: -31 .. 31, or 15.
 */
void num_set_scale(struct num_step *step, int32_t multiplier, int shift, bool sums_64);

int64_t num_saturate(int64_t value, unsigned bits);

/* tanh and the logistic function of x / 2^12, in units of 2^-15, x in -2^15 .. 2^15 - 1. Odd symmetry and
 * sigmoid(-x) = 1 - sigmoid(x) hold exactly. Maximum errors: docs/numerics.md. */
int32_t num_tanh(int32_t x);
int32_t num_sigmoid(int32_t x);

/* The user's own function, in user.c: as rtl/tulle_user_function.v gives it. */
int32_t num_user(const struct num_step *step, int64_t acc);

/* Whether the function takes the values of all PEs together. */
static inline bool num_is_reduction(enum num_function function)
{
    return function == NUM_SUM || function == NUM_MAX || function == NUM_AVERAGE;
}

/* Whether the function has a multiplier and a shift, and whether it has limits. */
static inline bool num_scales(enum num_function function)
{
    return function == NUM_REQUANTISE || function == NUM_AVERAGE || function == NUM_SIGMOID ||
           function == NUM_TANH || function == NUM_LOOKUP;
}

static inline bool num_limits(enum num_function function)
{
    return function == NUM_CLAMP || function == NUM_REQUANTISE || function == NUM_AVERAGE;
}

/* Function, then narrowing to the element. `acc` is the complete sum, bias included. */
int64_t num_apply(const struct num_step *step, int64_t acc);

unsigned num_element_bytes(enum num_element element);

/* The elements, little-endian; a pointer need not be aligned. */
void num_put_element(uint8_t *to, enum num_element element, int64_t value);
/* Narrowed, one behind the other. Without a sign, int8 and int16 are written less their smallest value. */
void num_put_elements(uint8_t *to, enum num_element element, bool no_sign, const int64_t *values,
                      size_t count);
int64_t num_get_element(const uint8_t *from, enum num_element element);

#endif
