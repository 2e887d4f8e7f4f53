/* SPDX-License-Identifier: Apache-2.0
 *
 * Resize and Upsample: nearest, linear and cubic, dimension by dimension.
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
    if (proto_is(kind, "half_pixel_symmetric"))
        return in / 2 * (1 - out / (scale * in)) + (x + 0.5) / scale - 0.5;
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

enum { TAPS_MOST = 4 };

/* The elements of a dimension that one of the result is made of, and their weights. */
struct taps {
    unsigned count;
    int64_t at[TAPS_MOST];
    double weight[TAPS_MOST];
};

/* The cubic kernel at a distance. */
static double cubic(double x, double a)
{
    x = fabs(x);
    return x <= 1  ? ((a + 2) * x - (a + 3)) * x * x + 1
           : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                   : 0;
}

/* Four elements around the place. Those outside are the nearest inside, or count for nothing. */
static void take_cubic(const struct call *c, int axis, double exact, struct taps *t)
{
    const int64_t size = c->in[0]->dim[axis];
    const bool exclude = node_integer(c->node, "exclude_outside") != 0;
    double sum = 0;
    t->count = TAPS_MOST;
    for (int k = 0; k < TAPS_MOST; k++) {
        const int64_t from = (int64_t)floor(exact) - 1 + k;
        t->at[k] = bounded(from, size);
        t->weight[k] = exclude && t->at[k] != from
                           ? 0
                           : cubic(exact - (double)from, node_real(c->node, "cubic_coeff_a"));
        sum += t->weight[k];
    }
    for (int k = 0; exclude && k < TAPS_MOST; k++)
        t->weight[k] /= sum;
}

/* A dimension that stays as it is gives its element. */
static struct taps taps_of(const struct call *c, int axis, int64_t at, struct proto_text mode)
{
    struct taps t = {.count = 1, .at = {at}, .weight = {1}};
    if (c->in[0]->dim[axis] == c->out[0]->dim[axis])
        return t;
    const double exact = coordinate(c, axis, at), low = floor(exact);
    if (proto_is(mode, "cubic")) {
        take_cubic(c, axis, exact, &t);
    } else if (proto_is(mode, "linear")) {
        t.count = 2;
        for (int k = 0; k < 2; k++)
            t.at[k] = bounded((int64_t)low + k, c->in[0]->dim[axis]);
        t.weight[0] = 1 - (exact - low);
        t.weight[1] = exact - low;
    } else {
        t.at[0] = bounded(nearest(c, exact), c->in[0]->dim[axis]);
    }
    return t;
}

/* The weighted sum over all combinations of taps. */
static double sum_of(const struct view *x, const struct taps *taps)
{
    unsigned which[NET_RANK_MAX] = {0};
    double sum = 0;
    for (int axis = 0; axis >= 0;) {
        size_t place = 0;
        double weight = 1;
        for (int k = 0; k < x->rank; k++) {
            place = place * (size_t)x->dim[k] + (size_t)taps[k].at[which[k]];
            weight *= taps[k].weight[which[k]];
        }
        sum += weight != 0 ? weight * view_real(x, place) : 0;
        for (axis = x->rank - 1; axis >= 0 && ++which[axis] == taps[axis].count; axis--)
            which[axis] = 0;
    }
    return sum;
}

static bool resize(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct proto_text mode = node_text(c->node, "mode");
    struct taps taps[NET_RANK_MAX] = {{0}};
    if (!(proto_is(mode, "linear") || proto_is(mode, "nearest") || proto_is(mode, "cubic")) ||
        proto_is(node_text(c->node, "coordinate_transformation_mode"), "tf_crop_and_resize") ||
        node_integer(c->node, "antialias") || node_attribute(c->node, "axes"))
        return kernel_fails(c, "the operator cannot be run on the CPU yet in this mode");
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i;
        for (int k = y->rank; k--;) {
            taps[k] = taps_of(c, k, (int64_t)(rest % (size_t)y->dim[k]), mode);
            rest /= (size_t)y->dim[k];
        }
        view_set_real(y, i, sum_of(x, taps));
    }
    return true;
}

const struct kernel resize_kernels[] = {{"Resize", resize}, {"Upsample", resize}, {NULL, NULL}};
