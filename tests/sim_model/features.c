/* SPDX-License-Identifier: Apache-2.0
 *
 * What the keys accumulators, pe_operands, scalar_unit and zero_points add to the instruction set, one thing
 * at a time, and what a variant without them refuses. Two PEs, whose partial sums and results are pairs.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/numerics/numerics.h"
#include "tests/sim_model/stream.h"

#define NONE    \
    {           \
        NULL, 0 \
    }

enum { SHIFT_OUT = 0x40, LAST = 0x20 }; /* of a command */
enum { DATA, SUMS, WORK };              /* buffers */

/* A job of one cluster of `tiny` with some keys. */
struct scene {
    struct variant v;
    struct builder b;
    struct slots slots;
    unsigned stored; /* pairs of results that are sent */
};

static void begin(struct scene *s, const char *const *sets)
{
    *s = (struct scene){.v = variant_of("tiny", sets)};
    builder_begin(&s->b, &s->v);
}

static void send(struct scene *s, unsigned command, unsigned count, const void *bytes, size_t len)
{
    const struct send to_one = {.rows = 1, .clusters = 1, .command = EXEC | command, .count = count};
    builder_send(&s->b, &to_one, bytes, len);
}

/* Activations in the input buffers of both PEs. */
static void load_input(struct scene *s, const int8_t *line, size_t len)
{
    builder_config(&s->b, DATA, WITH({"block", (int64_t)len}),
                   (const struct config_instruction[]){{"ld", WITH({"target", 0}), NULL}}, 1);
    send(s, DATA, 1, line, len);
}

/* A pair of partial sums for each entry from 0 on. */
static void load_entries(struct scene *s, const int32_t *pairs, unsigned count)
{
    builder_config(
        &s->b, SUMS, NULL,
        (const struct config_instruction[]){{"ld", WITH({"target", 1}), WITH({"result_stride", 1})}}, 1);
    send(s, SUMS, count, pairs, 8 * (size_t)count);
}

/* A packet of segments of one weight, the same for both PEs: value i at position i of the input buffer. */
static void send_weights(struct scene *s, unsigned command, const int8_t *values, const unsigned *positions,
                         unsigned count)
{
    struct stream streams[2] = {{.variant = &s->v}, {.variant = &s->v}};
    struct strbuf bytes = {0};
    for (unsigned p = 0; p < 2; p++)
        for (unsigned i = 0; i < count; i++)
            stream_weight(&streams[p], positions ? positions[i] : 0, values[i], true);
    streams_pack(&s->v, streams, &bytes);
    send(s, command, count, sb_text(&bytes), bytes.len);
    for (unsigned p = 0; p < 2; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

static void expect_code(struct scene *s, enum job_code code)
{
    builder_finish(&s->b, &s->slots, 64);
    builder_free(&s->b);
    struct job_result result = run_model(&s->v, &s->slots);
    cr_assert_eq(result.code, code, "%s, not %s", job_code_name(result.code), job_code_name(code));
}

static void store(struct scene *s, unsigned pairs)
{
    writer_op(
        &s->b.writer, "store",
        WITH({"rows", 1}, {"clusters", 1}, {"slot", SLOT_OUTPUT}, {"element", 2}, {"length", 8 * pairs}));
    s->stored = 2 * pairs;
}

static void expect(struct scene *s, const int32_t *results)
{
    expect_code(s, JOB_OK);
    for (unsigned i = 0; i < s->stored; i++) {
        int64_t result = num_get_element(s->slots.job.slots[SLOT_OUTPUT].bytes + 4 * i, NUM_INT32);
        cr_assert_eq(result, results[i], "result %u is %lld, not %d", i, (long long)result, results[i]);
    }
    slots_free(&s->slots);
}

/* ---- accumulation buffers -------------------------------------------------------------------- */

static const char *const ACCUMULATORS[] = {"accumulators=on", NULL};

Test(features, a_sum_stays_in_its_buffer_until_it_is_written)
{
    struct scene s;
    begin(&s, ACCUMULATORS);
    store(&s, 2);
    load_input(&s, (const int8_t[8]){1, 10, 100}, 8);
    /* Two sums in turn, each of two segments; the second writes, and leaves the buffer empty. */
    builder_config(&s.b, WORK, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                                       {"mac", WITH({"acc", 1}), NULL},
                                                       {"mac", WITH({"acc", 2}), WITH({"address", 1})}},
                   3);
    send_weights(&s, WORK, (const int8_t[]){3, 4}, NULL, 2);
    builder_config(&s.b, WORK, NULL,
                   (const struct config_instruction[]){
                       {"ld", WITH({"target", 2}), NULL},
                       {"mac", WITH({"acc", 1}, {"keep", 1}), NULL},
                       {"mac", WITH({"acc", 2}, {"keep", 1}), WITH({"address", 1}, {"result", 1})},
                       {"st", NULL, NULL},
                       {"st", NULL, WITH({"result", 1})}},
                   5);
    send_weights(&s, WORK, (const int8_t[]){5}, NULL, 1);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){2}, NULL, 1);
    expect(&s, (const int32_t[]){2, 2, 20, 20});
    begin(&s, ACCUMULATORS);
    store(&s, 1);
    load_input(&s, (const int8_t[8]){1, 10, 100}, 8);
    builder_config(
        &s.b, WORK, NULL,
        (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                            {"mac", WITH({"acc", 3}), NULL},
                                            {"mac", WITH({"acc", 3}), WITH({"address", 1})},
                                            {"mac", WITH({"acc", 3}, {"keep", 1}), WITH({"address", 2})},
                                            {"st", NULL, NULL}},
        5);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){2}, NULL, 1);
    expect(&s, (const int32_t[]){222, 222});
}

