/* SPDX-License-Identifier: Apache-2.0
 *
 * The curves over their whole input range against the real functions. The
 * maxima are those of docs/numerics.md: an error that grows fails, and so
 * does one that shrinks, because the document would be wrong.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "sim/numerics/numerics.h"

#define FIRST (-32768)
#define LAST 32767

struct worst {
    long double error;
    int at;
};

static void note(struct worst *worst, int x, int64_t got, long double exact)
{
    long double error = fabsl((long double)got - exact);
    if (error > worst->error)
        *worst = (struct worst){error, x};
}

/* The figure to three places, as the document prints it. */
static void expect_worst(const char *what, const struct worst *worst, double documented)
{
    cr_log_info("%s: maximum error %.4Lf ulp at %d", what, worst->error, worst->at);
    cr_assert(fabsl(worst->error - (long double)documented) < 0.001L, "%s: %.4Lf ulp at %d, not %.3f", what,
              worst->error, worst->at, documented);
}

static long double exact_tanh(int x)
{
    return tanhl(x / 4096.0L);
}

static long double exact_sigmoid(int x)
{
    return 1 / (1 + expl(-x / 4096.0L));
}

static int64_t apply(enum num_function function, enum num_element element, int x)
{
    struct num_step step = {.function = function, .element = element, .multiplier = 1};
    return num_apply(&step, x);
}

Test(curves, maximum_errors_are_the_documented_ones)
{
    struct worst tanh16 = {0}, sigmoid16 = {0}, tanh8 = {0}, sigmoid8 = {0}, inner8 = {0};
    for (int x = FIRST; x <= LAST; x++) {
        note(&tanh16, x, apply(NUM_TANH, NUM_INT16, x), exact_tanh(x) * 32768);
        note(&sigmoid16, x, apply(NUM_SIGMOID, NUM_INT16, x), exact_sigmoid(x) * 32768);
        note(&tanh8, x, apply(NUM_TANH, NUM_INT8, x), exact_tanh(x) * 128);
        note(&sigmoid8, x, apply(NUM_SIGMOID, NUM_INT8, x), exact_sigmoid(x) * 128);
        /* Where the result is not the largest int8. */
        if (fabsl(exact_tanh(x)) * 128 < 127.5L)
            note(&inner8, x, apply(NUM_TANH, NUM_INT8, x), exact_tanh(x) * 128);
    }
    expect_worst("tanh, int16", &tanh16, 1.217);
    expect_worst("sigmoid, int16", &sigmoid16, 0.910);
    expect_worst("tanh, int8", &tanh8, 1.000);
    expect_worst("tanh, int8, below saturation", &inner8, 0.503);
    expect_worst("sigmoid, int8", &sigmoid8, 0.957);
}

Test(curves, symmetries_hold_exactly)
{
    for (int x = 0; x <= LAST; x++) {
        cr_assert_eq(num_tanh(-x), -num_tanh(x), "%d", x);
        cr_assert_eq(num_sigmoid(-x), 32768 - num_sigmoid(x), "%d", x);
    }
    cr_assert_eq(num_tanh(0), 0);
    cr_assert_eq(num_sigmoid(0), 16384);
}

Test(curves, never_fall)
{
    for (int x = FIRST; x < LAST; x++) {
        cr_assert_leq(num_tanh(x), num_tanh(x + 1), "%d", x);
        cr_assert_leq(num_sigmoid(x), num_sigmoid(x + 1), "%d", x);
    }
}

Test(curves, results_stay_in_range)
{
    for (int x = FIRST; x <= LAST; x++) {
        cr_assert(num_tanh(x) >= -32767 && num_tanh(x) <= 32767, "%d", x);
        cr_assert(num_sigmoid(x) >= 11 && num_sigmoid(x) <= 32757, "%d", x);
    }
}

/* docs/numerics.md says how to make the table; num_tanh(64 i) is its entry i. */
Test(curves, table_is_made_as_documented)
{
    for (int i = 0; i < 512; i++) {
        long double t = tanhl(i / 64.0L), bend = 2 * t * (1 - t * t);
        long double knot = floorl(32768 * t + 32768 * bend / (16 * 64 * 64) + 0.5L);
        cr_assert_eq(num_tanh(64 * i), (int32_t)(knot > 32767 ? 32767 : knot), "entry %d", i);
    }
}

/* From the document's formula, with the table read through num_tanh. */
static int32_t interpolate(int x)
{
    int32_t low = num_tanh(x / 64 * 64), high = x / 64 < 511 ? num_tanh((x / 64 + 1) * 64) : 32767;
    return low + (int32_t)floor((high - low) * (x % 64) / 64.0 + 0.5);
}

Test(curves, between_the_entries_they_are_lines)
{
    for (int x = 0; x <= LAST; x++)
        cr_assert_eq(num_tanh(x), interpolate(x), "%d", x);
}

/* The sigmoid comes from the same table, entered with half the argument; rounded once. */
Test(curves, sigmoid_is_half_a_tanh_of_half_the_argument)
{
    for (int x = 0; x <= LAST; x++) {
        int32_t low = num_tanh(x / 128 * 64), high = num_tanh((x / 128 + 1) * 64);
        double line = low + (high - low) * (x % 128) / 128.0;
        cr_assert_eq(num_sigmoid(x), 16384 + (int32_t)floor(line / 2 + 0.5), "%d", x);
    }
}

/* Whatever the accumulator, the curves are entered with a scaled, saturated 16-bit number. */
Test(curves, accumulators_beyond_the_range_give_the_ends)
{
    struct num_step step = {.function = NUM_TANH, .element = NUM_INT16, .multiplier = 1};
    cr_assert_eq(num_apply(&step, INT64_MAX), 32767);
    cr_assert_eq(num_apply(&step, INT64_MIN), -32767);
    step.function = NUM_SIGMOID;
    cr_assert_eq(num_apply(&step, INT64_MAX), 32757);
    cr_assert_eq(num_apply(&step, INT64_MIN), 11);
    step.element = NUM_INT8;
    cr_assert_eq(num_apply(&step, INT64_MAX), 127);
    cr_assert_eq(num_apply(&step, INT64_MIN), 0);
}
