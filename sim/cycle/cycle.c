/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/cycle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/cycle/cluster_time.h"
#include "sim/model/cluster.h"
#include "sim/model/model.h"

/* ---- fixed delays of the hardware, in cycles -------------------------------------------------- */

#define START_DELAY 4      /* from ap_start to the first fetch */
#define DISPATCH_DELAY 2   /* an operation through the command processor */
#define LOAD_DELAY 3       /* from the last beat to the token */
#define DISTRIBUTE_DELAY 4 /* from a start on an idle distribution unit to its first beat at a cluster */
#define STORE_DELAY 3      /* from an available result to its beat on the write port */
#define END_DELAY 4        /* from the last response to the interrupt */
#define BURST_BYTES 1024   /* of the DMA */
#define FETCH_BYTES 512    /* of the command processor's prefetch */

#define ROWS_MAX 16
#define UNIT_QUEUE 2 /* packets a distribution unit holds */

enum { Q_LOAD, Q_DISTRIBUTE, Q_STORE, Q_ACCUMULATE, QUEUES };

struct queue {
    struct operation op[16];
    unsigned first, count;
};

/* An operation under way, until `finish`. */
struct active {
    bool on;
    struct operation op;
    uint64_t finish;
};

/* The load queue's DMA: bursts of one operation after another, several operations in flight. */
#define LOADS_MAX 16
struct load_engine {
    struct active in_flight[LOADS_MAX]; /* in order */
    unsigned first, count;
    unsigned plane, run; /* next run of the newest to be requested */
    uint32_t byte;
    bool requesting;
};

struct packet_time {
    unsigned slot; /* index of the distribute operation */
    uint64_t beats_left;
    bool begun;
};

struct unit {
    struct packet_time packet[UNIT_QUEUE];
    unsigned first, count;
    uint64_t not_before;
    bool was_idle;
};

/* Distribute operations that rows are still working on. */
#define DISTRIBUTES_MAX 64
struct distribute {
    bool on;
    struct operation op;
    unsigned rows_left;
};

struct store_engine {
    bool on;
    struct operation op;
    uint64_t elements, written; /* of the operation */
    uint64_t have;              /* elements taken from the collectors and not yet written */
    uint64_t groups;            /* groups of K taken so far */
    unsigned plane, run;
    uint32_t byte;
    uint64_t not_before;
};

struct collector_mode {
    bool sum_clusters, sum_rows;
    uint64_t ready; /* cycle at which partial sums from memory are there */
};

struct machine {
    struct variant variant;
    struct variant_derived derived;
    const struct cycle_options *options;
    const struct job *job;
    struct array *array;
    struct program program;
    struct job_result *result;
    uint64_t now;
    /* memory port */
    uint64_t read_free, write_free, read_busy, write_busy, last_response;
    uint64_t outstanding[256]; /* completion times of read bursts, a ring of outstanding_reads */
    unsigned outstanding_next;
    /* command processor */
    uint64_t fetched_at[4096]; /* by operation position modulo size: cycle at which it is there */
    uint32_t fetched;          /* positions below this were requested */
    struct operation pending;
    bool has_pending;
    uint64_t dispatch_free;
    struct queue queues[QUEUES];
    struct load_engine load;
    struct distribute distributes[DISTRIBUTES_MAX];
    struct unit units[ROWS_MAX];
    struct store_engine store;
    struct active stores_ending[LOADS_MAX];
    unsigned ending_first, ending_count;
    struct collector_mode mode;
    struct cluster_time *clusters;
    unsigned collector_turn[ROWS_MAX];
    bool failed, ended, no_memory;
};

struct cycle_options cycle_defaults(const struct variant *variant)
{
    return (struct cycle_options){.latency = 64,
                                  .activation_fifo = variant->activation_queue_depth,
                                  .result_fifo = variant->result_queue_depth,
                                  .balance = variant->balance == VARIANT_BALANCE_NEIGHBOUR ? BALANCE_PROGRESS
                                                                                           : BALANCE_NONE,
                                  .ring = true,
                                  .balance_threshold = 1,
                                  .limit = UINT64_C(1) << 40};
}

/* ---- memory port ----------------------------------------------------------------------------- */

