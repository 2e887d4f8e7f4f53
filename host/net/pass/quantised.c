/* SPDX-License-Identifier: Apache-2.0
 *
 * A convolution or matrix product between DequantizeLinear and QuantizeLinear becomes
 * QLinearConv or QLinearMatMul; a Relu or Clip between them becomes limits of its
 * integers. Nodes that only move or choose elements get the integers themselves. The
 * integer operator rounds an exact sum once, where floats round at every step: with
 * scales that are powers of two all integers stay the same, with others a result
 * differs where a float was rounded the other way, by at most one. Limits and moves
 * change nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/list.h"

/* A DequantizeLinear or QuantizeLinear, and its numbers. */
struct scaling {
    struct node *node;
    struct tensor *integers, *scale, *zero; /* no zero: 0 */
};

static bool take(struct node *node, const char *type, struct scaling *to)
{
    if (!is_op(node, type) || node_integer(node, "block_size"))
        return false;
    *to = (struct scaling){node, !strcmp(type, "DequantizeLinear") ? input_of(node, 0) : node->outputs[0],
                           input_of(node, 1), input_of(node, 2)};
    return to->integers && has_values(to->scale) && to->scale->type == NET_FLOAT &&
           (!to->zero || has_values(to->zero)) &&
           (to->integers->type == NET_INT8 || to->integers->type == NET_UINT8 ||
            to->integers->type == NET_INT32);
}

static bool for_all(const struct scaling *s)
{
    double value;
    return s->integers->type != NET_INT32 && edit_number(s->scale, &value) &&
           (!s->zero || edit_number(s->zero, &value));
}

static bool same(const struct tensor *a, const struct tensor *b)
{
    double x, y;
    return a == b || (a && b && a->type == b->type && edit_number(a, &x) && edit_number(b, &y) && x == y);
}

static double zero_of(const struct scaling *s)
{
    double value = 0;
    if (s->zero)
        edit_number(s->zero, &value);
    return value;
}

/* The zero point, which integer operators must have, with as many numbers as the scale. */
static struct tensor *zero_tensor(struct edit *e, const struct scaling *s)
{
    static const uint8_t zeros[1] = {0};
    const struct shape scalar = {.rank = 0};
    if (s->zero)
        return s->zero;
    if (!s->scale->shape->rank)
        return edit_constant(e, s->integers->name, s->integers->type, &scalar, zeros);
    uint8_t *list = calloc((size_t)s->scale->shape->dim[0].value + 1, 1);
    e->failed |= !list;
    struct tensor *t =
        list ? edit_constant(e, s->integers->name, s->integers->type, s->scale->shape, list) : NULL;
    free(list);
    return t;
}

/* ---- what lies between --------------------------------------------------------------------------- */

struct region {
    struct scaling x, w, y, bias; /* bias.node NULL: none */
    struct node *product;
    struct node *function; /* NULL: none */
    double low, high;      /* limits of integers */
};

static double quantised(const struct scaling *y, double value)
{
    double scale = 1;
    edit_number(y->scale, &scale);
    return nearbyint((double)((float)value / (float)scale)) + zero_of(y);
}

/* The limits that the function means for integers. */
static bool take_function(struct region *r, struct node *function)
{
    double low = -INFINITY, high = INFINITY;
    if (is_op(function, "Relu"))
        low = 0;
    else if (!is_op(function, "Clip"))
        return false;
    if (node_attribute(function, "min"))
        low = node_real(function, "min");
    if (node_attribute(function, "max"))
        high = node_real(function, "max");
    if ((input_of(function, 1) && !edit_number(input_of(function, 1), &low)) ||
        (input_of(function, 2) && !edit_number(input_of(function, 2), &high)) || low > high)
        return false;
    r->low = fmax(r->low, quantised(&r->y, low));
    r->high = fmin(r->high, quantised(&r->y, high));
    r->function = function;
    return r->low <= r->high;
}

/* Scales of weights: one, or one for each output channel; zeros of weights may be one or as many. */
static bool weights_fit(const struct scaling *w, bool conv)
{
    const struct shape *s = w->scale->shape, *of = w->integers->shape;
    if (w->integers->type == NET_INT32 || !s || !of || of->rank < 2 || s->rank > 1)
        return false;
    if (s->rank == 0 || dim_is(s->dim[0], 1))
        return true;
    const int64_t axis = node_integer(w->node, "axis");
    const int64_t at = axis < 0 ? axis + of->rank : axis;
    return at == (conv ? 0 : of->rank - 1) && dim_equal(s->dim[0], of->dim[at]) && (conv || of->rank == 2);
}

/* A bias in int32 must have the scale of the products, and no zero point. */
static bool bias_fits(struct edit *e, const struct region *r)
{
    size_t biases = 0, weights = 0;
    double x = 0;
    bool ok = r->bias.integers->type == NET_INT32 && r->bias.integers->constant;
    double *b = edit_reals(e, r->bias.scale, &biases), *w = edit_reals(e, r->w.scale, &weights);
    struct value_reader zeros = value_reader(r->bias.zero ? r->bias.zero : r->bias.scale);
    uint64_t bits;
    edit_number(r->x.scale, &x);
    for (size_t i = 0; b && w && i < biases; i++)
        ok = ok && fabs(b[i] - x * w[weights > 1 ? i : 0]) <= 1e-6 * b[i];
    while (r->bias.zero && value_next(&zeros, &bits))
        ok = ok && value_integer(r->bias.zero->type, bits) == 0;
    ok = ok && b && w && (weights == 1 || biases == weights);
    free(b);
    free(w);
    return ok;
}

