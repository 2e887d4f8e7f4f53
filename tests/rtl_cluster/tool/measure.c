/* SPDX-License-Identifier: Apache-2.0
 *
 * What addresses for each PE, second turns and scalar registers bring, and what
 * LDs cost beside MACs: cycles of a Verilated row and of the cycle model for the
 * same work done with and without them. One case for each seed; the two must be within 5 %.
 */
#include <stdio.h>
#include <string.h>

#include "sim/cycle/cluster_run.h"
#include "sim/numerics/numerics.h"
#include "tests/rtl_cluster/tool/cluster_test.h"
#include "tests/sim_model/stream.h"

enum { CHANNELS = 16, WIDTH = 16, KERNEL = 3, POSITIONS = WIDTH - KERNEL + 1, TAPS = KERNEL * KERNEL };
enum {
    BUFFER_INPUT,
    BUFFER_WEIGHTS,
    BUFFER_MULTIPLY,
    SHORT_SEGMENTS = 32,
    BLOCK = 4,
    REGISTER = 1,
    SHORT_MACS = 256,
    SPUS = 32
};
#define NEAR 0.05
/* What the cycle model of a row does not count: 8 cycles in which instruction stores are cleared after reset,
 * 5 from the port to a cluster, and what a first load, its MAC and its result take. In a job they pass before
 * the first packet comes, or are counted with it. */
#define ROW_STEPS 28

struct making {
    struct builder b;
    const struct variant *v;
    struct random dice;
};

static void send(struct making *m, unsigned command, unsigned count, const struct strbuf *bytes, bool scatter)
{
    const struct send to = {.rows = 1, .clusters = 1, .command = command, .count = count, .scatter = scatter};
    builder_send(&m->b, &to, bytes ? sb_text(bytes) : "", bytes ? bytes->len : 0);
}

/* So many random activations, none of them 0. */
static void send_input(struct making *m, unsigned count, bool scatter)
{
    struct strbuf bytes = {0};
    for (unsigned i = 0; i < count * m->v->data_width / 8; i++) {
        const char byte = (char)(1 + random_below(&m->dice, 99));
        sb_addn(&bytes, &byte, 1);
    }
    builder_config(&m->b, BUFFER_INPUT,
                   SETTINGS{{"restart", 1}, {"block", scatter ? count / m->v->k : count}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL}}, 1);
    send(m, EXEC | BUFFER_INPUT, 1, &bytes, scatter);
    sb_free(&bytes);
}

static int32_t weight(struct making *m)
{
    return (int32_t)random_signed_non_zero(&m->dice, 4);
}

/* To a position from the one behind the last weight, with a jump where the gap is too small for it. */
static void weight_at(struct stream *s, uint32_t *next, uint32_t position, int32_t value, bool last)
{
    const uint32_t unit = 1u << (s->variant->index_width - 2);
    uint32_t gap = position - *next;
    if (gap >= (1u << (s->variant->index_width - 1)) - 1) {
        stream_escape(s, ESCAPE_JUMP, gap / unit - 1);
        gap %= unit;
    }
    stream_weight(s, gap, value, last);
    *next = position + 1;
}

static void send_streams(struct making *m, struct stream *streams, unsigned buffer, unsigned count)
{
    struct strbuf bytes = {0};
    streams_pack(m->v, streams, &bytes);
    send(m, EXEC_SHIFT_OUT | buffer, count, &bytes, false);
    sb_free(&bytes);
    for (unsigned p = 0; p < m->v->k; p++)
        stream_free(&streams[p]);
}

/* ---- depthwise convolution: a row of an image, channels last ----------------------------------- */

enum way { SCATTERED, DENSE, GAPS, PE_STRIDE };

