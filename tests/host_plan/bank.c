/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans whose operands and results lie in the activation bank, where the linker puts them: results are the
 * same, and memory sees weights, program and status, to the byte.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "host/plan/link.h"
#include "sim/cycle/cycle.h"
#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

#define BANK (UINT64_C(1) << 20)
#define IN_BANK(at)    \
    (struct link_slot) \
    {                  \
        SLOT_BANK, at  \
    }

static struct variant bank_variant(const char *bytes)
{
    return variant_of("networks", (const char *const[]){bytes, NULL});
}

/* ---- any plan -------------------------------------------------------------------------------------- */

/* Bytes as they are: a number plus a zero of the bank. */
static struct plan copy_of(const struct variant *v, uint64_t bytes)
{
    const struct plan_pair pair = {
        .variant = v,
        .elements = bytes,
        .element = NUM_INT8,
        .join = {.join = JOIN_ADD, .multiplier = ISA_OPERAND_MULTIPLIER, .shift = ISA_OPERAND_SHIFT},
        .function = {
            .function = NUM_REQUANTISE, .multiplier = 1 << 30, .shift = 49, .low = -128, .high = 127}};
    struct plan plan;
    cr_assert_null(plan_why(plan_make_pair(&pair, &plan)));
    return plan;
}

/* Where the plan's buffers are in the bank, and a piece of zeros. */
struct places {
    uint64_t input, output, scratch, operand, zeros, end;
};

static struct places places_of(const struct plan *plan)
{
    struct places p = {0};
    const uint64_t sizes[] = {plan->input_bytes, plan->output_bytes, plan->scratch_bytes,
                              plan->operand_bytes};
    uint64_t *const at[] = {&p.input, &p.output, &p.scratch, &p.operand}, largest = plan->input_bytes;
    for (unsigned i = 0; i < 4; i++) {
        *at[i] = p.end;
        p.end += (sizes[i] + 63) / 64 * 64;
    }
    p.zeros = p.end;
    p.end += largest > plan->output_bytes ? largest : plan->output_bytes;
    p.end = p.end > p.zeros + plan->operand_bytes ? p.end : p.zeros + plan->operand_bytes;
    return p;
}

static struct link_part copy_part(const struct plan *copy, struct link_slot from, struct link_slot to,
                                  uint64_t zeros)
{
    struct link_part part = {.plan = copy};
    part.slot[SLOT_INPUT] = from;
    part.slot[SLOT_OUTPUT] = to;
    part.slot[SLOT_EXTRA] = IN_BANK(zeros);
    return part;
}

static struct link_part in_memory(const struct plan *plan)
{
    struct link_part part = {.plan = plan};
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        part.slot[s].slot = (enum isa_slot)s;
    return part;
}

/* The same plan, whose operands are copied to the bank first, and its results back; false: it does not fit.
 */
static bool make_in_bank(const struct variant *v, const struct plan *plan, struct strbuf *program)
{
    const struct places at = places_of(plan);
    struct plan copies[3] = {{.input_bytes = 0}};
    const uint64_t sizes[] = {plan->input_bytes, plan->operand_bytes, plan->output_bytes};
    const struct link_slot from[] = {{SLOT_INPUT, 0}, {SLOT_EXTRA, 0}, IN_BANK(at.output)},
                           to[] = {IN_BANK(at.input), IN_BANK(at.operand), {SLOT_OUTPUT, 0}};
    struct link_part parts[4];
    size_t count = 0;
    for (unsigned i = 0; i < 3; i++)
        if (at.end > BANK || sizes[i] % v->k)
            return false;
    for (unsigned i = 0; i < 3; i++) {
        if (i == 2) {
            struct link_part part = in_memory(plan);
            part.slot[SLOT_INPUT] = IN_BANK(at.input);
            part.slot[SLOT_OUTPUT] = IN_BANK(at.output);
            part.slot[SLOT_SCRATCH] = IN_BANK(at.scratch);
            part.slot[SLOT_EXTRA] = IN_BANK(at.operand);
            parts[count++] = part;
        }
        if (!sizes[i])
            continue;
        copies[i] = copy_of(v, sizes[i]);
        parts[count++] = copy_part(&copies[i], from[i], to[i], at.zeros);
    }
    const enum plan_status why = plan_link(v, parts, count, program);
    for (unsigned i = 0; i < 3; i++)
        plan_free(&copies[i]);
    return !why;
}

static void random_problem(struct problem *p, struct random *dice, const struct variant *v)
{
    const unsigned density = random_range(dice, 10, 100);
    if (random_chance(dice, 50)) {
        const struct plan_window w = {.side_y = random_range(dice, 1, 3),
                                      .side_x = random_range(dice, 1, 3),
                                      .stride_y = random_range(dice, 1, 2),
                                      .stride_x = 1,
                                      .dilation_y = 1,
                                      .dilation_x = 1,
                                      .height = random_range(dice, 3, 12),
                                      .width = random_range(dice, 3, 12),
                                      .channels = random_range(dice, 1, 20),
                                      .depthwise = random_chance(dice, 40)};
        problem_convolution(p, dice, v, &w, random_range(dice, 1, 2),
                            w.depthwise ? w.channels : random_range(dice, 1, 40), density);
    } else
        problem_make(p, dice, v, PLAN_SPMM, random_range(dice, 1, 40), 8 * random_range(dice, 1, 90),
                     random_range(dice, 1, 40), density);
    problem_join(p, dice);
    problem_scale(p);
}

Test(bank, plans_of_all_kinds)
{
    const struct variant v = bank_variant("local_bytes=1048576");
    unsigned made = 0, joined = 0, spilled = 0;
    const uint64_t count = FEWER_ROUNDS(150);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct random dice = {seed};
        struct problem p;
        struct plan plan = {0};
        char what[40];
        snprintf(what, sizeof what, "seed %llu in the bank", (unsigned long long)seed);
        random_problem(&p, &dice, &v);
        int64_t *expected = problem_expected(&p);
        const struct plan_choice choice = {.mapping = (enum plan_mapping)random_below(&dice, PLAN_MAPPINGS),
                                           .split = {(enum plan_axis)random_below(&dice, PLAN_AXES),
                                                     (enum plan_axis)random_below(&dice, PLAN_AXES)}};
        struct strbuf program = {0};
        if (!plan_why(plan_make(&p.d, &choice, &plan)) && make_in_bank(&v, &plan, &program)) {
            const struct strbuf own = plan.program;
            plan.program = program;
            (random_chance(&dice, 50) ? problem_run : problem_time)(&p, &plan, expected, what);
            plan.program = own;
            made++;
            joined += plan.operand_bytes > 0;
            spilled += plan.scratch_bytes > 0;
        }
        sb_free(&program);
        plan_free(&plan);
        free(expected);
        problem_free(&p);
    }
    cr_expect(made > count / 3 && joined > 0 && spilled > 0, "%u plans, %u joins, %u with sums in the bank",
              made, joined, spilled);
}
