/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that need more device memory than there is: several jobs, each
 * with a part of the weights' rows.
 */
#include <stdlib.h>
#include <string.h>

#include "host/plan/needed.h"

uint64_t plan_memory(const struct plan *plan)
{
    return plan->program.len + plan->weights.len + plan->input_bytes + plan->output_bytes +
           plan->partial_bytes + plan->scratch_bytes + plan->operand_bytes + ISA_STATUS_BYTES;
}

void plan_jobs_free(struct plan_jobs *jobs)
{
    for (uint32_t i = 0; jobs->of && i < jobs->count; i++)
        plan_free(&jobs->of[i].plan);
    free(jobs->of);
    *jobs = (struct plan_jobs){0};
}

/* The first row of part i of `parts`: parts have nearly as many non-zeros, and at least a row each. */
static uint32_t first_row(const struct sparse *w, uint32_t parts, uint32_t i)
{
    uint64_t wanted = (uint64_t)w->start[w->rows] * i / parts;
    uint32_t low = i, high = w->rows - (parts - i);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->start[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void skip_channels(struct plan_channels *c, uint32_t count)
{
    c->bias = c->bias ? c->bias + count : NULL;
    c->multiplier = c->multiplier ? c->multiplier + count : NULL;
    c->shift = c->shift ? c->shift + count : NULL;
    c->low = c->low ? c->low + count : NULL;
    c->high = c->high ? c->high + count : NULL;
}

static enum plan_status make_job(const struct plan_description *d, const struct plan_choice *choice,
                                 struct plan_job *job)
{
    const struct sparse *w = d->weights;
    uint32_t *start = calloc((size_t)job->rows + 1, sizeof *start);
    if (!start)
        return plan_no_memory();
    for (uint32_t r = 0; r <= job->rows; r++)
        start[r] = w->start[job->first + r] - w->start[job->first];
    const struct sparse part = {.rows = job->rows,
                                .columns = w->columns,
                                .start = start,
                                .column = w->column + w->start[job->first],
                                .value = w->value + w->start[job->first]};
    struct plan_description of = *d;
    struct plan_window window;
    if (d->window && job->rows < w->rows) { /* depthwise, a result has a channel of its own */
        window = *d->window;
        window.channels = window.depthwise ? job->rows : window.channels;
        window.groups = 0; /* parts of groups */
        of.window = &window;
    }
    of.weights = &part;
    skip_channels(&of.channels, job->first);
    enum plan_status why = plan_make(&of, choice, &job->plan);
    free(start);
    return why;
}

/* All jobs of that many parts; *fits: whether each fits the memory. */
static enum plan_status make_jobs(const struct plan_description *d, const struct plan_choice *choice,
                                  uint64_t memory, uint32_t parts, struct plan_jobs *jobs, bool *fits)
{
    enum plan_status why = PLAN_OK;
    *fits = true;
    jobs->of = calloc(parts, sizeof *jobs->of);
    jobs->count = parts;
    if (!jobs->of)
        return plan_no_memory();
    for (uint32_t i = 0; !why && *fits && i < parts; i++) {
        struct plan_job *job = &jobs->of[i];
        job->first = first_row(d->weights, parts, i);
        job->rows = (i + 1 < parts ? first_row(d->weights, parts, i + 1) : d->weights->rows) - job->first;
        why = make_job(d, choice, job);
        *fits = plan_memory(&job->plan) <= memory;
    }
    return why;
}

static enum plan_status make_fewest(const struct plan_description *d, const struct plan_choice *choice,
                                    uint64_t memory, struct plan_jobs *jobs)
{
    bool fits = false;
    for (uint32_t parts = 1; parts <= d->weights->rows; parts += (parts + 1) / 2) {
        enum plan_status why = make_jobs(d, choice, memory, parts, jobs, &fits);
        if (!why && fits)
            return PLAN_OK;
        plan_jobs_free(jobs);
        if (why)
            return why;
    }
    return d->weights->rows ? plan_refuse(PLAN_DEVICE_MEMORY,
                                          "a few rows and the activations do not fit the device memory")
                            : plan_refuse(PLAN_INVALID, "nothing to do");
}

/* Jobs of the needed rows become jobs of all rows: each has those up to the next one's first. */
static enum plan_status widen_jobs(const struct plan_needed *n, struct plan_jobs *jobs)
{
    enum plan_status why = PLAN_OK;
    for (uint32_t i = jobs->count; !why && i--;) {
        struct plan_job *job = &jobs->of[i];
        const uint32_t from = job->first, count = job->rows,
                       end = i + 1 < jobs->count ? jobs->of[i + 1].first : n->rows;
        job->first = !i ? 0 : n->row ? n->row[from] : from;
        job->rows = end - job->first;
        why = needed_widen(n, from, count, job->first, job->rows, &job->plan) ? plan_no_memory() : PLAN_OK;
    }
    return why;
}

enum plan_status plan_make_jobs(const struct plan_description *d, const struct plan_choice *choice,
                                uint64_t memory, struct plan_jobs *jobs)
{
    struct plan_needed needed;
    bool ok;
    *jobs = (struct plan_jobs){0};
    if (!needed_find(d, &needed, &ok))
        return ok ? make_fewest(d, choice, memory, jobs) : plan_no_memory();
    enum plan_status why = make_fewest(&needed.description, choice, memory, jobs);
    if (!why)
        why = widen_jobs(&needed, jobs);
    if (why)
        plan_jobs_free(jobs);
    needed_free(&needed);
    return why;
}
