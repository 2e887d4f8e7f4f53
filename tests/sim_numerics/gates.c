/* SPDX-License-Identifier: Apache-2.0
 *
 * The gates of recurrent layers against the real functions, and their table against its formula.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "sim/numerics/gate.h"
#include "sim/numerics/gate_table.h"

static long double logistic(long double x)
{
    return 1 / (1 + expl(-x));
}

Test(gates, the_table_is_made_as_documented)
{
    const long double step = 1.0L / 24;
    for (unsigned i = 0; i < 255; i++) {
        const long double x = i * step, chord = (logistic(x) + logistic(x + step)) / 2;
        const long double lifted = logistic(x) + (logistic(x + step / 2) - chord) / 2;
        cr_assert_eq(gate_knots[i], (uint16_t)floorl(65536 * lifted + 0.5L), "entry %u", i);
    }
    cr_assert_eq(gate_knots[255], 65535);
}

/* The largest errors, in units of 2^-15, over all arguments of a power. */
static void errors(int power, long double *sigmoid, long double *tangent)
{
    *sigmoid = *tangent = 0;
    for (int32_t x = INT16_MIN; x <= INT16_MAX; x++) {
        const long double real = ldexpl(x, power);
        const int32_t s = num_gate_sigmoid(x, power), t = num_gate_tanh(x, power);
        cr_assert(s >= 0 && s <= INT16_MAX && t >= INT16_MIN && t <= INT16_MAX, "x = %d", x);
        *sigmoid = fmaxl(*sigmoid, fabsl(s - 32768 * logistic(real)));
        *tangent = fmaxl(*tangent, fabsl(t - 32768 * tanhl(real)));
    }
}

Test(gates, errors_are_the_documented_ones)
{
    static const struct {
        int power;
        long double sigmoid, tangent;
    } cases[] = {{-12, 1.017L, 1.477L}, {-15, 1.199L, 2.442L}, {-9, 1.017L, 1.287L}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        long double sigmoid, tangent;
        errors(cases[i].power, &sigmoid, &tangent);
        cr_log_info("power %d: sigmoid %.3Lf ulp, tanh %.3Lf ulp", cases[i].power, sigmoid, tangent);
        cr_assert(sigmoid <= cases[i].sigmoid && tangent <= cases[i].tangent, "power %d: %.3Lf and %.3Lf",
                  cases[i].power, sigmoid, tangent);
    }
}

Test(gates, arguments_keep_their_sign)
{
    cr_assert_eq(num_gate_tanh(0, -12), 0);
    cr_assert_eq(num_gate_sigmoid(0, -12), 16384);
    cr_assert_eq(num_gate_tanh(INT16_MIN, 0), -32767);
    cr_assert_eq(num_gate_tanh(INT16_MAX, 0), 32767);
    cr_assert_eq(num_gate_tanh(INT16_MAX, -30), 0);
    cr_assert_eq(num_gate_sigmoid(INT16_MIN, 0), 1);
    cr_assert_eq(num_gate_sigmoid(INT16_MAX, 0), 32767);
}
