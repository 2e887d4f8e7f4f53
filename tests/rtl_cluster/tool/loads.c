/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of activations and runs, in random order: packets that only load, beside
 * the MACs of the packets before them, and runs that load activations themselves.
 * Both go on where the buffer's last packet ended, or begin again. Each has a zero
 * point of its own where the variant has zero points.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/rtl_cluster/tool/cluster_test.h"
#include "tests/sim_model/stream.h"

enum { BUFFER_WEIGHTS, BUFFER_LOADS, BUFFER_MACS, BUFFER_OWN, BUFFERS };
enum { SEGMENTS = 5, GAPS_MOST = 16, LINES_LEAST = 32, CODE_MOST = 4, OPERANDS = 8 };

/* Of the input buffer: where a buffer's instructions begin. */
struct region {
    unsigned from, places, wrap; /* activations */
};

struct making {
    struct builder b;
    const struct variant *v;
    struct random dice;
    unsigned line; /* activations */
    bool scattered;
    unsigned readers; /* the buffer whose runs packets of loads wait for */
    /* of each buffer: */
    struct region region[BUFFERS];
    unsigned block[BUFFERS]; /* activations of an LD */
    unsigned loads[BUFFERS]; /* LDs of a sequence */
    int zero[BUFFERS];       /* zero point */
};

static unsigned below(struct making *m, unsigned limit)
{
    return (unsigned)random_below(&m->dice, limit);
}

static void add_activations(struct making *m, struct strbuf *to, unsigned count, int zero)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned value =
            random_chance(&m->dice, 70) ? below(m, 1u << m->v->data_width) : (unsigned)zero;
        const char bytes[] = {(char)(value & 255), (char)(value >> 8 & 255)};
        sb_addn(to, bytes, m->v->data_width / 8);
    }
}

/* Any activation of a buffer as its zero point, or 0. */
static void choose_zero_point(struct making *m, unsigned buffer, struct setting header[2])
{
    const unsigned width = m->v->data_width, no_sign = m->v->zero_points && random_chance(&m->dice, 50);
    m->zero[buffer] = 0;
    if (m->v->zero_points && random_chance(&m->dice, 80))
        m->zero[buffer] = (int)below(m, 1u << width) - (no_sign ? 0 : 1 << (width - 1));
    header[0] = (struct setting){"unsigned", no_sign};
    header[1] = (struct setting){"zero", (int16_t)m->zero[buffer]};
}

/* A packet with what the LDs of its sequence take. */
static void send(struct making *m, unsigned clusters, unsigned buffer, unsigned count)
{
    const bool scatter = m->loads[buffer] && m->scattered;
    const struct send to = {.rows = 1,
                            .clusters = clusters,
                            .command = EXEC_SHIFT_OUT | buffer,
                            .count = count,
                            .scatter = scatter};
    struct strbuf bytes = {0};
    add_activations(m, &bytes, count * m->loads[buffer] * m->block[buffer] * (scatter ? m->v->k : 1),
                    m->zero[buffer]);
    builder_send(&m->b, &to, sb_text(&bytes), bytes.len);
    sb_free(&bytes);
}

