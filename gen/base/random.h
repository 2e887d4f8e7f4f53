/* SPDX-License-Identifier: Apache-2.0
 *
 * The random numbers of the whole project. A seed gives the same numbers on
 * every machine, so that variants, operands and tests can be made again.
 */
#ifndef TULLE_GEN_RANDOM_H
#define TULLE_GEN_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Every value is a valid seed. */
struct random {
    uint64_t state;
};

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* 0 .. below - 1, below from 1 */
static inline uint64_t random_below(struct random *random, uint64_t below)
{
    /* The remainder at the end of the range would make small numbers likelier. */
    const uint64_t left_over = (UINT64_MAX - below + 1) % below;
    uint64_t value = random_next(random);
    while (value < left_over)
        value = random_next(random);
    return value % below;
}

/* low .. high */
static inline unsigned random_range(struct random *random, unsigned low, unsigned high)
{
    return low + (unsigned)random_below(random, (uint64_t)high - low + 1);
}

static inline bool random_chance(struct random *random, unsigned percent)
{
    return random_below(random, 100) < percent;
}

#endif