static uint64_t beats_of(const struct machine *m, uint64_t offset, uint64_t bytes)
{
    uint64_t line = m->derived.memory_bytes * m->variant.memory_ports;
    assert(line);
    return (offset % line + bytes + line - 1) / line;
}

static bool read_allowed(const struct machine *m)
{
    return m->outstanding[m->outstanding_next] <= m->now;
}

/* A read burst issued now: returns the cycle of its last beat. */
static uint64_t read_burst(struct machine *m, uint64_t beats)
{
    uint64_t first = m->now + m->options->latency;
    m->read_free = (m->read_free > first ? m->read_free : first) + beats;
    m->read_busy += beats;
    m->outstanding[m->outstanding_next] = m->read_free;
    m->outstanding_next = (m->outstanding_next + 1) % m->variant.outstanding_reads;
    return m->read_free;
}

static void fail(struct machine *m, enum job_code code, enum job_queue queue, uint64_t place)
{
    m->result->code = code;
    m->result->queue = queue;
    m->result->offset = place;
    m->failed = true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool take_tokens(struct machine *m, const struct operation *op)
{
    uint8_t *tokens = m->program.tokens;
    bool twice = op->wait[0] == op->wait[1];
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN && tokens[op->wait[i]] < (twice ? 2 : 1))
            return false;
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN)
            tokens[op->wait[i]]--;
    return true;
}

static void give_tokens(struct machine *m, const struct operation *op)
{
    for (unsigned i = 0; i < 2; i++) {
        if (op->signal[i] == NO_TOKEN)
            continue;
        if (++m->program.tokens[op->signal[i]] > 15)
            fail(m, JOB_TOKEN_OVERFLOW, QUEUE_COMMAND, op->place);
    }
}

static struct operation *queue_head(struct queue *q)
{
    return q->count ? &q->op[q->first] : NULL;
}

static void queue_pop(struct queue *q)
{
    q->first = (q->first + 1) % 16;
    q->count--;
}

/* ---- load ------------------------------------------------------------------------------------ */

static void load_begin(struct machine *m)
{
    struct operation *op = queue_head(&m->queues[Q_LOAD]);
    struct load_engine *load = &m->load;
    if (!op || load->requesting || load->count == LOADS_MAX || !take_tokens(m, op))
        return;
    load->in_flight[(load->first + load->count++) % LOADS_MAX] = (struct active){.on = true, .op = *op};
    load->requesting = true;
    load->plane = load->run = load->byte = 0;
    queue_pop(&m->queues[Q_LOAD]);
}

/* One burst a cycle. */
static void load_request(struct machine *m)
{
    struct load_engine *load = &m->load;
    if (!load->requesting || !read_allowed(m))
        return;
    struct active *active = &load->in_flight[(load->first + load->count - 1) % LOADS_MAX];
    const struct pattern *p = &active->op.memory;
    uint64_t offset = p->offset +
                      (uint64_t)((int64_t)load->run * p->run_pitch + (int64_t)load->plane * p->plane_pitch) +
                      load->byte;
    uint32_t room = BURST_BYTES - (uint32_t)(offset % BURST_BYTES);
    uint32_t part = p->length - load->byte < room ? p->length - load->byte : room;
    active->finish = read_burst(m, beats_of(m, offset, part)) + LOAD_DELAY;
    load->byte += part;
    if (load->byte < p->length)
        return;
    load->byte = 0;
    if (++load->run < p->runs)
        return;
    load->run = 0;
    load->requesting = ++load->plane < p->planes;
}

static void load_finish(struct machine *m)
{
    struct load_engine *load = &m->load;
    if (!load->count || (load->requesting && load->count == 1))
        return;
    struct active *active = &load->in_flight[load->first];
    if (active->finish > m->now)
        return;
    if (array_load(m->array, &active->op, m->job, m->result))
        m->failed = true;
    else
        give_tokens(m, &active->op);
    load->first = (load->first + 1) % LOADS_MAX;
    load->count--;
}

/* ---- distribution ---------------------------------------------------------------------------- */

