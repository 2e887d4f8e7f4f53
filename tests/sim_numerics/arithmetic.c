/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrapping, saturating, scaling and the elements, against plain arithmetic.
 */
#include <criterion/criterion.h>

#include "tests/sim_numerics/reference.h"

#define ROUNDS 1000000

Test(arithmetic, wrap_is_the_value_modulo_two_to_the_width)
{
    struct random from = {1};
    for (unsigned i = 0; i < ROUNDS; i++) {
        int64_t value = operand_signed(&from, 64);
        unsigned width = 1 + random_below(&from, 64);
        cr_assert_eq(num_wrap(value, width), reference_wrap(value, width), "%lld in %u bits",
                     (long long)value, width);
    }
}

/* What makes the order of additions, and where partial sums are spilled, of no account. */
Test(arithmetic, wrapped_sums_do_not_depend_on_the_order)
{
    struct random from = {2};
    for (unsigned round = 0; round < 10000; round++) {
        unsigned width = 24 + random_below(&from, 41);
        int64_t forward = 0, backward = 0, terms[20];
        big exact = 0;
        for (unsigned i = 0; i < 20; i++)
            exact += terms[i] = operand_signed(&from, 64);
        for (unsigned i = 0; i < 20; i++) {
            forward = num_wrap((int64_t)((uint64_t)forward + (uint64_t)terms[i]), width);
            backward = num_wrap((int64_t)((uint64_t)backward + (uint64_t)terms[19 - i]), width);
        }
        cr_assert_eq(forward, backward);
        cr_assert_eq(forward, reference_wrap(exact, width));
    }
}

Test(arithmetic, saturate_keeps_what_fits_and_takes_the_nearest_otherwise)
{
    struct random from = {3};
    for (unsigned i = 0; i < ROUNDS; i++) {
        int64_t value = operand_signed(&from, 64);
        unsigned bits = 1 + random_below(&from, 64);
        cr_assert_eq(num_saturate(value, bits), reference_saturate(value, bits), "%lld in %u bits",
                     (long long)value, bits);
    }
}

static void scales_as_the_reference(enum num_rounding rounding)
{
    struct random from = {4 + rounding};
    for (unsigned i = 0; i < ROUNDS; i++) {
        int64_t value = operand_signed(&from, 64);
        int32_t multiplier = (int32_t)operand_signed(&from, 32);
        unsigned shift = random_below(&from, 64);
        /* Halves are rare otherwise. */
        if (random_chance(&from, 30)) {
            multiplier = (int32_t)(INT64_C(1) << random_below(&from, 31));
            value = (int64_t)((uint64_t)operand_signed(&from, 20) << random_below(&from, 20));
        }
        cr_assert_eq(num_scale(value, multiplier, shift, rounding),
                     reference_scale(value, multiplier, shift, rounding), "%lld * %d >> %u, rounding %d",
                     (long long)value, multiplier, shift, rounding);
    }
}

Test(arithmetic, scale_rounds_halves_up_and_saturates_to_64_bits)
{
    scales_as_the_reference(NUM_HALVES_UP);
}

Test(arithmetic, scale_rounds_halves_to_even)
{
    scales_as_the_reference(NUM_HALVES_TO_EVEN);
}

Test(arithmetic, scale_rounds_in_two_steps)
{
    scales_as_the_reference(NUM_TWO_STEPS);
}

Test(arithmetic, scale_at_the_corners)
{
    static const struct {
        int64_t value;
        int32_t multiplier;
        unsigned shift;
        int64_t up, even, steps;
    } corners[] = {
        {1, 1, 1, 1, 0, 1},  /* 1/2 */
        {-1, 1, 1, 0, 0, 0}, /* -1/2 */
        {3, 1, 1, 2, 2, 2},  /* 3/2 */
        {-3, 1, 1, -1, -2, -1} /* -3/2 */,
        {5, 7, 0, 35, 35, 35}, /* nothing is rounded without a shift */
        {-5, 1 << 30, 31, -2, -2, -2},
        {-5, 1 << 30, 32, -1, -1, -1},
        {-1, 1 << 30, 30, -1, -1, -1},
        {-2, 1 << 30, 32, 0, 0, -1}, /* -1/2, away from zero */
        {-6, 1 << 30, 32, -1, -2, -2},
        {-1, 1 << 30, 33, 0, 0, 0},
        {3, 1 << 30, 33, 0, 0, 1}, /* 3/8: 3/2 becomes 2 in the first step, 2/4 becomes 1 in the second */
        {INT64_MIN, INT32_MIN, 0, INT64_MAX, INT64_MAX, INT64_MAX},
        {INT64_MIN, INT32_MAX, 0, INT64_MIN, INT64_MIN, INT64_MIN},
        {INT64_MIN, INT32_MIN, 63, INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31},
        {INT64_MIN, 1, 63, -1, -1, -1},
        {INT64_MAX, -1, 63, -1, -1, -1},
    };
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        const int64_t value = corners[i].value;
        const int32_t multiplier = corners[i].multiplier;
        const unsigned shift = corners[i].shift;
        cr_assert_eq(num_scale(value, multiplier, shift, NUM_HALVES_UP), corners[i].up, "up, %zu", i);
        cr_assert_eq(num_scale(value, multiplier, shift, NUM_HALVES_TO_EVEN), corners[i].even, "even, %zu",
                     i);
        cr_assert_eq(num_scale(value, multiplier, shift, NUM_TWO_STEPS), corners[i].steps, "two steps, %zu",
                     i);
    }
}

