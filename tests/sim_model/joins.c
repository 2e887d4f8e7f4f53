/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins of two operands from memory in the functional model, against sim/numerics, and the accumulates with
 * joins that are refused. Joins of results run in tests/fields and on random operators.
 */
#include <criterion/criterion.h>

#include "sim/numerics/join.h"
#include "tests/sim_model/support.h"

enum { GROUPS = 6, REPEATS = 4 };

static const char *const JOINS[] = {"joins=on", "channel_groups=16", "roundings=on", NULL};

struct scene {
    struct variant v;
    struct builder b;
    struct slots slots;
};

static void begin(struct scene *s, const char *const *sets)
{
    *s = (struct scene){.v = variant_of("tiny", sets)};
    builder_begin(&s->b, &s->v);
}

/* Of a tensor and a vector, which is repeated. */
struct pair {
    enum isa_join join;
    unsigned element; /* of the operands */
    bool scale_first, fraction_15;
    int32_t zero[2], multiplier;
    unsigned shift;
    struct num_step step;
};

static struct pair random_pair(struct random *dice)
{
    struct pair p = {.join = (enum isa_join)random_range(dice, JOIN_ADD, JOIN_MULTIPLY),
                     .element = random_range(dice, 0, 1),
                     .scale_first = random_chance(dice, 50),
                     .fraction_15 = random_chance(dice, 50),
                     .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX)};
    for (unsigned i = 0; i < 2; i++)
        p.zero[i] = (int32_t)random_signed(dice, 8u << p.element);
    p.shift = random_range(dice, 31, p.fraction_15 ? 41 : 46);
    p.step = (struct num_step){.function = NUM_REQUANTISE,
                               .element = NUM_INT16,
                               .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX),
                               .shift = random_range(dice, 40, 50),
                               .low = -30000,
                               .high = 30000,
                               .zero = (int16_t)random_signed(dice, 8),
                               .rounding = (enum num_rounding)random_below(dice, NUM_ROUNDINGS)};
    return p;
}

static void add_operand(struct builder *b, const struct pair *p, unsigned which, unsigned slot,
                        unsigned elements, unsigned runs)
{
    writer_op(&b->writer, "accumulate",
              WITH({"operand", OPERAND_FIRST + which}, {"source", 1}, {"slot", slot}, {"element", p->element},
                   {"length", elements << p->element}, {"runs", runs}, {"zero", p->zero[which]},
                   {"multiplier", which ? p->multiplier : 0}, {"shift", which ? p->shift : 0},
                   {"scale_first", which && p->scale_first}, {"fraction_15", which && p->fraction_15}));
}

static int64_t expected(const struct pair *p, unsigned acc_width, int64_t first, int64_t second)
{
    const unsigned left = p->fraction_15 ? 15 : 20;
    const struct num_operand scaled = {.multiplier = p->multiplier, .left = left, .shift = p->shift},
                             halved = {.multiplier = 1 << 30, .left = left, .shift = 31};
    struct num_join join = {.joining = (enum num_joining)(p->join - JOIN_ADD),
                            .a = p->scale_first ? scaled : halved,
                            .b = p->scale_first ? halved : scaled,
                            .step = p->step};
    join.a.zero = p->zero[0];
    join.b.zero = p->zero[1];
    return num_apply(&p->step, num_wrap(num_join(&join, (int32_t)first, (int32_t)second), acc_width));
}

static void run_pair(struct random *dice, const struct pair *p)
{
    struct scene s;
    begin(&s, JOINS);
    const unsigned vector = GROUPS * s.v.k, all = vector * REPEATS, bytes = 1u << p->element;
    random_bytes(dice, &s.b.slot[SLOT_INPUT], (size_t)all * bytes);
    random_bytes(dice, &s.b.slot[SLOT_EXTRA], (size_t)vector * bytes);
    add_operand(&s.b, p, 0, SLOT_INPUT, all, 1);
    add_operand(&s.b, p, 1, SLOT_EXTRA, vector, REPEATS);
    writer_op(&s.b.writer, "accumulate",
              WITH({"join", p->join}, {"alone", 1}, {"final", 1}, {"function", p->step.function},
                   {"result", NUM_INT16}, {"multiplier", p->step.multiplier}, {"shift", p->step.shift},
                   {"low", p->step.low}, {"high", p->step.high}, {"zero", p->step.zero},
                   {"rounding", p->step.rounding}));
    writer_op(&s.b.writer, "fence", WITH({NULL, 0}));
    writer_op(&s.b.writer, "store",
              WITH({"rows", every_row(&s.v)}, {"clusters", every_cluster(&s.v)}, {"slot", SLOT_OUTPUT},
                   {"element", NUM_INT16}, {"length", 2 * all}));
    builder_finish(&s.b, &s.slots, 2 * (size_t)all);
    const struct job_result result = run_model(&s.v, &s.slots);
    expect_traffic(&s.v, &s.slots, &result);
    cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
    const uint8_t *const *slot =
        (const uint8_t *const[]){s.slots.job.slots[SLOT_INPUT].bytes, s.slots.job.slots[SLOT_EXTRA].bytes,
                                 s.slots.job.slots[SLOT_OUTPUT].bytes};
    for (unsigned i = 0; i < all; i++) {
        const int64_t first = num_get_element(slot[0] + (size_t)i * bytes, (enum num_element)p->element),
                      second = num_get_element(slot[1] + (size_t)(i % vector) * bytes,
                                               (enum num_element)p->element),
                      is = num_get_element(slot[2] + 2 * (size_t)i, NUM_INT16),
                      must = expected(p, s.v.acc_width, first, second);
        cr_assert_eq(is, must, "join %d of %lld and %lld: %lld, not %lld", p->join, (long long)first,
                     (long long)second, (long long)is, (long long)must);
    }
    builder_free(&s.b);
    slots_free(&s.slots);
}

