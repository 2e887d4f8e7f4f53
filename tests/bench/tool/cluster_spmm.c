/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tool/cluster_spmm.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/plan/pack.h"

/* A step is a block of k of a pass. Two slots of the input buffer serve the steps in turn, each with a buffer
 * that loads it and one that reads it. */
enum { BUFFER_LOAD = 0, BUFFER_MULTIPLY = 2, BUFFERS = 4 };

struct making {
    const struct cluster_spmm *s;
    struct packet_list *list;
    struct packer packer;
    struct strbuf weights; /* of the packet being made */
    uint32_t groups, blocks, steps;
    size_t beat;
    const char *failed;
};

static void send(struct making *m, unsigned command, uint32_t count, const void *data, size_t bytes)
{
    const struct row_packet packet = {(uint8_t)command, 1, (uint16_t)count, data, bytes, false};
    if (!packet_list_add(m->list, &packet, m->beat))
        m->failed = "out of memory";
}

static void configure(struct making *m, unsigned buffer, const struct setting *header,
                      const struct config_instruction *code, size_t instructions)
{
    struct writer writer;
    size_t bytes;
    writer_begin(&writer, m->s->variant);
    writer_config(&writer, header, code, instructions, &bytes);
    if (writer.failed || !sb_ok(&writer.data))
        m->failed = "a configuration cannot be written";
    else
        send(m, buffer, 1, writer.data.text, bytes);
    writer_free(&writer);
}

/* A block of a row in each iteration. */
static void configure_load(struct making *m, unsigned buffer)
{
    uint32_t block = m->s->block;
    unsigned slot = buffer - BUFFER_LOAD, reader = BUFFER_MULTIPLY + slot;
    configure(m, buffer,
              SETTINGS{{"restart", 1}, {"block", block}, {"after", 1}, {"after_buffer", reader}, {NULL, 0}},
              (const struct config_instruction[]){
                  {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                   SETTINGS{{"address", slot * m->s->held * block}, {"stride", block}, {NULL, 0}}}},
              1);
}

/* A row in each iteration, a segment in as many as there are rows. Results go on from packet to packet and go
 * round the output queue; with two blocks the second one is in the second slot and adds to the first one's.
 */
