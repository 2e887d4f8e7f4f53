/* SPDX-License-Identifier: Apache-2.0
 *
 * What the instruction set promises beyond arithmetic, one thing at a time:
 * loops and their steps, fences, runs, operands that move, queues that
 * rotate.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/sequence.h"
#include "sim/numerics/numerics.h"
#include "tests/sim_model/stream.h"
#include "tests/sim_model/victims.h"

#define NONE    \
    {           \
        NULL, 0 \
    }

static int64_t result_at(const struct slots *slots, size_t index)
{
    return num_get_element(slots->job.slots[SLOT_OUTPUT].bytes + 4 * index, NUM_INT32);
}

static void expect_ok(const struct variant *v, struct slots *slots)
{
    struct job_result result = run_model(v, slots);
    cr_assert_eq(result.code, JOB_OK, "%s at %llu", job_code_name(result.code),
                 (unsigned long long)result.offset);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void expect_transposition(const struct variant *v, const unsigned counts[3])
{
    struct slots slots;
    size_t results;
    make_transposition(v, counts, &slots, &results);
    expect_ok(v, &slots);
    size_t group = slots.job.slots[SLOT_INPUT].size / (results / v->k);
    for (unsigned i = 0; i < counts[0]; i++)
        for (unsigned j = 0; j < counts[1]; j++)
            for (unsigned k = 0; k < counts[2]; k++)
                for (unsigned p = 0; p < v->k; p++) {
                    size_t from = (i * counts[1] + j) * counts[2] + k,
                           to = (k * counts[1] + j) * counts[0] + i;
                    const uint8_t *at = slots.job.slots[SLOT_INPUT].bytes + from * group;
                    int64_t expected = v->acc_width <= 32 ? num_get_element(at + 4 * p, NUM_INT32)
                                                          : num_get_element(at + 8 * p, NUM_INT64);
                    expected = num_wrap(num_wrap(expected, v->acc_width), 32);
                    cr_assert_eq(result_at(&slots, to * v->k + p), expected, "(%u, %u, %u) of PE %u", i, j, k,
                                 p);
                }
    slots_free(&slots);
}

Test(behaviour, three_loops_step_slots_and_units)
{
    static const unsigned counts[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 1, 3}, {1, 7, 2}, {4, 2, 9}};
    static const char *const names[] = {"tiny", "base", "odd", "wide"};
    for (unsigned n = 0; n < 4; n++) {
        struct variant v = variant_of(names[n], NULL);
        for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
            expect_transposition(&v, counts[c]);
    }
}

/* ---- a buffer that passes partial sums through ------------------------------------------------ */

/* tiny: two PEs of 32 bits make exactly one beat of 64 bits. */
static void begin_copy(struct builder *b, struct variant *v)
{
    *v = variant_of("tiny", NULL);
    builder_begin(b, v);
    builder_config(
        b, 0, NULL,
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 1}, NONE}, NULL}, {"st", NULL, NULL}},
        2);
}

static void store_all(struct builder *b, size_t bytes)
{
    writer_op(&b->writer, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"slot", SLOT_OUTPUT},
                       {"element", NUM_INT32},
                       {"length", (int64_t)bytes},
                       NONE});
}

static void expect_results(const struct slots *slots, const int32_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(result_at(slots, i), expected[i], "result %zu is %lld, not %d", i,
                     (long long)result_at(slots, i), expected[i]);
}

