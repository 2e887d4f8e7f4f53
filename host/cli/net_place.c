/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_place.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/number.h"
#include "host/net/base/source.h"
#include "host/net/place/copies.h"
#include "host/net/place/measure.h"

/* The driver's share of a job, and its copies, as icd-latency and icd-bandwidth measure them
 * (docs/placement.md). */
#define JOB_US 7.0
#define COPY_MBS 5000.0
enum { CLOCK_MHZ = 100, RUNS = 15 };

static const struct place nowhere = {0};

/* ---- options ------------------------------------------------------------------------------------- */

static const char *const strategies[] = {"path", "thresholds", "greedy", "device", "host", NULL};

size_t net_place_entries(struct net_place_options *o, struct option_entry *to)
{
    const struct option_entry entries[] = {
        {.name = "--place", .flag = &o->on},
        {.name = "--strategy", .value = &o->strategy_text, .words = strategies, .word = &o->strategy},
        {.name = "--times", .value = &o->times},
        {.name = "--clock", .value = &o->clock_text, .number = &o->clock, .min = 1, .max = 10000},
        {.name = "--place-runs",
         .value = &o->runs_text,
         .number = &o->runs,
         .min = 1,
         .max = PLACE_RUNS_MOST},
        {.name = "--job-us", .value = &o->job_text, .real = &o->job, .high = 1e6},
        {.name = "--copy-rate", .value = &o->copy_text, .real = &o->copy, .low = 0.001, .high = 1e6},
        {.name = "--most-cost", .value = &o->cost_text, .real = &o->thresholds.cost, .high = 1e12},
        {.name = "--least-benefit",
         .value = &o->benefit_text,
         .real = &o->thresholds.benefit,
         .low = -1e12,
         .high = 1e12},
        {.name = "--array-rows",
         .list = o->rows_text,
         .count = &o->rows_count,
         .room = PLACE_PROCESSORS_MOST - 2},
        {.name = "--put", .list = o->marks, .count = &o->mark_count}};
    _Static_assert(sizeof entries / sizeof *entries == NET_PLACE_ENTRIES, "room for the entries");
    o->clock = CLOCK_MHZ;
    o->runs = 1;
    o->job = JOB_US;
    o->copy = COPY_MBS;
    memcpy(to, entries, sizeof entries);
    return NET_PLACE_ENTRIES;
}

static void take_rows(struct net_place_options *o, struct diag *diag)
{
    enum { MOST = 16 }; /* of any variant */
    for (unsigned i = 0; i < o->rows_count; i++) {
        const char *at = o->rows_text[i];
        uint64_t number = 0;
        bool negative = false;
        if (number_integer(&at, &negative, &number) != NUMBER_OK || negative || *at || !number ||
            number > MOST)
            diag_error(diag, nowhere, "--array-rows %.20s: give a number of rows, from 1 to %d",
                       o->rows_text[i], MOST);
        o->rows[i] = (unsigned)number;
    }
}

void net_place_check(struct net_place_options *o, struct diag *diag)
{
    take_rows(o, diag);
    if (o->on)
        return;
    if (o->strategy_text || o->clock_text || o->job_text || o->copy_text || o->cost_text || o->benefit_text ||
        o->runs_text || o->rows_count || o->mark_count)
        diag_error(diag, nowhere,
                   "--strategy, --clock, --job-us, --copy-rate, --most-cost, --least-benefit, --place-runs, "
                   "--array-rows and --put go with --place");
}

/* ---- marks and times ----------------------------------------------------------------------------- */

