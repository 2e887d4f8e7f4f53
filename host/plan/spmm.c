/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/pack.h"

enum { TOKEN_WEIGHTS, TOKEN_WEIGHTS_FREE, TOKEN_INPUT, TOKEN_INPUT_FREE, TOKEN_CONFIG };
enum { BUFFER_LOAD, BUFFER_MULTIPLY = 2 }; /* two each: for the two halves of the input buffer */
#define ROWS_HELD_MAX 8

/* Where things are in a storage unit, in bytes. */
struct layout {
    uint32_t input, input_half, weights, weights_slot, weights_slots;
};

struct spmm {
    const struct variant *variant;
    struct variant_derived derived;
    struct writer writer;
    struct layout layout;
    uint32_t m, k, groups; /* groups: columns of the result / K */
    unsigned held, clusters;
    uint32_t all_rows, all_clusters;
};

static uint32_t round_up(uint32_t value, uint32_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static void send_config(struct spmm *s, unsigned buffer, uint64_t offset, size_t bytes)
{
    writer_load_data(&s->writer, SETTINGS{{"rows", s->all_rows},
                                          {"slot", 0},
                                          {"offset", (int64_t)offset},
                                          {"length", (int64_t)round_up((uint32_t)bytes, 8)},
                                          {"unit_address", buffer * 512},
                                          {"signal_a", 1},
                                          {"signal_a_token", TOKEN_CONFIG},
                                          {NULL, 0}});
    writer_op(&s->writer, "distribute",
              SETTINGS{{"rows", s->all_rows},
                       {"clusters", s->all_clusters},
                       {"command", buffer},
                       {"count", 1},
                       {"length", (int64_t)bytes},
                       {"unit_address", buffer * 512},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_CONFIG},
                       {NULL, 0}});
}

static void configure_load(struct spmm *s, unsigned half)
{
    size_t bytes;
    uint64_t at = writer_config(
        &s->writer,
        SETTINGS{{"restart", 1},
                 {"block", s->held * s->k},
                 {"after", 1},
                 {"after_buffer", BUFFER_MULTIPLY + half},
                 {NULL, 0}},
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                                             SETTINGS{{"address", half * s->held * s->k}, {NULL, 0}}}},
        1, &bytes);
    send_config(s, BUFFER_LOAD + half, at, bytes);
}

/* Weights, a MAC per row held, an ST per row held; results use the output queue as a ring. */
static void configure_multiply(struct spmm *s, unsigned half)
{
    struct config_instruction code[1 + 2 * ROWS_HELD_MAX];
    struct setting operands[ROWS_HELD_MAX][4];
    static const struct setting mac[4][4] = {{{"balance", 1}, {"keep", 1}, {"acc", 0}, {NULL, 0}},
                                             {{"balance", 1}, {"keep", 1}, {"acc", 1}, {NULL, 0}},
                                             {{"balance", 1}, {"keep", 1}, {"acc", 2}, {NULL, 0}},
                                             {{"balance", 1}, {"keep", 1}, {"acc", 3}, {NULL, 0}}};
    code[0] = (struct config_instruction){"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    for (unsigned r = 0; r < s->held; r++) {
        operands[r][0] = (struct setting){"address", (half * s->held + r) * s->k};
        operands[r][1] = (struct setting){"result", r};
        operands[r][2] = (struct setting){"result_stride", s->held};
        operands[r][3] = (struct setting){NULL, 0};
        code[1 + r] = (struct config_instruction){"mac", mac[r % 4], operands[r]};
        code[1 + s->held + r] = (struct config_instruction){"st", NULL, operands[r] + 1};
    }
    size_t bytes;
    uint64_t at =
        writer_config(&s->writer, SETTINGS{{"restart", 0}, {NULL, 0}}, code, 1 + 2 * s->held, &bytes);
    send_config(s, BUFFER_MULTIPLY + half, at, bytes);
}

