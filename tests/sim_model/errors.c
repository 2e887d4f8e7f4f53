/* SPDX-License-Identifier: Apache-2.0
 *
 * Every status code that the functional model can give: a program that
 * provokes it, with the queue that reports it and where. What only a memory
 * bus or a reset can cause is not here.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/sequence.h"
#include "tests/sim_model/stream.h"
#include "tests/sim_model/victims.h"

/* A program with one configured buffer (2) that multiplies a segment and shifts the result out. */
struct fixture {
    struct variant v;
    struct builder b;
    struct slots slots;
};

static void begin(struct fixture *f)
{
    static const char *const sets[] = {"functions=relu,requantise", NULL};
    f->v = variant_of("tiny", sets);
    builder_begin(&f->b, &f->v);
}

static const struct config_instruction multiply[] = {
    {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
    {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, NULL},
    {"st", NULL, NULL},
};

static void configure_multiply(struct fixture *f)
{
    builder_config(&f->b, 2, SETTINGS{{"restart", 1}, {NULL, 0}}, multiply, 3);
}

/* The byte offset that the next operation will have. */
static uint64_t next_place(const struct fixture *f)
{
    return (uint64_t)(f->b.writer.count + 1) * ISA_OPERATION_BYTES;
}

/* Of the operation that a send of the builder ends in. */
static uint64_t last_place(const struct fixture *f)
{
    return (uint64_t)f->b.writer.count * ISA_OPERATION_BYTES;
}

static struct send to_one(unsigned command, unsigned count)
{
    return (struct send){.rows = 1, .clusters = 1, .command = command, .count = count};
}

static void expect_run(struct fixture *f, enum job_code code, enum job_queue queue, uint64_t place)
{
    struct job_result result = run_model(&f->v, &f->slots);
    cr_assert_eq(result.code, code, "%s, not %s", job_code_name(result.code), job_code_name(code));
    cr_assert_eq(result.queue, queue, "queue %d, not %d", result.queue, queue);
    cr_assert_eq(result.offset, place, "offset %llu, not %llu", (unsigned long long)result.offset,
                 (unsigned long long)place);
    slots_free(&f->slots);
}

static void finish_and_expect(struct fixture *f, enum job_code code, enum job_queue queue, uint64_t place)
{
    builder_finish(&f->b, &f->slots, 256);
    builder_free(&f->b);
    expect_run(f, code, queue, place);
}

/* One operation, as given, must be refused by the command processor. */
static void expect_refused(const char *name, const struct setting *settings, enum job_code code)
{
    struct fixture f;
    begin(&f);
    uint64_t place = next_place(&f);
    writer_op(&f.b.writer, name, settings);
    finish_and_expect(&f, code, QUEUE_COMMAND, place);
}

/* ---- the header ------------------------------------------------------------------------------ */

static void expect_header(unsigned byte, unsigned value, bool sealed, enum job_code code)
{
    struct fixture f;
    begin(&f);
    builder_finish(&f.b, &f.slots, 0);
    builder_free(&f.b);
    uint8_t *program = f.slots.job.slots[SLOT_PROGRAM].bytes;
    program[byte] = (uint8_t)value;
    if (sealed)
        seal_header(program);
    expect_run(&f, code, QUEUE_COMMAND, 0);
}

Test(errors, header)
{
    expect_header(0, 'X', true, JOB_BAD_MAGIC);
    expect_header(4, 2, true, JOB_BAD_VERSION);
    expect_header(5, ISA_MINOR + 1, true, JOB_BAD_VERSION);
    expect_header(20, 1, false, JOB_BAD_CHECK);
    expect_header(6, 1, true, JOB_BAD_RESERVED);
    expect_header(54, 1, true, JOB_BAD_RESERVED);
    expect_header(44, 1, true, JOB_NO_FEATURE); /* the variant keeps no weights */
    expect_header(50, 1, true, JOB_NO_FEATURE);
    expect_header(8, 1, true, JOB_WRONG_VARIANT);
    expect_header(16, 0, true, JOB_BAD_FIELD);  /* no operations */
    expect_header(16, 2, true, JOB_BAD_LENGTH); /* more than there are */
    expect_header(36, 1, true, JOB_BAD_FIELD);  /* a token that the variant does not have */
}

Test(errors, the_variant_may_be_named)
{
    struct fixture f;
    begin(&f);
    struct strbuf image = {0};
    cr_assert(writer_finish(&f.b.writer, model_variant_hash(&f.v), &image));
    f.slots = (struct slots){0};
    slots_set(&f.slots, SLOT_PROGRAM, image.text, image.len);
    slots_set(&f.slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    sb_free(&image);
    builder_free(&f.b);
    expect_run(&f, JOB_OK, QUEUE_NONE, 0);
}

Test(errors, no_program_at_all)
{
    struct fixture f = {.v = variant_of("tiny", NULL)};
    slots_set(&f.slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    expect_run(&f, JOB_BAD_LENGTH, QUEUE_COMMAND, 0);
}

Test(errors, a_status_slot_that_is_too_small_stays_untouched)
{
    struct fixture f;
    begin(&f);
    builder_finish(&f.b, &f.slots, 0);
    builder_free(&f.b);
    f.slots.job.slots[SLOT_STATUS].size = ISA_STATUS_BYTES - 1;
    struct job_result result;
    struct model *model = model_new(&f.v);
    model_run(model, &f.slots.job, &result);
    model_free(model);
    cr_assert_eq(result.code, JOB_OK);
    for (unsigned i = 0; i < ISA_STATUS_BYTES; i++)
        cr_assert_eq(f.slots.job.slots[SLOT_STATUS].bytes[i], 0xEE);
    slots_free(&f.slots);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An operation whose byte is changed. */
static void expect_changed(const char *name, const struct setting *settings, unsigned byte, unsigned value,
                           bool sealed, enum job_code code)
{
    struct fixture f;
    begin(&f);
    writer_op(&f.b.writer, name, settings);
    builder_finish(&f.b, &f.slots, 0);
    builder_free(&f.b);
    uint8_t *program = f.slots.job.slots[SLOT_PROGRAM].bytes;
    program[64 + byte] = (uint8_t)value;
    if (sealed)
        seal_operation(program, 64);
    expect_run(&f, code, QUEUE_COMMAND, 64);
}

static void expect_record(unsigned byte, unsigned value, bool sealed, enum job_code code)
{
    expect_changed("fence", NULL, byte, value, sealed, code);
}

Test(errors, records)
{
    expect_record(33, 1, false, JOB_BAD_CHECK);
    expect_record(0, 9, true, JOB_BAD_OPCODE);
    expect_record(0, 0, true, JOB_BAD_OPCODE);
    expect_record(33, 1, true, JOB_BAD_RESERVED);
    expect_record(0, 1, true, JOB_BAD_LENGTH); /* an end that is not the last operation */
}

#define LOAD(...)                                \
    SETTINGS                                     \
    {                                            \
        {"rows", 1}, {"length", 8}, __VA_ARGS__, \
        {                                        \
            NULL, 0                              \
        }                                        \
    }
#define DISTRIBUTE(...)                                          \
    SETTINGS                                                     \
    {                                                            \
        {"rows", 1}, {"clusters", 1}, {"count", 1}, __VA_ARGS__, \
        {                                                        \
            NULL, 0                                              \
        }                                                        \
    }
#define STORE(...)                                                                       \
    SETTINGS                                                                             \
    {                                                                                    \
        {"rows", 1}, {"clusters", 1}, {"length", 8}, {"slot", SLOT_OUTPUT}, __VA_ARGS__, \
        {                                                                                \
            NULL, 0                                                                      \
        }                                                                                \
    }
#define ACCUMULATE(...)                      \
    SETTINGS                                 \
    {                                        \
        {"slot", SLOT_PARTIAL}, __VA_ARGS__, \
        {                                    \
            NULL, 0                          \
        }                                    \
    }

Test(errors, fields_out_of_range)
{
    expect_refused("load", SETTINGS{{"length", 8}, {NULL, 0}}, JOB_BAD_FIELD); /* no row */
    expect_refused("load", LOAD({"rows", 4}), JOB_BAD_FIELD);                  /* no such row */
    expect_refused("load", LOAD({"length", 0}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"length", 12}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"offset", 4}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"run_pitch", 4}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"plane_pitch", -4}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"unit_address", 4}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"length", 16384 + 8}), JOB_BAD_FIELD); /* more than a unit holds */
    expect_refused("load", LOAD({"runs", 65535}, {"planes", 65535}), JOB_BAD_FIELD);
    expect_refused("load", LOAD({"wait_a", 1}, {"wait_a_token", 8}), JOB_BAD_FIELD); /* the variant has 8 */
    expect_refused("load", LOAD({"signal_b", 1}, {"signal_b_token", 31}), JOB_BAD_FIELD);
    expect_refused("distribute", SETTINGS{{"rows", 1}, {"count", 1}, {NULL, 0}},
                   JOB_BAD_FIELD); /* no cluster */
    expect_refused("distribute", DISTRIBUTE({"clusters", 4}), JOB_BAD_FIELD);
    expect_refused("distribute", DISTRIBUTE({"count", 0}), JOB_BAD_FIELD);
    expect_refused("distribute", DISTRIBUTE({"length", 4}), JOB_BAD_FIELD);
    expect_refused("distribute", DISTRIBUTE({"length", 8}, {"runs", 2}, {"run_pitch", 4}), JOB_BAD_FIELD);
    expect_refused("distribute", DISTRIBUTE({"length", 16384}, {"runs", 2}), JOB_BAD_FIELD);
    expect_refused("store", STORE({"length", 0}), JOB_BAD_FIELD);
    expect_refused("store", STORE({"element", 2}, {"length", 6}), JOB_BAD_FIELD);
    expect_refused("store", STORE({"element", 3}, {"offset", 4}), JOB_BAD_FIELD);
    expect_refused("store", STORE({"element", 1}, {"run_pitch", 1}), JOB_BAD_FIELD);
    expect_refused("accumulate", ACCUMULATE({"source", 1}, {"length", 0}), JOB_BAD_FIELD);
    expect_refused("accumulate", ACCUMULATE({"source", 1}, {"length", 6}, {"element", 2}), JOB_BAD_FIELD);
}

