/* SPDX-License-Identifier: Apache-2.0
 *
 * The automatic choice with a cost function of the test's own, and what is
 * said of it.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/measure/plan_run.h"
#include "tests/host_plan/problem.h"

struct costs {
    unsigned asked;
};

/* The fewer packets, the cheaper. */
static bool cost_of_tiles(void *context, const struct plan *plan, struct plan_price *price)
{
    struct costs *costs = context;
    costs->asked++;
    price->cycles = 1000 + plan->summary.tiles + 100u * (plan->summary.split.rows != PLAN_K);
    return true;
}

static void choose(struct problem *p, struct random *dice, const char *name, unsigned most,
                   struct plan_alternatives *a, struct plan *plan, struct costs *costs)
{
    struct variant v = variant_of(name, (const char *const[]){NULL});
    problem_make(p, dice, &v, PLAN_SPMM, 8, 64, 40, 30);
    const char *why = plan_why(plan_choose(&p->d, NULL, cost_of_tiles, costs, most, a, plan));
    cr_assert(!why, "%s", why);
}

/* The cheapest of those that were asked, and no others are made. */
Test(choose, cheapest)
{
    struct random dice = {1};
    struct problem p;
    struct plan_alternatives a;
    struct plan plan;
    struct costs costs = {0};
    choose(&p, &dice, "tiny", PLAN_ALTERNATIVES_MAX, &a, &plan, &costs);
    cr_assert_eq(a.of[a.best].choice.split.rows, PLAN_K);
    for (unsigned i = 0; i < a.count; i++)
        cr_assert(!a.of[i].price.cycles || a.of[i].price.cycles >= a.of[a.best].price.cycles,
                  "alternative %u", i);
    int64_t *expected = problem_expected(&p);
    problem_run(&p, &plan, expected, "the chosen plan");
    free(expected);
    plan_free(&plan);
    problem_free(&p);
}

static bool cost_of_nothing(void *context, const struct plan *plan, struct plan_price *price)
{
    struct costs *costs = context;
    costs->asked++;
    *price = (struct plan_price){.cycles = 1 + plan->summary.tiles};
    return true;
}

/* Where memory takes longer than all else, the cost function is asked about the plan that moves least. */
Test(choose, slow_memory)
{
    struct variant v = variant_of("tiny", (const char *const[]){NULL});
    struct random dice = {1};
    struct problem p;
    struct plan_alternatives a;
    struct plan plan;
    struct costs costs = {0};
    problem_make(&p, &dice, &v, PLAN_SPMM, 8, 64, 40, 30);
    p.d.memory.beat_cycles = 64;
    p.d.least = (struct plan_price){.cycles = 1, .bytes = 1};
    const char *why = plan_why(plan_choose(&p.d, NULL, cost_of_nothing, &costs, 0, &a, &plan));
    cr_assert(!why, "%s", why);
    unsigned made = 0;
    for (unsigned i = 0; i < a.count; i++) {
        made += a.of[i].made;
        cr_assert(!a.of[i].made || a.of[i].price.memory >= a.of[a.best].price.memory, "alternative %u", i);
    }
    cr_assert(made > 1 && costs.asked == 1, "%u asked, %u made", costs.asked, made);
    cr_assert_eq(a.of[a.best].price.cycles, a.of[a.best].price.memory);
    plan_free(&plan);
    problem_free(&p);
}

/* All take hardly more cycles than the fastest, so the one with the smallest program is taken; if half a
 * percent is more than hardly, the fastest. */
static bool cost_of_bytes(void *context, const struct plan *plan, struct plan_price *price)
{
    const unsigned *step = context;
    const bool fastest = plan->summary.split.rows == PLAN_K;
    *price = (struct plan_price){.cycles = 100000 + (fastest ? 0 : *step),
                                 .bytes = plan->program.len + (fastest ? 1u << 30 : 0)};
    return true;
}

