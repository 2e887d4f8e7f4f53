/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler for each instruction and queue state: what a packet does to the references that a cluster holds.
 * The functional model has accepted the program, so nothing here checks again what it checks.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/software/handlers.h"
#include "host/software/trace_unit.h"

struct run {
    struct trace *trace;
    struct traced_cluster *cluster;
    const struct sequence *sequence;
    struct operands *operands;
    const struct traced_packet *packet;
    size_t consumed;
};

static int64_t *input_of(const struct run *run, unsigned pe)
{
    return run->cluster->input +
           (run->cluster->scattered ? (size_t)pe * run->trace->variant->input_buffer_depth : 0);
}

static uint32_t *entry(const struct run *run, unsigned pe, uint32_t address)
{
    return &run->cluster->output[(size_t)pe * run->trace->variant->output_queue_depth + address];
}

static void begin_scatter(struct run *run)
{
    const size_t depth = run->trace->variant->input_buffer_depth;
    struct traced_cluster *c = run->cluster;
    for (unsigned p = 1; !c->scattered && p < run->trace->variant->k; p++)
        memcpy(c->input + p * depth, c->input, depth * sizeof *c->input);
    c->scattered = true;
}

/* ---- LD ------------------------------------------------------------------------------------------ */

static bool activation(struct run *run, size_t index, bool maximum, int64_t *to)
{
    const unsigned bytes = run->trace->variant->data_width / 8;
    const struct flow_kind kind = {
        .bytes = bytes, .no_sign = run->sequence->has_no_sign, .zero = run->sequence->zero};
    struct traced_element element;
    if (!trace_element(run->trace, run->packet->data + run->consumed + index * bytes, kind, &element))
        return false;
    if (element.sum != UINT32_MAX)
        return values_refuse(&run->trace->values, "activations that are sums");
    *to = (element.constant ? source_constant((int32_t)element.value) : element.ref) |
          (maximum ? SOURCE_COUNTS : 0);
    return true;
}

static bool load_input(struct run *run, const struct instruction *i, const struct operands *o)
{
    const struct variant *v = run->trace->variant;
    const uint32_t block = run->sequence->block, planes = run->packet->scatter ? v->k : 1;
    if (planes > 1)
        begin_scatter(run);
    for (unsigned p = 0; p < (run->cluster->scattered ? v->k : 1); p++) {
        int64_t *input = input_of(run, p);
        uint32_t address = o->address;
        for (uint32_t n = 0; n < block; n++) {
            if (!activation(run, (size_t)n * planes + p % planes, i->maximum, &input[address]))
                return false;
            address = address + 1 == i->wrap ? 0 : address + 1;
        }
    }
    run->consumed += (size_t)block * v->data_width / 8 * planes;
    return true;
}

/* Sums of all PEs, into their accumulation buffers or output queues. */
static bool load_sums(struct run *run, const struct instruction *i, const struct operands *o, bool buffers)
{
    const struct variant *v = run->trace->variant;
    const unsigned bytes = v->acc_width <= 32 ? 4 : 8, beat = run->trace->derived.bus_bytes;
    run->consumed = math_round_up(run->consumed, beat);
    for (unsigned p = 0; p < v->k; p++) {
        uint32_t *to = buffers ? &run->cluster->acc[p][i->acc] : entry(run, p, o->result);
        struct traced_element e;
        if (!trace_element(run->trace, run->packet->data + run->consumed + (size_t)p * bytes,
                           (struct flow_kind){.bytes = bytes}, &e))
            return false;
        *to = e.constant            ? value_constant(&run->trace->values, e.value)
              : e.sum != UINT32_MAX ? e.sum
                                    : value_loaded(&run->trace->values, e.ref);
    }
    run->consumed += math_round_up(v->k * bytes, beat);
    return true;
}

static bool load_entry(struct run *run, const struct instruction *i, const struct operands *o)
{
    return load_sums(run, i, o, false);
}

static bool load_buffer(struct run *run, const struct instruction *i, const struct operands *o)
{
    return load_sums(run, i, o, true);
}

static bool load_weights(struct run *run, const struct instruction *i, const struct operands *o)
{
    (void)run, (void)i, (void)o; /* take_weights() has taken them, when the packet came */
    return true;
}

/* The whole packet's weights, which are constants, enter the queues. */
static bool take_weights(struct run *run)
{
    struct trace *t = run->trace;
    for (size_t b = 0; b < run->packet->bytes; b++)
        if (!trace_constant(t, run->packet->data[b], &t->bytes[b]))
            return values_refuse(&t->values, "weights that are not in the program or in its packed weights");
    for (unsigned p = 0; p < t->variant->k; p++) {
        struct lane *lane = &run->cluster->lanes[p];
        lane_compact(lane);
        if (lane_decode(lane, t->variant, &t->derived, t->bytes, run->packet->bytes, p,
                        run->packet->count / run->sequence->hold))
            return values_refuse(&t->values, "weights that cannot be read");
        if (t->variant->plain_weights)
            lane_drop_zeros(lane);
    }
    return true;
}

