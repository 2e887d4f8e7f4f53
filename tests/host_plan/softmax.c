/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of softmax, on both models, against sim/numerics.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "gen/base/math.h"
#include "sim/cycle/cycle.h"
#include "sim/numerics/softmax.h"
#include "tests/host_plan/results.h"

/* With as few tokens as a variant may have. */
static const char *const SOFTMAX[] = {"channel_groups=16", "roundings=on", "joins=on", "softmax=1024",
                                      "zero_points=on",    "tokens=4",     NULL};

static void make_slots(struct random *dice, const struct plan *plan, struct slots *slots)
{
    struct strbuf input = {0};
    random_bytes(dice, &input, plan->input_bytes);
    results_crowd((uint8_t *)input.text, input.len, dice);
    *slots = (struct slots){0};
    slots_set(slots, SLOT_PROGRAM, plan->program.text, plan->program.len);
    slots_set(slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(slots, SLOT_WEIGHTS, plan->weights.text, plan->weights.len);
    slots_set(slots, SLOT_INPUT, sb_text(&input), plan->input_bytes);
    slots_set(slots, SLOT_OUTPUT, NULL, plan->output_bytes);
    sb_free(&input);
}

static void expect_results(const struct plan_softmax *s, const struct plan *plan, const struct slots *slots,
                           const struct job_result *result)
{
    const uint32_t pitch = plan->layout.input_pitch;
    uint8_t *row = malloc(plan->output_pitch);
    cr_assert(row);
    cr_assert_eq(result->code, JOB_OK, "%s", job_code_name(result->code));
    for (uint32_t r = 0; r < s->rows; r++) {
        results_of_row(s, slots->job.slots[SLOT_INPUT].bytes + (uint64_t)r * pitch, pitch, row);
        cr_assert_eq(memcmp(slots->job.slots[SLOT_OUTPUT].bytes + (uint64_t)r * plan->output_pitch, row,
                            plan->output_pitch),
                     0, "row %u of %u, %u elements", r, s->rows, s->elements);
    }
    free(row);
}

/* Runs it on both models; cycles of the one that has them. */
static uint64_t run_softmax(struct random *dice, const struct plan_softmax *s)
{
    struct plan plan;
    struct slots slots;
    struct cycle_report report;
    const struct cycle_options options = cycle_defaults(s->variant);
    const char *why = plan_why(plan_make_softmax(s, &plan));
    cr_assert(!why, "%s", why);
    make_slots(dice, &plan, &slots);
    const struct job_result functional = run_model(s->variant, &slots);
    expect_traffic(s->variant, &slots, &functional);
    expect_results(s, &plan, &slots, &functional);
    slots_restore(&slots);
    cr_assert(cycle_run(s->variant, &options, &slots.job, &report));
    expect_results(s, &plan, &slots, &report.result);
    cr_assert_eq(report.result.bytes_read, functional.bytes_read);
    const uint64_t cycles = report.result.cycles;
    cycle_report_free(&report);
    slots_free(&slots);
    plan_free(&plan);
    return cycles;
}

Test(softmax, random)
{
    static const char *const names[] = {"tiny", "base", "wide"};
    struct random dice = {77};
    for (unsigned i = 0; i < 120; i++) {
        const struct variant v = variant_of(names[i % 3], SOFTMAX);
        struct plan_softmax s = results_softmax(&v, &dice);
        s.rows = random_range(&dice, 1, 8);
        s.elements = random_range(&dice, 1, random_chance(&dice, 30) ? 1024 : 60);
        run_softmax(&dice, &s);
    }
}

Test(softmax, rows_may_be_as_long_as_tflite_has_them)
{
    const struct variant v = variant_of(
        "base", (const char *const[]){"channel_groups=16", "roundings=on", "joins=on", "softmax=4096", NULL});
    struct random dice = {8};
    struct plan plan;
    struct plan_softmax s = {.variant = &v,
                             .rows = 2,
                             .elements = NUM_SOFTMAX_MOST,
                             .multiplier = 1 << 30,
                             .shift = 12,
                             .least = -255};
    run_softmax(&dice, &s);
    s.elements++;
    cr_expect_eq(plan_make_softmax(&s, &plan), PLAN_UNSUPPORTED);
}

/* The bar: 1 % more than what docs/planner.md says. */
Test(softmax, takes_the_documented_cycles)
{
    const struct variant v = variant_of(
        "base", (const char *const[]){"channel_groups=64", "roundings=on", "joins=on", "softmax=1024", NULL});
    struct random dice = {9};
    const struct plan_softmax s = {.variant = &v,
                                   .rows = 64,
                                   .elements = 197,
                                   .multiplier = 1 << 30,
                                   .shift = 8,
                                   .least = -255,
                                   .element = 1};
    const uint64_t cycles = run_softmax(&dice, &s);
    cr_log_info("%llu cycles", (unsigned long long)cycles);
    cr_expect_leq(cycles, 14740u);
    cr_expect_geq(cycles, 14450u);
}

Test(softmax, refusals_say_why)
{
    const struct variant with = variant_of("base", SOFTMAX),
                         without =
                             variant_of("base", (const char *const[]){"channel_groups=16", "joins=on", NULL});
    const struct plan_softmax good = {.variant = &with, .rows = 2, .elements = 1024, .multiplier = 1 << 30};
    struct plan plan;
    cr_expect_eq(plan_make_softmax(&good, &plan), PLAN_OK);
    plan_free(&plan);
#define REFUSED(status, ...)                                       \
    do {                                                           \
        struct plan_softmax s = good;                              \
        __VA_ARGS__;                                               \
        cr_expect_eq(plan_make_softmax(&s, &plan), PLAN_##status); \
    } while (0)
    REFUSED(UNSUPPORTED, s.variant = &without);
    REFUSED(UNSUPPORTED, s.elements = 1025);
    REFUSED(UNSUPPORTED, s.element = NUM_INT32);
    REFUSED(UNSUPPORTED, s.variant = &without; s.has_no_sign = true);
    REFUSED(INVALID, s.elements = 0);
    REFUSED(INVALID, s.rows = 0);
    REFUSED(INVALID, s.multiplier = -1);
    REFUSED(INVALID, s.shift = 64);
#undef REFUSED
}
