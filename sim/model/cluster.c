/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"

bool cluster_init(struct cluster *c, const struct variant *v, const struct variant_derived *d)
{
    *c = (struct cluster){.variant = v, .derived = d};
    c->input = calloc((size_t)v->k * v->input_buffer_depth, sizeof *c->input);
    c->output = calloc((size_t)v->k * v->output_queue_depth, sizeof *c->output);
    c->effective = malloc(65536);
    return c->input && c->output && c->effective;
}

void cluster_free(struct cluster *c)
{
    for (unsigned p = 0; p < PES_MAX; p++)
        lane_free(&c->lanes[p]);
    free(c->input);
    free(c->output);
    free(c->effective);
    free(c->results.value);
    *c = (struct cluster){0};
}

void cluster_reset(struct cluster *c)
{
    const struct variant *v = c->variant;
    memset(c->configured, 0, sizeof c->configured);
    memset(c->input, 0, (size_t)v->k * v->input_buffer_depth * sizeof *c->input);
    memset(c->output, 0, (size_t)v->k * v->output_queue_depth * sizeof *c->output);
    memset(c->acc, 0, sizeof c->acc);
    for (unsigned p = 0; p < v->k; p++)
        lane_clear(&c->lanes[p]);
    c->results.begin = c->results.end = 0;
    c->effective_macs = c->scanned = 0;
    c->scattered = false;
    c->loads++;
}

/* ---- one iteration, instruction by instruction ------------------------------------------------ */

/* An exec packet while it runs on one cluster. */
struct run {
    struct cluster *cluster;
    const struct sequence *sequence;
    struct operands *operands;
    const struct packet *packet;
    size_t consumed; /* bytes of the packet's data */
    const struct work_sink *sink;
    unsigned id;
};

static int64_t *output_entry(struct cluster *c, unsigned pe, uint32_t address)
{
    return &c->output[(size_t)pe * c->variant->output_queue_depth + address];
}

/* Until something is scattered, all PEs hold the same activations and plane 0 stands for all. */
static int16_t *input_plane(struct cluster *c, unsigned pe)
{
    return &c->input[c->scattered ? (size_t)pe * c->variant->input_buffer_depth : 0];
}

static void begin_scatter(struct cluster *c)
{
    size_t depth = c->variant->input_buffer_depth;
    if (!c->scattered)
        for (unsigned p = 1; p < c->variant->k; p++)
            memcpy(c->input + p * depth, c->input, depth * sizeof *c->input);
    c->scattered = true;
}

static int16_t value_at(const uint8_t *data, size_t index, unsigned data_width)
{
    if (data_width == 8)
        return (int8_t)data[index];
    return (int16_t)(data[2 * index] | data[2 * index + 1] << 8);
}

static enum job_code load_input(struct run *run, const struct instruction *i, const struct operands *o)
{
    struct cluster *c = run->cluster;
    const struct variant *v = c->variant;
    unsigned bytes = v->data_width / 8;
    uint32_t block = run->sequence->block, line = v->load_width / bytes;
    uint32_t planes = run->packet->scatter ? v->k : 1;
    size_t take = (size_t)block * bytes * planes;
    if (!block || block > i->wrap || (block % line) || (o->address % line) || (i->wrap % line))
        return JOB_OUT_OF_BUFFER;
    if (run->packet->bytes - run->consumed < take)
        return JOB_PACKET_LENGTH;
    if (planes > 1)
        begin_scatter(c);
    c->loads++;
    const uint8_t *data = run->packet->data + run->consumed;
    for (uint32_t a = 0; a < block; a++) {
        uint32_t address = o->address + a;
        address -= address >= i->wrap ? i->wrap : 0;
        for (unsigned p = 0; p < (c->scattered ? v->k : 1); p++)
            input_plane(c, p)[address] = value_at(data, (size_t)a * planes + p % planes, v->data_width);
    }
    run->consumed += take;
    return JOB_OK;
}