/* Activations of a pass: cluster c of row r gets every clusters-th row of A, from r * M + c on. */
static void load_input(struct spmm *s, uint32_t pass)
{
    const struct variant *v = s->variant;
    unsigned half = pass & 1;
    uint32_t unit = s->layout.input + half * s->layout.input_half;
    uint64_t first = (uint64_t)pass * s->held * s->clusters;
    for (unsigned r = 0; r < v->n; r++)
        writer_op(&s->writer, "load",
                  SETTINGS{{"rows", 1u << r},
                           {"slot", SLOT_INPUT},
                           {"offset", (int64_t)((first + r * v->m) * s->k)},
                           {"length", s->k},
                           {"runs", s->held},
                           {"run_pitch", (int64_t)s->clusters * s->k},
                           {"planes", v->m},
                           {"plane_pitch", s->k},
                           {"unit_address", unit},
                           {"wait_a", r == 0},
                           {"wait_a_token", r == 0 ? TOKEN_INPUT_FREE : 0},
                           {"signal_a", r + 1 == v->n},
                           {"signal_a_token", r + 1 == v->n ? TOKEN_INPUT : 0},
                           {NULL, 0}});
    for (unsigned c = 0; c < v->m; c++)
        writer_op(&s->writer, "distribute",
                  SETTINGS{{"rows", s->all_rows},
                           {"clusters", 1u << c},
                           {"command", EXEC | (BUFFER_LOAD + half)},
                           {"count", 1},
                           {"length", s->held * s->k},
                           {"unit_address", unit + c * s->held * s->k},
                           {"wait_a", c == 0},
                           {"wait_a_token", c == 0 ? TOKEN_INPUT : 0},
                           {"signal_a", c + 1 == v->m},
                           {"signal_a_token", c + 1 == v->m ? TOKEN_INPUT_FREE : 0},
                           {NULL, 0}});
}

static void store_pass(struct spmm *s, uint32_t pass)
{
    uint32_t group_bytes = s->variant->k * 4, pitch = s->groups * group_bytes;
    writer_op(&s->writer, "store",
              SETTINGS{{"rows", s->all_rows},
                       {"clusters", s->all_clusters},
                       {"slot", SLOT_OUTPUT},
                       {"element", 2},
                       {"interleave", 1},
                       {"offset", (int64_t)((uint64_t)pass * s->held * s->clusters * pitch)},
                       {"length", group_bytes},
                       {"runs", s->held * s->clusters},
                       {"run_pitch", pitch},
                       {"planes", s->groups},
                       {"plane_pitch", group_bytes},
                       {NULL, 0}});
}

/* What the first pass needs. */
static void begin(struct spmm *s)
{
    configure_load(s, 0);
    load_input(s, 0);
    configure_multiply(s, 0);
}

/* The next pass's activations go between this pass's first packets of weights: late enough that the pass
 * before is through with that half of the input buffers, early enough to be there in time. */
static void prepare_next(struct spmm *s, uint32_t pass)
{
    if (pass == 0) {
        configure_load(s, 1);
        configure_multiply(s, 1);
    }
    load_input(s, pass + 1);
}

static void send_packet(struct spmm *s, uint32_t packet, uint32_t pass, uint64_t offset,
                        const uint32_t sizes[2])
{
    uint32_t unit = s->layout.weights + packet % s->layout.weights_slots * s->layout.weights_slot;
    writer_op(&s->writer, "load",
              SETTINGS{{"rows", s->all_rows},
                       {"slot", SLOT_WEIGHTS},
                       {"offset", (int64_t)offset},
                       {"length", sizes[1]},
                       {"unit_address", unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_WEIGHTS_FREE},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_WEIGHTS},
                       {NULL, 0}});
    writer_op(&s->writer, "distribute",
              SETTINGS{{"rows", s->all_rows},
                       {"clusters", s->all_clusters},
                       {"command", EXEC_SHIFT_OUT | (BUFFER_MULTIPLY + (pass & 1))},
                       {"count", sizes[0]},
                       {"length", sizes[1]},
                       {"unit_address", unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_WEIGHTS},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_WEIGHTS_FREE},
                       {NULL, 0}});
}

/* The packets of all weights, the same in every pass; `packet` counts over all passes. */
static void send_weights(struct spmm *s, const struct strbuf *sizes, uint32_t pass, uint32_t passes,
                         uint32_t *packet)
{
    const uint32_t(*list)[2] = (const uint32_t(*)[2])(const void *)sizes->text;
    size_t count = sizes->len / sizeof *list, next_at = count > 4 ? 3 : count - 1;
    uint64_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        send_packet(s, (*packet)++, pass, offset, list[i]);
        offset += list[i][1];
        if (i == next_at && pass + 1 < passes)
            prepare_next(s, pass);
    }
}