Test(features, resuming_takes_the_entry_instead_of_the_buffer)
{
    struct scene s;
    begin(&s, ACCUMULATORS);
    store(&s, 1);
    load_input(&s, (const int8_t[8]){1}, 8);
    load_entries(&s, (const int32_t[]){100, 200}, 1);
    builder_config(&s.b, WORK, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                                       {"mac", NULL, NULL},                /* buffer 0: 7 */
                                                       {"mac", WITH({"resume", 1}), NULL}, /* 107, 207 */
                                                       {"mac", WITH({"keep", 1}), NULL},
                                                       {"st", NULL, NULL}},
                   5);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){7}, NULL, 1);
    expect(&s, (const int32_t[]){114, 214});
}

Test(features, partial_sums_go_straight_into_a_buffer)
{
    struct scene s;
    begin(&s, ACCUMULATORS);
    store(&s, 1);
    load_input(&s, (const int8_t[8]){1}, 8);
    builder_config(&s.b, SUMS, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 3}, {"acc", 2}), NULL}}, 1);
    send(&s, SUMS, 1, (const int32_t[]){-5, 50}, 8);
    builder_config(&s.b, WORK, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                                       {"mac", WITH({"acc", 2}, {"keep", 1}), NULL},
                                                       {"st", NULL, NULL}},
                   3);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){9}, NULL, 1);
    expect(&s, (const int32_t[]){4, 59});
}

Test(features, sums_that_are_deferred_are_written_with_the_last_packet)
{
    for (unsigned last = 0; last < 2; last++) {
        struct scene s;
        begin(&s, ACCUMULATORS);
        store(&s, 1);
        load_input(&s, (const int8_t[8]){1}, 8);
        load_entries(&s, (const int32_t[]){-1, -2}, 1);
        builder_config(&s.b, WORK, WITH({"defer", 1}),
                       (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                                           {"mac", WITH({"keep", 1}), NULL},
                                                           {"st", NULL, NULL}},
                       3);
        send_weights(&s, WORK, (const int8_t[]){3}, NULL, 1);
        send_weights(&s, WORK, (const int8_t[]){4}, NULL, 1);
        send_weights(&s, WORK | SHIFT_OUT | (last ? LAST : 0), (const int8_t[]){5}, NULL, 1);
        expect(&s, last ? (const int32_t[]){12, 12} : (const int32_t[]){-1, -2});
    }
}

/* ---- operands of each PE ---------------------------------------------------------------------- */

