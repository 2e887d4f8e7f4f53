/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/numerics/numerics.h"

#include "sim/numerics/tanh_table.h"
#include <assert.h>

__extension__ typedef __int128 wide; /* accumulator times multiplier needs up to 96 bits */

#define FIRST_STEP 31

int64_t num_saturate(int64_t value, unsigned bits)
{
    int64_t high = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    int64_t low = -high - 1;
    return value > high ? high : value < low ? low : value;
}

/* An exact product divided by 2^shift. Halves go up: where they go down, less than a half is added. */
#define SHIFTED(name, type)                                                               \
    static type name##_once(type value, unsigned shift, bool halves_down)                 \
    {                                                                                     \
        return shift ? (value + ((type)1 << (shift - 1)) - halves_down) >> shift : value; \
    }                                                                                     \
    static type name(type value, unsigned shift, enum num_rounding rounding)              \
    {                                                                                     \
        if (rounding == NUM_TWO_STEPS && shift > FIRST_STEP) {                            \
            value = name##_once(value, FIRST_STEP, false);                                \
            return name##_once(value, shift - FIRST_STEP, value < 0);                     \
        }                                                                                 \
        const bool odd = value >> shift & 1;                                              \
        return name##_once(value, shift, rounding == NUM_HALVES_TO_EVEN && !odd);         \
    }
SHIFTED(shifted_wide, wide)
SHIFTED(shifted, int64_t)

/* Products of 32 bits, and half of what a shift drops, fit 64. */
enum { NARROW_SHIFT_MOST = 62 };

int64_t num_scale(int64_t value, int32_t multiplier, unsigned shift, enum num_rounding rounding)
{
    if ((int32_t)value == value && shift <= NARROW_SHIFT_MOST)
        return shifted(value * multiplier, shift, rounding);
    const wide scaled = shifted_wide((wide)value * multiplier, shift, rounding);
    return scaled > INT64_MAX ? INT64_MAX : scaled < INT64_MIN ? INT64_MIN : (int64_t)scaled;
}

/* tanh of x / 2^12 for 0 <= x <= 2^15: 512 segments, the low six bits interpolate, halves go up. */
static int32_t tanh_of_magnitude(uint32_t x)
{
    uint32_t segment = x >> 6, fraction = x & 63;
    if (segment >= 512)
        return tanh_knots[512];
    uint32_t rise = (uint32_t)tanh_knots[segment + 1] - tanh_knots[segment];
    return (int32_t)(tanh_knots[segment] + ((rise * fraction + 32) >> 6));
}

int32_t num_tanh(int32_t x)
{
    return x < 0 ? -tanh_of_magnitude((uint32_t)-x) : tanh_of_magnitude((uint32_t)x);
}

/* 1/2 + tanh(x/2)/2: the table is entered with x/2, which is x in steps of half the table's unit. */
int32_t num_sigmoid(int32_t x)
{
    uint32_t magnitude = x < 0 ? (uint32_t)-x : (uint32_t)x;
    uint32_t segment = magnitude >> 7, fraction = magnitude & 127;
    uint32_t rise = (uint32_t)tanh_knots[segment + 1] - tanh_knots[segment];
    int32_t half = (int32_t)(((uint32_t)tanh_knots[segment] * 128 + rise * fraction + 128) >> 8);
    return x < 0 ? 16384 - half : 16384 + half;
}

/* The curves give units of 2^-15; a narrower element takes the leading bits, rounded. */
static int64_t narrow_curve(int32_t value, enum num_element element)
{
    return element == NUM_INT8 ? (value + 128) >> 8 : value;
}

int32_t num_short_multiplier(int32_t multiplier)
{
    return multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
}

void num_set_scale(struct num_step *step, int32_t multiplier, int shift, bool sums_64)
{
    step->multiplier = sums_64 ? num_short_multiplier(multiplier) : multiplier;
    step->shift = (unsigned)((sums_64 ? 15 : FIRST_STEP) - shift);
    step->rounding = sums_64 ? NUM_HALVES_UP : NUM_TWO_STEPS;
}

static int64_t requantise(const struct num_step *step, int64_t acc)
{
    const int64_t scaled =
        num_saturate(num_scale(acc, step->multiplier, step->shift, step->rounding), 62) + step->zero;
    return scaled < step->low ? step->low : scaled > step->high ? step->high : scaled;
}

static int64_t apply_function(const struct num_step *step, int64_t acc)
{
    switch (step->function) {
    case NUM_RELU:
        return acc < 0 ? 0 : acc;
    case NUM_LEAKY_RELU:
        return acc < 0 ? num_scale(acc, step->slope, 15, step->rounding) : acc;
    case NUM_CLAMP:
        return acc < step->low ? step->low : acc > step->high ? step->high : acc;
    case NUM_SIGMOID:
    case NUM_TANH: {
        int32_t x = (int32_t)num_saturate(num_scale(acc, step->multiplier, step->shift, step->rounding), 16);
        return narrow_curve(step->function == NUM_TANH ? num_tanh(x) : num_sigmoid(x), step->element);
    }
    case NUM_REQUANTISE:
    case NUM_AVERAGE:
        return requantise(step, acc);
    case NUM_LOOKUP:
        return step->lookup[(uint8_t)num_saturate(requantise(step, acc), 8)];
    case NUM_USER:
        return num_user(step, acc);
    case NUM_NONE:
    case NUM_SUM:
    case NUM_MAX:
    case NUM_FUNCTIONS:
        break;
    }
    return acc;
}

static int64_t narrow(int64_t value, enum num_element element)
{
    switch (element) {
    case NUM_INT8:
        return num_saturate(value, 8);
    case NUM_INT16:
        return num_saturate(value, 16);
    case NUM_INT32:
        return num_wrap(value, 32);
    case NUM_INT64:
        break;
    }
    return value;
}

int64_t num_apply(const struct num_step *step, int64_t acc)
{
    return narrow(apply_function(step, acc), step->element);
}

unsigned num_element_bytes(enum num_element element)
{
    return 1u << element;
}

void num_put_element(uint8_t *to, enum num_element element, int64_t value)
{
    unsigned bytes = num_element_bytes(element);
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)((uint64_t)value >> (8 * i));
}

static inline void put_32(uint8_t *to, uint64_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
}

void num_put_elements(uint8_t *to, enum num_element element, bool no_sign, const int64_t *values,
                      size_t count)
{
    const unsigned bytes = num_element_bytes(element);
    if (element == NUM_INT32 && !no_sign) { /* sums that no function narrows */
        for (size_t i = 0; i < count; i++)
            put_32(to + 4 * i, (uint64_t)values[i]);
        return;
    }
    const int64_t least = no_sign ? -(INT64_C(1) << (8 * bytes - 1)) : 0;
    for (size_t i = 0; i < count; i++)
        num_put_element(to + i * bytes, element, narrow(values[i], element) - least);
}

int64_t num_get_element(const uint8_t *from, enum num_element element)
{
    uint64_t value = 0;
    unsigned bytes = num_element_bytes(element);
    assert(bytes >= 1 && bytes <= 8);
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return num_wrap((int64_t)value, 8 * bytes);
}
