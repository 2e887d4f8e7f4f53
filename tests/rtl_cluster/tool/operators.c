/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators made at random.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/cycle/cluster_run.h"
#include "sim/model/sequence.h"
#include "sim/numerics/numerics.h"
#include "tests/rtl_cluster/tool/cluster_test.h"
#include "tests/sim_model/stream.h"
#include "tests/sim_model/tile.h"

/* ---- partial sums in, entries out ------------------------------------------------------------- */

enum { BUFFER_PARTIAL, BUFFER_STORE, BUFFER_BOTH, BUFFER_MULTIPLY };

static void configure_entries(struct builder *b, struct random *dice, unsigned buffer, bool load, bool store)
{
    unsigned depth = b->variant.output_queue_depth;
    const struct setting load_places[] = {
        {"result", (int64_t)random_below(dice, depth)}, {"result_stride", 1}, {NULL, 0}};
    const struct setting store_places[] = {{"result", (int64_t)random_below(dice, depth)},
                                           {"result_stride", (int64_t)random_below(dice, depth)},
                                           {NULL, 0}};
    const struct setting to_entries[] = {{"target", 1}, {NULL, 0}};
    struct config_instruction code[2];
    unsigned count = 0;
    if (load)
        code[count++] = (struct config_instruction){"ld", to_entries, load_places};
    if (store)
        code[count++] = (struct config_instruction){"st", NULL, store_places};
    builder_config(b, buffer, SETTINGS{{"restart", random_chance(dice, 50)}, {NULL, 0}}, code, count);
}

static void send_partial_sums(struct builder *b, struct random *dice, const struct send *send)
{
    struct strbuf bytes = {0};
    unsigned each = b->variant.k * (b->variant.acc_width <= 32 ? 4 : 8), beat = b->derived.bus_bytes;
    random_bytes(dice, &bytes, send->count * ((each + beat - 1) / beat * beat));
    builder_send(b, send, sb_text(&bytes), bytes.len);
    sb_free(&bytes);
}

/* Every entry is written first: memories come up with anything in them. */
static void write_entries(struct builder *b, struct random *dice)
{
    struct send all = {.rows = 1,
                       .clusters = every_cluster(&b->variant),
                       .command = EXEC | BUFFER_PARTIAL,
                       .count = b->variant.output_queue_depth};
    builder_config(b, BUFFER_PARTIAL, SETTINGS{{"restart", 1}, {NULL, 0}},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, SETTINGS{{"result_stride", 1}, {NULL, 0}}}},
                   1);
    send_partial_sums(b, dice, &all);
}

bool case_stores(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct random dice = {seed};
    struct builder b;
    struct slots slots;
    builder_begin(&b, v);
    b.config_rows = 1;
    bool three = v->instruction_buffers > BUFFER_BOTH && v->instruction_depth > 1;
    write_entries(&b, &dice);
    configure_entries(&b, &dice, BUFFER_STORE % v->instruction_buffers, false, true);
    if (three)
        configure_entries(&b, &dice, BUFFER_BOTH, true, true);
    for (unsigned i = random_range(&dice, 1, 12); i > 0; i--) {
        bool both = three && random_chance(&dice, 40);
        struct send send = {.rows = 1,
                            .clusters = random_range(&dice, 1, every_cluster(v)),
                            .count = random_range(&dice, 1, 20)};
        send.command = (random_chance(&dice, 80) ? EXEC_SHIFT_OUT : EXEC) |
                       (both ? BUFFER_BOTH : BUFFER_STORE % v->instruction_buffers);
        if (both)
            send_partial_sums(&b, &dice, &send);
        else
            builder_send(&b, &send, "", 0);
    }
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}

/* ---- reductions over the PEs ------------------------------------------------------------------- */

/* Of the functions that reduce, one that the variant has; NONE: it has none. */
static unsigned random_reduction(const struct variant *v, struct random *dice)
{
    static const struct {
        enum variant_function feature;
        enum num_function function;
    } all[] = {{VARIANT_SUM, NUM_SUM}, {VARIANT_MAX, NUM_MAX}, {VARIANT_AVERAGE, NUM_AVERAGE}};
    unsigned first = (unsigned)random_below(dice, 3);
    for (unsigned i = first; i < first + 3; i++)
        if (v->functions >> all[i % 3].feature & 1)
            return all[i % 3].function;
    return NUM_NONE;
}