static enum job_code load_accumulator(struct run *run, const struct operands *o)
{
    struct cluster *c = run->cluster;
    const struct variant *v = c->variant;
    enum num_element element = v->acc_width <= 32 ? NUM_INT32 : NUM_INT64;
    size_t beat = c->derived->bus_bytes;
    size_t take = (v->k * num_element_bytes(element) + beat - 1) / beat * beat;
    run->consumed = (run->consumed + beat - 1) / beat * beat;
    if (run->packet->bytes - run->consumed < take)
        return JOB_PACKET_LENGTH;
    const uint8_t *data = run->packet->data + run->consumed;
    for (unsigned p = 0; p < v->k; p++)
        *output_entry(c, p, o->result) =
            num_wrap(num_get_element(data + (size_t)p * num_element_bytes(element), element), v->acc_width);
    run->consumed += take;
    return JOB_OK;
}

static void multiply(struct run *run, unsigned index, const struct instruction *i, const struct operands *o,
                     unsigned pe)
{
    struct cluster *c = run->cluster;
    struct lane *lane = &c->lanes[pe];
    size_t begin = lane_begin(lane, lane->head), end = lane->end[lane->head];
    const int16_t *input = input_plane(c, pe);
    int64_t sum = 0;
    bool record = run->sink && run->sink->mac;
    for (size_t e = begin; e < end; e++) {
        uint32_t address = o->address + lane->position[e];
        address -= address >= i->wrap ? i->wrap : 0;
        int16_t activation = input[address];
        sum += (int64_t)lane->value[e] * activation;
        c->effective_macs += activation != 0;
        if (record)
            c->effective[e - begin] = activation != 0;
    }
    c->scanned += end - begin;
    if (record)
        run->sink->mac(run->sink->context, run->id, pe, index, (unsigned)(end - begin), c->effective);
    int64_t start = i->resume ? *output_entry(c, pe, o->result) : 0;
    int64_t acc = num_wrap((int64_t)((uint64_t)start + (uint64_t)sum), c->variant->acc_width);
    c->acc[pe][i->acc] = acc;
    if (i->chain)
        *output_entry(c, pe, o->result) = num_apply(&run->sequence->table[0], acc);
    else if (i->keep)
        *output_entry(c, pe, o->result) = acc;
}

/* Positions were checked against the buffer's depth; with a shorter wrap they are checked here. */
static bool positions_fit(const struct lane *lane, uint32_t wrap)
{
    for (size_t e = lane_begin(lane, lane->head); e < lane->end[lane->head]; e++)
        if (lane->position[e] >= wrap)
            return false;
    return true;
}

static enum job_code run_mac(struct run *run, unsigned index, const struct instruction *i,
                             const struct operands *o, unsigned *pe)
{
    struct cluster *c = run->cluster;
    for (unsigned p = 0; p < c->variant->k; p++) {
        *pe = p;
        if (c->lanes[p].head >= c->lanes[p].segments)
            return JOB_PACKET_LENGTH;
        if (i->wrap < c->variant->input_buffer_depth && !positions_fit(&c->lanes[p], i->wrap))
            return JOB_OUT_OF_BUFFER;
        multiply(run, index, i, o, p);
    }
    *pe = PE_NONE;
    return JOB_OK;
}

static bool results_reserve(struct results *results, size_t more)
{
    if (results->begin == results->end)
        results->begin = results->end = 0;
    if (results->end + more <= results->room)
        return true;
    size_t room = (results->end + more) * 2;
    int64_t *value = realloc(results->value, room * sizeof *value);
    if (!value)
        return false;
    results->value = value;
    results->room = room;
    return true;
}

static enum job_code store_results(struct run *run, const struct operands *o)
{
    struct cluster *c = run->cluster;
    if (c->results.end - c->results.begin > RESULTS_MAX)
        return JOB_DEADLOCK;
    if (!results_reserve(&c->results, c->variant->k))
        return JOB_QUEUE_OVERFLOW;
    for (unsigned p = 0; p < c->variant->k; p++)
        c->results.value[c->results.end++] = *output_entry(c, p, o->result);
    return JOB_OK;
}

