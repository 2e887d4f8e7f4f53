/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/pass/opset.h"

#include <string.h>

enum { OPSET_BROADCASTS = 7 };

/* Operators that mean the same in operator sets 7 to 13, but for attributes that became inputs. */
static const char *const same[] = {"Add",
                                   "AveragePool",
                                   "Cast",
                                   "Clip",
                                   "Concat",
                                   "Constant",
                                   "Conv",
                                   "Div",
                                   "Flatten",
                                   "Floor",
                                   "Gather",
                                   "Gemm",
                                   "GlobalAveragePool",
                                   "Identity",
                                   "MatMul",
                                   "MaxPool",
                                   "Mul",
                                   "Relu",
                                   "Reshape",
                                   "Shape",
                                   "Sigmoid",
                                   "Squeeze",
                                   "Sub",
                                   "Tanh",
                                   "Transpose",
                                   "Unsqueeze"};

static bool is_same(const struct node *node)
{
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (is_op(node, same[i]))
            return true;
    return false;
}

static void remove_attribute(struct node *node, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, name) != 0)
            node->attributes[count++] = node->attributes[i];
    node->attribute_count = count;
}

/* An attribute becomes an input; others before it are left out where they are not there. */
static void to_input(struct edit *e, struct node *node, const char *name, size_t at)
{
    const struct attribute *a = node_attribute(node, name);
    const struct shape list = {.rank = 1, .dim = {{a ? (int64_t)a->count : 0, NULL}}}, scalar = {.rank = 0};
    if (!a)
        return;
    struct tensor **inputs = arena_take(&e->net->arena, at + 1, sizeof(struct tensor *));
    struct tensor *t = a->integers ? edit_constant(e, name, NET_INT64, &list, a->integers)
                                   : edit_constant(e, name, NET_FLOAT, &scalar, a->reals);
    e->failed |= !inputs;
    if (e->failed)
        return;
    memcpy(inputs, node->inputs, node->input_count * sizeof *inputs);
    inputs[at] = t;
    node->inputs = inputs;
    node->input_count = at + 1;
    t->users++;
    remove_attribute(node, name);
}

bool opset_raise(struct edit *e)
{
    struct net *net = e->net;
    const unsigned before = net->opset;
    bool ok = before >= OPSET_BROADCASTS;
    for (size_t i = 0; before < OPSET_RAISED && i < net->node_count; i++)
        ok = ok && (net->nodes[i]->gone || is_same(net->nodes[i]));
    if (!ok || before >= OPSET_RAISED)
        return ok;
    net->opset = OPSET_RAISED;
    for (size_t i = 0; i < net->node_count; i++) {
        struct node *node = net->nodes[i];
        node->op = operator_find(node->domain, node->type, net->opset);
        if (is_op(node, "Clip")) {
            to_input(e, node, "min", 1);
            to_input(e, node, "max", 2);
        } else if (is_op(node, "Squeeze") || is_op(node, "Unsqueeze"))
            to_input(e, node, "axes", 1);
    }
    e->changes++;
    return !e->failed;
}
