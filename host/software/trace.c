/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/handlers.h"
#include "host/software/trace_unit.h"
#include "sim/model/model.h"
#include "sim/model/plain_packet.h"

/* ---- memory -------------------------------------------------------------------------------------- */

void trace_read(struct trace *t, unsigned slot, uint64_t offset, uint64_t bytes, byte_ref *to)
{
    const uint64_t *written = t->written[slot];
    const bool bank = slot == SLOT_BANK && !t->stages, /* it begins as zeros */
        is_constant = slot != SLOT_BANK && t->of->constant[slot];
    for (uint64_t i = 0; i < bytes; i++, offset++)
        to[i] = written && written[offset] ? byte_of(BYTE_RESULTS, written[offset] - 8)
                : bank                     ? BYTE_CONSTANT
                : is_constant              ? BYTE_CONSTANT | t->of->job.slots[slot].bytes[offset]
                                           : byte_of(slot, offset);
}

/* A result that was stored, read again as it is in memory. */
static bool read_result(struct trace *t, uint64_t number, struct flow_kind kind, struct traced_element *to)
{
    struct flow_result again = t->flow->results[number];
    const struct flow_finish *finish = &t->flow->finishes[again.finish];
    if (num_element_bytes((enum num_element)finish->element) != kind.bytes)
        return values_refuse(&t->values, "results that are read again in parts");
    if (!kind.zero && !kind.no_sign && t->stored[number] != UINT32_MAX) {
        to->sum = t->stored[number];
        return true;
    }
    const uint64_t offset = 8 * t->flow->temps++;
    again.to = flow_ref_of(flow_kind(t->flow, kind), FLOW_TEMPS, offset);
    flow_put(t->flow, &again);
    to->ref = again.to;
    return !t->flow->no_memory;
}

bool trace_element(struct trace *t, const byte_ref *bytes, struct flow_kind kind, struct traced_element *to)
{
    uint64_t value = 0;
    unsigned constants = 0, beside = 0, stale = 0;
    *to = (struct traced_element){.sum = UINT32_MAX};
    assert(kind.bytes);
    for (unsigned i = 0; i < kind.bytes; i++) {
        constants += (bytes[i] & BYTE_CONSTANT) != 0;
        beside += bytes[i] == bytes[0] + i;
        stale += (bytes[i] & BYTE_STALE) != 0;
        value |= (bytes[i] & 255) << (8 * i);
    }
    if (constants == kind.bytes) {
        to->constant = true;
        to->value = (kind.no_sign ? (int64_t)value : num_wrap((int64_t)value, 8 * kind.bytes)) - kind.zero;
        return true;
    }
    if (stale) {
        to->ref = SOURCE_STALE;
        return true;
    }
    if (constants || beside != kind.bytes)
        return values_refuse(&t->values, "numbers whose bytes come from several places");
    const uint64_t offset = bytes[0] & ((UINT64_C(1) << FLOW_OFFSET_BITS) - 1);
    const unsigned space = (unsigned)(bytes[0] >> FLOW_OFFSET_BITS);
    if (space == BYTE_RESULTS)
        return offset % 8 ? values_refuse(&t->values, "results that are read again in parts")
                          : read_result(t, offset / 8, kind, to);
    to->ref = flow_ref_of(flow_kind(t->flow, kind), space, offset);
    return !t->flow->no_memory || values_refuse(&t->values, "too many kinds of elements");
}

/* ---- storage units ------------------------------------------------------------------------------- */

static void unit_write(struct trace *t, unsigned row, uint64_t address, const byte_ref *from, size_t bytes)
{
    byte_ref *unit = t->units + (size_t)row * t->variant->unit_bytes;
    for (size_t i = 0; i < bytes; i++)
        unit[(address + i) & (t->variant->unit_bytes - 1)] = from[i];
}

static bool trace_load(struct trace *t, const struct operation *op)
{
    const struct pattern *p = &op->memory;
    uint64_t address = op->unit_address;
    byte_ref *run = malloc((size_t)p->length * sizeof *run);
    t->flow->no_memory |= !run;
    for (unsigned plane = 0; run && plane < p->planes; plane++)
        for (unsigned r = 0; r < p->runs; r++, address += p->length) {
            if (!op->zero)
                trace_read(t, p->slot, program_run_offset(p, plane, r), p->length, run);
            for (uint32_t i = 0; op->zero && i < p->length; i++)
                run[i] = BYTE_CONSTANT | program_fill_byte(t->variant, op->fill, i);
            for (unsigned row = 0; row < t->variant->n; row++)
                if (op->rows >> row & 1)
                    unit_write(t, row, address, run, p->length);
        }
    free(run);
    return run;
}