Test(behaviour, packets_gather_runs_forwards_and_backwards_and_round_the_unit)
{
    static const int32_t input[8] = {10, 11, 20, 21, 30, 31, 40, 41};
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_copy(&b, &v);
    sb_addn(&b.slot[SLOT_INPUT], (const char *)input, sizeof input);
    store_all(&b, 2 * sizeof input);
    /* The last two of four beats wrap to the unit's beginning; then the third of them becomes zero. */
    writer_op(
        &b.writer, "load",
        SETTINGS{{"rows", 1}, {"slot", SLOT_INPUT}, {"length", 32}, {"unit_address", 16384 - 16}, NONE});
    writer_op(&b.writer, "load",
              SETTINGS{{"rows", 1}, {"zero", 1}, {"length", 8}, {"unit_address", 0}, NONE});
    const struct setting common[] = {
        {"rows", 1}, {"clusters", 1}, {"command", EXEC_SHIFT_OUT}, {"count", 4}, NONE};
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        struct setting settings[9] = {{"length", 8},
                                      {"runs", 4},
                                      {"run_pitch", backwards ? -8 : 8},
                                      {"unit_address", backwards ? 8 : 16384 - 16}};
        memcpy(settings + 4, common, sizeof common);
        writer_op(&b.writer, "distribute", settings);
    }
    /* The loads come first in the program, but nothing orders them before the packets: the configuration's
     * token is not theirs. */
    builder_finish(&b, &slots, 2 * sizeof input);
    builder_free(&b);
    expect_ok(&v, &slots);
    expect_results(&slots, (const int32_t[]){10, 11, 20, 21, 0, 0, 40, 41, 40, 41, 0, 0, 20, 21, 10, 11}, 16);
    slots_free(&slots);
}

/* Beats written one behind another, read in three loops whose steps turn their order round. */
Test(behaviour, three_loops_step_through_the_storage_unit)
{
    static const unsigned counts[3] = {2, 3, 4};
    int32_t input[48];
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_copy(&b, &v);
    for (int i = 0; i < 48; i++)
        input[i] = 100 + i;
    sb_addn(&b.slot[SLOT_INPUT], (const char *)input, sizeof input);
    store_all(&b, sizeof input);
    writer_op(&b.writer, "load",
              SETTINGS{{"rows", 1},
                       {"slot", SLOT_INPUT},
                       {"length", sizeof input},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_UNIT_FREE},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_ARRIVED},
                       NONE});
    for (unsigned level = 0; level < 3; level++)
        writer_op(&b.writer, "loop", SETTINGS{{"level", level}, {"iterations", counts[level]}, NONE});
    writer_op(&b.writer, "distribute",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"command", EXEC_SHIFT_OUT},
                       {"count", 1},
                       {"length", 8},
                       {"unit_step0", 1},
                       {"unit_step1", 16},
                       {"unit_step2", -2},
                       {"unit_address", 8 * 6},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_ARRIVED},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_ARRIVED},
                       NONE});
    for (unsigned level = 3; level--;)
        writer_op(&b.writer, "endloop", SETTINGS{{"level", level}, {"body", 2 + 2 * (2 - level)}, NONE});
    builder_finish(&b, &slots, sizeof input);
    builder_free(&b);
    expect_ok(&v, &slots);
    for (unsigned i = 0, at = 0; i < 2; i++)
        for (unsigned j = 0; j < 3; j++)
            for (unsigned k = 0; k < 4; k++, at += 2) {
                unsigned beat = 6 + i + 16 * j - 2 * k;
                cr_assert_eq(result_at(&slots, at), beat < 24 ? input[2 * beat] : 0, "(%u, %u, %u)", i, j, k);
            }
    slots_free(&slots);
}

/* The same place of the storage unit used again and again, ordered by fences alone. */
Test(behaviour, fences_order_what_tokens_do_not)
{
    static const int32_t input[6] = {1, 2, 3, 4, 5, 6};
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_copy(&b, &v);
    sb_addn(&b.slot[SLOT_INPUT], (const char *)input, sizeof input);
    for (unsigned i = 0; i < 3; i++) {
        writer_op(&b.writer, "fence", NULL);
        writer_op(&b.writer, "load",
                  SETTINGS{{"rows", 1}, {"slot", SLOT_INPUT}, {"offset", 8 * i}, {"length", 8}, NONE});
        writer_op(&b.writer, "fence", NULL);
        writer_op(&b.writer, "distribute",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"command", EXEC_SHIFT_OUT},
                           {"count", 1},
                           {"length", 8},
                           NONE});
        writer_op(&b.writer, "store",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"slot", SLOT_OUTPUT},
                           {"element", NUM_INT32},
                           {"offset", 8 * i},
                           {"length", 8},
                           NONE});
    }
    builder_finish(&b, &slots, sizeof input);
    builder_free(&b);
    expect_ok(&v, &slots);
    expect_results(&slots, input, 6);
    slots_free(&slots);
}