static enum job_code run_instruction(struct run *run, unsigned index, unsigned *pe)
{
    const struct instruction *i = &run->sequence->code[index];
    const struct operands *o = &run->operands[index];
    switch (i->opcode) {
    case I_MAC:
        return run_mac(run, index, i, o, pe);
    case I_ST:
        return run->packet->command & COMMAND_SHIFT_OUT ? store_results(run, o) : JOB_OK;
    case I_LD:
        if (i->target == LD_INPUT)
            return load_input(run, i, o);
        return i->target == LD_ACCUMULATOR ? load_accumulator(run, o) : JOB_OK;
    case I_SPU:
        break;
    }
    return JOB_NO_FEATURE;
}

/* ---- packets --------------------------------------------------------------------------------- */

static bool has(const struct sequence *s, enum instruction_opcode opcode, int target)
{
    for (unsigned i = 0; i < s->instructions; i++)
        if (s->code[i].opcode == opcode && (target < 0 || (int)s->code[i].target == target))
            return true;
    return false;
}

static unsigned count_macs(const struct sequence *s)
{
    unsigned macs = 0;
    for (unsigned i = 0; i < s->instructions; i++)
        macs += s->code[i].opcode == I_MAC;
    return macs;
}

/* The whole packet's weights enter the queues; a sequence takes one segment of them per iteration. */
static enum job_code take_weights(struct cluster *c, const struct sequence *s, const struct packet *packet,
                                  unsigned *pe)
{
    if (packet->count % s->hold)
        return JOB_PACKET_LENGTH;
    for (unsigned p = 0; p < c->variant->k; p++) {
        struct lane *lane = &c->lanes[p];
        *pe = p;
        if (!lane_settle(lane))
            return JOB_QUEUE_OVERFLOW;
        enum job_code code = lane_decode(lane, c->variant, c->derived, packet->data, packet->bytes, p,
                                         packet->count / s->hold, s->line_pitch);
        if (code)
            return code;
        bool streams = s->queue == QUEUE_SQ && has(s, I_MAC, -1);
        if (!streams && lane_places(lane) > lane_room(c->variant, c->derived))
            return JOB_QUEUE_OVERFLOW;
    }
    *pe = PE_NONE;
    return JOB_OK;
}

static void tell_segments(const struct run *run)
{
    if (!run->sink || !run->sink->segment)
        return;
    const struct sequence *s = run->sequence;
    struct segment_facts facts = {.macs = count_macs(s) * s->hold, .resident = !has(s, I_LD, LD_WEIGHTS)};
    for (unsigned p = 0; p < run->cluster->variant->k; p++) {
        const struct lane *lane = &run->cluster->lanes[p];
        if (lane->head >= lane->segments)
            continue;
        facts.entries = (unsigned)(lane->end[lane->head] - lane_begin(lane, lane->head));
        facts.slots = lane->slots[lane->head];
        run->sink->segment(run->sink->context, run->id, p, facts);
    }
}

/* After the last MAC of a sequence: SQ drops the head segment, RQ moves it to the tail. */
static void next_segment(struct cluster *c, const struct sequence *s)
{
    for (unsigned p = 0; p < c->variant->k; p++) {
        struct lane *lane = &c->lanes[p];
        lane->head++;
        if (s->queue == QUEUE_SQ)
            lane->first = lane->head;
        else if (lane->head == lane->segments)
            lane->head = lane->first;
    }
}

static enum job_code run_iterations(struct run *run, unsigned *pe)
{
    const struct sequence *s = run->sequence;
    bool macs = has(s, I_MAC, -1);
    for (uint32_t n = 0; n < run->packet->count; n++) {
        if (macs && n % s->hold == 0)
            tell_segments(run);
        for (unsigned i = 0; i < s->instructions; i++) {
            enum job_code code = run_instruction(run, i, pe);
            if (code)
                return code;
            operands_advance(&run->operands[i], &s->code[i], run->cluster->variant->output_queue_depth);
        }
        if (macs && n % s->hold == s->hold - 1)
            next_segment(run->cluster, s);
    }
    return JOB_OK;
}

