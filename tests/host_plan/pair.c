/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of joins of two tensors, on both models, against sim/numerics.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim/cycle/cycle.h"
#include "sim/numerics/numerics.h"
#include "tests/host_plan/results.h"

/* With as few tokens as a variant may have. */
static const char *const JOINS[] = {"channel_groups=16", "roundings=on", "joins=on",
                                    "zero_points=on",    "tokens=4",     NULL};

static struct plan_pair random_pair(struct random *dice, const struct variant *v)
{
    struct plan_pair p = results_pair(v, dice);
    p.vector = random_chance(dice, 40) ? v->k * random_range(dice, 1, 20) : 0;
    p.elements = p.vector ? (uint64_t)p.vector * random_range(dice, 1, 50) : random_range(dice, 1, 9000);
    return p;
}

static void make_slots(struct random *dice, const struct plan *plan, struct slots *slots)
{
    struct strbuf first = {0}, second = {0};
    random_bytes(dice, &first, plan->input_bytes);
    random_bytes(dice, &second, plan->operand_bytes);
    *slots = (struct slots){0};
    slots_set(slots, SLOT_PROGRAM, plan->program.text, plan->program.len);
    slots_set(slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(slots, SLOT_INPUT, sb_text(&first), plan->input_bytes);
    slots_set(slots, SLOT_EXTRA, sb_text(&second), plan->operand_bytes);
    slots_set(slots, SLOT_OUTPUT, NULL, plan->output_bytes);
    sb_free(&first);
    sb_free(&second);
}

static int64_t element_of(const struct slots *slots, unsigned slot, uint64_t place, unsigned element,
                          bool has_no_sign)
{
    return results_read(slots->job.slots[slot].bytes + (place << element), element, has_no_sign);
}

static void expect_results(const struct plan_pair *p, const struct slots *slots,
                           const struct job_result *result)
{
    cr_assert_eq(result->code, JOB_OK, "%s", job_code_name(result->code));
    for (uint64_t i = 0; i < p->elements; i++)
        cr_assert_eq(element_of(slots, SLOT_OUTPUT, i, p->element, false),
                     results_of_pair(p,
                                     element_of(slots, SLOT_INPUT, i, p->first_element, p->first_has_no_sign),
                                     element_of(slots, SLOT_EXTRA, p->vector ? i % p->vector : i,
                                                p->join.element, p->join.has_no_sign)),
                     "element %llu", (unsigned long long)i);
}

/* Runs it on both models; cycles of the one that has them. */
static uint64_t run_pair(struct random *dice, const struct plan_pair *p, uint64_t *bytes_read)
{
    struct plan plan;
    struct slots slots;
    struct cycle_report report;
    const struct cycle_options options = cycle_defaults(p->variant);
    const char *why = plan_why(plan_make_pair(p, &plan));
    cr_assert(!why, "%s", why);
    make_slots(dice, &plan, &slots);
    const struct job_result functional = run_model(p->variant, &slots);
    expect_traffic(p->variant, &slots, &functional);
    expect_results(p, &slots, &functional);
    slots_restore(&slots);
    cr_assert(cycle_run(p->variant, &options, &slots.job, &report));
    expect_results(p, &slots, &report.result);
    cr_assert_eq(report.result.bytes_read, functional.bytes_read);
    const uint64_t cycles = report.result.cycles;
    *bytes_read = report.result.bytes_read;
    cycle_report_free(&report);
    slots_free(&slots);
    plan_free(&plan);
    return cycles;
}

Test(pair, random)
{
    static const char *const names[] = {"tiny", "base", "wide"};
    struct random dice = {77};
    uint64_t bytes;
    for (unsigned i = 0; i < 120; i++) {
        const struct variant v = variant_of(names[i % 3], JOINS);
        const struct plan_pair p = random_pair(&dice, &v);
        run_pair(&dice, &p, &bytes);
    }
}

Test(pair, refusals_say_why)
{
    const struct variant with = variant_of("base", JOINS),
                         without = variant_of("base", (const char *const[]){NULL});
    struct random dice = {5};
    struct plan plan;
    struct plan_pair p = random_pair(&dice, &without);
    cr_expect_eq(plan_make_pair(&p, &plan), PLAN_UNSUPPORTED);
    p.variant = &with;
    p.vector = with.k + 1;
    cr_expect_eq(plan_make_pair(&p, &plan), PLAN_UNSUPPORTED);
    p.vector = with.k;
    p.elements = with.k + 1;
    cr_expect_eq(plan_make_pair(&p, &plan), PLAN_INVALID);
}

/* The bar: 0.90 of the store engine's lanes. */
Test(pair, reaches_the_lanes_of_the_store_engine)
{
    const struct variant v =
        variant_of("base", (const char *const[]){"channel_groups=64", "roundings=on", "joins=on",
                                                 "collector_width=256", NULL});
    struct variant_derived derived;
    struct random dice = {9};
    struct plan_pair p = random_pair(&dice, &v);
    uint64_t bytes;
    variant_derive(&v, &derived);
    p.vector = 0;
    p.results_have_no_sign = p.first_has_no_sign = p.join.has_no_sign = false;
    p.elements = 56 * 56 * 256;
    p.first_element = p.join.element = p.element = NUM_INT8;
    const uint64_t cycles = run_pair(&dice, &p, &bytes);
    cr_log_info("%u lanes, %llu cycles, %.3f of the lanes, %llu bytes read", derived.store_lanes,
                (unsigned long long)cycles, (double)p.elements / (double)derived.store_lanes / (double)cycles,
                (unsigned long long)bytes);
    cr_expect_eq(derived.store_lanes, 8);
    cr_expect_gt((double)p.elements / (double)derived.store_lanes / (double)cycles, 0.90);
}