Test(choose, fewer_bytes)
{
    static const unsigned steps[] = {14, 500};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        struct variant v = variant_of("tiny", (const char *const[]){NULL});
        struct random dice = {1};
        struct problem p;
        struct plan_alternatives a;
        struct plan plan;
        unsigned step = steps[s];
        problem_make(&p, &dice, &v, PLAN_SPMM, 8, 64, 40, 30);
        const char *why =
            plan_why(plan_choose(&p.d, NULL, cost_of_bytes, &step, PLAN_ALTERNATIVES_MAX, &a, &plan));
        cr_assert(!why, "%s", why);
        cr_assert_eq(a.of[a.best].choice.split.rows == PLAN_K, step == 500);
        cr_assert_eq(plan.program.len + (step == 500 ? 1u << 30 : 0), a.of[a.best].price.bytes);
        for (unsigned i = 0; i < a.count && step == 14; i++)
            cr_assert(!a.of[i].price.cycles || a.of[i].price.bytes >= a.of[a.best].price.bytes, "plan %u", i);
        int64_t *expected = problem_expected(&p);
        problem_run(&p, &plan, expected, "the chosen plan");
        free(expected);
        plan_free(&plan);
        problem_free(&p);
    }
}

Test(choose, asks_no_more)
{
    struct random dice = {1};
    struct problem p;
    struct plan_alternatives a;
    struct plan plan;
    struct costs costs = {0};
    choose(&p, &dice, "tiny", 3, &a, &plan, &costs);
    cr_assert_eq(costs.asked, 3);
    plan_free(&plan);
    problem_free(&p);
}

static bool cost_of_all(void *context, const struct plan *plan, struct plan_price *price)
{
    struct costs *costs = context;
    (void)plan;
    costs->asked++;
    *price = (struct plan_price){.cycles = 100000};
    return true;
}

/* Plans that are asked about when none takes less than `least` cycles. */
static unsigned asked_above(uint64_t least)
{
    struct variant v = variant_of("tiny", (const char *const[]){NULL});
    struct random dice = {1};
    struct problem p;
    struct plan_alternatives a;
    struct plan plan;
    struct costs costs = {0};
    problem_make(&p, &dice, &v, PLAN_SPMM, 8, 64, 40, 30);
    p.d.least = (struct plan_price){.cycles = least};
    cr_assert(!plan_choose(&p.d, NULL, cost_of_all, &costs, 0, &a, &plan));
    plan_free(&plan);
    problem_free(&p);
    return costs.asked;
}

/* The search is shorter the less a better plan can bring, down to two plans, and twice as long where that
 * is much. */
Test(choose, searches_for_what_it_can_bring)
{
    const unsigned usual = asked_above(90000), poor = asked_above(70000);
    cr_assert_eq(asked_above(100000), 2);
    cr_assert_eq(usual, 5);
    cr_assert_eq(poor, 10);
}

/* Twice the same; one k step makes input- and output-stationary the same program, which is said. */
Test(choose, explained)
{
    struct random dice = {1}, again = {1};
    struct problem p, q;
    struct plan_alternatives a, b;
    struct plan plan, other;
    struct costs costs = {0};
    struct strbuf text = {0}, same = {0};
    choose(&p, &dice, "tiny", PLAN_ALTERNATIVES_MAX, &a, &plan, &costs);
    choose(&q, &again, "tiny", PLAN_ALTERNATIVES_MAX, &b, &other, &costs);
    plan_explain(&a, 1234, &text);
    plan_explain(&b, 1234, &same);
    cr_assert_str_eq(sb_text(&text), sb_text(&same));
    cr_assert(strstr(sb_text(&text), "measured 1234"), "%s", sb_text(&text));
    cr_assert(strstr(sb_text(&text), "brings nothing: the same program as is "), "%s", sb_text(&text));
    cr_assert_eq(plan.program.len, other.program.len);
    cr_assert_eq(memcmp(plan.program.text, other.program.text, plan.program.len), 0);
    sb_free(&text);
    sb_free(&same);
    plan_free(&plan);
    plan_free(&other);
    problem_free(&p);
    problem_free(&q);
}

