/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights as bytes, nearly all there or behind masks: results of all plans, and which packets are plain or
 * bitmaps.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

#define PLANS 27

static struct plan_choice plan_number(unsigned i)
{
    return (struct plan_choice){
        .mapping = (enum plan_mapping)(i / 9),
        .split = {.rows = (enum plan_axis)(i / 3 % 3), .columns = (enum plan_axis)(i % 3)}};
}

static struct variant plain_variant(const char *name, const char *more)
{
    return variant_of(name, (const char *const[]){"plain_weights=on", more, NULL});
}

struct count {
    unsigned plain, bitmaps;
};

/* Plans of a problem; how many have plain packets and bitmaps. */
static struct count try_plans(struct problem *p, uint64_t seed, bool timed)
{
    struct count count = {0};
    int64_t *expected = problem_expected(p);
    for (unsigned i = 0; i < PLANS; i++) {
        const struct plan_choice choice = plan_number(i);
        struct plan plan = {0};
        char what[80], split[8];
        snprintf(what, sizeof what, "seed %llu: %s %s", (unsigned long long)seed,
                 plan_mapping_name(choice.mapping), plan_split_name(choice.split, split));
        if (!plan_why(plan_make(&p->d, &choice, &plan))) {
            (timed ? problem_time : problem_run)(p, &plan, expected, what);
            count.plain += plan.summary.plain > 0;
            count.bitmaps += plan.summary.bitmaps > 0;
        }
        plan_free(&plan);
    }
    free(expected);
    return count;
}

/* Sizes that fill neither the array nor a beat, on row buses of several widths. */
static void try_sizes(const struct variant *v, bool timed)
{
    unsigned plain = 0;
    const uint64_t count = FEWER_ROUNDS(20);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct random dice = {seed};
        struct problem p;
        problem_make(&p, &dice, v, PLAN_SPMM, random_range(&dice, 1, 9), random_range(&dice, 9, 200),
                     random_range(&dice, 1, 60), seed % 4 ? 100 : 90);
        p.v.plain_weights = 1;
        p.v.bitmap_weights = 0;
        plain += try_plans(&p, seed, timed).plain;
        problem_free(&p);
    }
    cr_expect_gt(plain, 5 * count, "%u of %u plans had plain packets", plain, (unsigned)count * PLANS);
}

Test(plain, products_of_all_plans_on_tiny)
{
    const struct variant v = plain_variant("tiny", NULL);
    try_sizes(&v, false);
}

Test(plain, products_with_five_pes)
{
    const struct variant v = plain_variant("odd", "row_bus_width=128");
    try_sizes(&v, false);
}

Test(plain, products_in_time)
{
    const struct variant v = plain_variant("base", NULL);
    try_sizes(&v, true);
}

static struct plan_summary summary_of(struct problem *p, const struct plan_choice *choice, uint64_t *bytes)
{
    struct plan plan = {0};
    cr_assert_null(plan_why(plan_make(&p->d, choice, &plan)));
    const struct plan_summary summary = plan.summary;
    *bytes = plan.weights.len;
    cr_expect_eq(plan.program.text[5], summary.plain || summary.bitmaps ? 2 : 1, "the lowest minor version");
    plan_free(&plan);
    return summary;
}

/* Where PEs are what limits, zeros among plain weights cost the time of the scan, which has some to spare. */
Test(plain, pruned_weights_stay_entries)
{
    const struct variant v = plain_variant("base", NULL);
    static const unsigned percents[] = {40, 60, 100};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        const unsigned percent = percents[i];
        struct random dice = {percent};
        struct problem p;
        uint64_t bytes;
        problem_make(&p, &dice, &v, PLAN_SPMM, 64, 256, 64, percent);
        p.v.plain_weights = 1;
        p.v.bitmap_weights = 0;
        p.d.channels = (struct plan_channels){0};
        const struct plan_summary s =
            summary_of(&p, &(struct plan_choice){.split = {PLAN_M, PLAN_M}}, &bytes);
        cr_expect_eq(s.plain, percent == 100 ? s.sets : 0, "%u %%: %u of %u", percent, s.plain, s.sets);
        problem_free(&p);
    }
}

