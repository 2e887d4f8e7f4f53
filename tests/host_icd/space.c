/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory, given out first fit: against a plain map of blocks.
 */
#include "host/icd/space.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

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

Test(space, against_a_plain_map)
{
    struct space s;
    struct random random = {7};
    unsigned char owner[64] = {0};
    uint64_t at[8] = {0};
    space_open(&s, MEMORY);
    for (unsigned turn = 0; turn < 20000; turn++) {
        unsigned who = (unsigned)random_below(&random, 8);
        if (at[who]) {
            space_give(&s, at[who]);
            for (unsigned i = 0; i < 64; i++)
                owner[i] = owner[i] == who + 1 ? 0 : owner[i];
            at[who] = 0;
            continue;
        }
        uint64_t bytes = 1 + random_below(&random, 20 * SPACE_BLOCK),
                 blocks = (bytes + SPACE_BLOCK - 1) / SPACE_BLOCK;
        unsigned first = 0, free = 0;
        for (unsigned i = 0; i < 64 && free < blocks; i++)
            free = owner[i] ? 0 : free + 1, first = i + 1 - free;
        enum space_status status = space_take(&s, bytes, &at[who]);
        cr_assert_eq(status, free >= blocks ? SPACE_OK : SPACE_FULL);
        if (status != SPACE_OK)
            continue;
        cr_assert_eq(at[who], SPACE_FIRST + (uint64_t)first * SPACE_BLOCK);
        memset(owner + first, (int)who + 1, blocks);
    }
    space_close(&s);
}