static void configure_multiply(struct making *m, unsigned buffer)
{
    int64_t block = m->s->block, rows = m->s->held, slot = buffer - BUFFER_MULTIPLY;
    bool resume = m->blocks == 2 && slot == 1;
    configure(m, buffer, SETTINGS{{"hold", rows}, {NULL, 0}},
              (const struct config_instruction[]){
                  {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                  {"mac", SETTINGS{{"balance", 1}, {"keep", 1}, {"resume", resume}, {NULL, 0}},
                   SETTINGS{{"address", slot * rows * block},
                            {"stride", block},
                            {"inner", rows},
                            {"pitch", -rows * block},
                            {"result_stride", 1},
                            {NULL, 0}}},
                  {"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}}},
              3);
}

/* All of it first: a configuration that comes later waits until everything before it is through. */
static void configure_all(struct making *m)
{
    for (unsigned buffer = 0; buffer < BUFFERS; buffer++) {
        if (buffer < BUFFER_MULTIPLY)
            configure_load(m, buffer);
        else
            configure_multiply(m, buffer);
    }
}

/* The activations of a step: a block of each of the pass's rows. */
static void load(struct making *m, uint32_t step)
{
    const struct cluster_spmm *s = m->s;
    uint32_t k = s->weights->columns, block = step % m->blocks, first = step / m->blocks * s->held;
    uint8_t *data = calloc(s->held, s->block);
    if (!data) {
        m->failed = "out of memory";
        return;
    }
    for (uint32_t r = 0; r < s->held; r++)
        memcpy(data + (size_t)r * s->block,
               s->activations + (size_t)(first + r) * k + (size_t)block * s->block, s->block);
    send(m, EXEC | (BUFFER_LOAD + (step & 1)), s->held, data, (size_t)s->held * s->block);
    free(data);
}

/* The weights of a block in packets; before the last of them the activations of the next step, so that they
 * are there in time and nothing waits for them that could go on without. */
static void multiply(struct making *m, uint32_t step)
{
    const struct cluster_spmm *s = m->s;
    uint32_t block = step % m->blocks;
    const struct assignment part = {.segment_step = s->variant->k,
                                    .pe_step = 1,
                                    .origin = (int64_t)block * s->block,
                                    .low = block * s->block,
                                    .high = (block + 1) * s->block};
    unsigned command = block + 1 == m->blocks ? EXEC_SHIFT_OUT : EXEC;
    for (uint32_t done = 0; done < m->groups && !m->failed;) {
        size_t bytes = s->packet_bytes;
        m->weights.len = 0;
        uint32_t segments = packer_add(&m->packer, &part, done, m->groups - done, &bytes);
        if (!segments) {
            m->failed = plan_why(m->packer.failed);
            return;
        }
        done += segments;
        if (done == m->groups && step + 1 < m->steps)
            load(m, step + 1);
        send(m, command | (BUFFER_MULTIPLY + (step & 1)), segments * s->held, m->weights.text, bytes);
    }
}

static const char *unsuitable(const struct making *m)
{
    const struct cluster_spmm *s = m->s;
    const struct variant *v = s->variant;
    if (v->instruction_buffers < BUFFERS || v->m != 1 || v->data_width != 8)
        return "the variant has not the buffers, or not one cluster of int8 a row";
    if (!s->held || s->held % 2 || s->rows % s->held)
        return "the rows do not divide into passes";
    if (2 * s->held * s->block > v->input_buffer_depth || s->weights->columns % s->block)
        return "the blocks do not fit";
    if (m->blocks > 2)
        return "more than two blocks of k";
    return m->blocks > 1 && m->groups * s->held > v->output_queue_depth
               ? "a block does not fit the output queue"
               : NULL;
}

const char *cluster_spmm_packets(const struct cluster_spmm *s, struct packet_list *list)
{
    struct making m = {.s = s,
                       .list = list,
                       .groups = math_divide_up(s->weights->rows, s->variant->k),
                       .blocks = s->weights->columns / s->block,
                       .beat = s->variant->row_bus_width / 8};
    m.failed = unsuitable(&m);
    if (m.failed)
        return m.failed;
    m.steps = s->rows / s->held * m.blocks;
    if (packer_begin(&m.packer, s->variant, s->weights, &m.weights)) {
        configure_all(&m);
        load(&m, 0);
    } else {
        m.failed = "out of memory";
    }
    for (uint32_t step = 0; step < m.steps && !m.failed; step++)
        multiply(&m, step);
    packer_end(&m.packer);
    sb_free(&m.weights);
    return m.failed;
}

static int64_t plain_sum(const struct cluster_spmm *s, uint32_t row, uint32_t column)
{
    const struct sparse *w = s->weights;
    int64_t sum = 0;
    if (column >= w->rows)
        return 0;
    for (uint32_t i = w->start[column]; i < w->start[column + 1]; i++)
        sum += (int64_t)w->value[i] * s->activations[(size_t)row * w->columns + w->column[i]];
    return sum;
}

bool cluster_spmm_right(const struct cluster_spmm *s, const struct cluster_results *results)
{
    uint32_t k = s->variant->k, groups = math_divide_up(s->weights->rows, k);
    size_t i = 0;
    if (results->count != (size_t)s->rows * groups * k)
        return false;
    for (uint32_t row = 0; row < s->rows; row += s->held)
        for (uint32_t g = 0; g < groups; g++)
            for (uint32_t r = 0; r < s->held * k; r++)
                if (results->value[i++] != plain_sum(s, row + r / k, g * k + r % k))
                    return false;
    return true;
}