/* 1 x 1 is a product; the places under larger windows have gaps, whose weights would be zeros. */
Test(plain, convolutions_of_a_pixel)
{
    const struct variant v = plain_variant("tiny", NULL);
    for (unsigned side = 1; side <= 2; side++) {
        struct plan_window w = problem_3x3(5, 6, 16);
        struct random dice = {side};
        struct problem p;
        uint64_t bytes;
        w.side_y = w.side_x = side;
        problem_convolution(&p, &dice, &v, &w, 1, 16, 100);
        p.v.plain_weights = 1;
        p.v.bitmap_weights = 0;
        const struct plan_summary s =
            summary_of(&p, &(struct plan_choice){.split = {PLAN_M, PLAN_N}}, &bytes);
        cr_expect_eq(s.plain > 0, side == 1);
        if (side == 1)
            cr_expect_gt(try_plans(&p, side, false).plain, 5);
        problem_free(&p);
    }
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

static struct variant bitmap_variant(const char *name, const char *more)
{
    return variant_of(name, (const char *const[]){"plain_weights=on", "bitmap_weights=on", more, NULL});
}

/* Any density: segments that are empty, that begin with a mask of 0, and that wait for the others. */
static void try_masks(const struct variant *v, bool timed)
{
    unsigned bitmaps = 0;
    const uint64_t count = FEWER_ROUNDS(40);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct random dice = {seed};
        struct problem p;
        problem_make(&p, &dice, v, PLAN_SPMM, random_range(&dice, 1, 5), random_range(&dice, 9, 300),
                     random_range(&dice, 1, 90), (unsigned)random_range(&dice, 3, 90));
        p.v.plain_weights = p.v.bitmap_weights = 1;
        bitmaps += try_plans(&p, seed, timed).bitmaps;
        problem_free(&p);
    }
    cr_expect_gt(bitmaps, 3 * count, "%u of %u plans had bitmaps", bitmaps, (unsigned)count * PLANS);
}

Test(plain, bitmaps_of_all_plans_on_tiny)
{
    const struct variant v = bitmap_variant("tiny", NULL);
    try_masks(&v, false);
}

Test(plain, bitmaps_with_five_pes)
{
    const struct variant v = bitmap_variant("odd", "row_bus_width=128");
    try_masks(&v, false);
}

/* Queues that hold little more than a segment. */
Test(plain, bitmaps_in_short_queues)
{
    const struct variant v =
        variant_of("tiny", (const char *const[]){"plain_weights=on", "bitmap_weights=on",
                                                 "weight_queue_depth=32", "segment_max=16", NULL});
    try_masks(&v, false);
}

Test(plain, bitmaps_in_time)
{
    const struct variant v = bitmap_variant("base", NULL);
    try_masks(&v, true);
}

/* Of weights that meet one activation and come from a slow memory bytes count. Where PEs are what limits,
 * those of a few empty segments take longer for their masks, each of which takes a slot of the scan. */
Test(plain, pruned_weights_become_bitmaps)
{
    const struct variant v = bitmap_variant("base", NULL);
    static const struct {
        unsigned m, percent;
        enum plan_axis split;
        bool bitmaps;
    } cases[] = {
        {1, 5, PLAN_N, false}, {1, 20, PLAN_N, true}, {1, 50, PLAN_N, true}, {64, 33, PLAN_M, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct random dice = {i};
        struct problem p;
        uint64_t bytes;
        problem_make(&p, &dice, &v, PLAN_SPMM, cases[i].m, 256, 64, cases[i].percent);
        p.v.plain_weights = p.v.bitmap_weights = 1;
        p.d.channels = (struct plan_channels){0};
        p.d.memory.beat_cycles = cases[i].m == 1 ? 4 : 0;
        const struct plan_choice choice = {.split = {cases[i].split, cases[i].split}};
        const struct plan_summary s = summary_of(&p, &choice, &bytes);
        cr_expect_eq(s.bitmaps, cases[i].bitmaps ? s.sets : 0, "case %zu: %u of %u", i, s.bitmaps, s.sets);
        problem_free(&p);
    }
}
