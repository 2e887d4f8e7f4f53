/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"
#include "sim/model/notes.h"

/* Other planes than the first are written before they are read. */
static void clear_input(struct cluster *c)
{
    memset(c->input, 0, c->written * sizeof *c->input);
    memset(c->zeros, 0, c->written * sizeof *c->zeros);
    c->scattered = c->zeros_count = false;
    c->written = 0;
    notes_reset(c, true);
}

bool cluster_init(struct cluster *c, const struct variant *v, const struct variant_derived *d)
{
    *c = (struct cluster){.variant = v, .derived = d};
    c->input = malloc((size_t)v->k * v->input_buffer_depth * sizeof *c->input);
    c->zeros = malloc((size_t)v->k * v->input_buffer_depth * sizeof *c->zeros);
    c->output = calloc((size_t)v->k * v->output_queue_depth, sizeof *c->output);
    c->effective = malloc(65536);
    const bool ok = c->input && c->zeros && c->output && c->effective;
    c->written = v->input_buffer_depth;
    if (ok)
        clear_input(c);
    return ok;
}

void cluster_free(struct cluster *c)
{
    for (unsigned p = 0; p < PES_MAX; p++)
        lane_free(&c->lanes[p]);
    free(c->input);
    free(c->zeros);
    notes_free(c);
    free(c->output);
    free(c->effective);
    for (unsigned b = 0; b < BUFFERS_MAX; b++)
        free(c->parsed[b].payload);
    free(c->results.value);
    *c = (struct cluster){0};
}

void cluster_reset(struct cluster *c)
{
    const struct variant *v = c->variant;
    memset(c->configured, 0, sizeof c->configured);
    clear_input(c);
    memset(c->output, 0, (size_t)v->k * v->output_queue_depth * sizeof *c->output);
    memset(c->acc, 0, sizeof c->acc);
    memset(c->scalar, 0, sizeof c->scalar);
    for (unsigned p = 0; p < v->k; p++)
        lane_clear(&c->lanes[p]);
    c->results.begin = c->results.end = 0;
    c->effective_macs = c->scanned = 0;
    c->loads++;
}

/* Any word of an input buffer (rtl/tulle_input_buffer.v): a difference, of which the most negative one does
 * not count, or a mask bit above an activation. */
static void fill_input(struct cluster *c, struct random *random)
{
    const struct variant *v = c->variant;
    const int64_t nothing = -(INT64_C(1) << v->data_width);
    c->scattered = c->zeros_count = true; /* each PE's differ */
    c->written = v->input_buffer_depth;
    for (size_t i = 0; i < (size_t)v->k * v->input_buffer_depth; i++) {
        const int64_t word = (int64_t)random_next(random) >> (63 - v->data_width);
        const bool counts = v->zero_points ? word != nothing : word < 0;
        const int64_t value = v->zero_points ? word : num_wrap(word, v->data_width);
        c->input[i] = counts ? (int32_t)value : 0;
        c->zeros[i] = counts;
    }
    notes_reset(c, false);
}