static void distribute_begin(struct machine *m)
{
    struct operation *op = queue_head(&m->queues[Q_DISTRIBUTE]);
    if (!op)
        return;
    unsigned slot = 0;
    while (slot < DISTRIBUTES_MAX && m->distributes[slot].on)
        slot++;
    for (unsigned r = 0; r < m->variant.n; r++)
        if ((op->rows >> r & 1) && m->units[r].count == UNIT_QUEUE)
            return;
    if (slot == DISTRIBUTES_MAX || !take_tokens(m, op))
        return;
    m->distributes[slot] = (struct distribute){.on = true, .op = *op};
    if (op->dispatch) /* to the first one, as the functional array does */
        m->distributes[slot].op.clusters &= (uint16_t)-op->clusters;
    uint64_t beats = pattern_bytes(&op->memory) / m->derived.bus_bytes;
    for (unsigned r = 0; r < m->variant.n; r++) {
        if (!(op->rows >> r & 1))
            continue;
        struct unit *unit = &m->units[r];
        if (!unit->count)
            unit->not_before = m->now + DISTRIBUTE_DELAY;
        unit->packet[(unit->first + unit->count++) % UNIT_QUEUE] =
            (struct packet_time){.slot = slot, .beats_left = beats};
        m->distributes[slot].rows_left++;
    }
    queue_pop(&m->queues[Q_DISTRIBUTE]);
}

/* What cluster c of the row does with the packet; NULL: it is configured. */
static const struct sequence *sequence_of(const struct machine *m, unsigned row, unsigned c,
                                          const struct operation *op)
{
    return op->command & 0x80 ? array_sequence(m->array, row, c, op->command & 31) : NULL;
}

static bool targets_have_room(const struct machine *m, unsigned row, const struct operation *op)
{
    for (unsigned c = 0; c < m->variant.m; c++)
        if ((op->clusters >> c & 1) &&
            !cluster_time_has_room(&m->clusters[row * m->variant.m + c], sequence_of(m, row, c, op)))
            return false;
    return true;
}

/* The packet's first beat: its effects happen, and each cluster learns what there is to do. */
static void packet_begin(struct machine *m, unsigned row, const struct operation *op)
{
    struct operation one = *op;
    one.rows = (uint16_t)(1u << row);
    struct work_sink sink = cluster_time_sink(m->clusters);
    if (array_distribute(m->array, &one, &sink, m->result)) {
        m->failed = true;
        return;
    }
    for (unsigned c = 0; c < m->variant.m; c++) {
        struct cluster_time *cluster = &m->clusters[row * m->variant.m + c];
        if (!(op->command & COMMAND_EXEC) && (op->clusters >> c & 1))
            cluster_time_configure(cluster, pattern_bytes(&op->memory));
        m->no_memory = m->no_memory || cluster->failed;
    }
    m->failed = m->failed || m->no_memory;
}

/* The parser takes a configuration as it comes. */
static bool beat_accepted(const struct machine *m, unsigned row, const struct operation *op)
{
    for (unsigned c = 0; c < m->variant.m; c++) {
        const struct sequence *s = op->clusters >> c & 1 ? sequence_of(m, row, c, op) : NULL;
        if (s && !cluster_time_accepts(&m->clusters[row * m->variant.m + c], packet_kind_of(s)))
            return false;
    }
    return true;
}

static void take_beat(struct machine *m, unsigned row, const struct operation *op, bool last)
{
    for (unsigned c = 0; c < m->variant.m; c++) {
        const struct sequence *s = op->clusters >> c & 1 ? sequence_of(m, row, c, op) : NULL;
        if (s)
            cluster_time_take(&m->clusters[row * m->variant.m + c], packet_kind_of(s), last);
    }
}

static void distribute_done(struct machine *m, struct distribute *d)
{
    if (--d->rows_left)
        return;
    d->on = false;
    give_tokens(m, &d->op);
}

static void unit_step(struct machine *m, unsigned row)
{
    struct unit *unit = &m->units[row];
    if (!unit->count || m->now < unit->not_before)
        return;
    struct packet_time *packet = &unit->packet[unit->first];
    struct distribute *d = &m->distributes[packet->slot];
    if (!packet->begun) {
        if (!targets_have_room(m, row, &d->op))
            return;
        packet_begin(m, row, &d->op);
        packet->begun = true;
        if (m->failed)
            return;
    }
    if (packet->beats_left) {
        if (!beat_accepted(m, row, &d->op))
            return;
        take_beat(m, row, &d->op, --packet->beats_left == 0);
    }
    if (packet->beats_left)
        return;
    unit->first = (unit->first + 1) % UNIT_QUEUE;
    unit->count--;
    distribute_done(m, d);
}

