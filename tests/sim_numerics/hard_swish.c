/* SPDX-License-Identifier: Apache-2.0
 *
 * Hard-swish against the real function.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "gen/base/random.h"
#include "sim/numerics/hard_swish.h"

/* 15 fraction bits and an exponent, as TFLite has them. */
static int16_t parts(long double factor, int *exponent)
{
    const long double mantissa = frexpl(factor, exponent);
    return (int16_t)num_short_multiplier((int32_t)fminl(roundl(ldexpl(mantissa, 31)), INT32_MAX));
}

static struct num_hard_swish of_scales(long double in, int32_t zero, long double out, int16_t result_zero)
{
    int down;
    struct num_hard_swish how = {.zero = zero, .result_zero = result_zero, .low = INT8_MIN, .high = INT8_MAX};
    how.result = parts(in / 128 / out, &down);
    how.result_shift = (unsigned)-down;
    how.three = parts(in / 128 / (3 / 32768.0L), &how.three_shift);
    return how;
}

static long double real(long double x)
{
    return x * fminl(fmaxl(x + 3, 0), 6) / 6;
}

Test(hard_swish, is_near_the_real_function)
{
    struct random random = {11};
    long double most = 0;
    for (int round = 0; round < 2000; round++) {
        const long double in = ldexpl((long double)random_range(&random, 4, 400), -10),
                          out = in * ((long double)random_range(&random, 40, 200) / 100);
        const int32_t zero = (int32_t)random_below(&random, 256) - 128;
        const struct num_hard_swish how =
            of_scales(in, zero, out, (int16_t)(random_below(&random, 100) - 50));
        for (int32_t x = INT8_MIN; x <= INT8_MAX; x++) {
            const long double want = real((x - zero) * in) / out + how.result_zero;
            most = fmaxl(most, fabsl(num_hard_swish(&how, x) - fminl(fmaxl(want, INT8_MIN), INT8_MAX)));
        }
    }
    cr_log_info("%.3Lf ulp", most);
    cr_assert(most <= 0.513L, "%.3Lf", most);
}

Test(hard_swish, the_ends_are_a_line_and_the_zero_point)
{
    const struct num_hard_swish how = of_scales(1 / 16.0L, 10, 1 / 16.0L, -20);
    cr_assert_eq(num_hard_swish(&how, 10), -20);
    cr_assert_eq(num_hard_swish(&how, -128), -20);
    cr_assert_eq(num_hard_swish(&how, 127), 97);
    cr_assert_eq(num_short_multiplier(INT32_MAX), 32767);
}