/* The taps of a group's channel; `step` is from pixel to pixel, `offset` that of the PE. */
static void add_taps(struct making *m, struct stream *s, unsigned step, unsigned offset, bool dense)
{
    uint32_t next = 0;
    for (unsigned t = 0; t < TAPS; t++) {
        const uint32_t pixel = (t / KERNEL * WIDTH + t % KERNEL) * step;
        if (!dense)
            weight_at(s, &next, pixel + offset, weight(m), t + 1 == TAPS);
        for (unsigned c = 0; dense && c < m->v->k; c++)
            weight_at(s, &next, pixel + c, c == offset ? weight(m) : 0, t + 1 == TAPS && c + 1 == m->v->k);
    }
}

static void depthwise(struct making *m, enum way way)
{
    const struct variant *v = m->v;
    const unsigned groups = CHANNELS / v->k, step = way == SCATTERED ? groups : CHANNELS;
    const unsigned next_group = way == SCATTERED ? 1 : v->k;
    struct stream streams[16];
    struct config_instruction code[4] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL}};
    unsigned n = 1;
    if (way == PE_STRIDE)
        code[n++] = (struct config_instruction){"extension", SETTINGS{{"pe_stride", 1}, {NULL, 0}}, NULL};
    const struct setting operands[] = {{"stride", step},
                                       {"inner", POSITIONS},
                                       {"pitch", (int)next_group - (int)(POSITIONS * step)},
                                       {"result_stride", 1},
                                       {NULL, 0}};
    code[n++] = (struct config_instruction){"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, operands};
    code[n++] = (struct config_instruction){"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}};
    builder_config(&m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"hold", POSITIONS}, {NULL, 0}}, code, n);
    send_input(m, KERNEL * WIDTH * CHANNELS, way == SCATTERED);
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned g = 0; g < groups; g++)
            add_taps(m, &streams[p], step, way == GAPS || way == DENSE ? p : 0, way == DENSE);
    }
    send_streams(m, streams, BUFFER_MULTIPLY, groups * POSITIONS);
}

/* ---- short segments, each PE in a region of its own --------------------------------------------- */

static void regions(struct making *m, enum way way)
{
    const struct variant *v = m->v;
    const unsigned region = v->input_buffer_depth / v->k;
    struct stream streams[16];
    struct config_instruction code[4] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL}};
    unsigned n = 1;
    if (way == PE_STRIDE)
        code[n++] =
            (struct config_instruction){"extension", SETTINGS{{"pe_stride", region}, {NULL, 0}}, NULL};
    code[n++] = (struct config_instruction){"mac", SETTINGS{{"keep", 1}, {NULL, 0}},
                                            SETTINGS{{"result_stride", 1}, {NULL, 0}}};
    code[n++] = (struct config_instruction){"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}};
    builder_config(&m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, code, n);
    send_input(m, v->input_buffer_depth, false);
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned s = 0; s < SHORT_SEGMENTS; s++) {
            uint32_t next = 0;
            const uint32_t at = (way == PE_STRIDE ? 0 : p * region) + random_below(&m->dice, 16);
            weight_at(&streams[p], &next, at, weight(m), false);
            weight_at(&streams[p], &next, at + 5, weight(m), true);
        }
    }
    send_streams(m, streams, BUFFER_MULTIPLY, SHORT_SEGMENTS);
}

/* ---- a block of positions in three directions ---------------------------------------------------- */

/* A window over BLOCK x BLOCK x BLOCK positions: in one packet with a second turn, else a packet for each
 * plane. */
