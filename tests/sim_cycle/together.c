/* SPDX-License-Identifier: Apache-2.0
 *
 * PEs that do the same are stepped as one (sim/cycle/pe_together.h), but not when a probe is told of each of
 * them: a report of a job must not depend on a probe, in any of its figures.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "host/measure/plan_run.h"
#include "sim/cycle/cycle.h"
#include "tests/sim_model/tile.h"
#include "tests/sim_model/victims.h"

#define TILES 60

static void nobody(void *context, const struct cycle_event *event)
{
    (void)context;
    (void)event;
}

static const struct cycle_probe probe = {.event = nobody};

static void expect_same(const char *what, unsigned number, const struct cycle_report *a,
                        const struct cycle_report *b)
{
    const struct job_result *x = &a->result, *y = &b->result;
    cr_assert_eq(x->cycles, y->cycles, "%s %u: %llu cycles, and %llu with a probe", what, number,
                 (unsigned long long)x->cycles, (unsigned long long)y->cycles);
    cr_assert_eq(x->moved, y->moved, "%s %u: loads moved", what, number);
    cr_assert_eq(x->stall_weights, y->stall_weights, "%s %u: stalls for weights", what, number);
    cr_assert_eq(x->stall_output, y->stall_output, "%s %u: stalls for results", what, number);
    cr_assert_eq(memcmp(a->use, b->use, sizeof a->use), 0, "%s %u: where the cycles went", what, number);
    cr_assert_eq(memcmp(a->pe_busy, b->pe_busy, a->pes * sizeof *a->pe_busy), 0, "%s %u: a PE's work", what,
                 number);
}

static void compare_job(const char *what, unsigned number, const struct variant *v, const struct job *job,
                        enum balance_rule balance, unsigned threshold)
{
    struct cycle_options options = cycle_defaults(v);
    struct cycle_report without, with;
    options.limit = 1000000;
    options.balance = balance;
    options.balance_threshold = threshold;
    cr_assert(cycle_run(v, &options, job, &without));
    options.probe = &probe;
    cr_assert(cycle_run(v, &options, job, &with));
    expect_same(what, number, &without, &with);
    cycle_report_free(&without);
    cycle_report_free(&with);
}

Test(together, programs)
{
    for (unsigned i = 0; i < VICTIMS; i++) {
        struct victim t;
        victim_make(&t, i);
        compare_job("program", i, &t.v, &t.slots.job, cycle_defaults(&t.v).balance, 1);
        victim_free(&t);
    }
}

/* Random operators of random variants; the rules of balancing take turns. */
Test(together, tiles)
{
    for (unsigned i = 0; i < TILES; i++) {
        struct random dice = {i + 1001};
        struct variant v = tile_variant(&dice);
        struct tile tile;
        tile_make(&tile, &dice, &v);
        compare_job("tile", i, &v, &tile.slots.job, (enum balance_rule)(i % 3), i / 3 % 3);
        tile_free(&tile);
    }
}

/* Weights that are all there, so that the PEs are together; columns that are no multiple of them, which part
 * them; weights that differ from the beginning. */
Test(together, products)
{
    static const struct {
        unsigned rows, n;
        double weights, activations;
        struct plan_choice choice;
    } cases[] = {
        {40, 64, 1, 1, {.split = {PLAN_M, PLAN_M}}},
        {40, 44, 1, 1, {.split = {PLAN_M, PLAN_M}}},
        {40, 44, 1, 0.5, {.mapping = PLAN_OUTPUT_STATIONARY, .split = {PLAN_N, PLAN_M}}},
        {40, 64, 1, 0.3, {.mapping = PLAN_WEIGHT_STATIONARY, .split = {PLAN_K, PLAN_N}, .block = 32}},
        {40, 64, 0.3, 0.5, {.split = {PLAN_M, PLAN_N}}},
    };
    const struct setup setup = setup_load("base", NULL);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sparse w = sparse_random(cases[i].n, 96, cases[i].weights, 1);
        const struct plan_description d = {
            .variant = &setup.variant, .weights = &w, .m = cases[i].rows, .element = 2};
        struct plan_run run;
        struct plan plan = {0};
        struct cycle_report without, with;
        plan_run_begin(&run, &setup, &d, cases[i].activations);
        const char *why = plan_why(plan_make(&d, &cases[i].choice, &plan));
        cr_assert_null(why, "product %u: %s", i, why);
        plan_run_report(&run, &plan, NULL, &without);
        plan_run_report(&run, &plan, &probe, &with);
        expect_same("product", i, &without, &with);
        cycle_report_free(&without);
        cycle_report_free(&with);
        plan_free(&plan);
        plan_run_end(&run);
        sparse_free(&w);
    }
}
