/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans one behind the other in one program. Loads of the next plan come while the last results of the one
 * before are computed, and configurations that are there are not sent again: results are the same, wherever
 * the plan stands and whatever is around it.
 */
#include "host/plan/link.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/base/math.h"
#include "host/plan/buffers.h"
#include "host/plan/use.h"
#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

enum { PARTS = 4 };

/* Problems give their variant what they need. */
static void have_both(struct variant *a, struct variant *b)
{
    a->zero_points |= b->zero_points;
    a->lookup |= b->lookup;
    a->plain_weights |= b->plain_weights;
    a->bitmap_weights |= b->bitmap_weights;
    *b = *a;
}

static const char *make(struct plan *plan, const struct problem *p, struct random *dice)
{
    const struct plan_choice choice = {.mapping = (enum plan_mapping)random_below(dice, PLAN_MAPPINGS),
                                       .split = {(enum plan_axis)random_below(dice, PLAN_AXES),
                                                 (enum plan_axis)random_below(dice, PLAN_AXES)}};
    *plan = (struct plan){0};
    return plan_why(plan_make(&p->d, &choice, plan));
}

/* The plan that is looked at, whose slots are the program's. */
static struct link_part as_it_is(const struct plan *plan)
{
    struct link_part part = {.plan = plan};
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        part.slot[s].slot = (enum isa_slot)s;
    return part;
}

/* Another plan, whose operands and results are anything in the scratch slot, behind that of the first. */
static struct link_part beside(const struct plan *plan, struct plan *first)
{
    struct link_part part = {.plan = plan};
    const uint64_t weights = math_round_up((uint32_t)first->weights.len, 64),
                   scratch = (first->scratch_bytes + 63) / 64 * 64;
    const uint64_t most = plan->input_bytes + plan->output_bytes + plan->scratch_bytes + plan->partial_bytes +
                          plan->operand_bytes + 64;
    while (first->weights.len < weights)
        sb_addn(&first->weights, "", 1);
    sb_addn(&first->weights, plan->weights.text, plan->weights.len);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        part.slot[s] = (struct link_slot){SLOT_SCRATCH, scratch};
    part.slot[SLOT_WEIGHTS] = (struct link_slot){SLOT_WEIGHTS, weights};
    first->scratch_bytes = scratch + most;
    return part;
}

/* What of it the linker has changed. */
struct counts {
    unsigned early, sent; /* fences behind a load; configurations */
};

static struct counts counts_of(const struct variant *v, const struct strbuf *image)
{
    const struct plan plan = {.program = *image};
    struct counts counts = {0};
    struct program program;
    struct operation op;
    bool load = false;
    for (bool more = use_open(&plan, v, &program); more && use_next(&program, &op);) {
        counts.early += op.code == OP_FENCE && load;
        counts.sent += op.code == OP_DISTRIBUTE && op.command < EXEC;
        load = op.code == OP_LOAD;
    }
    return counts;
}

/* A few of both plans, at least one of them the first. */
static enum plan_status link_some(const struct variant *v, struct plan *first, const struct plan *other,
                                  struct random *dice, struct strbuf *program, unsigned *configs)
{
    struct link_part parts[PARTS];
    const struct link_part own = as_it_is(first), strange = beside(other, first);
    const size_t count = random_range(dice, 2, PARTS), always = random_below(dice, count);
    *configs = 0;
    for (size_t i = 0; i < count; i++) {
        parts[i] = i == always || random_chance(dice, 40) ? own : strange;
        *configs += counts_of(v, &parts[i].plan->program).sent;
    }
    return plan_link(v, parts, count, program, &(uint64_t){0});
}