/* Partial sums in, or not, a reduction of one entry into another, results out. */
static void configure_reduction(struct builder *b, struct random *dice, unsigned buffer, unsigned function,
                                bool load)
{
    const struct variant *v = &b->variant;
    unsigned depth = v->output_queue_depth;
    unsigned most = depth < v->input_buffer_depth ? depth : v->input_buffer_depth;
    const struct setting places[] = {{"result", (int64_t)random_below(dice, depth)},
                                     {"result_stride", (int64_t)random_below(dice, depth)},
                                     {"address", (int64_t)random_below(dice, most)},
                                     {"stride", (int64_t)random_below(dice, most)},
                                     {NULL, 0}};
    const struct setting load_places[] = {
        {"result", places[2].value}, {"result_stride", places[3].value}, {NULL, 0}};
    const struct config_instruction code[] = {
        {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, load_places},
        {"spu", SETTINGS{{"function", 1}, {NULL, 0}}, places},
        {"st", NULL, (const struct setting[]){places[0], places[1], {NULL, 0}}}};
    const struct function_record record = {.function = function,
                                           .element = (unsigned)random_below(dice, 4),
                                           .shift = function == NUM_AVERAGE ? random_range(dice, 0, 40) : 0,
                                           .multiplier =
                                               function == NUM_AVERAGE ? random_signed(dice, 20) : 0,
                                           .low = function == NUM_AVERAGE ? -30000 : 0,
                                           .high = function == NUM_AVERAGE ? 30000 : 0,
                                           .rounding = v->roundings ? random_below(dice, NUM_ROUNDINGS) : 0};
    builder_config_functions(b, buffer, SETTINGS{{"restart", random_chance(dice, 50)}, {NULL, 0}},
                             code + !load, 3 - !load, &record, 1);
}

