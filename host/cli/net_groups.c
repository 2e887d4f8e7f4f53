/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/net_groups_show.h"
#include "sim/board/settings.h"

/* Of the variant `networks`: its storage units, its port and its PEs. */
enum {
    ON_CHIP = 131072,
    STREAM = 8192,
    PORT = 64,
    PES = 32,
    STEP = 500, /* cycles of a layer of a slice: the pipeline drains and fills, clusters are configured */
    UNIT = 8 /* K bytes */,
    UNIT_RUNS = 32, /* N x M x K bytes: plans may leave so much room for the channels of a pixel */
    SLACK = 16,     /* of the bank: what frames are larger than counted, and lie apart */
    SLACK_MORE = 4,
    AGAIN_MOST = 15,
    ON_CHIP_MOST = 1 << 30
};

static const struct place nowhere = {0};

/* ---- options ------------------------------------------------------------------------------------------- */

size_t net_groups_entries(struct net_groups_options *o, struct option_entry *to)
{
    const struct option_entry entries[] = {
        {.name = "--groups", .flag = &o->on},
        {.name = "--on-chip", .value = &o->chip_text, .number = &o->on_chip, .min = 1, .max = ON_CHIP_MOST},
        {.name = "--stream", .value = &o->stream_text, .number = &o->stream, .min = 0, .max = ON_CHIP_MOST},
        {.name = "--bandwidth", .value = &o->rate_text},
        {.name = "--rows-only", .flag = &o->rows_only},
        {.name = "--listing", .flag = &o->listing},
        {.name = "--group", .list = o->forced, .count = &o->forced_count}};
    _Static_assert(sizeof entries / sizeof *entries == NET_GROUPS_ENTRIES, "room for the entries");
    o->on_chip = ON_CHIP;
    o->stream = STREAM;
    o->rate = (struct net_groups_rate){1, 1};
    memcpy(to, entries, sizeof entries);
    return NET_GROUPS_ENTRIES;
}

void net_groups_check(struct net_groups_options *o, struct diag *diag)
{
    if (o->runs && !o->stream_text)
        o->stream = o->on_chip / SLACK; /* storage units are apart from the bank */
    if (o->rate_text && !settings_bandwidth(o->rate_text, &o->rate.beats, &o->rate.cycles))
        diag_error(diag, nowhere, "--bandwidth %.60s: give " SETTINGS_BANDWIDTH, o->rate_text);
    if (!o->on &&
        (o->chip_text || o->stream_text || o->rate_text || o->rows_only || o->forced_count || o->listing))
        diag_error(diag, nowhere,
                   "--on-chip, --stream, --bandwidth, --rows-only, --group and --listing go with --groups");
    if (o->on && o->stream >= o->on_chip)
        diag_error(diag, nowhere, "--stream %lld: of --on-chip %lld bytes nothing is left for activations",
                   (long long)o->stream, (long long)o->on_chip);
}

/* ---- groups that are asked for ------------------------------------------------------------------------- */

static bool is_number(const char *text, size_t length)
{
    return length && length < 9 && strspn(text, "0123456789") >= length;
}

/* A layer by its name, or by its number in the list that explain prints. */
static size_t find_layer(const struct group_chart *chart, const char *name, size_t length)
{
    const size_t named = group_layer_find(chart, name, length);
    if (named != GROUP_NONE || !is_number(name, length))
        return named;
    const size_t number = strtoul(name, NULL, 10);
    return number < chart->layer_count ? number : GROUP_NONE;
}

static bool lacks(const struct group_chart *chart, const char *name, size_t length, struct diag *diag)
{
    struct strbuf word = {0};
    sb_addn(&word, name, length);
    diag_fail(diag, chart->net->source[0].path,
              "--group: there is no layer \"%.60s\"; explain --groups lists them", sb_text(&word));
    sb_free(&word);
    return false;
}

static bool take_forced(const struct group_chart *chart, const char *text, struct group_forced *to,
                        struct diag *diag)
{
    const char *dots = strstr(text, ".."), *last = dots ? dots + 2 : text, *slash = strrchr(last, '/');
    size_t length = strlen(last);
    *to = (struct group_forced){.last = find_layer(chart, last, length)};
    if (to->last == GROUP_NONE && slash && is_number(slash + 1, strlen(slash + 1))) {
        to->parts = strtoul(slash + 1, NULL, 10);
        length = (size_t)(slash - last);
        to->last = find_layer(chart, last, length);
    }
    if (to->last == GROUP_NONE)
        return lacks(chart, last, length, diag);
    to->first = dots ? find_layer(chart, text, (size_t)(dots - text)) : to->last;
    if (to->first == GROUP_NONE)
        return lacks(chart, text, (size_t)(dots - text), diag);
    return to->first <= to->last ||
           diag_fail(diag, chart->net->source[0].path,
                     "--group %.60s: its first layer comes behind its last one", text);
}

