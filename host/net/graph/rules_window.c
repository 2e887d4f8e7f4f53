/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules for windows over images, matrix products and recurrent layers, and how
 * many multiplications they take.
 */
#include <string.h>

#include "host/net/graph/derive.h"

/* ---- windows ------------------------------------------------------------------------------------- */

/* A window, one number for each dimension of the image. */
struct window {
    int dims;
    int first, channel; /* where the image's dimensions begin, and where its channels are */
    struct dim kernel[NET_RANK_MAX];
    int64_t stride[NET_RANK_MAX], dilation[NET_RANK_MAX], pad[2 * NET_RANK_MAX];
    bool same, valid, ceil;
};

static bool last_channel(const struct derive *d)
{
    return proto_is(node_text(d->node, "layout"), "NHWC") || node_integer(d->node, "channels_last");
}

/* A list with a number for each dimension; `fallback` when there is none. */
static bool numbers(const struct derive *d, const char *name, int64_t *to, size_t wanted, int64_t fallback,
                    int64_t least)
{
    size_t count;
    const int64_t *list = node_integers(d->node, name, &count);
    if (list && count != wanted)
        return refuse(d, "%s has %zu numbers; %zu are wanted", name, count, wanted);
    for (size_t i = 0; i < wanted; i++) {
        to[i] = list ? list[i] : fallback;
        if (to[i] < least || to[i] > INT32_MAX)
            return refuse(d, "%s has %lld; it must be %lld or more", name, (long long)to[i],
                          (long long)least);
    }
    return true;
}

