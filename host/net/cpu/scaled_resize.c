/* SPDX-License-Identifier: Apache-2.0
 *
 * Resize of scaled images with channels at the end, as TFLite computes it: the nearest pixel by a quotient in
 * float, or four pixels with weights of ten bits each way.
 */
#include <math.h>

#include "host/net/cpu/scaled.h"

enum { WEIGHT_BITS = 10, ONE = 1 << WEIGHT_BITS };

struct resizing {
    const struct view *x, *y;
    bool corners, half; /* the corners' centres stay; pixels have their centres at halves */
};

static int64_t bounded(int64_t at, int64_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static int64_t nearest(const struct resizing *r, int axis, int64_t at)
{
    const int64_t in = r->x->dim[axis], out = r->y->dim[axis];
    const float scale = r->corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
    const float place = ((float)at + (r->half ? 0.5F : 0.0F)) * scale;
    return bounded((int64_t)(r->corners ? roundf(place) : floorf(place)), in);
}

/* Two pixels of a row or column, and the weight of the second. */
struct pair {
    int64_t at[2];
    int64_t weight;
};

static struct pair pair_of(const struct resizing *r, int axis, int64_t at)
{
    const int64_t in = r->x->dim[axis], out = r->y->dim[axis];
    const int64_t scale =
        r->corners && out > 1 ? (ONE * (in - 1) + (out - 1) / 2) / (out - 1) : (ONE * in + out / 2) / out;
    const int64_t place = at * scale + (r->half ? scale / 2 - ONE / 2 : 0);
    struct pair p = {.at = {place / ONE, (place + ONE - 1) / ONE}};
    p.at[0] = p.at[0] < 0 ? 0 : p.at[0];
    p.at[1] = p.at[1] < in ? p.at[1] : in - 1;
    p.weight = place - ONE * p.at[0];
    return p;
}

static size_t pixel(const struct view *v, int64_t image, int64_t row, int64_t column)
{
    return (size_t)(((image * v->dim[1] + row) * v->dim[2] + column) * v->dim[3]);
}

static int64_t mixed(const struct view *x, int64_t image, struct pair row, struct pair column,
                     int64_t channel)
{
    int64_t sum = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            sum += (i ? row.weight : ONE - row.weight) * (k ? column.weight : ONE - column.weight) *
                   view_integer(
                       x, pixel(x, image, bounded(row.at[i], x->dim[1]), bounded(column.at[k], x->dim[2])) +
                              (size_t)channel);
    const int64_t half = INT64_C(1) << (2 * WEIGHT_BITS - 1);
    return (sum + (sum > 0 ? half : -half)) / (2 * half);
}

static void resize_row(const struct resizing *r, bool linear, int64_t image, int64_t row)
{
    const struct view *x = r->x, *y = r->y;
    for (int64_t column = 0; column < y->dim[2]; column++)
        for (int64_t channel = 0; channel < y->dim[3]; channel++) {
            const size_t to = pixel(y, image, row, column) + (size_t)channel;
            const size_t from = pixel(x, image, nearest(r, 1, row), nearest(r, 2, column)) + (size_t)channel;
            view_set_integer(y, to,
                             linear ? mixed(x, image, pair_of(r, 1, row), pair_of(r, 2, column), channel)
                                    : view_integer(x, from));
        }
}

static bool resize(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct proto_text kind = node_text(c->node, "coordinate_transformation_mode");
    const bool linear = proto_is(node_text(c->node, "mode"), "linear");
    const struct resizing r = {x, y, proto_is(kind, "align_corners"), proto_is(kind, "half_pixel")};
    if (!same_scale(c->node->inputs[0], c->node->outputs[0]))
        return kernel_fails(c, "its input and its output must have the same scale and type");
    if (x->rank != 4 || x->dim[0] != y->dim[0] || x->dim[3] != y->dim[3] ||
        (!linear && !proto_is(node_text(c->node, "mode"), "nearest")))
        return kernel_fails(c, "scaled images are resized in height and width, to the nearest or linearly");
    if (x->type != NET_INT8 && x->type != NET_INT16 && (linear || x->type != NET_UINT8))
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(x->type));
    for (int64_t i = 0; x->count && i < y->dim[0] * y->dim[1]; i++)
        resize_row(&r, linear, i / y->dim[1], i % y->dim[1]);
    return true;
}

const struct kernel scaled_resize_kernels[] = {{"Resize", resize}, {NULL, NULL}};