Test(features, each_pe_has_an_address_of_its_own)
{
    struct scene s;
    begin(&s, (const char *const[]){"pe_operands=on", NULL});
    store(&s, 2);
    load_input(&s, (const int8_t[8]){1, 10, 100, 7}, 8);
    builder_config(&s.b, WORK, NULL,
                   (const struct config_instruction[]){
                       {"ld", WITH({"target", 2}), NULL},
                       {"extension", WITH({"pe_stride", 1}), NULL},
                       {"mac", WITH({"keep", 1}), WITH({"result_stride", 1}, {"stride", 3}, {"wrap", 4})},
                       {"st", NULL, WITH({"result_stride", 1})}},
                   4);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){1, 1}, NULL, 2);
    expect(&s, (const int32_t[]){1, 10, 7, 1}); /* the second one wraps */
}

/* ---- the scalar unit ---------------------------------------------------------------------------- */

static const char *const SCALAR[] = {"scalar_unit=on", "functions=relu,sum,max", NULL};
static const struct function_record SUM = {.function = NUM_SUM, .element = NUM_INT32},
                                    MAX = {.function = NUM_MAX, .element = NUM_INT32},
                                    RELU = {.function = NUM_RELU, .element = NUM_INT32};

Test(features, a_second_turn_moves_the_address)
{
    struct scene s;
    begin(&s, SCALAR);
    store(&s, 6);
    load_input(&s, (const int8_t[32]){[0] = 1, 2, [4] = 3, 4, [16] = 5, 6, [20] = 7, 8}, 32);
    builder_config(
        &s.b, WORK, WITH({"pipeline", 1}),
        (const struct config_instruction[]){
            {"ld", WITH({"target", 2}), NULL},
            {"extension", WITH({"outer", 2}, {"plane", 8}), NULL},
            {"mac", WITH({"keep", 1}), WITH({"result_stride", 1}, {"stride", 1}, {"inner", 2}, {"pitch", 2})},
            {"st", NULL, WITH({"result_stride", 1})}},
        4);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){1, 1, 1, 1, 1, 1}, NULL, 6);
    expect(&s, (const int32_t[]){1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
}

/* Entries 0 and 1 of both PEs through one SPU, to entry 3. */
static void expect_spu(const struct setting *spu, const struct function_record *records, unsigned count,
                       const int32_t *expected)
{
    struct scene s;
    begin(&s, SCALAR);
    store(&s, 1);
    load_entries(&s, (const int32_t[]){-7, 5, 30, 40}, 2);
    builder_config_functions(&s.b, WORK, NULL,
                             (const struct config_instruction[]){{"spu", spu, WITH({"result", 3})},
                                                                 {"st", NULL, WITH({"result", 3})}},
                             2, records, count);
    send(&s, WORK | SHIFT_OUT, 1, NULL, 0);
    expect(&s, expected);
}

Test(features, forms_of_spu)
{
    const struct function_record records[3] = {SUM, RELU, MAX};
    expect_spu(WITH({"function", 0}), NULL, 0, (const int32_t[]){-7, 5});
    expect_spu(WITH({"function", 1}), records, 3, (const int32_t[]){-2, -2});
    expect_spu(WITH({"function", 2}), records, 3, (const int32_t[]){0, 5});
    expect_spu(WITH({"function", 3}), records, 3, (const int32_t[]){5, 5});
}

/* A sum over the PEs says where a MAC reads, and which entry it writes. */
Test(features, a_reduction_steers_later_operands)
{
    struct scene s;
    begin(&s, SCALAR);
    store(&s, 2);
    load_input(&s, (const int8_t[8]){1, 10, 100, 7}, 8);
    load_entries(&s, (const int32_t[]){1, 2, 0, 0, 0, 0, 0, 0}, 4);
    builder_config_functions(
        &s.b, WORK, WITH({"pipeline", 1}),
        (const struct config_instruction[]){
            {"ld", WITH({"target", 2}), NULL},
            {"spu", WITH({"function", 1}, {"destination", 15}), NULL}, /* register 15: 3 */
            {"extension", WITH({"register", 15}, {"result_register", 15}), NULL},
            {"mac", WITH({"keep", 1}), NULL},
            {"st", NULL, WITH({"result", 3})},
            {"extension", WITH({"result_register", 14}), NULL}, /* 0 from the job's begin */
            {"st", NULL, WITH({"result", 2})}},
        7, &SUM, 1);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){2}, NULL, 1);
    expect(&s, (const int32_t[]){14, 14, 0, 0});
}