Test(behaviour, results_stay_inside_without_shift_out)
{
    static const int32_t input[4] = {1, 2, 3, 4};
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_copy(&b, &v);
    store_all(&b, 8);
    for (unsigned i = 0; i < 2; i++) {
        const struct send send = {.rows = 1, .clusters = 1, .command = i ? EXEC_SHIFT_OUT : EXEC, .count = 1};
        builder_send(&b, &send, input + 2 * i, 8);
    }
    builder_finish(&b, &slots, 8);
    builder_free(&b);
    expect_ok(&v, &slots);
    expect_results(&slots, input + 2, 2);
    slots_free(&slots);
}

/* Partial sums begin in lane 0 of a fresh beat, also behind activations that fill half a beat. */
Test(behaviour, partial_sums_begin_at_a_beat)
{
    static const int32_t packet[6] = {0x01010101, 0x02020202, 0, 0, 7, -8};
    static const char *const sets[] = {"row_bus_width=128", NULL};
    struct variant v = variant_of("tiny", sets);
    struct builder b;
    struct slots slots;
    builder_begin(&b, &v);
    builder_config(&b, 0, SETTINGS{{"block", 8}, NONE},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, NONE}, NULL},
                                                       {"ld", SETTINGS{{"target", 1}, NONE}, NULL},
                                                       {"st", NULL, NULL}},
                   3);
    store_all(&b, 8);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT, .count = 1};
    builder_send(&b, &send, packet, sizeof packet);
    builder_finish(&b, &slots, 8);
    builder_free(&b);
    expect_ok(&v, &slots);
    expect_results(&slots, packet + 4, 2);
    slots_free(&slots);
}

/* ---- operands and queues ---------------------------------------------------------------------- */

/* One weight per segment; segment s of PE p has the value s + 1 + 10 p at position s. */
static void send_numbered_weights(struct builder *b, unsigned buffer, unsigned segments)
{
    struct stream streams[16];
    struct strbuf bytes = {0};
    for (unsigned p = 0; p < b->variant.k; p++) {
        streams[p] = (struct stream){.variant = &b->variant};
        for (unsigned s = 0; s < segments; s++)
            stream_weight(&streams[p], s, (int32_t)(s + 1 + 10 * p), true);
    }
    streams_pack(&b->variant, streams, &bytes);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC | buffer, .count = segments};
    builder_send(b, &send, bytes.text, bytes.len);
    for (unsigned p = 0; p < b->variant.k; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

enum { LOAD_X = 0, LOAD_W = 1, ROTATE = 2, DRAIN = 3 };

/* x[i] = i + 1 in the input buffer, weights in the queue, a MAC with an ST in RQ and in SQ. */
static void begin_queue(struct builder *b, struct variant *v, const struct setting *mac_operands)
{
    uint8_t x[64];
    for (unsigned i = 0; i < sizeof x; i++)
        x[i] = (uint8_t)(i + 1);
    *v = variant_of("tiny", NULL);
    builder_begin(b, v);
    builder_config(b, LOAD_X, SETTINGS{{"block", sizeof x}, NONE},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, NONE}, NULL}}, 1);
    builder_config(b, LOAD_W, NULL,
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, NONE}, NULL}}, 1);
    const struct config_instruction code[] = {{"mac", SETTINGS{{"keep", 1}, NONE}, mac_operands},
                                              {"st", NULL, NULL}};
    for (unsigned buffer = ROTATE; buffer <= DRAIN; buffer++)
        builder_config(b, buffer, SETTINGS{{"queue", buffer == ROTATE}, NONE}, code, 2);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC | LOAD_X, .count = 1};
    builder_send(b, &send, x, sizeof x);
}

