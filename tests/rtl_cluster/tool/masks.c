/* SPDX-License-Identifier: Apache-2.0
 *
 * The same operator with activations coded in several ways, of which the same
 * ones are zeros: it takes as many cycles and multiplications with each.
 */
#include <stdlib.h>

#include "tests/rtl_cluster/tool/cluster_test.h"
#include "tests/sim_model/stream.h"

enum { BUFFER_INPUT, BUFFER_MULTIPLY, SEGMENTS = 24, WEIGHTS = 12, CODINGS = 4 };

struct coding {
    unsigned no_sign;
    int zero;
};

/* An activation that is not the zero point. */
static int other_activation(struct random *dice, const struct coding *coding, unsigned width)
{
    const int values = 1 << width, least = coding->no_sign ? 0 : -values / 2;
    const int value = least + (int)random_below(dice, (unsigned)values - 1);
    return value + (value >= coding->zero);
}

/* Half of the input buffer; half of it are zeros, by dice that are the same for each coding. */
static void send_input(struct builder *b, const struct coding *coding, struct random dice,
                       struct random *values)
{
    const struct variant *v = &b->variant;
    const unsigned count = v->input_buffer_depth / 2;
    const struct send to = {.rows = 1, .clusters = 1, .command = EXEC | BUFFER_INPUT, .count = 1};
    struct strbuf bytes = {0};
    for (unsigned i = 0; i < count; i++) {
        const int value =
            random_chance(&dice, 50) ? other_activation(values, coding, v->data_width) : coding->zero;
        const char both[] = {(char)(value & 255), (char)(value >> 8 & 255)};
        sb_addn(&bytes, both, v->data_width / 8);
    }
    builder_config(
        b, BUFFER_INPUT,
        SETTINGS{{"block", count}, {"unsigned", coding->no_sign}, {"zero", (int16_t)coding->zero}, {NULL, 0}},
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL}}, 1);
    builder_send(b, &to, sb_text(&bytes), bytes.len);
    sb_free(&bytes);
}

static void send_weights(struct builder *b, struct random dice)
{
    const struct variant *v = &b->variant;
    const struct send to = {
        .rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT | BUFFER_MULTIPLY, .count = SEGMENTS};
    struct stream streams[16];
    struct strbuf bytes = {0};
    builder_config(
        b, BUFFER_MULTIPLY, NULL,
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                            {"mac", SETTINGS{{"keep", 1}, {"balance", 1}, {NULL, 0}},
                                             SETTINGS{{"result_stride", 1}, {NULL, 0}}},
                                            {"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}}},
        3);
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned s = 0; s < SEGMENTS; s++)
            for (unsigned left = random_range(&dice, 1, WEIGHTS); left > 0; left--)
                stream_weight(&streams[p], (unsigned)random_below(&dice, 4),
                              (int32_t)random_signed_non_zero(&dice, v->data_width), left == 1);
    }
    if (!streams_pace(v, streams))
        abort();
    streams_pack(v, streams, &bytes);
    builder_send(b, &to, sb_text(&bytes), bytes.len);
    for (unsigned p = 0; p < v->k; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

/* Cycles of the row and multiplications of the model, which must agree about the results. */
static bool play(struct bench *bench, const struct job *job, uint64_t cost[2], struct strbuf *why)
{
    const struct surroundings calm = {.seed = 1};
    struct row_program program = {0};
    struct outcome row = {0}, model = {0};
    if (!bench->row)
        bench->row = bench->api->create(1);
    bench->api->reset(bench->row);
    bool ok = bench->row && !row_program_read(&program, &bench->variant, job) &&
              play_packets(bench->api, bench->row, &bench->variant, &program.row[0], &calm, &row) &&
              model_packets(&bench->variant, &program.row[0], &model) &&
              outcomes_agree(&bench->variant, &row, &model, why) && row.code == JOB_OK;
    cost[0] = row.cycles;
    cost[1] = model.effective_macs;
    row_program_free(&program);
    outcome_free(&row);
    outcome_free(&model);
    return ok;
}

static bool play_coding(struct bench *bench, uint64_t seed, const struct coding *coding, uint64_t cost[2],
                        struct strbuf *why)
{
    struct random values = {seed ^ (uint64_t)(unsigned)coding->zero};
    struct builder b;
    struct slots slots;
    builder_begin(&b, &bench->variant);
    b.config_rows = 1;
    send_input(&b, coding, (struct random){seed}, &values);
    send_weights(&b, (struct random){seed + 1});
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    const bool ok = play(bench, &slots.job, cost, why);
    slots_free(&slots);
    return ok;
}

bool case_mask(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    const int half = 1 << (v->data_width - 1);
    struct random dice = {seed};
    const struct coding codings[CODINGS] = {
        {0, 0}, {0, -half}, {1, 0}, {1, (int)random_below(&dice, 2 * (unsigned)half)}};
    uint64_t cost[CODINGS][2];
    if (!v->zero_points || v->instruction_depth < 3 || v->output_queue_depth < SEGMENTS) {
        bench->skipped++;
        return true;
    }
    bench->compared++;
    for (unsigned c = 0; c < CODINGS; c++) {
        if (!play_coding(bench, seed, &codings[c], cost[c], why))
            return false;
        for (unsigned i = 0; i < 2; i++)
            if (cost[c][i] != cost[0][i]) {
                sb_addf(why, "zero point %d: %llu %s, not %llu", codings[c].zero,
                        (unsigned long long)cost[c][i], i ? "multiplications" : "cycles",
                        (unsigned long long)cost[0][i]);
                return false;
            }
    }
    return true;
}