/* The weights' dimensions come after two others, in NCHW and OIHW; `weights` is NULL for pools. */
static bool read_window(const struct derive *d, const struct shape *image, const struct shape *weights,
                        struct window *w)
{
    int64_t kernel[NET_RANK_MAX] = {0};
    size_t given;
    const struct proto_text pads = node_text(d->node, "auto_pad");
    *w = (struct window){.dims = image->rank - 2,
                         .first = last_channel(d) ? 1 : 2,
                         .channel = last_channel(d) ? image->rank - 1 : 1};
    if (w->dims < 1)
        return refuse(d, "the image has %d dimensions; 3 or more are wanted", image->rank);
    const size_t dims = (size_t)w->dims;
    w->same = proto_is(pads, "SAME_UPPER") || proto_is(pads, "SAME_LOWER");
    w->valid = proto_is(pads, "VALID");
    w->ceil = node_integer(d->node, "ceil_mode") != 0;
    if (!w->same && !w->valid && !proto_is(pads, "NOTSET"))
        return refuse(d, "auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    node_integers(d->node, "kernel_shape", &given);
    if (!weights && !given)
        return refuse(d, "attribute kernel_shape is missing");
    if (!numbers(d, "kernel_shape", kernel, dims, 1, 1) || !numbers(d, "strides", w->stride, dims, 1, 1) ||
        !numbers(d, "dilations", w->dilation, dims, 1, 1) ||
        !numbers(d, "pads", w->pad, 2 * dims, 0, INT32_MIN))
        return false;
    const struct proto_text layout = node_text(d->node, "weights_layout");
    const int at = proto_is(layout, "OHWI") || proto_is(layout, "1HWO") ? 1 : 2;
    for (int i = 0; i < w->dims; i++) {
        w->kernel[i] = weights ? weights->dim[at + i] : dim_number(kernel[i]);
        if (weights && given && !w->kernel[i].term && w->kernel[i].value != kernel[i])
            return refuse(d, "kernel_shape is not that of the weights");
    }
    return true;
}

static bool window_size(struct derive *d, const struct window *w, int i, struct dim in, struct dim *out)
{
    struct arena *arena = d->arena;
    if (w->same) {
        *out = dim_div_up(arena, in, w->stride[i]);
        return true;
    }
    const int64_t before = w->valid ? 0 : w->pad[i], pads = w->valid ? 0 : before + w->pad[w->dims + i];
    const struct dim reach =
        dim_mul(arena, dim_sub(arena, w->kernel[i], dim_number(1)), dim_number(w->dilation[i]));
    const struct dim room = dim_sub(arena, dim_add(arena, in, dim_number(pads - 1)), reach);
    if (!room.term && room.value < 0)
        return refuse(d, "the window is larger than the image with its padding in dimension %d", i);
    *out = w->ceil ? dim_div_up(arena, room, w->stride[i]) : dim_div(arena, room, dim_number(w->stride[i]));
    *out = dim_add(arena, *out, dim_number(1));
    /* A window that lies in the padding behind the image alone does not count. */
    if (w->ceil && !out->term && !in.term && (out->value - 1) * w->stride[i] >= in.value + before &&
        out->value > 1)
        out->value--;
    return true;
}

static bool slide(struct derive *d, const struct window *w, const struct shape *image, struct dim channels,
                  struct shape *out)
{
    *out = *image;
    out->dim[w->channel] = channels;
    for (int i = 0; i < w->dims; i++)
        if (!window_size(d, w, i, image->dim[w->first + i], &out->dim[w->first + i]))
            return false;
    return true;
}

/* ---- convolutions -------------------------------------------------------------------------------- */

/* Weights are [outputs][inputs / groups][kernel]; those of TFLite have the inputs last (OHWI), or are
 * [1][kernel][outputs] with one input for each output (1HWO). */
static struct dim weights_dim(const struct derive *d, const struct shape *weights, bool outputs)
{
    const struct proto_text layout = node_text(d->node, "weights_layout");
    if (proto_is(layout, "1HWO"))
        return outputs ? weights->dim[weights->rank - 1] : dim_number(1);
    return weights->dim[outputs ? 0 : proto_is(layout, "OHWI") ? weights->rank - 1 : 1];
}

static bool convolve(struct derive *d, size_t weights_input)
{
    struct shape image, weights, out;
    struct window w;
    const int64_t groups = node_integer(d->node, "group");
    if (!in_shape(d, 0, &image) || !in_shape(d, weights_input, &weights))
        return true;
    if (weights.rank != image.rank)
        return refuse(d, "the image has %d dimensions and the weights %d", image.rank, weights.rank);
    if (!read_window(d, &image, &weights, &w))
        return false;
    const struct dim inputs = image.dim[w.channel], each = weights_dim(d, &weights, false),
                     outputs = weights_dim(d, &weights, true);
    if (groups < 1)
        return refuse(d, "group is %lld; it must be 1 or more", (long long)groups);
    if (!inputs.term && !each.term && (each.value > NET_SIZE_MOST || inputs.value != each.value * groups))
        return refuse(d, "the image has %lld channels, and the weights are for %lld groups of %lld",
                      (long long)inputs.value, (long long)groups, (long long)each.value);
    if (!outputs.term && outputs.value % groups)
        return refuse(d, "%lld output channels are no multiple of %lld groups", (long long)outputs.value,
                      (long long)groups);
    return slide(d, &w, &image, outputs, &out) && set_shape(d, 0, &out);
}

bool rule_conv(struct derive *d)
{
    return convolve(d, 1);
}

bool rule_conv_integer(struct derive *d)
{
    return convolve(d, 1);
}

bool rule_qlinear_conv(struct derive *d)
{
    return convolve(d, 3);
}

/* A result takes a product for each weight of its channel. */
static struct dim count_window(struct derive *d, size_t weights_input)
{
    struct shape weights;
    const struct tensor *out = d->node->outputs[0];
    if (!in_shape(d, weights_input, &weights) || !out || !out->shape)
        return dim_number(0);
    const struct dim outputs = weights_dim(d, &weights, true);
    return dim_mul(d->arena, shape_elements(d->net, out->shape),
                   dim_div(d->arena, shape_elements(d->net, &weights), outputs));
}

struct dim count_conv(struct derive *d)
{
    return count_window(d, 1);
}

struct dim count_qlinear_conv(struct derive *d)
{
    return count_window(d, 3);
}

static bool transposed_size(struct derive *d, const struct window *w, int i, int64_t more, struct dim in,
                            struct dim *out)
{
    struct arena *arena = d->arena;
    const struct dim steps = dim_mul(arena, dim_sub(arena, in, dim_number(1)), dim_number(w->stride[i]));
    const struct dim reach =
        dim_mul(arena, dim_sub(arena, w->kernel[i], dim_number(1)), dim_number(w->dilation[i]));
    const int64_t pads = w->valid ? 0 : w->pad[i] + w->pad[w->dims + i];
    *out = dim_add(arena, dim_add(arena, steps, reach), dim_number(1 + more - pads));
    if (w->same)
        *out = dim_mul(arena, in, dim_number(w->stride[i]));
    return out->term || out->value > 0 || refuse(d, "nothing is left of the image in dimension %d", i);
}

bool rule_conv_transpose(struct derive *d)
{
    struct shape image, weights, out;
    struct window w;
    int64_t more[NET_RANK_MAX];
    size_t given;
    const int64_t groups = node_integer(d->node, "group"),
                  *sizes = node_integers(d->node, "output_shape", &given);
    if (!in_shape(d, 0, &image) || !in_shape(d, 1, &weights))
        return true;
    if (weights.rank != image.rank)
        return refuse(d, "the image has %d dimensions and the weights %d", image.rank, weights.rank);
    /* Weights are [inputs][outputs / groups][kernel]. */
    if (!read_window(d, &image, &weights, &w) || !numbers(d, "output_padding", more, (size_t)w.dims, 0, 0))
        return false;
    if (!image.dim[1].term && !weights.dim[0].term && image.dim[1].value != weights.dim[0].value)
        return refuse(d, "the image has %lld channels, and the weights are for %lld",
                      (long long)image.dim[1].value, (long long)weights.dim[0].value);
    out = image;
    out.dim[1] = dim_mul(d->arena, weights.dim[1], dim_number(groups));
    for (int i = 0; i < w.dims; i++) {
        if (given >= (size_t)w.dims)
            out.dim[2 + i] = dim_number(sizes[given - (size_t)w.dims + (size_t)i]);
        else if (!transposed_size(d, &w, i, more[i], image.dim[2 + i], &out.dim[2 + i]))
            return false;
    }
    return set_shape(d, 0, &out);
}

struct dim count_conv_transpose(struct derive *d)
{
    struct shape image, weights;
    if (!in_shape(d, 0, &image) || !in_shape(d, 1, &weights) || weights.rank != image.rank)
        return dim_number(0);
    return dim_mul(d->arena, shape_elements(d->net, &image),
                   dim_div(d->arena, shape_elements(d->net, &weights), weights.dim[0]));
}

/* ---- pools --------------------------------------------------------------------------------------- */

bool rule_pool(struct derive *d)
{
    struct shape image, out;
    struct window w;
    if (!in_shape(d, 0, &image))
        return true;
    return read_window(d, &image, NULL, &w) && slide(d, &w, &image, image.dim[w.channel], &out) &&
           set_shape(d, 0, &out) && set_shape(d, 1, &out);
}

bool rule_global_pool(struct derive *d)
{
    struct shape s;
    if (!in_shape(d, 0, &s))
        return true;
    if (s.rank < 3)
        return refuse(d, "the image has %d dimensions; 3 or more are wanted", s.rank);
    const int first = last_channel(d) ? 1 : 2;
    for (int i = 0; i < s.rank - 2; i++)
        s.dim[first + i] = dim_number(1);
    return set_shape(d, 0, &s);
}

/* ---- products ------------------------------------------------------------------------------------ */

static bool multiply(struct derive *d, size_t b_input)
{
    struct shape a, b;
    if (!in_shape(d, 0, &a) || !in_shape(d, b_input, &b))
        return true;
    if (!a.rank || !b.rank)
        return refuse(d, "a scalar is no matrix");
    const bool row = a.rank == 1, column = b.rank == 1;
    const struct dim k = a.dim[a.rank - 1], depth = b.dim[column ? 0 : b.rank - 2];
    if (!k.term && !depth.term && k.value != depth.value)
        return refuse(d, "A has %lld columns and B %lld rows", (long long)k.value, (long long)depth.value);
    const struct dim m = row ? dim_number(1) : a.dim[a.rank - 2],
                     n = column ? dim_number(1) : b.dim[b.rank - 1];
    /* The dimensions before the matrices go together as in other operators. */
    struct shape out = {.rank = 0};
    const int p = row ? 0 : a.rank - 2, q = column ? 0 : b.rank - 2;
    for (out.rank = 0; out.rank < (p > q ? p : q); out.rank++) {
        const int back = (p > q ? p : q) - out.rank;
        const struct dim x = back <= p ? a.dim[p - back] : dim_number(1),
                         y = back <= q ? b.dim[q - back] : dim_number(1);
        if (!x.term && !y.term && x.value != y.value && x.value != 1 && y.value != 1)
            return refuse(d, "sizes %lld and %lld of inputs do not go together", (long long)x.value,
                          (long long)y.value);
        out.dim[out.rank] = dim_is(x, 1) || (x.term && !y.term && y.value != 1) ? y : x;
    }
    if (!row)
        out.dim[out.rank++] = m;
    if (!column)
        out.dim[out.rank++] = n;
    return set_shape(d, 0, &out);
}

bool rule_matmul(struct derive *d)
{
    return multiply(d, 1);
}

bool rule_qlinear_matmul(struct derive *d)
{
    return multiply(d, 3);
}

static struct dim count_products(struct derive *d, bool transposed)
{
    struct shape a;
    const struct tensor *out = d->node->outputs[0];
    if (!in_shape(d, 0, &a) || !a.rank || !out || !out->shape)
        return dim_number(0);
    return dim_mul(d->arena, shape_elements(d->net, out->shape), a.dim[transposed ? 0 : a.rank - 1]);
}

struct dim count_matmul(struct derive *d)
{
    return count_products(d, false);
}

struct dim count_qlinear_matmul(struct derive *d)
{
    return count_products(d, false);
}

static bool multiply_matrices(struct derive *d, size_t b_input)
{
    struct shape a, b, out = {.rank = 2};
    const bool ta = node_integer(d->node, "transA") != 0, tb = node_integer(d->node, "transB") != 0;
    if (!in_shape(d, 0, &a) || !in_shape(d, b_input, &b))
        return true;
    if (a.rank != 2 || b.rank != 2)
        return refuse(d, "A has %d dimensions and B %d; 2 each are wanted", a.rank, b.rank);
    const struct dim k = a.dim[!ta], depth = b.dim[tb];
    if (!k.term && !depth.term && k.value != depth.value)
        return refuse(d, "the products' lengths are %lld in A and %lld in B", (long long)k.value,
                      (long long)depth.value);
    out.dim[0] = a.dim[ta];
    out.dim[1] = b.dim[!tb];
    return set_shape(d, 0, &out);
}

bool rule_gemm(struct derive *d)
{
    return multiply_matrices(d, 1);
}

bool rule_qgemm(struct derive *d)
{
    return multiply_matrices(d, 3);
}

struct dim count_gemm(struct derive *d)
{
    return count_products(d, node_integer(d->node, "transA") != 0);
}

struct dim count_qgemm(struct derive *d)
{
    return count_gemm(d);
}

/* ---- recurrent layers ---------------------------------------------------------------------------- */

bool rule_recurrent(struct derive *d)
{
    struct shape x, r, out;
    const bool batch_first = node_integer(d->node, "layout") != 0;
    if (!in_shape(d, 0, &x) || !in_shape(d, 2, &r))
        return true;
    if (x.rank != 3 || r.rank != 3)
        return refuse(d, "X has %d dimensions and R %d; 3 each are wanted", x.rank, r.rank);
    const struct dim steps = x.dim[batch_first], batch = x.dim[!batch_first], directions = r.dim[0],
                     hidden = r.dim[2];
    out = (struct shape){.rank = 4, .dim = {steps, directions, batch, hidden}};
    if (batch_first)
        out = (struct shape){.rank = 4, .dim = {batch, steps, directions, hidden}};
    if (!set_shape(d, 0, &out))
        return false;
    out = (struct shape){.rank = 3, .dim = {directions, batch, hidden}};
    if (batch_first)
        out = (struct shape){.rank = 3, .dim = {batch, directions, hidden}};
    return set_shape(d, 1, &out) && set_shape(d, 2, &out);
}

/* Each step takes a product for each weight. */
struct dim count_recurrent(struct derive *d)
{
    struct shape x, w, r;
    if (!in_shape(d, 0, &x) || !in_shape(d, 1, &w) || !in_shape(d, 2, &r) || x.rank != 3)
        return dim_number(0);
    const struct dim weights = dim_add(d->arena, shape_elements(d->net, &w), shape_elements(d->net, &r));
    return dim_mul(d->arena, dim_mul(d->arena, x.dim[0], x.dim[1]), weights);
}

/* TFLite: operands 1 to 4 are the weights of the input, 5 to 8 those of the state, each [cells][inputs]. */
enum { LSTM_INPUT = 2, LSTM_OPERANDS = 9 };

bool rule_tflite_lstm(struct derive *d)
{
    struct shape x, w;
    if (!in_shape(d, 0, &x) || !in_shape(d, LSTM_INPUT, &w))
        return true;
    if (x.rank != 3 || w.rank != 2)
        return refuse(d, "the input has %d dimensions and its weights %d; 3 and 2 are wanted", x.rank,
                      w.rank);
    x.dim[2] = w.dim[0];
    return (!d->node->outputs[0] || set_type(d, 0, (int64_t)d->node->inputs[0]->type)) && set_shape(d, 0, &x);
}

struct dim count_tflite_lstm(struct derive *d)
{
    struct shape x, w;
    struct dim weights = dim_number(0);
    for (size_t i = 1; i < LSTM_OPERANDS; i++)
        if (in_shape(d, i, &w))
            weights = dim_add(d->arena, weights, shape_elements(d->net, &w));
    return in_shape(d, 0, &x) && x.rank == 3
               ? dim_mul(d->arena, dim_mul(d->arena, x.dim[0], x.dim[1]), weights)
               : dim_number(0);
}

/* ---- blocks of an image -------------------------------------------------------------------------- */

static bool blocks(struct derive *d, bool to_depth)
{
    struct shape s;
    const int64_t block = node_integer(d->node, "blocksize");
    if (!in_shape(d, 0, &s))
        return true;
    if (s.rank != 4 || block < 1 || block > INT32_MAX / 2)
        return refuse(d, "the image has %d dimensions and blocksize is %lld; 4, and 1 or more are wanted",
                      s.rank, (long long)block);
    const int channel = last_channel(d) ? 3 : 1, first = last_channel(d) ? 1 : 2;
    const struct dim area = dim_number(block * block), side = dim_number(block);
    if ((!to_depth && !s.dim[channel].term && s.dim[channel].value % (block * block)) ||
        (to_depth && ((!s.dim[first].term && s.dim[first].value % block) ||
                      (!s.dim[first + 1].term && s.dim[first + 1].value % block))))
        return refuse(d, "the image is no multiple of blocks of %lld", (long long)block);
    s.dim[channel] =
        to_depth ? dim_mul(d->arena, s.dim[channel], area) : dim_div(d->arena, s.dim[channel], area);
    for (int i = first; i < first + 2; i++)
        s.dim[i] = to_depth ? dim_div(d->arena, s.dim[i], side) : dim_mul(d->arena, s.dim[i], side);
    return set_shape(d, 0, &s);
}

bool rule_depth_to_space(struct derive *d)
{
    return blocks(d, false);
}

bool rule_space_to_depth(struct derive *d)
{
    return blocks(d, true);
}

/* ---- resize -------------------------------------------------------------------------------------- */

/* Scales: an attribute of early Upsample, or an input that is a constant. */
static unsigned scales_of(const struct derive *d, size_t input, float to[NET_RANK_MAX])
{
    const struct attribute *a = node_attribute(d->node, "scales");
    unsigned count = 0;
    uint64_t bits;
    if (a && a->reals && a->count <= NET_RANK_MAX) {
        memcpy(to, a->reals, a->count * sizeof *to);
        return (unsigned)a->count;
    }
    if (!has_input(d, input) || !d->node->inputs[input]->constant)
        return 0;
    struct value_reader reader = value_reader(d->node->inputs[input]);
    while (count < NET_RANK_MAX && value_next(&reader, &bits))
        to[count++] = value_real(d->node->inputs[input]->type, bits);
    return count;
}

static bool scale(struct derive *d, int axis, struct dim *dim, float by)
{
    if (!(by > 0) || by > 65536.0F)
        return refuse(d, "a scale is %g; it must be more than 0", (double)by);
    if (!dim->term && dim->value <= NET_SIZE_MOST)
        *dim = dim_number((int64_t)((double)dim->value * (double)by));
    else if (by == (float)(int64_t)by)
        *dim = dim_mul(d->arena, *dim, dim_number((int64_t)by));
    else
        *dim = unknown_dim(d, 0, axis);
    return true;
}

bool rule_resize(struct derive *d)
{
    struct shape s;
    float scales[NET_RANK_MAX];
    size_t axis_count;
    const int64_t *axes = node_integers(d->node, "axes", &axis_count);
    const bool old = !strcmp(d->node->type, "Upsample") || d->net->opset < 11;
    unsigned size_count;
    const struct dim *sizes = in_few(d, 3, &size_count);
    if (!in_shape(d, 0, &s) ||
        !proto_is(node_text(d->node, "keep_aspect_ratio_policy"), old ? "" : "stretch"))
        return true;
    const unsigned count = scales_of(d, old ? 1 : 2, scales),
                   given = sizes && size_count ? size_count : count;
    if (!given)
        return true;
    if (given != (axis_count ? axis_count : (size_t)s.rank))
        return refuse(d, "there are %u scales or sizes for %d dimensions", given, s.rank);
    for (unsigned i = 0; i < given; i++) {
        int axis;
        if (!in_axis(d, axis_count ? axes[i] : i, s.rank, &axis))
            return false;
        if (sizes && size_count)
            s.dim[axis] = sizes[i];
        else if (!scale(d, axis, &s.dim[axis], scales[i]))
            return false;
    }
    return set_shape(d, 0, &s);
}
