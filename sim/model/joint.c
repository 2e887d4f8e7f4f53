/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/joint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"

/* ---- what can be done together --------------------------------------------------------------- */

/* Sequences that take weights straight from the packet, with MACs at addresses that stay, then STs. */
static bool joint_sequence(const struct sequence *s, const struct variant *v)
{
    if (v->data_width != 8 || s->queue != QUEUE_SQ || s->hold != 1 || s->trigger || !sequence_macs(s) ||
        s->code[0].opcode != I_LD || s->code[0].target != LD_WEIGHTS)
        return false;
    bool stored = false;
    for (unsigned i = 1; i < s->instructions; i++) {
        const struct instruction *in = &s->code[i];
        bool mac = in->opcode == I_MAC && !in->maximum && !in->stride && !in->inner && !in->scalar &&
                   !in->result_scalar && !in->pe_stride && in->wrap == v->input_buffer_depth;
        if (in->opcode == I_ST)
            stored = true;
        else if (!mac || stored)
            return false;
    }
    return true;
}

static bool same_operator(const struct cluster *a, const struct cluster *b, unsigned buffer)
{
    return b->configured[buffer] && sequence_same(&a->buffer[buffer], &b->buffer[buffer]) &&
           !memcmp(a->operands[buffer], b->operands[buffer], sizeof a->operands[buffer]);
}

static bool queues_are_empty(const struct cluster *c)
{
    for (unsigned p = 0; p < c->variant->k; p++)
        if (c->lanes[p].first < c->lanes[p].segments)
            return false;
    return true;
}

static bool joint_allowed(struct cluster *const *clusters, unsigned count, const struct packet *packet)
{
    unsigned buffer = packet->command & 31;
    const struct cluster *first = clusters[0];
    if (!(packet->command & COMMAND_EXEC) || packet->command & COMMAND_LAST || packet->scatter ||
        buffer >= first->variant->instruction_buffers || !first->configured[buffer] ||
        !joint_sequence(&first->buffer[buffer], first->variant))
        return false;
    for (unsigned c = 0; c < count; c++)
        if (clusters[c]->scattered || clusters[c]->zeros_count || !queues_are_empty(clusters[c]) ||
            (c && !same_operator(first, clusters[c], buffer)))
            return false;
    return true;
}

/* ---- activations side by side ----------------------------------------------------------------- */

static uint64_t loads_of(struct cluster *const *clusters, unsigned count)
{
    uint64_t loads = 0;
    for (unsigned c = 0; c < count; c++)
        loads += clusters[c]->loads;
    return loads;
}

static bool table_is_current(const struct joint_table *t, struct cluster *const *clusters, unsigned count,
                             unsigned buffer, size_t positions)
{
    return t->count == count && !memcmp(t->clusters, clusters, count * sizeof *clusters) &&
           t->buffer == buffer && t->positions >= positions && t->loads == loads_of(clusters, count);
}

static bool table_reserve(struct joint_table *t, size_t values, size_t positions)
{
    if (values > t->room) {
        free(t->value);
        t->value = aligned_alloc(32, (values * sizeof *t->value + 31) / 32 * 32);
        t->room = t->value ? values : 0;
    }
    free(t->nonzero);
    t->nonzero = calloc(positions, sizeof *t->nonzero);
    return t->value && t->nonzero;
}

/* Where a column of the table comes from. */
struct column {
    const int32_t *input;
    uint32_t address;
};

static size_t find_columns(struct cluster *const *clusters, unsigned count, unsigned buffer,
                           struct column *columns)
{
    const struct sequence *s = &clusters[0]->buffer[buffer];
    size_t found = 0;
    for (unsigned c = 0; c < count; c++)
        for (unsigned i = 0; i < s->instructions; i++)
            if (s->code[i].opcode == I_MAC)
                columns[found++] =
                    (struct column){cluster_input(clusters[c], 0), clusters[0]->operands[buffer][i].address};
    return found;
}

static void table_fill(struct joint_table *t, const struct column *columns, size_t count, uint32_t depth)
{
    for (size_t p = 0; p < t->positions; p++) {
        int16_t *row = t->value + p * t->stride;
        uint32_t nonzero = 0;
        for (size_t c = 0; c < count; c++) {
            row[c] = (int16_t)columns[c].input[(columns[c].address + p) & (depth - 1)];
            nonzero += row[c] != 0;
        }
        memset(row + count, 0, (t->stride - count) * sizeof *row);
        t->nonzero[p] = (uint16_t)nonzero;
    }
}