/* Segments that stay in the weight queues. */
static void send_weights(struct making *m)
{
    const struct send to = {
        .rows = 1, .clusters = every_cluster(m->v), .command = EXEC | BUFFER_WEIGHTS, .count = SEGMENTS};
    const unsigned gaps = m->line < GAPS_MOST ? m->line : GAPS_MOST;
    struct stream streams[16];
    struct strbuf bytes = {0};
    builder_config(&m->b, BUFFER_WEIGHTS, NULL,
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL}}, 1);
    for (unsigned p = 0; p < m->v->k; p++) {
        streams[p] = (struct stream){.variant = m->v};
        for (unsigned s = 0; s < SEGMENTS; s++)
            for (unsigned left = random_range(&m->dice, 1, 3); left > 0; left--)
                stream_weight(&streams[p], below(m, gaps),
                              (int32_t)random_signed_non_zero(&m->dice, m->v->data_width), left == 1);
    }
    if (!streams_pace(m->v, streams))
        abort();
    streams_pack(m->v, streams, &bytes);
    builder_send(&m->b, &to, sb_text(&bytes), bytes.len);
    for (unsigned p = 0; p < m->v->k; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

/* The operands of an instruction: it goes on by whole lines, and returns after a few iterations. Some begin
 * at the end of the region, so that what they load or read goes around. */
static void random_operands(struct making *m, const struct region *region, bool maximum,
                            struct setting to[OPERANDS])
{
    const unsigned inner = random_range(&m->dice, 1, 4), lines = region->places / m->line;
    const unsigned step = random_range(&m->dice, 1, LINES_LEAST / 8) * m->line;
    const unsigned line = random_chance(&m->dice, 30) ? lines - 1 - below(m, 2) : below(m, lines);
    const struct setting all[] = {{"address", (int)(region->from + line * m->line)},
                                  {"stride", (int)step},
                                  {"inner", (int)inner},
                                  {"pitch", -(int)(inner * step)},
                                  {"wrap", (int)region->wrap},
                                  {"maximum", maximum},
                                  {NULL, 0}};
    memcpy(to, all, sizeof all);
}

/* LDs, then MACs, each with an entry of its own, then their STs. A MAC behind an LD has its operands. */
static void configure(struct making *m, unsigned buffer, unsigned loads, unsigned macs)
{
    static const struct setting to_input[] = {{"target", 0}, {NULL, 0}}, keep[] = {{"keep", 1}, {NULL, 0}};
    const bool maximum = m->v->functions >> VARIANT_MAX & 1 && random_chance(&m->dice, 50);
    struct setting operands[CODE_MOST][OPERANDS];
    struct config_instruction code[CODE_MOST];
    unsigned count = 0;
    m->block[buffer] = random_range(&m->dice, 1, 3) * m->line;
    m->loads[buffer] = loads;
    struct setting header[] = {{"restart", random_chance(&m->dice, 40)},
                               {"queue", macs > 0},
                               {"block", (int)m->block[buffer]},
                               {"after", !macs},
                               {"after_buffer", macs ? 0 : m->readers},
                               {NULL, 0},
                               {NULL, 0},
                               {NULL, 0}};
    choose_zero_point(m, buffer, &header[5]);
    for (unsigned i = 0; i < loads; i++, count++) {
        random_operands(m, &m->region[buffer], maximum, operands[count]);
        code[count] = (struct config_instruction){"ld", to_input, operands[count]};
    }
    for (unsigned i = 0; i < macs; i++, count++) {
        if (loads)
            memcpy(operands[count], operands[0], sizeof operands[count]);
        else
            random_operands(m, &m->region[buffer], maximum, operands[count]);
        operands[count][OPERANDS - 2] = (struct setting){"result", i};
        operands[count][OPERANDS - 1] = (struct setting){NULL, 0};
        code[count] = (struct config_instruction){"mac", keep, operands[count]};
    }
    for (unsigned i = 0; i < macs; i++, count++) {
        operands[count][0] = (struct setting){"result", i};
        operands[count][1] = (struct setting){NULL, 0};
        code[count] = (struct config_instruction){"st", NULL, operands[count]};
    }
    builder_config(&m->b, buffer, header, code, count);
}

/* Every activation is written first: memories come up with anything in them. */
static void fill_input(struct making *m)
{
    builder_config(&m->b, BUFFER_LOADS, SETTINGS{{"block", m->v->input_buffer_depth}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL}}, 1);
    m->block[BUFFER_LOADS] = m->v->input_buffer_depth;
    m->loads[BUFFER_LOADS] = 1;
    send(m, every_cluster(m->v), BUFFER_LOADS, 1);
}

/* Loads wait for the runs of one buffer, which read what they write: MACs of packets without data, whose runs
 * are under way when the next packet comes, or those that load, too. The others are in the upper half. */
static void choose_regions(struct making *m)
{
    const unsigned half = m->v->input_buffer_depth / 2;
    const struct region lower = {.places = half, .wrap = half};
    const unsigned less = half - random_range(&m->dice, 1, 8) * m->line;
    const struct region shorter = {.places = less, .wrap = less};
    const struct region upper = {.from = half, .places = half / 4};
    m->readers = random_chance(&m->dice, 70) ? BUFFER_MACS : BUFFER_OWN;
    m->region[BUFFER_LOADS] = lower;
    m->region[BUFFER_MACS] = m->readers == BUFFER_MACS ? lower : upper;
    m->region[BUFFER_OWN] = m->readers == BUFFER_OWN ? shorter : upper;
}

static void make(struct making *m)
{
    fill_input(m);
    send_weights(m);
    choose_regions(m);
    m->scattered = m->v->scatter && random_chance(&m->dice, 30);
    configure(m, BUFFER_LOADS, random_range(&m->dice, 1, 3), 0);
    configure(m, BUFFER_MACS, 0, random_range(&m->dice, 1, 2));
    configure(m, BUFFER_OWN, 1, 1);
    for (unsigned left = random_range(&m->dice, 2, 16); left > 0; left--) {
        const unsigned buffer = BUFFER_LOADS + below(m, BUFFERS - BUFFER_LOADS);
        send(m, random_range(&m->dice, 1, every_cluster(m->v)), buffer, random_range(&m->dice, 1, 12));
    }
}

bool case_loads(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct making m = {.v = v, .dice = {seed}, .line = 8 * v->load_width / v->data_width};
    struct slots slots;
    if (v->instruction_buffers < BUFFERS || v->instruction_depth < CODE_MOST ||
        v->register_file_entries < BUFFERS * CODE_MOST || v->input_buffer_depth / 2 / m.line < LINES_LEAST ||
        v->output_queue_depth < CODE_MOST) {
        bench->skipped++;
        return true;
    }
    builder_begin(&m.b, v);
    m.b.config_rows = 1;
    make(&m);
    builder_finish(&m.b, &slots, 0);
    builder_free(&m.b);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}