static void start_operands(struct cluster *c, unsigned buffer)
{
    for (unsigned i = 0; i < c->buffer[buffer].instructions; i++)
        operands_start(&c->operands[buffer][i], &c->buffer[buffer].code[i]);
}

/* Whatever consumed the data, only the padding of the last beat may be left. */
static enum job_code check_consumed(const struct run *run)
{
    if (has(run->sequence, I_LD, LD_WEIGHTS))
        return JOB_OK;
    return run->packet->bytes - run->consumed < run->cluster->derived->bus_bytes ? JOB_OK : JOB_PACKET_LENGTH;
}

/* SQ takes segments in order, also those that RQ has taken round before. */
static enum job_code settle_queues(struct cluster *c, const struct sequence *s)
{
    for (unsigned p = 0; p < c->variant->k; p++)
        if (s->queue == QUEUE_SQ && c->lanes[p].first < c->lanes[p].head && !lane_settle(&c->lanes[p]))
            return JOB_QUEUE_OVERFLOW;
    return JOB_OK;
}

static enum job_code execute_buffer(struct cluster *c, const struct packet *packet, unsigned buffer,
                                    unsigned id, const struct work_sink *sink, unsigned *pe)
{
    if (buffer >= c->variant->instruction_buffers || !c->configured[buffer])
        return JOB_NOT_CONFIGURED;
    const struct sequence *s = &c->buffer[buffer];
    if (s->queue == QUEUE_SW)
        return JOB_NO_FEATURE;
    if (s->restart)
        start_operands(c, buffer);
    struct run run = {.cluster = c,
                      .sequence = s,
                      .operands = c->operands[buffer],
                      .packet = packet,
                      .sink = sink,
                      .id = id};
    enum job_code code = has(s, I_LD, LD_WEIGHTS) ? take_weights(c, s, packet, pe) : settle_queues(c, s);
    if (!code)
        code = run_iterations(&run, pe);
    return code ? code : check_consumed(&run);
}

/* A triggered buffer runs once, without data but with the packet's shift-out, and may trigger the next; a
 * ring of triggers would never end. */
static enum job_code execute_triggers(struct cluster *c, const struct packet *packet, unsigned id,
                                      const struct work_sink *sink, unsigned *pe)
{
    unsigned buffer = packet->command & 31;
    for (unsigned hops = 0; c->buffer[buffer].trigger; hops++) {
        if (hops == c->variant->instruction_buffers)
            return JOB_BAD_LOOP;
        buffer = c->buffer[buffer].trigger_buffer;
        struct packet none = {.command = packet->command, .count = 1};
        enum job_code code = execute_buffer(c, &none, buffer, id, sink, pe);
        if (code)
            return code;
    }
    return JOB_OK;
}

static enum job_code configure(struct cluster *c, const struct packet *packet, unsigned buffer)
{
    if (buffer >= c->variant->instruction_buffers)
        return JOB_NOT_CONFIGURED;
    struct sequence parsed;
    enum job_code code = sequence_parse(&parsed, c->variant, packet->data, packet->bytes);
    if (code)
        return code;
    c->buffer[buffer] = parsed;
    c->configured[buffer] = true;
    c->loads++; /* addresses may have changed */
    start_operands(c, buffer);
    return JOB_OK;
}

enum job_code cluster_execute(struct cluster *c, const struct packet *packet, unsigned id,
                              const struct work_sink *sink, unsigned *pe)
{
    unsigned buffer = packet->command & 31;
    *pe = PE_NONE;
    if (!(packet->command & 0x80))
        return packet->command & 0x60 ? JOB_BAD_COMMAND : configure(c, packet, buffer);
    enum job_code code = execute_buffer(c, packet, buffer, id, sink, pe);
    return code ? code : execute_triggers(c, packet, id, sink, pe);
}

/* ---- several clusters at once ---------------------------------------------------------------- */

