/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins of two quantised numbers, and means, against plain arithmetic.
 */
#include <criterion/criterion.h>

#include "sim/numerics/join.h"
#include "tests/sim_numerics/reference.h"

#define ROUNDS 1000000

static struct num_operand random_operand(struct random *from)
{
    return (struct num_operand){.zero = (int32_t)operand_signed(from, 1 + (unsigned)random_below(from, 32)),
                                .multiplier = (int32_t)operand_signed(from, 32),
                                .left = random_range(from, 0, 31),
                                .shift = random_range(from, 0, 63)};
}

static struct num_join random_join(struct random *from)
{
    struct num_join join = {.joining = (enum num_joining)random_below(from, NUM_JOININGS),
                            .a = random_operand(from),
                            .b = random_operand(from),
                            .step = operand_step(from)};
    join.step.rounding = (enum num_rounding)random_below(from, NUM_ROUNDINGS);
    /* What a network has: a sum that is requantised, often not at its limits. */
    if (random_chance(from, 60)) {
        join.step.function = NUM_REQUANTISE;
        join.step.low = INT16_MIN;
        join.step.high = INT16_MAX;
        join.step.element = NUM_INT16;
    }
    return join;
}

static big reference_operand(const struct num_operand *operand, int32_t x, enum num_rounding rounding)
{
    const big widened = ((big)x - operand->zero) * two_to(operand->left);
    return reference_saturate(
        reference_scale((int64_t)widened, operand->multiplier, operand->shift, rounding), 62);
}

static int64_t reference_join(const struct num_join *join, int32_t a, int32_t b)
{
    const enum num_rounding rounding = join->step.rounding == NUM_TWO_STEPS ? NUM_TWO_STEPS : NUM_HALVES_UP;
    const big left = reference_operand(&join->a, a, rounding);
    const big right = reference_operand(&join->b, b, rounding);
    big joined = 0;
    switch (join->joining) {
    case NUM_SUBTRACT:
        joined = left - right;
        break;
    case NUM_MULTIPLY:
        joined = reference_saturate(((big)a - join->a.zero) * ((big)b - join->b.zero), 64);
        break;
    default:
        joined = left + right;
    }
    return reference_apply(&join->step, (int64_t)joined);
}

Test(join, does_what_the_document_says_for_every_join)
{
    struct random from = {20};
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        const struct num_join join = random_join(&from);
        const unsigned bits = random_range(&from, 1, 32);
        const int32_t a = (int32_t)operand_signed(&from, bits), b = (int32_t)operand_signed(&from, bits);
        cr_assert_eq(num_join_apply(&join, a, b), reference_join(&join, a, b),
                     "case %u: joining %d of %d and %d", i, join.joining, a, b);
    }
}

/* The operands of a network: 8 bits, 20 places to the left, and multipliers of 31 fraction bits below one. */
Test(join, does_what_the_document_says_for_operands_of_networks)
{
    struct random from = {21};
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct num_join join = random_join(&from);
        struct num_operand *operands[] = {&join.a, &join.b};
        for (unsigned o = 0; o < 2; o++)
            *operands[o] =
                (struct num_operand){.zero = (int32_t)random_range(&from, 0, 255) - 128,
                                     .multiplier = (int32_t)random_range(&from, 1u << 30, INT32_MAX),
                                     .left = 20,
                                     .shift = random_range(&from, 31, 40)};
        join.step.multiplier = (int32_t)random_range(&from, 1u << 30, INT32_MAX);
        join.step.shift = random_range(&from, 40, 55);
        const int32_t a = (int32_t)operand_signed(&from, 8), b = (int32_t)operand_signed(&from, 8);
        cr_assert_eq(num_join_apply(&join, a, b), reference_join(&join, a, b),
                     "case %u: joining %d of %d and %d", i, join.joining, a, b);
    }
}

