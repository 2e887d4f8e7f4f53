/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/goldens/tool/cpu.h"

static const enum net_type types[] = {[GOLDEN_INT8] = NET_INT8,
                                      [GOLDEN_INT16] = NET_INT16,
                                      [GOLDEN_INT32] = NET_INT32,
                                      [GOLDEN_INT64] = NET_INT64};

struct view cpu_view(struct golden *golden, enum golden_type type, const int64_t *values, size_t count)
{
    struct view view = {.type = types[type],
                        .rank = 1,
                        .dim = {(int64_t)count},
                        .count = count,
                        .data = golden_values(golden, count)};
    for (size_t i = 0; view.data && values && i < count; i++)
        view_set_integer(&view, i, values[i]);
    return view;
}

void cpu_values(const struct view *view, int64_t *to)
{
    for (size_t i = 0; i < view->count; i++)
        to[i] = view_integer(view, i);
}

static const float one = 1;
static const int32_t none = 0;
static const struct quantisation same = {1, 0, &one, &none};

static struct tensor *add_tensor(struct net *net, const struct view *view, const char *name)
{
    struct tensor *t = net_new_tensor(net, name);
    struct shape shape = {.rank = view->rank};
    for (int i = 0; i < view->rank; i++)
        shape.dim[i] = dim_number(view->dim[i]);
    if (!t || !net_shape(net, t, &shape))
        return NULL;
    t->type = view->type;
    t->quantisation = &same;
    return t;
}

static bool set_windows(struct net *net, struct node *node, const struct slide *s)
{
    const int64_t pads[] = {s->pad[0], s->pad[1], s->pad_end[0], s->pad_end[1]};
    return node_set_text(net, node, "layout", "NHWC") &&
           node_set_integers(net, node, "kernel_shape", s->kernel, 2) &&
           node_set_integers(net, node, "strides", s->stride, 2) &&
           node_set_integers(net, node, "pads", pads, 4);
}

static bool run_node_on(struct net *net, struct diag *diag, const char *type, const struct view *const *in,
                        size_t count, const struct slide *windows, const struct view *out)
{
    struct node *node = net_node(net, type, count, 1);
    struct view result;
    if (!node || (windows && !set_windows(net, node, windows)))
        return false;
    node->op = operator_find("", type, net->opset);
    node->name = type;
    for (size_t i = 0; i < count; i++) {
        node->inputs[i] = add_tensor(net, in[i], "in");
        if (!node->inputs[i] || !net_add_input(net, node->inputs[i]))
            return false;
    }
    node->outputs[0] = add_tensor(net, out, "out");
    if (!node->outputs[0] || !net_add_node(net, node))
        return false;
    struct run *run = run_new(net, diag);
    bool ok = run != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = run_set(run, node->inputs[i], in[i]);
    ok = ok && run_nodes(run) && run_get(run, node->outputs[0], &result) && result.count == out->count;
    for (size_t i = 0; ok && i < out->count; i++)
        view_set_integer(out, i, view_integer(&result, i));
    run_free(run);
    return ok;
}

void cpu_node(struct golden *golden, const char *type, const struct view *const *in, size_t count,
              const struct slide *windows, const struct view *out)
{
    struct net *net = net_new(1 << 20);
    if (net)
        net->opset = 17;
    if ((!net || !run_node_on(net, golden->diag, type, in, count, windows, out)) && !golden->diag->errors)
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "the node cannot be run");
    net_free(net);
}
