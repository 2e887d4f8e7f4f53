/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/joint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"

/* ---- what can be done together --------------------------------------------------------------- */

/* Sequences that take weights straight from the packet, with MACs, then STs. */
static bool joint_sequence(const struct sequence *s, const struct variant *v)
{
    if (v->data_width != 8 || s->queue != QUEUE_SQ || s->trigger || !sequence_macs(s) ||
        s->code[0].opcode != I_LD || s->code[0].target != LD_WEIGHTS)
        return false;
    bool stored = false;
    for (unsigned i = 1; i < s->instructions; i++) {
        const struct instruction *in = &s->code[i];
        bool mac = in->opcode == I_MAC && !in->maximum && !in->scalar && !in->result_scalar && !in->pe_stride;
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
    const struct sequence *s = &first->buffer[buffer];
    if (!(packet->command & COMMAND_EXEC) || packet->scatter || !packet->count || !packet->bytes ||
        buffer >= first->variant->instruction_buffers || !first->configured[buffer] ||
        (packet->command & COMMAND_LAST && !s->defer) || packet->count % s->hold ||
        !joint_sequence(s, first->variant))
        return false;
    for (unsigned c = 0; c < count; c++)
        if (clusters[c]->scattered || clusters[c]->zeros_count || !queues_are_empty(clusters[c]) ||
            (c && !same_operator(first, clusters[c], buffer)))
            return false;
    return true;
}

/* ---- activations side by side ----------------------------------------------------------------- */

/* Whether a MAC is, after the iterations of a segment, where it was before. */
static bool address_returns(const struct instruction *i, const struct operands *before,
                            const struct operands *after)
{
    const bool stays = !i->stride && (!i->inner || (!i->pitch && (!i->outer || !i->plane)));
    return stays ||
           (before->address == after->address && before->pass == after->pass && before->turn == after->turn);
}

/* The addresses that a segment's MACs begin at, in the order in which they run. False: another segment's
 * begin elsewhere, or there are too many. */
static bool find_places(const struct cluster *c, unsigned buffer, struct joint_places *to)
{
    const struct sequence *s = &c->buffer[buffer];
    to->macs = to->count = 0;
    if (s->hold > JOINT_COLUMNS || s->hold * sequence_macs(s) > JOINT_COLUMNS)
        return false;
    for (unsigned i = 1; i < s->instructions && s->code[i].opcode == I_MAC; i++) {
        const struct operands start = c->operands[buffer][i];
        struct operands o = start;
        to->macs++;
        for (uint32_t n = 0; n < s->hold; n++) {
            const unsigned at = n * sequence_macs(s) + i - 1;
            if (o.address >= s->code[i].wrap)
                return false;
            to->address[at] = (uint16_t)o.address;
            to->wrap[at] = s->code[i].wrap;
            operands_advance(&o, &s->code[i], c->variant->output_queue_depth);
        }
        if (!address_returns(&s->code[i], &start, &o))
            return false;
    }
    to->count = to->macs * s->hold;
    return true;
}

static uint32_t least_wrap(const struct joint_places *places)
{
    uint32_t least = places->wrap[0];
    for (unsigned i = 1; i < places->count; i++)
        least = places->wrap[i] < least ? places->wrap[i] : least;
    return least;
}

static uint64_t loads_of(struct cluster *const *clusters, unsigned count)
{
    uint64_t loads = 0;
    for (unsigned c = 0; c < count; c++)
        loads += clusters[c]->loads;
    return loads;
}

static bool same_places(const struct joint_places *a, const struct joint_places *b)
{
    return a->count == b->count && !memcmp(a->address, b->address, a->count * sizeof *a->address) &&
           !memcmp(a->wrap, b->wrap, a->count * sizeof *a->wrap);
}

/* Whether the table is of these clusters' activations as they are now, however far it goes. */
static bool table_is_current(const struct joint_table *t, struct cluster *const *clusters, unsigned count,
                             const struct joint_places *places)
{
    return t->count == count && !memcmp(t->clusters, clusters, count * sizeof *clusters) &&
           t->loads == loads_of(clusters, count) && same_places(&t->places, places);
}

/* Fewer activations are multiplied where they are: side by side, a processor's vectors bring nothing. */
#define JOINT_COLUMNS_LEAST 3

/* Filling a table takes about as long as multiplying one by one does for so many of its elements. */
#define FILLED_FOR_ONE 2

/* Whether so many multiplications, with those that were asked for before, pay for the table. */
static bool table_pays(struct joint_table *t, struct cluster *const *clusters, unsigned count,
                       const struct joint_places *places, uint64_t multiplications, size_t positions)
{
    if (!table_is_current(t, clusters, count, places)) {
        memcpy(t->clusters, clusters, count * sizeof *clusters);
        t->count = count;
        t->loads = loads_of(clusters, count);
        t->places = *places;
        t->positions = 0;
        t->asked = 0;
    }
    t->asked += multiplications;
    return t->positions >= positions ||
           t->asked * FILLED_FOR_ONE >= positions * math_round_up(count * places->count, DOT_ROWS);
}

static bool table_reserve(struct joint_table *t, size_t positions)
{
    const size_t values = positions * t->stride;
    if (values > t->room) {
        free(t->value);
        t->value = aligned_alloc(32, (values * sizeof *t->value + 31) / 32 * 32);
        t->room = t->value ? values : 0;
    }
    free(t->nonzero);
    t->nonzero = calloc(positions, sizeof *t->nonzero);
    return t->value && t->nonzero;
}

static void fill_column(struct joint_table *t, size_t column, const int32_t *input, uint32_t address,
                        uint32_t wrap)
{
    for (size_t p = 0; p < t->positions; p++) {
        const int32_t activation = input[address];
        t->value[p * t->stride + column] = (int16_t)activation;
        t->nonzero[p] = (uint16_t)(t->nonzero[p] + (activation != 0));
        address = address + 1 == wrap ? 0 : address + 1;
    }
}

/* Columns are those of each iteration and MAC of the first cluster, then of the next. */
static bool table_fill(struct joint_table *t, size_t positions)
{
    if (t->positions >= positions)
        return true;
    t->stride = math_round_up((size_t)t->count * t->places.count, DOT_ROWS);
    t->positions = 0; /* until it is complete */
    if (!table_reserve(t, positions))
        return false;
    t->positions = positions;
    size_t column = 0;
    for (unsigned c = 0; c < t->count; c++)
        for (unsigned i = 0; i < t->places.count; i++)
            fill_column(t, column++, cluster_input(t->clusters[c], 0), t->places.address[i],
                        t->places.wrap[i]);
    for (size_t p = 0; p < positions; p++)
        memset(t->value + p * t->stride + column, 0, (t->stride - column) * sizeof *t->value);
    return true;
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* A joint packet while it runs. */
struct run {
    struct cluster *const *clusters;
    unsigned count;
    const struct sequence *sequence;
    struct operands *operands; /* of the first cluster; the others' follow at the end */
    const struct joint_places *places;
    const struct joint_table *table; /* NULL: activations are multiplied where they are */
    const struct decoded_packet *packet;
    dot_function *dot;
    dot_one_function *dot_one;
    uint8_t command;
    int32_t (*sums)[JOINT_SUMS]; /* of each PE's segment */
};

/* A segment of a PE for every MAC of every iteration and cluster. */
static void multiply_segment(struct run *run, unsigned pe, uint32_t segment)
{
    const struct lane *lane = &run->packet->lanes[pe];
    size_t begin = lane_begin(lane, segment), entries = lane->end[segment] - begin;
    int32_t *sum = run->sums[pe];
    if (!run->table) {
        for (unsigned c = 0; c < run->count; c++)
            for (unsigned i = 0; i < run->places->count; i++)
                *sum++ = run->dot_one(lane->position + begin, lane->value + begin, entries,
                                      cluster_input(run->clusters[c], pe) + run->places->address[i],
                                      &run->clusters[c]->effective_macs);
        return;
    }
    for (size_t r = 0; r < run->table->stride; r += DOT_ROWS)
        run->dot(lane->position + begin, lane->value + begin, entries, run->table->value + r,
                 run->table->stride, sum + r);
}

/* The MACs of an iteration of the segment, whose sums are there. */
static void close_macs(const struct run *run, uint32_t iteration)
{
    const struct joint_places *places = run->places;
    for (unsigned c = 0; c < run->count; c++)
        for (unsigned i = 0; i < places->macs; i++)
            cluster_close_all(run->clusters[c], run->sequence, &run->sequence->code[i + 1], run->command,
                              run->operands[i + 1].result,
                              &run->sums[0][c * places->count + iteration * places->macs + i], JOINT_SUMS);
}

static enum job_code shift_out(const struct run *run)
{
    enum job_code code = JOB_OK;
    for (unsigned i = 1; i < run->sequence->instructions; i++)
        for (unsigned c = 0; !code && run->sequence->code[i].opcode == I_ST && c < run->count; c++)
            code = cluster_store_results(run->clusters[c], run->operands[i].result);
    return code;
}

static enum job_code run_iterations(struct run *run)
{
    const struct variant *v = run->clusters[0]->variant;
    const uint32_t hold = run->sequence->hold;
    enum job_code code = JOB_OK;
    for (uint32_t n = 0; !code && n < run->packet->key.segments * hold; n++) {
        for (unsigned p = 0; n % hold == 0 && p < v->k; p++)
            multiply_segment(run, p, n / hold);
        close_macs(run, n % hold);
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
    assert(!run->table || run->table->positions >= run->packet->positions);
    for (size_t p = 0; run->table && p < run->packet->positions; p++)
        first->effective_macs += (uint64_t)run->table->nonzero[p] * run->packet->uses[p];
    first->scanned += run->packet->entries * run->places->count * run->count;
}

/* The packet's weights are decoded; with a table multiplying them together pays. */
static enum job_code execute(struct run *run, struct joint_table *table, unsigned buffer)
{
    struct cluster *first = run->clusters[0];
    if (table && !table_fill(table, (run->packet->positions / 256 + 1) * 256)) /* never none */
        return JOB_QUEUE_OVERFLOW;
    enum job_code code = run_iterations(run);
    count(run);
    for (unsigned c = 1; c < run->count; c++)
        memcpy(run->clusters[c]->operands[buffer], first->operands[buffer], sizeof first->operands[buffer]);
    return code;
}

/* Whether no activation of the packet is behind a wrap. */
static bool stays_below_wraps(const struct decoded_packet *packet, const struct joint_places *places)
{
    for (unsigned i = 0; i < places->count; i++)
        if (places->address[i] + packet->positions > places->wrap[i])
            return false;
    return true;
}

bool joint_execute(struct joint *joint, unsigned number, struct cluster *const *clusters,
                   unsigned count_of_clusters, const struct packet *packet, dot_function *dot,
                   enum job_code *code, unsigned *pe)
{
    if (!joint_allowed(clusters, count_of_clusters, packet))
        return false;
    unsigned buffer = packet->command & 31;
    struct cluster *first = clusters[0];
    struct joint_table *table = &joint->table[number];
    struct joint_places places;
    struct run run;
    /* The clusters do the same if they are left with the packet. */
    if (first->buffer[buffer].restart)
        for (unsigned c = 0; c < count_of_clusters; c++)
            cluster_start_operands(clusters[c], buffer);
    if (!find_places(first, buffer, &places) || count_of_clusters * places.count > JOINT_COLUMNS_ALL)
        return false;
    const bool few = count_of_clusters * places.count < JOINT_COLUMNS_LEAST;
    const struct packet_key key = {packet->data, packet->bytes, packet->count / first->buffer[buffer].hold};
    struct decoded_packet *decoded =
        packet_cache_get(&joint->cache, first->variant, first->derived, &key, code, pe);
    if (!decoded)
        return true;
    run.packet = decoded;
    const struct stripes *stripes = count_of_clusters * places.count == 1
                                        ? packet_cache_stripes(&joint->cache, decoded, first->variant->k)
                                        : NULL;
    if (stripes && decoded->positions <= places.wrap[0]) {
        *pe = PE_NONE;
        *code = single_execute(first, buffer, packet->command, decoded, stripes, places.address[0]);
        return true;
    }
    if (few ? !stays_below_wraps(run.packet, &places)
            : run.packet->positions > least_wrap(&places) ||
                  !(table_pays(table, clusters, count_of_clusters, &places,
                               run.packet->entries * places.count * count_of_clusters,
                               run.packet->positions) ||
                    joint->eager))
        return false;
    *pe = PE_NONE;
    run.clusters = clusters;
    run.count = count_of_clusters;
    run.sequence = &first->buffer[buffer];
    run.operands = first->operands[buffer];
    run.places = &places;
    run.table = few ? NULL : table;
    run.dot = dot;
    run.dot_one = dot_one_choose();
    run.sums = joint->sums;
    run.command = packet->command;
    *code = execute(&run, few ? NULL : table, buffer);
    return true;
}

void joint_free(struct joint *joint)
{
    for (unsigned i = 0; i < CLUSTERS_MAX; i++) {
        free(joint->table[i].value);
        free(joint->table[i].nonzero);
    }
    packet_cache_free(&joint->cache);
}