/* Which sequences the joint loop does: weights straight from the packet, MACs that start from zero or the
 * output queue at addresses that stay, then STs. */
static bool joint_sequence(const struct sequence *s, const struct variant *v)
{
    if (v->data_width != 8 || s->queue != QUEUE_SQ || s->hold != 1 || s->trigger || s->instructions < 2 ||
        s->code[0].opcode != I_LD || s->code[0].target != LD_WEIGHTS)
        return false;
    bool stored = false;
    for (unsigned i = 1; i < s->instructions; i++) {
        const struct instruction *in = &s->code[i];
        bool mac = in->opcode == I_MAC && !in->stride && !in->inner && in->wrap == v->input_buffer_depth;
        if (in->opcode == I_ST)
            stored = true;
        else if (!mac || stored)
            return false;
    }
    return true;
}

static bool same_operator(const struct cluster *a, const struct cluster *b, unsigned buffer)
{
    return b->configured[buffer] &&
           !memcmp(&a->buffer[buffer], &b->buffer[buffer], sizeof a->buffer[buffer]) &&
           !memcmp(a->operands[buffer], b->operands[buffer], sizeof a->operands[buffer]);
}

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

static void table_fill_column(struct joint_table *t, size_t column, const int16_t *input, uint32_t address,
                              uint32_t depth)
{
    for (size_t p = 0; p < t->positions; p++) {
        int16_t a = input[(address + p) & (depth - 1)];
        t->value[p * t->stride + column] = a;
        t->nonzero[p] += a != 0;
    }
}

static bool table_build(struct joint_table *t, struct cluster *const *clusters, unsigned count,
                        unsigned buffer, size_t positions)
{
    struct cluster *first = clusters[0];
    const struct sequence *s = &first->buffer[buffer];
    if (table_is_current(t, clusters, count, buffer, positions))
        return true;
    t->stride = (count * count_macs(s) + DOT_ROWS - 1) / DOT_ROWS * DOT_ROWS;
    t->positions = (positions + 255) / 256 * 256;
    if (!table_reserve(t, t->positions * t->stride, t->positions))
        return false;
    memset(t->value, 0, t->positions * t->stride * sizeof *t->value);
    size_t column = 0;
    for (unsigned c = 0; c < count; c++)
        for (unsigned i = 0; i < s->instructions; i++)
            if (s->code[i].opcode == I_MAC)
                table_fill_column(t, column++, input_plane(clusters[c], 0),
                                  first->operands[buffer][i].address, first->variant->input_buffer_depth);
    memcpy(t->clusters, clusters, count * sizeof *clusters);
    t->count = count;
    t->buffer = buffer;
    t->loads = loads_of(clusters, count);
    return true;
}

void joint_table_free(struct joint_table *t)
{
    free(t->value);
    free(t->nonzero);
    *t = (struct joint_table){0};
}

/* The sums of one segment for every MAC of every cluster, into their accumulators and output queues. */
static void joint_segment(struct cluster *const *clusters, unsigned count, const struct sequence *s,
                          const struct operands *operands, unsigned pe, const int32_t *sums)
{
    size_t column = 0;
    for (unsigned c = 0; c < count; c++)
        for (unsigned i = 0; i < s->instructions; i++) {
            const struct instruction *in = &s->code[i];
            if (in->opcode != I_MAC)
                continue;
            int64_t *entry = output_entry(clusters[c], pe, operands[i].result);
            int64_t start = in->resume ? *entry : 0;
            int64_t acc = num_wrap((int64_t)((uint64_t)start + (uint64_t)sums[column++]),
                                   clusters[c]->variant->acc_width);
            clusters[c]->acc[pe][in->acc] = acc;
            if (in->chain)
                *entry = num_apply(&s->table[0], acc);
            else if (in->keep)
                *entry = acc;
        }
}

