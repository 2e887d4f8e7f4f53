/* SPDX-License-Identifier: Apache-2.0
 *
 * A job on the cycle model: the memory port, the clock, and how a job begins
 * and ends.
 */
#include "sim/cycle/cycle.h"

#include <assert.h>
#include <stdlib.h>

#include "gen/base/math.h"
#include "sim/cycle/machine.h"
#include "sim/cycle/pe_together.h"
#include "sim/model/model.h"

/* From when everything but responses is over (rtl/tulle_control.v, tulle_status_record.v). */
#define RECORD_DELAY 7 /* to the last beat of the status record, beside its words */
#define END_DELAY 1    /* from its response to the interrupt */
#define HAND_DELAY 5   /* from the same to when the array is the next job's, words aside */

struct cycle_options cycle_defaults(const struct variant *variant)
{
    return (struct cycle_options){.latency = 64,
                                  .beats = 1,
                                  .bandwidth_cycles = 1,
                                  .activation_fifo = variant->activation_queue_depth,
                                  .result_fifo = variant->result_queue_depth,
                                  .balance = variant->balance == VARIANT_BALANCE_NEIGHBOUR ? BALANCE_PROGRESS
                                                                                           : BALANCE_NONE,
                                  .ring = true,
                                  .balance_threshold = 1,
                                  .limit = UINT64_C(1) << 40};
}

static void tell(const struct machine *m, enum cycle_event_kind kind, uint64_t cycle, uint64_t count)
{
    const struct cycle_probe *probe = m->options->probe;
    probe->event(probe->context, &(struct cycle_event){.kind = kind, .cycle = cycle, .count = count});
}

/* Cycles that memory takes for so many beats of a direction. */
static uint64_t memory_cycles(const struct machine *m, uint64_t beats)
{
    return math_divide_up(beats * m->options->bandwidth_cycles, m->options->beats);
}

bool machine_write_allowed(const struct machine *m)
{
    return m->next_write <= m->now;
}

void machine_write_beat(struct machine *m)
{
    m->write_busy++;
    m->next_write = m->now + memory_cycles(m, 1);
    if (m->options->probe)
        tell(m, CYCLE_WRITE, m->now, 1);
}

/* ---- memory ports ---------------------------------------------------------------------------- */

uint64_t machine_beats_of(const struct machine *m, uint64_t offset, uint64_t bytes)
{
    uint64_t line = m->derived.memory_bytes;
    assert(line);
    return math_divide_up(offset % line + bytes, line);
}

/* An address a cycle. */
bool machine_read_allowed(const struct machine *m, unsigned port)
{
    const struct read_port *p = &m->port[port];
    return p->outstanding[p->outstanding_next] <= m->now && p->next_address <= m->now;
}