/* Segments of a few weights for each PE, times a line of activations; each sum is reduced at once. */
static void multiply_and_reduce(struct builder *b, struct random *dice, unsigned function)
{
    const struct variant *v = &b->variant;
    const unsigned line = v->load_width * 8 / v->data_width, segments = random_range(dice, 1, 6);
    const struct function_record record = {.function = function, .element = NUM_INT32};
    const struct config_instruction load = {"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL};
    const struct config_instruction code[] = {
        {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
        {"mac", SETTINGS{{"keep", 1}, {"balance", 1}, {NULL, 0}}, SETTINGS{{"result", 1}, {NULL, 0}}},
        {"spu", SETTINGS{{"function", 1}, {NULL, 0}}, SETTINGS{{"address", 1}, {"result", 2}, {NULL, 0}}},
        {"st", NULL, SETTINGS{{"result", 2}, {NULL, 0}}}};
    struct stream streams[16];
    struct strbuf bytes = {0};
    uint8_t activations[32];
    for (unsigned i = 0; i < sizeof activations; i++)
        activations[i] = (uint8_t)random_below(dice, 256);
    struct send send = {
        .rows = 1, .clusters = every_cluster(v), .command = EXEC | BUFFER_MULTIPLY, .count = 1};
    builder_config(b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"block", line}, {NULL, 0}}, &load, 1);
    builder_send(b, &send, activations, v->load_width);
    builder_config_functions(b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, code, 4, &record, 1);
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned s = 0; s < segments; s++) {
            stream_weight(&streams[p], 0, (int32_t)random_signed_non_zero(dice, v->data_width), false);
            stream_weight(&streams[p], 0, (int32_t)random_signed_non_zero(dice, v->data_width), true);
        }
    }
    streams_pack(v, streams, &bytes);
    send.command = EXEC_SHIFT_OUT | BUFFER_MULTIPLY;
    send.count = segments;
    builder_send(b, &send, sb_text(&bytes), bytes.len);
    for (unsigned p = 0; p < v->k; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

bool case_reduction(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct random dice = {seed};
    struct builder b;
    struct slots slots;
    unsigned function = random_reduction(v, &dice);
    if (function == NUM_NONE || v->instruction_depth < 4 || v->instruction_buffers <= BUFFER_MULTIPLY) {
        bench->skipped++;
        return true;
    }
    builder_begin(&b, v);
    b.config_rows = 1;
    write_entries(&b, &dice);
    configure_reduction(&b, &dice, BUFFER_STORE, function, false);
    configure_reduction(&b, &dice, BUFFER_BOTH, random_reduction(v, &dice), true);
    for (unsigned i = random_range(&dice, 1, 8); i > 0; i--) {
        bool both = random_chance(&dice, 50);
        struct send send = {.rows = 1,
                            .clusters = random_range(&dice, 1, every_cluster(v)),
                            .count = random_range(&dice, 1, 8)};
        send.command =
            (random_chance(&dice, 80) ? EXEC_SHIFT_OUT : EXEC) | (both ? BUFFER_BOTH : BUFFER_STORE);
        if (both)
            send_partial_sums(&b, &dice, &send);
        else
            builder_send(&b, &send, "", 0);
        if (random_chance(&dice, 30))
            multiply_and_reduce(&b, &dice, function);
    }
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}

/* ---- reductions beside MACs -------------------------------------------------------------------- */

/* Of the kinds from 0 on: MACs, reductions, stores. */
enum { BESIDE_SPU = 5, BESIDE_ST = 8, BESIDE_KINDS = 10 };

/* A few entries, so that MACs, stores and reductions of the same entries meet. */
static struct config_instruction random_beside(struct random *dice, unsigned kind, struct setting places[6])
{
    static const struct setting mac[][4] = {{{"keep", 1}, {NULL, 0}},
                                            {{"keep", 1}, {"resume", 1}, {NULL, 0}},
                                            {{"chain", 1}, {"balance", 1}, {NULL, 0}},
                                            {{"resume", 1}, {NULL, 0}}};
    static const struct setting spu[] = {{"function", 1}, {NULL, 0}};
    const bool source = kind >= BESIDE_SPU;
    unsigned count = 0;
    places[count++] = (struct setting){"result", (int64_t)random_below(dice, 4)};
    places[count++] = (struct setting){"result_stride", random_chance(dice, 30)};
    if (source && kind < BESIDE_ST) {
        places[count++] = (struct setting){"address", (int64_t)random_below(dice, 4)};
        places[count++] = (struct setting){"stride", random_chance(dice, 30)};
    }
    places[count] = (struct setting){NULL, 0};
    if (!source)
        return (struct config_instruction){"mac", mac[random_below(dice, 4)], places};
    return kind < BESIDE_ST ? (struct config_instruction){"spu", spu, places}
                            : (struct config_instruction){"st", NULL, places};
}

/* A packet of segments; each has so many weights. */
static void send_segments(struct builder *b, struct random *dice, unsigned command, unsigned segments,
                          unsigned least, unsigned most)
{
    const struct variant *v = &b->variant;
    const struct send send = {.rows = 1, .clusters = every_cluster(v), .command = command, .count = segments};
    struct stream streams[16];
    struct strbuf bytes = {0};
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned s = 0; s < segments; s++)
            for (unsigned left = random_range(dice, least, most); left > 0; left--)
                stream_weight(&streams[p], 0, (int32_t)random_signed_non_zero(dice, v->data_width),
                              left == 1);
    }
    if (!streams_pace(v, streams))
        abort();
    streams_pack(v, streams, &bytes);
    builder_send(b, &send, sb_text(&bytes), bytes.len);
    for (unsigned p = 0; p < v->k; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

/* Sequences of MACs, reductions and stores in any order, or of stores that a reduction follows, over segments
 * of one to eight weights. */
static void multiply_beside(struct builder *b, struct random *dice, unsigned buffer, unsigned function)
{
    enum { MOST = 8 };
    const struct variant *v = &b->variant;
    const unsigned segments = random_range(dice, 1, 24);
    const struct function_record record = {.function = function, .element = NUM_INT32};
    struct config_instruction code[MOST + 2] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                                {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, NULL}};
    struct setting places[MOST][6];
    unsigned count = 2;
    const unsigned most = v->instruction_depth < MOST ? v->instruction_depth : MOST;
    const bool stores = random_chance(dice, 20);
    for (unsigned more = stores ? most - count : random_range(dice, 1, most - count); more > 0;
         more--, count++) {
        const unsigned any = (unsigned)random_below(dice, BESIDE_KINDS);
        code[count] = random_beside(dice, !stores ? any : more > 1 ? BESIDE_ST : BESIDE_SPU, places[count]);
    }
    builder_config_functions(b, buffer, SETTINGS{{"restart", random_chance(dice, 50)}, {NULL, 0}}, code,
                             count, &record, 1);
    send_segments(b, dice, (random_chance(dice, 80) ? EXEC_SHIFT_OUT : EXEC) | buffer, segments, 1, 8);
}