/* What no assembler writes: fields below their least value. */
Test(errors, fields_that_are_0)
{
    expect_changed("load", LOAD({"offset", 0}), 20, 0, true, JOB_BAD_FIELD); /* runs */
    expect_changed("load", LOAD({"offset", 0}), 22, 0, true, JOB_BAD_FIELD); /* planes */
    expect_changed("distribute", DISTRIBUTE({"length", 0}), 20, 0, true, JOB_BAD_FIELD);
}

Test(errors, reserved_bits_and_conditions)
{
    expect_refused("load", LOAD({"wait_a_token", 1}), JOB_BAD_RESERVED); /* without wait_a */
}

Test(errors, slots_that_operations_may_not_write)
{
    static const unsigned slots[] = {SLOT_PROGRAM, SLOT_STATUS,  SLOT_WEIGHTS,
                                     SLOT_INPUT,   SLOT_PARTIAL, SLOT_EXTRA};
    for (unsigned s = 0; s < sizeof slots / sizeof *slots; s++)
        expect_refused("store", STORE({"slot", slots[s]}), JOB_NOT_WRITABLE);
}

Test(errors, roundings_that_the_variant_does_not_have)
{
    for (unsigned rounding = 1; rounding < NUM_ROUNDINGS; rounding++) {
        struct fixture f;
        begin(&f);
        builder_config_functions(&f.b, 0, NULL, multiply, 3,
                                 &(struct function_record){.function = 1, .rounding = rounding}, 1);
        finish_and_expect(&f, JOB_NO_FEATURE, QUEUE_CLUSTER, 128);
        expect_refused("accumulate", ACCUMULATE({"rounding", rounding}), JOB_NO_FEATURE);
        expect_refused("accumulate", ACCUMULATE({"final", 1}, {"function", 3}, {"rounding", rounding}),
                       JOB_NO_FEATURE);
    }
}

