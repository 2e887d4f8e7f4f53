/* SPDX-License-Identifier: Apache-2.0
 *
 * Multipliers in place of factors in float: where there is one, every sum gives the same; there is one for
 * powers of two, and for most factors from 2^-8 on.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "gen/base/random.h"
#include "host/net/cpu/float_step.h"

#define FACTORS 2000
#define SUMS 2000

static double by_float(const struct num_step *step, float factor, int64_t sum)
{
    const double result = float_result(sum, factor) + step->zero;
    return result < step->low ? step->low : result > step->high ? step->high : result;
}

static void compare(const struct num_step *step, float factor, int64_t sum)
{
    cr_assert_eq((double)num_apply(step, sum), by_float(step, factor, sum), "%lld times %.9g: %lld",
                 (long long)sum, (double)factor, (long long)num_apply(step, sum));
}

/* Sums around the places where results change, and any others. */
static void compare_all(const struct num_step *step, float factor, struct random *random)
{
    for (int n = step->low - step->zero; n <= step->high - step->zero + 1; n++)
        for (int around = -2; around <= 2; around++)
            compare(step, factor, (int64_t)fmax(-1e9, fmin(1e9, round((n - 0.5) / (double)factor))) + around);
    for (int i = 0; i < SUMS; i++)
        compare(step, factor, (int64_t)random_below(random, 2000000000) - 1000000000);
}

static struct num_step limits(struct random *random, bool no_sign)
{
    const int16_t low = no_sign ? 0 : -128;
    return (struct num_step){.function = NUM_REQUANTISE,
                             .element = NUM_INT16,
                             .low = low,
                             .high = (int16_t)(low + 255),
                             .zero = (int16_t)(low + (int)random_below(random, 256))};
}

Test(host_net_float_step, a_multiplier_gives_what_the_factor_gives_in_float)
{
    struct random random = {5};
    unsigned found = 0, large = 0;
    for (unsigned i = 0; i < FACTORS; i++) {
        const float factor = (float)exp2((double)random_below(&random, 1600) / 100 - 14);
        struct num_step step = limits(&random, i % 2);
        const bool has_one = float_step(&step, factor);
        large += factor >= 0x1p-8F;
        found += factor >= 0x1p-8F && has_one;
        if (has_one)
            compare_all(&step, factor, &random);
    }
    cr_assert(large > FACTORS / 3 && found * 100 > large * 97, "%u of %u factors have a multiplier", found,
              large);
}

Test(host_net_float_step, powers_of_two_are_exact)
{
    struct random random = {6};
    for (int exponent = -15; exponent < 8; exponent++) {
        struct num_step step = limits(&random, exponent & 1);
        const float factor = ldexpf(1, exponent);
        cr_assert(float_step(&step, factor), "2^%d", exponent);
        compare_all(&step, factor, &random);
    }
}

Test(host_net_float_step, what_is_no_factor_is_refused)
{
    struct random random = {7};
    struct num_step step = limits(&random, false);
    cr_expect(!float_step(&step, 0));
    cr_expect(!float_step(&step, -1));
    cr_expect(!float_step(&step, INFINITY));
    cr_expect(!float_step(&step, NAN));
    cr_expect(!float_step(&step, 0x1p40F));
}

static float some_scale(struct random *random)
{
    return (float)exp2((double)random_below(random, 400) / 100 - 6);
}

static struct float_join some_join(struct random *random, enum num_joining joining, bool no_sign)
{
    const int low = no_sign ? 0 : -128;
    const float a = some_scale(random), b = some_scale(random);
    return (struct float_join){.joining = joining,
                               .has_no_sign = no_sign,
                               .a_zero = low + (int)random_below(random, 256),
                               .b_zero = low + (int)random_below(random, 256),
                               .a_scale = a,
                               .b_scale = b,
                               .y_scale = joining == NUM_ADD ? a + b / 2 : a * b * 1000 * some_scale(random)};
}

/* Whether there is a multiplier; with it all pairs are the same. */
static bool joins(const struct float_join *join, struct num_step limits)
{
    struct num_join found = {.step = limits};
    const int low = join->has_no_sign ? 0 : -128;
    if (!float_join(&found, join))
        return false;
    for (int a = low; a < low + 256; a++)
        for (int b = low; b < low + 256; b++) {
            const float result = float_join_result(join, a, b) + (float)limits.zero;
            const int code = (int)fmaxf(limits.low, fminf(limits.high, result));
            cr_assert_eq(num_join_apply(&found, a, b), code, "%d and %d: %d, not %d", a, b,
                         (int)num_join_apply(&found, a, b), code);
        }
    return true;
}

static void most_have_one(enum num_joining joining)
{
    enum { JOINS = 200 };
    struct random random = {8};
    unsigned found = 0;
    for (unsigned i = 0; i < JOINS; i++) {
        const struct float_join join = some_join(&random, joining, i % 2);
        found += joins(&join, limits(&random, i % 2));
    }
    cr_expect_geq(found, JOINS * 95 / 100, "%u of %d", found, JOINS);
}

Test(host_net_float_step, a_multiplier_gives_what_sums_give_in_float)
{
    most_have_one(NUM_ADD);
}

Test(host_net_float_step, a_multiplier_gives_what_products_give_in_float)
{
    most_have_one(NUM_MULTIPLY);
}

/* The product of the scales is near to 100 times that of the result, so 50 is near to a half: floats give
 * one or the other, and no multiplier does. */
Test(host_net_float_step, floats_that_contradict_each_other_have_none)
{
    const struct float_join join = {
        .joining = NUM_MULTIPLY, .a_scale = 0.7F, .b_scale = 0.3F, .y_scale = 0.7F * 0.3F * 100};
    struct random random = {9};
    cr_expect(!joins(&join, limits(&random, false)));
}