static enum job_code joint_iterations(struct cluster *const *clusters, unsigned count, unsigned buffer,
                                      const struct packet *packet, const struct joint_table *table,
                                      dot_function *dot)
{
    struct cluster *first = clusters[0];
    const struct sequence *s = &first->buffer[buffer];
    struct operands *operands = first->operands[buffer];
    int32_t sums[CLUSTERS_MAX * SEQUENCE_MAX + DOT_ROWS];
    enum job_code code = JOB_OK;
    for (uint32_t n = 0; !code && n < packet->count; n++) {
        for (unsigned p = 0; p < first->variant->k; p++) {
            const struct lane *lane = &first->lanes[p];
            size_t begin = lane_begin(lane, n), entries = lane->end[n] - begin;
            for (size_t r = 0; r < table->stride; r += DOT_ROWS)
                dot(lane->position + begin, lane->value + begin, entries, table->value + r, table->stride,
                    sums + r);
            joint_segment(clusters, count, s, operands, p, sums);
        }
        for (unsigned i = 1; i < s->instructions; i++)
            if (s->code[i].opcode == I_ST && packet->command & COMMAND_SHIFT_OUT)
                for (unsigned c = 0; c < count; c++) {
                    struct run run = {.cluster = clusters[c]};
                    code = code ? code : store_results(&run, &operands[i]);
                }
        for (unsigned i = 0; i < s->instructions; i++)
            operands_advance(&operands[i], &s->code[i], first->variant->output_queue_depth);
    }
    return code;
}

static void joint_counters(struct cluster *first, const struct sequence *s, unsigned count,
                           const struct joint_table *table)
{
    for (unsigned p = 0; p < first->variant->k; p++) {
        const struct lane *lane = &first->lanes[p];
        uint64_t effective = 0;
        for (size_t e = 0; e < lane->entries; e++)
            effective += table->nonzero[lane->position[e]];
        first->effective_macs += effective;
        first->scanned += (uint64_t)lane->entries * count_macs(s) * count;
    }
}

static size_t positions_used(const struct cluster *c)
{
    uint16_t most = 0;
    for (unsigned p = 0; p < c->variant->k; p++)
        for (size_t e = 0; e < c->lanes[p].entries; e++)
            most = c->lanes[p].position[e] > most ? c->lanes[p].position[e] : most;
    return (size_t)most + 1;
}

static bool joint_allowed(struct cluster *const *clusters, unsigned count, const struct packet *packet)
{
    unsigned buffer = packet->command & 31;
    const struct cluster *first = clusters[0];
    if (!(packet->command & 0x80) || packet->scatter || buffer >= first->variant->instruction_buffers ||
        !first->configured[buffer] || !joint_sequence(&first->buffer[buffer], first->variant))
        return false;
    for (unsigned c = 0; c < count; c++) {
        if (clusters[c]->scattered || (c && !same_operator(first, clusters[c], buffer)))
            return false;
        for (unsigned p = 0; p < first->variant->k; p++)
            if (clusters[c]->lanes[p].first < clusters[c]->lanes[p].segments)
                return false;
    }
    return true;
}

bool cluster_execute_together(struct cluster *const *clusters, unsigned count, const struct packet *packet,
                              dot_function *dot, struct joint_table *table, enum job_code *code, unsigned *pe)
{
    if (!joint_allowed(clusters, count, packet))
        return false;
    unsigned buffer = packet->command & 31;
    struct cluster *first = clusters[0];
    const struct sequence *s = &first->buffer[buffer];
    if (s->restart)
        start_operands(first, buffer);
    *code = take_weights(first, s, packet, pe);
    if (*code)
        return true;
    if (table_build(table, clusters, count, buffer, positions_used(first))) {
        *code = joint_iterations(clusters, count, buffer, packet, table, dot);
        joint_counters(first, s, count, table);
    } else
        *code = JOB_QUEUE_OVERFLOW;
    for (unsigned p = 0; p < first->variant->k; p++)
        lane_clear(&first->lanes[p]);
    for (unsigned c = 1; c < count; c++)
        memcpy(clusters[c]->operands[buffer], first->operands[buffer], sizeof first->operands[buffer]);
    return true;
}
