/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, products and averages between DequantizeLinear and QuantizeLinear, as integer
 * operators: part of the pass `quantised`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/region.h"

static struct node *put_node(struct edit *e, const struct region *r, const char *type,
                             struct tensor *const *inputs, size_t count)
{
    struct node *node = edit_node_behind(e, r->y.node, type, count, r->y.integers);
    for (size_t i = 0; i < count && !e->failed; i++) {
        e->failed |= !inputs[i];
        if (e->failed)
            break;
        node->inputs[i] = inputs[i];
        inputs[i]->users++;
    }
    if (e->failed)
        return NULL;
    node->name = r->product->name;
    node->origin = r->product->origin;
    return node;
}

/* ---- two operands -------------------------------------------------------------------------------- */

static bool is_scalar(const struct tensor *t)
{
    return !t || (t->shape && t->shape->rank == 0);
}

/* ONNX Runtime takes scalars. */
static bool are_scalars(const struct scaling *s)
{
    return is_scalar(s->scale) && is_scalar(s->zero);
}

static bool join(struct edit *e, struct region *r)
{
    const bool add = is_op(r->product, "Add");
    if ((!add && !is_op(r->product, "Mul")) || !region_weights(r) || !scaling_is_one(&r->w) ||
        r->x.integers->type != r->y.integers->type || r->w.integers->type != r->y.integers->type ||
        node_integer(r->product, "broadcast") || !are_scalars(&r->x) || !are_scalars(&r->w) ||
        !are_scalars(&r->y))
        return false;
    struct tensor *const inputs[] = {
        r->x.integers,          r->x.scale, scaling_zero(e, &r->x), r->w.integers, r->w.scale,
        scaling_zero(e, &r->w), r->y.scale, scaling_zero(e, &r->y)};
    struct node *node =
        put_node(e, r, add ? "QLinearAdd" : "QLinearMul", inputs, sizeof inputs / sizeof *inputs);
    if (!node)
        return true;
    node->op = operator_find("com.microsoft", node->type, 1);
    node->domain = node->op->domain;
    region_finish(e, r, node);
    return true;
}

/* ---- averages ------------------------------------------------------------------------------------ */

/* Whether all windows have as many numbers. */
static bool windows_are_alike(const struct node *pool)
{
    const struct attribute *pads = node_attribute(pool, "pads"),
                           *automatic = node_attribute(pool, "auto_pad");
    bool padded = automatic && !proto_is(node_text(pool, "auto_pad"), "NOTSET") &&
                  !proto_is(node_text(pool, "auto_pad"), "VALID");
    for (size_t i = 0; pads && pads->integers && i < pads->count; i++)
        padded = padded || pads->integers[i];
    return !node_integer(pool, "ceil_mode") && (!padded || node_integer(pool, "count_include_pad"));
}

/* The sizes of a window for each channel, as of weights. False: they are not known, or averages are others.
 */
static bool take_window(const struct node *pool, struct shape *weights)
{
    const struct shape *x = pool->inputs[0]->shape;
    const struct attribute *kernel = node_attribute(pool, "kernel_shape");
    const bool global = is_op(pool, "GlobalAveragePool");
    if ((!global && (!is_op(pool, "AveragePool") || !windows_are_alike(pool) || !kernel)) || !x ||
        x->rank < 3 || x->dim[1].term)
        return false;
    *weights = (struct shape){.rank = x->rank, .dim = {x->dim[1], dim_number(1)}};
    for (int i = 2; i < x->rank; i++) {
        weights->dim[i] = global ? x->dim[i] : dim_number(kernel->integers[i - 2]);
        if (weights->dim[i].term || weights->dim[i].value < 1)
            return false;
    }
    return true;
}

/* The scale of weights of 1: with it the factor of sums is the one that ONNX Runtime has for averages over
 * whole images, if a float next to the nearest one gives it. */
static double scale_of_average(const struct region *r, int64_t count)
{
    double x = 1, y = 1;
    edit_number(r->x.scale, &x);
    edit_number(r->y.scale, &y);
    const float wanted = (float)x / ((float)y * (float)count), nearest = 1.0F / (float)count;
    const float near[] = {nearest, nextafterf(nearest, 0), nextafterf(nearest, 1)};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        if ((float)x * near[i] / (float)y == wanted)
            return (double)near[i];
    return (double)nearest;
}

static struct tensor *ones(struct edit *e, const char *like, const struct shape *shape)
{
    const size_t count = (size_t)shape_elements(e->net, shape).value;
    int8_t *numbers = malloc(count + 1);
    e->failed |= !numbers;
    if (!numbers)
        return NULL;
    memset(numbers, 1, count);
    struct tensor *t = edit_constant(e, like, NET_INT8, shape, numbers);
    free(numbers);
    return t;
}

/* The windows of the pool, and a group for each channel. */
static bool put_windows(struct edit *e, struct node *node, const struct node *pool,
                        const struct shape *weights)
{
    static const char *const lists[] = {"strides", "pads", "dilations"};
    int64_t kernel[NET_RANK_MAX];
    for (int i = 2; i < weights->rank; i++)
        kernel[i - 2] = weights->dim[i].value;
    bool ok = node_set_integers(e->net, node, "kernel_shape", kernel, (size_t)weights->rank - 2) &&
              node_set_integer(e->net, node, "group", weights->dim[0].value);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct attribute *a = node_attribute(pool, lists[i]);
        ok = ok && (!a || node_set_integers(e->net, node, lists[i], a->integers, a->count));
    }
    return ok;
}

static bool average(struct edit *e, const struct region *r)
{
    static const int8_t no_zero[1] = {0};
    const struct shape scalar = {.rank = 0};
    struct shape weights;
    if (!take_window(r->product, &weights))
        return false;
    struct shape window = weights;
    window.dim[0] = dim_number(1);
    const double scale = scale_of_average(r, shape_elements(e->net, &window).value);
    const char *name = r->product->outputs[0]->name;
    struct tensor *const inputs[] = {r->x.integers,
                                     r->x.scale,
                                     scaling_zero(e, &r->x),
                                     ones(e, name, &weights),
                                     edit_floats(e, name, &scalar, &scale),
                                     edit_constant(e, name, NET_INT8, &scalar, no_zero),
                                     r->y.scale,
                                     scaling_zero(e, &r->y)};
    struct node *node = put_node(e, r, "QLinearConv", inputs, sizeof inputs / sizeof *inputs);
    if (!node)
        return true;
    e->failed |= !put_windows(e, node, r->product, &weights);
    if (!e->failed)
        region_finish(e, r, node);
    return true;
}

bool region_sum(struct edit *e, struct region *r)
{
    return join(e, r) || average(e, r);
}
