/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accumulates with softmax the functional model refuses, and where rows begin. Their results:
 * tests/host_plan/softmax.c.
 */
#include <criterion/criterion.h>

#include "sim/numerics/softmax.h"
#include "tests/sim_model/support.h"

static const char *const SOFTMAX[] = {"softmax=64", "joins=on", "channel_groups=16", "roundings=on", NULL};

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

static enum job_code code_of(const struct setting *settings, const char *const *sets)
{
    struct scene s;
    begin(&s, sets);
    writer_op(&s.b.writer, "accumulate", settings);
    builder_finish(&s.b, &s.slots, 64);
    builder_free(&s.b);
    const enum job_code code = run_model(&s.v, &s.slots).code;
    slots_free(&s.slots);
    return code;
}

static void expect(const struct setting *settings, enum job_code with)
{
    static const char *const none[] = {"joins=on", "channel_groups=16", "roundings=on", NULL};
    const enum job_code is = code_of(settings, SOFTMAX), other = code_of(settings, none);
    cr_expect_eq(is, with, "%s, not %s", job_code_name(is), job_code_name(with));
    cr_expect_neq(other, JOB_OK, "without the key");
}

Test(softmax, accumulates_are_checked)
{
#define OF(row) {"softmax", row}, {"final", 1}, {"function", NUM_REQUANTISE}
#define ALONE      \
    {              \
        "alone", 1 \
    }
    expect(WITH(OF(64), ALONE), JOB_OK);
    expect(WITH(OF(1), ALONE), JOB_OK);
    expect(WITH(OF(65), ALONE), JOB_BAD_FIELD);
    expect(WITH(OF(64)), JOB_BAD_FIELD);
    expect(WITH(OF(64), ALONE, {"join", JOIN_ADD}), JOB_BAD_FIELD);
    expect(WITH(OF(64), ALONE, {"channel_bias", 1}), JOB_BAD_FIELD);
    expect(WITH(OF(64), ALONE, {"source", 1}, {"length", 8}), JOB_BAD_FIELD);
    expect(WITH({"softmax", 8}, {"final", 1}, {"function", NUM_RELU}, ALONE), JOB_BAD_FIELD);
    expect(WITH({"softmax", 8}, {"function", NUM_REQUANTISE}, ALONE), JOB_BAD_FIELD);
    expect(WITH({"softmax", 8}, {"operand", OPERAND_FIRST}, {"source", 1}, {"length", 8}), JOB_BAD_FIELD);
    expect(WITH({"column", COLUMN_EXPONENTIAL}, {"source", 1}, {"length", 8}), JOB_OK);
    expect(WITH({"column", COLUMN_EXPONENTIAL}, {"source", 1}, {"length", 8}, {"group", 1}), JOB_BAD_FIELD);
    cr_expect_eq(code_of(WITH(OF(64), ALONE), (const char *const[]){"joins=on", "channel_groups=16", NULL}),
                 JOB_NO_FEATURE);
    cr_expect_eq(code_of(WITH(OF(64), ALONE), (const char *const[]){NULL}), JOB_NO_FEATURE);
    cr_expect_eq(code_of(WITH({"column", COLUMN_EXPONENTIAL}, {"source", 1}, {"length", 8}),
                         (const char *const[]){"channel_groups=16", NULL}),
                 JOB_NO_FEATURE);
#undef OF
#undef ALONE
}

/* Elements of int8 of a store; false: it fails. */
static enum job_code store_some(struct scene *s, unsigned elements)
{
    writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
    writer_op(&s->b.writer, "store",
              WITH({"rows", 1}, {"clusters", 1}, {"slot", SLOT_OUTPUT}, {"element", NUM_INT8},
                   {"length", elements}));
    builder_finish(&s->b, &s->slots, 64);
    return run_model(&s->v, &s->slots).code;
}

/* A row that is not all there fails, although the store wants less of it. */
Test(softmax, whole_rows_are_read)
{
    for (unsigned groups = 3; groups < 6; groups++) {
        struct scene s;
        begin(&s, SOFTMAX);
        const unsigned k = s.v.k;
        struct random dice = {groups};
        random_bytes(&dice, &s.b.slot[SLOT_INPUT], 64);
        writer_op(&s.b.writer, "accumulate",
                  WITH({"softmax", 4 * k - 1}, {"alone", 1}, {"final", 1}, {"function", NUM_REQUANTISE}));
        writer_op(
            &s.b.writer, "accumulate",
            WITH({"operand", OPERAND_FIRST}, {"source", 1}, {"slot", SLOT_INPUT}, {"length", groups * k}));
        cr_expect_eq(store_some(&s, k), groups < 4 ? JOB_BAD_LENGTH : JOB_OK, "%u groups", groups);
        builder_free(&s.b);
        slots_free(&s.slots);
    }
}