static bool table_build(struct joint_table *t, struct cluster *const *clusters, unsigned count,
                        unsigned buffer, size_t positions)
{
    struct cluster *first = clusters[0];
    const struct sequence *s = &first->buffer[buffer];
    if (table_is_current(t, clusters, count, buffer, positions))
        return true;
    t->stride = math_round_up(count * sequence_macs(s), DOT_ROWS);
    t->positions = (positions / 256 + 1) * 256; /* never none */
    t->count = 0;                               /* not valid before it is complete */
    if (!table_reserve(t, t->positions * t->stride, t->positions))
        return false;
    struct column columns[CLUSTERS_MAX * SEQUENCE_MAX];
    table_fill(t, columns, find_columns(clusters, count, buffer, columns),
               first->variant->input_buffer_depth);
    memcpy(t->clusters, clusters, count * sizeof *clusters);
    t->count = count;
    t->buffer = buffer;
    t->loads = loads_of(clusters, count);
    return true;
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* A joint packet while it runs. */
struct run {
    struct cluster *const *clusters;
    unsigned count;
    const struct sequence *sequence;
    struct operands *operands; /* of the first cluster; the others' follow at the end */
    const struct joint_table *table;
    const struct decoded_packet *packet;
    dot_function *dot;
    uint8_t command;
};

/* One segment of a PE for every MAC of every cluster. */
static void multiply_segment(const struct run *run, unsigned pe, uint32_t segment)
{
    const struct lane *lane = &run->packet->lanes[pe];
    size_t begin = lane_begin(lane, segment), entries = lane->end[segment] - begin, column = 0;
    int32_t sums[CLUSTERS_MAX * SEQUENCE_MAX + DOT_ROWS];
    for (size_t r = 0; r < run->table->stride; r += DOT_ROWS)
        run->dot(lane->position + begin, lane->value + begin, entries, run->table->value + r,
                 run->table->stride, sums + r);
    const struct sequence *s = run->sequence;
    for (unsigned c = 0; c < run->count; c++)
        for (unsigned i = 1; i < s->instructions; i++)
            if (s->code[i].opcode == I_MAC)
                cluster_close(run->clusters[c], s, &s->code[i], run->command, pe, run->operands[i].result,
                              sums[column++]);
}

static enum job_code shift_out(const struct run *run)
{
    enum job_code code = JOB_OK;
    for (unsigned i = 1; i < run->sequence->instructions; i++)
        for (unsigned c = 0; !code && run->sequence->code[i].opcode == I_ST && c < run->count; c++)
            code = cluster_store_results(run->clusters[c], run->operands[i].result);
    return code;
}

static enum job_code run_iterations(const struct run *run)
{
    const struct variant *v = run->clusters[0]->variant;
    enum job_code code = JOB_OK;
    for (uint32_t n = 0; !code && n < run->packet->key.segments; n++) {
        for (unsigned p = 0; p < v->k; p++)
            multiply_segment(run, p, n);
        if (run->command & COMMAND_SHIFT_OUT)
            code = shift_out(run);
        for (unsigned i = 0; i < run->sequence->instructions; i++)
            operands_advance(&run->operands[i], &run->sequence->code[i], v->output_queue_depth);
    }
    return code;
}

static void count(const struct run *run)
{
    struct cluster *first = run->clusters[0];
    assert(run->table->positions >= run->packet->positions);
    for (size_t p = 0; p < run->packet->positions; p++)
        first->effective_macs += (uint64_t)run->table->nonzero[p] * run->packet->uses[p];
    first->scanned += run->packet->entries * sequence_macs(run->sequence) * run->count;
}

bool joint_execute(struct joint *joint, struct cluster *const *clusters, unsigned count_of_clusters,
                   const struct packet *packet, dot_function *dot, enum job_code *code, unsigned *pe)
{
    if (!joint_allowed(clusters, count_of_clusters, packet))
        return false;
    unsigned buffer = packet->command & 31;
    struct cluster *first = clusters[0];
    struct run run = {.clusters = clusters,
                      .count = count_of_clusters,
                      .sequence = &first->buffer[buffer],
                      .operands = first->operands[buffer],
                      .table = &joint->table,
                      .dot = dot,
                      .command = packet->command};
    const struct packet_key key = {packet->data, packet->bytes, packet->count};
    run.packet = packet_cache_get(&joint->cache, first->variant, first->derived, &key, code, pe);
    if (!run.packet)
        return true;
    *pe = PE_NONE;
    *code = JOB_QUEUE_OVERFLOW;
    if (run.sequence->restart)
        cluster_start_operands(first, buffer);
    if (!table_build(&joint->table, clusters, run.count, buffer, run.packet->positions))
        return true;
    *code = run_iterations(&run);
    count(&run);
    for (unsigned c = 1; c < run.count; c++)
        memcpy(clusters[c]->operands[buffer], first->operands[buffer], sizeof first->operands[buffer]);
    return true;
}

void joint_free(struct joint *joint)
{
    free(joint->table.value);
    free(joint->table.nonzero);
    packet_cache_free(&joint->cache);
}