/* ---- collectors and store -------------------------------------------------------------------- */

/* One beat a cycle a row, from the clusters in turn. */
static void collector_step(struct machine *m, unsigned row)
{
    for (unsigned i = 0; i < m->variant.m; i++) {
        unsigned c = (m->collector_turn[row] + i) % m->variant.m;
        struct cluster_time *cluster = &m->clusters[row * m->variant.m + c];
        if (!cluster_time_has_result(cluster))
            continue;
        cluster_time_take_result(cluster);
        m->collector_turn[row] = (c + 1) % m->variant.m;
        return;
    }
}

static unsigned streams_of(const struct machine *m, const struct operation *op)
{
    const struct collector_mode *mode = &m->mode;
    unsigned clusters = mode->sum_clusters ? 1 : (unsigned)__builtin_popcount(op->clusters);
    unsigned rows = mode->sum_rows ? 1 : (unsigned)__builtin_popcount(op->rows);
    return clusters * rows;
}

static unsigned nth_bit(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctz(mask);
}

/* The clusters whose groups make the next group of a store; takes them when all are there. */
static bool take_group(struct machine *m, const struct operation *op, unsigned stream)
{
    const struct collector_mode *mode = &m->mode;
    unsigned per_row = mode->sum_clusters ? 1 : (unsigned)__builtin_popcount(op->clusters);
    unsigned rows = mode->sum_rows ? op->rows : 1u << nth_bit(op->rows, stream / per_row);
    unsigned clusters = mode->sum_clusters ? op->clusters : 1u << nth_bit(op->clusters, stream % per_row);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned r = 0; r < m->variant.n; r++)
            for (unsigned c = 0; c < m->variant.m; c++) {
                if (!(rows >> r & 1) || !(clusters >> c & 1))
                    continue;
                struct cluster_time *cluster = &m->clusters[r * m->variant.m + c];
                if (pass)
                    cluster->result_groups--;
                else if (!cluster->result_groups)
                    return false;
            }
    return true;
}

static void store_begin(struct machine *m)
{
    struct operation *op = queue_head(&m->queues[Q_STORE]);
    struct store_engine *store = &m->store;
    if (!op || store->on || m->ending_count == LOADS_MAX || m->mode.ready > m->now || !take_tokens(m, op))
        return;
    *store = (struct store_engine){.on = true, .op = *op, .not_before = m->now + STORE_DELAY};
    store->elements = pattern_bytes(&op->memory) >> op->element;
    queue_pop(&m->queues[Q_STORE]);
}

/* One write beat a cycle: up to a memory line, a run's end, or as many results as there are. */
static void store_step(struct machine *m)
{
    struct store_engine *s = &m->store;
    if (!s->on || m->now < s->not_before)
        return;
    const struct pattern *p = &s->op.memory;
    unsigned line = m->derived.memory_bytes, streams = streams_of(m, &s->op);
    uint64_t offset =
        p->offset + (uint64_t)((int64_t)s->run * p->run_pitch + (int64_t)s->plane * p->plane_pitch) + s->byte;
    uint32_t room = line - (uint32_t)(offset % line);
    uint32_t part = p->length - s->byte < room ? p->length - s->byte : room;
    uint64_t want = part >> s->op.element;
    uint64_t per_stream = s->elements / streams / m->variant.k;
    while (s->have < want) {
        unsigned stream = s->op.interleave || !per_stream ? (unsigned)(s->groups % streams)
                                                          : (unsigned)(s->groups / per_stream % streams);
        if (!take_group(m, &s->op, stream)) {
            m->result->stall_store++;
            return;
        }
        s->groups++;
        s->have += m->variant.k;
    }
    s->have -= want;
    s->written += want;
    m->write_busy++;
    s->byte += part;
    if (s->byte == p->length) {
        s->byte = 0;
        if (++s->run == p->runs) {
            s->run = 0;
            s->plane++;
        }
    }
    if (s->written < s->elements)
        return;
    s->on = false;
    m->stores_ending[(m->ending_first + m->ending_count++) % LOADS_MAX] =
        (struct active){.on = true, .op = s->op, .finish = m->now + m->options->latency};
}

