/* SPDX-License-Identifier: Apache-2.0
 *
 * Resize and Upsample: nearest and linear, dimension by dimension.
 */
#include <math.h>
#include <string.h>

#include "host/net/cpu/kernel.h"

/* The place in the input that an element of the result is taken from. */
static double coordinate(const struct call *c, int axis, int64_t at)
{
    const struct proto_text kind = node_text(c->node, "coordinate_transformation_mode");
    const double in = (double)c->in[0]->dim[axis], out = (double)c->out[0]->dim[axis];
    const bool old = c->net->opset < 11;
    const size_t input = old ? 1 : 2;
    const struct view *given = input < c->inputs ? c->in[input] : NULL;
    const struct attribute *a = node_attribute(c->node, "scales");
    const double scale = given && given->count == (size_t)c->in[0]->rank ? view_real(given, (size_t)axis)
                         : a && a->reals && a->count == (size_t)c->in[0]->rank ? (double)a->reals[axis]
                                                                               : out / in;
    const double x = (double)at;
    if (old || proto_is(kind, "asymmetric"))
        return x / scale;
    if (proto_is(kind, "align_corners"))
        return out > 1 ? x * (in - 1) / (scale * in - 1) : 0; /* the size before it was rounded down */
    if (proto_is(kind, "pytorch_half_pixel") && out <= 1)
        return 0;
    if (proto_is(kind, "tf_half_pixel_for_nn"))
        return (x + 0.5) / scale;
    return (x + 0.5) / scale - 0.5;
}

static int64_t nearest(const struct call *c, double x)
{
    const struct proto_text kind = node_text(c->node, "nearest_mode");
    if (c->net->opset < 11 || proto_is(kind, "floor"))
        return (int64_t)floor(x);
    if (proto_is(kind, "ceil"))
        return (int64_t)ceil(x);
    return (int64_t)(proto_is(kind, "round_prefer_ceil") ? floor(x + 0.5) : ceil(x - 0.5));
}

static int64_t bounded(int64_t at, int64_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* A corner of the cell around a place, with its weight; a bit of `corner` for each dimension. */
static double weigh(const struct call *c, const int64_t *at, unsigned corner, bool linear, size_t *place)
{
    const struct view *x = c->in[0];
    double weight = 1;
    *place = 0;
    for (int i = 0; i < x->rank; i++) {
        const double exact = x->dim[i] == c->out[0]->dim[i] ? (double)at[i] : coordinate(c, i, at[i]),
                     low = floor(exact);
        const bool high = corner >> i & 1;
        int64_t from = linear ? (int64_t)low + high : nearest(c, exact);
        weight *= linear ? (high ? exact - low : 1 - (exact - low)) : !high;
        from = bounded(from, x->dim[i]);
        *place = *place * (size_t)x->dim[i] + (size_t)from;
    }
    return weight;
}

static bool resize(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct proto_text mode = node_text(c->node, "mode");
    const bool linear = proto_is(mode, "linear");
    int64_t at[NET_RANK_MAX] = {0};
    if ((!linear && !proto_is(mode, "nearest")) ||
        proto_is(node_text(c->node, "coordinate_transformation_mode"), "tf_crop_and_resize") ||
        node_integer(c->node, "antialias") || x->rank > 8 || node_attribute(c->node, "axes"))
        return kernel_fails(c, "the operator cannot be run on the CPU yet in this mode");
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i, place;
        double sum = 0;
        for (int k = y->rank; k--;) {
            at[k] = (int64_t)(rest % (size_t)y->dim[k]);
            rest /= (size_t)y->dim[k];
        }
        for (unsigned corner = 0; corner < 1U << x->rank; corner++) {
            const double weight = weigh(c, at, corner, linear, &place);
            sum += weight != 0 ? weight * view_real(x, place) : 0;
        }
        view_set_real(y, i, sum);
    }
    return true;
}

const struct kernel resize_kernels[] = {{"Resize", resize}, {"Upsample", resize}, {NULL, NULL}};