static bool choose(const struct group_chart *chart, const struct net_groups_options *o,
                   const struct group_target *target, struct group_cover *cover, struct diag *diag)
{
    struct group_forced *forced = calloc(o->forced_count + 1, sizeof *forced);
    bool ok = forced != NULL;
    if (!ok)
        diag_no_memory(diag, chart->net->source[0].path);
    for (unsigned i = 0; ok && i < o->forced_count; i++)
        ok = take_forced(chart, o->forced[i], &forced[i], diag);
    ok = ok && group_cover_find(chart, group_patterns, target, forced, o->forced_count, cover, diag);
    free(forced);
    return ok;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static void tell_verdict(const struct net *net, const struct net_groups_verdict *v)
{
    const char *file = net->source[0].path;
    if (v->cut)
        fprintf(
            stderr,
            "note: %s: of %zu groups that are cut %zu win on the device and are used: %llu cycles and %llu "
            "bytes predicted, without groups %llu and %llu, with all %llu and %llu\n",
            file, v->cut, v->kept, (unsigned long long)v->chosen.cycles, (unsigned long long)v->chosen.bytes,
            (unsigned long long)v->whole.cycles, (unsigned long long)v->whole.bytes,
            (unsigned long long)v->all.cycles, (unsigned long long)v->all.bytes);
    if (v->apart)
        fprintf(stderr, "note: %s: layer by layer it takes fewer cycles: %llu, and %llu bytes; %s\n", file,
                (unsigned long long)v->layers.cycles, (unsigned long long)v->layers.bytes,
                v->used_apart ? "so it is used" : "use --mode layers without --groups");
}

/* A percent of the bytes is worth a percent of the cycles. */
static bool is_better(const struct net_groups_verdict *v, const struct net_groups_verdict *than)
{
    const struct net_groups_price *a = v->used_apart ? &v->layers : &v->chosen,
                                  *b = than->used_apart ? &than->layers : &than->chosen;
    return (double)a->cycles * (double)a->bytes < (double)b->cycles * (double)b->bytes;
}

/* On a device groups stay where they win; those that are asked for stay in any case. How much room of the
 * bank is lost between frames nobody knows before, so groups are chosen for more than one such loss, with
 * room for what they read as well and without it, and judged. */
static bool choose_judged(struct group_chart *chart, const struct net_groups_options *o,
                          struct group_target *target, struct group_planned *planned,
                          const struct net_layers_options *on, struct group_cover *cover, bool *apart,
                          struct diag *diag)
{
    static const struct {
        uint64_t slack;
        bool reads_through;
    } loss[] = {{SLACK, false}, {SLACK, true}, {SLACK_MORE, false}};
    const size_t tries = o->stream_text ? 2 : sizeof loss / sizeof *loss;
    struct net_groups_verdict now = {0}, best = {0};
    struct group_target of = *target;
    if (!net_groups_plan(chart, &o->rate, on, planned, &now, diag))
        return false;
    of.planned = planned;
    for (size_t i = 0; i < tries; i++) {
        struct group_cover other;
        of.stream = o->stream_text ? of.stream : of.on_chip / loss[i].slack;
        chart->reads_through = loss[i].reads_through;
        if (!choose(chart, o, &of, &other, diag)) {
            group_cover_close(cover);
            return false;
        }
        const bool ok = net_groups_judge(chart, &of, &o->rate, on, &other, &now, diag),
                   better = ok && (!i || is_better(&now, &best));
        group_cover_close(better ? cover : &other);
        if (!ok) {
            group_cover_close(cover);
            return false;
        }
        if (!better)
            continue;
        *cover = other;
        *target = of;
        best = now;
    }
    *apart = best.used_apart;
    if (!on->quiet)
        tell_verdict(chart->net, &best);
    return true;
}

bool net_groups(struct net *net, const struct net_groups_options *o, const struct net_layers_options *on,
                bool json, struct strbuf *report, struct net **slices, bool *apart, struct diag *diag)
{
    struct group_target target = {.on_chip = (uint64_t)o->on_chip,
                                  .stream = (uint64_t)o->stream,
                                  .port = (uint64_t)PORT * o->rate.beats,
                                  .pes = (uint64_t)PES * o->rate.cycles,
                                  .again = AGAIN_MOST,
                                  .columns = !o->rows_only,
                                  .streams = o->runs,
                                  .step = o->runs ? (uint64_t)STEP * PORT * PES * o->rate.beats : 0};
    struct group_chart chart;
    struct group_cover cover = {0};
    if (!group_chart_open(net, &chart, diag))
        return false;
    chart.unit = o->runs ? UNIT_RUNS : UNIT;
    chart.reads_through = o->runs;
    struct group_planned *planned = calloc(chart.layer_count + 1, sizeof *planned);
    if (!planned)
        diag_no_memory(diag, net->source[0].path);
    bool ok = planned && (o->judged && !o->forced_count
                              ? choose_judged(&chart, o, &target, planned, on, &cover, apart, diag)
                              : choose(&chart, o, &target, &cover, diag));
    if (ok) {
        for (size_t i = 0; i < on->marks.count; i++) /* groups stay as they are without marks */
            group_chart_want(&chart, on->marks.names[i]);
        if (report)
            net_groups_show(&chart, &cover, &target, json, report);
        if (report && o->listing && !net_groups_list(&chart, &cover, report)) {
            diag_no_memory(diag, net->source[0].path);
            ok = false;
        }
        if (ok && slices)
            ok = (*slices = group_partition(&chart, &cover, diag)) != NULL;
        group_cover_close(&cover);
    }
    free(planned);
    group_chart_close(&chart);
    return ok;
}
