/* SPDX-License-Identifier: Apache-2.0
 *
 * A convolution or matrix product between DequantizeLinear and QuantizeLinear becomes
 * QLinearConv or QLinearMatMul; a Relu or Clip between them becomes limits of its
 * integers. A Gemm becomes a QLinearConv of one place, which has a bias as it has,
 * and so does an average, with weights of 1. An Add or a Mul becomes ONNX Runtime's
 * QLinearAdd or QLinearMul. Nodes that only move, join or choose elements get the
 * integers themselves. The integer operator rounds an exact sum once, where floats
 * round at every step: with scales that are powers of two all integers stay the same,
 * with others a result differs where a float was rounded the other way, by at most
 * one. Additions, products of two values, limits and moves change nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/list.h"
#include "host/net/pass/region.h"

bool scaling_take(struct node *node, const char *type, struct scaling *to)
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

bool scaling_is_one(const struct scaling *s)
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
struct tensor *scaling_zero(struct edit *e, const struct scaling *s)
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
static bool weights_fit(const struct scaling *w, const struct node *product)
{
    const struct shape *s = w->scale->shape, *of = w->integers->shape;
    const bool conv = is_op(product, "Conv"), rows = conv || node_integer(product, "transB");
    if (w->integers->type == NET_INT32 || !s || !of || of->rank < 2 || s->rank > 1)
        return false;
    if (s->rank == 0 || dim_is(s->dim[0], 1))
        return true;
    const int64_t axis = node_integer(w->node, "axis");
    const int64_t at = axis < 0 ? axis + of->rank : axis;
    return at == (rows ? 0 : of->rank - 1) && dim_equal(s->dim[0], of->dim[at]) && (conv || of->rank == 2);
}

/* A Gemm of rows with constant weights whose sizes are known. */
static bool gemm_fits(const struct node *gemm)
{
    const struct tensor *x = gemm->inputs[0], *w = gemm->inputs[1]->producer->inputs[0];
    const struct shape *s = w->shape;
    return !node_integer(gemm, "transA") && node_real(gemm, "alpha") == 1 && node_real(gemm, "beta") == 1 &&
           x->shape && x->shape->rank == 2 && has_values(w) && s && s->rank == 2 && !s->dim[0].term &&
           !s->dim[1].term;
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

static bool take_region(struct node *quantise, struct region *r)
{
    *r = (struct region){.low = -INFINITY, .high = INFINITY};
    if (!scaling_take(quantise, "QuantizeLinear", &r->y) || !scaling_is_one(&r->y))
        return false;
    r->product = sole_producer(input_of(quantise, 0));
    if (r->product && take_function(r, r->product))
        r->product = sole_producer(input_of(r->product, 0));
    const struct tensor *x = r->product ? input_of(r->product, 0) : NULL;
    return x && x->producer && is_plain(r->product) && scaling_take(x->producer, "DequantizeLinear", &r->x) &&
           scaling_is_one(&r->x);
}

bool region_weights(struct region *r)
{
    const struct tensor *w = input_of(r->product, 1);
    return w && w->producer && scaling_take(w->producer, "DequantizeLinear", &r->w);
}

static bool take_product(struct edit *e, struct region *r)
{
    const struct node *product = r->product;
    const bool gemm = is_op(product, "Gemm");
    if ((!gemm && !is_op(product, "Conv") && !is_op(product, "MatMul")) || !region_weights(r) ||
        !weights_fit(&r->w, product) || (gemm && !gemm_fits(product)))
        return false;
    if (!input_of(product, 2))
        return true;
    return input_of(product, 2)->producer &&
           scaling_take(input_of(product, 2)->producer, "DequantizeLinear", &r->bias) && bias_fits(e, r);
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
    struct node *node = edit_node_behind(e, y->node, type, 2, behind->outputs[0]);
    struct tensor *t = edit_constant(e, y->integers->name, y->integers->type, &scalar, &number);
    if (!node || !t)
        return NULL;
    node->inputs[0] = behind->outputs[0];
    node->inputs[1] = t;
    behind->outputs[0]->users++;
    t->users++;
    return node;
}

/* A Reshape behind the node, to sizes that may be 0 for those that the tensor has. */
static struct node *reshape(struct edit *e, const struct node *behind, struct tensor *from,
                            const int64_t *sizes, int rank)
{
    struct node *node = edit_node_behind(e, behind, "Reshape", 2, from);
    struct tensor *list = net_integers(e->net, from->name, sizes, (size_t)rank);
    struct shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++)
        shape.dim[i] = i < 2 ? from->shape->dim[i] : dim_number(1);
    e->failed |= !node || !list || !net_shape(e->net, node->outputs[0], &shape);
    if (e->failed)
        return NULL;
    node->inputs[0] = from;
    node->inputs[1] = list;
    from->users++;
    list->users++;
    return node;
}

/* The last new node gives the tensor that the QuantizeLinear gave. */
void region_finish(struct edit *e, const struct region *r, struct node *first)
{
    static const int64_t plane[] = {0, 0};
    const double least = r->y.integers->type == NET_INT8 ? -128 : 0, most = least + 255;
    struct node *last = limit(e, first, "Max", &r->y, fmin(r->low, most), least);
    last = last ? limit(e, last, "Min", &r->y, fmax(r->high, least), most) : NULL;
    if (last && is_op(r->product, "Gemm"))
        last = reshape(e, r->y.node, last->outputs[0], plane, 2);
    if (!last)
        return;
    last->outputs[0] = r->y.integers;
    edit_drop(e, r->y.node);
    if (r->function)
        edit_drop(e, r->function);
    edit_drop(e, r->product);
    e->changes++;
}

