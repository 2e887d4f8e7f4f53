/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/pass/opset.h"

#include <string.h>

enum { OPSET_BROADCASTS = 7 };

/* Operators that mean the same in operator sets 7 to 21, but for attributes that became inputs. */
static const char *const same[] = {
    "Add",       "AveragePool", "Cast",      "Clip",    "Concat",  "Constant", "Conv",
    "Div",       "Elu",         "Flatten",   "Floor",   "Gather",  "Gemm",     "GlobalAveragePool",
    "Identity",  "LRN",         "LeakyRelu", "MatMul",  "MaxPool", "Mul",      "PRelu",
    "Relu",      "Reshape",     "Shape",     "Sigmoid", "Squeeze", "Sub",      "Tanh",
    "Transpose", "Unsqueeze",   NULL};
/* The same in operator sets 13 to 21 only. */
static const char *const since_13[] = {
    "BatchNormalization", "ConvTranspose", "LogSoftmax", "Slice", "Softmax", NULL};

static bool is_one_of(const struct node *node, const char *const *list)
{
    for (; *list; list++)
        if (is_op(node, *list))
            return true;
    return false;
}

/* Before operator set 13, Softmax is of all dimensions from its axis on, the second one by default. */
static bool is_last_softmax(const struct node *node)
{
    const struct shape *shape = is_op(node, "Softmax") ? node->inputs[0]->shape : NULL;
    const int64_t axis = shape && node_attribute(node, "axis") ? node_integer(node, "axis") : 1;
    return shape && (axis < 0 ? axis + shape->rank : axis) == shape->rank - 1;
}

static bool is_same(const struct node *node, unsigned opset)
{
    return node->gone || is_one_of(node, same) ||
           (opset < OPSET_RAISED ? is_last_softmax(node) : is_one_of(node, since_13));
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

static void raise_node(struct edit *e, struct node *node)
{
    node->op = operator_find(node->domain, node->type, e->net->opset);
    if (is_op(node, "Clip")) {
        to_input(e, node, "min", 1);
        to_input(e, node, "max", 2);
    } else if (is_op(node, "Squeeze") || is_op(node, "Unsqueeze")) {
        to_input(e, node, "axes", 1);
    } else if (is_op(node, "Softmax")) {
        e->failed |= !node_set_integer(e->net, node, "axis", node->inputs[0]->shape->rank - 1);
    }
}

bool opset_raise(struct edit *e, unsigned to)
{
    struct net *net = e->net;
    const unsigned before = net->opset;
    bool ok = before >= OPSET_BROADCASTS;
    for (size_t i = 0; before < to && i < net->node_count; i++)
        ok = ok && is_same(net->nodes[i], before);
    if (!ok || before >= to)
        return ok;
    net->opset = to;
    for (size_t i = 0; i < net->node_count; i++) {
        if (before < OPSET_RAISED)
            raise_node(e, net->nodes[i]);
        else
            net->nodes[i]->op = operator_find(net->nodes[i]->domain, net->nodes[i]->type, to);
    }
    e->changes++;
    return !e->failed;
}
