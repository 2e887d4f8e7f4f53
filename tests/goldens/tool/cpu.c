/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/goldens/tool/cpu.h"

#include "tests/goldens/tool/device.h"
#include "tests/host_net/graphs.h"

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

void exact_answer(struct golden *golden, const struct exact *what, struct answer *answer)
{
    static const struct net none;
    static const struct node nothing = {.name = "", .type = ""};
    const struct call call = {.net = &none, .node = &nothing};
    if (golden->device)
        device_run(golden, what, answer);
    else if (golden->diag->errors || !exact_run(&call, what))
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "the kernel cannot be run");
    else
        cpu_values(what->y, answer->values);
}

static const float one = 1;
static const int32_t none = 0;

static bool set_windows(struct net *net, struct node *node, const struct slide *s)
{
    const int64_t pads[] = {s->pad[0], s->pad[1], s->pad_end[0], s->pad_end[1]};
    return node_set_text(net, node, "layout", "NHWC") &&
           node_set_integers(net, node, "kernel_shape", s->kernel, 2) &&
           node_set_integers(net, node, "strides", s->stride, 2) &&
           node_set_integers(net, node, "pads", pads, 4);
}

void cpu_node(struct golden *golden, const char *type, const struct view *const *in, size_t count,
              const struct slide *windows, const struct view *out)
{
    const struct quantisation same = {1, 0, &one, &none};
    struct operand operands[2] = {{.scales = same}, {.scales = same}};
    const struct operand result = {*out, same};
    const struct operand *list[] = {&operands[0], &operands[1]};
    struct node *node;
    for (size_t i = 0; i < count; i++)
        operands[i].view = *in[i];
    struct net *net = graph_of("", type, list, count, &result, &node);
    const bool ok =
        net && (!windows || set_windows(net, node, windows)) && graph_run(net, list, &result, golden->diag);
    if (!ok && !golden->diag->errors)
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "the node cannot be run");
    net_free(net);
}