static bool take_region(struct edit *e, struct node *quantise, struct region *r)
{
    *r = (struct region){.low = -INFINITY, .high = INFINITY};
    if (!take(quantise, "QuantizeLinear", &r->y) || !for_all(&r->y))
        return false;
    struct node *before = sole_producer(input_of(quantise, 0));
    if (before && take_function(r, before))
        before = sole_producer(input_of(before, 0));
    const bool conv = is_op(before, "Conv");
    r->product = before;
    if ((!conv && !is_op(before, "MatMul")) || !is_plain(before) || !input_of(before, 0)->producer ||
        !input_of(before, 1)->producer || !take(input_of(before, 0)->producer, "DequantizeLinear", &r->x) ||
        !take(input_of(before, 1)->producer, "DequantizeLinear", &r->w) || !for_all(&r->x) ||
        !weights_fit(&r->w, conv))
        return false;
    if (!input_of(before, 2))
        return true;
    return input_of(before, 2)->producer &&
           take(input_of(before, 2)->producer, "DequantizeLinear", &r->bias) && bias_fits(e, r);
}

/* ---- the integer operator ------------------------------------------------------------------------ */

/* A limit that the type does not have already, as Max or Min behind the node. */
static struct node *limit(struct edit *e, struct node *behind, const char *type, const struct scaling *y,
                          double value, double end)
{
    const struct shape scalar = {.rank = 0};
    if (strcmp(type, "Max") == 0 ? value <= end : value >= end)
        return behind;
    const uint8_t number = (uint8_t)(int)value;
    struct node *node = edit_node_behind(e, y->node, type, 2, y->integers);
    struct tensor *t = edit_constant(e, y->integers->name, y->integers->type, &scalar, &number);
    if (!node || !t)
        return NULL;
    node->inputs[0] = behind->outputs[0];
    node->inputs[1] = t;
    behind->outputs[0]->users++;
    t->users++;
    return node;
}

/* The last new node gives the tensor that the QuantizeLinear gave. */
static void finish(struct edit *e, const struct region *r, struct node *first)
{
    const double least = r->y.integers->type == NET_INT8 ? -128 : 0, most = least + 255;
    struct node *last = limit(e, first, "Max", &r->y, fmin(r->low, most), least);
    last = last ? limit(e, last, "Min", &r->y, fmax(r->high, least), most) : NULL;
    if (!last)
        return;
    last->outputs[0] = r->y.integers;
    edit_drop(e, r->y.node);
    if (r->function)
        edit_drop(e, r->function);
    edit_drop(e, r->product);
    e->changes++;
}

static void absorb(struct edit *e, const struct region *r)
{
    const bool conv = is_op(r->product, "Conv");
    struct tensor *const inputs[] = {
        r->x.integers,         r->x.scale, zero_tensor(e, &r->x), r->w.integers,   r->w.scale,
        zero_tensor(e, &r->w), r->y.scale, zero_tensor(e, &r->y), r->bias.integers};
    const size_t count = r->bias.node ? 9 : 8;
    struct node *node =
        edit_node_behind(e, r->y.node, conv ? "QLinearConv" : "QLinearMatMul", count, r->y.integers);
    if (!node || e->failed)
        return;
    for (size_t i = 0; i < count; i++) {
        node->inputs[i] = inputs[i];
        inputs[i]->users++;
    }
    node->name = r->product->name;
    node->origin = r->product->origin;
    node->attributes = r->product->attributes;
    node->attribute_count = r->product->attribute_count;
    finish(e, r, node);
}

/* ---- moves --------------------------------------------------------------------------------------- */

/* Between two scalings with the same numbers the integers are moved themselves. Max-pooling chooses the same
 * element, because the scale is positive. */
static void move(struct edit *e, struct node *quantise)
{
    static const char *const moves[] = {"Reshape",   "Transpose", "Flatten", "Squeeze",
                                        "Unsqueeze", "MaxPool",   "Slice",   "Gather"};
    enum { SINCE_BYTES = 12 }; /* MaxPool takes them */
    struct scaling y, x;
    double scale;
    struct node *node = sole_producer(input_of(quantise, 0));
    bool known = false;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        known = known || is_op(node, moves[i]);
    if (!known || node->output_count != 1 || !is_plain(node) || !input_of(node, 0)->producer ||
        (is_op(node, "MaxPool") && e->net->opset < SINCE_BYTES) || !take(quantise, "QuantizeLinear", &y) ||
        !take(input_of(node, 0)->producer, "DequantizeLinear", &x) || !for_all(&x) || !for_all(&y) ||
        x.integers->type != y.integers->type || !same(x.scale, y.scale) || zero_of(&x) != zero_of(&y) ||
        !edit_number(x.scale, &scale) || scale <= 0)
        return;
    node->inputs[0]->users--;
    node->inputs[0] = x.integers;
    x.integers->users++;
    node->outputs[0] = y.integers;
    edit_drop(e, quantise);
    e->changes++;
}

bool pass_quantised(struct edit *e)
{
    for (size_t i = 0; !e->failed && i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        struct region r;
        if (node->gone || !is_op(node, "QuantizeLinear"))
            continue;
        if (take_region(e, node, &r))
            absorb(e, &r);
        else
            move(e, node);
    }
    return !e->failed;
}