static void run_buffer(struct builder *b, unsigned buffer, unsigned count)
{
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT | buffer, .count = count};
    builder_send(b, &send, "", 0);
}

/* Addresses of a MAC over several packets: stride, pitch after every `inner`, modulo wrap, going on from
 * packet to packet. */
Test(behaviour, rotating_weights_meet_moving_activations)
{
    static const int stride = 3, inner = 4, pitch = -7, wrap = 40, start = 5, segments = 3;
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_queue(&b, &v,
                SETTINGS{{"address", start},
                         {"stride", stride},
                         {"inner", inner},
                         {"pitch", pitch},
                         {"wrap", wrap},
                         NONE});
    store_all(&b, 20 * 8);
    send_numbered_weights(&b, LOAD_W, (unsigned)segments);
    for (unsigned packet = 0; packet < 4; packet++)
        run_buffer(&b, ROTATE, 5);
    builder_finish(&b, &slots, 20 * 8);
    builder_free(&b);
    expect_ok(&v, &slots);
    for (int i = 0; i < 20; i++)
        for (int p = 0; p < 2; p++) {
            int s = i % segments, base = start + i * stride + i / inner * pitch;
            int address = ((base % wrap + wrap) % wrap + s) % wrap;
            int64_t expected = (int64_t)(s + 1 + 10 * p) * (address + 1);
            cr_assert_eq(result_at(&slots, (size_t)(2 * i + p)), expected, "iteration %d of PE %d", i, p);
        }
    slots_free(&slots);
}

/* A round of RQ leaves the queue as it was: SQ then takes the segments in their order, and more can be loaded
 * behind them. */
Test(behaviour, a_rotated_queue_drains_in_its_order)
{
    static const unsigned order[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 0, 1};
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_queue(&b, &v, NULL);
    store_all(&b, 13 * 8);
    send_numbered_weights(&b, LOAD_W, 4);
    run_buffer(&b, ROTATE, 3);
    run_buffer(&b, ROTATE, 1);
    run_buffer(&b, DRAIN, 1);
    send_numbered_weights(&b, LOAD_W, 3);
    run_buffer(&b, DRAIN, 6);
    send_numbered_weights(&b, LOAD_W, 2);
    run_buffer(&b, ROTATE, 2);
    builder_finish(&b, &slots, 13 * 8);
    builder_free(&b);
    expect_ok(&v, &slots);
    for (unsigned i = 0; i < 13; i++) {
        unsigned s = order[i];
        int64_t expected = (int64_t)(s + 1) * (s + 1);
        cr_assert_eq(result_at(&slots, (size_t)2 * i), expected, "iteration %u", i);
    }
    slots_free(&slots);
}

/* In the middle of a round nothing may be loaded, and SQ may take nothing; activations may come. */
Test(behaviour, a_round_of_a_rotated_queue_is_completed_first)
{
    for (unsigned what = 0; what < 3; what++) {
        static const uint8_t x[64];
        struct variant v;
        struct builder b;
        struct slots slots;
        const struct send send = {.rows = 1, .clusters = 1, .command = EXEC | LOAD_X, .count = 1};
        begin_queue(&b, &v, NULL);
        send_numbered_weights(&b, LOAD_W, 4);
        run_buffer(&b, ROTATE, 6);
        if (what == 0)
            run_buffer(&b, DRAIN, 1);
        else if (what == 1)
            send_numbered_weights(&b, LOAD_W, 1);
        else
            builder_send(&b, &send, x, sizeof x);
        builder_finish(&b, &slots, 8);
        builder_free(&b);
        struct job_result result = run_model(&v, &slots);
        cr_assert_eq(result.code, what == 2 ? JOB_OK : JOB_BAD_FIELD, "%u: %s", what,
                     job_code_name(result.code));
        cr_assert_eq(result.queue, what == 2 ? QUEUE_NONE : QUEUE_CLUSTER);
        slots_free(&slots);
    }
}

