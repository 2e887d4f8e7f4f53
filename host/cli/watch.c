/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates are those between two samples. A device without an earlier sample is
 * compared with what it was when it was opened: all counts are 0.
 */
#include "host/cli/watch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/cli/report.h"
#include "host/monitor/monitor.h"

#define NAME_WIDTH 24

/* ---- rates ----------------------------------------------------------------------------------------- */

struct rates {
    double jobs, cycles; /* a second */
    double utilization;  /* of the PEs by jobs that ended; negative: no cycles to compare with */
    double busy;         /* share of the time in which a job ran */
};

static const struct monitor_sample *earlier(const struct monitor_samples *before,
                                            const struct monitor_sample *s)
{
    for (size_t i = 0; i < before->count; i++)
        if (!strcmp(before->item[i].path, s->path) && before->item[i].about.opened == s->about.opened)
            return &before->item[i];
    return NULL;
}

/* Of counts that only grow; a damaged file may say otherwise. */
static double growth(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) : 0;
}

/* Nanoseconds in jobs until that time. */
static uint64_t busy_until(const struct monitor_counts *c, uint64_t time)
{
    return c->busy + (c->running_since && time > c->running_since ? time - c->running_since : 0);
}

static struct rates rates_of(const struct monitor_sample *s, const struct monitor_sample *last, uint64_t then,
                             uint64_t now)
{
    static const struct monitor_counts nothing;
    const struct monitor_counts *a = last ? &last->counts : &nothing, *b = &s->counts;
    const double nanoseconds = growth(last ? then : s->about.opened, now) + 1;
    const double cycles = growth(a->cycles, b->cycles);
    const double busy = growth(busy_until(a, then), busy_until(b, now)) / nanoseconds;
    return (struct rates){
        .jobs = growth(a->jobs, b->jobs) / nanoseconds * 1e9,
        .cycles = growth(a->cycles + a->elapsed, b->cycles + b->elapsed) / nanoseconds * 1e9,
        .utilization =
            cycles > 0 ? growth(a->effective_macs, b->effective_macs) / ((double)s->about.pes * cycles) : -1,
        .busy = busy < 1 ? busy : 1};
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void add_state(const struct monitor_counts *c, uint64_t now, struct strbuf *to)
{
    const uint64_t since = c->running_since ? c->running_since : c->last_end;
    if (since)
        sb_addf(to, "%s %.1f s", c->running_since ? "runs for" : "idle for", growth(since, now) / 1e9);
    else
        sb_add(to, "no job yet");
    if (c->failures)
        sb_addf(to, "; %s", monitor_failure_name(c->last_failure));
    sb_add(to, "\n");
}

/* A device without a clock has no cycles. */
static void add_row(const struct monitor_sample *s, const struct rates *r, uint64_t now, struct strbuf *to)
{
    const struct monitor_counts *c = &s->counts;
    const uint64_t cycles = c->cycles + c->elapsed;
    sb_addf(to, "%-*s %8llu %9llu %9.1f ", NAME_WIDTH, s->about.name, (unsigned long long)s->about.pid,
            (unsigned long long)c->jobs, r->jobs);
    if (cycles)
        sb_addf(to, "%14llu %12.0f ", (unsigned long long)cycles, r->cycles);
    else
        sb_addf(to, "%14s %12s ", "-", "-");
    if (r->utilization >= 0)
        sb_addf(to, "%6.3f", r->utilization);
    else
        sb_addf(to, "%6s", "-");
    sb_addf(to, " %5.3f %8llu  ", r->busy, (unsigned long long)c->failures);
    add_state(c, now, to);
}

static void add_text(const struct monitor_samples *samples, const struct rates *rates, uint64_t now,
                     struct strbuf *to)
{
    if (!samples->count)
        sb_add(to, "no process of this user has a device in use");
    else
        sb_addf(to, "%-*s %8s %9s %9s %14s %12s %6s %5s %8s  state", NAME_WIDTH, "device", "process", "jobs",
                "jobs/s", "cycles", "cycles/s", "util.", "busy", "failures");
    sb_add(to, "\n");
    for (size_t i = 0; i < samples->count; i++)
        if (*samples->item[i].why)
            sb_addf(to, "not shown: %s: %s\n", samples->item[i].path, samples->item[i].why);
        else
            add_row(&samples->item[i], &rates[i], now, to);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static void add_text_field(const char *name, const char *text, struct strbuf *to)
{
    sb_addf(to, "\"%s\": ", name);
    sb_add_json(to, text);
    sb_add(to, ", ");
}

static void add_device(const struct monitor_sample *s, const struct rates *r, uint64_t now, struct strbuf *to)
{
    const struct monitor_counts *c = &s->counts;
    add_text_field("device", s->about.name, to);
    add_text_field("variant", s->about.variant, to);
    if (c->failures)
        add_text_field("last_failure", monitor_failure_name(c->last_failure), to);
    sb_addf(to, "\"hash\": \"%016llx\", \"process\": %llu, \"pes\": %llu, \"open_seconds\": %.3f, ",
            (unsigned long long)s->about.hash, (unsigned long long)s->about.pid,
            (unsigned long long)s->about.pes, growth(s->about.opened, now) / 1e9);
    sb_addf(to, "\"jobs\": %llu, \"failures\": %llu, \"running\": %s, \"running_cycles\": %llu, ",
            (unsigned long long)c->jobs, (unsigned long long)c->failures, c->running_since ? "true" : "false",
            (unsigned long long)c->elapsed);
#define X(name, timed) sb_addf(to, "\"" #name "\": %llu, ", (unsigned long long)c->name);
    JOB_COUNTERS(X)
#undef X
    sb_addf(to, "\"jobs_per_second\": %.3f, \"cycles_per_second\": %.0f, ", r->jobs, r->cycles);
    if (r->utilization >= 0)
        sb_addf(to, "\"utilization\": %.4f, ", r->utilization);
    else
        sb_add(to, "\"utilization\": null, ");
    sb_addf(to, "\"busy\": %.4f", r->busy);
}

static void add_json(const struct monitor_samples *samples, const struct rates *rates, uint64_t now,
                     struct strbuf *to)
{
    sb_add(to, "[");
    for (size_t i = 0; i < samples->count; i++) {
        const struct monitor_sample *s = &samples->item[i];
        sb_add(to, i ? ", {" : "{");
        if (*s->why) {
            add_text_field("file", s->path, to);
            sb_add(to, "\"why\": ");
            sb_add_json(to, s->why);
        } else
            add_device(s, &rates[i], now, to);
        sb_add(to, "}");
    }
    sb_add(to, "]\n");
}

/* ---- samples --------------------------------------------------------------------------------------- */

static void pause_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0)
        ;
}

