/* SPDX-License-Identifier: Apache-2.0
 *
 * What storage units hold over jobs of one functional model: which number they have after which end of a job,
 * and that a program finds every byte as the one before it has left it. tests/sim_board/kept.sh has the
 * device.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "host/plan/stay.h"
#include "sim/numerics/numerics.h"
#include "tests/sim_model/support.h"

static const char *const with_key[] = {"kept_weights=on", NULL};

enum { NUMBER = 0x12345678, OTHER = 0x12345679 };

/* Partial sums from the storage unit to the output, at unit address 0. The first kind of program loads them.
 */
struct scene {
    struct variant v;
    struct model *model;
    struct slots loads, finds;
};

static void make(const struct variant *v, bool loads, struct slots *slots)
{
    struct builder b;
    builder_begin(&b, v);
    builder_config(&b, 0, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 1}), NULL}, {"st", NULL, NULL}},
                   2);
    const size_t bytes = 4 * (size_t)v->k;
    const uint32_t at = v->unit_bytes / 2;
    for (size_t i = 0; i < bytes; i++)
        sb_addn(&b.slot[SLOT_INPUT], &(const char){(char)(i + 1)}, 1);
    if (loads)
        writer_op(&b.writer, "load",
                  WITH({"rows", every_row(v)}, {"slot", SLOT_INPUT}, {"length", (int64_t)bytes},
                       {"unit_address", at}, {"signal_a", 1}, {"signal_a_token", TOKEN_SPARE}));
    else
        b.writer.tokens[TOKEN_SPARE] = 1;
    writer_op(&b.writer, "distribute",
              WITH({"rows", every_row(v)}, {"clusters", every_cluster(v)}, {"command", EXEC_SHIFT_OUT},
                   {"count", 1}, {"length", (int64_t)bytes}, {"unit_address", at}, {"wait_a", 1},
                   {"wait_a_token", TOKEN_SPARE}));
    writer_op(&b.writer, "store",
              WITH({"rows", every_row(v)}, {"clusters", every_cluster(v)}, {"slot", SLOT_OUTPUT},
                   {"element", NUM_INT32}, {"length", (int64_t)bytes * v->n * v->m}));
    builder_finish(&b, slots, bytes * v->n * v->m);
    builder_free(&b);
}

static struct scene scene_make(const char *const *sets)
{
    struct scene s = {.v = variant_of("tiny", sets)};
    s.model = model_new(&s.v);
    make(&s.v, true, &s.loads);
    make(&s.v, false, &s.finds);
    return s;
}

static void scene_free(struct scene *s)
{
    model_free(s->model);
    slots_free(&s->loads);
    slots_free(&s->finds);
}

static enum job_code run(struct scene *s, struct slots *slots, uint32_t expects, uint32_t leaves)
{
    const size_t bytes = slots->job.slots[SLOT_PROGRAM].size;
    struct strbuf program = {0};
    sb_addn(&program, (const char *)slots->job.slots[SLOT_PROGRAM].bytes, bytes);
    stay_number(&program, expects, leaves);
    memcpy(slots->job.slots[SLOT_PROGRAM].bytes, program.text, bytes);
    sb_free(&program);
    return run_on(s->model, slots).code;
}

static bool same_results(const struct scene *s)
{
    return !memcmp(s->loads.job.slots[SLOT_OUTPUT].bytes, s->finds.job.slots[SLOT_OUTPUT].bytes,
                   s->finds.job.slots[SLOT_OUTPUT].size);
}

Test(kept, a_program_finds_what_the_one_before_it_leaves)
{
    struct scene s = scene_make(with_key);
    cr_expect_eq(run(&s, &s.finds, NUMBER, 0), JOB_STALE_WEIGHTS, "nothing has run");
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_OK);
    /* What was loaded may change in memory. */
    memset(s.loads.job.slots[SLOT_INPUT].bytes, 0x55, s.loads.job.slots[SLOT_INPUT].size);
    cr_expect_eq(run(&s, &s.finds, NUMBER, NUMBER), JOB_OK);
    cr_expect(same_results(&s));
    memset(s.finds.job.slots[SLOT_OUTPUT].bytes, 0, s.finds.job.slots[SLOT_OUTPUT].size);
    cr_expect_eq(run(&s, &s.finds, NUMBER, OTHER), JOB_OK, "it left them as they were");
    cr_expect(same_results(&s));
    cr_expect_eq(run(&s, &s.finds, NUMBER, NUMBER), JOB_STALE_WEIGHTS, "they have another number");
    scene_free(&s);
}

Test(kept, every_other_end_leaves_nothing)
{
    struct scene s = scene_make(with_key);
    uint8_t *operation = s.loads.job.slots[SLOT_PROGRAM].bytes + ISA_OPERATION_BYTES;
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_OK);
    cr_expect_eq(run(&s, &s.finds, OTHER, OTHER), JOB_STALE_WEIGHTS);
    cr_expect_eq(run(&s, &s.finds, NUMBER, NUMBER), JOB_STALE_WEIGHTS, "a refusal is an end with an error");
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_OK);
    *operation ^= 1;
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_BAD_CHECK);
    *operation ^= 1;
    cr_expect_eq(run(&s, &s.finds, NUMBER, NUMBER), JOB_STALE_WEIGHTS);
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_OK);
    cr_expect_eq(run(&s, &s.loads, 0, 0), JOB_OK);
    cr_expect_eq(run(&s, &s.finds, NUMBER, NUMBER), JOB_STALE_WEIGHTS, "a program that says nothing");
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_OK);
    model_forget(s.model);
    cr_expect_eq(run(&s, &s.finds, NUMBER, NUMBER), JOB_STALE_WEIGHTS, "a soft reset");
    scene_free(&s);
}

Test(kept, a_variant_without_the_key_refuses_numbers)
{
    struct scene s = scene_make(NULL);
    cr_expect_eq(run(&s, &s.loads, 0, 0), JOB_OK);
    cr_expect_eq(run(&s, &s.loads, NUMBER, 0), JOB_NO_FEATURE);
    cr_expect_eq(run(&s, &s.loads, 0, NUMBER), JOB_NO_FEATURE);
    scene_free(&s);
}
