/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that give their input as it is go: Identity, Dropout when running, Cast to
 * the type that is there, Transpose and Reshape that change nothing, Concat and Sum
 * of one, Pad by nothing, windows of one element, a product with 1, and
 * QuantizeLinear behind a DequantizeLinear with the same numbers. Of two nodes behind
 * one another that only give their input another shape the later one is enough. All
 * results stay the same to the bit.
 */
#include <string.h>

#include "host/net/cpu/scaled.h"
#include "host/net/pass/list.h"

static bool same_shape(const struct tensor *a, const struct tensor *b)
{
    bool same = a->shape && b->shape && a->shape->rank == b->shape->rank;
    for (int i = 0; same && i < a->shape->rank; i++)
        same = dim_equal(a->shape->dim[i], b->shape->dim[i]);
    return same;
}

/* One dimension may have no size: it is what the others leave. */
static bool known_shape(const struct tensor *a, const struct tensor *b)
{
    unsigned open = 0;
    for (int i = 0; same_shape(a, b) && i < a->shape->rank; i++)
        open += a->shape->dim[i].term != NULL;
    return same_shape(a, b) && open <= 1;
}

static bool in_order(const struct node *node)
{
    size_t count;
    const int64_t *perm = node_integers(node, "perm", &count);
    bool same = perm != NULL;
    for (size_t i = 0; same && i < count; i++)
        same = perm[i] == (int64_t)i;
    return same;
}

/* Whether all numbers of a list are one; an attribute that is not there is. */
static bool all_are(const struct node *node, const char *name, int64_t value)
{
    size_t count;
    const int64_t *list = node_integers(node, name, &count);
    for (size_t i = 0; i < count; i++)
        if (list[i] != value)
            return false;
    return true;
}

static bool is_one_element(const struct node *node)
{
    size_t count;
    return node->output_count == 1 && node_integers(node, "kernel_shape", &count) && is_plain(node) &&
           all_are(node, "kernel_shape", 1) && all_are(node, "strides", 1) && all_are(node, "pads", 0);
}

static bool pads_nothing(struct edit *e, const struct node *node)
{
    unsigned count = 0;
    const struct dim *few = input_of(node, 1) ? derive_few(e->net, input_of(node, 1), &count) : NULL;
    if (!few)
        return !input_of(node, 1) && !node_attribute(node, "paddings") && node_attribute(node, "pads") &&
               all_are(node, "pads", 0);
    for (unsigned i = 0; i < count; i++)
        if (!dim_is(few[i], 0))
            return false;
    return true;
}

/* A product with 1 that does not broadcast. */
static struct tensor *times_one(const struct node *node)
{
    double value;
    for (size_t i = 0; i < 2; i++)
        if (edit_number(input_of(node, i), &value) && value == 1 && !input_of(node, i)->quantisation &&
            same_shape(input_of(node, 1 - i), node->outputs[0]))
            return input_of(node, 1 - i);
    return NULL;
}

static bool same_number(const struct tensor *a, const struct tensor *b)
{
    double x, y;
    return a == b || (a && b && a->type == b->type && edit_number(a, &x) && edit_number(b, &y) && x == y);
}

static struct tensor *quantised_before(const struct node *node)
{
    struct node *from = input_of(node, 0)->producer;
    if (!is_op(from, "DequantizeLinear") || from->inputs[0]->type != node->outputs[0]->type ||
        !same_number(input_of(from, 1), input_of(node, 1)) ||
        !same_number(input_of(from, 2), input_of(node, 2)))
        return NULL;
    return from->inputs[0];
}

/* The input that the node gives as it is; NULL: none. */
static struct tensor *same_input(struct edit *e, const struct node *node)
{
    struct tensor *x = input_of(node, 0);
    if (!x || node->outputs[0]->type != x->type)
        return x && is_op(node, "QuantizeLinear") ? quantised_before(node) : NULL;
    const bool inference = !input_of(node, 2) && (node->output_count < 2 || !node->outputs[1]) &&
                           (e->net->opset >= 7 || node_integer(node, "is_test"));
    const bool same =
        is_op(node, "Identity") || is_op(node, "Cast") || (is_op(node, "Dropout") && inference) ||
        (is_op(node, "Transpose") && in_order(node)) ||
        (is_op(node, "Reshape") && known_shape(x, node->outputs[0])) ||
        ((is_op(node, "Concat") || is_op(node, "Sum") || is_op(node, "Max") || is_op(node, "Min")) &&
         node->input_count == 1) ||
        (is_op(node, "Pad") && pads_nothing(e, node)) ||
        ((is_op(node, "MaxPool") || is_op(node, "AveragePool")) && is_one_element(node));
    if (same)
        return x;
    return is_op(node, "Mul") && node->input_count == 2 ? times_one(node) : NULL;
}

static bool shapes_anew(const struct node *node)
{
    return is_plain(node) && (is_op(node, "Reshape") || is_op(node, "Flatten") || is_op(node, "Squeeze") ||
                              is_op(node, "Unsqueeze"));
}

/* The sizes that a Reshape gives, of which one may follow from the others; NULL: more are not known, or the
 * memory is full. */
static struct tensor *sizes_of(struct edit *e, const struct node *node)
{
    const struct shape *shape = node->outputs[0]->shape;
    int64_t sizes[NET_RANK_MAX];
    unsigned open = 0;
    bool empty = !shape;
    for (int i = 0; shape && i < shape->rank; i++) {
        empty |= !shape->dim[i].term && !shape->dim[i].value;
        open += shape->dim[i].term != NULL;
        sizes[i] = shape->dim[i].term ? -1 : shape->dim[i].value;
    }
    if (empty || open > 1)
        return NULL;
    return net_integers(e->net, node->outputs[0]->name, sizes, (size_t)shape->rank);
}

/* A Reshape takes what the node before it has taken. */
static void pass_by(struct edit *e, struct node *node)
{
    struct tensor *between = node->inputs[0];
    const struct node *before = between ? between->producer : NULL;
    if (!is_op(node, "Reshape") || !shapes_anew(node) || !input_of(node, 1) || !before || before->gone ||
        !shapes_anew(before) || !input_of(before, 0) || !same_scale(before->inputs[0], between))
        return;
    struct tensor *sizes = sizes_of(e, node);
    if (!sizes)
        return;
    node->inputs[1]->users--;
    node->inputs[1] = sizes;
    sizes->users++;
    between->users--;
    node->inputs[0] = before->inputs[0];
    node->inputs[0]->users++;
    e->changes++;
}

bool pass_identities(struct edit *e)
{
    for (size_t i = 0; i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        if (!node->output_count || !node->outputs[0] || !node->input_count || node->gone)
            continue;
        pass_by(e, node);
        struct tensor *same = same_input(e, node);
        /* Quantised tensors must stand for the same numbers. */
        if (same && same_scale(same, node->outputs[0]))
            edit_bypass(e, node, same);
    }
    return true;
}