uint64_t machine_read_burst(struct machine *m, unsigned port, uint64_t beats)
{
    struct read_port *p = &m->port[port];
    uint64_t first = m->now + m->options->latency;
    first = p->free > first ? p->free : first;
    first = p->next_beat > first ? p->next_beat : first;
    p->next_beat = first + memory_cycles(m, beats);
    p->free = first + memory_cycles(m, beats - 1) + 1;
    if (m->options->probe)
        tell(m, CYCLE_READ, first, beats);
    p->busy += beats;
    p->next_address = m->now + 1;
    p->outstanding[p->outstanding_next] = p->free;
    p->outstanding_next = (p->outstanding_next + 1) % m->variant.outstanding_reads;
    return p->free;
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* All packets were sent. */
bool machine_spread(const struct machine *m)
{
    for (unsigned r = 0; r < m->variant.n; r++)
        if (m->units[r].count)
            return false;
    return !m->distribute_count;
}

/* All results are taken, but not yet written. */
bool machine_calm(const struct machine *m)
{
    if (m->load_count || m->store.taken < m->store.count || !machine_spread(m))
        return false;
    for (unsigned c = 0; c < m->variant.n * m->variant.m; c++)
        if (!cluster_time_idle(&m->clusters[c]))
            return false;
    return true;
}

bool machine_idle(const struct machine *m)
{
    return machine_calm(m) && !m->store.count;
}

static void tell_busy(const struct machine *m)
{
    const struct cycle_probe *probe = m->options->probe;
    uint64_t busy = 0;
    if (!probe || !probe->every || m->now % probe->every)
        return;
    for (unsigned i = 0; i < m->derived.pes; i++)
        busy += m->clusters[i / m->variant.k].pes.pe[i % m->variant.k].counters.busy;
    tell(m, CYCLE_BUSY, m->now, busy);
}

/* What ends gives its tokens before anything starts. */
static void machine_step(struct machine *m)
{
    load_finish(m);
    distribute_finish(m);
    store_finish(m);
    command_step(m);
    load_step(m);
    distribute_step(m);
    for (unsigned c = 0; c < m->variant.n * m->variant.m; c++)
        cluster_time_step(&m->clusters[c]);
    store_step(m);
}

/* ---- a job ----------------------------------------------------------------------------------- */

/* Cycles that a job behind another one is under way before they are its own. */
static uint64_t counted_from(const struct machine *m)
{
    return m->options->behind ? m->options->behind->hand : 0;
}

/* Cycles that the words of the status record take: two at a time where there are lanes for them. */
static uint64_t record_words(const struct machine *m)
{
    const unsigned words = ISA_STATUS_BYTES / 4, lanes = m->derived.store_lanes * m->derived.store_takes;
    return (uint64_t)words * (m->variant.acc_width < 32 ? 2 : 1) / (lanes > 1 ? 2 : 1);
}

static void finish(struct machine *m)
{
    m->write_busy += machine_beats_of(m, 0, ISA_STATUS_BYTES);
    m->now = (m->failed ? m->now : m->command.sent) + RECORD_DELAY + record_words(m) + m->options->latency +
             END_DELAY;
    m->result->bytes_written += ISA_STATUS_BYTES;
    m->result->cycles = m->now - counted_from(m);
    array_counters(m->array, m->result);
}

/* The machine is all 0: most of it is never touched by a short job, and costs nothing then. */
static bool machine_init(struct machine *m, const struct variant *variant,
                         const struct cycle_options *options, const struct job *job,
                         struct job_result *result)
{
    m->variant = *variant;
    m->options = options;
    m->result = result;
    variant_derive(&m->variant, &m->derived);
    command_init(m);
    unsigned count = variant->n * variant->m;
    m->array = options->array ? options->array : array_new(variant);
    m->clusters = calloc(count, sizeof *m->clusters);
    m->units = calloc(variant->n, sizeof *m->units);
    if (!m->array || !m->clusters || !m->units)
        return false;
    m->job = array_with_bank(m->array, job);
    for (unsigned c = 0; c < count; c++) {
        if (!cluster_time_init(&m->clusters[c], &m->variant, &m->derived, options))
            return false;
        m->clusters[c].pes.number = c;
        m->next_bank[c] = c % variant->m % m->derived.store_takes;
    }
    return true;
}

/* What the program's end takes is after the last step of the clusters. */
static void add_uses(const struct machine *m, struct cycle_report *report)
{
    uint64_t counted = 0;
    for (unsigned i = 0; i < report->pes; i++)
        for (unsigned u = 0; u < CYCLE_USES; u++)
            report->use[u] += m->clusters[i / m->variant.k].pes.pe[i % m->variant.k].counters.idle[u];
    for (unsigned i = 0; i < report->pes; i++)
        report->use[CYCLE_MULTIPLIES] += report->pe_busy[i];
    for (unsigned u = 0; u < CYCLE_USES; u++)
        counted += report->use[u];
    /* Before a job behind another one counts, its PEs are the other one's. */
    report->use[CYCLE_NO_PACKET] -= report->pes * counted_from(m);
    report->use[CYCLE_END] = report->pes * (report->result.cycles + counted_from(m)) - counted;
}

static void report_fill(const struct machine *m, struct cycle_report *report)
{
    for (unsigned c = 0; m->clusters && c < m->variant.n * m->variant.m; c++)
        together_count(&m->clusters[c].pes);
    for (unsigned p = 0; p < m->variant.memory_ports; p++)
        report->read_busy += m->port[p].busy;
    report->write_busy = m->write_busy;
    report->stored = m->stored;
    report->stored_whole = m->stored_whole;
    report->stored_long = m->stored_long;
    report->pes = m->derived.pes;
    for (unsigned i = 0; m->clusters && i < report->pes; i++) {
        const struct pe *pe = &m->clusters[i / m->variant.k].pes.pe[i % m->variant.k];
        report->pe_busy[i] = pe->counters.busy;
        report->result.moved += pe->counters.moved;
        report->result.stall_output += pe->counters.stall_output;
        report->result.stall_weights += pe->counters.stall_weights;
    }
    add_uses(m, report);
}

static void fill_behind(const struct machine *m, struct cycle_behind *behind)
{
    const struct command_time *c = &m->command;
    if (m->failed || !c->spread)
        return;
    *behind = (struct cycle_behind){.lead = c->lead - c->ahead,
                                    .spread = c->spread - c->ahead,
                                    .hand = c->sent + HAND_DELAY + record_words(m) - c->ahead,
                                    .done = m->now - c->ahead,
                                    .from = c->from,
                                    .to = c->to};
}

static void machine_free(struct machine *m)
{
    for (unsigned c = 0; m->clusters && c < m->variant.n * m->variant.m; c++)
        cluster_time_free(&m->clusters[c]);
    free(m->clusters);
    free(m->units);
    if (m->array && m->array != m->options->array)
        array_free(m->array);
    free(m);
}

static void give_up(struct machine *m)
{
    m->result->code = JOB_WATCHDOG;
    m->result->queue = QUEUE_COMMAND;
    m->result->offset = (uint64_t)m->command.program.next * ISA_OPERATION_BYTES;
    m->failed = true;
}

static void machine_run(struct machine *m)
{
    const struct job *job = &m->job;
    uint64_t hash = model_variant_hash(&m->variant);
    const bool opened = !program_open(&m->command.program, &m->variant, hash, job->slots[SLOT_PROGRAM].bytes,
                                      job->slots[SLOT_PROGRAM].size, m->result);
    const uint32_t expects = opened ? m->command.program.expects : 0;
    m->failed = array_open(m->array, expects, m->result) || !opened;
    while (!m->failed) {
        machine_step(m);
        tell_busy(m);
        if (m->command.ended)
            break;
        if (++m->now > m->options->limit)
            give_up(m);
    }
    array_leave(m->array, m->failed ? 0 : m->command.program.leaves);
    finish(m);
}

void cycle_report_free(struct cycle_report *report)
{
    free(report->pe_busy);
    *report = (struct cycle_report){0};
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
        fill_behind(m, &report->behind);
        if (job->slots[SLOT_STATUS].size >= ISA_STATUS_BYTES)
            job_write_status(&report->result, job->number, job->slots[SLOT_STATUS].bytes);
    }
    if (m)
        machine_free(m);
    if (!ok)
        cycle_report_free(report);
    return ok;
}