/* "NODE=1": the last sign of equality counts. */
static bool take_mark(const char *text, char *name, struct place_mark *to, struct diag *diag)
{
    const char *equals = strrchr(text, '=');
    uint64_t number = 0;
    bool negative = false;
    const char *at = equals ? equals + 1 : text;
    if (!equals || number_integer(&at, &negative, &number) != NUMBER_OK || negative || *at ||
        number >= PLACE_PROCESSORS_MOST) {
        diag_error(diag, nowhere, "--put %.60s: give NODE=PROCESSOR; 0 is the host and 1 the first device",
                   text);
        return false;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    *to = (struct place_mark){name, (size_t)number};
    return true;
}

static bool take_marks(struct net_placing *to, const struct net_place_options *o, struct diag *diag)
{
    size_t length = 1;
    for (unsigned i = 0; i < o->mark_count; i++)
        length += strlen(o->marks[i]) + 1;
    to->marks = calloc(o->mark_count + 1, sizeof *to->marks);
    to->names = malloc(length);
    char *name = to->names;
    bool ok = to->marks && to->names;
    if (!ok)
        diag_no_memory(diag, "--put");
    for (unsigned i = 0; ok && i < o->mark_count; i++) {
        ok = take_mark(o->marks[i], name, &to->marks[i], diag);
        name += strlen(o->marks[i]) + 1;
    }
    return ok;
}

/* The shipped times, and those of a file on top of them. */
static bool read_times(struct place_library *to, const char *path, struct diag *diag)
{
    struct source source;
    if (!place_library_shipped(to, diag))
        return false;
    if (!path)
        return true;
    if (!source_open(&source, path, diag))
        return false;
    const bool ok = place_library_read(to, (const char *)source.bytes, source.size, path, diag);
    source_close(&source);
    return ok;
}

bool net_placing_open(struct net_placing *to, const struct net_place_options *o, struct diag *diag)
{
    enum { US = 1000000 };
    *to = (struct net_placing){.there = true};
    struct place_thresholds t = o->thresholds;
    t.has_cost = o->cost_text;
    t.has_benefit = o->benefit_text;
    t.cost /= US;
    t.benefit /= US;
    const bool ok = read_times(&to->library, o->times, diag) && take_marks(to, o, diag);
    to->options = (struct place_network_options){.strategy = &place_strategies[o->strategy],
                                                 .how = {.thresholds = t},
                                                 .library = &to->library,
                                                 .marks = to->marks,
                                                 .mark_count = o->mark_count};
    return ok;
}

bool net_placing_add(struct net_placing *placing, const struct net_place_options *o,
                     struct tulle_device *device, const char *name, struct layers *layers, struct diag *diag)
{
    struct tulle_device_info info = {.size = sizeof info};
    if (tulle_device_describe(device, &info)) {
        diag_error(diag, nowhere, "%s", tulle_message());
        return false;
    }
    char *copies = placing->copies[placing->device_count];
    memcpy(copies, info.name, sizeof info.name);
    placing->devices[placing->device_count++] = (struct place_device){.name = name,
                                                                      .copies = copies,
                                                                      .layers = layers,
                                                                      .hertz = (double)o->clock * 1e6,
                                                                      .job = o->job * 1e-6,
                                                                      .byte = 1e-6 / o->copy,
                                                                      .hash = info.hash,
                                                                      .memory = info.memory,
                                                                      .rows = info.rows,
                                                                      .clusters = info.clusters,
                                                                      .pes = info.pes,
                                                                      .data_bytes = info.data_bytes};
    return true;
}

bool net_placing_apply(struct net_placing *placing, struct net *net, const struct place_joiner *joiner,
                       struct diag *diag)
{
    if (!place_network_new(&placing->network, net, placing->devices, placing->device_count, &placing->options,
                           diag))
        return false;
    if (!joiner)
        return place_network_apply(&placing->network, diag);
    if (!place_join_costs(&placing->network)) {
        diag_no_memory(diag, net->source[0].path);
        return false;
    }
    return place_network_join(&placing->network, joiner, diag);
}

bool net_placing_watch(struct net_placing *placing, struct net *net, struct run *run)
{
    struct net_placing_times *times = placing->on_host ? &placing->alone : &placing->placed;
    place_watch_free(&placing->watch);
    if (!placing->device_count || placing->done)
        return true;
    if (!times->list)
        times->list = calloc(PLACE_RUNS_MOST * (net->node_count + 1), sizeof *times->list);
    const bool ok = times->list && place_watch_begin(&placing->watch, net, run);
    placing->watch.warm = placing->warm;
    return ok;
}

void net_placing_begin(struct net_placing *placing)
{
    placing->placed.count = placing->alone.count = 0;
}

/* The watch gets the medians. */
static void add_times(struct net_placing_times *times, struct place_watch *watch)
{
    const size_t nodes = watch->net->node_count, at = times->count++ % PLACE_RUNS_MOST;
    memcpy(times->list + at * nodes, watch->seconds, nodes * sizeof *times->list);
    place_watch_medians(watch, times->list, times->count < PLACE_RUNS_MOST ? times->count : PLACE_RUNS_MOST);
}

void net_placing_watched(struct net_placing *placing)
{
    struct place_watch *watch = &placing->watch;
    if (!watch->seconds)
        return;
    place_watch_end(watch);
    add_times(placing->on_host ? &placing->alone : &placing->placed, watch);
    if (placing->on_host) {
        placing->again = place_network_again(&placing->network, watch);
        return;
    }
    placing->measured = place_network_measured(&placing->network, watch);
    placing->ran = true;
}

void net_placing_report(const struct net_placing *placing, struct strbuf *to)
{
    enum { US = 1000000 };
    const struct place_measured *m = &placing->measured;
    const double predicted = place_network_predicted(&placing->network), measured = m->host + m->device;
    if (!placing->ran)
        return;
    sb_addf(
        to,
        "placement: %.2f us predicted; %.2f us on the host and %.2f us on devices (%s cycles): %.2f of it\n",
        US * predicted, US * m->host, US * m->device, m->clock ? "measured" : "predicted",
        predicted > 0 ? measured / predicted : 0);
    if (placing->alone.count && placing->again > 0)
        sb_addf(to,
                "with the host's times of %u runs in turn: %.2f us predicted; %.2f us measured: %.2f of it\n",
                placing->alone.count, US * placing->again, US * measured, measured / placing->again);
}

void net_placing_close(struct net_placing *placing)
{
    if (placing->there)
        place_network_free(&placing->network);
    place_watch_free(&placing->watch);
    free(placing->placed.list);
    free(placing->alone.list);
    place_library_free(&placing->library);
    free(placing->marks);
    free(placing->names);
    *placing = (struct net_placing){.there = false};
}

/* ---- calibration --------------------------------------------------------------------------------- */

bool net_calibrate(struct net *net, const struct net_place_options *o, struct tulle_device *device,
                   struct strbuf *to, struct diag *diag)
{
    struct place_library library = {0};
    struct source source;
    bool ok = true;
    if (o->times) {
        ok = source_open(&source, o->times, diag);
        if (ok) {
            ok = place_library_read(&library, (const char *)source.bytes, source.size, o->times, diag);
            source_close(&source);
        }
    }
    ok = ok && place_calibrate(net, RUNS, &library, diag) &&
         (!device || place_calibrate_copies(device, RUNS, &library, diag));
    if (ok)
        place_library_write(&library, to);
    place_library_free(&library);
    return ok;
}
