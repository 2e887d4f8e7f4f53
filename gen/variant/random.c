/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes random legal variants for tests and sweeps: some spread over all values, others from the corners. The
 * generator uses integers only, with the random numbers, so that a seed gives the same variant on every
 * machine.
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

/* How many of the numbers of a set random variants have: the first ones. */
static unsigned numbers_drawn(const struct variant_key *key)
{
    unsigned count = (unsigned)key->count;
    while (key->most && key->numbers[count - 1] > key->most)
        count--;
    return count;
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

/* A state for each key, so that a new key leaves the values of the others as they are. */
static struct random state_for(uint64_t seed, const char *name)
{
    struct random state = {seed};
    for (; *name; name++)
        state.state = random_next(&state) ^ (unsigned char)*name;
    return state;
}

enum { A_MEMORY_IN = 8 };

/* Few variants have memories beside what all have: an activation bank takes the start of every job. */
static void draw_memory(uint64_t seed, const char *name, struct variant *out)
{
    const struct variant_key *key = variant_key_find(name);
    struct random state = state_for(seed, name);
    const struct variant without = *out;
    if (below(&state, A_MEMORY_IN) == 0)
        variant_set(out, key, key->numbers[below(&state, numbers_drawn(key))]);
    if (!wanted(out))
        *out = without;
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
    draw_memory(seed, "local_bytes", out);
    draw_memory(seed, "gather_lines", out);
    draw_memory(seed, "store_groups", out);
    snprintf(out->name, sizeof out->name, "random_%llu", (unsigned long long)seed);
}

/* ---- corners --------------------------------------------------------------------------------- */

enum { SHAPE_MAX = 16, CORNER_PASSES = 4, CORNERS_A_FEATURED = 16 };

/* Rows, clusters or PEs become 1 or the most, with few of the others, so that there are RANDOM_PES_MAX at
 * most. */
static void corner_shape(struct random *state, struct variant *out)
{
    unsigned *shape[] = {&out->n, &out->m, &out->k};
    unsigned which = below(state, 3), few = below(state, 3);
    *shape[which] = below(state, 3) ? SHAPE_MAX : 1;
    *shape[(which + 1) % 3] = 1u << few;
    *shape[(which + 2) % 3] = 1u << below(state, 3 - few);
}

/* All functions, and what random variants do not have, as far as it goes together: some need several others.
 */
static void all_features(struct variant *out)
{
    out->functions = (1u << VARIANT_FUNCTIONS) - 1;
    for (size_t i = 0; i < variant_key_count; i++) {
        const struct variant_key *key = &variant_keys[i];
        if (!key->undrawn)
            continue;
        variant_set(out, key,
                    key->kind == KEY_SET ? key->numbers[numbers_drawn(key) - 1] : (unsigned)key->count - 1);
        if (!wanted(out))
            variant_set(out, key, 0);
    }
}

/* The smallest or the largest value. */
static unsigned corner_value(struct random *state, const struct variant_key *key)
{
    const bool high = below(state, 2);
    switch (key->kind) {
    case KEY_RANGE:
    case KEY_POWER:
        return high ? key->max : key->min;
    case KEY_SET:
        return key->numbers[high ? numbers_drawn(key) - 1 : 0];
    case KEY_WORD: /* the words between the ends are no less of a corner */
        return below(state, (unsigned)key->count);
    case KEY_WORD_LIST:
        return high ? (1u << key->count) - 1 : 0;
    case KEY_IDENTIFIER:
        break;
    }
    return 0;
}

static bool is_shape(const struct variant_key *key)
{
    return !strcmp(key->name, "n") || !strcmp(key->name, "m") || !strcmp(key->name, "k");
}

/* Two keys of three go into their corner, each in one of the passes: what a rule forbids when a key comes
 * first, it may allow when that comes later. */
static void push(uint64_t seed, unsigned pass, struct variant *out)
{
    for (size_t i = 0; i < variant_key_count; i++) {
        const struct variant_key *key = &variant_keys[i];
        struct random state = state_for(seed, key->name);
        if (key->kind == KEY_IDENTIFIER || is_shape(key) || below(&state, CORNER_PASSES * 3 / 2) != pass)
            continue;
        unsigned before = variant_get(out, key);
        variant_set(out, key, corner_value(&state, key));
        if (!wanted(out))
            variant_set(out, key, before);
    }
}

void variant_corner(uint64_t seed, struct variant *out)
{
    struct random state = state_for(seed, "shape");
    do {
        variant_random(random_next(&state), out);
        corner_shape(&state, out);
    } while (!wanted(out));
    if (!below(&state, CORNERS_A_FEATURED))
        all_features(out);
    for (unsigned pass = 0; pass < CORNER_PASSES; pass++)
        push(seed, pass, out);
    snprintf(out->name, sizeof out->name, "corner_%llu", (unsigned long long)seed);
}