bool case_beside(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    const unsigned line = v->load_width * 8 / v->data_width;
    struct random dice = {seed};
    struct builder b;
    struct slots slots;
    if (random_reduction(v, &dice) == NUM_NONE || v->instruction_depth < 4 ||
        v->instruction_buffers <= BUFFER_MULTIPLY) {
        bench->skipped++;
        return true;
    }
    builder_begin(&b, v);
    b.config_rows = 1;
    write_entries(&b, &dice);
    const struct config_instruction load = {"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL};
    struct send send = {
        .rows = 1, .clusters = every_cluster(v), .command = EXEC | BUFFER_MULTIPLY, .count = 1};
    builder_config(&b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"block", line}, {NULL, 0}}, &load, 1);
    uint8_t activations[64];
    for (unsigned i = 0; i < sizeof activations; i++)
        activations[i] = (uint8_t)random_range(&dice, 1, 255);
    builder_send(&b, &send, activations, v->load_width);
    for (unsigned i = random_range(&dice, 1, 6); i > 0; i--) {
        multiply_beside(&b, &dice, i % 2 ? BUFFER_BOTH : BUFFER_STORE, random_reduction(v, &dice));
        if (random_chance(&dice, 30)) {
            configure_reduction(&b, &dice, BUFFER_MULTIPLY, random_reduction(v, &dice), true);
            send.command = EXEC_SHIFT_OUT | BUFFER_MULTIPLY;
            send_partial_sums(&b, &dice, &send);
        }
    }
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}

/* ---- how long reductions take ------------------------------------------------------------------ */

/* Groups of four dot products: the first of each group is added up over the PEs, like the divisor of a
 * softmax, and stored with the next group. */
static void add_up_groups(struct builder *b, struct random *dice, unsigned groups, unsigned weights,
                          const struct function_record *record)
{
    static const struct setting keep[] = {{"keep", 1}, {NULL, 0}};
    const int64_t wrap = b->variant.output_queue_depth;
    const struct config_instruction code[] = {
        {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
        {"mac", keep, SETTINGS{{"result", 0}, {"result_stride", 4}, {NULL, 0}}},
        {"mac", keep, SETTINGS{{"result", 1}, {"result_stride", 4}, {NULL, 0}}},
        {"mac", keep, SETTINGS{{"result", 2}, {"result_stride", 4}, {NULL, 0}}},
        {"mac", keep, SETTINGS{{"result", 3}, {"result_stride", 4}, {NULL, 0}}},
        {"st", NULL, SETTINGS{{"result", wrap - 4}, {"result_stride", 4}, {NULL, 0}}},
        {"spu", SETTINGS{{"function", 1}, {NULL, 0}},
         SETTINGS{
             {"address", 0}, {"stride", 4}, {"wrap", wrap}, {"result", 0}, {"result_stride", 4}, {NULL, 0}}}};
    builder_config_functions(b, BUFFER_STORE, SETTINGS{{"restart", 1}, {NULL, 0}}, code, 7, record, 1);
    send_segments(b, dice, EXEC_SHIFT_OUT | BUFFER_STORE, groups, weights, weights);
}

/* Dot products of a few entries, and behind them a packet that adds each up over the PEs, again and again. */
static void add_up_bursts(struct builder *b, struct random *dice, unsigned bursts, unsigned weights,
                          const struct function_record *record)
{
    const unsigned depth = b->variant.output_queue_depth, entries = depth / 2 < 32 ? depth / 2 : 32;
    const struct setting on[] = {{"result", 0}, {"result_stride", 1}, {NULL, 0}};
    const struct config_instruction multiply[] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                                  {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, on}};
    const struct config_instruction add[] = {{"spu", SETTINGS{{"function", 1}, {NULL, 0}},
                                              SETTINGS{{"address", 0},
                                                       {"stride", 1},
                                                       {"wrap", depth},
                                                       {"result", 0},
                                                       {"result_stride", 1},
                                                       {NULL, 0}}}};
    const struct config_instruction store[] = {{"st", NULL, on}};
    const struct setting header[] = {{"restart", 0}, {NULL, 0}};
    const struct send sums = {.rows = 1, .clusters = 1, .command = EXEC | BUFFER_MULTIPLY, .count = entries};
    const struct send results = {
        .rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT | BUFFER_BOTH, .count = depth};
    builder_config(b, BUFFER_STORE, header, multiply, 2);
    builder_config_functions(b, BUFFER_MULTIPLY, header, add, 1, record, 1);
    builder_config(b, BUFFER_BOTH, header, store, 1);
    for (unsigned i = 0; i < bursts; i++) {
        send_segments(b, dice, EXEC | BUFFER_STORE, entries, weights, weights);
        builder_send(b, &sums, NULL, 0);
    }
    builder_send(b, &results, NULL, 0);
}

