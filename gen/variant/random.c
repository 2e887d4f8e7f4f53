/* SPDX-License-Identifier: Apache-2.0
 *
 * Random legal variants for tests and lint sweeps. Integers and an own
 * generator only, so that a seed means the same on every machine.
 */
#include <stdio.h>
#include <string.h>

#include "gen/variant/keys.h"

enum { RANDOM_PES_MAX = 64 };

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* 0..count-1 */
static unsigned below(uint64_t *state, unsigned count)
{
    return (unsigned)((next(state) >> 32) * count >> 32);
}

/* One in four is an end of the range, where degenerate sizes are; the others spread evenly over orders of
 * magnitude above min, because a uniform choice would rarely be small. */
static unsigned from_range(uint64_t *state, unsigned min, unsigned max)
{
    unsigned span = max - min;
    if (below(state, 4) == 0)
        return below(state, 2) ? min : max;
    unsigned bits = below(state, variant_bits_for(span + 1) + 1);
    unsigned above = below(state, 1u << bits);
    return min + (above < span ? above : span);
}

static unsigned random_value(uint64_t *state, const struct variant_key *key)
{
    switch (key->kind) {
    case KEY_RANGE:
        return from_range(state, key->min, key->max);
    case KEY_POWER:
        return key->min << below(state, variant_bits_for(key->max / key->min) + 1);
    case KEY_SET:
        return key->numbers[below(state, (unsigned)key->count)];
    case KEY_WORD:
        return below(state, (unsigned)key->count);
    case KEY_WORD_LIST:
        return below(state, 8) ? below(state, 1u << key->count) : 0;
    case KEY_IDENTIFIER:
        break;
    }
    return 0;
}

static bool wanted(const struct variant *variant)
{
    if (variant->n * variant->m * variant->k > RANDOM_PES_MAX)
        return false;
    for (size_t i = 0; i < variant_rule_count; i++)
        if (!variant_rule_holds(&variant_rules[i], variant))
            return false;
    return true;
}

/* Keys that there were not at first draw from states of their own, so that a seed keeps the other values. */
static unsigned state_of(size_t key)
{
    return variant_keys[key].optional ? 2 : !strcmp(variant_keys[key].name, "scatter");
}

void variant_random(uint64_t seed, struct variant *out)
{
    uint64_t states[] = {seed, ~seed, seed ^ 0x5851F42D4C957F2Du};
    *out = (struct variant){0};
    do {
        for (size_t i = 0; i < variant_key_count; i++)
            if (variant_keys[i].kind != KEY_IDENTIFIER)
                variant_set(out, &variant_keys[i], random_value(&states[state_of(i)], &variant_keys[i]));
    } while (!wanted(out)); /* legal ones are not rare: a test counts on a thousand of them */
    snprintf(out->name, sizeof out->name, "random_%llu", (unsigned long long)seed);
}