Test(behaviour, a_drained_queue_is_empty)
{
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_queue(&b, &v, NULL);
    send_numbered_weights(&b, LOAD_W, 4);
    run_buffer(&b, DRAIN, 4);
    run_buffer(&b, DRAIN, 1);
    builder_finish(&b, &slots, 8);
    builder_free(&b);
    cr_assert_eq(run_model(&v, &slots).code, JOB_PACKET_LENGTH);
    slots_free(&slots);
}

/* ---- accumulation buffers -------------------------------------------------------------------- */

/* begin_queue with one segment, 1 for PE 0 and 11 for PE 1, on the activation 1. */
static void begin_buffers(struct builder *b, struct variant *v)
{
    static const uint8_t x[64] = {1};
    *v = variant_of("tiny", (const char *const[]){"accumulators=on", NULL});
    builder_begin(b, v);
    builder_config(b, LOAD_X, SETTINGS{{"block", sizeof x}, NONE},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, NONE}, NULL}}, 1);
    builder_config(b, LOAD_W, NULL,
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, NONE}, NULL}}, 1);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC | LOAD_X, .count = 1};
    builder_send(b, &send, x, sizeof x);
    send_numbered_weights(b, LOAD_W, 1);
}

static void finish_buffers(struct builder *b, const struct variant *v, const int32_t *expected, size_t count)
{
    struct slots slots;
    builder_finish(b, &slots, 4 * count);
    builder_free(b);
    expect_ok(v, &slots);
    expect_results(&slots, expected, count);
    slots_free(&slots);
}

/* Sums stay in the buffer that they name until one is written, which leaves it empty. */
Test(behaviour, sums_stay_in_their_buffers_until_one_is_written)
{
    struct variant v;
    struct builder b;
    const struct config_instruction code[] = {
        {"mac", SETTINGS{{"acc", 1}, NONE}, NULL},
        {"mac", SETTINGS{{"acc", 1}, NONE}, NULL},
        {"mac", SETTINGS{{"acc", 2}, {"keep", 1}, NONE}, NULL},                          /* 1 */
        {"mac", SETTINGS{{"acc", 1}, {"keep", 1}, NONE}, SETTINGS{{"result", 1}, NONE}}, /* 3 */
        {"mac", SETTINGS{{"acc", 1}, {"keep", 1}, NONE}, SETTINGS{{"result", 2}, NONE}}, /* 1 */
        {"mac", SETTINGS{{"acc", 3}, {"resume", 1}, NONE}, SETTINGS{{"result", 1}, NONE}},
        {"mac", SETTINGS{{"acc", 3}, {"keep", 1}, NONE}, SETTINGS{{"result", 3}, NONE}}, /* 5 */
        {"st", NULL, NULL},
        {"st", NULL, SETTINGS{{"result", 1}, NONE}},
        {"st", NULL, SETTINGS{{"result", 2}, NONE}},
        {"st", NULL, SETTINGS{{"result", 3}, NONE}}};
    begin_buffers(&b, &v);
    builder_config(&b, ROTATE, SETTINGS{{"queue", 1}, NONE}, code, 11);
    run_buffer(&b, ROTATE, 1);
    store_all(&b, 32);
    finish_buffers(&b, &v, (const int32_t[]){1, 11, 3, 33, 1, 11, 5, 55}, 8);
}

