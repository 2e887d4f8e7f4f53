/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/random.h"

double place_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t number_of(const struct net *net, const struct node *node)
{
    size_t at = 0;
    while (at < net->node_count && net->nodes[at] != node)
        at++;
    return at;
}

static enum offered take(void *context, const struct call *c, node_kernel *kernel)
{
    struct place_watch *w = context;
    const size_t at = number_of(w->net, c->node);
    double began = place_clock();
    const enum offered offered = w->inner ? w->inner->take(w->inner->context, c, kernel) : OFFER_LEFT;
    double now = place_clock();
    w->device += offered == OFFER_DONE ? now - began : 0;
    w->cold = w->cold || offered == OFFER_DONE;
    if (offered != OFFER_LEFT)
        return offered;
    if (w->warm && w->cold && !kernel(c))
        return OFFER_FAILED;
    w->cold = false;
    began = place_clock();
    const bool ok = kernel(c);
    now = place_clock();
    w->kernels += now - began;
    if (at < w->net->node_count)
        w->seconds[at] = now - began;
    return ok ? OFFER_DONE : OFFER_FAILED;
}

bool place_watch_begin(struct place_watch *w, struct net *net, struct run *run)
{
    *w = (struct place_watch){.net = net, .offer = {w, take}, .inner = run_offered(run)};
    w->seconds = calloc(net->node_count + 1, sizeof *w->seconds);
    if (!w->seconds)
        return false;
    run_offer(run, &w->offer);
    w->began = place_clock();
    return true;
}

void place_watch_end(struct place_watch *w)
{
    w->all = place_clock() - w->began;
}

void place_watch_free(struct place_watch *w)
{
    free(w->seconds);
    w->seconds = NULL;
}

/* ---- medians ------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times that are `stride` apart, in order of size. */
static void sort_times(const double *times, size_t stride, unsigned runs, double sorted[PLACE_RUNS_MOST])
{
    for (unsigned r = 0; r < runs; r++)
        sorted[r] = times[r * stride];
    qsort(sorted, runs, sizeof *sorted, by_size);
}

void place_watch_medians(struct place_watch *w, const double *times, unsigned runs)
{
    double sorted[PLACE_RUNS_MOST];
    for (size_t i = 0; i < w->net->node_count; i++) {
        sort_times(times + i, w->net->node_count, runs, sorted);
        w->seconds[i] = sorted[runs / 2];
    }
}

/* ---- calibration --------------------------------------------------------------------------------- */

/* Random bytes, of floats random numbers from -1 to 1. */
static void fill(struct random *random, struct view *v)
{
    float *reals = v->data;
    uint8_t *bytes = v->data;
    if (v->type == NET_FLOAT)
        for (size_t i = 0; i < v->count; i++)
            reals[i] = (float)random_below(random, 2001) / 1000 - 1;
    else if (net_type_bits(v->type) <= 16 && v->type != NET_FLOAT16 && v->type != NET_BFLOAT16)
        for (size_t i = 0; i < net_type_bytes(v->type, v->count); i++)
            bytes[i] = (uint8_t)random_next(random);
}

static bool set_input(struct net *net, struct run *run, struct tensor *t, struct random *random,
                      struct diag *diag)
{
    struct view v = {.type = t->type, .rank = t->shape ? t->shape->rank : -1, .count = 1};
    bool known = v.rank >= 0;
    for (int i = 0; known && i < v.rank; i++) {
        known = !t->shape->dim[i].term;
        v.dim[i] = t->shape->dim[i].value;
        v.count *= (size_t)v.dim[i];
    }
    if (!known) {
        diag_error(diag, (struct place){.file = net->source[0].path},
                   "input \"%.60s\" has dimensions without a size; give --shape", t->name);
        return false;
    }
    v.data = calloc(v.count + 1, 8);
    if (v.data)
        fill(random, &v);
    else
        diag_no_memory(diag, net->source[0].path);
    const bool ok = v.data && run_set(run, t, &v);
    free(v.data);
    return ok;
}

/* One run; the times of its nodes go to `to`. */
static bool run_once(struct net *net, double *to, struct place_features *what, double *rest,
                     struct diag *diag)
{
    struct random random = {1};
    struct place_watch watch = {.seconds = NULL};
    struct run *run = run_new(net, diag);
    bool ok = run != NULL;
    for (size_t i = 0; ok && i < net->input_count; i++)
        ok = set_input(net, run, net->inputs[i], &random, diag);
    if (ok && !place_watch_begin(&watch, net, run)) {
        diag_no_memory(diag, net->source[0].path);
        ok = false;
    }
    ok = ok && run_nodes(run);
    place_watch_end(&watch);
    *rest = net->node_count ? (watch.all - watch.kernels) / (double)net->node_count : 0;
    for (size_t i = 0; ok && i < net->node_count; i++) {
        to[i] = watch.seconds[i];
        if (!place_features(net->nodes[i], &what[i]))
            to[i] = 0;
    }
    place_watch_free(&watch);
    run_free(run);
    return ok;
}

/* Adds the median of times, which are `stride` apart, and their spread; times of 0 are left out. */
static bool add_median(const double *times, size_t stride, unsigned runs, const struct place_features *what,
                       struct place_library *library)
{
    double sorted[PLACE_RUNS_MOST];
    sort_times(times, stride, runs, sorted);
    const double median = sorted[runs / 2];
    const struct place_entry entry = {
        .what = *what,
        .seconds = median,
        .spread = median > 0 ? (sorted[3 * runs / 4] - sorted[runs / 4]) / 2 / median : 0};
    return median <= 0 || place_library_add(library, &entry);
}

bool place_calibrate(struct net *net, unsigned runs, struct place_library *library, struct diag *diag)
{
    double rest[PLACE_RUNS_MOST];
    runs = runs < 1 ? 1 : runs > PLACE_RUNS_MOST ? PLACE_RUNS_MOST : runs;
    double *times = calloc((net->node_count + 1) * runs, sizeof *times);
    struct place_features *what = calloc(net->node_count + 1, sizeof *what);
    bool ok = times && what && run_once(net, times, what, rest, diag); /* makes what runs keep of weights */
    for (unsigned r = 0; ok && r < runs; r++)
        ok = run_once(net, times + r * net->node_count, what, rest + r, diag);
    for (size_t i = 0; ok && i < net->node_count; i++)
        ok = add_median(times + i, net->node_count, runs, &what[i], library);
    ok = ok && add_median(rest, 1, runs, &(struct place_features){PLACE_REST_KEY, 1, 0}, library);
    if (!times || !what)
        diag_no_memory(diag, net->source[0].path);
    free(times);
    free(what);
    return ok;
}
