/* SPDX-License-Identifier: Apache-2.0
 *
 * Pruning: weights of little magnitude become zero. Of equal ones the first go. What
 * is zero already counts as pruned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/quantise/quantiser.h"

struct entry {
    double magnitude;
    size_t place;
    float *weight; /* NULL: `place` is a channel */
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->magnitude != y->magnitude)
        return x->magnitude < y->magnitude ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static size_t part_of(double share, size_t count)
{
    return (size_t)floor(share * (double)count + 1e-9);
}

static size_t list_weights(const struct layer *l, struct entry *list, size_t first)
{
    for (size_t i = 0; i < l->count; i++)
        list[i] = (struct entry){fabs((double)l->w[i]), first + i, &l->w[i]};
    return l->count;
}

/* Of the weights of these layers together. */
static bool prune_share(const struct quantiser *q, const struct layer *layers, size_t count)
{
    size_t all = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        all += layers[i].count;
    struct entry *list = calloc(all + 1, sizeof *list);
    if (!list)
        return quantiser_no_memory(q);
    for (size_t i = 0; i < count; i++)
        at += list_weights(&layers[i], list + at, at);
    qsort(list, all, sizeof *list, compare);
    for (size_t i = 0; i < part_of(q->options->prune.share, all); i++)
        *list[i].weight = 0;
    free(list);
    return true;
}

/* The distance between weights of neighbouring input channels, and how many there are in a row. */
static void input_steps(const struct layer *l, size_t *step, size_t *row)
{
    *row = l->inputs / l->groups;
    *step = l->columns ? l->channels : l->inner / *row;
}

/* All but the largest of a block of input channels; weight k of it is first[k * step]. */
static void prune_block(float *first, size_t step, size_t length, size_t keep)
{
    struct entry list[PRUNE_BLOCK_MOST];
    for (size_t k = 0; k < length; k++)
        list[k] = (struct entry){fabs((double)first[k * step]), k, &first[k * step]};
    qsort(list, length, sizeof *list, compare);
    for (size_t k = 0; k + keep < length; k++)
        *list[k].weight = 0;
}

static void prune_pattern(const struct layer *l, unsigned keep, unsigned of)
{
    size_t step, row;
    input_steps(l, &step, &row);
    for (size_t i = 0; row > 1 && i < l->count; i++) {
        const size_t channel = i / step % row;
        if (channel % of == 0)
            prune_block(&l->w[i], step, row - channel < of ? row - channel : of, keep);
    }
}

/* Whether the result of a layer is an operand of another one, by any way. */
static bool leads_on(const struct quantiser *q, const struct layer *l)
{
    const struct net *net = q->net;
    const struct tensor **reached = calloc(net->tensor_count + 1, sizeof *reached);
    size_t count = 0;
    bool found = !reached;
    if (reached)
        reached[count++] = l->node->outputs[0];
    for (size_t i = 0; !found && i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        bool reads = false;
        for (size_t k = 0; k < node->input_count; k++)
            for (size_t t = 0; t < count && !reads; t++)
                reads = node->inputs[k] == reached[t];
        found = reads && layer_of(q, node);
        for (size_t k = 0; reads && k < node->output_count && count < net->tensor_count; k++)
            reached[count++] = node->outputs[k];
    }
    free(reached);
    return found;
}

static bool prune_channels(const struct quantiser *q, const struct layer *l)
{
    struct entry *list = calloc(l->channels + 1, sizeof *list);
    if (!list)
        return quantiser_no_memory(q);
    for (size_t c = 0; c < l->channels; c++)
        list[c].place = c;
    for (size_t i = 0; i < l->count; i++)
        list[layer_output(l, i)].magnitude += fabs((double)l->w[i]);
    qsort(list, l->channels, sizeof *list, compare);
    const size_t part = part_of(q->options->prune.channels, l->channels);
    for (size_t k = 0; k < part; k++)
        for (size_t from = list[k].place * l->inner; from < l->count; from += l->channels * l->inner)
            memset(&l->w[from], 0, l->inner * sizeof *l->w);
    free(list);
    return true;
}

/* What the weights were, for corrections of biases. */
static bool keep_full(const struct quantiser *q, struct layer *l)
{
    l->full = malloc(l->count * sizeof *l->full);
    if (!l->full)
        return quantiser_no_memory(q);
    memcpy(l->full, l->w, l->count * sizeof *l->full);
    return true;
}

bool quantiser_prune(struct quantiser *q)
{
    const struct prune_options *o = &q->options->prune;
    bool ok = true;
    if (o->share <= 0 && o->channels <= 0 && !o->of)
        return true;
    for (size_t i = 0; ok && i < q->layer_count; i++)
        ok = keep_full(q, &q->layers[i]);
    for (size_t i = 0; ok && o->channels > 0 && i < q->layer_count; i++)
        ok = !leads_on(q, &q->layers[i]) || prune_channels(q, &q->layers[i]);
    for (size_t i = 0; ok && o->of && i < q->layer_count; i++)
        prune_pattern(&q->layers[i], o->keep, o->of);
    if (ok && o->share > 0 && o->global)
        ok = prune_share(q, q->layers, q->layer_count);
    for (size_t i = 0; ok && o->share > 0 && !o->global && i < q->layer_count; i++)
        ok = prune_share(q, &q->layers[i], 1);
    return ok;
}