static void store_finish(struct machine *m)
{
    if (!m->ending_count || m->stores_ending[m->ending_first].finish > m->now)
        return;
    const struct operation *op = &m->stores_ending[m->ending_first].op;
    if (array_store(m->array, op, m->job, m->result))
        m->failed = true;
    else
        give_tokens(m, op);
    m->ending_first = (m->ending_first + 1) % LOADS_MAX;
    m->ending_count--;
}

/* Set up in the order of the stores: waits until those before are through. */
static void accumulate_step(struct machine *m)
{
    struct operation *op = queue_head(&m->queues[Q_ACCUMULATE]);
    if (!op || m->store.on || m->ending_count || !take_tokens(m, op))
        return;
    if (array_accumulate(m->array, op, m->job, m->result)) {
        m->failed = true;
        return;
    }
    m->mode = (struct collector_mode){.sum_clusters = op->sum_clusters, .sum_rows = op->sum_rows};
    if (op->source)
        m->mode.ready = read_burst(m, beats_of(m, op->memory.offset, pattern_bytes(&op->memory)));
    give_tokens(m, op);
    queue_pop(&m->queues[Q_ACCUMULATE]);
}

/* ---- command processor ----------------------------------------------------------------------- */

/* Keeps the program buffer filled: position p of the program (0 is the header) is in line p / per_fetch. */
static void fetch_step(struct machine *m)
{
    uint32_t per_fetch = FETCH_BYTES / ISA_OPERATION_BYTES;
    uint32_t total = m->program.operations + 1;
    if (m->fetched >= total || m->fetched + per_fetch > m->program.next + m->variant.program_buffer ||
        !read_allowed(m))
        return;
    uint32_t count = total - m->fetched < per_fetch ? total - m->fetched : per_fetch;
    uint64_t there = read_burst(m, beats_of(m, 0, (uint64_t)count * ISA_OPERATION_BYTES));
    m->result->bytes_read += (uint64_t)count * ISA_OPERATION_BYTES;
    for (uint32_t i = 0; i < count; i++)
        m->fetched_at[(m->fetched + i) % 4096] =
            there -
            (count - 1 - i) * ISA_OPERATION_BYTES / (m->derived.memory_bytes * m->variant.memory_ports);
    m->fetched += count;
}

static bool machine_idle(const struct machine *m)
{
    for (unsigned q = 0; q < QUEUES; q++)
        if (m->queues[q].count)
            return false;
    if (m->load.count || m->store.on || m->ending_count)
        return false;
    for (unsigned r = 0; r < m->variant.n; r++)
        if (m->units[r].count)
            return false;
    for (unsigned c = 0; c < m->variant.n * m->variant.m; c++)
        if (!cluster_time_idle(&m->clusters[c]))
            return false;
    return true;
}

static struct queue *queue_for(struct machine *m, const struct operation *op)
{
    switch (op->code) {
    case OP_LOAD:
        return &m->queues[Q_LOAD];
    case OP_DISTRIBUTE:
        return &m->queues[Q_DISTRIBUTE];
    case OP_STORE:
        return &m->queues[Q_STORE];
    default:
        return &m->queues[Q_ACCUMULATE];
    }
}

static void dispatch_step(struct machine *m)
{
    if (!m->has_pending) {
        if (m->now < m->dispatch_free || m->program.next >= m->fetched ||
            m->fetched_at[m->program.next % 4096] > m->now)
            return;
        if (program_next(&m->program, &m->pending, m->result)) {
            m->failed = true;
            return;
        }
        m->has_pending = true;
        m->dispatch_free = m->now + DISPATCH_DELAY;
        return;
    }
    if (m->pending.code == OP_END || m->pending.code == OP_FENCE) {
        if (!machine_idle(m))
            return;
        m->ended = m->pending.code == OP_END;
    } else {
        struct queue *queue = queue_for(m, &m->pending);
        if (queue->count == m->variant.command_queue_depth)
            return;
        queue->op[(queue->first + queue->count++) % 16] = m->pending;
    }
    m->has_pending = false;
}