/* The weights of a Gemm as those of a convolution, [outputs][inputs][1][1]. */
static struct tensor *weights_of_places(struct edit *e, const struct region *r)
{
    const struct tensor *w = r->w.integers;
    const bool rows = node_integer(r->product, "transB");
    const size_t outputs = (size_t)w->shape->dim[!rows].value, inputs = (size_t)w->shape->dim[rows].value;
    const struct shape shape = {
        .rank = 4, .dim = {w->shape->dim[!rows], w->shape->dim[rows], dim_number(1), dim_number(1)}};
    struct value_reader reader = value_reader(w);
    uint8_t *numbers = calloc(outputs * inputs + 1, 1);
    uint64_t bits;
    e->failed |= !numbers;
    for (size_t i = 0; numbers && i < outputs * inputs && value_next(&reader, &bits); i++)
        numbers[rows ? i : i % outputs * inputs + i / outputs] = (uint8_t)bits;
    struct tensor *t = numbers ? edit_constant(e, w->name, w->type, &shape, numbers) : NULL;
    free(numbers);
    return t;
}

/* What the integer operator has of the node that it replaces. */
static void take_over(struct node *node, const struct region *r)
{
    node->name = r->product->name;
    node->origin = r->product->origin;
    if (is_op(r->product, "Gemm"))
        return;
    node->attributes = r->product->attributes;
    node->attribute_count = r->product->attribute_count;
}

static void absorb(struct edit *e, const struct region *r)
{
    static const int64_t places[] = {0, 0, 1, 1};
    const bool gemm = is_op(r->product, "Gemm"), conv = gemm || is_op(r->product, "Conv");
    const struct node *wide = gemm ? reshape(e, r->y.node, r->x.integers, places, 4) : NULL;
    struct tensor *const inputs[] = {wide ? wide->outputs[0] : r->x.integers,
                                     r->x.scale,
                                     scaling_zero(e, &r->x),
                                     gemm ? weights_of_places(e, r) : r->w.integers,
                                     r->w.scale,
                                     scaling_zero(e, &r->w),
                                     r->y.scale,
                                     scaling_zero(e, &r->y),
                                     r->bias.integers};
    const size_t count = r->bias.node ? 9 : 8;
    struct node *node =
        edit_node_behind(e, r->y.node, conv ? "QLinearConv" : "QLinearMatMul", count, r->y.integers);
    if (!node || !inputs[3] || e->failed)
        return;
    if (wide) {
        struct shape shape = net_shape_of(wide->outputs[0]);
        shape.dim[1] = inputs[3]->shape->dim[0];
        e->failed |= !net_shape(e->net, node->outputs[0], &shape);
    }
    for (size_t i = 0; i < count; i++) {
        node->inputs[i] = inputs[i];
        inputs[i]->users++;
    }
    take_over(node, r);
    region_finish(e, r, node);
}

/* ---- moves --------------------------------------------------------------------------------------- */

/* Whether an input is a DequantizeLinear with the numbers of the QuantizeLinear. */
static bool same_scaling(const struct tensor *input, const struct scaling *y, struct scaling *x)
{
    double scale;
    return input && input->producer && !input->producer->gone &&
           scaling_take(input->producer, "DequantizeLinear", x) && scaling_is_one(x) &&
           x->integers->type == y->integers->type && same(x->scale, y->scale) && zero_of(x) == zero_of(y) &&
           edit_number(x->scale, &scale) && scale > 0;
}

/* Between two scalings with the same numbers the integers are moved themselves. Max-pooling chooses the same
 * element, because the scale is positive. */
static void move(struct edit *e, struct node *quantise)
{
    static const char *const moves[] = {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze",
                                        "MaxPool", "Slice",     "Gather",  "Concat"};
    enum { SINCE_BYTES = 12 }; /* MaxPool takes them */
    struct scaling y, x;
    struct node *node = sole_producer(input_of(quantise, 0));
    bool known = false;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        known = known || is_op(node, moves[i]);
    if (!known || node->output_count != 1 || !is_plain(node) ||
        (is_op(node, "MaxPool") && e->net->opset < SINCE_BYTES) ||
        !scaling_take(quantise, "QuantizeLinear", &y) || !scaling_is_one(&y))
        return;
    const size_t moved = is_op(node, "Concat") ? node->input_count : 1;
    for (size_t i = 0; i < moved; i++)
        if (!same_scaling(node->inputs[i], &y, &x))
            return;
    for (size_t i = 0; i < moved && same_scaling(node->inputs[i], &y, &x); i++) {
        node->inputs[i]->users--;
        node->inputs[i] = x.integers;
        x.integers->users++;
    }
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
        const bool is_region = take_region(node, &r);
        if (is_region && take_product(e, &r))
            absorb(e, &r);
        else if (!is_region || !region_sum(e, &r))
            move(e, node);
    }
    return !e->failed;
}