/* Cycles of the row and of the cycle model, at most 10 % apart. */
static bool paces_agree(struct bench *bench, const struct job *job, struct strbuf *why)
{
    const struct surroundings calm = {.seed = 1};
    const struct cycle_options options = cycle_defaults(&bench->variant);
    struct row_program program = {0};
    struct cluster_report report = {0};
    struct outcome outcome = {0};
    bench->api->reset(bench->row);
    bool ok = !row_program_read(&program, &bench->variant, job) &&
              play_packets(bench->api, bench->row, &bench->variant, &program.row[0], &calm, &outcome) &&
              cluster_run(&bench->variant, &options, program.row[0].packet, program.row[0].count, &report);
    uint64_t row = outcome.cycles, model = report.cycles, apart = row > model ? row - model : model - row;
    printf("%llu cycles, %llu in the cycle model\n", (unsigned long long)row, (unsigned long long)model);
    if (!ok || report.code || 10 * apart > row) {
        sb_addf(why, "%llu cycles, %llu in the cycle model", (unsigned long long)row,
                (unsigned long long)model);
        ok = false;
    }
    row_program_free(&program);
    outcome_free(&outcome);
    return ok;
}

bool case_pace(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    const unsigned line = v->load_width * 8 / v->data_width, weights = 2u << seed % 4;
    struct random dice = {seed};
    struct builder b;
    struct slots slots;
    const struct function_record record = {.function = v->functions >> VARIANT_SUM & 1 ? NUM_SUM : NUM_MAX,
                                           .element = NUM_INT32};
    if (!(v->functions & (1u << VARIANT_SUM | 1u << VARIANT_MAX)) || v->instruction_depth < 8) {
        bench->skipped++;
        return true;
    }
    builder_begin(&b, v);
    b.config_rows = 1;
    write_entries(&b, &dice);
    const struct config_instruction load = {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                                            SETTINGS{{"stride", line}, {NULL, 0}}};
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC | BUFFER_BOTH, .count = 4};
    uint8_t activations[256];
    for (unsigned i = 0; i < sizeof activations; i++)
        activations[i] = (uint8_t)random_range(&dice, 1, 255);
    builder_config(&b, BUFFER_BOTH, SETTINGS{{"restart", 1}, {"block", line}, {NULL, 0}}, &load, 1);
    builder_send(&b, &send, activations, 4 * v->load_width);
    if (seed & 4)
        add_up_bursts(&b, &dice, 16, weights, &record);
    else
        add_up_groups(&b, &dice, 64, weights, &record);
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    bool ok = bench_job(bench, &slots.job, seed, why) && paces_agree(bench, &slots.job, why);
    slots_free(&slots);
    return ok;
}

