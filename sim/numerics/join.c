/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/numerics/join.h"

/* So many bits that a sum of two fits 64. */
#define SCALED_BITS 62

static int64_t scaled(const struct num_operand *operand, int32_t x, enum num_rounding rounding)
{
    const int64_t widened = ((int64_t)x - operand->zero) * ((int64_t)1 << operand->left);
    return num_saturate(num_scale(widened, operand->multiplier, operand->shift, rounding), SCALED_BITS);
}

static int64_t product(const struct num_join *join, int32_t a, int32_t b)
{
    int64_t result;
    const int64_t left = (int64_t)a - join->a.zero, right = (int64_t)b - join->b.zero;
    if (!__builtin_mul_overflow(left, right, &result))
        return result;
    return (left < 0) == (right < 0) ? INT64_MAX : INT64_MIN;
}

int64_t num_join(const struct num_join *join, int32_t a, int32_t b)
{
    const enum num_rounding rounding = join->step.rounding == NUM_TWO_STEPS ? NUM_TWO_STEPS : NUM_HALVES_UP;
    if (join->joining == NUM_MULTIPLY)
        return product(join, a, b);
    const int64_t left = scaled(&join->a, a, rounding), right = scaled(&join->b, b, rounding);
    return join->joining == NUM_SUBTRACT ? left - right : left + right;
}

int64_t num_join_apply(const struct num_join *join, int32_t a, int32_t b)
{
    return num_apply(&join->step, num_join(join, a, b));
}

int64_t num_mean(int64_t sum, int64_t count)
{
    const int64_t below = sum / count, rest = sum % count;
    const bool further = 2 * (rest < 0 ? -rest : rest) >= count;
    return below + (further ? (sum < 0 ? -1 : 1) : 0);
}
