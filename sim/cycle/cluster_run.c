/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/cluster_run.h"

#include <stdlib.h>

#include "sim/cycle/cluster_time.h"
#include "sim/cycle/pe_together.h"

#define QUIET 100000 /* cycles without a beat after which the row counts as locked */

struct row_run {
    const struct variant *variant;
    struct variant_derived derived;
    const struct row_packet *packets;
    size_t count, next; /* the packet on the bus */
    uint64_t beats_left;
    bool begun;
    struct cluster *model;
    struct cluster_time *time;
    unsigned turn; /* the cluster whose results are taken next */
    uint64_t now, first, last_result, last_beat;
    bool started, no_memory;
    struct cluster_report *report;
};

/* What cluster c does with the packet; NULL: it is configured, or will refuse it. */
static const struct sequence *sequence_of(const struct row_run *r, unsigned c,
                                          const struct row_packet *packet)
{
    const struct cluster *model = &r->model[c];
    unsigned buffer = packet->command & 31;
    return (packet->command & COMMAND_EXEC) && model->configured[buffer] ? &model->buffer[buffer] : NULL;
}

#define FOR_EACH_TARGET(r, packet, c)              \
    for (unsigned c = 0; c < (r)->variant->m; c++) \
        if ((packet)->clusters >> c & 1)

/* The effects of a packet happen with its first beat; only when they happen is for the clock to say. */
static bool begin_packet(struct row_run *r)
{
    const struct row_packet *packet = &r->packets[r->next];
    const struct packet data = {.command = packet->command,
                                .scatter = packet->scatter,
                                .count = packet->count,
                                .data = packet->data,
                                .bytes = packet->bytes};
    const struct work_sink sink = cluster_time_sink(r->time);
    FOR_EACH_TARGET(r, packet, c)
    if (!cluster_time_has_room(&r->time[c], sequence_of(r, c, packet)))
        return false;
    FOR_EACH_TARGET(r, packet, c)
    {
        unsigned pe;
        r->report->code = cluster_execute(&r->model[c], &data, c, &sink, &pe);
        if (r->report->code)
            return false;
        if (!(packet->command & COMMAND_EXEC))
            cluster_time_configure(&r->time[c], &r->model[c].buffer[packet->command & 31]);
        r->no_memory = r->no_memory || r->time[c].failed;
    }
    r->beats_left = packet->bytes / r->derived.bus_bytes;
    r->beats_left += !r->beats_left;
    return true;
}

/* A packet without data takes a beat, too, which nobody looks at. */
static bool beat_fits(const struct row_run *r, const struct row_packet *packet)
{
    FOR_EACH_TARGET(r, packet, c)
    {
        const struct sequence *s = packet->bytes ? sequence_of(r, c, packet) : NULL;
        if (s && !cluster_time_accepts(&r->time[c], cluster_time_packet_kind(s)))
            return false;
    }
    return true;
}

static void take_beat(struct row_run *r, const struct row_packet *packet)
{
    FOR_EACH_TARGET(r, packet, c)
    {
        const struct sequence *s = packet->bytes ? sequence_of(r, c, packet) : NULL;
        if (s)
            cluster_time_take(&r->time[c], cluster_time_packet_kind(s), r->beats_left == 1);
    }
}

static void bus_step(struct row_run *r)
{
    if (r->next == r->count)
        return;
    const struct row_packet *packet = &r->packets[r->next];
    r->begun = r->begun || begin_packet(r);
    if (!r->begun || !beat_fits(r, packet))
        return;
    take_beat(r, packet);
    r->first = r->started ? r->first : r->now;
    r->started = true;
    r->last_beat = r->now;
    r->report->beats++;
    if (--r->beats_left)
        return;
    r->begun = false;
    r->next++;
}

/* One beat a cycle, from the clusters in turn; what is taken is gone. */
static void result_step(struct row_run *r)
{
    for (unsigned i = 0; i < r->variant->m; i++) {
        unsigned c = (r->turn + i) % r->variant->m;
        if (!cluster_time_has_result(&r->time[c]))
            continue;
        cluster_time_take_result(&r->time[c]);
        r->time[c].result_groups = 0;
        r->turn = (c + 1) % r->variant->m;
        r->last_result = r->last_beat = r->now;
        return;
    }
}

static bool all_idle(const struct row_run *r)
{
    bool idle = r->next == r->count;
    for (unsigned c = 0; c < r->variant->m; c++)
        idle = idle && cluster_time_idle(&r->time[c]);
    return idle;
}

static void fill_report(struct row_run *r)
{
    r->report->cycles = r->last_result > r->first ? r->last_result - r->first + 1 : 0;
    for (unsigned c = 0; c < r->variant->m; c++) {
        r->report->effective_macs += r->model[c].effective_macs;
        r->report->scanned += r->model[c].scanned;
        together_count(&r->time[c].pes);
        for (unsigned p = 0; p < r->variant->k; p++) {
            r->report->moved += r->time[c].pes.pe[p].counters.moved;
            r->report->stall_weights += r->time[c].pes.pe[p].counters.stall_weights;
        }
    }
}

static void run(struct row_run *r)
{
    while (!r->report->code && !r->no_memory && !all_idle(r)) {
        bus_step(r);
        for (unsigned c = 0; c < r->variant->m; c++)
            cluster_time_step(&r->time[c]);
        result_step(r);
        if (++r->now > r->last_beat + QUIET)
            r->report->code = JOB_WATCHDOG;
    }
    fill_report(r);
}

bool cluster_run(const struct variant *variant, const struct cycle_options *options,
                 const struct row_packet *packets, size_t count, struct cluster_report *report)
{
    struct row_run r = {.variant = variant, .packets = packets, .count = count, .report = report};
    *report = (struct cluster_report){0};
    variant_derive(variant, &r.derived);
    r.model = calloc(variant->m, sizeof *r.model);
    r.time = calloc(variant->m, sizeof *r.time);
    bool ok = r.model && r.time;
    for (unsigned c = 0; ok && c < variant->m; c++)
        ok = cluster_time_init(&r.time[c], variant, &r.derived, options) &&
             cluster_init(&r.model[c], variant, &r.derived);
    if (ok)
        run(&r);
    for (unsigned c = 0; r.model && r.time && c < variant->m; c++) {
        cluster_time_free(&r.time[c]);
        cluster_free(&r.model[c]);
    }
    free(r.model);
    free(r.time);
    return ok && !r.no_memory;
}