/* ---- accumulation buffers ---------------------------------------------------------------------- */

enum { MACS_MAX = 6 };

/* MACs of one segment that rotates, on buffers and entries at random. */
static void configure_macs(struct builder *b, struct random *dice, unsigned buffer, bool defer, bool trigger)
{
    const struct variant *v = &b->variant;
    const unsigned count = random_range(dice, 1, MACS_MAX), few = random_range(dice, 1, 4);
    const unsigned line = v->load_width * 8 / v->data_width;
    const bool maxima = v->functions >> VARIANT_MAX & 1 && !defer && random_chance(dice, 30);
    const struct function_record function = {.function = NUM_NONE, .element = NUM_INT16};
    struct config_instruction code[MACS_MAX + 1];
    struct setting fields[MACS_MAX][6], places[MACS_MAX][5];
    for (unsigned i = 0; i < count; i++) {
        const bool maximum = maxima && random_chance(dice, 40);
        const struct setting mac[6] = {{"acc", maximum ? 0 : (int64_t)random_below(dice, few)},
                                       {"resume", random_chance(dice, 25)},
                                       {"keep", random_chance(dice, 30)},
                                       {"chain", random_chance(dice, 15)},
                                       {"balance", !maximum && random_chance(dice, 50)}};
        const struct setting operands[5] = {{"maximum", maximum},
                                            {"address", (int64_t)random_below(dice, line)},
                                            {"result", (int64_t)random_below(dice, few)},
                                            {"result_stride", random_chance(dice, 30)}};
        memcpy(fields[i], mac, sizeof mac);
        memcpy(places[i], operands, sizeof operands);
        code[i] = (struct config_instruction){"mac", fields[i], places[i]};
    }
    code[count] = (struct config_instruction){"st", NULL, SETTINGS{{"result", 1}, {NULL, 0}}};
    builder_config_functions(b, buffer,
                             SETTINGS{{"restart", random_chance(dice, 50)},
                                      {"queue", 1},
                                      {"defer", defer},
                                      {"trigger", trigger},
                                      {"trigger_buffer", trigger ? BUFFER_BOTH : 0},
                                      {NULL, 0}},
                             code, count + random_chance(dice, 30), &function, 1);
}