/* Results of a program of random plans, if they go into one: how many, and what the linker did. */
static unsigned play(const char *const set[], uint64_t seed, unsigned *early, unsigned *saved)
{
    struct random dice = {seed};
    const struct variant v = variant_of("networks", set);
    struct problem p, q;
    struct plan first, other;
    struct strbuf program = {0};
    unsigned configs, made = 0;
    char what[40];
    snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
    problem_random(&p, &dice, &v);
    problem_random(&q, &dice, &v);
    have_both(&p.v, &q.v);
    int64_t *expected = problem_expected(&p);
    const bool one = !make(&first, &p, &dice), planned = !make(&other, &q, &dice) && one;
    if (planned && !plan_why(link_some(&p.v, &first, &other, &dice, &program, &configs))) {
        const struct counts counts = counts_of(&p.v, &program);
        const struct strbuf own = first.program;
        first.program = program;
        (random_chance(&dice, 50) ? problem_run : problem_time)(&p, &first, expected, what);
        first.program = own;
        made++;
        *early += counts.early;
        *saved += configs - counts.sent;
    }
    sb_free(&program);
    plan_free(&first);
    plan_free(&other);
    free(expected);
    problem_free(&p);
    problem_free(&q);
    return made;
}

Test(link, plans_in_any_order)
{
    const char *const sets[][4] = {{NULL},
                                   {"instruction_buffers=16", "register_file_entries=128", NULL},
                                   {"unit_bytes=16384", "input_buffer_depth=256", NULL},
                                   {"tokens=10", NULL},
                                   {"n=3", "m=1", "tokens=32", NULL}};
    unsigned made = 0, early = 0, saved = 0;
    const uint64_t count = FEWER_ROUNDS(200);
    for (uint64_t seed = 1; seed <= count; seed++)
        made += play(sets[seed % (sizeof sets / sizeof *sets)], seed, &early, &saved);
    cr_expect(made > count / 2 && early > made / 2 && saved > made / 2,
              "%u programs, %u fences behind a load, %u configurations not sent again", made, early, saved);
}

/* What the plan before has left in buffers is there until they are configured: with seed 624 the last
 * configurations fit the register files, and the first of them beside what was there do not. */
Test(link, configurations_fit_while_they_are_sent)
{
    const char *const set[] = {"register_file_entries=32", NULL};
    unsigned made = 0, early = 0, saved = 0;
    for (uint64_t seed = 615; seed < 635; seed++)
        made += play(set, seed, &early, &saved);
    cr_expect(made > 5, "%u programs", made);
}

/* Buffers that plans before have filled all pages with. */
static void fill_pages(struct buffers *b, const struct variant *v, struct random *dice)
{
    unsigned pages = variant_register_pages(v, v->register_file_entries);
    *b = (struct buffers){.variant = v, .plans = 1};
    for (unsigned i = v->instruction_buffers; i-- && pages;) {
        const unsigned most = variant_register_pages(v, v->instruction_depth),
                       least = i < pages ? pages - i : 1,
                       takes = random_range(dice, 1, least < most ? least : most);
        b->of[i] = (struct buffer){.configured = true, .used = 1};
        b->of[i].sequence.instructions = takes * variant_register_page(v);
        pages -= takes;
    }
}

static unsigned pages_taken(const struct buffers *b)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < USE_BUFFERS; i++)
        if (b->of[i].configured)
            taken += variant_register_pages(b->variant, b->of[i].sequence.instructions);
    return taken;
}

Test(link, buffers_give_back_pages)
{
    unsigned freed = 0, made = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random dice = {seed};
        const struct variant v = variant_of("networks", (const char *[]){NULL});
        struct problem p;
        struct plan plan;
        struct buffers buffers;
        struct buffers_choice choice;
        problem_random(&p, &dice, &v);
        if (!make(&plan, &p, &dice)) {
            fill_pages(&buffers, &p.v, &dice);
            cr_assert_null(plan_why(buffers_choose(&buffers, &plan, false, &choice)), "seed %llu",
                           (unsigned long long)seed);
            cr_expect_leq(pages_taken(&buffers), variant_register_pages(&p.v, p.v.register_file_entries));
            for (unsigned i = 0; i < choice.configs; i++)
                cr_expect(!choice.freed || buffers.of[choice.config[i].buffer ^ choice.swap].configured);
            freed += choice.freed != 0;
            made++;
        }
        plan_free(&plan);
        problem_free(&p);
    }
    cr_expect(freed > 5, "%u of %u plans found no page", freed, made);
}