static void gather(struct trace *t, unsigned row, const struct operation *op)
{
    const byte_ref *unit = t->units + (size_t)row * t->variant->unit_bytes;
    const struct pattern *p = &op->memory;
    for (unsigned r = 0; r < p->runs; r++)
        for (uint32_t i = 0; i < p->length; i++)
            t->packet[(size_t)r * p->length + i] =
                unit[(uint64_t)((int64_t)op->unit_address + (int64_t)r * p->run_pitch + i) &
                     (t->variant->unit_bytes - 1)];
}

bool trace_constant(const struct trace *t, byte_ref from, uint8_t *byte)
{
    const unsigned space = (unsigned)(from >> FLOW_OFFSET_BITS);
    *byte = (uint8_t)from;
    return (from & BYTE_CONSTANT) ||
           (t->stages && !(from & BYTE_STALE) && space < JOB_SLOTS &&
            t->stages->constant(t->stages->context, space, from & ((UINT64_C(1) << FLOW_OFFSET_BITS) - 1),
                                byte));
}

/* Masks say where weights are, so they must be known. */
static bool expand_bitmap(struct trace *t, const struct plain_packet *packet, size_t count)
{
    uint8_t *bytes = t->bytes, *entries = t->bytes + count;
    for (size_t i = 0; i < count; i++)
        if (!trace_constant(t, t->packet[i], &bytes[i]))
            return values_refuse(&t->values, "masks that are not in the program or in its packed weights");
    plain_packet_expand(packet, bytes, count, entries);
    for (size_t i = 0; i < 2 * count; i++)
        t->plain[i] = BYTE_CONSTANT | entries[i];
    return true;
}

/* The same as on the row bus; NULL: refused. */
static const byte_ref *packet_data(struct trace *t, unsigned row, const struct operation *op)
{
    gather(t, row, op);
    if (!op->plain)
        return t->packet;
    const struct plain_packet plain = plain_packet_of(t->variant, op);
    if (op->bitmap)
        return expand_bitmap(t, &plain, program_pattern_bytes(&op->memory)) ? t->plain : NULL;
    for (size_t i = 0, from; i < program_packet_bytes(op); i++) {
        const uint8_t own = plain_packet_byte(&plain, i, &from);
        t->plain[i] = from == PLAIN_PACKET_OWN ? BYTE_CONSTANT | own : t->packet[from];
    }
    return t->plain;
}

static bool trace_distribute(struct trace *t, const struct operation *op)
{
    struct traced_packet packet = {.command = op->command,
                                   .scatter = op->scatter,
                                   .count = op->count,
                                   .bytes = program_packet_bytes(op)};
    for (unsigned r = 0; r < t->variant->n; r++) {
        if (!(op->rows >> r & 1))
            continue;
        packet.data = packet_data(t, r, op);
        if (!packet.data)
            return false;
        for (unsigned c = 0; c < t->variant->m; c++) {
            if (!(op->clusters >> c & 1))
                continue;
            if (!traced_execute(t, &t->clusters[r * t->variant->m + c], &packet))
                return false;
            if (op->dispatch)
                break; /* without time, the first is the least loaded */
        }
    }
    return true;
}

/* ---- operations ---------------------------------------------------------------------------------- */

static bool trace_walked(struct trace *t, const struct operation *op)
{
    (void)op;
    return values_refuse(&t->values, "an operation that reaches no queue");
}

#define X(name, number, handler) [number] = trace_##handler,
static bool (*const handlers[])(struct trace *, const struct operation *) = {HANDLED_OPCODE(X)};
#undef X

static enum job_code execute(void *context, const struct operation *op, struct job_result *result)
{
    struct trace *t = context;
    if (handlers[op->code](t, op) && !t->flow->no_memory)
        return JOB_OK;
    result->code = JOB_NO_FEATURE;
    result->offset = op->place;
    return JOB_NO_FEATURE;
}