/* Partial sums come to a buffer; a sequence that defers writes with the last packet, then from 0 again. */
Test(behaviour, deferred_sums_are_written_with_the_last_packet)
{
    static const int32_t sums[] = {100, 200};
    struct variant v;
    struct builder b;
    const struct config_instruction code[] = {{"mac", SETTINGS{{"acc", 3}, {"keep", 1}, NONE}, NULL},
                                              {"st", NULL, NULL}};
    const struct config_instruction load = {"ld", SETTINGS{{"target", 3}, {"acc", 3}, NONE}, NULL};
    begin_buffers(&b, &v);
    builder_config(&b, DRAIN, NULL, &load, 1);
    builder_config(&b, ROTATE, SETTINGS{{"queue", 1}, {"defer", 1}, NONE}, code, 2);
    struct send send = {.rows = 1, .clusters = 1, .command = EXEC | DRAIN, .count = 1};
    builder_send(&b, &send, sums, sizeof sums);
    send.command = EXEC | ROTATE;
    builder_send(&b, &send, "", 0);
    builder_send(&b, &send, "", 0);
    send.command = EXEC_SHIFT_OUT | COMMAND_LAST | ROTATE;
    builder_send(&b, &send, "", 0);
    builder_send(&b, &send, "", 0);
    store_all(&b, 16);
    finish_buffers(&b, &v, (const int32_t[]){103, 233, 1, 11}, 4);
}

/* ---- reductions over the PEs ------------------------------------------------------------------ */

/* Two PEs: their partial sums, reduced into entry 3 of both. */
static void expect_reduction(const struct function_record *record, const int32_t sums[2], int32_t expected)
{
    struct variant v = variant_of("tiny", (const char *const[]){"functions=sum,max,average", NULL});
    struct builder b;
    struct slots slots;
    builder_begin(&b, &v);
    builder_config_functions(
        &b, 0, NULL,
        (const struct config_instruction[]){
            {"ld", SETTINGS{{"target", 1}, NONE}, SETTINGS{{"result", 5}, NONE}},
            {"spu", SETTINGS{{"function", 1}, NONE}, SETTINGS{{"address", 5}, {"result", 3}, NONE}},
            {"st", NULL, SETTINGS{{"result", 3}, NONE}}},
        3, record, 1);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT, .count = 1};
    builder_send(&b, &send, sums, 2 * sizeof *sums);
    store_all(&b, 2 * sizeof *sums);
    builder_finish(&b, &slots, 2 * sizeof *sums);
    expect_ok(&v, &slots);
    expect_results(&slots, (const int32_t[]){expected, expected}, 2);
    builder_free(&b);
    slots_free(&slots);
}

Test(behaviour, entries_are_reduced_over_the_pes)
{
    const struct function_record sum = {.function = NUM_SUM, .element = NUM_INT32},
                                 narrow = {.function = NUM_SUM, .element = NUM_INT8},
                                 max = {.function = NUM_MAX, .element = NUM_INT32},
                                 average = {.function = NUM_AVERAGE,
                                            .element = NUM_INT32,
                                            .shift = 1,
                                            .multiplier = 1,
                                            .low = -32768,
                                            .high = 32767,
                                            .zero = 7};
    expect_reduction(&sum, (const int32_t[]){40, -1000}, -960);
    expect_reduction(&sum, (const int32_t[]){INT32_MAX, 1}, INT32_MIN);
    expect_reduction(&narrow, (const int32_t[]){100, 100}, 127);
    expect_reduction(&max, (const int32_t[]){-5, -3}, -3);
    expect_reduction(&max, (const int32_t[]){INT32_MIN, INT32_MAX}, INT32_MAX);
    expect_reduction(&average, (const int32_t[]){10, 20}, 22);
}

/* ---- maxima over windows ---------------------------------------------------------------------- */

/* A line of activations with the given flag, then a segment of weights for PE 0 and none for PE 1, from what
 * the entry has or not. */