/* Up to two lines of activations, and a segment of a few weights for each PE. */
static void load_operands(struct builder *b, struct random *dice)
{
    const struct variant *v = &b->variant;
    const struct config_instruction input = {"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL};
    const struct config_instruction weights = {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    struct stream streams[16];
    struct strbuf bytes = {0};
    uint8_t activations[64];
    struct send send = {
        .rows = 1, .clusters = every_cluster(v), .command = EXEC | BUFFER_PARTIAL, .count = 1};
    for (unsigned i = 0; i < sizeof activations; i++)
        activations[i] = (uint8_t)(random_chance(dice, 80) ? random_below(dice, 256) : 0);
    builder_config(b, BUFFER_PARTIAL, SETTINGS{{"block", 2 * v->load_width * 8 / v->data_width}, {NULL, 0}},
                   &input, 1);
    builder_send(b, &send, activations, (size_t)2 * v->load_width);
    for (unsigned p = 0; p < v->k; p++) {
        unsigned count = random_range(dice, 0, 3);
        streams[p] = (struct stream){.variant = v};
        if (!count)
            stream_escape(&streams[p], ESCAPE_END, 0);
        for (unsigned i = 0; i < count; i++)
            stream_weight(&streams[p], 0, (int32_t)random_signed_non_zero(dice, v->data_width),
                          i + 1 == count);
    }
    streams_pack(v, streams, &bytes);
    builder_config(b, BUFFER_PARTIAL, NULL, &weights, 1);
    builder_send(b, &send, sb_text(&bytes), bytes.len);
    for (unsigned p = 0; p < v->k; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

/* Partial sums for a buffer. */
static void fill_buffer(struct builder *b, struct random *dice)
{
    const struct setting fields[] = {{"target", 3}, {"acc", (int64_t)random_below(dice, 4)}, {NULL, 0}};
    const struct config_instruction load = {"ld", fields, SETTINGS{{"result_stride", 1}, {NULL, 0}}};
    struct send send = {.rows = 1,
                        .clusters = random_range(dice, 1, every_cluster(&b->variant)),
                        .command = EXEC | BUFFER_PARTIAL,
                        .count = random_range(dice, 1, 2)};
    builder_config(b, BUFFER_PARTIAL, NULL, &load, 1);
    send_partial_sums(b, dice, &send);
}

/* What the buffers hold, and all entries. */
static void show_everything(struct builder *b)
{
    const unsigned depth = b->variant.output_queue_depth;
    const struct setting header[] = {{"queue", 1}, {"restart", 1}, {NULL, 0}};
    const struct config_instruction store = {"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}};
    struct setting fields[4][3], places[4][2];
    struct config_instruction code[4];
    struct send send = {
        .rows = 1, .clusters = every_cluster(&b->variant), .command = EXEC_SHIFT_OUT | BUFFER_STORE};
    send.count = depth;
    builder_config(b, BUFFER_STORE, NULL, &store, 1);
    builder_send(b, &send, "", 0);
    for (unsigned i = 0; i < 4; i++) {
        const struct setting mac[3] = {{"acc", i}, {"keep", 1}}, place[2] = {{"result", i}};
        memcpy(fields[i], mac, sizeof mac);
        memcpy(places[i], place, sizeof place);
        code[i] = (struct config_instruction){"mac", fields[i], places[i]};
    }
    builder_config(b, BUFFER_STORE, header, code, 4);
    send.count = 1;
    builder_send(b, &send, "", 0);
    builder_config(b, BUFFER_STORE, NULL, &store, 1);
    send.count = 4;
    builder_send(b, &send, "", 0);
}

/* Packets of MACs that follow each other closely, with and without those that are triggered. */
static void send_macs(struct builder *b, struct random *dice)
{
    const bool defer = random_chance(dice, 50), trigger = random_chance(dice, 40);
    if (trigger)
        configure_macs(b, dice, BUFFER_BOTH, random_chance(dice, 50), false);
    configure_macs(b, dice, BUFFER_MULTIPLY, defer, trigger);
    for (unsigned i = random_range(dice, 1, 4); i > 0; i--) {
        const struct send send = {.rows = 1,
                                  .clusters = random_range(dice, 1, every_cluster(&b->variant)),
                                  .command = (random_chance(dice, 50) ? EXEC_SHIFT_OUT : EXEC) |
                                             BUFFER_MULTIPLY |
                                             (defer && random_chance(dice, 40) ? COMMAND_LAST : 0),
                                  .count = random_range(dice, 1, 6)};
        builder_send(b, &send, "", 0);
    }
}

bool case_buffers(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct random dice = {seed};
    struct builder b;
    struct slots slots;
    if (!v->accumulators || v->instruction_depth <= MACS_MAX || v->instruction_buffers <= BUFFER_MULTIPLY) {
        bench->skipped++;
        return true;
    }
    builder_begin(&b, v);
    b.config_rows = 1;
    write_entries(&b, &dice);
    load_operands(&b, &dice);
    for (unsigned i = random_range(&dice, 1, 6); i > 0; i--) {
        if (random_chance(&dice, 30))
            fill_buffer(&b, &dice);
        send_macs(&b, &dice);
    }
    show_everything(&b);
    fill_buffer(&b, &dice); /* of which the next job must not see anything */
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

bool case_tile(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    struct random dice = {seed};
    struct tile tile;
    tile_make(&tile, &dice, &bench->variant);
    bool ok = bench_job(bench, &tile.slots.job, seed, why);
    tile_free(&tile);
    return ok;
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* In per cent; 0 is a single entry. */
static unsigned random_density(struct random *dice)
{
    static const unsigned densities[] = {0, 1, 3, 10, 20, 50, 90, 100};
    return densities[random_below(dice, sizeof densities / sizeof *densities)];
}

/* `band`: only columns that close to the diagonal. Some rows are empty, some dense. */
static struct sparse random_matrix(struct random *dice, const struct variant *v, uint32_t rows,
                                   uint32_t columns, uint32_t band)
{
    struct sparse s = {.rows = rows, .columns = columns};
    unsigned density = random_density(dice);
    s.start = calloc((size_t)rows + 1, sizeof *s.start);
    s.column = malloc(((size_t)rows * columns + 1) * sizeof *s.column);
    s.value = malloc(((size_t)rows * columns + 1) * sizeof *s.value);
    if (!s.start || !s.column || !s.value)
        abort();
    uint32_t count = 0, lonely = (uint32_t)random_below(dice, (uint64_t)rows);
    for (uint32_t r = 0; r < rows; r++) {
        unsigned percent = random_chance(dice, 10) ? (unsigned)random_below(dice, 101) : density;
        percent = random_chance(dice, 15) ? 0 : percent;
        for (uint32_t c = r > band ? r - band : 0; c < columns && c <= r + (uint64_t)band; c++)
            if (random_chance(dice, percent) || (density == 0 && r == lonely && c == r)) {
                s.column[count] = c;
                s.value[count++] = (int32_t)random_signed_non_zero(dice, v->data_width);
            }
        s.start[r + 1] = count;
    }
    return s;
}

static void fill_input(struct random *dice, const struct variant *v, struct strbuf *to, uint64_t bytes)
{
    unsigned percent = random_chance(dice, 10) ? 0 : random_density(dice);
    for (uint64_t i = 0; i < bytes; i += v->data_width / 8) {
        int64_t value = random_chance(dice, percent) ? random_signed(dice, v->data_width) : 0;
        for (unsigned b = 0; b < v->data_width / 8; b++) {
            const char byte = (char)(uint8_t)((uint64_t)value >> (8 * b));
            sb_addn(to, &byte, 1);
        }
    }
}

static bool run_plan(struct bench *bench, struct random *dice, const struct plan *plan, uint64_t seed,
                     struct strbuf *why)
{
    struct slots slots = {0};
    struct strbuf input = {0};
    fill_input(dice, &bench->variant, &input, plan->input_bytes);
    slots_set(&slots, SLOT_PROGRAM, plan->program.text, plan->program.len);
    slots_set(&slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(&slots, SLOT_WEIGHTS, sb_text(&plan->weights), plan->weights.len);
    slots_set(&slots, SLOT_INPUT, sb_text(&input), input.len);
    slots_set(&slots, SLOT_OUTPUT, NULL, plan->output_bytes);
    if (plan->scratch_bytes)
        slots_set(&slots, SLOT_SCRATCH, NULL, plan->scratch_bytes);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    sb_free(&input);
    return ok;
}

bool case_plan(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct random dice = {seed};
    struct plan plan = {0};
    bool vector = random_chance(&dice, 40);
    uint32_t rows = random_range(&dice, 1, 12 * v->k), columns = 8 * random_range(&dice, 1, 24);
    uint32_t band = random_chance(&dice, 50) ? UINT32_MAX / 2 : random_range(&dice, 1, 40);
    struct sparse w = random_matrix(&dice, v, rows, vector && random_chance(&dice, 50) ? rows : columns,
                                    vector ? band : UINT32_MAX / 2);
    const struct plan_description d = {.variant = v,
                                       .operator= vector ? PLAN_SPMV : PLAN_SPMM,
                                       .weights = &w,
                                       .m = vector ? 1 : random_range(&dice, 1, 16),
                                       .element = 2};
    const struct plan_choice choice = {.gather = vector ? PLAN_GATHER_DIAGONAL : PLAN_GATHER_NONE,
                                       .split = {PLAN_M, PLAN_M},
                                       .rows_held = vector ? 0 : 1u << random_below(&dice, 3),
                                       .packet_bytes =
                                           random_chance(&dice, 50) ? 0 : random_range(&dice, 64, 4096)};
    const char *refused = plan_why(plan_make(&d, &choice, &plan));
    bool ok = refused || run_plan(bench, &dice, &plan, seed, why);
    bench->skipped += refused != NULL;
    plan_free(&plan);
    sparse_free(&w);
    return ok;
}
