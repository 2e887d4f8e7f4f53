/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/random.h"

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint64_t random_below(struct random *random, uint64_t below)
{
    /* What is left over at the end of the range would make small numbers likelier. */
    const uint64_t left_over = (UINT64_MAX - below + 1) % below;
    uint64_t value = random_next(random);
    while (value < left_over)
        value = random_next(random);
    return value % below;
}

int8_t random_non_zero(struct random *random)
{
    const int value = (int)random_below(random, 255) - 128;
    return (int8_t)(value < 0 ? value : value + 1);
}

/* With q = 1 - density, a gap of g has probability q^g x density; the bits of such a number are independent,
 * bit b being 1 with probability p / (1 + p) where p = q^(2^b). Only operations that IEEE 754 defines to the
 * last bit are used, so that no mathematical library has a say. */
struct random_gap random_gap_of(double density)
{
    struct random_gap gap = {.bits = 0};
    double p = 1 - density;
    for (; gap.bits < 63 && p >= 1.0 / 18446744073709551616.0; gap.bits++) {
        gap.threshold[gap.bits] = (uint64_t)(p / (1 + p) * 18446744073709551616.0);
        p *= p;
    }
    return gap;
}

uint64_t random_place(struct random *random, const struct random_gap *gap, uint64_t from, uint64_t end)
{
    uint64_t places = 0;
    for (unsigned b = 0; b < gap->bits; b++)
        places |= (uint64_t)(random_next(random) < gap->threshold[b]) << b;
    return places < end - from ? from + places : end;
}