/* ---- MAC ----------------------------------------------------------------------------------------- */

/* The product sum goes to the entry or to the accumulation buffer. */
static void close_mac(struct run *run, const struct instruction *mac, unsigned pe, uint32_t result,
                      uint32_t sum)
{
    struct values *values = &run->trace->values;
    uint32_t *to = entry(run, pe, result), *buffer = &run->cluster->acc[pe][mac->acc];
    const bool closes =
        (mac->keep || mac->chain) && (!run->sequence->defer || run->packet->command & COMMAND_LAST);
    if (mac->maximum)
        sum = mac->resume ? value_larger(values, *to, sum) : sum;
    else {
        sum = value_sum(values, mac->resume ? *to : *buffer, sum);
        *buffer = closes || !run->trace->variant->accumulators ? VALUE_ZERO : sum;
    }
    if (closes)
        *to = mac->chain ? value_applied(values, &run->sequence->table[0], sum) : sum;
}

static void multiply(struct run *run, const struct instruction *i, const struct operands *o, unsigned pe)
{
    const struct lane *lane = &run->cluster->lanes[pe];
    const size_t begin = lane_begin(lane, lane->head), end = lane->end[lane->head];
    uint32_t address = o->address + pe * i->pe_stride;
    address -= address >= i->wrap ? i->wrap : 0;
    close_mac(run, i, pe, o->result,
              value_dot(&run->trace->values, lane->position + begin, lane->value + begin, end - begin,
                        input_of(run, pe), address, i->wrap, i->maximum));
}

/* The head segment is dropped. */
static bool queue_sq(struct run *run, struct lane *lane)
{
    (void)run;
    lane->first = ++lane->head;
    return true;
}

/* It moves to the tail. */
static bool queue_rq(struct run *run, struct lane *lane)
{
    (void)run;
    if (++lane->head == lane->segments)
        lane->head = lane->first;
    return true;
}

static bool queue_refused(struct run *run, struct lane *lane)
{
    (void)lane;
    return values_refuse(&run->trace->values, "a queue state that no device has");
}

#define X(name, number, handler) [number] = queue_##handler,
static bool (*const queue_states[])(struct run *, struct lane *) = {HANDLED_QUEUE_STATE(X)};
#undef X

/* After the last MAC of a sequence. */
static bool next_segment(struct run *run)
{
    for (unsigned p = 0; p < run->trace->variant->k; p++)
        if (!queue_states[run->sequence->queue](run, &run->cluster->lanes[p]))
            return false;
    return true;
}

/* ---- ST, SPU ------------------------------------------------------------------------------------- */

static bool store_results(struct run *run, uint32_t result)
{
    struct traced_cluster *c = run->cluster;
    const unsigned k = run->trace->variant->k;
    if (c->results.end + k > c->results.room) {
        const size_t room = 2 * (c->results.end + k) + 64;
        uint32_t *value = realloc(c->results.value, room * sizeof *value);
        run->trace->flow->no_memory |= !value;
        if (!value)
            return false;
        c->results.value = value;
        c->results.room = room;
    }
    for (unsigned p = 0; p < k; p++)
        c->results.value[c->results.end++] = *entry(run, p, result);
    return true;
}

/* All PEs' entries become one, through the function. */
static uint32_t reduce(struct run *run, const struct num_step *step, uint32_t source)
{
    struct values *values = &run->trace->values;
    uint32_t all = *entry(run, 0, source);
    for (unsigned p = 1; p < run->trace->variant->k; p++)
        all = step->function == NUM_MAX ? value_larger(values, all, *entry(run, p, source))
                                        : value_sum(values, all, *entry(run, p, source));
    return value_applied(values, step, all);
}

static bool handle_spu(struct run *run, const struct instruction *i, const struct operands *o)
{
    struct values *values = &run->trace->values;
    const struct num_step *step = i->spu ? &run->sequence->table[i->spu - 1] : NULL;
    const uint32_t source = o->address & (run->trace->variant->output_queue_depth - 1);
    const bool reduces = step && num_is_reduction(step->function);
    const uint32_t all = reduces ? reduce(run, step, source) : VALUE_ZERO;
    if (i->destination) {
        int64_t constant;
        if (!value_is_constant(values, all, &constant))
            return values_refuse(values, "addresses that depend on activations (a scalar register)");
        run->cluster->scalar[i->destination] = (uint16_t)constant;
        return true;
    }
    for (unsigned p = 0; p < run->trace->variant->k; p++) {
        const uint32_t own = *entry(run, p, source);
        *entry(run, p, o->result) = reduces ? all : step ? value_applied(values, step, own) : own;
    }
    return true;
}