/* Packets into plan->weights; (segments, bytes) of each into sizes. */
static const char *pack(struct spmm *s, const struct sparse *weights, struct plan *plan, struct strbuf *sizes,
                        uint32_t packet_bytes)
{
    struct packer packer;
    const struct assignment by_column = {.segment_step = s->variant->k, .pe_step = 1};
    const char *why = packer_begin(&packer, s->variant, weights, &plan->weights) ? NULL : "out of memory";
    for (uint32_t done = 0; !why && done < s->groups;) {
        size_t bytes = packet_bytes;
        uint32_t count = packer_add(&packer, &by_column, done, s->groups - done, &bytes);
        if (!count || bytes > s->layout.weights_slot)
            why = "a column of weights is longer than the weight queue or a packet";
        uint32_t record[2] = {count, (uint32_t)bytes};
        sb_addn(sizes, (const char *)record, sizeof record);
        done += count;
    }
    packer_end(&packer);
    return why;
}

static const char *lay_out(struct spmm *s, uint32_t packet_bytes)
{
    const struct variant *v = s->variant;
    uint32_t beat = s->derived.bus_bytes;
    if (2 * s->held * s->k > v->input_buffer_depth)
        return "the activations do not fit the input buffers twice";
    if (1 + 2 * s->held > v->instruction_depth || s->held > ROWS_HELD_MAX)
        return "too many rows held for the instruction buffers";
    if (v->output_queue_depth % s->held)
        return "rows held must divide the output queue";
    struct layout *l = &s->layout;
    l->input = 4 * 512;
    l->input_half = round_up(v->m * s->held * s->k, beat);
    l->weights = l->input + 2 * l->input_half;
    l->weights_slot = round_up(packet_bytes + packet_bytes / 4, beat);
    l->weights_slots = l->weights < v->unit_bytes ? (v->unit_bytes - l->weights) / l->weights_slot : 0;
    l->weights_slots = l->weights_slots > 8 ? 8 : l->weights_slots;
    return l->weights_slots < 2 ? "the storage unit is too small" : NULL;
}

const char *plan_spmm(const struct variant *v, const struct sparse *weights, uint32_t m,
                      const struct plan_options *options, struct plan *plan)
{
    struct spmm s = {.variant = v,
                     .k = weights->columns,
                     .held = options->rows_held,
                     .clusters = v->n * v->m,
                     .groups = (weights->rows + v->k - 1) / v->k,
                     .all_rows = (1u << v->n) - 1,
                     .all_clusters = (1u << v->m) - 1};
    struct strbuf sizes = {0};
    variant_derive(v, &s.derived);
    uint32_t packet_bytes = options->packet_bytes ? options->packet_bytes : 4096;
    uint32_t passes = (m + s.held * s.clusters - 1) / (s.held * s.clusters);
    s.m = passes * s.held * s.clusters;
    const char *why = s.k % 8 ? "k must be a multiple of 8" : lay_out(&s, packet_bytes);
    if (!why)
        why = pack(&s, weights, plan, &sizes, packet_bytes);
    writer_begin(&s.writer, v);
    s.writer.tokens[TOKEN_WEIGHTS_FREE] = (uint8_t)s.layout.weights_slots;
    s.writer.tokens[TOKEN_INPUT_FREE] = 2;
    uint32_t packet = 0;
    for (uint32_t p = 0; !why && p < passes; p++) {
        if (p == 0)
            begin(&s);
        store_pass(&s, p);
        send_weights(&s, &sizes, p, passes, &packet);
    }
    if (!why && !writer_finish(&s.writer, 0, &plan->program))
        why = s.writer.failed ? s.writer.failed : "out of memory";
    writer_free(&s.writer);
    sb_free(&sizes);
    plan->input_bytes = (uint64_t)s.m * s.k;
    plan->output_pitch = s.groups * v->k * 4;
    plan->output_bytes = (uint64_t)s.m * plan->output_pitch;
    return why;
}