Test(features, a_register_beyond_the_buffer_is_refused)
{
    struct scene s;
    begin(&s, SCALAR);
    load_input(&s, (const int8_t[8]){1}, 8);
    load_entries(&s, (const int32_t[]){1, 3}, 1);
    builder_config_functions(
        &s.b, WORK, WITH({"pipeline", 1}),
        (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                            {"spu", WITH({"function", 1}, {"destination", 1}), NULL},
                                            {"extension", WITH({"register", 1}), NULL},
                                            {"mac", WITH({"keep", 1}), WITH({"address", 4}, {"wrap", 8})}},
        4, &SUM, 1);
    send_weights(&s, WORK, (const int8_t[]){2}, NULL, 1);
    expect_code(&s, JOB_OUT_OF_BUFFER); /* 4 + 4 */
    slots_free(&s.slots);
}

/* ---- zero points ---------------------------------------------------------------------------------- */

static const char *const PLAIN[] = {"functions=relu,sum,max", NULL};
static const char *const ZERO_POINTS[] = {"zero_points=on", "functions=relu,sum,max", NULL};

/* Activations 1, 127, -128 and -1 as bytes, each times 2 in both PEs. */
static void expect_zero_point(const struct setting *header, unsigned maximum, const int32_t *results,
                              unsigned effective)
{
    struct scene s;
    begin(&s, ZERO_POINTS);
    store(&s, 4);
    builder_config(
        &s.b, DATA, header,
        (const struct config_instruction[]){{"ld", WITH({"target", 0}), WITH({"maximum", maximum})}}, 1);
    send(&s, DATA, 1, (const int8_t[8]){1, 127, -128, -1}, 8);
    builder_config(&s.b, WORK, NULL,
                   (const struct config_instruction[]){
                       {"ld", WITH({"target", 2}), NULL},
                       {"mac", WITH({"keep", 1}), WITH({"result_stride", 1}, {"maximum", maximum})},
                       {"st", NULL, WITH({"result_stride", 1})}},
                   3);
    send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){2, 2, 2, 2}, (const unsigned[]){0, 1, 2, 3}, 4);
    builder_finish(&s.b, &s.slots, 64);
    builder_free(&s.b);
    struct job_result result = run_model(&s.v, &s.slots);
    cr_assert_eq(result.code, JOB_OK);
    cr_assert_eq(result.effective_macs, 2 * effective);
    for (unsigned i = 0; i < s.stored; i++)
        cr_assert_eq(num_get_element(s.slots.job.slots[SLOT_OUTPUT].bytes + 4 * i, NUM_INT32),
                     results[i / 2]);
    slots_free(&s.slots);
}

Test(features, a_zero_point_is_subtracted_and_is_a_zero)
{
    expect_zero_point(WITH({"block", 8}, {"zero", -128}), 0, (const int32_t[]){258, 510, 0, 254}, 3);
    expect_zero_point(WITH({"block", 8}, {"zero", 127}), 0, (const int32_t[]){-252, 0, -510, -256}, 3);
    expect_zero_point(WITH({"block", 8}, {"unsigned", 1}), 0, (const int32_t[]){2, 254, 256, 510}, 4);
    expect_zero_point(WITH({"block", 8}, {"unsigned", 1}, {"zero", 255}), 0,
                      (const int32_t[]){-508, -256, -254, 0}, 3);
    expect_zero_point(WITH({"block", 8}, {"zero", -1}), 1, (const int32_t[]){4, 256, -254, 0}, 4);
}