void cluster_fill(struct cluster *c, uint64_t seed)
{
    const struct variant *v = c->variant;
    struct random random = {seed};
    fill_input(c, &random);
    for (size_t i = 0; i < (size_t)v->k * v->output_queue_depth; i++)
        c->output[i] = (int64_t)random_next(&random) >> (64 - v->acc_width);
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

static void begin_scatter(struct cluster *c)
{
    size_t depth = c->variant->input_buffer_depth;
    for (unsigned p = 1; !c->scattered && p < c->variant->k; p++) {
        memcpy(c->input + p * depth, c->input, depth * sizeof *c->input);
        memcpy(c->zeros + p * depth, c->zeros, depth * sizeof *c->zeros);
    }
    c->scattered = true;
}

/* An activation of a packet, without the zero point. */
static int32_t value_at(const uint8_t *data, size_t index, unsigned data_width, const struct sequence *s)
{
    const int32_t bits = data_width == 8 ? data[index] : data[2 * index] | data[2 * index + 1] << 8;
    const int32_t values = 1 << data_width;
    return (s->has_no_sign || bits < values / 2 ? bits : bits - values) - s->zero;
}

/* Activations of a byte that follow each other in the packet and in the buffer. */
static void write_bytes(int32_t *input, const uint8_t *data, uint32_t count, const struct sequence *s)
{
    const int32_t flip = s->has_no_sign ? 0 : 128, less = flip + s->zero; /* bytes are taken as they are */
    for (uint32_t i = 0; i < count; i++)
        input[i] = (int32_t)(data[i] ^ (uint8_t)flip) - less;
}

/* Every `planes`-th value of what is left of the packet, from the one numbered `plane` on, to a block of
 * addresses that wrap once. */
static void write_input(const struct run *run, int32_t *input, uint32_t wrap, uint32_t address,
                        uint32_t planes, uint32_t plane)
{
    const uint8_t *data = run->packet->data + run->consumed;
    const uint32_t block = run->sequence->block;
    if (run->cluster->variant->data_width == 8 && planes == 1) {
        const uint32_t before = wrap - address < block ? wrap - address : block;
        write_bytes(input + address, data, before, run->sequence);
        write_bytes(input, data + before, block - before, run->sequence);
        return;
    }
    for (uint32_t i = 0; i < block; i++) {
        input[address] =
            value_at(data, (size_t)i * planes + plane, run->cluster->variant->data_width, run->sequence);
        address = address + 1 == wrap ? 0 : address + 1;
    }
}

/* Zeros there count from now on, or do not. */
static void mark_zeros(bool *zeros, uint32_t wrap, uint32_t address, uint32_t count, bool counts)
{
    for (uint32_t i = 0; i < count; i++) {
        zeros[address] = counts;
        address = address + 1 == wrap ? 0 : address + 1;
    }
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
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
    c->zeros_count = c->zeros_count || i->maximum;
    /* What lies between all that was written and this is written with 0 by the reset. */
    const uint32_t end = o->address + block, begin = c->written < o->address ? c->written : o->address;
    c->written = higher(c->written, end > i->wrap ? i->wrap : end);
    for (unsigned p = 0; p < (c->scattered ? v->k : 1); p++) {
        write_input(run, cluster_input(c, p), i->wrap, o->address, planes, p % planes);
        if (c->zeros_count)
            mark_zeros(c->zeros + cluster_plane(c, p), i->wrap, o->address, block, i->maximum);
    }
    notes_written(c, end > i->wrap ? 0 : begin, end > i->wrap ? i->wrap : end);
    run->consumed += take;
    return JOB_OK;
}

static enum job_code load_accumulator(struct run *run, const struct instruction *i, const struct operands *o)
{
    struct cluster *c = run->cluster;
    const struct variant *v = c->variant;
    enum num_element element = v->acc_width <= 32 ? NUM_INT32 : NUM_INT64;
    size_t beat = c->derived->bus_bytes;
    size_t take = math_round_up(v->k * num_element_bytes(element), beat);
    run->consumed = math_round_up(run->consumed, beat);
    if (run->packet->bytes - run->consumed < take)
        return JOB_PACKET_LENGTH;
    const uint8_t *data = run->packet->data + run->consumed;
    for (unsigned p = 0; p < v->k; p++) {
        int64_t *to = i->target == LD_BUFFER ? &c->acc[p][i->acc] : cluster_entry(c, p, o->result);
        *to = num_wrap(num_get_element(data + (size_t)p * num_element_bytes(element), element), v->acc_width);
    }
    run->consumed += take;
    return JOB_OK;
}

/* Whether the MAC's sum is written, which a sequence that defers does with the last packet only. */
static bool writes(const struct sequence *sequence, const struct instruction *mac, uint8_t command)
{
    return (mac->keep || mac->chain) && (!sequence->defer || command & COMMAND_LAST);
}

/* The sum starts from the entry or from the accumulation buffer, which stays open until the sum is written.
 */
static int64_t accumulate(struct cluster *c, const struct instruction *mac, unsigned pe, int64_t entry,
                          int64_t sum, bool closes)
{
    int64_t *buffer = &c->acc[pe][mac->acc];
    int64_t start = mac->resume ? entry : *buffer;
    int64_t acc = num_wrap((int64_t)((uint64_t)start + (uint64_t)sum), c->variant->acc_width);
    *buffer = closes || !c->variant->accumulators ? 0 : acc;
    return acc;
}

void cluster_close(struct cluster *c, const struct sequence *sequence, const struct instruction *mac,
                   uint8_t command, unsigned pe, uint32_t result, int64_t sum)
{
    int64_t *entry = cluster_entry(c, pe, result);
    bool closes = writes(sequence, mac, command);
    int64_t acc = mac->maximum ? (mac->resume && *entry > sum ? *entry : sum)
                               : accumulate(c, mac, pe, *entry, sum, closes);
    if (!closes)
        return;
    *entry = mac->chain ? num_wrap(num_apply(&sequence->table[0], acc), c->variant->acc_width) : acc;
}

void cluster_close_all(struct cluster *c, const struct sequence *sequence, const struct instruction *mac,
                       uint8_t command, uint32_t result, const int32_t *sums, size_t pitch)
{
    const unsigned width = c->variant->acc_width, depth = c->variant->output_queue_depth;
    int64_t *entry = c->output + result;
    const bool plain = writes(sequence, mac, command) && !mac->maximum && !mac->resume && !mac->chain;
    for (unsigned p = 0; p < c->variant->k; p++)
        if (plain) {
            int64_t *buffer = &c->acc[p][mac->acc];
            entry[(size_t)p * depth] =
                num_wrap((int64_t)((uint64_t)*buffer + (uint64_t)sums[p * pitch]), width);
            *buffer = 0;
        } else
            cluster_close(c, sequence, mac, command, p, result, sums[p * pitch]);
}

/* The address that a PE takes. */
static uint32_t pe_address(const struct instruction *i, const struct operands *o, unsigned pe)
{
    uint32_t address = o->address + pe * i->pe_stride;
    return address - (address >= i->wrap ? i->wrap : 0);
}

/* The sum of products of a segment whose activations lie from `input` on; how many of them are effective, and
 * which, unless `flags` is NULL. `zeros`: weights of 0 are effective, too. */
static int64_t products(const struct lane *lane, size_t begin, size_t end, const int32_t *input, bool zeros,
                        uint64_t *effective, uint8_t *flags)
{
    const uint16_t *position = lane->position;
    const int16_t *value = lane->value;
    int64_t sum = 0;
    uint64_t counts = 0;
    for (size_t e = begin; e < end; e++) {
        const int32_t activation = input[position[e]];
        const bool count = activation != 0 && (value[e] || zeros);
        sum += (int64_t)value[e] * activation;
        counts += count;
        if (flags)
            flags[e - begin] = count;
    }
    *effective += counts;
    return sum;
}

static void multiply(struct run *run, const struct instruction *i, const struct operands *o, unsigned pe)
{
    struct cluster *c = run->cluster;
    struct lane *lane = &c->lanes[pe];
    size_t begin = lane_begin(lane, lane->head), end = lane->end[lane->head];
    const int32_t *input = cluster_input(c, pe);
    const bool *zeros = c->zeros + cluster_plane(c, pe), zero_weights = !c->variant->plain_weights;
    const uint32_t first = pe_address(i, o, pe);
    int64_t sum = i->maximum ? num_maximum_of_nothing(c->variant->data_width) : 0;
    bool record = run->sink && run->sink->mac;
    const bool plain =
        !i->maximum && !c->zeros_count && (begin == end || first + lane->position[end - 1] < i->wrap);
    if (plain)
        sum = products(lane, begin, end, input + first, zero_weights, &c->effective_macs,
                       record ? c->effective : NULL);
    for (size_t e = plain ? end : begin; e < end; e++) {
        uint32_t address = first + lane->position[e];
        address -= address >= i->wrap ? i->wrap : 0;
        int32_t activation = input[address];
        bool counts = (activation || (c->zeros_count && zeros[address])) && (lane->value[e] || zero_weights);
        int64_t product = (int64_t)lane->value[e] * activation;
        if (!i->maximum)
            sum += product;
        else if (counts && product > sum)
            sum = product;
        c->effective_macs += counts;
        if (record)
            c->effective[e - begin] = counts;
    }
    c->scanned += end - begin;
    if (record)
        run->sink->mac(run->sink->context, run->id, pe, (unsigned)(end - begin), c->effective);
    cluster_close(c, run->sequence, i, run->packet->command, pe, o->result, sum);
}

/* Positions, which ascend, were checked against the buffer's depth; with a shorter wrap they are checked
 * here. */
static bool positions_fit(const struct lane *lane, uint32_t wrap)
{
    const size_t begin = lane_begin(lane, lane->head), end = lane->end[lane->head];
    return begin == end || lane->position[end - 1] < wrap;
}

static enum job_code run_mac(struct run *run, const struct instruction *i, const struct operands *o,
                             unsigned *pe)
{
    struct cluster *c = run->cluster;
    for (unsigned p = 0; p < c->variant->k; p++) {
        *pe = p;
        if (c->lanes[p].head >= c->lanes[p].segments)
            return JOB_PACKET_LENGTH;
        if (i->wrap < c->variant->input_buffer_depth && !positions_fit(&c->lanes[p], i->wrap))
            return JOB_OUT_OF_BUFFER;
        multiply(run, i, o, p);
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

enum job_code cluster_store_results(struct cluster *c, uint32_t result)
{
    if (c->results.end - c->results.begin > RESULTS_MAX)
        return JOB_DEADLOCK;
    if (!results_reserve(&c->results, c->variant->k))
        return JOB_QUEUE_OVERFLOW;
    for (unsigned p = 0; p < c->variant->k; p++)
        c->results.value[c->results.end++] = *cluster_entry(c, p, result);
    return JOB_OK;
}

/* The entry of all PEs, added up or the largest of them, through the function. */
static int64_t reduce(struct cluster *c, const struct num_step *step, uint32_t source)
{
    int64_t all = *cluster_entry(c, 0, source);
    for (unsigned p = 1; p < c->variant->k; p++) {
        int64_t next = *cluster_entry(c, p, source);
        int64_t sum = num_wrap((int64_t)((uint64_t)all + (uint64_t)next), c->variant->acc_width);
        all = step->function != NUM_MAX ? sum : next > all ? next : all;
    }
    return num_wrap(num_apply(step, all), c->variant->acc_width);
}

/* A copy of an entry, a function of it, or a reduction over the PEs, to an entry of all PEs or to a register.
 */
static void run_spu(struct cluster *c, const struct sequence *s, const struct instruction *i,
                    const struct operands *o)
{
    const struct num_step *step = i->spu ? &s->table[i->spu - 1] : NULL;
    uint32_t source = o->address & (c->variant->output_queue_depth - 1);
    const bool reduces = step && num_is_reduction(step->function);
    const int64_t all = reduces ? reduce(c, step, source) : 0;
    if (i->destination) {
        c->scalar[i->destination] = (uint16_t)all;
        return;
    }
    for (unsigned p = 0; p < c->variant->k; p++) {
        int64_t own = *cluster_entry(c, p, source);
        int64_t result = reduces ? all : step ? num_wrap(num_apply(step, own), c->variant->acc_width) : own;
        *cluster_entry(c, p, o->result) = result;
    }
}

/* The operands of this iteration, with the scalar registers that the instruction adds. */
static bool fetch_operands(const struct cluster *c, const struct instruction *i, struct operands *o)
{
    o->address += c->scalar[i->scalar];
    o->result = (o->result + c->scalar[i->result_scalar]) & (c->variant->output_queue_depth - 1);
    return o->address < i->wrap;
}

static enum job_code run_instruction(struct run *run, unsigned index, unsigned *pe)
{
    const struct instruction *i = &run->sequence->code[index];
    struct operands o = run->operands[index];
    if (!fetch_operands(run->cluster, i, &o))
        return JOB_OUT_OF_BUFFER;
    switch (i->opcode) {
    case I_MAC:
        return run_mac(run, i, &o, pe);
    case I_ST:
        return run->packet->command & COMMAND_SHIFT_OUT ? cluster_store_results(run->cluster, o.result)
                                                        : JOB_OK;
    case I_LD:
        if (i->target == LD_INPUT)
            return load_input(run, i, &o);
        return i->target == LD_WEIGHTS ? JOB_OK : load_accumulator(run, i, &o);
    case I_SPU:
        break;
    }
    run_spu(run->cluster, run->sequence, i, &o);
    return JOB_OK;
}

/* ---- packets --------------------------------------------------------------------------------- */

/* Weights that MACs of the same packet take as they come need only keep the pacing rule; all others, and
 * those behind others, must fit. */
static enum job_code check_room(struct cluster *c, const struct sequence *s, const struct packet *packet,
                                bool streams, unsigned *pe)
{
    uint32_t segments = packet->count / s->hold;
    bool fits = streams ? lanes_keep_pace(c->lanes, c->variant, c->derived, segments, pe)
                        : lanes_fit(c->lanes, c->variant, c->derived, segments, packet->bytes, pe);
    return fits ? JOB_OK : JOB_QUEUE_OVERFLOW;
}

/* The whole packet's weights enter the queues; a sequence takes one segment of them per iteration. */
static enum job_code take_weights(const struct run *run, unsigned *pe)
{
    struct cluster *c = run->cluster;
    const struct sequence *s = run->sequence;
    const struct packet *packet = run->packet;
    bool streams = s->queue == QUEUE_SQ && sequence_macs(s) > 0;
    const bool timed = run->sink && run->sink->weights;
    if (packet->count % s->hold)
        return JOB_PACKET_LENGTH;
    for (unsigned p = 0; p < c->variant->k; p++) {
        struct lane *lane = &c->lanes[p];
        *pe = p;
        lane->timed = timed;
        streams = streams && lane->first == lane->segments;
        lane_compact(lane);
        enum job_code code = lane_decode(lane, c->variant, c->derived, packet->data, packet->bytes, p,
                                         packet->count / s->hold);
        if (code)
            return code;
    }
    enum job_code code = check_room(c, s, packet, streams, pe);
    if (code)
        return code;
    for (unsigned p = 0; timed && p < c->variant->k; p++)
        run->sink->weights(run->sink->context, run->id, p, &c->lanes[p], packet->count / s->hold);
    *pe = PE_NONE;
    return JOB_OK;
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
    bool macs = sequence_macs(s) > 0;
    for (uint32_t n = 0; n < run->packet->count; n++) {
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

void cluster_start_operands(struct cluster *c, unsigned buffer)
{
    for (unsigned i = 0; i < c->buffer[buffer].instructions; i++)
        operands_start(&c->operands[buffer][i], &c->buffer[buffer].code[i]);
}

/* Whatever consumed the data, only the padding of the last beat may be left. */
static enum job_code check_consumed(const struct run *run)
{
    if (sequence_loads_weights(run->sequence))
        return JOB_OK;
    return run->packet->bytes - run->consumed < run->cluster->derived->bus_bytes ? JOB_OK : JOB_PACKET_LENGTH;
}

/* Weights are loaded, and SQ takes them, only when a round of RQ is complete. */
static bool queues_settled(const struct cluster *c, const struct sequence *s)
{
    bool disturbs = sequence_loads_weights(s) || (s->queue == QUEUE_SQ && sequence_macs(s));
    for (unsigned p = 0; disturbs && p < c->variant->k; p++)
        if (!lane_settled(&c->lanes[p]))
            return false;
    return true;
}

/* A packet has data exactly if its sequence takes some. */
static bool has_wrong_data(const struct sequence *s, const struct packet *packet)
{
    bool takes = false;
    for (unsigned i = 0; packet->count && i < s->instructions; i++)
        takes = takes || s->code[i].opcode == I_LD;
    return takes != (packet->bytes > 0);
}

static enum job_code execute_buffer(struct cluster *c, const struct packet *packet, unsigned buffer,
                                    unsigned id, const struct work_sink *sink, unsigned *pe)
{
    if (buffer >= c->variant->instruction_buffers || !c->configured[buffer])
        return JOB_NOT_CONFIGURED;
    const struct sequence *s = &c->buffer[buffer];
    if (s->queue == QUEUE_SW)
        return JOB_NO_FEATURE;
    if (has_wrong_data(s, packet))
        return JOB_PACKET_LENGTH;
    if (s->restart)
        cluster_start_operands(c, buffer);
    struct run run = {.cluster = c,
                      .sequence = s,
                      .operands = c->operands[buffer],
                      .packet = packet,
                      .sink = sink,
                      .id = id};
    if (!queues_settled(c, s))
        return JOB_BAD_FIELD;
    if (sink && sink->begin)
        sink->begin(sink->context, id, buffer, s, packet, run.operands);
    enum job_code code = sequence_loads_weights(s) ? take_weights(&run, pe) : JOB_OK;
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

/* Instructions that the register file can take for the buffer, which has given back what it had. */
static unsigned register_room(const struct cluster *c, unsigned buffer)
{
    const struct variant *v = c->variant;
    unsigned pages = variant_register_pages(v, v->register_file_entries);
    for (unsigned b = 0; b < v->instruction_buffers; b++)
        if (b != buffer && c->configured[b])
            pages -= variant_register_pages(v, c->buffer[b].instructions);
    return pages * variant_register_page(v);
}

/* Whether the buffer's sequence, of this job or of the last one, is that of the payload. */
static bool holds_parsed(const struct cluster *c, const struct packet *packet, unsigned buffer, unsigned room)
{
    return c->parsed[buffer].payload && c->parsed[buffer].bytes == packet->bytes &&
           c->parsed[buffer].room == room && !memcmp(c->parsed[buffer].payload, packet->data, packet->bytes);
}

/* Without memory, the next one is parsed again. */
static void keep_payload(struct cluster *c, const struct packet *packet, unsigned buffer, unsigned room)
{
    free(c->parsed[buffer].payload);
    c->parsed[buffer].payload = malloc(packet->bytes);
    c->parsed[buffer].bytes = packet->bytes;
    c->parsed[buffer].room = room;
    if (c->parsed[buffer].payload)
        memcpy(c->parsed[buffer].payload, packet->data, packet->bytes);
}

static enum job_code configure(struct cluster *c, const struct packet *packet, unsigned buffer)
{
    if (buffer >= c->variant->instruction_buffers)
        return JOB_NOT_CONFIGURED;
    const unsigned room = register_room(c, buffer);
    if (!holds_parsed(c, packet, buffer, room)) {
        struct sequence parsed;
        enum job_code code = sequence_parse(&parsed, c->variant, room, packet->data, packet->bytes);
        if (code)
            return code;
        c->buffer[buffer] = parsed;
        keep_payload(c, packet, buffer, room);
    }
    c->configured[buffer] = true;
    c->loads++; /* addresses may have changed */
    cluster_start_operands(c, buffer);
    return JOB_OK;
}

/* Only a sequence that defers has a last packet; buffers that are triggered need not defer. */
static bool last_of_nothing(const struct cluster *c, const struct packet *packet)
{
    unsigned buffer = packet->command & 31;
    if (!(packet->command & COMMAND_LAST))
        return false;
    if (!c->variant->accumulators)
        return true;
    return buffer < c->variant->instruction_buffers && c->configured[buffer] && !c->buffer[buffer].defer;
}

enum job_code cluster_execute(struct cluster *c, const struct packet *packet, unsigned id,
                              const struct work_sink *sink, unsigned *pe)
{
    unsigned buffer = packet->command & 31;
    *pe = PE_NONE;
    if (!(packet->command & 0x80))
        return packet->command & 0x60 || !packet->bytes ? JOB_BAD_COMMAND : configure(c, packet, buffer);
    if (last_of_nothing(c, packet))
        return JOB_BAD_COMMAND;
    enum job_code code = execute_buffer(c, packet, buffer, id, sink, pe);
    return code ? code : execute_triggers(c, packet, id, sink, pe);
}
