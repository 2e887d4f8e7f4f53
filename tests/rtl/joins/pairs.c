/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what the bench of tulle_join_lanes plays: scales, and chunks of pairs with the results that must
 * come of them (sim/numerics/join.h), modulo 2^ACC. A line is a kind (of enum line) and hexadecimal numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/base/random.h"
#include "sim/numerics/join.h"

#define CHUNKS 24 /* of a scale */
#define LANES_MOST 16

enum line {
    LINE_END,
    LINE_SCALE, /* zero points, multiplier, shift, scale_first, fraction_15, join, alone, two_steps */
    LINE_PAIRS  /* the first operands, the last lane's at first; the second ones; the results */
};

static struct random dice;

static unsigned below(unsigned limit)
{
    return (unsigned)random_below(&dice, limit);
}

/* Powers of two and their neighbours meet the middle between two results, where roundings differ. */
static int32_t operand(void)
{
    const int32_t power = (int32_t)(1u << below(15)), near = power + (int32_t)below(3) - 1;
    switch (below(4)) {
    case 0:
        return below(2) ? near : -near;
    case 1:
        return (int8_t)below(256);
    case 2:
        return below(2) ? INT16_MIN : INT16_MAX;
    default:
        return (int16_t)below(1u << 16);
    }
}

static int32_t multiplier(void)
{
    const unsigned kind = below(3), near = below(64);
    return (int32_t)(kind == 0   ? (1u << 30) + near
                     : kind == 1 ? INT32_MAX - near
                                 : 1u << 30 | below(1u << 30));
}

/* From the last lane on, in as many bits each. */
static void put_lanes(const int64_t *value, unsigned lanes, unsigned bits)
{
    putchar(' ');
    for (unsigned d = (lanes * bits + 3) / 4; d-- > 0;) {
        unsigned digit = 0;
        for (unsigned b = 0; b < 4; b++) {
            const unsigned at = 4 * d + b;
            digit |= at < lanes * bits ? (unsigned)(value[at / bits] >> at % bits & 1) << b : 0;
        }
        putchar("0123456789abcdef"[digit]);
    }
}

static void put_pairs(const struct num_join *join, unsigned lanes, unsigned acc)
{
    int64_t first[LANES_MOST], second[LANES_MOST], result[LANES_MOST];
    for (unsigned l = 0; l < lanes; l++) {
        first[l] = operand();
        second[l] = operand();
        result[l] = num_join(join, (int32_t)first[l], (int32_t)second[l]);
    }
    printf("%d", LINE_PAIRS);
    put_lanes(first, lanes, 16);
    put_lanes(second, lanes, 16);
    put_lanes(result, lanes, acc);
    putchar('\n');
}

static void put_scale(unsigned lanes, unsigned acc)
{
    const bool scale_first = below(2), fraction_15 = below(2), alone = below(2), two_steps = below(2);
    const unsigned left = fraction_15 ? 15 : 20;
    const int32_t zeros[2] = {operand(), operand()};
    const struct num_operand scaled = {0, multiplier(), left, 31 + below(fraction_15 ? 11 : 16)},
                             halved = {0, 1 << 30, left, 31};
    struct num_join join = {.joining = below(NUM_JOININGS),
                            .a = scale_first ? scaled : halved,
                            .b = scale_first ? halved : scaled,
                            .step.rounding = two_steps ? NUM_TWO_STEPS : NUM_HALVES_UP};
    join.a.zero = alone ? zeros[0] : 0;
    join.b.zero = zeros[1];
    printf("%d %x %x %" PRIx32 " %x %d %d %d %d %d\n", LINE_SCALE, (uint16_t)zeros[0], (uint16_t)zeros[1],
           (uint32_t)scaled.multiplier, scaled.shift, scale_first, fraction_15, join.joining, alone,
           two_steps);
    for (unsigned i = 0; i < CHUNKS; i++)
        put_pairs(&join, lanes, acc);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("usage: pairs LANES ACC SEED SCALES\n", stderr);
        return 2;
    }
    const unsigned lanes = (unsigned)atoi(argv[1]), acc = (unsigned)atoi(argv[2]);
    dice.state = strtoull(argv[3], NULL, 0);
    for (int n = atoi(argv[4]); n > 0; n--)
        put_scale(lanes, acc);
    printf("%d\n", LINE_END);
    return 0;
}
