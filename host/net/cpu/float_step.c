/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/cpu/float_step.h"

#include <math.h>

#include "sim/numerics/scale.h"

/* More places would not fit 64 bits, nor would larger sums. */
enum { SHIFT_MOST = 51, MULTIPLIER_BITS = 31 };
#define SUM_MOST (INT64_C(1) << 30)

double float_result(int64_t sum, float factor)
{
    return nearbyint((double)((float)sum * factor));
}

/* The first sum with that result or more. */
static int64_t first_sum(float factor, int n)
{
    const double near = ceil((n - 0.5) / (double)factor);
    if (fabs(near) > (double)SUM_MOST)
        return near < 0 ? -2 * SUM_MOST : 2 * SUM_MOST;
    int64_t sum = (int64_t)near;
    while (float_result(sum - 1, factor) >= n)
        sum--;
    while (float_result(sum, factor) < n)
        sum++;
    return sum;
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

struct bounds {
    int64_t low, high;
};

/* multiplier * a >= b */
static void bound_from_below(struct bounds *m, int64_t a, int64_t b)
{
    const int64_t quotient = !a ? 0 : a > 0 ? -floor_of(-b, a) : floor_of(b, a);
    if (a > 0 && quotient > m->low)
        m->low = quotient;
    if (a < 0 && quotient < m->high)
        m->high = quotient;
    if (!a && b > 0)
        m->high = m->low - 1;
}

/* Twice a product that reaches 2 n - 1 units gives n or more, where a half goes to the even one of n - 1 and
 * n. */
static void at_least(struct bounds *m, int n, unsigned shift, int64_t sum)
{
    bound_from_below(m, 2 * sum, (2 * (int64_t)n - 1) * (INT64_C(1) << shift) + (n & 1));
}

static void at_most(struct bounds *m, int n, unsigned shift, int64_t sum)
{
    bound_from_below(m, -2 * sum, (n & 1) - (2 * (int64_t)n + 1) * (INT64_C(1) << shift));
}

/* So many places that the multiplier has all of its bits; negative: the factor is too large. */
static int places_of(double factor)
{
    int exponent;
    (void)frexp(factor, &exponent);
    const int places = MULTIPLIER_BITS - exponent;
    return places < SHIFT_MOST ? places : SHIFT_MOST;
}

static bool set_within(struct num_step *step, const struct bounds *m, double factor)
{
    const double nearest = nearbyint(ldexp(factor, (int)step->shift));
    step->multiplier = (int32_t)fmax((double)m->low, fmin((double)m->high, nearest));
    step->rounding = NUM_HALVES_TO_EVEN;
    return m->low <= m->high;
}

bool float_step(struct num_step *step, float factor)
{
    struct bounds m = {1, INT32_MAX};
    if (!isfinite(factor) || factor <= 0 || places_of((double)factor) < 0)
        return false;
    step->shift = (unsigned)places_of((double)factor);
    for (int n = step->low - step->zero + 1; n <= step->high - step->zero && m.low <= m.high; n++) {
        const int64_t sum = first_sum(factor, n);
        if (sum > SUM_MOST || sum < -SUM_MOST)
            continue; /* no sum of 31 bits gets there */
        at_least(&m, n, step->shift, sum);
        at_most(&m, n - 1, step->shift, sum - 1);
    }
    return set_within(step, &m, (double)factor);
}

/* ---- two operands -------------------------------------------------------------------------------- */

enum { FRACTION_BITS = 20, CODES = 256, HALF = 1 << 30, HALF_SHIFT = 31 };

float float_join_result(const struct float_join *join, int64_t a, int64_t b)
{
    const float left = (float)(a - join->a_zero) * join->a_scale,
                right = (float)(b - join->b_zero) * join->b_scale;
    return nearbyintf((join->joining == NUM_MULTIPLY ? left * right : left + right) / join->y_scale);
}

static void set_operand(struct num_operand *operand, int32_t zero, double scale)
{
    int left;
    num_multiplier_of(scale, &operand->multiplier, &left);
    operand->zero = zero;
    operand->left = FRACTION_BITS;
    operand->shift = left > -32 ? (unsigned)(31 - left) : 63;
}

/* Operands at twice the larger scale, as devices take them; gives the factor of what they are joined to. */
static double set_operands(struct num_join *to, const struct float_join *join)
{
    const double a = (double)join->a_scale, b = (double)join->b_scale, twice = 2 * fmax(a, b);
    to->joining = join->joining;
    set_operand(&to->a, join->a_zero, a / twice);
    set_operand(&to->b, join->b_zero, b / twice);
    return join->joining == NUM_MULTIPLY ? a * b / (double)join->y_scale
                                         : ldexp(twice / (double)join->y_scale, -FRACTION_BITS);
}

static bool bound_pair(struct bounds *m, const struct num_join *to, const struct float_join *join, int a,
                       int b)
{
    const int low = to->step.low - to->step.zero, high = to->step.high - to->step.zero;
    const float result = float_join_result(join, a, b);
    const int64_t sum = num_join(to, a, b);
    const int n = result < (float)low ? low : result > (float)high ? high : (int)result;
    if (n > low)
        at_least(m, n, to->step.shift, sum);
    if (n < high)
        at_most(m, n, to->step.shift, sum);
    return m->low <= m->high;
}

static bool bound_pairs(struct bounds *m, const struct num_join *to, const struct float_join *join)
{
    const int first = join->has_no_sign ? 0 : INT8_MIN;
    bool ok = true;
    *m = (struct bounds){1, INT32_MAX};
    for (int pair = 0; ok && pair < CODES * CODES; pair++)
        ok = bound_pair(m, to, join, first + pair / CODES, first + pair % CODES);
    return ok;
}

/* Moves the multiplier of the operand that has one, by about a unit of its fraction for the largest number.
 */
static void move(struct num_join *to, int units)
{
    struct num_operand *operand = to->a.shift == HALF_SHIFT && to->a.multiplier == HALF ? &to->b : &to->a;
    const int64_t moved = operand->multiplier + units * (INT64_C(8) << (operand->shift - HALF_SHIFT));
    if (moved >= HALF && moved <= INT32_MAX)
        operand->multiplier = (int32_t)moved;
}

bool float_join(struct num_join *to, const struct float_join *join)
{
    static const int moves[] = {0, 1, -2, 3, -4, 5, -6, 7, -8}; /* to and fro */
    const size_t tries = join->joining == NUM_MULTIPLY ? 1 : sizeof moves / sizeof *moves;
    const double factor = set_operands(to, join);
    struct bounds m;
    if (!isfinite(factor) || factor <= 0 || places_of(factor) < 0)
        return false;
    to->step.shift = (unsigned)places_of(factor);
    to->step.rounding = NUM_HALVES_TO_EVEN;
    for (size_t i = 0; i < tries; i++) {
        move(to, moves[i]);
        if (bound_pairs(&m, to, join))
            return set_within(&to->step, &m, factor);
    }
    return false;
}
