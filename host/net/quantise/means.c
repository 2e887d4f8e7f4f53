/* SPDX-License-Identifier: Apache-2.0
 *
 * Means of output channels. Pruned or rounded weights move the mean of a channel's
 * results, which its bias can move back. For pruning, which moves much and makes
 * results smaller, a factor of the channel's weights gives the deviation from the mean
 * back, too. That is done layer after layer, each with the operands that the layers
 * before give after their own repair. For rounding it is done for all layers at once,
 * each with the operands that the floats give.
 */
#include <math.h>
#include <stdlib.h>

#include "host/net/cpu/kernel.h"
#include "host/net/quantise/quantiser.h"

/* Means of an output channel's results, and of their squares. */
struct mean {
    double value, square;
};

/* Runs a layer with those weights, and adds a part of the means of its result in this run. */
static bool add_means(struct run *run, const struct layer *l, const float *weights, double part,
                      struct mean *to)
{
    struct tensor *own = l->node->inputs[1], other = *own;
    struct view v = {.rank = 0};
    size_t inner = 1;
    other.values.at = (const uint8_t *)weights;
    l->node->inputs[1] = &other;
    const bool ok = run_step(run, l->node) && run_get(run, l->node->outputs[0], &v);
    l->node->inputs[1] = own;
    for (int i = 2; is_op(l->node, "Conv") && i < v.rank; i++)
        inner *= (size_t)v.dim[i];
    const double each = part * (double)l->channels / (double)(v.count ? v.count : 1);
    for (size_t i = 0; ok && i < v.count; i++) {
        const double value = view_real_of(&v, i);
        to[i / inner % l->channels].value += each * value;
        to[i / inner % l->channels].square += each * value * value;
    }
    return ok;
}

/* ---- repairs after pruning ----------------------------------------------------------------------- */

enum { RUNS_MOST = 1000 }; /* of layers: with more, a part of the samples, evenly spread, is enough */

struct repair {
    struct quantiser *q;
    struct mean **wanted; /* of each channel of each layer, before pruning */
    size_t samples;
};

static struct run *begin(const struct repair *r, size_t i)
{
    const size_t sample = i * r->q->samples->count / r->samples;
    return sample_run(r->q->net, r->q->samples, sample, r->q->diag);
}

static bool add_wanted(const struct repair *r)
{
    struct quantiser *q = r->q;
    bool ok = true;
    for (size_t i = 0; ok && i < r->samples; i++) {
        struct run *run = begin(r, i);
        ok = run != NULL;
        for (size_t k = 0; ok && k < q->net->node_count; k++) {
            struct layer *l = layer_of(q, q->net->nodes[k]);
            ok = l ? add_means(run, l, l->full, 1 / (double)r->samples, r->wanted[l - q->layers])
                   : run_step(run, q->net->nodes[k]);
        }
        run_free(run);
    }
    return ok;
}

static bool add_now(const struct repair *r, const struct layer *l, struct mean *now)
{
    const struct net *net = r->q->net;
    bool ok = true;
    for (size_t i = 0; ok && i < r->samples; i++) {
        struct run *run = begin(r, i);
        ok = run != NULL;
        for (size_t k = 0; ok && net->nodes[k] != l->node; k++)
            ok = run_step(run, net->nodes[k]);
        ok = ok && add_means(run, l, l->w, 1 / (double)r->samples, now);
        run_free(run);
    }
    return ok;
}

static double deviation(const struct mean *m)
{
    return sqrt(fmax(0, m->square - m->value * m->value));
}

/* The factor that gives a channel's results the deviation they had. */
static double factor_of(const struct mean *wanted, const struct mean *now)
{
    static const double most = 4;
    const double to = deviation(wanted), from = deviation(now);
    return from > 0 && to > 0 ? fmin(most, fmax(1 / most, to / from)) : 1;
}

static bool repair_layer(const struct repair *r, struct layer *l)
{
    const struct mean *wanted = r->wanted[l - r->q->layers];
    struct mean *now = calloc(l->channels + 1, sizeof *now);
    if (!now)
        return quantiser_no_memory(r->q);
    const bool ok = add_now(r, l, now);
    for (size_t i = 0; ok && i < l->count; i++) {
        const size_t c = layer_output(l, i);
        l->w[i] *= (float)factor_of(&wanted[c], &now[c]);
    }
    for (size_t c = 0; ok && c < l->channels; c++) {
        const double factor = (double)(float)factor_of(&wanted[c], &now[c]);
        l->b[c] = (float)(wanted[c].value - factor * (now[c].value - (double)l->b[c]));
    }
    free(now);
    return ok;
}

bool quantiser_repair(struct quantiser *q)
{
    struct repair r = {q, calloc(q->layer_count + 1, sizeof *r.wanted), q->samples->count};
    bool ok = r.wanted != NULL;
    if (r.samples * q->layer_count > RUNS_MOST)
        r.samples = q->layer_count < RUNS_MOST ? RUNS_MOST / q->layer_count : 1;
    for (size_t i = 0; ok && i < q->layer_count; i++)
        ok = (r.wanted[i] = calloc(q->layers[i].channels + 1, sizeof **r.wanted)) != NULL;
    if (!ok)
        quantiser_no_memory(q);
    if (ok && q->options->correct && q->layers[0].full)
        ok = add_wanted(&r);
    for (size_t i = 0; ok && q->options->correct && i < q->layer_count; i++)
        ok = !q->layers[i].full || !q->layers[i].b || repair_layer(&r, &q->layers[i]);
    for (size_t i = 0; r.wanted && i < q->layer_count; i++)
        free(r.wanted[i]);
    free(r.wanted);
    return ok;
}

/* ---- corrections of rounding --------------------------------------------------------------------- */

/* A layer in floats, with what its integers stand for and with the weights themselves. */
static bool compare_means(struct quantiser *q, struct run *run, struct layer *l, double part)
{
    float *rounded = malloc(l->count * sizeof *rounded + 1);
    struct mean *means = calloc(l->channels + 1, sizeof *means);
    if (!rounded || !means) {
        free(rounded);
        free(means);
        return quantiser_no_memory(q);
    }
    for (size_t i = 0; i < l->count; i++)
        rounded[i] = (float)weight_code(l, i) * l->scale[l->scales > 1 ? layer_output(l, i) : 0];
    const bool ok = add_means(run, l, rounded, -part, means) && add_means(run, l, l->w, part, means);
    for (size_t c = 0; ok && c < l->channels; c++)
        l->shift[c] += means[c].value;
    free(rounded);
    free(means);
    return ok;
}

static bool correct_on(struct quantiser *q, struct run *run)
{
    bool ok = true;
    for (size_t i = 0; ok && i < q->net->node_count; i++) {
        struct node *node = q->net->nodes[i];
        struct layer *l = layer_of(q, node);
        ok = l && l->b ? compare_means(q, run, l, 1 / (double)q->samples->count) : run_step(run, node);
    }
    return ok;
}

bool quantiser_correct(struct quantiser *q)
{
    bool ok = true;
    for (size_t i = 0; ok && q->options->correct && i < q->samples->count; i++) {
        struct run *run = sample_run(q->net, q->samples, i, q->diag);
        ok = run && correct_on(q, run);
        run_free(run);
    }
    return ok;
}