/* ---- the clock ------------------------------------------------------------------------------- */

static void machine_step(struct machine *m)
{
    load_finish(m);
    load_request(m);
    load_begin(m);
    fetch_step(m);
    for (unsigned r = 0; r < m->variant.n; r++)
        unit_step(m, r);
    distribute_begin(m);
    for (unsigned c = 0; c < m->variant.n * m->variant.m; c++)
        cluster_time_step(&m->clusters[c]);
    for (unsigned r = 0; r < m->variant.n; r++)
        collector_step(m, r);
    store_finish(m);
    store_step(m);
    store_begin(m);
    accumulate_step(m);
    dispatch_step(m);
}

static void finish(struct machine *m)
{
    uint64_t record = beats_of(m, 0, ISA_STATUS_BYTES);
    m->write_busy += record;
    m->now += record + m->options->latency + END_DELAY;
    m->result->bytes_written += ISA_STATUS_BYTES;
    m->result->cycles = m->now;
    array_counters(m->array, m->result);
}

static bool machine_init(struct machine *m, const struct variant *variant,
                         const struct cycle_options *options, const struct job *job,
                         struct job_result *result)
{
    *m = (struct machine){.variant = *variant, .options = options, .job = job, .result = result};
    variant_derive(&m->variant, &m->derived);
    unsigned count = variant->n * variant->m;
    m->array = array_new(variant);
    m->clusters = calloc(count, sizeof *m->clusters);
    if (!m->array || !m->clusters)
        return false;
    for (unsigned c = 0; c < count; c++)
        if (!cluster_time_init(&m->clusters[c], &m->variant, &m->derived, options))
            return false;
    return true;
}

static void report_fill(const struct machine *m, struct cycle_report *report)
{
    report->read_busy = m->read_busy;
    report->write_busy = m->write_busy;
    report->pes = m->derived.pes;
    for (unsigned i = 0; i < report->pes; i++) {
        const struct pe *pe = &m->clusters[i / m->variant.k].pes.pe[i % m->variant.k];
        report->pe_busy[i] = pe->busy;
        report->result.moved += pe->moved;
        report->result.stall_output += pe->stall_output;
        report->result.stall_weights += pe->stall_weights;
    }
}

static void machine_free(struct machine *m)
{
    for (unsigned c = 0; m->clusters && c < m->variant.n * m->variant.m; c++)
        cluster_time_free(&m->clusters[c]);
    free(m->clusters);
    array_free(m->array);
    free(m);
}

static void machine_run(struct machine *m)
{
    const struct job *job = m->job;
    uint64_t hash = model_variant_hash(&m->variant);
    m->now = START_DELAY;
    if (program_open(&m->program, &m->variant, hash, job->slots[SLOT_PROGRAM].bytes,
                     job->slots[SLOT_PROGRAM].size, m->result))
        m->failed = true;
    while (!m->failed && !m->ended) {
        machine_step(m);
        if (++m->now > m->options->limit)
            fail(m, JOB_WATCHDOG, QUEUE_COMMAND, (uint64_t)m->program.next * ISA_OPERATION_BYTES);
    }
    finish(m);
}

bool cycle_run(const struct variant *variant, const struct cycle_options *options, const struct job *job,
               struct cycle_report *report)
{
    *report = (struct cycle_report){0};
    struct machine *m = calloc(1, sizeof *m);
    report->pe_busy = calloc((size_t)variant->n * variant->m * variant->k, sizeof *report->pe_busy);
    bool ok = m && report->pe_busy && machine_init(m, variant, options, job, &report->result);
    if (ok) {
        machine_run(m);
        ok = !m->no_memory;
        report_fill(m, report);
        if (job->slots[SLOT_STATUS].size >= ISA_STATUS_BYTES)
            job_write_status(&report->result, job->number, job->slots[SLOT_STATUS].bytes);
    }
    if (m)
        machine_free(m);
    return ok;
}

void cycle_report_free(struct cycle_report *report)
{
    free(report->pe_busy);
    *report = (struct cycle_report){0};
}
