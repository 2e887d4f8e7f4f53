/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net/graphs.h"

#include <string.h>

struct operand operand_of(enum net_type type, int rank, const int64_t *dim, void *numbers, float scale,
                          int32_t zero)
{
    static float scales[64];
    static int32_t zeros[64];
    static unsigned next;
    struct operand o = {.view = {.type = type, .rank = rank, .count = 1, .data = numbers}};
    for (int i = 0; i < rank; i++) {
        o.view.dim[i] = dim[i];
        o.view.count *= (size_t)dim[i];
    }
    scales[next % 64] = scale;
    zeros[next % 64] = zero;
    if (scale > 0)
        o.scales = (struct quantisation){1, 0, &scales[next % 64], &zeros[next % 64]};
    next++;
    return o;
}

static struct tensor *add_tensor(struct net *net, const struct operand *o, const char *name)
{
    struct tensor *t = net_new_tensor(net, name);
    struct shape shape = {.rank = o->view.rank};
    for (int i = 0; i < o->view.rank; i++)
        shape.dim[i] = dim_number(o->view.dim[i]);
    if (!t || !net_shape(net, t, &shape))
        return NULL;
    t->type = o->view.type;
    t->quantisation = o->scales.count ? &o->scales : NULL;
    return t;
}

static struct node *add_node(struct net *net, const char *domain, const char *type,
                             const struct operand *const *in, size_t count, const struct operand *out)
{
    struct node *node = net_node(net, type, count, 1);
    if (!node)
        return NULL;
    node->domain = domain;
    node->op = operator_find(domain, type, net->opset);
    node->name = type;
    for (size_t i = 0; i < count; i++) {
        if (!in[i])
            continue;
        node->inputs[i] = add_tensor(net, in[i], "in");
        if (!node->inputs[i] || !net_add_input(net, node->inputs[i]))
            return NULL;
    }
    node->outputs[0] = add_tensor(net, out, "out");
    return node->outputs[0] && net_add_node(net, node) ? node : NULL;
}

struct net *graph_of(const char *domain, const char *type, const struct operand *const *in, size_t count,
                     const struct operand *out, struct node **node)
{
    struct net *net = net_new(1 << 20);
    if (!net)
        return NULL;
    net->opset = 17;
    *node = add_node(net, domain, type, in, count, out);
    if (*node)
        return net;
    net_free(net);
    return NULL;
}

bool graph_run(struct net *net, const struct operand *const *in, const struct operand *out, struct diag *diag)
{
    const struct node *node = net->nodes[0];
    struct run *run = run_new(net, diag);
    struct view result;
    bool ok = run != NULL;
    for (size_t i = 0; ok && i < node->input_count; i++)
        ok = !in[i] || !in[i]->view.data || run_set(run, node->inputs[i], &in[i]->view);
    ok = ok && run_nodes(run) && run_get(run, node->outputs[0], &result) && result.count == out->view.count;
    if (ok)
        memcpy(out->view.data, result.data, result.count * type_bytes(result.type));
    run_free(run);
    return ok;
}
