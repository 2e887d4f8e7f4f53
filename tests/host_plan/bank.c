/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans whose operands and results lie in the activation bank, where the linker puts them: results are the
 * same, and memory sees weights, program and status, to the byte.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/plan/link.h"
#include "sim/cycle/cycle.h"
#include "sim/model/program.h"
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
    const enum plan_status why = plan_link(v, parts, count, program, &(uint64_t){0});
    for (unsigned i = 0; i < 3; i++)
        plan_free(&copies[i]);
    return !why;
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
        problem_random(&p, &dice, &v);
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

#define L(number) ((unsigned long long)(number))

/* ---- two layers ------------------------------------------------------------------------------------- */

enum { BEAT = 64, SIDE = 28, FRAME = SIDE + 2, CHANNELS = 64 };

/* 3 x 3 of 28 x 28 x 64 at 20 %, with a border of zeros around input and results. */
struct layer {
    struct problem p;
    struct plan_places from;
    struct plan_frame to;
    struct plan plan;
};

static void make_layer(struct layer *l, const struct variant *v, uint64_t seed)
{
    struct random dice = {seed};
    const struct plan_window w = problem_3x3(FRAME, FRAME, CHANNELS);
    problem_convolution(&l->p, &dice, v, &w, 1, CHANNELS, 20);
    free(l->p.partial);
    l->p.partial = NULL;
    l->p.d.partial = false;
    l->p.d.zero = 0;
    l->p.d.has_no_sign = false;
    l->p.d.channels = (struct plan_channels){0};
    l->p.d.element = NUM_INT8;
    l->p.d.function = (struct plan_function){
        .function = NUM_REQUANTISE, .multiplier = 1 << 30, .shift = 38, .low = -128, .high = 127};
    l->from = (struct plan_places){.pixel = CHANNELS,
                                   .line = FRAME * CHANNELS,
                                   .image = FRAME * FRAME * CHANNELS,
                                   .plane = FRAME * FRAME * CHANNELS,
                                   .group = CHANNELS};
    l->to = (struct plan_frame){.top = 1, .left = 1, .height = FRAME, .width = FRAME, .channels = CHANNELS};
    l->p.d.from = &l->from;
    l->p.d.to = &l->to;
    const char *why =
        plan_why(plan_make(&l->p.d, &(struct plan_choice){.split = {PLAN_M, PLAN_K}}, &l->plan));
    cr_assert_null(why, "%s", why);
    cr_assert_eq(l->plan.output_bytes, l->from.image);
}

static void free_layer(struct layer *l)
{
    plan_free(&l->plan);
    problem_free(&l->p);
}

/* Both in one program; where input, middle and output are. Weights stand one behind the other. */
static void make_program(const struct variant *v, const struct layer *layers, unsigned count,
                         const struct link_slot places[], struct strbuf *program)
{
    struct link_part parts[2];
    uint64_t weights = 0;
    for (unsigned i = 0; i < count; i++) {
        parts[i] = in_memory(&layers[i].plan);
        parts[i].slot[SLOT_WEIGHTS].base = weights;
        parts[i].slot[SLOT_INPUT] = places[i];
        parts[i].slot[SLOT_OUTPUT] = places[i + 1];
        cr_assert_eq(layers[i].plan.scratch_bytes, 0, "sums of k steps");
        weights += math_round_up(layers[i].plan.weights.len, BEAT);
    }
    cr_assert_null(plan_why(plan_link(v, parts, count, program, &(uint64_t){0})));
}

static void fill_image(uint8_t *to, struct random *dice)
{
    for (unsigned y = 1; y <= SIDE; y++)
        for (unsigned x = CHANNELS; x < (SIDE + 1) * CHANNELS; x++)
            to[y * FRAME * CHANNELS + x] = random_chance(dice, 60) ? (uint8_t)random_next(dice) : 0;
}

