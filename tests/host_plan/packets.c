/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets of weights for short programs: all alike, or longer ones later. The results are those of the usual
 * ones.
 */
#include <criterion/criterion.h>

#include "sim/model/program.h"
#include "tests/host_plan/problem.h"

#define PACKETS_MAX 512

/* Lengths of the packets with results, in their order. */
static unsigned lengths_of(const struct variant *v, const struct plan *plan, uint32_t *length)
{
    struct program program;
    struct operation op;
    struct job_result result;
    unsigned count = 0;
    cr_assert_eq(
        program_open(&program, v, 0, (const uint8_t *)plan->program.text, plan->program.len, &result),
        JOB_OK);
    while (program_next(&program, &op, &result) == JOB_OK && op.code != OP_END)
        if (op.code == OP_DISTRIBUTE && (op.command & 0xC0) == 0xC0 && count < PACKETS_MAX)
            length[count++] = op.memory.length;
    return count;
}

static uint32_t operations_of(const struct variant *v, const struct plan *plan)
{
    struct program program;
    struct job_result result;
    cr_assert_eq(
        program_open(&program, v, 0, (const uint8_t *)plan->program.text, plan->program.len, &result),
        JOB_OK);
    return program.operations;
}

struct made {
    uint32_t length[PACKETS_MAX], operations;
    unsigned packets;
    uint64_t weights;
};

/* A product in one k step, and its plan is:mm. */
static struct made make(const char *variant, enum plan_packets packets)
{
    const struct variant v = variant_of(variant, (const char *const[]){NULL});
    const struct plan_choice choice = {
        .mapping = PLAN_INPUT_STATIONARY, .split = {PLAN_M, PLAN_M}, .rows_held = 4, .packets = packets};
    struct random dice = {3};
    struct problem p;
    struct plan plan = {0};
    struct made made = {.operations = 0};
    problem_make(&p, &dice, &v, PLAN_SPMM, 32, 64, 1200, 40);
    int64_t *expected = problem_expected(&p);
    const char *why = plan_why(plan_make(&p.d, &choice, &plan));
    cr_assert_null(why, "%s", why);
    (void)problem_time(&p, &plan, expected, "packets");
    made.packets = lengths_of(&v, &plan, made.length);
    made.operations = operations_of(&v, &plan);
    made.weights = plan.weights.len;
    free(expected);
    plan_free(&plan);
    problem_free(&p);
    return made;
}

/* All but the last of a pass, which has what is left, are as long; the program is loops then. */
Test(packets, even)
{
    static const char *const variants[] = {"tiny", "odd", "base"};
    for (unsigned i = 0; i < 3; i++) {
        const struct made usual = make(variants[i], PLAN_PACKETS_USUAL),
                          even = make(variants[i], PLAN_PACKETS_EVEN);
        unsigned others = 0, differ = 0;
        for (unsigned k = 1; k < even.packets; k++)
            others += even.length[k] != even.length[0];
        for (unsigned k = 1; k < usual.packets; k++)
            differ += usual.length[k] != usual.length[0];
        cr_expect_leq(others, 16, "%s: %u packets are not like the first", variants[i], others);
        cr_expect_gt(differ, others, "%s", variants[i]);
        cr_expect_lt(even.operations, usual.operations, "%s: %u operations", variants[i], even.operations);
        cr_expect_geq(even.weights, usual.weights, "%s", variants[i]);
        cr_expect_lt(even.weights, usual.weights + usual.weights / 4, "%s: too much padding", variants[i]);
    }
}

/* The first packet is as it was; there are fewer. */
Test(packets, growing)
{
    const struct made usual = make("base", PLAN_PACKETS_USUAL), growing = make("base", PLAN_PACKETS_GROWING);
    cr_expect_eq(growing.length[0], usual.length[0]);
    cr_expect_lt(growing.packets, usual.packets);
    cr_expect_gt(growing.length[2], usual.length[2] * 3 / 2);
    cr_expect_lt(growing.operations, usual.operations);
}
