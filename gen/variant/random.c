/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes random legal variants for tests and lint sweeps. The generator uses integers only, with the random
 * numbers, so that a seed gives the same variant on every machine.
 */
#include <stdio.h>
#include <string.h>

#include "gen/base/random.h"
#include "gen/variant/keys.h"

enum { RANDOM_PES_MAX = 64 };

/* 0..count-1 */
static unsigned below(struct random *state, unsigned count)
{
    return (unsigned)((random_next(state) >> 32) * count >> 32);
}

/* One in four is an end of the range, where degenerate sizes are; the others spread evenly over orders of
 * magnitude above min, because a uniform choice would rarely be small. */
static unsigned from_range(struct random *state, unsigned min, unsigned max)
{
    unsigned span = max - min;
    if (below(state, 4) == 0)
        return below(state, 2) ? min : max;
    unsigned bits = below(state, variant_bits_for(span + 1) + 1);
    unsigned above = below(state, 1u << bits);
    return min + (above < span ? above : span);
}

static unsigned random_value(struct random *state, const struct variant_key *key)
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
    struct random states[] = {{seed}, {~seed}, {seed ^ 0x5851F42D4C957F2Du}};
    *out = (struct variant){0};
    do {
        for (size_t i = 0; i < variant_key_count; i++)
            if (variant_keys[i].kind != KEY_IDENTIFIER && !variant_keys[i].undrawn)
                variant_set(out, &variant_keys[i], random_value(&states[state_of(i)], &variant_keys[i]));
    } while (!wanted(out)); /* legal ones are not rare: a test counts on a thousand of them */
    snprintf(out->name, sizeof out->name, "random_%llu", (unsigned long long)seed);
}