static void window(struct making *m, bool turns)
{
    const struct variant *v = m->v;
    const unsigned planes = turns ? 1 : BLOCK, count = BLOCK * BLOCK * (turns ? BLOCK : 1);
    struct stream streams[16];
    for (unsigned p = 0; p < v->k; p++) {
        uint32_t next = 0;
        streams[p] = (struct stream){.variant = v};
        for (unsigned t = 0; t < 8; t++)
            weight_at(&streams[p], &next, 3 * t, weight(m), t == 7);
    }
    builder_config(&m->b, BUFFER_WEIGHTS, SETTINGS{{"restart", 1}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL}}, 1);
    for (unsigned z = 0; z < planes; z++) {
        const struct setting extension[] = {{"outer", BLOCK}, {"plane", 128 - BLOCK * 32}, {NULL, 0}};
        const struct setting operands[] = {{"address", 128 * (int)z},
                                           {"stride", 4},
                                           {"inner", BLOCK},
                                           {"pitch", 32 - BLOCK * 4},
                                           {"result", BLOCK * BLOCK * (int)z},
                                           {"result_stride", 1},
                                           {NULL, 0}};
        const struct setting results[] = {
            {"result", BLOCK * BLOCK * (int)z}, {"result_stride", 1}, {NULL, 0}};
        const struct config_instruction code[] = {{"extension", extension, NULL},
                                                  {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, operands},
                                                  {"st", NULL, results}};
        builder_config(
            &m->b, BUFFER_MULTIPLY + z,
            SETTINGS{{"restart", 1}, {"queue", 1}, {"pipeline", turns}, {"hold", count}, {NULL, 0}},
            code + !turns, 3 - !turns);
    }
    send_input(m, v->input_buffer_depth, false);
    send_streams(m, streams, BUFFER_WEIGHTS, 1);
    for (unsigned z = 0; z < planes; z++)
        send(m, EXEC_SHIFT_OUT | (BUFFER_MULTIPLY + z), count, NULL, false);
}

/* ---- SPU instructions ----------------------------------------------------------------------------- */

/* Of an entry, SPUS times; a reduction may go to a register, which is 0 then, and which the ST adds. */
static void spu(struct making *m, unsigned function, bool to_register)
{
    const struct function_record records[] = {
        {.function = to_register ? NUM_AVERAGE : NUM_SUM, .element = NUM_INT32},
        {.function = NUM_RELU, .element = NUM_INT8}};
    const struct config_instruction load = {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, NULL};
    const struct setting how[] = {
        {"function", function}, {"destination", to_register ? REGISTER : 0}, {NULL, 0}};
    const struct config_instruction code[] = {
        {"spu", how, SETTINGS{{"result", to_register ? 0 : 1}, {NULL, 0}}},
        {"extension", SETTINGS{{"result_register", to_register ? REGISTER : 0}, {NULL, 0}}, NULL},
        {"st", NULL, SETTINGS{{"result", to_register ? 0 : 1}, {NULL, 0}}}};
    struct strbuf bytes = {0};
    random_bytes(&m->dice, &bytes, (size_t)m->v->k * 4);
    builder_config(&m->b, BUFFER_INPUT, SETTINGS{{"restart", 1}, {NULL, 0}}, &load, 1);
    send(m, EXEC | BUFFER_INPUT, 1, &bytes, false);
    builder_config_functions(&m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"pipeline", 1}, {NULL, 0}},
                             code, 3, records, 2);
    send(m, EXEC_SHIFT_OUT | BUFFER_MULTIPLY, SPUS, NULL, false);
    sb_free(&bytes);
}

/* ---- short MACs ------------------------------------------------------------------------------------ */