Test(arithmetic, apply_does_what_the_document_says_for_every_step)
{
    struct random from = {5};
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        struct num_step step = operand_step(&from);
        int64_t acc = operand_signed(&from, 24 + random_below(&from, 41));
        cr_assert_eq(num_apply(&step, acc), reference_apply(&step, acc),
                     "function %d element %d shift %u multiplier %d low %d high %d zero %d slope %d of %lld",
                     step.function, step.element, step.shift, step.multiplier, step.low, step.high, step.zero,
                     step.slope, (long long)acc);
    }
}

/* With a monotone curve and a positive multiplier, more in is never less out: rounding and saturation do not
 * break that. */
Test(arithmetic, functions_are_monotone)
{
    struct random from = {6};
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct num_step step = operand_step(&from);
        step.multiplier = step.multiplier < 0 ? -(step.multiplier + 1) : step.multiplier;
        step.slope = (int16_t)(step.slope < 0 ? -(step.slope + 1) : step.slope);
        /* int32 wraps, limits that contradict each other cross, and the user's function and tables are
         * anything. */
        if (step.element == NUM_INT32 || step.low > step.high || step.function >= NUM_USER)
            continue;
        int64_t a = operand_signed(&from, 48), b = a + (int64_t)random_below(&from, 1000000);
        cr_assert_leq(num_apply(&step, a), num_apply(&step, b), "function %d", step.function);
    }
}

Test(arithmetic, elements_are_little_endian_and_come_back)
{
    struct random from = {7};
    uint8_t bytes[16];
    for (unsigned i = 0; i < ROUNDS; i++) {
        enum num_element element = (enum num_element)random_below(&from, 4);
        unsigned size = num_element_bytes(element), at = random_below(&from, 8);
        int64_t value = operand_signed(&from, 64), expected = reference_wrap(value, 8 * size);
        for (unsigned b = 0; b < sizeof bytes; b++)
            bytes[b] = 0xA5;
        num_put_element(bytes + at, element, value);
        cr_assert_eq(num_get_element(bytes + at, element), expected);
        cr_assert_eq(bytes[at], (uint8_t)(expected & 255), "the lowest byte comes first");
        for (unsigned b = 0; b < sizeof bytes; b++)
            cr_assert(bytes[b] == 0xA5 || (b >= at && b < at + size), "byte %u was written", b);
    }
}

Test(arithmetic, rows_of_results_are_narrowed_one_by_one)
{
    struct random from = {8};
    for (unsigned round = 0; round < 1000; round++) {
        enum num_element element = (enum num_element)random_below(&from, 4);
        const struct num_step narrow = {.function = NUM_NONE, .element = element};
        int64_t values[20];
        uint8_t bytes[20 * 8];
        for (unsigned i = 0; i < 20; i++)
            values[i] = operand_signed(&from, 64);
        const unsigned size = num_element_bytes(element);
        num_put_elements(bytes, element, false, values, 20);
        for (unsigned i = 0; i < 20; i++)
            cr_assert_eq(num_get_element(bytes + i * size, element), reference_apply(&narrow, values[i]));
        if (element > NUM_INT16)
            continue;
        num_put_elements(bytes, element, true, values, 20);
        for (unsigned i = 0; i < 20; i++)
            cr_assert_eq((unsigned)(bytes[i * size] | (size > 1 ? bytes[i * size + 1] << 8 : 0)),
                         reference_apply(&narrow, values[i]) + (1 << (8 * size - 1)));
    }
}

/* TFLite's factors: 31 bits and two steps for sums of 32 bits, 15 bits, rounded, and one step for sums of 64.
 */
Test(arithmetic, factors_of_tflite)
{
    struct num_step step = {.zero = 7};
    num_set_scale(&step, 0x40008000, -1, false);
    cr_assert(step.multiplier == 0x40008000 && step.shift == 32 && step.rounding == NUM_TWO_STEPS &&
              step.zero == 7);
    num_set_scale(&step, 0x40008000, -1, true);
    cr_assert(step.multiplier == 0x4001 && step.shift == 16 && step.rounding == NUM_HALVES_UP);
    num_set_scale(&step, 0x40007FFF, 15, true);
    cr_assert(step.multiplier == 0x4000 && step.shift == 0);
    num_set_scale(&step, INT32_MAX, 0, true);
    cr_assert(step.multiplier == 0x7FFF && step.shift == 15);
}