/* Two tensors of one scale: the sum, difference and product can be told without a multiplier. */
Test(join, equal_scales_give_the_plain_result)
{
    struct num_join join = {.a = {.zero = -128, .multiplier = 1 << 30, .left = 20, .shift = 31},
                            .b = {.zero = -128, .multiplier = 1 << 30, .left = 20, .shift = 31},
                            .step = {.function = NUM_REQUANTISE,
                                     .element = NUM_INT16,
                                     .multiplier = 1 << 30,
                                     .shift = 49,
                                     .low = INT16_MIN,
                                     .high = INT16_MAX,
                                     .zero = 5,
                                     .rounding = NUM_TWO_STEPS}};
    for (int32_t a = -128; a < 128; a++)
        for (int32_t b = -128; b < 128; b++) {
            join.joining = NUM_ADD;
            cr_assert_eq(num_join_apply(&join, a, b), a + b + 256 + 5);
            join.joining = NUM_SUBTRACT;
            cr_assert_eq(num_join_apply(&join, a, b), a - b + 5);
        }
    join.joining = NUM_MULTIPLY;
    join.step.shift = 30;
    cr_assert_eq(num_join_apply(&join, 2, -3), 130 * 125 + 5);
}

/* ONNX's QLinearAdd of scales that are powers of two times one another, as a device with joins computes it:
 * one rounding of the real sum, halves to even. */
Test(join, sums_of_powers_of_two_round_once)
{
    struct random from = {23};
    for (unsigned i = 0; i < 40; i++) {
        const unsigned apart = random_range(&from, 0, 6), down = random_range(&from, 0, 8);
        const int zero_a = (int)random_range(&from, 0, 255) - 128,
                  zero_b = (int)random_range(&from, 0, 255) - 128;
        /* a has the larger scale, b's is 2^-apart of it, and the result's is 2^(down - apart) of it. */
        const struct num_join join = {
            .joining = NUM_ADD,
            .a = {.zero = zero_a, .multiplier = 1 << 30, .left = 20, .shift = 31},
            .b = {.zero = zero_b, .multiplier = 1 << 30, .left = 20, .shift = 31 + apart},
            .step = {.function = NUM_REQUANTISE,
                     .element = NUM_INT16,
                     .multiplier = 1 << 30,
                     .shift = 49 + down - apart,
                     .low = INT16_MIN,
                     .high = INT16_MAX,
                     .rounding = NUM_HALVES_TO_EVEN}};
        for (int a = -128; a < 128; a++)
            for (int b = -128; b < 128; b++) {
                const int sum = (a - zero_a) * (1 << apart) + (b - zero_b), unit = 1 << down,
                          below = sum >= 0 ? sum / unit : -((-sum + unit - 1) / unit),
                          twice = 2 * (sum - below * unit);
                const int nearest = below + (twice > unit || (twice == unit && (below & 1)));
                cr_assert_eq(num_join_apply(&join, a, b), nearest, "%d + %d, apart %u, down %u", a, b, apart,
                             down);
            }
    }
}

Test(join, means_round_halves_away_from_zero)
{
    struct random from = {22};
    for (unsigned i = 0; i < ROUNDS; i++) {
        const int64_t count = random_chance(&from, 50)
                                  ? random_range(&from, 1, 40)
                                  : 1 + (int64_t)(random_next(&from) >> random_range(&from, 2, 63));
        const int64_t sum = operand_signed(&from, random_range(&from, 1, 64));
        /* |2 sum| / (2 count), a half added to the magnitude. */
        const big magnitude = sum < 0 ? -(big)sum : sum;
        const big mean = (2 * magnitude + count) / (2 * (big)count);
        cr_assert_eq(num_mean(sum, count), (int64_t)(sum < 0 ? -mean : mean), "%lld / %lld", (long long)sum,
                     (long long)count);
    }
    cr_assert_eq(num_mean(5, 2), 3);
    cr_assert_eq(num_mean(-5, 2), -3);
    cr_assert_eq(num_mean(-4, 3), -1);
}
