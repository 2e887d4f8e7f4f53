/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that values share over their lifetimes, as in networks: chains with branches around some layers.
 * Those that meet lie apart, and all take at most 3 % more than what is needed at a time; one network in
 * eight, of sizes that fit each other badly, takes over 10 % more.
 */
#include <criterion/criterion.h>

#include "host/formats/random.h"
#include "host/operator/region.h"

enum { NETWORKS = 2000, VALUES = 60, SIZES = 40 };

/* Each value is read by the next layer, and some by a later one. */
static size_t draw(struct random *dice, struct region *regions)
{
    const size_t count = 2 + (size_t)random_below(dice, VALUES - 2);
    for (size_t i = 0; i < count; i++) {
        const size_t around = random_below(dice, 4) ? 0 : (size_t)random_below(dice, 4);
        regions[i] = (struct region){
            .bytes = (1 + random_below(dice, SIZES)) * REGION_ALIGN, .from = i, .to = i + 1 + around};
    }
    return count;
}

static uint64_t needed(const struct region *regions, size_t count)
{
    uint64_t most = 0;
    for (size_t step = 0; step <= VALUES + 4; step++) {
        uint64_t now = 0;
        for (size_t i = 0; i < count; i++)
            now += regions[i].from <= step && step <= regions[i].to ? regions[i].bytes : 0;
        most = now > most ? now : most;
    }
    return most;
}

static bool lie_apart(const struct region *a, const struct region *b)
{
    return a->to < b->from || b->to < a->from || a->base + a->bytes <= b->base ||
           b->base + b->bytes <= a->base;
}

Test(regions, take_little_more_than_is_needed_at_a_time)
{
    struct random dice = {1};
    struct region regions[VALUES];
    uint64_t place[VALUES], taken = 0, all = 0;
    unsigned tenth = 0;
    for (unsigned n = 0; n < NETWORKS; n++) {
        const size_t count = draw(&dice, regions);
        const uint64_t most = needed(regions, count);
        for (size_t i = 0; i < count; i++)
            regions[i].place = &place[i];
        const uint64_t end = region_place_all(regions, count);
        taken += end;
        all += most;
        cr_assert(end >= most);
        tenth += 10 * end > 11 * most;
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(*regions[i].place, regions[i].base);
            cr_assert(regions[i].base + regions[i].bytes <= end);
            for (size_t j = 0; j < i; j++)
                cr_assert(lie_apart(&regions[i], &regions[j]), "network %u", n);
        }
    }
    cr_log_info("%u of %u take over a tenth more; all take %.3f of what they need", tenth, NETWORKS,
                (double)taken / (double)all);
    cr_assert(100 * taken <= 103 * all);
    cr_assert(8 * tenth <= NETWORKS);
}