Test(features, zero_points_are_activations)
{
    static const char *const wide[] = {"zero_points=on", "data_width=16", "acc_width=40", "index_width=10",
                                       NULL};
    const struct {
        const char *const *sets;
        unsigned no_sign;
        int zero;
        enum job_code code;
    } cases[] = {{ZERO_POINTS, 0, -128, JOB_OK}, {ZERO_POINTS, 0, -129, JOB_BAD_FIELD},
                 {ZERO_POINTS, 0, 127, JOB_OK},  {ZERO_POINTS, 0, 128, JOB_BAD_FIELD},
                 {ZERO_POINTS, 1, 255, JOB_OK},  {ZERO_POINTS, 1, 256, JOB_BAD_FIELD},
                 {ZERO_POINTS, 1, 0, JOB_OK},    {ZERO_POINTS, 1, -1, JOB_BAD_FIELD},
                 {wide, 0, INT16_MIN, JOB_OK},   {wide, 1, -1, JOB_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        begin(&s, cases[i].sets);
        builder_config(&s.b, DATA, WITH({"unsigned", cases[i].no_sign}, {"zero", cases[i].zero}),
                       (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
        expect_code(&s, cases[i].code);
        slots_free(&s.slots);
    }
}

/* A load of `fill` into the storage unit, and from there into the input buffers: a line for both widths. */
static void load_fill(struct scene *s, unsigned zero, unsigned fill)
{
    const unsigned line = s->v.load_width, unit = s->v.unit_bytes / 2;
    builder_config(&s->b, DATA, WITH({"block", line * 8 / s->v.data_width}),
                   (const struct config_instruction[]){{"ld", WITH({"target", 0}), NULL}}, 1);
    writer_op(&s->b.writer, "load",
              WITH({"rows", 1}, {"zero", zero}, {"length", line}, {"unit_address", unit}, {"fill", fill},
                   {"signal_a", 1}, {"signal_a_token", TOKEN_SPARE}));
    writer_op(&s->b.writer, "distribute",
              WITH({"rows", 1}, {"clusters", 1}, {"command", EXEC | DATA}, {"count", 1}, {"length", line},
                   {"unit_address", unit}, {"wait_a", 1}, {"wait_a_token", TOKEN_SPARE}));
}

Test(features, a_load_of_zeros_writes_the_fill)
{
    static const char *const wide[] = {"zero_points=on", "data_width=16", "acc_width=40", "index_width=10",
                                       NULL};
    for (unsigned way = 0; way < 2; way++) {
        struct scene s;
        begin(&s, way ? wide : ZERO_POINTS);
        store(&s, 2);
        load_fill(&s, 1, 0x0305);
        builder_config(
            &s.b, WORK, NULL,
            (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                                {"mac", WITH({"keep", 1}), WITH({"result_stride", 1})},
                                                {"st", NULL, WITH({"result_stride", 1})}},
            3);
        send_weights(&s, WORK | SHIFT_OUT, (const int8_t[]){1, 10}, (const unsigned[]){0, 3}, 2);
        expect(&s, way ? (const int32_t[]){0x305, 0x305, 0x1E32, 0x1E32} : (const int32_t[]){5, 5, 50, 50});
    }
}

Test(features, a_fill_is_for_zeros_in_variants_with_zero_points)
{
    struct scene s;
    begin(&s, PLAIN);
    load_fill(&s, 1, 1);
    expect_code(&s, JOB_NO_FEATURE);
    slots_free(&s.slots);
    begin(&s, ZERO_POINTS);
    load_fill(&s, 0, 1);
    expect_code(&s, JOB_BAD_RESERVED);
    slots_free(&s.slots);
}

/* An operation, and how it ends, in a variant with a table of channels and in one without. */
static void expect_channels(const char *format, const struct setting *settings, enum job_code with)
{
    static const char *const table[] = {"channel_groups=16", "functions=relu,clamp,requantise", NULL},
                             *const none[] = {"functions=relu,clamp,requantise", NULL};
    for (unsigned way = 0; way < 2; way++) {
        struct scene s;
        begin(&s, way ? none : table);
        writer_op(&s.b.writer, format, settings);
        expect_code(&s, way && with != JOB_BAD_FIELD ? JOB_NO_FEATURE : with);
        slots_free(&s.slots);
    }
}

Test(features, channels_have_a_use)
{
#define COLUMN {"slot", SLOT_PROGRAM}, {"length", 8}, {"column", COLUMN_BIAS}
#define FINAL(function_)        \
    {"final", 1},               \
    {                           \
        "function", (function_) \
    }
    expect_channels("accumulate", WITH({"source", 1}, COLUMN), JOB_OK);
    expect_channels("accumulate", WITH(COLUMN), JOB_BAD_FIELD);
    expect_channels("accumulate", WITH({"group", 1}), JOB_OK);
    expect_channels("accumulate", WITH(FINAL(NUM_RELU), {"channel_bias", 1}), JOB_OK);
    expect_channels("accumulate", WITH({"channel_bias", 1}), JOB_BAD_FIELD);
    expect_channels("accumulate", WITH(FINAL(NUM_REQUANTISE), {"channel_scale", 1}), JOB_OK);
    expect_channels("accumulate", WITH(FINAL(NUM_CLAMP), {"channel_scale", 1}), JOB_BAD_FIELD);
    expect_channels("accumulate", WITH(FINAL(NUM_CLAMP), {"channel_limits", 1}), JOB_OK);
    expect_channels("accumulate", WITH(FINAL(NUM_RELU), {"channel_limits", 1}), JOB_BAD_FIELD);
#undef COLUMN
#undef FINAL
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void expect_config(const char *const *sets, const struct setting *header,
                          const struct config_instruction *code, unsigned instructions,
                          const struct function_record *functions, unsigned count, enum job_code expected)
{
    struct scene s;
    begin(&s, sets);
    builder_config_functions(&s.b, WORK, header, code, instructions, functions, count);
    expect_code(&s, expected);
    slots_free(&s.slots);
}

static void expect_one(const char *const *sets, const struct setting *header, const char *format,
                       const struct setting *instruction, const struct setting *operands,
                       enum job_code expected)
{
    expect_config(sets, header, (const struct config_instruction[]){{format, instruction, operands}}, 1, &SUM,
                  1, expected);
}

static void expect_extended(const char *const *sets, unsigned pipeline, const struct setting *extension,
                            const char *format, const struct setting *instruction,
                            const struct setting *operands, enum job_code expected)
{
    expect_config(
        sets, WITH({"pipeline", pipeline}),
        (const struct config_instruction[]){{"extension", extension, NULL}, {format, instruction, operands}},
        2, &SUM, 1, expected);
}

static const char *const PES[] = {"pe_operands=on", "functions=relu,sum,max", NULL};
static const char *const SUMS_TOO[] = {"accumulators=on", "functions=relu,sum,max", NULL};

Test(features, a_variant_without_the_keys_refuses)
{
    expect_one(PLAIN, NULL, "mac", WITH({"acc", 1}), NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, NULL, "ld", WITH({"target", 3}), NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, WITH({"defer", 1}), "mac", NULL, NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, WITH({"pipeline", 1}), "mac", NULL, NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, WITH({"zero", 1}), "mac", NULL, NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, WITH({"unsigned", 1}), "mac", NULL, NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, NULL, "spu", WITH({"function", 0}), NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, NULL, "spu", WITH({"function", 2}), NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, NULL, "spu", WITH({"function", 1}, {"destination", 1}), NULL, JOB_NO_FEATURE);
    expect_one(PLAIN, NULL, "spu", WITH({"function", 1}), NULL, JOB_OK);
    const struct config_instruction mac = {"mac", NULL, NULL};
    expect_config(PLAIN, NULL, &mac, 1, (const struct function_record[]){SUM, SUM}, 2, JOB_NO_FEATURE);
    /* It counts as an instruction there, so that the payload is longer than its header says. */
    expect_extended(PLAIN, 0, WITH({"pe_stride", 1}), "mac", NULL, NULL, JOB_CONFIG_LENGTH);
    expect_extended(SCALAR, 1, WITH({"pe_stride", 1}), "mac", NULL, NULL, JOB_NO_FEATURE);
}

Test(features, only_a_sequence_that_defers_has_a_last_packet)
{
    for (unsigned way = 0; way < 3; way++) {
        struct scene s;
        begin(&s, way ? SUMS_TOO : PLAIN);
        builder_config(&s.b, WORK, way == 2 ? WITH({"defer", 1}) : NULL,
                       (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
        send(&s, WORK | LAST, 1, NULL, 0);
        expect_code(&s, way == 2 ? JOB_OK : JOB_BAD_COMMAND);
        slots_free(&s.slots);
    }
}

Test(features, what_does_not_go_together_is_refused)
{
    expect_one(SUMS_TOO, NULL, "mac", WITH({"acc", 1}), WITH({"maximum", 1}), JOB_BAD_FIELD);
    expect_one(SUMS_TOO, WITH({"defer", 1}), "mac", NULL, WITH({"maximum", 1}), JOB_BAD_FIELD);
    expect_one(SUMS_TOO, WITH({"defer", 1}), "mac", WITH({"acc", 3}), NULL, JOB_OK);
    expect_one(SCALAR, NULL, "spu", WITH({"function", 0}, {"destination", 1}), NULL, JOB_BAD_FIELD);
    expect_one(SCALAR, NULL, "spu", WITH({"function", 2}), NULL, JOB_NO_FUNCTION); /* there is one record */
    expect_config(
        SCALAR, NULL,
        (const struct config_instruction[]){{"spu", WITH({"function", 2}, {"destination", 1}), NULL}}, 1,
        (const struct function_record[]){SUM, RELU}, 2, JOB_NO_FUNCTION);
    expect_config(SCALAR, NULL, (const struct config_instruction[]){{"spu", WITH({"function", 2}), NULL}}, 1,
                  (const struct function_record[]){SUM, RELU}, 2, JOB_OK);
}

Test(features, extensions_that_do_not_fit_are_refused)
{
    expect_extended(PES, 0, WITH({"pe_stride", 1023}), "mac", NULL, NULL, JOB_OK);
    expect_extended(PES, 0, WITH({"pe_stride", 1024}), "mac", NULL, NULL, JOB_OUT_OF_BUFFER);
    expect_extended(PES, 0, WITH({"pe_stride", 1}), "st", NULL, NULL, JOB_BAD_FIELD);
    expect_extended(PES, 0, WITH({"register", 1}), "mac", NULL, NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 0, WITH({"register", 1}), "mac", NULL, NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 0, WITH({"result_register", 1}), "mac", NULL, NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 0, WITH({"outer", 1}), "mac", NULL, WITH({"inner", 1}), JOB_BAD_FIELD);
    expect_extended(SCALAR, 1, WITH({"outer", 1}), "mac", NULL, WITH({"inner", 1}), JOB_OK);
    expect_extended(SCALAR, 1, WITH({"outer", 1}), "mac", NULL, NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 1, WITH({"plane", 1}), "mac", NULL, WITH({"inner", 1}), JOB_BAD_FIELD);
    expect_extended(SCALAR, 1, WITH({"outer", 1}, {"plane", 9}), "mac", NULL, WITH({"inner", 1}, {"wrap", 8}),
                    JOB_OUT_OF_BUFFER);
    expect_extended(SCALAR, 1, WITH({"register", 1}), "st", NULL, NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 1, WITH({"register", 1}), "ld", WITH({"target", 1}), NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 1, WITH({"result_register", 1}), "ld", WITH({"target", 0}), NULL, JOB_BAD_FIELD);
    expect_extended(SCALAR, 1, WITH({"result_register", 1}), "ld", WITH({"target", 1}), NULL, JOB_OK);
    expect_extended(SCALAR, 1, WITH({"register", 1}, {"result_register", 2}), "spu", WITH({"function", 1}),
                    NULL, JOB_OK);
    expect_extended(SCALAR, 1, WITH({"result_register", 2}), "spu", WITH({"function", 1}, {"destination", 2}),
                    NULL, JOB_BAD_FIELD);
    const struct config_instruction two[] = {
        {"extension", NULL, NULL}, {"extension", NULL, NULL}, {"mac", NULL, NULL}};
    expect_config(SCALAR, NULL, two, 3, NULL, 0, JOB_BAD_FIELD);
}
