/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory, given out first fit: against a plain map of blocks, and in numbers.
 */
#include "host/icd/space.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/formats/random.h"

#define MEMORY (SPACE_FIRST + 64 * SPACE_BLOCK)

Test(space, blocks_of_their_size)
{
    struct space s;
    uint64_t a, b, c;
    space_open(&s, MEMORY + 100);
    cr_assert_eq(space_most(MEMORY + 100), 64 * SPACE_BLOCK);
    cr_assert_eq(space_most(SPACE_FIRST), 0);
    cr_assert_eq(space_take(&s, 1, &a), SPACE_OK);
    cr_assert_eq(space_take(&s, SPACE_BLOCK + 1, &b), SPACE_OK);
    cr_assert_eq(a, SPACE_FIRST);
    cr_assert_eq(b, a + SPACE_BLOCK);
    space_give(&s, a);
    cr_assert_eq(space_take(&s, SPACE_BLOCK + 1, &c), SPACE_OK);
    cr_assert_eq(c, b + 2 * SPACE_BLOCK, "the hole is too small");
    cr_assert_eq(space_take(&s, 7, &c), SPACE_OK);
    cr_assert_eq(c, a, "and is found by what fits");
    cr_assert_eq(space_take(&s, 0, &c), SPACE_FULL);
    cr_assert_eq(space_take(&s, UINT64_MAX, &c), SPACE_FULL);
    cr_assert_eq(space_take(&s, 64 * SPACE_BLOCK, &c), SPACE_FULL);
    space_give(&s, 12345);
    space_close(&s);
}

/* ---- against a map of blocks ----------------------------------------------------------------------- */

#define BLOCKS_MAX 4096
#define OWNERS_MAX 1024

struct map {
    struct space space;
    struct random random;
    unsigned blocks, owners, largest; /* most blocks that are taken at once */
    uint64_t at[OWNERS_MAX];          /* 0: has nothing */
    unsigned taken[OWNERS_MAX];       /* blocks */
    bool used[BLOCKS_MAX];
    unsigned refused;
};

/* The first free range of the map; `blocks`: there is none. */
static unsigned first_fit(const struct map *m, unsigned wanted)
{
    unsigned run = 0;
    for (unsigned i = 0; i < m->blocks; i++) {
        run = m->used[i] ? 0 : run + 1;
        if (run == wanted)
            return i + 1 - wanted;
    }
    return m->blocks;
}

static void give_back(struct map *m, unsigned who)
{
    if (!m->at[who])
        return;
    space_give(&m->space, m->at[who]);
    memset(m->used + (m->at[who] - SPACE_FIRST) / SPACE_BLOCK, 0, m->taken[who]);
    m->at[who] = 0;
}

/* False when the space does not answer as the map does. */
static bool take_as_the_map(struct map *m, unsigned who)
{
    uint64_t bytes = 1 + random_below(&m->random, (uint64_t)m->largest * SPACE_BLOCK), address = 0;
    unsigned wanted = (unsigned)((bytes + SPACE_BLOCK - 1) / SPACE_BLOCK), first = first_fit(m, wanted);
    enum space_status status = space_take(&m->space, bytes, &address);
    if (first == m->blocks) {
        m->refused++;
        return status == SPACE_FULL;
    }
    m->at[who] = address;
    m->taken[who] = wanted;
    memset(m->used + first, 1, wanted);
    return status == SPACE_OK && address == SPACE_FIRST + (uint64_t)first * SPACE_BLOCK;
}

/* Takes and gives at random, first mostly the one, then mostly the other. The first turn that is not as on
 * the map, or TURNS. */
#define TURNS 20000
static unsigned play(struct map *m)
{
    for (unsigned turn = 0; turn < TURNS; turn++) {
        unsigned who = (unsigned)random_below(&m->random, m->owners);
        if (m->at[who] || random_below(&m->random, 8) < turn / 4000)
            give_back(m, who);
        else if (!take_as_the_map(m, who))
            return turn;
    }
    return TURNS;
}

/* Everything is given back: it is one piece again. */
static bool is_whole_again(struct map *m)
{
    uint64_t address, rest;
    for (unsigned who = 0; who < m->owners; who++)
        give_back(m, who);
    return space_take(&m->space, (uint64_t)m->blocks * SPACE_BLOCK, &address) == SPACE_OK &&
           address == SPACE_FIRST && space_take(&m->space, 1, &rest) == SPACE_FULL;
}

/* Until the memory was full and is empty again. */
static bool is_as_the_map(unsigned blocks, unsigned owners, unsigned largest, uint64_t seed)
{
    static struct map m;
    m = (struct map){.random = {seed}, .blocks = blocks, .owners = owners, .largest = largest};
    space_open(&m.space, SPACE_FIRST + (uint64_t)blocks * SPACE_BLOCK);
    bool right = play(&m) == TURNS && m.refused && is_whole_again(&m);
    space_close(&m.space);
    return right;
}

Test(space, against_a_plain_map)
{
    const uint64_t seed = (uint64_t)time(NULL);
    cr_assert(is_as_the_map(64, 8, 20, 7));
    cr_assert(is_as_the_map(BLOCKS_MAX, OWNERS_MAX, 30, 8));
    cr_assert(is_as_the_map(BLOCKS_MAX - 1, 100, 200, seed), "seed %llu", (unsigned long long)seed);
}

/* With so many ranges and a hole beside each of them, one that walks the ranges would need
 * 10^10 steps of a list; twice, because what was given back must be found again. */
Test(space, many_ranges, .timeout = 60)
{
    enum { RANGES = 1 << 17 };
    struct space s;
    uint64_t address, one = SPACE_BLOCK;
    unsigned wrong = 0;
    space_open(&s, SPACE_FIRST + 4 * RANGES * one);
    for (unsigned turn = 0; turn < 2; turn++) {
        for (uint64_t i = 0; i < RANGES; i++)
            wrong += space_take(&s, 2 * one, &address) != SPACE_OK || address != SPACE_FIRST + 2 * i * one;
        for (uint64_t i = 0; i < RANGES; i += 2)
            space_give(&s, SPACE_FIRST + 2 * i * one);
        /* What fits no hole goes behind the last range, and what fits goes into the holes in their order. */
        for (uint64_t i = 0; i < RANGES / 2; i++)
            wrong += space_take(&s, 3 * one, &address) != SPACE_OK ||
                     address != SPACE_FIRST + (2 * RANGES + 3 * i) * one;
        for (uint64_t i = 0; i < RANGES; i++)
            wrong += space_take(&s, 1, &address) != SPACE_OK ||
                     address != SPACE_FIRST + (4 * (i / 2) + i % 2) * one;
        wrong += space_take(&s, RANGES / 2 * one + 1, &address) != SPACE_FULL;
        for (uint64_t i = 0; i < 4 * RANGES; i++)
            space_give(&s, SPACE_FIRST + (i * 0x9E3779B1 & (4 * RANGES - 1)) * one);
        cr_assert_eq(wrong, 0);
    }
    cr_assert_eq(space_take(&s, 4 * RANGES * one, &address), SPACE_OK);
    space_close(&s);
}
