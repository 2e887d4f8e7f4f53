/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_numerics/reference.h"

int64_t operand_signed(struct random *from, unsigned bits)
{
    int64_t top = (int64_t)(two_to(bits - 1) - 1);
    switch (random_below(from, 10)) {
    case 0:
        return top;
    case 1:
        return -top - 1;
    case 2:
        return (int64_t)random_below(from, 5) - 2;
    case 3: /* around a power of two */
        return reference_saturate(two_to(random_below(from, bits)) + random_below(from, 3) - 1, bits);
    default:
        return reference_wrap((big)random_next(from), 1 + random_below(from, bits));
    }
}

/* Tables begin anywhere in this. */
static const char lookup[] = "The quick brown fox jumps over the lazy dog. \200\377\177 Pack my box with "
                             "five dozen liquor jugs. \001\376 "
                             "How vexingly quick daft zebras jump! \215 Sphinx of black quartz, judge my "
                             "vow. Two driven jocks help fax my "
                             "big quiz. \303 The five boxing wizards jump quickly. Jackdaws love my big "
                             "sphinx of quartz. \240 Glib jocks "
                             "quiz nymph to vex dwarf. \221 Waltz, bad nymph, for quick jigs vex. \311 Quick "
                             "zephyrs blow, vexing daft Jim. "
                             "Bright vixens jump; dozy fowl quack. \266 Amazingly few discotheques provide "
                             "jukeboxes. \232 My girl wove six "
                             "dozen plaid jackets before she quit.";
_Static_assert(sizeof lookup >= 512, "a table that begins at 255 ends in it");

struct num_step operand_step(struct random *from)
{
    return (struct num_step){.function = (enum num_function)random_below(from, NUM_FUNCTIONS),
                             .element = (enum num_element)random_below(from, 4),
                             .shift = random_below(from, 64),
                             .multiplier = (int32_t)operand_signed(from, 32),
                             .low = (int16_t)operand_signed(from, 16),
                             .high = (int16_t)operand_signed(from, 16),
                             .zero = (int16_t)operand_signed(from, 16),
                             .slope = (int16_t)operand_signed(from, 16),
                             .lookup = (const int8_t *)lookup + random_below(from, 256)};
}

big two_to(unsigned exponent)
{
    big value = 1;
    while (exponent--)
        value *= 2;
    return value;
}

big reference_floor(big dividend, big divisor)
{
    big quotient = dividend / divisor;
    return dividend % divisor < 0 ? quotient - 1 : quotient;
}

int64_t reference_wrap(big value, unsigned width)
{
    big modulus = two_to(width), half = two_to(width - 1);
    return (int64_t)(value - reference_floor(value + half, modulus) * modulus);
}

int64_t reference_saturate(big value, unsigned bits)
{
    big low = -two_to(bits - 1), high = two_to(bits - 1) - 1;
    return (int64_t)(value < low ? low : value > high ? high : value);
}

enum half { HALF_UP, HALF_EVEN, HALF_AWAY };

/* The nearest number to dividend / divisor; `half` says which of two that are as near. */
static big nearest(big dividend, big divisor, enum half half)
{
    const big below = reference_floor(dividend, divisor), rest = dividend - below * divisor;
    if (2 * rest != divisor)
        return below + (2 * rest > divisor);
    switch (half) {
    case HALF_EVEN:
        return below % 2 ? below + 1 : below;
    case HALF_AWAY:
        return dividend < 0 ? below : below + 1;
    case HALF_UP:
        break;
    }
    return below + 1;
}

int64_t reference_scale(int64_t value, int32_t multiplier, unsigned shift, enum num_rounding rounding)
{
    const big product = (big)value * multiplier;
    if (rounding == NUM_TWO_STEPS && shift >= 31)
        return reference_saturate(
            nearest(nearest(product, two_to(31), HALF_UP), two_to(shift - 31), HALF_AWAY), 64);
    return reference_saturate(
        nearest(product, two_to(shift), rounding == NUM_HALVES_TO_EVEN ? HALF_EVEN : HALF_UP), 64);
}

static int64_t reference_curve(const struct num_step *step, int64_t acc)
{
    int64_t x = reference_saturate(reference_scale(acc, step->multiplier, step->shift, step->rounding), 16);
    /* The curves themselves are held against the real functions in curves.c. */
    int64_t y = step->function == NUM_TANH ? num_tanh((int32_t)x) : num_sigmoid((int32_t)x);
    return step->element == NUM_INT8 ? (int64_t)reference_floor((big)y + 128, 256) : y;
}

static int64_t reference_function(const struct num_step *step, int64_t acc)
{
    big value = acc;
    switch (step->function) {
    case NUM_RELU:
        return acc > 0 ? acc : 0;
    case NUM_LEAKY_RELU:
        return acc >= 0 ? acc : reference_scale(acc, step->slope, 15, step->rounding);
    case NUM_REQUANTISE:
    case NUM_AVERAGE:
        value = (big)reference_scale(acc, step->multiplier, step->shift, step->rounding) + step->zero;
        __attribute__((fallthrough));
    case NUM_CLAMP:
        /* The lower limit counts where limits contradict each other. */
        if (value < step->low)
            return step->low;
        return value > step->high ? step->high : (int64_t)value;
    case NUM_SIGMOID:
    case NUM_TANH:
        return reference_curve(step, acc);
    case NUM_LOOKUP: {
        struct num_step before = *step;
        before.function = NUM_REQUANTISE;
        return step->lookup[(reference_saturate(reference_function(&before, acc), 8) + 256) % 256];
    }
    case NUM_USER:
        return num_user(step, acc); /* held against what it is to be in user.c */
    default:
        return acc;
    }
}

int64_t reference_apply(const struct num_step *step, int64_t acc)
{
    int64_t value = reference_function(step, acc);
    static const unsigned bits[] = {8, 16, 32, 64};
    if (step->element == NUM_INT8 || step->element == NUM_INT16)
        return reference_saturate(value, bits[step->element]);
    return reference_wrap(value, bits[step->element]);
}