struct moment {
    struct monitor_samples samples;
    uint64_t time;
};

static bool show(const struct watch_request *request, const struct moment *last, const struct moment *now,
                 bool redraws, struct diag *diag)
{
    const struct monitor_samples *samples = &now->samples;
    struct strbuf text = {0};
    struct rates *rates = calloc(samples->count + 1, sizeof *rates);
    if (!rates) {
        diag_no_memory(diag, NULL);
        return false;
    }
    for (size_t i = 0; i < samples->count; i++)
        rates[i] =
            rates_of(&samples->item[i], earlier(&last->samples, &samples->item[i]), last->time, now->time);
    if (redraws)
        sb_add(&text, "\033[H\033[J");
    else if (last->time && !request->json)
        sb_add(&text, "\n");
    (request->json ? add_json : add_text)(samples, rates, now->time, &text);
    bool ok = report_print(&text, diag);
    sb_free(&text);
    free(rates);
    return ok;
}

/* One sample after the other; false when it cannot go on. */
static bool repeat(const struct watch_request *request, bool redraws, struct diag *diag)
{
    struct moment last = {0}, now;
    bool ok = true;
    for (int64_t i = 0; ok && (!request->count || i < request->count); i++) {
        if (i)
            pause_for(request->seconds);
        ok = monitor_read(&now.samples);
        if (!ok) {
            diag_no_memory(diag, NULL);
            break;
        }
        now.time = monitor_now();
        ok = show(request, &last, &now, redraws, diag);
        monitor_free(&last.samples);
        last = now;
    }
    monitor_free(&last.samples);
    return ok;
}

int watch(const struct watch_request *request)
{
    struct diag diag = {0};
    const char *terminal = getenv("TERM");
    const bool redraws = !request->json && isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    repeat(request, redraws, &diag);
    return diag_report(&diag, stderr) ? CLI_FAILED : CLI_DONE;
}