static bool store_ready(const void *context, const struct operation *op)
{
    const struct trace *t = context;
    const unsigned clusters = t->sum_clusters ? 1 : (unsigned)__builtin_popcount(op->clusters),
                   rows = t->sum_rows ? 1 : (unsigned)__builtin_popcount(op->rows);
    const uint64_t elements =
        program_pattern_bytes(&op->memory) / num_element_bytes((enum num_element)op->element);
    const bool alone = t->finish.joining.alone || t->finish.elements;
    for (unsigned i = 0; i < t->count && !alone; i++) {
        const struct traced_cluster *c = &t->clusters[i];
        if ((op->rows >> (i / t->variant->m) & 1) && (op->clusters >> (i % t->variant->m) & 1) &&
            c->results.end - c->results.begin < elements / (clusters * rows))
            return false;
    }
    return true;
}

/* ---- programs ------------------------------------------------------------------------------------ */

/* Runs the functional model with copies of what may be written: what it refuses is refused here. */
static bool model_accepts(const struct trace_job *job, struct strbuf *why)
{
    struct job copy = job->job;
    uint8_t *own[ISA_SLOTS] = {NULL}, record[ISA_STATUS_BYTES];
    struct model *model = model_new(job->variant);
    struct job_result result = {.code = JOB_OK};
    bool room = model;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        if (job->constant[s])
            continue;
        own[s] = calloc(1, copy.slots[s].size + 1);
        copy.slots[s].bytes = own[s];
        room = room && own[s];
    }
    copy.slots[SLOT_STATUS].bytes = record;
    copy.slots[SLOT_STATUS].size = sizeof record;
    if (room)
        model_run(model, &copy, &result);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        free(own[s]);
    model_free(model);
    if (!room)
        sb_add(why, "out of memory");
    else if (result.code)
        sb_addf(why, "the device refuses the program with %s, at %llu", job_code_name(result.code),
                (unsigned long long)result.offset);
    return room && !result.code;
}

static bool cluster_begin(struct traced_cluster *c, const struct variant *v)
{
    const size_t inputs = (size_t)v->k * v->input_buffer_depth;
    c->input = malloc(inputs * sizeof *c->input);
    c->output = calloc((size_t)v->k * v->output_queue_depth, sizeof *c->output);
    for (size_t i = 0; c->input && i < inputs; i++)
        c->input[i] = source_constant(0);
    return c->input && c->output;
}

static bool begin(struct trace *t)
{
    const struct variant *v = t->variant;
    const size_t unit = (size_t)v->n * v->unit_bytes;
    t->count = v->n * v->m;
    t->units = malloc(unit * sizeof *t->units);
    t->packet = malloc(v->unit_bytes * sizeof *t->packet);
    t->plain = malloc(2 * v->unit_bytes * sizeof *t->plain);
    t->bytes = malloc(3 * (size_t)v->unit_bytes);
    t->clusters = calloc(t->count, sizeof *t->clusters);
    t->channels = calloc((size_t)v->channel_groups * v->k + 1, sizeof *t->channels);
    bool ok = t->units && t->packet && t->plain && t->bytes && t->clusters && t->channels;
    for (size_t i = 0; ok && i < unit; i++)
        t->units[i] = BYTE_CONSTANT;
    for (unsigned c = 0; ok && c < t->count; c++)
        ok = cluster_begin(&t->clusters[c], v);
    for (unsigned s = SLOT_OUTPUT; ok && s <= SLOT_SCRATCH; s += SLOT_SCRATCH - SLOT_OUTPUT) {
        t->written[s] = calloc(t->of->job.slots[s].size + 1, sizeof *t->written[s]);
        ok = t->written[s];
    }
    t->written[SLOT_BANK] = calloc((size_t)v->local_bytes + 1, sizeof *t->written[SLOT_BANK]);
    ok = ok && t->written[SLOT_BANK];
    return ok;
}

static void end(struct trace *t)
{
    for (unsigned c = 0; t->clusters && c < t->count; c++) {
        for (unsigned p = 0; p < PES_MAX; p++)
            lane_free(&t->clusters[c].lanes[p]);
        free(t->clusters[c].input);
        free(t->clusters[c].output);
        free(t->clusters[c].results.value);
    }
    for (unsigned s = 0; s < JOB_SLOTS; s++)
        free(t->written[s]);
    values_free(&t->values);
    free(t->clusters);
    free(t->channels);
    free(t->units);
    free(t->packet);
    free(t->plain);
    free(t->bytes);
    free(t->stored);
    free(t->row);
}

/* Results that later ones overwrite are not there in the end, nor is what is in the activation bank when the
 * program is over. */
