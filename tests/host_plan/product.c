/* SPDX-License-Identifier: Apache-2.0
 *
 * Forced plans of SpMM: every mapping with every split gives what a plain
 * computation gives, on the functional model.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

#define PLANS 27

static struct plan_choice plan_number(unsigned i)
{
    return (struct plan_choice){
        .mapping = (enum plan_mapping)(i / 9),
        .split = {.rows = (enum plan_axis)(i / 3 % 3), .columns = (enum plan_axis)(i % 3)}};
}

static void describe(char text[96], uint64_t seed, const struct problem *p, const struct plan_choice *c)
{
    char split[8];
    snprintf(text, 96, "TULLE_PLAN_SEED=%llu: %s m=%u k=%u n=%u %s %s", (unsigned long long)seed, p->v.name,
             p->d.m, p->w.columns, p->w.rows, plan_mapping_name(c->mapping),
             plan_split_name(c->split, split));
}

static void random_function(struct problem *p, struct random *dice)
{
    static const struct plan_function functions[] = {
        {.function = 0},
        {.function = 1},
        {.function = 6, .shift = 9, .multiplier = 77, .zero = -3},
        {.function = 6, .shift = 3, .multiplier = 1, .low = -30000, .high = 30000}}; /* with halves */
    unsigned which = (unsigned)random_below(dice, 4);
    bool there = functions[which].function != 6 || p->v.functions >> VARIANT_REQUANTISE & 1;
    p->d.function = there && p->v.functions & 1 ? functions[which] : functions[0];
    problem_scale(p);
    p->v.roundings = 1;
    p->d.function.rounding = (unsigned)random_below(dice, 3);
    p->d.element = (unsigned)random_below(dice, 4);
    problem_join(p, dice);
    problem_results(p, dice);
}

/* All plans; how many there are of `choices` variations of sizes. */
static unsigned try_plans(uint64_t seed, const struct problem *p, struct random *dice, bool vary)
{
    unsigned made = 0;
    int64_t *expected = problem_expected(p);
    for (unsigned i = 0; i < PLANS; i++) {
        struct plan_choice choice = plan_number(i);
        struct plan plan = {0};
        char what[96];
        describe(what, seed, p, &choice);
        if (vary && random_chance(dice, 30))
            choice.rows_held = random_range(dice, 1, 5);
        if (vary && random_chance(dice, 30))
            choice.block = 8 * random_range(dice, 1, 6);
        choice.deals = vary && random_chance(dice, 20);
        if (vary && random_chance(dice, 30))
            choice.packet_bytes = random_range(dice, 16, 600);
        const char *why = plan_why(plan_make(&p->d, &choice, &plan));
        if (why) {
            cr_assert_gt(strlen(why), 10, "%s: a refusal must say why", what);
            cr_assert(vary, "%s: %s", what, why);
        } else
            problem_run(p, &plan, expected, what);
        made += !why;
        plan_free(&plan);
    }
    free(expected);
    return made;
}

/* The issue of a bar: none of the 27 may be refused. */
static void all_plans_of(const char *name, uint32_t m, uint32_t k, uint32_t n, unsigned percent)
{
    struct variant v = variant_of(name, (const char *const[]){NULL});
    struct random dice = {m * 1000 + k + n};
    struct problem p;
    problem_make(&p, &dice, &v, PLAN_SPMM, m, k, n, percent);
    try_plans(0, &p, &dice, false);
    problem_free(&p);
}

Test(product, all_plans_of_tiny)
{
    all_plans_of("tiny", 16, 128, 64, 30);
    all_plans_of("tiny", 37, 200, 61, 50);
    all_plans_of("tiny", 1, 8, 1, 100);
    all_plans_of("tiny", 7, 700, 19, 20);
    all_plans_of("tiny", 5, 3, 300, 60);
    all_plans_of("tiny", 9, 64, 40, 0);
}

Test(product, all_plans_of_others)
{
    all_plans_of("odd", 23, 150, 90, 30);
    all_plans_of("base", 64, 256, 128, 20);
    all_plans_of("base4", 33, 500, 70, 50);
    all_plans_of("wide", 40, 128, 100, 10);
}