/* ---- sequences ----------------------------------------------------------------------------------- */

static bool handle_mac(struct run *run, const struct instruction *i, const struct operands *o)
{
    for (unsigned p = 0; p < run->trace->variant->k; p++)
        multiply(run, i, o, p);
    return !run->trace->values.why->len;
}

#define X(name, number, handler) [number] = load_##handler,
static bool (*const loads[])(struct run *, const struct instruction *,
                             const struct operands *) = {HANDLED_TARGET(X)};
#undef X

static bool handle_ld(struct run *run, const struct instruction *i, const struct operands *o)
{
    return loads[i->target](run, i, o);
}

static bool handle_st(struct run *run, const struct instruction *i, const struct operands *o)
{
    (void)i;
    return !(run->packet->command & COMMAND_SHIFT_OUT) || store_results(run, o->result);
}

#define X(name, number, handler) [number] = handle_##handler,
static bool (*const handlers[])(struct run *, const struct instruction *,
                                const struct operands *) = {HANDLED_INSTRUCTION(X)};
#undef X

static bool iterate(struct run *run)
{
    const struct sequence *s = run->sequence;
    const bool macs = sequence_macs(s) > 0;
    for (uint32_t n = 0; n < run->packet->count; n++) {
        for (unsigned i = 0; i < s->instructions; i++) {
            const struct instruction *in = &s->code[i];
            struct operands o = run->operands[i];
            o.address += run->cluster->scalar[in->scalar];
            o.result = (o.result + run->cluster->scalar[in->result_scalar]) &
                       (run->trace->variant->output_queue_depth - 1);
            if (o.address >= in->wrap)
                return values_refuse(&run->trace->values, "an address outside its buffer");
            if (!handlers[in->opcode](run, in, &o))
                return false;
            operands_advance(&run->operands[i], in, run->trace->variant->output_queue_depth);
        }
        if (macs && n % s->hold == s->hold - 1 && !next_segment(run))
            return false;
    }
    return true;
}

void traced_start_operands(struct traced_cluster *c, unsigned buffer)
{
    for (unsigned i = 0; i < c->buffer[buffer].instructions; i++)
        operands_start(&c->operands[buffer][i], &c->buffer[buffer].code[i]);
}

static bool execute_buffer(struct trace *trace, struct traced_cluster *c, const struct traced_packet *packet,
                           unsigned buffer)
{
    const struct sequence *s = &c->buffer[buffer];
    if (s->restart)
        traced_start_operands(c, buffer);
    struct run run = {
        .trace = trace, .cluster = c, .sequence = s, .operands = c->operands[buffer], .packet = packet};
    return (!sequence_loads_weights(s) || take_weights(&run)) && iterate(&run);
}

static bool command_config(struct trace *trace, struct traced_cluster *c, const struct traced_packet *packet)
{
    const unsigned buffer = packet->command & 31;
    for (size_t b = 0; b < packet->bytes; b++) {
        if (!(packet->data[b] & BYTE_CONSTANT))
            return values_refuse(&trace->values, "configurations that are not in the program");
        trace->bytes[b] = (uint8_t)packet->data[b];
    }
    if (sequence_parse(&c->buffer[buffer], trace->variant, SEQUENCE_MAX, trace->bytes, packet->bytes))
        return values_refuse(&trace->values, "a configuration that cannot be read");
    c->configured[buffer] = true;
    traced_start_operands(c, buffer);
    return true;
}

static bool command_exec(struct trace *trace, struct traced_cluster *c, const struct traced_packet *packet)
{
    unsigned buffer = packet->command & 31;
    if (!execute_buffer(trace, c, packet, buffer))
        return false;
    while (c->buffer[buffer].trigger) {
        const struct traced_packet none = {.command = packet->command, .count = 1};
        buffer = c->buffer[buffer].trigger_buffer;
        if (!execute_buffer(trace, c, &none, buffer))
            return false;
    }
    return true;
}

#define X(name, number, handler) [number] = command_##handler,
static bool (*const commands[])(struct trace *, struct traced_cluster *,
                                const struct traced_packet *) = {HANDLED_COMMAND(X)};
#undef X

bool traced_execute(struct trace *trace, struct traced_cluster *c, const struct traced_packet *packet)
{
    return commands[(packet->command & COMMAND_EXEC) != 0](trace, c, packet);
}