static void drop_overwritten(struct trace *t)
{
    struct flow *f = t->flow;
    size_t kept = 0;
    for (size_t i = 0; i < f->result_count; i++) {
        const unsigned space = flow_space(f->results[i].to);
        if (space == SLOT_BANK && !t->stages)
            continue;
        if (space == FLOW_TEMPS || t->written[space][flow_offset(f->results[i].to)] == 8 * (i + 1))
            f->results[kept++] = f->results[i];
    }
    f->result_count = kept;
}

/* ---- stages -------------------------------------------------------------------------------------- */

static void begin_flow(const struct trace_job *job, struct flow *flow)
{
    *flow = (struct flow){.data_width = job->variant->data_width};
    for (unsigned i = 0; i < ISA_SLOTS; i++)
        flow->size[i] = job->job.slots[i].size;
}

static uint32_t left_of(uint32_t value)
{
    return value == VALUE_ZERO ? VALUE_ZERO : VALUE_LEFT;
}

/* What the array holds of activations is of no use for the next stage. */
static void leave_cluster(const struct trace *t, struct traced_cluster *c)
{
    const struct variant *v = t->variant;
    for (size_t i = 0; i < (size_t)v->k * v->input_buffer_depth; i++)
        c->input[i] = c->input[i] & SOURCE_CONSTANT ? c->input[i] : SOURCE_STALE;
    for (size_t i = 0; i < (size_t)v->k * v->output_queue_depth; i++)
        c->output[i] = left_of(c->output[i]);
    for (size_t i = c->results.begin; i < c->results.end; i++)
        c->results.value[i] = left_of(c->results.value[i]);
    for (unsigned p = 0; p < v->k; p++)
        for (unsigned a = 0; a < ACCUMULATORS; a++)
            c->acc[p][a] = left_of(c->acc[p][a]);
}

static void leave_array(struct trace *t)
{
    for (size_t i = 0; i < (size_t)t->variant->n * t->variant->unit_bytes; i++)
        t->units[i] = t->units[i] & BYTE_CONSTANT ? t->units[i] : BYTE_STALE;
    for (unsigned c = 0; c < t->count; c++)
        leave_cluster(t, &t->clusters[c]);
}

static bool end_stage(struct trace *t)
{
    static const unsigned slots[] = {SLOT_OUTPUT, SLOT_SCRATCH, SLOT_BANK};
    drop_overwritten(t);
    if (t->flow->no_memory || !t->stages->take(t->stages->context, t->flow, t->values.why))
        return false;
    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++) {
        const uint64_t size =
            slots[i] == SLOT_BANK ? t->variant->local_bytes : t->of->job.slots[slots[i]].size;
        memset(t->written[slots[i]], 0, size * sizeof *t->written[slots[i]]);
    }
    leave_array(t);
    flow_free(t->flow);
    begin_flow(t->of, t->flow);
    return values_restart(&t->values);
}

static enum job_code fence(void *context, struct job_result *result)
{
    struct trace *t = context;
    result->code = !t->stages || end_stage(t) ? JOB_OK : JOB_NO_FEATURE;
    return result->code;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static bool trace(const struct trace_job *job, const struct trace_stages *stages, struct flow *flow,
                  struct strbuf *why)
{
    begin_flow(job, flow);
    struct trace t = {.of = job, .stages = stages, .variant = job->variant, .flow = flow};
    const struct model_engine engine = {
        .context = &t, .execute = execute, .store_ready = store_ready, .fence = fence};
    struct job_result result = {.code = JOB_OK};
    if (!model_accepts(job, why))
        return false;
    variant_derive(t.variant, &t.derived);
    flow->no_memory = !begin(&t);
    if (!flow->no_memory && values_begin(&t.values, flow, t.variant->acc_width, why))
        model_walk(job->variant, &job->job, &engine, &result);
    if (!flow->no_memory && !result.code && stages)
        end_stage(&t);
    else if (!flow->no_memory && !result.code)
        drop_overwritten(&t);
    end(&t);
    if (flow->no_memory && !why->len)
        sb_add(why, "out of memory");
    else if (result.code && !why->len)
        sb_addf(why, "the program ends with %s", job_code_name(result.code));
    else if (why->len && result.offset)
        sb_addf(why, ", by the operation at byte %llu", (unsigned long long)result.offset);
    return !why->len;
}

bool trace_program(const struct trace_job *job, struct flow *flow, struct strbuf *why)
{
    return trace(job, NULL, flow, why);
}

bool trace_stages(const struct trace_job *job, const struct trace_stages *to, struct strbuf *why)
{
    struct flow flow;
    const bool ok = trace(job, to, &flow, why);
    flow_free(&flow);
    return ok;
}