/* Cycles and bytes of one or two layers of an image in memory, and the image that comes of it there. */
static struct job_result run_layers(const struct variant *v, const struct layer *layers, unsigned count,
                                    const struct link_slot places[], const uint8_t *from, uint8_t *image)
{
    const size_t bytes = (size_t)layers->from.image;
    struct strbuf program = {0}, weights = {0};
    struct slots slots = {.job = {.number = 1}};
    struct cycle_options options = cycle_defaults(v);
    struct cycle_report report;
    uint8_t *zeros = calloc(1, bytes);
    cr_assert(zeros);
    make_program(v, layers, count, places, &program);
    for (unsigned i = 0; i < count; i++) {
        sb_addn(&weights, layers[i].plan.weights.text, layers[i].plan.weights.len);
        while (weights.len % BEAT)
            sb_addn(&weights, "", 1);
    }
    slots_set(&slots, SLOT_PROGRAM, program.text, program.len);
    slots_set(&slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(&slots, SLOT_WEIGHTS, weights.text, weights.len);
    slots_set(&slots, SLOT_INPUT, from, bytes);
    slots_set(&slots, SLOT_OUTPUT, zeros, bytes);
    slots_set(&slots, SLOT_SCRATCH, zeros, bytes);
    cr_assert(cycle_run(v, &options, &slots.job, &report));
    cr_assert_eq(report.result.code, JOB_OK, "%s", job_code_name(report.result.code));
    memcpy(image, slots.job.slots[SLOT_OUTPUT].bytes, bytes);
    const struct job_result result = report.result;
    cycle_report_free(&report);
    slots_free(&slots);
    sb_free(&program);
    sb_free(&weights);
    free(zeros);
    return result;
}

/* Bytes of a program's records, configurations, weights and loads of activations: what it asks for. */
struct asked {
    uint64_t of[ISA_SLOTS];
};

static enum job_code count_bytes(void *context, const struct operation *op, struct job_result *result)
{
    struct asked *asked = context;
    (void)result;
    const bool reads = (op->code == OP_LOAD && !op->zero) || (op->code == OP_ACCUMULATE && op->source);
    if (reads || op->code == OP_STORE)
        asked->of[op->memory.slot] += program_pattern_bytes(&op->memory);
    return JOB_OK;
}

static bool always(const void *context, const struct operation *op)
{
    (void)context;
    (void)op;
    return true;
}

static struct asked bytes_asked(const struct variant *v, const struct layer *layers,
                                const struct link_slot places[])
{
    struct asked asked = {{0}};
    struct strbuf program = {0};
    make_program(v, layers, 2, places, &program);
    struct job job = {.slots[SLOT_PROGRAM] = {(uint8_t *)program.text, program.len}};
    const struct model_engine engine = {.context = &asked, .execute = count_bytes, .store_ready = always};
    struct job_result result;
    model_walk(v, &job, &engine, &result);
    cr_assert_eq(result.code, JOB_OK);
    /* Records are fetched once each. */
    asked.of[SLOT_PROGRAM] += isa_program_bytes((const uint8_t *)program.text);
    sb_free(&program);
    return asked;
}

Test(bank, two_layers_move_weights_program_and_status)
{
    const struct variant v = bank_variant("local_bytes=131072");
    const uint64_t bytes = FRAME * FRAME * CHANNELS, results = SIDE * SIDE * CHANNELS;
    const struct link_slot memory[] = {{SLOT_INPUT, 0}, {SLOT_SCRATCH, 0}, {SLOT_OUTPUT, 0}},
                           between[] = {{SLOT_INPUT, 0}, IN_BANK(0), {SLOT_OUTPUT, 0}},
                           bank[] = {IN_BANK(0), IN_BANK(bytes), IN_BANK(0)},
                           alone[] = {{SLOT_INPUT, 0}, {SLOT_OUTPUT, 0}};
    struct layer layers[2] = {{.to = {.top = 0}}};
    struct random dice = {7};
    uint8_t *image[4];
    for (unsigned i = 0; i < 4; i++)
        cr_assert(image[i] = calloc(1, bytes));
    for (unsigned i = 0; i < 2; i++)
        make_layer(&layers[i], &v, 11 + i);
    fill_image(image[0], &dice);
    const struct asked asked = bytes_asked(&v, layers, memory);
    const uint64_t own = asked.of[SLOT_PROGRAM] + asked.of[SLOT_WEIGHTS];
    const struct job_result first = run_layers(&v, layers, 1, alone, image[0], image[1]),
                            second = run_layers(&v, layers + 1, 1, alone, image[1], image[2]),
                            some = run_layers(&v, layers, 2, between, image[0], image[3]);
    cr_assert(!memcmp(image[2], image[3], bytes), "another image through the bank");
    const struct job_result all = run_layers(&v, layers, 2, memory, image[0], image[3]);
    cr_assert(!memcmp(image[2], image[3], bytes), "another image through memory");
    const struct job_result none = run_layers(&v, layers, 2, bank, image[0], image[3]);
    /* All of it in the bank; input and output in memory; and all in memory. */
    cr_expect_eq(none.bytes_read, own);
    cr_expect_eq(none.bytes_written, ISA_STATUS_BYTES);
    cr_expect_eq(some.bytes_read, own + asked.of[SLOT_INPUT]);
    cr_expect_eq(some.bytes_written, ISA_STATUS_BYTES + results);
    cr_expect_eq(all.bytes_read, own + asked.of[SLOT_INPUT] + asked.of[SLOT_SCRATCH] - results);
    cr_expect_eq(all.bytes_written, ISA_STATUS_BYTES + 2 * results);
    cr_expect_eq(asked.of[SLOT_WEIGHTS], layers[0].plan.weights.len + layers[1].plan.weights.len,
                 "weights are read once");
    cr_expect_leq(some.cycles, first.cycles + second.cycles);
    cr_log_info("bytes read and written, cycles: all in memory %llu %llu %llu, between in the bank %llu %llu "
                "%llu, all "
                "in the bank %llu %llu, alone %llu and %llu; weights %llu, program %llu",
                L(all.bytes_read), L(all.bytes_written), L(all.cycles), L(some.bytes_read),
                L(some.bytes_written), L(some.cycles), L(none.bytes_read), L(none.bytes_written),
                L(first.cycles), L(second.cycles), L(asked.of[SLOT_WEIGHTS]), L(asked.of[SLOT_PROGRAM]));
    for (unsigned i = 0; i < 4; i++)
        free(image[i]);
    for (unsigned i = 0; i < 2; i++)
        free_layer(&layers[i]);
}