Test(errors, functions_that_the_variant_does_not_have)
{
    expect_refused("accumulate", ACCUMULATE({"final", 1}, {"function", 3}), JOB_NO_FUNCTION);
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct loop_step {
    char what; /* '(' begins, ')' ends, '.' is an operation */
    unsigned level, body;
};

/* The first operation that is refused is number `at`, counted from 1. */
static void expect_loops(const struct loop_step *steps, unsigned at, enum job_code code)
{
    struct fixture f;
    begin(&f);
    for (; steps->what; steps++) {
        if (steps->what == '(')
            writer_op(&f.b.writer, "loop", SETTINGS{{"iterations", 2}, {"level", steps->level}, {NULL, 0}});
        else if (steps->what == ')')
            writer_op(&f.b.writer, "endloop",
                      SETTINGS{{"body", steps->body}, {"level", steps->level}, {NULL, 0}});
        else
            writer_op(&f.b.writer, "fence", NULL);
    }
    finish_and_expect(&f, code, code ? QUEUE_COMMAND : QUEUE_NONE, (uint64_t)at * ISA_OPERATION_BYTES);
}

#define STEPS (const struct loop_step[])

Test(errors, loops)
{
    expect_loops(STEPS{{'(', 0, 0}, {'.', 0, 0}, {')', 0, 2}, {0, 0, 0}}, 0, JOB_OK);
    expect_loops(STEPS{{')', 0, 1}, {0, 0, 0}}, 1, JOB_BAD_LOOP);
    expect_loops(STEPS{{'(', 0, 0}, {')', 0, 1}, {0, 0, 0}}, 2, JOB_BAD_LOOP); /* nothing in it */
    expect_loops(STEPS{{'(', 0, 0}, {'.', 0, 0}, {')', 0, 3}, {0, 0, 0}}, 3, JOB_BAD_LOOP);
    expect_loops(STEPS{{'(', 0, 0}, {'.', 0, 0}, {')', 1, 2}, {0, 0, 0}}, 3, JOB_BAD_LOOP);
    expect_loops(STEPS{{'(', 1, 0}, {'(', 0, 0}, {0, 0, 0}}, 2, JOB_BAD_LOOP); /* an inner level is higher */
    expect_loops(STEPS{{'(', 1, 0}, {'(', 1, 0}, {0, 0, 0}}, 2, JOB_BAD_LOOP);
    expect_loops(STEPS{{'(', 0, 0}, {'.', 0, 0}, {0, 0, 0}}, 3, JOB_BAD_LOOP); /* the end in a loop */
}

Test(errors, loop_bodies_fit_the_program_buffer)
{
    for (unsigned extra = 0; extra < 2; extra++) {
        struct loop_step steps[40] = {{'(', 0, 0}};
        unsigned body = 15 + extra; /* with its loop operation, the variant's 16 or one more */
        for (unsigned i = 1; i < body; i++)
            steps[i].what = '.';
        steps[body] = (struct loop_step){')', 0, body};
        expect_loops(steps, extra ? body + 1 : 0, extra ? JOB_BAD_LOOP : JOB_OK);
    }
}

Test(errors, a_program_without_an_end)
{
    struct fixture f;
    begin(&f);
    writer_op(&f.b.writer, "fence", NULL);
    builder_finish(&f.b, &f.slots, 0);
    builder_free(&f.b);
    uint8_t *program = f.slots.job.slots[SLOT_PROGRAM].bytes;
    program[16] = 1;
    seal_header(program);
    expect_run(&f, JOB_BAD_LENGTH, QUEUE_COMMAND, 128);
}

Test(errors, operations_are_bounded)
{
    struct fixture f;
    begin(&f);
    writer_op(&f.b.writer, "loop", SETTINGS{{"iterations", 1000000}, {NULL, 0}});
    writer_op(&f.b.writer, "fence", NULL);
    writer_op(&f.b.writer, "endloop", SETTINGS{{"body", 2}, {NULL, 0}});
    builder_finish(&f.b, &f.slots, 0);
    builder_free(&f.b);
    f.slots.job.max_operations = 1000;
    struct job_result result = run_model(&f.v, &f.slots);
    cr_assert_eq(result.code, JOB_WATCHDOG);
    cr_assert_eq(result.queue, QUEUE_COMMAND);
    slots_free(&f.slots);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

Test(errors, deadlocks)
{
    struct fixture f;
    begin(&f);
    writer_op(&f.b.writer, "load", LOAD({"zero", 1}));
    uint64_t place = next_place(&f);
    writer_op(&f.b.writer, "load", LOAD({"zero", 1}, {"wait_a", 1}, {"wait_a_token", 3}));
    writer_op(&f.b.writer, "load", LOAD({"zero", 1}, {"signal_a", 1}, {"signal_a_token", 3}));
    finish_and_expect(&f, JOB_DEADLOCK, QUEUE_COMMAND, place);
    begin(&f); /* results that nobody makes */
    place = next_place(&f);
    writer_op(&f.b.writer, "store", STORE({"length", 8}));
    finish_and_expect(&f, JOB_DEADLOCK, QUEUE_COMMAND, place);
}

Test(errors, an_operation_that_waits_twice_needs_two_tokens)
{
    for (unsigned tokens = 1; tokens < 3; tokens++) {
        struct fixture f;
        begin(&f);
        f.b.writer.tokens[5] = (uint8_t)tokens;
        writer_op(&f.b.writer, "load",
                  LOAD({"zero", 1}, {"wait_a", 1}, {"wait_a_token", 5}, {"wait_b", 1}, {"wait_b_token", 5}));
        finish_and_expect(&f, tokens == 2 ? JOB_OK : JOB_DEADLOCK, tokens == 2 ? QUEUE_NONE : QUEUE_COMMAND,
                          tokens == 2 ? 0 : 64);
    }
}

Test(errors, tokens_count_to_15)
{
    struct fixture f;
    begin(&f);
    f.b.writer.tokens[7] = 14;
    writer_op(&f.b.writer, "load", LOAD({"zero", 1}, {"signal_b", 1}, {"signal_b_token", 7}));
    uint64_t place = next_place(&f);
    writer_op(&f.b.writer, "load", LOAD({"zero", 1}, {"signal_b", 1}, {"signal_b_token", 7}));
    finish_and_expect(&f, JOB_TOKEN_OVERFLOW, QUEUE_COMMAND, place);
}

/* ---- addresses in slots ---------------------------------------------------------------------- */

/* An operation that its queue refuses when it gets there. */
static void expect_queue_error(const char *name, const struct setting *settings, enum job_code code,
                               enum job_queue queue)
{
    struct fixture f;
    begin(&f);
    sb_addn(&f.b.slot[SLOT_PARTIAL], "0123456789abcdef", 16);
    uint64_t place = next_place(&f);
    writer_op(&f.b.writer, name, settings);
    finish_and_expect(&f, code, queue, place);
}

Test(errors, addresses_outside_of_slots)
{
    expect_queue_error("load", LOAD({"slot", SLOT_INPUT}), JOB_OUT_OF_SLOT, QUEUE_LOAD); /* there is none */
    expect_queue_error("load", LOAD({"slot", SLOT_PARTIAL}, {"offset", 16}), JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect_queue_error("load", LOAD({"slot", SLOT_PARTIAL}, {"length", 24}), JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect_queue_error("load", LOAD({"slot", SLOT_PARTIAL}, {"runs", 2}, {"run_pitch", -8}), JOB_OUT_OF_SLOT,
                       QUEUE_LOAD);
    expect_queue_error("load", LOAD({"slot", SLOT_PARTIAL}, {"planes", 3}, {"plane_pitch", 8}),
                       JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect_queue_error("load", LOAD({"slot", SLOT_PARTIAL}, {"offset", INT64_C(0xFFFFFFFFFFF8)}),
                       JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect_queue_error("store", STORE({"slot", SLOT_SCRATCH}), JOB_OUT_OF_SLOT, QUEUE_STORE);
    expect_queue_error("store", STORE({"offset", 256}), JOB_OUT_OF_SLOT, QUEUE_STORE);
    expect_queue_error("store", STORE({"runs", 2}, {"run_pitch", -1}), JOB_OUT_OF_SLOT, QUEUE_STORE);
    expect_queue_error("accumulate", ACCUMULATE({"source", 1}, {"length", 17}), JOB_OUT_OF_SLOT,
                       QUEUE_ACCUMULATE);
}

Test(errors, commands_are_checked_by_the_cluster)
{
    expect_queue_error("distribute", DISTRIBUTE({"command", 0x20}), JOB_BAD_COMMAND, QUEUE_CLUSTER);
    expect_queue_error("distribute", DISTRIBUTE({"command", 0x41}), JOB_BAD_COMMAND, QUEUE_CLUSTER);
    expect_queue_error("distribute", DISTRIBUTE({"command", 0}, {"length", 0}), JOB_BAD_COMMAND,
                       QUEUE_CLUSTER);
}

/* ---- configurations -------------------------------------------------------------------------- */

/* A configuration with other bytes from here on, sealed again or not; the whole payload is 32 bytes. */
static void expect_config_bytes(unsigned first, const uint8_t bytes[2], unsigned count, bool sealed,
                                enum job_code code)
{
    struct fixture f;
    begin(&f);
    builder_config(&f.b, 1, NULL, (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
    uint64_t place = last_place(&f);
    builder_finish(&f.b, &f.slots, 0);
    builder_free(&f.b);
    uint8_t *config = f.slots.job.slots[SLOT_PROGRAM].bytes + f.slots.job.slots[SLOT_PROGRAM].size - 32;
    memcpy(config + first, bytes, count);
    if (sealed)
        isa_seal(&isa_config, isa_find_format(&isa_config, "config_header"), config, 32, 0);
    expect_run(&f, code, QUEUE_CLUSTER, place);
}

static void expect_config(unsigned byte, unsigned value, bool sealed, enum job_code code)
{
    expect_config_bytes(byte, (const uint8_t[2]){(uint8_t)value}, 1, sealed, code);
}

static void expect_config_pair(unsigned first, unsigned low, unsigned high, enum job_code code)
{
    expect_config_bytes(first, (const uint8_t[2]){(uint8_t)low, (uint8_t)high}, 2, true, code);
}

Test(errors, configurations)
{
    expect_config(24, 1, false, JOB_CONFIG_CHECK);
    expect_config(0, 1 | 2 << 2, true, JOB_CONFIG_VERSION);
    expect_config(1, 2, true, JOB_CONFIG_LENGTH);     /* more records than come */
    expect_config(1, 33, true, JOB_BAD_FIELD);        /* more than any buffer has */
    expect_config(0, 0, true, JOB_BAD_FIELD);         /* not a header */
    expect_config(16, 3, true, JOB_BAD_FIELD);        /* a function where an instruction must be */
    expect_config(2, 1 << 4, true, JOB_BAD_RESERVED); /* a trigger buffer without a trigger */
    expect_config(17, 0x90, true, JOB_BAD_INSTRUCTION);
    expect_config(16, 2 | 8, true, JOB_BAD_RESERVED);
    expect_config(16, 2 | 4, true, JOB_NO_FEATURE); /* a maximum */
    expect_config(17, 0xC0, true, JOB_NO_FEATURE);  /* SPU */
    expect_config(28, 16, true, JOB_OUT_OF_BUFFER); /* the output queue has 16 entries */
}

/* What is wrong with a record has an order, wherever it is in the record. */
Test(errors, configurations_with_two_errors)
{
    expect_config_pair(0, 1 | 2 << 2, 33, JOB_CONFIG_VERSION);
    expect_config_pair(1, 33, 1 << 4, JOB_BAD_RESERVED);  /* too many, and a trigger buffer without trigger */
    expect_config(2, 3 | 1 << 4, true, JOB_BAD_RESERVED); /* a queue that is not defined, and the same */
    expect_config_pair(16, 2 | 8, 0x90, JOB_BAD_INSTRUCTION);
}

/* Buffers share the register file: 32 entries in pages of four. */
Test(errors, registers)
{
    struct fixture f;
    const struct config_instruction st = {"st", NULL, NULL};
    const struct config_instruction stores[16] = {st, st, st, st, st, st, st, st,
                                                  st, st, st, st, st, st, st, st};
    for (unsigned more = 0; more < 2; more++) {
        begin(&f);
        cr_assert_eq(f.b.variant.register_file_entries, 32);
        builder_config(&f.b, 0, NULL, stores, 16);
        builder_config(&f.b, 0, NULL, stores, 16); /* which gives back four pages */
        builder_config(&f.b, 1, NULL, stores, 12);
        builder_config(&f.b, 2, NULL, stores, 3);
        builder_config(&f.b, 2, NULL, stores, 4 + more);
        uint64_t place = last_place(&f);
        builder_finish(&f.b, &f.slots, 0);
        builder_free(&f.b);
        expect_run(&f, more ? JOB_CONFIG_LENGTH : JOB_OK, more ? QUEUE_CLUSTER : QUEUE_NONE,
                   more ? place : 0);
    }
}

/* One instruction with these operands is refused. */
static void expect_instruction(const char *format, const struct setting *instruction,
                               const struct setting *operands, enum job_code code)
{
    struct fixture f;
    begin(&f);
    const struct config_instruction one = {format, instruction, operands};
    builder_config(&f.b, 0, SETTINGS{{"block", 100}, {NULL, 0}}, &one, 1);
    finish_and_expect(&f, code, code ? QUEUE_CLUSTER : QUEUE_NONE, code ? 128 : 0);
}

Test(errors, operands)
{
    expect_instruction("mac", NULL, WITH({"address", 1023}), JOB_OK);
    expect_instruction("mac", NULL, WITH({"address", 1024}), JOB_OUT_OF_BUFFER);
    expect_instruction("mac", WITH({"base", 10}), WITH({"address", 24}), JOB_OUT_OF_BUFFER);
    expect_instruction("mac", NULL, WITH({"wrap", 1025}), JOB_OUT_OF_BUFFER);
    expect_instruction("mac", NULL, WITH({"wrap", 8}, {"address", 8}), JOB_OUT_OF_BUFFER);
    expect_instruction("mac", NULL, WITH({"wrap", 8}, {"stride", -8}), JOB_OK);
    expect_instruction("mac", NULL, WITH({"wrap", 8}, {"stride", 9}), JOB_OUT_OF_BUFFER);
    expect_instruction("mac", NULL, WITH({"wrap", 8}, {"stride", -9}), JOB_OUT_OF_BUFFER);
    expect_instruction("mac", NULL, WITH({"wrap", 8}, {"stride", -4}, {"inner", 2}, {"pitch", -5}),
                       JOB_OUT_OF_BUFFER);
    expect_instruction("mac", NULL, WITH({"wrap", 8}, {"stride", 4}, {"inner", 2}, {"pitch", 5}),
                       JOB_OUT_OF_BUFFER);
    expect_instruction("st", WITH({"base", 1}), NULL, JOB_OUT_OF_BUFFER); /* entry 100 of 16 */
    expect_instruction("mac", WITH({"chain", 1}), NULL, JOB_NO_FUNCTION); /* without a function table */
}

/* With accumulation buffers: a packet may be the last of a sequence that defers only; a maximum has no
 * buffer. */
static void expect_buffers(const struct setting *header, const struct config_instruction *one, unsigned last,
                           enum job_code code)
{
    static const char *const sets[] = {"functions=max", "accumulators=on", NULL};
    struct fixture f;
    f.v = variant_of("tiny", sets);
    builder_begin(&f.b, &f.v);
    builder_config(&f.b, 0, header, one, 1);
    const struct send send = to_one(EXEC | (last ? COMMAND_LAST : 0), 1);
    if (one->format[0] == 's')
        builder_send(&f.b, &send, "", 0);
    uint64_t place = last_place(&f);
    finish_and_expect(&f, code, code ? QUEUE_CLUSTER : QUEUE_NONE, code ? place : 0);
}

Test(errors, accumulation_buffers)
{
    const struct config_instruction st = {"st", NULL, NULL}, none = {"mac", NULL, WITH({"maximum", 1})},
                                    named = {"mac", WITH({"acc", 1}), WITH({"maximum", 1})};
    expect_buffers(NULL, &st, 0, JOB_OK);
    expect_buffers(NULL, &st, 1, JOB_BAD_COMMAND);
    expect_buffers(WITH({"queue", 2}), &st, 1, JOB_BAD_COMMAND);
    expect_buffers(WITH({"queue", 2}, {"defer", 1}), &st, 1, JOB_NO_FEATURE);
    expect_buffers(WITH({"defer", 1}), &st, 1, JOB_OK);
    expect_buffers(NULL, &none, 0, JOB_OK);
    expect_buffers(NULL, &named, 0, JOB_BAD_FIELD);
    expect_buffers(WITH({"defer", 1}), &none, 0, JOB_BAD_FIELD);
}

Test(errors, functions_of_a_configuration)
{
    for (unsigned function = 0; function < 10; function++) {
        struct fixture f;
        begin(&f);
        bool there = function == 0 || function == 1 || function == 6;
        builder_config_functions(&f.b, 0, NULL, multiply, 3, &(struct function_record){.function = function},
                                 1);
        finish_and_expect(&f, there ? JOB_OK : JOB_NO_FUNCTION, there ? QUEUE_NONE : QUEUE_CLUSTER,
                          there ? 0 : 128);
    }
}

/* Weights are alone in their packets; whatever else comes with them. */
Test(errors, other_loads_beside_weights)
{
    static const unsigned other[] = {0, 1, 2};
    for (unsigned order = 0; order < 2; order++)
        for (unsigned i = 0; i < 3; i++) {
            struct fixture f;
            begin(&f);
            const struct config_instruction weights = {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                            load = {"ld", SETTINGS{{"target", other[i]}, {NULL, 0}}, NULL};
            const struct config_instruction code[] = {
                order ? load : weights, {"mac", NULL, NULL}, order ? weights : load};
            builder_config(&f.b, 0, SETTINGS{{"block", 8}, {NULL, 0}}, code, 3);
            finish_and_expect(&f, JOB_BAD_FIELD, QUEUE_CLUSTER, 128);
        }
}

Test(errors, buffers)
{
    struct fixture f;
    begin(&f);
    struct send send = to_one(EXEC | 3, 1);
    builder_send(&f.b, &send, "", 0);
    uint64_t place = last_place(&f);
    finish_and_expect(&f, JOB_NOT_CONFIGURED, QUEUE_CLUSTER, place);
    begin(&f); /* tiny has eight buffers */
    send = to_one(EXEC | 8, 1);
    builder_send(&f.b, &send, "", 0);
    place = last_place(&f);
    finish_and_expect(&f, JOB_NOT_CONFIGURED, QUEUE_CLUSTER, place);
    begin(&f); /* a trigger that the variant cannot have */
    builder_config(&f.b, 0, SETTINGS{{"trigger", 1}, {"trigger_buffer", 8}, {NULL, 0}}, multiply, 3);
    finish_and_expect(&f, JOB_BAD_FIELD, QUEUE_CLUSTER, 128);
    begin(&f); /* the sliding window is not there yet */
    builder_config(&f.b, 0, SETTINGS{{"queue", 2}, {NULL, 0}}, multiply, 3);
    send = to_one(EXEC, 1);
    builder_send(&f.b, &send, "", 0);
    place = last_place(&f);
    finish_and_expect(&f, JOB_NO_FEATURE, QUEUE_CLUSTER, place);
}

Test(errors, a_ring_of_triggers)
{
    struct fixture f;
    begin(&f);
    for (unsigned buffer = 0; buffer < 2; buffer++)
        builder_config(&f.b, buffer, SETTINGS{{"trigger", 1}, {"trigger_buffer", 1 - buffer}, {NULL, 0}},
                       (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
    struct send send = to_one(EXEC, 1);
    builder_send(&f.b, &send, "", 0);
    uint64_t place = last_place(&f);
    finish_and_expect(&f, JOB_BAD_LOOP, QUEUE_CLUSTER, place);
}

/* ---- packets --------------------------------------------------------------------------------- */

/* A packet of these streams, with a count, to the multiplying buffer. `pe`: whose error it is. */
static void expect_streams(const struct stream *streams, unsigned count, enum job_code code, unsigned pe)
{
    struct fixture f;
    struct strbuf bytes = {0};
    begin(&f);
    configure_multiply(&f);
    streams_pack(&f.v, streams, &bytes);
    struct send send = to_one(EXEC | 2, count);
    builder_send(&f.b, &send, bytes.text, bytes.len);
    uint64_t place = last_place(&f);
    builder_finish(&f.b, &f.slots, 64);
    builder_free(&f.b);
    sb_free(&bytes);
    struct job_result result = run_model(&f.v, &f.slots);
    cr_assert_eq(result.code, code, "%s, not %s", job_code_name(result.code), job_code_name(code));
    cr_assert_eq(result.queue, code ? QUEUE_PE : QUEUE_NONE);
    cr_assert_eq(result.pe, code ? pe : 0, "PE %u, not %u", result.pe, pe);
    cr_assert_eq(result.offset, code ? place : 0);
    slots_free(&f.slots);
}

struct two_streams {
    struct variant v;
    struct stream pe[2];
};

static void begin_streams(struct two_streams *s)
{
    s->v = variant_of("tiny", NULL);
    for (unsigned p = 0; p < 2; p++)
        s->pe[p] = (struct stream){.variant = &s->v};
}

static void expect_two(struct two_streams *s, unsigned count, enum job_code code, unsigned pe)
{
    expect_streams(s->pe, count, code, pe);
    for (unsigned p = 0; p < 2; p++)
        stream_free(&s->pe[p]);
}

Test(errors, streams_that_end_early_or_late)
{
    struct two_streams s;
    for (unsigned pe = 0; pe < 2; pe++) {
        begin_streams(&s);
        stream_weight(&s.pe[0], 0, 1, true);
        stream_weight(&s.pe[1], 0, 1, true);
        expect_two(&s, 1, JOB_OK, 0);
        begin_streams(&s); /* a segment too few */
        stream_escape(&s.pe[1 - pe], ESCAPE_END, 1);
        stream_escape(&s.pe[pe], ESCAPE_END, 0);
        expect_two(&s, 2, JOB_PACKET_LENGTH, pe);
        begin_streams(&s); /* one too many */
        stream_escape(&s.pe[1 - pe], ESCAPE_END, 1);
        stream_escape(&s.pe[pe], ESCAPE_END, 2);
        expect_two(&s, 2, JOB_PACKET_LENGTH, pe);
        begin_streams(&s); /* a weight behind the last */
        stream_escape(&s.pe[1 - pe], ESCAPE_END, 0);
        stream_weight(&s.pe[pe], 0, 1, true);
        stream_weight(&s.pe[pe], 0, 1, false);
        expect_two(&s, 1, JOB_PACKET_LENGTH, pe);
    }
}

Test(errors, escapes)
{
    struct two_streams s;
    for (unsigned kind = ESCAPE_UNDEFINED; kind < 8; kind++) {
        begin_streams(&s);
        stream_escape(&s.pe[0], ESCAPE_END, 0);
        stream_escape(&s.pe[1], kind, 0);
        expect_two(&s, 1, JOB_BAD_ESCAPE, 1);
    }
    begin_streams(&s); /* a skip with a payload */
    stream_escape(&s.pe[0], ESCAPE_SKIP, 1);
    expect_two(&s, 1, JOB_BAD_ESCAPE, 0);
    begin_streams(&s); /* a line */
    stream_escape(&s.pe[0], ESCAPE_LINE, 0);
    stream_escape(&s.pe[1], ESCAPE_END, 0);
    expect_two(&s, 1, JOB_NO_FEATURE, 0);
    begin_streams(&s); /* the reserved bit */
    stream_weight(&s.pe[0], 127, 0x40, true);
    expect_two(&s, 1, JOB_BAD_ESCAPE, 0);
}

/* The input buffer has 1024 places: 16 jumps of 64. */
Test(errors, positions_beyond_the_input_buffer)
{
    struct two_streams s;
    for (unsigned jumps = 15; jumps < 18; jumps++) {
        begin_streams(&s);
        stream_escape(&s.pe[0], ESCAPE_JUMP, jumps - 1);
        stream_weight(&s.pe[0], 63, 1, true);
        stream_escape(&s.pe[1], ESCAPE_END, 0);
        expect_two(&s, 1, jumps == 15 ? JOB_OK : JOB_OUT_OF_BUFFER, 0);
    }
}

/* The last place is 1023, whatever leads up to it: jumps, or weights. */
Test(errors, positions_at_the_end_of_the_input_buffer)
{
    struct two_streams s;
    for (unsigned behind = 0; behind < 2; behind++) {
        begin_streams(&s);
        stream_escape(&s.pe[1], ESCAPE_JUMP, 14 + behind);
        stream_weight(&s.pe[1], behind ? 0 : 63, 1, true);
        stream_escape(&s.pe[0], ESCAPE_END, 0);
        expect_two(&s, 1, behind ? JOB_OUT_OF_BUFFER : JOB_OK, 1);
    }
    for (unsigned more = 0; more < 3; more++) { /* the third stream has no end, either */
        begin_streams(&s);
        stream_escape(&s.pe[0], ESCAPE_JUMP, 14);
        stream_weight(&s.pe[0], 62 + (more > 0), 1, false);
        stream_weight(&s.pe[0], 0, 1, more < 2);
        stream_escape(&s.pe[1], ESCAPE_END, 0);
        expect_two(&s, 1, more ? JOB_OUT_OF_BUFFER : JOB_OK, 0);
    }
}

/* An END says that segments have no entry: none may have begun. */
Test(errors, ends_within_a_segment)
{
    struct two_streams s;
    for (unsigned kind = 0; kind < 2; kind++) {
        begin_streams(&s);
        if (kind == 0)
            stream_weight(&s.pe[1], 0, 1, false);
        else
            stream_escape(&s.pe[1], ESCAPE_JUMP, 0);
        stream_escape(&s.pe[1], ESCAPE_SKIP, 0);
        stream_escape(&s.pe[1], ESCAPE_END, 0);
        stream_escape(&s.pe[0], ESCAPE_END, 0);
        expect_two(&s, 1, JOB_BAD_ESCAPE, 1);
    }
    begin_streams(&s); /* skips open nothing */
    stream_escape(&s.pe[0], ESCAPE_SKIP, 0);
    stream_escape(&s.pe[0], ESCAPE_END, 0);
    stream_escape(&s.pe[1], ESCAPE_END, 0);
    expect_two(&s, 1, JOB_OK, 0);
}

/* The weight queue has 64 words of two entries. */
Test(errors, segments_longer_than_the_queue)
{
    for (unsigned extra = 0; extra < 2; extra++) {
        struct two_streams s;
        begin_streams(&s);
        for (unsigned i = 0; i < 126 + extra; i++)
            stream_weight(&s.pe[1], 0, 1, i == 125 + extra);
        stream_escape(&s.pe[0], ESCAPE_END, 0);
        expect_two(&s, 1, extra ? JOB_QUEUE_OVERFLOW : JOB_OK, 1);
    }
}

/* PE 0 has its first segment in word `far` of the packet; PE 1 has segments of so many entries all the time.
 */
static unsigned unequal_streams(struct two_streams *s, unsigned far, unsigned segment)
{
    unsigned count = 1 + far * 2 / segment;
    begin_streams(s);
    for (unsigned i = 0; i < far * 2 + 1; i++)
        stream_escape(&s->pe[0], ESCAPE_SKIP, 0);
    for (unsigned i = 0; i < count; i++)
        stream_weight(&s->pe[0], 0, 1, true);
    for (unsigned i = 0; i < count * segment; i++)
        stream_weight(&s->pe[1], 0, 1, i % segment == segment - 1);
    return count;
}

/* Before PE 0 has its first segment, the queue of PE 1 may not be full: it could not take the word that comes
 * to both, while its segments wait for PE 0. The queue has 64 words and 64 ends; a
 * word is kept for the segment before, and room for the ends of one more word. */
Test(errors, packets_that_would_lock)
{
    for (unsigned far = 58; far < 66; far++) {
        struct two_streams s;
        unsigned count = unequal_streams(&s, far, 4);
        expect_two(&s, count, far <= 62 ? JOB_OK : JOB_QUEUE_OVERFLOW, 1);
        count = unequal_streams(&s, far, 2); /* an end in each word, and room for two more */
        expect_two(&s, count, far <= 60 ? JOB_OK : JOB_QUEUE_OVERFLOW, 1);
    }
}

/* Packets of weights that stay in the queue: `fit` of them do. */
static void expect_resident(const struct two_streams *s, unsigned segments, unsigned fit)
{
    for (unsigned extra = 0; extra < 2; extra++) {
        struct fixture f;
        struct strbuf bytes = {0};
        begin(&f);
        builder_config(&f.b, 2, NULL, multiply, 1);
        streams_pack(&f.v, s->pe, &bytes);
        struct send send = to_one(EXEC | 2, segments);
        for (unsigned i = 0; i < fit + extra; i++)
            builder_send(&f.b, &send, bytes.text, bytes.len);
        uint64_t place = last_place(&f);
        finish_and_expect(&f, extra ? JOB_QUEUE_OVERFLOW : JOB_OK, extra ? QUEUE_PE : QUEUE_NONE,
                          extra ? place : 0);
        sb_free(&bytes);
    }
}

Test(errors, more_resident_weights_than_the_queue_holds)
{
    struct two_streams s;
    begin_streams(&s); /* 9 of 63 words */
    for (unsigned i = 0; i < 18; i++)
        stream_weight(&s.pe[1], 0, 1, i == 17);
    stream_escape(&s.pe[0], ESCAPE_END, 0);
    expect_resident(&s, 1, 7);
    stream_free(&s.pe[0]);
    stream_free(&s.pe[1]);
    begin_streams(&s); /* two of 62 ends, for 63 segments */
    for (unsigned pe = 0; pe < 2; pe++) {
        stream_escape(&s.pe[pe], ESCAPE_END, 31);
        stream_escape(&s.pe[pe], ESCAPE_END, 30);
    }
    expect_resident(&s, 63, 31);
    stream_free(&s.pe[0]);
    stream_free(&s.pe[1]);
}

/* `bytes` of data for one LD of `block` activations. */
static void expect_load(unsigned block, unsigned address, size_t bytes, enum job_code code)
{
    static const uint8_t zeros[64];
    struct fixture f;
    begin(&f);
    builder_config(&f.b, 0, SETTINGS{{"block", block}, {NULL, 0}},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 0}, {NULL, 0}}, SETTINGS{{"address", address}, {NULL, 0}}}},
                   1);
    struct send send = to_one(EXEC, 1);
    builder_send(&f.b, &send, zeros, bytes);
    uint64_t place = last_place(&f);
    finish_and_expect(&f, code, code ? QUEUE_CLUSTER : QUEUE_NONE, code ? place : 0);
}

Test(errors, loads)
{
    expect_load(16, 0, 16, JOB_OK);
    expect_load(16, 0, 8, JOB_PACKET_LENGTH);
    expect_load(16, 0, 24, JOB_PACKET_LENGTH);
    expect_load(16, 0, 0, JOB_PACKET_LENGTH);
    expect_load(12, 4, 0, JOB_PACKET_LENGTH);  /* before anything runs */
    expect_load(12, 0, 16, JOB_OUT_OF_BUFFER); /* not whole lines of 8 */
    expect_load(16, 4, 16, JOB_OUT_OF_BUFFER);
    expect_load(1032, 0, 64, JOB_OUT_OF_BUFFER);
}

Test(errors, partial_sums_that_do_not_suffice)
{
    struct fixture f;
    begin(&f);
    sb_addn(&f.b.slot[SLOT_PARTIAL], "abcd", 4);
    builder_config(&f.b, 0, NULL, (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
    writer_op(&f.b.writer, "accumulate",
              ACCUMULATE({"source", 1}, {"element", 2}, {"length", 4}, {"signal_a", 1},
                         {"signal_a_token", TOKEN_SET_UP}));
    uint64_t place = next_place(&f);
    writer_op(&f.b.writer, "store",
              STORE({"element", 2}, {"length", 8}, {"wait_a", 1}, {"wait_a_token", TOKEN_SET_UP}));
    struct send send = to_one(EXEC_SHIFT_OUT, 1);
    builder_send(&f.b, &send, "", 0);
    finish_and_expect(&f, JOB_BAD_LENGTH, QUEUE_ACCUMULATE, place);
}

/* Results cannot be shared out evenly between the clusters, or not in whole groups of K. */
Test(errors, stores_that_do_not_divide)
{
    expect_queue_error("store", STORE({"element", 2}, {"length", 4}), JOB_BAD_FIELD, QUEUE_STORE);
    expect_queue_error("store", STORE({"clusters", 3}, {"element", 2}, {"length", 4}), JOB_BAD_FIELD,
                       QUEUE_STORE);
}
