/* SPDX-License-Identifier: Apache-2.0
 *
 * Equalisation: the results of a layer are divided, channel by channel, by a factor
 * that the next layer's weights are multiplied by, so that the largest weights of a
 * channel are alike in both. Between them are only nodes for which f(a x) = a f(x).
 * Factors are powers of two: what the network computes in floats stays to the bit.
 */
#include <math.h>
#include <stdlib.h>

#include "host/net/quantise/quantiser.h"

/* Factors beyond 2^POWER_MOST would only bring numbers that are too small for floats. */
enum { POWER_MOST = 12, ROUNDS = 20 };

static bool keeps_factors(const struct node *node)
{
    static const char *const list[] = {"Relu",        "LeakyRelu",         "MaxPool",
                                       "AveragePool", "GlobalAveragePool", "GlobalMaxPool"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (is_op(node, list[i]))
            return is_plain(node);
    return false;
}

/* The layer that alone reads what the layer gives; NULL: there is none. */
static struct layer *next_of(const struct quantiser *q, const struct layer *l)
{
    const struct node *node = reader_of(q->net, l->node->outputs[0]);
    while (node && keeps_factors(node))
        node = reader_of(q->net, node->outputs[0]);
    struct layer *next = node ? layer_of(q, node) : NULL;
    return next && next->inputs == l->channels ? next : NULL;
}

static void largest(const struct layer *l, bool of_inputs, double *most)
{
    for (size_t i = 0; i < l->count; i++) {
        const size_t c = of_inputs ? layer_input(l, i) : layer_output(l, i);
        most[c] = fmax(most[c], fabs((double)l->w[i]));
    }
}

/* The power of two for a channel. */
static int power(double first, double second)
{
    const double half = first > 0 && second > 0 ? nearbyint(log2(first / second) / 2) : 0;
    return (int)fmin(POWER_MOST, fmax(-POWER_MOST, half));
}

static void scale_weights(struct layer *l, bool of_inputs, const int *powers)
{
    for (size_t i = 0; i < l->count; i++) {
        const int by = of_inputs ? powers[layer_input(l, i)] : -powers[layer_output(l, i)];
        l->w[i] = ldexpf(l->w[i], by);
        if (l->full)
            l->full[i] = ldexpf(l->full[i], by);
    }
    for (size_t c = 0; !of_inputs && l->b && c < l->channels; c++)
        l->b[c] = ldexpf(l->b[c], -powers[c]);
}

/* Whether anything changed; -1: out of memory. */
static int equalise(struct layer *l, struct layer *next)
{
    double *first = calloc(2 * l->channels + 1, sizeof *first), *second = first + l->channels;
    int *powers = calloc(l->channels + 1, sizeof *powers), changed = first && powers ? 0 : -1;
    if (!changed) {
        largest(l, false, first);
        largest(next, true, second);
        for (size_t c = 0; c < l->channels; c++) {
            powers[c] = power(first[c], second[c]);
            changed |= powers[c] != 0;
        }
        scale_weights(l, false, powers);
        scale_weights(next, true, powers);
    }
    free(first);
    free(powers);
    return changed;
}

bool quantiser_equalise(struct quantiser *q)
{
    int changed = q->options->equalise;
    for (int round = 0; changed > 0 && round < ROUNDS; round++) {
        changed = 0;
        for (size_t i = 0; changed >= 0 && i < q->layer_count; i++) {
            struct layer *next = next_of(q, &q->layers[i]);
            const int now = next ? equalise(&q->layers[i], next) : 0;
            changed = now < 0 ? now : changed | now;
        }
    }
    return changed >= 0 || quantiser_no_memory(q);
}
