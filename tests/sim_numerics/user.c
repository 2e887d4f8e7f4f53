/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's function, as long as it is the example: hard swish against real numbers. Whoever replaces the
 * function replaces this, too.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/sim_numerics/reference.h"

static long double hard_swish(long double x)
{
    const long double gate = fminl(fmaxl(x + 3, 0), 6);
    return x * gate / 6;
}

Test(user, hard_swish_of_every_argument)
{
    const struct num_step step = {.function = NUM_USER, .element = NUM_INT32};
    long double worst = 0;
    for (int32_t x = INT16_MIN; x <= INT16_MAX; x++) {
        long double wrong = fabsl((long double)num_apply(&step, x) - 4096 * hard_swish(x / 4096.0L));
        worst = fmaxl(worst, wrong);
    }
    cr_log_info("hard swish: %.3Lf ulp", worst);
    cr_assert(worst <= 0.75L, "%.3Lf units", worst);
}

Test(user, sums_beyond_are_limited)
{
    const int64_t beyond[] = {INT16_MAX, INT16_MAX + 1, INT32_MAX, INT64_MAX};
    struct num_step step = {.function = NUM_USER, .element = NUM_INT16};
    for (unsigned i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        cr_assert_eq(num_apply(&step, beyond[i]), INT16_MAX);
        cr_assert_eq(num_apply(&step, -beyond[i] - 1), 0);
    }
    step.element = NUM_INT8;
    cr_assert_eq(num_apply(&step, INT64_MAX), INT8_MAX);
    cr_assert_eq(num_apply(&step, -6144), INT8_MIN, "the lowest point, -3/8, is below int8");
}
