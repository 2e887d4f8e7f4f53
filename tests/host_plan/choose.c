/* SPDX-License-Identifier: Apache-2.0
 *
 * The automatic choice with a cost function of the test's own, and what is
 * said of it.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host_plan/problem.h"

struct costs {
    unsigned asked;
};

/* The fewer packets, the cheaper. */
static bool cost_of_tiles(void *context, const struct plan *plan, uint64_t *cycles)
{
    struct costs *costs = context;
    costs->asked++;
    *cycles = 1000 + plan->summary.tiles + 100u * (plan->summary.split.rows != PLAN_K);
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
        cr_assert(!a.of[i].cycles || a.of[i].cycles >= a.of[a.best].cycles, "alternative %u", i);
    int64_t *expected = problem_expected(&p);
    problem_run(&p, &plan, expected, "the chosen plan");
    free(expected);
    plan_free(&plan);
    problem_free(&p);
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

/* SpMV has gathering plans, and an empty one is refused. */
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
    cr_assert(!plan_choose(&p.d, NULL, cost_of_tiles, &costs, 4, &a, &plan));
    cr_assert_neq(a.of[a.best].choice.gather, PLAN_GATHER_NONE);
    plan_free(&plan);
    p.d.m = 0;
    cr_assert(plan_choose(&p.d, NULL, cost_of_tiles, &costs, 4, &a, &plan));
    problem_free(&p);
}