static void random_problem(struct problem *p, struct random *dice)
{
    static const unsigned densities[] = {0, 2, 10, 30, 50, 100};
    static const char *const names[] = {"tiny", "tiny", "odd", "base"};
    static const char *const int16[] = {"data_width=16", "acc_width=48", NULL};
    struct variant v = random_chance(dice, 20)
                           ? variant_of("base", int16)
                           : variant_of(names[random_below(dice, 4)], (const char *const[]){NULL});
    problem_make(p, dice, &v, PLAN_SPMM, random_range(dice, 1, 40), random_range(dice, 1, 300),
                 random_range(dice, 1, 80), densities[random_below(dice, 6)]);
    random_function(p, dice);
}

/* Reproduce a failure: TULLE_PLAN_SEED=<seed> TULLE_PLANS=1 build/tests/host_plan --filter product/random */
Test(product, random)
{
    uint64_t seed = from_environment("TULLE_PLAN_SEED", 1),
             count = from_environment("TULLE_PLANS", FEWER_ROUNDS(120));
    unsigned made = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct problem p;
        random_problem(&p, &dice);
        p.v.kept_weights = (seed + i) % 3 == 0;
        made += try_plans(seed + i, &p, &dice, true);
        problem_free(&p);
    }
    cr_assert(made > count * PLANS / 2, "only %u of %llu had a plan", made,
              (unsigned long long)count * PLANS);
}

/* In time: packets of clusters of a row, stores that take their results in turn, sums over clusters. Every
 * plan of a few shapes, short rows above all: they have most results for their weights. */
static void all_plans_in_time(const char *name, uint32_t m, uint32_t k, uint32_t n, unsigned percent)
{
    struct variant v = variant_of(name, (const char *const[]){NULL});
    struct random dice = {m + k + n};
    struct problem p;
    problem_make(&p, &dice, &v, PLAN_SPMM, m, k, n, percent);
    int64_t *expected = problem_expected(&p);
    for (unsigned i = 0; i < PLANS; i++) {
        struct plan_choice choice = plan_number(i);
        struct plan plan = {0};
        char what[96];
        describe(what, 0, &p, &choice);
        const char *why = plan_why(plan_make(&p.d, &choice, &plan));
        cr_assert(!why, "%s: %s", what, why);
        problem_time(&p, &plan, expected, what);
        plan_free(&plan);
    }
    free(expected);
    problem_free(&p);
}

Test(product, in_time)
{
    all_plans_in_time("tiny", 16, 128, 64, 30);
    all_plans_in_time("tiny", 3, 300, 400, 1);
    all_plans_in_time("odd", 7, 90, 300, 2);
    all_plans_in_time("base", 9, 64, 1500, 2);
    all_plans_in_time("base", 1, 9000, 700, 1);
}

/* Columns of the result in the order of their non-zeros. */
Test(product, dealt)
{
    struct variant v = variant_of("base", (const char *const[]){NULL});
    struct random dice = {5};
    struct problem p;
    problem_make(&p, &dice, &v, PLAN_SPMM, 9, 120, 150, 20);
    int64_t *expected = problem_expected(&p);
    for (unsigned i = 0; i < PLANS; i++) {
        struct plan_choice choice = plan_number(i);
        struct plan plan = {0};
        char what[96];
        choice.deals = true;
        describe(what, 0, &p, &choice);
        const char *why = plan_why(plan_make(&p.d, &choice, &plan));
        cr_assert(!why, "%s: %s", what, why);
        cr_assert_neq(plan_output_offset(&plan, 0, 1), plan_output_offset(&plan, 0, 0) + 4, "dealt");
        problem_run(&p, &plan, expected, what);
        plan_free(&plan);
    }
    free(expected);
    problem_free(&p);
}

/* What cannot be is refused with a reason. */
Test(product, refusals)
{
    struct variant v = variant_of("tiny", (const char *const[]){NULL});
    struct random dice = {1};
    struct problem p;
    struct plan plan = {0};
    problem_make(&p, &dice, &v, PLAN_SPMM, 8, 64, 16, 30);
    const char *why = plan_why(plan_make(
        &p.d, &(struct plan_choice){.rows_held = 2, .split = {.rows = PLAN_N, .columns = PLAN_M}}, &plan));
    cr_assert(why && strstr(why, "one row"), "%s", why);
    plan_free(&plan);
    why = plan_why(plan_make(&p.d, &(struct plan_choice){.rows_held = 30}, &plan));
    cr_assert(why && strstr(why, "rows held"), "%s", why);
    plan_free(&plan);
    why = plan_why(plan_make(&p.d, &(struct plan_choice){.block = 9}, &plan));
    cr_assert(why && strstr(why, "k block"), "%s", why);
    plan_free(&plan);
    problem_free(&p);
}
