/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tensors get integers: operands and results of layers, with a ReLU or Clip
 * behind them taken as a part of the layer; what nodes make of such tensors that only
 * move, join or choose elements, with the same scale; and results of sums, products,
 * means and functions of them. All others stay floats.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/quantise/quantiser.h"

static bool is_in(const struct node *node, const char *const *list)
{
    for (; *list; list++)
        if (is_op(node, *list))
            return is_plain(node);
    return false;
}

static bool moves(const struct node *node)
{
    static const char *const list[] = {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze",
                                       "MaxPool", "Slice",     "Concat",  NULL};
    return is_in(node, list) && node->output_count == 1;
}

/* Operators that a device has for integers, but that are no layers. */
static bool computes(const struct node *node)
{
    static const char *const list[] = {"Add",        "Sub",  "Mul",       "AveragePool", "GlobalAveragePool",
                                       "ReduceMean", "Relu", "Clip",      "LeakyRelu",   "PRelu",
                                       "Sigmoid",    "Tanh", "HardSwish", "Elu",         "GlobalMaxPool",
                                       NULL};
    return is_in(node, list);
}

static bool is_real(const struct tensor *t)
{
    return t && t->type == NET_FLOAT && !t->constant && !t->variable && !t->quantisation;
}

struct site *site_of(const struct quantiser *q, const struct tensor *t)
{
    for (size_t i = 0; i < q->site_count; i++)
        if (q->sites[i].tensor == t)
            return &q->sites[i];
    return NULL;
}

/* The place of a tensor's site, which is made where there is none. */
static size_t site_at(struct quantiser *q, struct tensor *t)
{
    const struct site *s = site_of(q, t);
    if (s)
        return (size_t)(s - q->sites);
    q->sites[q->site_count] = (struct site){.tensor = t, .group = q->site_count};
    return q->site_count++;
}

/* The result of a node with the function that follows it alone. */
static struct tensor *result_of(const struct quantiser *q, const struct node *node)
{
    static const char *const limits[] = {"Relu", "Clip", NULL};
    struct node *next = reader_of(q->net, node->outputs[0]);
    return next && is_in(next, limits) ? next->outputs[0] : node->outputs[0];
}

static size_t group_of(const struct quantiser *q, size_t site)
{
    while (q->sites[site].group != site)
        site = q->sites[site].group;
    return site;
}

static void join(struct quantiser *q, size_t a, size_t b)
{
    a = group_of(q, a);
    b = group_of(q, b);
    q->sites[a < b ? b : a].group = a < b ? a : b;
}

/* ---- from layers on ------------------------------------------------------------------------------ */

static void add_layer(struct quantiser *q, struct layer *l)
{
    l->in = site_at(q, l->node->inputs[0]);
    l->out = site_at(q, result_of(q, l->node));
}

static bool reads_site(const struct quantiser *q, const struct node *node)
{
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] && site_of(q, node->inputs[i]))
            return true;
    return false;
}

/* A moved tensor has its source's numbers. */
static void add_moved(struct quantiser *q, const struct node *node)
{
    const size_t count = is_op(node, "Concat") ? node->input_count : 1;
    for (size_t i = 0; i < count; i++)
        if (!is_real(node->inputs[i]))
            return;
    const size_t to = site_at(q, node->outputs[0]);
    for (size_t i = 0; i < count; i++)
        join(q, to, site_at(q, node->inputs[i]));
    q->sites[to].moved = true;
}

static void add_computed(struct quantiser *q, const struct node *node)
{
    for (size_t i = 0; i < node->input_count; i++)
        if (is_real(node->inputs[i]))
            site_at(q, node->inputs[i]);
    site_at(q, result_of(q, node));
}

static void add_node(struct quantiser *q, const struct node *node)
{
    if (moves(node))
        add_moved(q, node);
    else if (computes(node))
        add_computed(q, node);
}

bool quantiser_sites(struct quantiser *q)
{
    size_t before;
    q->sites = calloc(q->net->tensor_count + 1, sizeof *q->sites);
    if (!q->sites)
        return quantiser_no_memory(q);
    do {
        before = q->site_count;
        for (size_t i = 0; i < q->net->node_count; i++) {
            const struct node *node = q->net->nodes[i];
            struct layer *l = layer_of(q, node);
            if (l)
                add_layer(q, l);
            else if (reads_site(q, node) && is_real(node->outputs[0]))
                add_node(q, node);
        }
    } while (before != q->site_count);
    for (size_t i = 0; i < q->site_count; i++)
        q->sites[i].group = group_of(q, i);
    return true;
}