/* Segments of a weight each, two MACs in an iteration, which add a register, or do not; then STs. */
static void short_macs(struct making *m, bool named)
{
    struct stream streams[16];
    const struct setting extension[] = {{"register", REGISTER}, {NULL, 0}};
    const struct config_instruction load = {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    const struct setting second[] = {{"result", 1}, {NULL, 0}};
    const struct config_instruction add = {"extension", extension, NULL},
                                    first_mac = {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, NULL},
                                    second_mac = {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, second};
    const struct config_instruction plain[] = {first_mac, second_mac},
                                    adding[] = {add, first_mac, add, second_mac};
    const struct config_instruction stores[] = {{"st", NULL, NULL}, {"st", NULL, second}};
    for (unsigned p = 0; p < m->v->k; p++) {
        streams[p] = (struct stream){.variant = m->v};
        for (unsigned s = 0; s < SHORT_SEGMENTS; s++)
            stream_weight(&streams[p], p, weight(m), true);
    }
    builder_config(&m->b, BUFFER_WEIGHTS, SETTINGS{{"restart", 1}, {NULL, 0}}, &load, 1);
    builder_config(&m->b, BUFFER_MULTIPLY,
                   SETTINGS{{"restart", 1}, {"queue", 1}, {"pipeline", named}, {"hold", 1}, {NULL, 0}},
                   named ? adding : plain, named ? 4 : 2);
    builder_config(&m->b, BUFFER_MULTIPLY + 1, SETTINGS{{"restart", 1}, {NULL, 0}}, stores, 2);
    send_input(m, m->v->input_buffer_depth, false);
    send_streams(m, streams, BUFFER_WEIGHTS, SHORT_SEGMENTS);
    send(m, EXEC_SHIFT_OUT | BUFFER_MULTIPLY, SHORT_MACS, NULL, false);
    send(m, EXEC_SHIFT_OUT | (BUFFER_MULTIPLY + 1), 1, NULL, false);
}

/* ---- loads beside MACs ---------------------------------------------------------------------------- */

enum { LINES = 512, ROUNDS = 8 };

/* MACs of one weight or two, in sequences of four, which read the first half of the input buffer, while a
 * packet of activations goes into the second half, a line with each LD; then STs. */
static void loads_beside(struct making *m)
{
    const struct variant *v = m->v;
    const unsigned line = 8 * v->load_width / v->data_width, half = v->input_buffer_depth / 2;
    const struct config_instruction load = {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    const struct setting lines[] = {{"address", (int)half},
                                    {"stride", (int)line},
                                    {"inner", (int)(half / line)},
                                    {"pitch", -(int)half},
                                    {NULL, 0}};
    const struct setting keep[] = {{"keep", 1}, {NULL, 0}};
    const struct setting results[][2] = {{{"result", 0}}, {{"result", 1}}, {{"result", 2}}, {{"result", 3}}};
    struct config_instruction macs[4], stores[4];
    struct stream streams[16];
    struct strbuf bytes = {0};
    for (unsigned i = 0; i < 4; i++) {
        macs[i] = (struct config_instruction){"mac", keep, results[i]};
        stores[i] = (struct config_instruction){"st", NULL, results[i]};
    }
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned w = 0; w < SHORT_SEGMENTS / 2 * 3; w++)
            stream_weight(&streams[p], p, weight(m), w % 3 != 1);
    }
    random_bytes(&m->dice, &bytes, (size_t)LINES * v->load_width);
    builder_config(&m->b, BUFFER_WEIGHTS, SETTINGS{{"restart", 1}, {NULL, 0}}, &load, 1);
    builder_config(&m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"queue", 1}, {"hold", 1}, {NULL, 0}},
                   macs, 4);
    builder_config(&m->b, BUFFER_MULTIPLY + 1, SETTINGS{{"restart", 1}, {NULL, 0}}, stores, 4);
    builder_config(&m->b, BUFFER_MULTIPLY + 2, SETTINGS{{"restart", 1}, {"block", line}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}}, lines}}, 1);
    send_input(m, half, false);
    send_streams(m, streams, BUFFER_WEIGHTS, SHORT_SEGMENTS);
    send(m, EXEC | BUFFER_MULTIPLY, ROUNDS * SHORT_SEGMENTS, NULL, false);
    send(m, EXEC | (BUFFER_MULTIPLY + 2), LINES, &bytes, false);
    send(m, EXEC_SHIFT_OUT | (BUFFER_MULTIPLY + 1), 1, NULL, false);
    sb_free(&bytes);
}

/* ---- the cases ------------------------------------------------------------------------------------ */