static void expect_maximum(const int8_t line[8], bool zeros, const int8_t weights[8], bool resume,
                           int32_t entry, const int32_t expected[2])
{
    struct variant v = variant_of("tiny", (const char *const[]){"functions=relu,max", NULL});
    struct builder b;
    struct slots slots;
    struct stream streams[2] = {{.variant = &v}, {.variant = &v}};
    struct strbuf bytes = {0};
    builder_begin(&b, &v);
    builder_config(&b, 0, SETTINGS{{"block", 8}, NONE},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 0}, NONE}, SETTINGS{{"maximum", zeros}, NONE}}},
                   1);
    builder_config(&b, 1, NULL,
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 1}, NONE}, NULL}}, 1);
    builder_config(
        &b, 2, NULL,
        (const struct config_instruction[]){
            {"ld", SETTINGS{{"target", 2}, NONE}, NULL},
            {"mac", SETTINGS{{"keep", 1}, {"resume", resume}, NONE}, SETTINGS{{"maximum", 1}, NONE}},
            {"st", NULL, NULL}},
        3);
    struct send send = {.rows = 1, .clusters = 1, .command = EXEC, .count = 1};
    builder_send(&b, &send, line, 8);
    send.command = EXEC | 1;
    builder_send(&b, &send, (const int32_t[]){entry, entry}, 8);
    for (unsigned i = 0; i < 8; i++)
        stream_weight(&streams[0], 0, weights[i], i == 7);
    stream_escape(&streams[1], ESCAPE_END, 0);
    streams_pack(&v, streams, &bytes);
    send.command = EXEC_SHIFT_OUT | 2;
    builder_send(&b, &send, sb_text(&bytes), bytes.len);
    store_all(&b, 8);
    builder_finish(&b, &slots, 8);
    expect_ok(&v, &slots);
    expect_results(&slots, expected, 2);
    for (unsigned p = 0; p < 2; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
    builder_free(&b);
    slots_free(&slots);
}

Test(behaviour, a_maximum_takes_the_largest_product)
{
    static const int8_t negative[8] = {-5, -3, 0, -9, -3, -128, -4, 0},
                        both[8] = {-128, 7, 0, 3, 127, 1, 2, 9}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1},
                        signs[8] = {-128, 1, 1, 1, -1, 1, 1, 1};
    const int32_t nothing = -32768;
    expect_maximum(negative, false, ones, false, 77, (const int32_t[]){-3, nothing});
    expect_maximum(negative, true, ones, false, 77, (const int32_t[]){0, nothing});
    expect_maximum(both, true, ones, false, 77, (const int32_t[]){127, nothing});
    expect_maximum(both, true, signs, false, 77, (const int32_t[]){16384, nothing});
}

Test(behaviour, a_maximum_goes_on_from_an_entry)
{
    static const int8_t line[8] = {-5, -3, -7, -9, -3, -128, -4, -6}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    expect_maximum(line, true, ones, true, -2, (const int32_t[]){-2, -2});
    expect_maximum(line, true, ones, true, -4, (const int32_t[]){-3, -4});
    expect_maximum(line, true, ones, true, 100000, (const int32_t[]){100000, 100000});
    expect_maximum(line, true, ones, true, -100000, (const int32_t[]){-3, -32768});
}

/* Without time the least loaded cluster is the first one named. */
Test(behaviour, dispatch_reaches_one_cluster)
{
    static const int32_t input[2] = {5, 6};
    struct variant v;
    struct builder b;
    struct slots slots;
    begin_copy(&b, &v);
    store_all(&b, 8);
    const struct send send = {
        .rows = 1, .clusters = 3, .command = EXEC_SHIFT_OUT, .count = 1, .dispatch = true};
    builder_send(&b, &send, input, 8);
    builder_finish(&b, &slots, 8);
    builder_free(&b);
    expect_ok(&v, &slots);
    expect_results(&slots, input, 2);
    slots_free(&slots);
}
