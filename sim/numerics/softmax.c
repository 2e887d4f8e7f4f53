/* SPDX-License-Identifier: Apache-2.0
 *
 * Fixed-point numbers here are 32 bits. The comments give the value of one unit.
 */
#include "sim/numerics/softmax.h"

#include "sim/numerics/join.h"
#include "sim/numerics/softmax_tables.h"
#include <assert.h>

#define QUARTER (INT32_C(1) << 24) /* in units of 2^-26 */
#define SUM_PLACES 12              /* by which summands are narrower, so that 2^12 of them fit */

/* The leading half of the doubled product. */
static int32_t times(int32_t a, int32_t b)
{
    return (int32_t)num_saturate(num_scale(a, b, 31, NUM_HALVES_UP), 32);
}

static int32_t divided(int32_t a, unsigned places)
{
    return (int32_t)num_mean(a, (int64_t)1 << places);
}

/* ---- int8: polynomials ------------------------------------------------------------------------- */

/* exp(x) in units of 2^-31, x = -1/4 .. 0 in units of 2^-26: a polynomial around -1/8. */
static int32_t exp_of_quarter(int32_t x)
{
    static const int32_t middle = 1895147668, third = 715827883; /* exp(-1/8), 1/3 */
    const int32_t d = x * 32 + (1 << 28), d2 = times(d, d), d3 = times(d2, d), d4 = times(d2, d2);
    const int32_t rest = divided(times(divided(d4, 2) + d3, third) + d2, 1);
    return middle + times(middle, d + rest);
}

/* exp(x) in units of 2^-31, x = -32 .. 0 in units of 2^-26. */
static int32_t exp_of(int32_t x)
{
    /* exp of -1/4, -1/2, -1 .. -16 */
    static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    if (!x)
        return INT32_MAX;
    const int32_t below = (int32_t)((uint32_t)x & (QUARTER - 1)) - QUARTER;
    const uint32_t quarters = (uint32_t)(below - x) / QUARTER;
    int32_t result = exp_of_quarter(below);
    for (unsigned i = 0; i < sizeof factors / sizeof *factors; i++)
        result = quarters >> i & 1 ? times(result, factors[i]) : result;
    return result;
}

/* The reciprocal of a sum whose leading bit is bit 31, in units of 2^-31 when that bit is one: three steps of
 * Newton's method for the half of it. */
static int32_t reciprocal_of(uint32_t sum)
{
    static const int32_t first = 1515870810, slope = -1010580540; /* 48/17 and -32/17 in units of 2^-29 */
    const int32_t half = (int32_t)(sum >> 1);
    int32_t y = first + times(half, slope);
    for (unsigned i = 0; i < 3; i++)
        y += 4 * times(y, (1 << 29) - times(half, y));
    return (int32_t)num_saturate(2 * (int64_t)y, 32);
}

struct num_softmax_share num_softmax_share(uint32_t sum)
{
    const unsigned zeros = sum ? (unsigned)__builtin_clz(sum) : SUM_PLACES,
                   headroom = zeros < SUM_PLACES ? zeros : SUM_PLACES;
    return (struct num_softmax_share){.multiplier = reciprocal_of(sum << headroom | UINT32_C(1) << 31),
                                      .shift = SUM_PLACES - headroom};
}

static int32_t largest_of(const int32_t *from, size_t count)
{
    int32_t largest = from[0];
    for (size_t i = 1; i < count; i++)
        largest = from[i] > largest ? from[i] : largest;
    return largest;
}

/* What is added to the largest number; 0 or less. */
static int32_t argument(const struct num_softmax *softmax, int32_t difference)
{
    return (int32_t)num_saturate(num_scale(difference, softmax->multiplier, softmax->shift, NUM_TWO_STEPS),
                                 32);
}

static int32_t exponential(const struct num_softmax *softmax, int32_t difference)
{
    return difference < softmax->least ? 0 : exp_of(argument(softmax, difference));
}

void num_softmax_table(const struct num_softmax *softmax, int32_t *entries)
{
    for (int32_t i = 0; i < NUM_SOFTMAX_ENTRIES; i++)
        entries[i] = exponential(softmax, -i);
}

static void by_polynomials(const struct num_softmax *softmax, const int32_t *from, int32_t *to, size_t count)
{
    const unsigned bits = softmax->result == NUM_INT8 ? 8 : 16;
    const int32_t largest = largest_of(from, count);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += num_softmax_summand(exponential(softmax, from[i] - largest));
    const struct num_softmax_share share = num_softmax_share(sum);
    for (size_t i = 0; i < count; i++) {
        const int64_t part = num_scale(exponential(softmax, from[i] - largest), share.multiplier,
                                       62 - bits + share.shift, NUM_TWO_STEPS);
        to[i] = (int32_t)num_saturate(part - (INT64_C(1) << (bits - 1)), bits);
    }
}

/* ---- int16: tables ----------------------------------------------------------------------------- */

/* Lines between the entries; x has 16 bits with a sign. */
static int32_t interpolated(const int16_t *knots, int32_t x)
{
    const uint32_t place = (uint32_t)(x + (1 << 15)), segment = place >> 7;
    const int32_t rise = knots[segment + 1] - knots[segment];
    return knots[segment] + (int32_t)num_scale(rise, (int32_t)(place & 127), 7, NUM_HALVES_UP);
}

static int32_t table_exp(const struct num_softmax *softmax, int32_t difference)
{
    return interpolated(exp_knots,
                        (int32_t)num_saturate((int64_t)argument(softmax, difference) + INT16_MAX, 16));
}

static void by_tables(const struct num_softmax *softmax, const int32_t *from, int32_t *to, size_t count)
{
    const int32_t largest = largest_of(from, count);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (uint32_t)table_exp(softmax, from[i] - largest);
    const unsigned headroom = (unsigned)__builtin_clz(sum);
    /* 1 .. 2 in units of 2^-16, and the middle of that is 0 of the table. */
    const int64_t scaled = num_scale((int64_t)sum << (headroom - 1), 1, 14, NUM_HALVES_UP);
    const int32_t share = interpolated(reciprocal_knots, (int32_t)num_saturate(scaled - 3 * (1 << 15), 16));
    for (size_t i = 0; i < count; i++) {
        const int64_t part =
            num_scale(table_exp(softmax, from[i] - largest), share, 31 - headroom, NUM_HALVES_UP);
        to[i] = (int32_t)num_saturate(part, 16);
    }
}

void num_softmax(const struct num_softmax *softmax, const int32_t *from, int32_t *to, size_t count)
{
    assert(count >= 1 && count <= NUM_SOFTMAX_MOST && softmax->multiplier >= 0);
    if (softmax->input == NUM_INT8)
        by_polynomials(softmax, from, to, count);
    else
        by_tables(softmax, from, to, count);
}