enum { SHORT_PLAIN = 12, SHORT_NAMED, LOADS_BESIDE };

static const char *const names[] = {
    "depthwise, scattered",
    "depthwise, block-diagonal with zeros",
    "depthwise, the PE in the gaps of the weights",
    "depthwise, pe_stride 1",
    "short segments in regions, jumps",
    "short segments in regions, pe_stride",
    "window in three directions, a packet for each plane",
    "window in three directions, second turn",
    "SPU: sums",
    "SPU: sums into a register that the ST adds",
    "SPU: a function of each PE's entry",
    "SPU: copies",
    "MACs of a weight",
    "MACs of a weight that add a register",
    "loads beside short MACs",
};

static void make(struct making *m, unsigned which)
{
    if (which < 4)
        depthwise(m, (enum way)which);
    else if (which < 6)
        regions(m, which == 5 ? PE_STRIDE : GAPS);
    else if (which < 8)
        window(m, which == 7);
    else if (which < SHORT_PLAIN)
        spu(m, which < 10 ? 1 : which == 10 ? 2 : 0, which == 9);
    else if (which < LOADS_BESIDE)
        short_macs(m, which == SHORT_NAMED);
    else
        loads_beside(m);
}

/* Whether the variant has what the case takes. */
static bool suits(const struct variant *v, unsigned which)
{
    if (which == SHORT_PLAIN)
        return v->output_queue_depth;
    if (which == LOADS_BESIDE)
        return v->input_buffer_depth >= 1024 && v->instruction_buffers >= 8;
    return v->pe_operands && v->scalar_unit && v->scatter && CHANNELS % v->k == 0 &&
           v->input_buffer_depth >= 1024 && v->acc_width <= 32 &&
           (v->functions >> VARIANT_SUM & v->functions >> VARIANT_AVERAGE & 1);
}

unsigned case_measure_count(void)
{
    return sizeof names / sizeof *names;
}

static bool compare(struct bench *bench, unsigned which, const struct packet_list *list, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    const struct surroundings calm = {.seed = 1};
    struct cycle_options options = cycle_defaults(v);
    struct cluster_report report = {.code = JOB_OK};
    struct outcome row = {0}, model = {0};
    bool ok = bench_fresh_row(bench, 1) && play_packets(bench->api, bench->row, v, list, &calm, &row) &&
              model_packets(v, list, &model) &&
              cluster_run(v, &options, list->packet, list->count, &report) &&
              outcomes_agree(v, &row, &model, why) && row.code == JOB_OK && report.code == JOB_OK;
    const uint64_t cycles = report.cycles + ROW_STEPS;
    const double apart = (double)row.cycles / (double)cycles - 1;
    printf("%-52s %6llu cycles, model %6llu, %+.1f %%\n", names[which], (unsigned long long)row.cycles,
           (unsigned long long)cycles, 100 * apart);
    sb_addf(why, "%s, %s, %s", names[which], job_code_name(row.code), job_code_name(report.code));
    bench->compared++;
    outcome_free(&row);
    outcome_free(&model);
    return ok && apart < NEAR && apart > -NEAR;
}

bool case_measure(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct making m = {.v = v, .dice = {seed}};
    struct slots slots;
    struct row_program program = {0};
    if (!seed || seed > case_measure_count())
        return false;
    if (!suits(v, (unsigned)seed - 1)) {
        bench->skipped++;
        return true;
    }
    builder_begin(&m.b, v);
    m.b.config_rows = 1;
    make(&m, (unsigned)seed - 1);
    builder_finish(&m.b, &slots, 0);
    builder_free(&m.b);
    const char *refused = row_program_read(&program, v, &slots.job);
    if (refused)
        sb_add(why, refused);
    bool ok = !refused && compare(bench, (unsigned)seed - 1, &program.row[0], why);
    row_program_free(&program);
    slots_free(&slots);
    return ok;
}