/* The plan that a search kept is what its choice makes. */
static void is_of_choice(const struct plan_description *d, const struct plan_choice *choice,
                         const struct plan *plan)
{
    struct plan again = {0};
    cr_assert(!plan_make(d, choice, &again));
    cr_assert_eq(plan->program.len, again.program.len);
    cr_assert_eq(memcmp(plan->program.text, again.program.text, again.program.len), 0);
    cr_assert_eq(plan->weights.len, again.weights.len);
    cr_assert_eq(memcmp(plan->weights.text, again.weights.text, again.weights.len), 0);
    plan_free(&again);
}

/* The price of every plan from its first passes is near that of all, and what is chosen has that of all. */
static void parts_tell(const struct plan_description *d, const struct setup *setup)
{
    struct plan_run run;
    struct plan_alternatives parts, all;
    struct plan plan;
    unsigned in_parts = 0;
    plan_run_begin(&run, setup, d, 1);
    cr_assert(!plan_choose(d, NULL, plan_run_cost, &run, PLAN_ALTERNATIVES_MAX, &all, &plan));
    plan_free(&plan);
    cr_assert(!plan_choose(d, NULL, plan_run_cost, &run, 0, &parts, &plan));
    for (unsigned i = 0; i < parts.count; i++) {
        const double got = (double)parts.of[i].price.cycles, wanted = (double)all.of[i].price.cycles;
        cr_assert(!got || (got > 0.95 * wanted && got < 1.05 * wanted), "plan %u: %.0f cycles, not %.0f", i,
                  got, wanted);
        in_parts += parts.of[i].in_parts;
        cr_assert(parts.of[i].in_parts || !got || got == wanted, "plan %u", i);
    }
    cr_assert_gt(in_parts, 2u);
    cr_assert_eq(parts.of[parts.best].price.cycles, plan_run_cycles(&run, &plan));
    is_of_choice(d, &parts.of[parts.best].choice, &plan);
    cr_assert_leq((double)parts.of[parts.best].price.cycles, 1.03 * (double)all.of[all.best].price.cycles);
    plan_free(&plan);
    plan_run_end(&run);
}

Test(choose, parts_tell_the_whole)
{
    const struct setup setup = setup_load("base", NULL);
    struct random dice = {5};
    struct problem p;
    struct plan_window window = problem_3x3(66, 20, 16);
    problem_make(&p, &dice, &setup.variant, PLAN_SPMM, 1, 144, 64, 30);
    struct plan_description d = {.variant = &setup.variant, .weights = &p.w, .m = 390, .element = 2};
    parts_tell(&d, &setup);
    d.operator= PLAN_CONVOLUTION;
    d.window = &window;
    d.m = 1;
    parts_tell(&d, &setup);
    problem_free(&p);
}

/* SpMV has gathering plans, which are looked at first, and an empty one is refused. */
Test(choose, vectors)
{
    struct variant v = variant_of("tiny", (const char *const[]){NULL});
    struct random dice = {3};
    struct problem p;
    struct plan_alternatives a;
    struct plan plan;
    struct costs costs = {0};
    problem_make(&p, &dice, &v, PLAN_SPMV, 1, 100, 60, 20);
    p.d.channels = (struct plan_channels){0}; /* loads of columns are no tiles */
    cr_assert(!plan_choose(&p.d, NULL, cost_of_tiles, &costs, 1, &a, &plan));
    cr_assert_neq(a.of[a.best].choice.gather, PLAN_GATHER_NONE);
    plan_free(&plan);
    p.d.m = 0;
    cr_assert(plan_choose(&p.d, NULL, cost_of_tiles, &costs, 4, &a, &plan));
    problem_free(&p);
}