Test(joins, of_two_operands_from_memory)
{
    struct random dice = {5};
    for (unsigned i = 0; i < 200; i++) {
        const struct pair p = random_pair(&dice);
        run_pair(&dice, &p);
    }
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void expect(const struct setting *settings, enum job_code with)
{
    static const char *const none[] = {"channel_groups=16", NULL};
    for (unsigned way = 0; way < 2; way++) {
        struct scene s;
        begin(&s, way ? none : JOINS);
        writer_op(&s.b.writer, "accumulate", settings);
        builder_finish(&s.b, &s.slots, 64);
        builder_free(&s.b);
        const enum job_code is = run_model(&s.v, &s.slots).code, must = way ? JOB_NO_FEATURE : with;
        cr_assert_eq(is, must, "%s, not %s", job_code_name(is), job_code_name(must));
        slots_free(&s.slots);
    }
}

Test(joins, accumulates_with_operands_and_joins_are_checked)
{
#define SECOND {"operand", OPERAND_SECOND}, {"source", 1}, {"length", 8}, {"slot", SLOT_PROGRAM}
#define SCALE                \
    {"multiplier", 1 << 30}, \
    {                        \
        "shift", 31          \
    }
#define REQUANTISED                \
    {"final", 1},                  \
    {                              \
        "function", NUM_REQUANTISE \
    }
#define SCALED              \
    {"channel_scale", 1},   \
    {                       \
        "channel_limits", 1 \
    }
    expect(WITH(SECOND, SCALE), JOB_OK);
    expect(WITH(SECOND, SCALE, {"fraction_15", 1}, {"scale_first", 1}), JOB_OK);
    expect(WITH(SECOND, {"multiplier", (1 << 30) - 1}, {"shift", 31}), JOB_BAD_FIELD);
    expect(WITH(SECOND, {"multiplier", 1 << 30}, {"shift", 30}), JOB_BAD_FIELD);
    expect(WITH(SECOND, {"multiplier", 1 << 30}, {"shift", 46}), JOB_OK);
    expect(WITH(SECOND, {"multiplier", 1 << 30}, {"shift", 47}), JOB_BAD_FIELD);
    expect(WITH(SECOND, {"multiplier", 1 << 30}, {"shift", 41}, {"fraction_15", 1}), JOB_OK);
    expect(WITH(SECOND, {"multiplier", 1 << 30}, {"shift", 42}, {"fraction_15", 1}), JOB_BAD_FIELD);
    expect(WITH(SECOND, SCALE, {"element", NUM_INT16}, {"offset", 4}), JOB_OK);
    expect(WITH(SECOND, SCALE, {"element", NUM_INT16}, {"offset", 2}), JOB_BAD_FIELD);
    expect(WITH(SECOND, SCALE, {"element", NUM_INT16}, {"run_pitch", 2}), JOB_BAD_FIELD);
    expect(WITH(SECOND, SCALE, {"element", NUM_INT32}), JOB_BAD_FIELD);
    expect(WITH(SECOND, SCALE, {"final", 1}), JOB_BAD_FIELD);
    expect(WITH(SECOND, SCALE, {"join", JOIN_ADD}), JOB_BAD_FIELD);
    expect(WITH({"operand", OPERAND_FIRST}, {"length", 8}), JOB_BAD_FIELD);
    expect(WITH({"scale_first", 1}), JOB_BAD_FIELD);
    expect(WITH({"fraction_15", 1}), JOB_BAD_FIELD);
    expect(WITH({"alone", 1}), JOB_BAD_FIELD);
    expect(WITH({"join", JOIN_ADD}, {"alone", 1}, REQUANTISED), JOB_OK);
    expect(WITH({"join", JOIN_ADD}, {"alone", 1}, REQUANTISED, {"channel_bias", 1}), JOB_BAD_FIELD);
    expect(WITH({"join", JOIN_ADD}, {"alone", 1}, {"final", 1}, {"function", NUM_RELU}), JOB_BAD_FIELD);
    expect(WITH({"join", JOIN_ADD}, {"alone", 1}, {"function", NUM_REQUANTISE}), JOB_BAD_FIELD);
    expect(WITH({"join", JOIN_ADD}, REQUANTISED, SCALED), JOB_OK);
    expect(WITH({"join", JOIN_ADD}, REQUANTISED, {"channel_scale", 1}), JOB_BAD_FIELD);
    expect(WITH({"join", JOIN_ADD}, REQUANTISED, {"channel_limits", 1}), JOB_BAD_FIELD);
#undef SECOND
#undef SCALE
#undef REQUANTISED
#undef SCALED
}
