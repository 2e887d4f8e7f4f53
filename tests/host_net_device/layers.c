/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers of networks on a device: random ones give the CPU's bits, and a device without the keys says why it
 * does not have them.
 */
#include <math.h>
#include <string.h>

#include "host/net/compiled/compiled.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_lib/support.h"
#include "tests/host_net/graphs.h"
#include "tests/host_net_device/small.h"

TestSuite(host_net_device_layers);

#define ROUNDS FEWER_ROUNDS(2000)
#define SIDE_MOST 7
#define CHANNELS_MOST 24
#define NUMBERS_MOST (1 << 14)
enum { INPUTS = 9 };

/* A layer of one node, or with a function behind it, and its numbers. */
struct problem {
    struct random *random;
    struct net *net;
    struct operand x, w, bias, y;
    struct operand onnx[6]; /* scales and zero points of ONNX's operators */
    const struct operand *in[INPUTS];
    struct node *node;
    uint8_t x_numbers[NUMBERS_MOST], w_numbers[NUMBERS_MOST], y_numbers[NUMBERS_MOST];
    int32_t biases[CHANNELS_MOST];
    float w_scales[CHANNELS_MOST];
    int32_t w_zeros[CHANNELS_MOST];
    enum net_type type;
    int32_t zero;
    float scales[3]; /* of ONNX's operators: of inputs, of results */
    uint8_t zeros[2], w_zero_bytes[CHANNELS_MOST];
    struct operand y_zero;
    bool constant[INPUTS];
    struct operand other, sum; /* of a join behind the node, whose results are `sum` */
    struct tensor *other_input;
    uint8_t other_numbers[NUMBERS_MOST];
};

static int64_t below(struct problem *p, int64_t bound)
{
    return (int64_t)random_below(p->random, (uint32_t)bound);
}

static float scale(struct problem *p)
{
    return (float)exp2((double)below(p, 800) / 100 - 8);
}

static void fill(struct problem *p, uint8_t *numbers, size_t count)
{
    cr_assert_leq(count, (size_t)NUMBERS_MOST);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint8_t)random_next(p->random);
}

static struct operand activations(struct problem *p, uint8_t *numbers, int rank, const int64_t *dim, float of)
{
    const int32_t zero = (int32_t)below(p, 256) - (p->type == NET_INT8 ? 128 : 0);
    const struct operand o = operand_of(p->type, rank, dim, numbers, of, zero);
    fill(p, numbers, o.view.count);
    return o;
}

static void make(struct problem *p, const char *type, const struct operand *const *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        p->in[i] = in[i];
    p->net = graph_of("", type, in, count, &p->y, &p->node);
    cr_assert(p->net);
}

/* ---- kinds of layers ----------------------------------------------------------------------------- */

/* Of int8 weights it is 0; of uint8 it may leave numbers of nine bits. */
static int32_t weights_zero(struct problem *p)
{
    return p->type == NET_INT8 ? 0 : below(p, 2) ? 128 : (int32_t)below(p, 256);
}

/* Scales of the weights: one, or one for each channel, so that results fill their range. */
static void scale_weights(struct problem *p, int64_t channels, int64_t taps, unsigned axis)
{
    const bool each = below(p, 3) > 0;
    for (int64_t c = 0; c < channels; c++) {
        p->w_scales[c] = p->y.scales.scale[0] / p->x.scales.scale[0] / (float)sqrt((double)taps) / 60 *
                         (float)exp2((double)below(p, 200) / 100 - 1);
        p->w_zeros[c] = weights_zero(p);
        p->biases[c] = (int32_t)below(p, 20000) - 10000;
    }
    p->w.scales = (struct quantisation){each ? (unsigned)channels : 1, axis, p->w_scales, p->w_zeros};
}

static int64_t result_size(int64_t size, int64_t kernel, int64_t stride, int64_t dilation, int64_t pads)
{
    return (size + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

struct geometry {
    int64_t images, channels, size[2], kernel[2], stride[2], dilation[2], pads[4], result[2];
};

static struct geometry geometry(struct problem *p, bool padded)
{
    struct geometry g = {.images = 1 + below(p, 2), .channels = 1 + below(p, CHANNELS_MOST)};
    for (int i = 0; i < 2; i++) {
        g.kernel[i] = 1 + below(p, 3);
        g.stride[i] = 1 + below(p, 2);
        g.dilation[i] = padded ? 1 + below(p, 2) : 1;
        g.pads[i] = padded ? below(p, g.kernel[i]) : 0;
        g.pads[2 + i] = padded ? below(p, g.kernel[i]) : 0;
        const int64_t least = (g.kernel[i] - 1) * g.dilation[i] + 1;
        g.size[i] = least + below(p, SIDE_MOST - least + 1);
        g.result[i] =
            result_size(g.size[i], g.kernel[i], g.stride[i], g.dilation[i], g.pads[i] + g.pads[2 + i]);
    }
    return g;
}

static void set_image(int64_t dim[4], int64_t images, const int64_t size[2], int64_t channels, bool last)
{
    dim[0] = images;
    dim[last ? 3 : 1] = channels;
    dim[last ? 1 : 2] = size[0];
    dim[last ? 2 : 3] = size[1];
}

static void set_windows(struct problem *p, const struct geometry *g, bool last)
{
    cr_assert(node_set_integers(p->net, p->node, "kernel_shape", g->kernel, 2));
    cr_assert(node_set_integers(p->net, p->node, "strides", g->stride, 2));
    cr_assert(node_set_integers(p->net, p->node, "pads", g->pads, 4));
    cr_assert(!last || node_set_text(p->net, p->node, "layout", "NHWC"));
}

static void convolution(struct problem *p)
{
    struct geometry g = geometry(p, true);
    const bool last = below(p, 2), depthwise = below(p, 3) == 0;
    const int64_t groups = depthwise || below(p, 3) ? 1 : 2;
    int64_t x[4], y[4], w[4];
    g.channels = depthwise ? g.channels : groups * (1 + below(p, 6));
    const int64_t results = depthwise ? g.channels : groups * (1 + below(p, CHANNELS_MOST / 2)),
                  each = depthwise ? 1 : g.channels / groups;
    set_image(x, g.images, g.size, g.channels, last);
    set_image(y, g.images, g.result, results, last);
    if (last && depthwise)
        set_image(w, 1, g.kernel, results, true);
    else
        set_image(w, results, g.kernel, each, last);
    p->x = activations(p, p->x_numbers, 4, x, scale(p));
    p->y = activations(p, p->y_numbers, 4, y, scale(p));
    p->w = operand_of(p->type, 4, w, p->w_numbers, 1, 0);
    fill(p, p->w_numbers, p->w.view.count);
    scale_weights(p, results, each * g.kernel[0] * g.kernel[1], last && depthwise ? 3 : 0);
    p->bias = operand_of(NET_INT32, 1, &results, p->biases, 1, 0);
    make(p, "Conv", (const struct operand *const[]){&p->x, &p->w, &p->bias}, 2 + (size_t)below(p, 2));
    set_windows(p, &g, last);
    cr_assert(!last || node_set_text(p->net, p->node, "weights_layout", depthwise ? "1HWO" : "OHWI"));
    cr_assert(node_set_integers(p->net, p->node, "dilations", g.dilation, 2));
    cr_assert(node_set_integer(p->net, p->node, "group", depthwise ? g.channels : groups));
    p->constant[1] = p->constant[2] = true;
}

static void connected(struct problem *p)
{
    const int64_t rows = 1 + below(p, 4), from = 1 + below(p, 60), to = 1 + below(p, CHANNELS_MOST);
    p->x = activations(p, p->x_numbers, 2, (const int64_t[]){rows, from}, scale(p));
    p->y = activations(p, p->y_numbers, 2, (const int64_t[]){rows, to}, scale(p));
    p->w = operand_of(p->type, 2, (const int64_t[]){to, from}, p->w_numbers, 1, 0);
    fill(p, p->w_numbers, p->w.view.count);
    scale_weights(p, to, from, 0);
    p->bias = operand_of(NET_INT32, 1, &to, p->biases, 1, 0);
    make(p, "Gemm", (const struct operand *const[]){&p->x, &p->w, &p->bias}, 3);
    cr_assert(node_set_integer(p->net, p->node, "transB", 1));
    p->constant[1] = p->constant[2] = true;
}

static void join(struct problem *p)
{
    static const char *const types[] = {"Add", "Sub", "Mul"};
    const int64_t dim[] = {1 + below(p, 6), 1 + below(p, 40)};
    const bool row = below(p, 3) == 0;
    const float of = scale(p);
    p->x = activations(p, p->x_numbers, 2, dim, of);
    p->w = activations(p, p->w_numbers, row ? 1 : 2, row ? &dim[1] : dim,
                       of * (float)exp2((double)below(p, 400) / 100 - 2));
    p->y = activations(p, p->y_numbers, 2, dim, of * 2);
    p->constant[1] = below(p, 2);
    make(p, types[below(p, 3)], (const struct operand *const[]){&p->x, &p->w}, 2);
}

static struct operand wide(struct problem *p, uint8_t *numbers, const int64_t dim[2], float of)
{
    fill(p, numbers, (size_t)(2 * dim[0] * dim[1]));
    return operand_of(NET_INT16, 2, dim, numbers, of, 0);
}

/* Of int16, whose zero point is 0; sums have scales that are powers of two. */
static void wide_join(struct problem *p)
{
    static const char *const types[] = {"Add", "Sub", "Mul"};
    const int64_t dim[] = {1 + below(p, 6), 1 + below(p, 40)}, kind = below(p, 3);
    const float of = 1.0F / 4096, more = (float)exp2((double)below(p, 5) - 2);
    p->x = wide(p, p->x_numbers, dim, of);
    p->w = wide(p, p->w_numbers, dim, of * more);
    p->y = wide(p, p->y_numbers, dim, kind == 2 ? 1.0F / 64 : of * 4);
    make(p, types[kind], (const struct operand *const[]){&p->x, &p->w}, 2);
}

static void pool(struct problem *p)
{
    const bool largest = below(p, 2), last = below(p, 2);
    const struct geometry g = geometry(p, largest && below(p, 2));
    int64_t x[4], y[4];
    set_image(x, g.images, g.size, g.channels, last);
    set_image(y, g.images, g.result, g.channels, last);
    p->x = activations(p, p->x_numbers, 4, x, scale(p));
    p->y = activations(p, p->y_numbers, 4, y, 1);
    p->y.scales = p->x.scales;
    make(p, largest ? "MaxPool" : "AveragePool", (const struct operand *const[]){&p->x}, 1);
    set_windows(p, &g, last);
    cr_assert(!largest || node_set_integers(p->net, p->node, "dilations", g.dilation, 2));
}

static void mean(struct problem *p)
{
    const int64_t dim[] = {1 + below(p, 2), 1 + below(p, 5), 1 + below(p, 5), 1 + below(p, CHANNELS_MOST)};
    const bool last = below(p, 2);
    const int64_t first = last ? 1 : 2, axes[] = {first, first + 1},
                  y[] = {dim[0], last ? 1 : dim[1], 1, last ? dim[3] : 1};
    p->x = activations(p, p->x_numbers, 4, dim, scale(p));
    p->y = activations(p, p->y_numbers, 4, y, p->x.scales.scale[0] / 2);
    make(p, below(p, 2) ? "ReduceMean" : "ReduceSum", (const struct operand *const[]){&p->x}, 1);
    p->net->opset = 12; /* axes are an attribute */
    p->node->op = operator_find("", p->node->type, 12);
    cr_assert(node_set_integers(p->net, p->node, "axes", axes, 2));
}

static void function(struct problem *p)
{
    static const char *const types[] = {"Relu", "Sigmoid",   "Tanh",    "HardSwish",
                                        "Elu",  "LeakyRelu", "Identity"};
    const int64_t dim[] = {1 + below(p, 5), 1 + below(p, 30)};
    p->x = activations(p, p->x_numbers, 2, dim, scale(p));
    p->y =
        activations(p, p->y_numbers, 2, dim, p->x.scales.scale[0] * (float)exp2((double)below(p, 200) / 100));
    make(p, types[below(p, 7)], (const struct operand *const[]){&p->x}, 1);
}

/* Operands of ONNX's quantised operators: numbers and what they stand for, as constants. */
static void make_onnx(struct problem *p, const char *type, int64_t channels, int64_t taps, size_t count)
{
    const bool each = below(p, 2);
    const int64_t w_count = each ? channels : 1;
    p->scales[0] = scale(p);
    p->scales[1] = scale(p);
    p->zeros[0] = (uint8_t)below(p, 256);
    p->zeros[1] = (uint8_t)below(p, 256);
    for (int64_t c = 0; c < channels; c++) {
        p->w_scales[c] = p->scales[1] / p->scales[0] / (float)sqrt((double)taps) / 60 *
                         (float)exp2((double)below(p, 200) / 100 - 1);
        p->biases[c] = (int32_t)below(p, 20000) - 10000;
    }
    memset(p->w_zero_bytes, weights_zero(p), sizeof p->w_zero_bytes);
    p->onnx[0] = operand_of(NET_FLOAT, 0, NULL, &p->scales[0], 0, 0);
    p->onnx[1] = operand_of(p->type, 0, NULL, &p->zeros[0], 0, 0);
    p->onnx[2] = operand_of(NET_FLOAT, each, &w_count, p->w_scales, 0, 0);
    p->onnx[3] = operand_of(p->type, each, &w_count, p->w_zero_bytes, 0, 0);
    p->onnx[4] = operand_of(NET_FLOAT, 0, NULL, &p->scales[1], 0, 0);
    p->y_zero = operand_of(p->type, 0, NULL, &p->zeros[1], 0, 0);
    p->bias = operand_of(NET_INT32, 1, &channels, p->biases, 0, 0);
    p->x.scales = p->y.scales = p->w.scales = (struct quantisation){0};
    make(p, type,
         (const struct operand *const[]){&p->x, &p->onnx[0], &p->onnx[1], &p->w, &p->onnx[2], &p->onnx[3],
                                         &p->onnx[4], &p->y_zero, &p->bias},
         count);
    for (size_t i = 1; i < count; i++)
        p->constant[i] = true;
}

static void onnx_convolution(struct problem *p)
{
    const struct geometry g = geometry(p, true);
    const int64_t results = 1 + below(p, CHANNELS_MOST);
    int64_t x[4], y[4], w[4];
    set_image(x, g.images, g.size, g.channels, false);
    set_image(y, g.images, g.result, results, false);
    set_image(w, results, g.kernel, g.channels, false);
    p->x = activations(p, p->x_numbers, 4, x, 1);
    p->y = activations(p, p->y_numbers, 4, y, 1);
    p->w = operand_of(p->type, 4, w, p->w_numbers, 0, 0);
    fill(p, p->w_numbers, p->w.view.count);
    make_onnx(p, "QLinearConv", results, g.channels * g.kernel[0] * g.kernel[1], 8 + (size_t)below(p, 2));
    set_windows(p, &g, false);
    cr_assert(node_set_integers(p->net, p->node, "dilations", g.dilation, 2));
}

static void onnx_product(struct problem *p)
{
    const int64_t rows = 1 + below(p, 4), from = 1 + below(p, 60), to = 1 + below(p, CHANNELS_MOST);
    p->x = activations(p, p->x_numbers, 2, (const int64_t[]){rows, from}, 1);
    p->y = activations(p, p->y_numbers, 2, (const int64_t[]){rows, to}, 1);
    p->w = operand_of(p->type, 2, (const int64_t[]){from, to}, p->w_numbers, 0, 0);
    fill(p, p->w_numbers, p->w.view.count);
    make_onnx(p, "QLinearMatMul", to, from, 8);
}

/* ONNX Runtime's sum or product of two tensors. */
static void onnx_join(struct problem *p)
{
    const bool product = below(p, 2);
    const int64_t dim[] = {1 + below(p, 6), 1 + below(p, 40)};
    p->x = activations(p, p->x_numbers, 2, dim, 1);
    p->w = activations(p, p->w_numbers, 2, dim, 1);
    p->y = activations(p, p->y_numbers, 2, dim, 1);
    p->x.scales = p->w.scales = p->y.scales = (struct quantisation){0};
    p->scales[0] = scale(p);
    p->scales[1] = p->scales[0] * (float)exp2((double)below(p, 400) / 100 - 2);
    p->scales[2] =
        (product ? p->scales[1] * 50 : 1) * p->scales[0] * (float)exp2((double)below(p, 200) / 100);
    for (int i = 0; i < 3; i++) {
        p->w_zero_bytes[i] = (uint8_t)below(p, 256);
        p->onnx[i] = operand_of(NET_FLOAT, 0, NULL, &p->scales[i], 0, 0);
        p->onnx[3 + i] = operand_of(p->type, 0, NULL, &p->w_zero_bytes[i], 0, 0);
    }
    make(p, product ? "QLinearMul" : "QLinearAdd",
         (const struct operand *const[]){&p->x, &p->onnx[0], &p->onnx[3], &p->w, &p->onnx[1], &p->onnx[4],
                                         &p->onnx[2], &p->onnx[5]},
         8);
    p->node->domain = "com.microsoft";
    p->node->op = operator_find(p->node->domain, p->node->type, 1);
    for (size_t i = 0; i < 8; i++)
        p->constant[i] = i % 3 || i > 5;
}

/* Scales and zero points of an operand and of a result that is `most` times as coarse at most. */
static void make_runtime(struct problem *p, const char *type, double most)
{
    p->x.scales = p->y.scales = (struct quantisation){0};
    p->scales[0] = scale(p);
    p->scales[1] = p->scales[0] * (float)(1 + (most - 1) * (double)below(p, 100) / 100);
    p->zeros[0] = (uint8_t)below(p, 256);
    p->zeros[1] = (uint8_t)below(p, 256);
    for (size_t i = 0; i < 2; i++) {
        p->onnx[i] = operand_of(NET_FLOAT, 0, NULL, &p->scales[i], 0, 0);
        p->onnx[2 + i] = operand_of(p->type, 0, NULL, &p->zeros[i], 0, 0);
    }
    make(p, type, (const struct operand *const[]){&p->x, &p->onnx[0], &p->onnx[2], &p->onnx[1], &p->onnx[3]},
         5);
    p->node->domain = "com.microsoft";
    p->node->op = operator_find(p->node->domain, p->node->type, 1);
    for (size_t i = 1; i < 5; i++)
        p->constant[i] = true;
}

static void runtime_function(struct problem *p)
{
    const int64_t dim[] = {1 + below(p, 5), 1 + below(p, 30)};
    const bool curve = below(p, 2);
    p->x = activations(p, p->x_numbers, 2, dim, 1);
    p->y = activations(p, p->y_numbers, 2, dim, 1);
    make_runtime(p, curve ? "QLinearSigmoid" : "QLinearLeakyRelu", 2);
    cr_assert(curve || node_set_real(p->net, p->node, "alpha", (double)below(p, 100) / 100));
}

/* Averages of windows, padding among their numbers, or of whole images. */
static void runtime_average(struct problem *p)
{
    const bool all = below(p, 2), last = below(p, 2), padded = !all && below(p, 2);
    struct geometry g = geometry(p, padded);
    static const int64_t one[2] = {1, 1};
    int64_t x[4], y[4];
    for (int i = 0; i < 2; i++)
        g.result[i] = result_size(g.size[i], g.kernel[i], g.stride[i], 1, g.pads[i] + g.pads[2 + i]);
    set_image(x, g.images, g.size, g.channels, last);
    set_image(y, g.images, all ? one : g.result, g.channels, last);
    p->x = activations(p, p->x_numbers, 4, x, 1);
    p->y = activations(p, p->y_numbers, 4, y, 1);
    make_runtime(p, all ? "QLinearGlobalAveragePool" : "QLinearAveragePool", 1.5);
    cr_assert(node_set_integer(p->net, p->node, "channels_last", last));
    if (all)
        return;
    set_windows(p, &g, false);
    cr_assert(node_set_integer(p->net, p->node, "count_include_pad", padded));
}

/* Its operands are those of QLinearConv in another order, with an alpha. */
static void runtime_product(struct problem *p)
{
    const int64_t rows = 1 + below(p, 4), from = 1 + below(p, 60), to = 1 + below(p, CHANNELS_MOST);
    const bool turned = below(p, 2);
    p->x = activations(p, p->x_numbers, 2, (const int64_t[]){rows, from}, 1);
    p->y = activations(p, p->y_numbers, 2, (const int64_t[]){rows, to}, 1);
    p->w =
        operand_of(p->type, 2, (const int64_t[]){turned ? to : from, turned ? from : to}, p->w_numbers, 0, 0);
    fill(p, p->w_numbers, p->w.view.count);
    make_onnx(p, "QGemm", to, from, 9);
    static const size_t order[] = {0, 1, 2, 3, 4, 5, 8, 6, 7};
    const struct operand *in[9];
    struct tensor *inputs[9];
    for (size_t i = 0; i < 9; i++) {
        in[i] = p->in[order[i]];
        inputs[i] = p->node->inputs[order[i]];
    }
    memcpy(p->in, in, sizeof in);
    memcpy(p->node->inputs, inputs, sizeof inputs);
    p->node->domain = "com.microsoft";
    p->node->op = operator_find(p->node->domain, p->node->type, 1);
    cr_assert(node_set_integer(p->net, p->node, "transB", turned));
    cr_assert(node_set_real(p->net, p->node, "alpha", (double)(1 + below(p, 3)) / 2));
}

/* One slope for all numbers below zero. */
static void one_slope(struct problem *p)
{
    const int64_t dim[] = {1 + below(p, 5), 1 + below(p, 30)}, one = 1;
    p->x = activations(p, p->x_numbers, 2, dim, scale(p));
    p->y = activations(p, p->y_numbers, 2, dim, p->x.scales.scale[0]);
    p->w = activations(p, p->w_numbers, 1, &one, 1.0F / 128);
    make(p, "PRelu", (const struct operand *const[]){&p->x, &p->w}, 2);
    p->constant[1] = true;
}

static void softmax(struct problem *p)
{
    const int64_t dim[] = {1 + below(p, 4), 1 + below(p, 60)};
    p->x = activations(p, p->x_numbers, 2, dim, scale(p) / 4);
    p->y = activations(p, p->y_numbers, 2, dim, 1.0F / 256);
    make(p, "Softmax", (const struct operand *const[]){&p->x}, 1);
    cr_assert(node_set_integer(p->net, p->node, "axis", -1));
}

/* With how many of a hundred on the device at least. */
static const struct kind {
    const char *name;
    void (*make)(struct problem *p);
    size_t least;
} kinds[] = {{"convolution", convolution, 95},
             {"connected", connected, 95},
             {"join", join, 95},
             {"pool", pool, 80},
             {"mean", mean, 95},
             {"function", function, 95},
             {"softmax", softmax, 95},
             {"onnx_convolution", onnx_convolution, 95},
             {"onnx_product", onnx_product, 95},
             {"onnx_join", onnx_join, 90},
             {"runtime_function", runtime_function, 95},
             {"runtime_average", runtime_average, 90},
             {"runtime_product", runtime_product, 95},
             {"one_slope", one_slope, 95},
             {"wide_join", wide_join, 95}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- runs ---------------------------------------------------------------------------------------- */

/* The constant that the numbers of ONNX's operators are limited by. */
static struct tensor *limit(struct problem *p)
{
    const struct shape one = {.rank = 0};
    struct tensor *t = net_new_tensor(p->net, "limit");
    cr_assert(t && net_shape(p->net, t, &one));
    t->type = p->type;
    t->constant = true;
    t->values = (struct values){.at = &p->zeros[1], .size = 1};
    return t;
}

/* A function behind the node, in the place of the network's result. */
static void add_function(struct problem *p)
{
    static const char *const scaled[] = {"Relu", "Sigmoid", "Tanh"}, *const plain[] = {"Max", "Min", "Max"};
    struct tensor *from = p->node->outputs[0], *to = net_new_tensor(p->net, "behind");
    const bool has_scale = from->quantisation;
    const char *type = from->type == NET_INT16 ? "Relu" : (has_scale ? scaled : plain)[below(p, 3)];
    struct node *node = net_node(p->net, type, has_scale ? 1 : 2, 1);
    cr_assert(to && node && net_shape(p->net, to, from->shape));
    to->type = from->type;
    to->quantisation = from->quantisation;
    node->op = operator_find("", type, p->net->opset);
    node->name = "behind";
    node->inputs[0] = from;
    if (!has_scale)
        node->inputs[1] = limit(p);
    node->outputs[0] = to;
    cr_assert(net_add_node(p->net, node));
    from->users = 1;
}

static struct tensor *like(struct problem *p, const char *name, const struct operand *o)
{
    const struct tensor *from = p->node->outputs[0];
    struct tensor *t = net_new_tensor(p->net, name);
    cr_assert(t && net_shape(p->net, t, from->shape));
    t->type = from->type;
    t->quantisation = &o->scales;
    return t;
}

static void add_node_of(struct problem *p, const char *type, struct tensor *a, struct tensor *b,
                        struct tensor *to)
{
    struct node *node = net_node(p->net, type, b ? 2 : 1, 1);
    cr_assert(node);
    node->op = operator_find("", type, p->net->opset);
    node->name = to->name;
    node->inputs[0] = a;
    if (b)
        node->inputs[1] = b;
    node->outputs[0] = to;
    cr_assert(net_add_node(p->net, node));
}

/* The results are joined with another operand, which is an input or, `late`, computed behind the node. */
static bool add_join(struct problem *p, bool late)
{
    static const char *const types[] = {"Add", "Sub", "Mul"};
    const struct view *v = &p->y.view;
    const size_t type = (size_t)below(p, 3);
    const bool turned = below(p, 2), function = below(p, 2);
    const float of = p->y.scales.scale[0];
    p->other =
        activations(p, p->other_numbers, v->rank, v->dim, of * (float)exp2((double)below(p, 400) / 100 - 2));
    p->sum = activations(p, p->other_numbers, v->rank, v->dim, of * 2);
    struct tensor *other = like(p, "other", &p->other), *sum = like(p, "sum", &p->sum);
    p->other_input = other;
    cr_assert(net_add_input(p->net, other));
    if (late) {
        struct tensor *copy = like(p, "copy", &p->other);
        add_node_of(p, "Identity", other, NULL, copy);
        other = copy;
    }
    struct tensor *from = p->node->outputs[0];
    add_node_of(p, types[type], turned ? other : from, turned ? from : other, sum);
    if (function)
        add_node_of(p, "Relu", sum, NULL, like(p, "behind", &p->sum));
    return !late && !(turned && type == 1);
}

static void set_constants(struct problem *p)
{
    for (size_t i = 0; i < p->node->input_count; i++)
        if (p->constant[i]) {
            const struct view *v = &p->in[i]->view;
            p->node->inputs[i]->constant = true;
            p->node->inputs[i]->values.at = v->data;
            p->node->inputs[i]->values.size = v->count * type_bytes(v->type);
        }
}

/* With inputs that are set; `layers` NULL: on the CPU. */
static struct run *begin(struct problem *p, struct layers *layers, struct diag *diag)
{
    struct run *run = run_new(p->net, diag);
    cr_assert(run);
    for (size_t i = 0; i < p->node->input_count; i++)
        cr_assert(p->constant[i] || run_set(run, p->node->inputs[i], &p->in[i]->view));
    cr_assert(!p->other_input || run_set(run, p->other_input, &p->other.view));
    if (layers)
        layers_offer(layers, run);
    return run;
}

/* Copies what it gave for the tensor, if `to` is there. */
static void run_all(struct problem *p, struct layers *layers, struct tensor *wanted, uint8_t *to)
{
    struct diag diag = {0};
    struct view view;
    struct run *run = begin(p, layers, &diag);
    cr_assert(run_nodes(run), "%s", sb_text(&diag.text));
    if (to) {
        cr_assert(run_get(run, wanted, &view));
        memcpy(to, view.data, view.count);
    }
    run_free(run);
    diag_free(&diag);
}

static struct layers *make_layers(struct problem *p, struct tulle_device *device,
                                  const struct layers_options *options)
{
    struct diag diag = {0};
    enum tulle_status status;
    struct layers *layers = layers_new(p->net, device, options, &status, &diag);
    cr_assert(layers, "%s", sb_text(&diag.text));
    diag_free(&diag);
    return layers;
}

static void make_problem(struct problem *p, struct random *random, const struct kind *kind,
                         enum net_type type)
{
    memset(p, 0, sizeof *p);
    p->random = random;
    p->type = type;
    kind->make(p);
    set_constants(p);
    if (below(p, 2))
        add_function(p);
}

static void compare(struct problem *p, struct tulle_device *device, struct tensor *wanted, unsigned round)
{
    static uint8_t cpu[NUMBERS_MOST], other[NUMBERS_MOST];
    const struct layers_options options = {.milliseconds = WAIT};
    struct layers *layers = make_layers(p, device, &options);
    run_all(p, NULL, wanted, cpu);
    for (int again = 0; again < 2; again++) {
        memset(other, 0, sizeof other);
        run_all(p, layers, wanted, other);
        cr_assert_arr_eq(cpu, other, p->y.view.count, "round %u, %s: \"%s\" differs", round, p->node->type,
                         wanted->name);
    }
    layers_free(layers);
}

Test(host_net_device_layers, random_layers_give_the_bits_of_the_cpu, .timeout = 300)
{
    static struct problem p;
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    const struct layers_options options = {.milliseconds = WAIT, .check = true};
    size_t tried[KINDS] = {0}, ran[KINDS] = {0};
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct random random = {i};
        const size_t kind = i % KINDS;
        size_t count;
        make_problem(&p, &random, &kinds[kind], i / KINDS % 2 ? NET_INT8 : NET_UINT8);
        struct layers *layers = make_layers(&p, device, &options);
        run_all(&p, layers, NULL, NULL);
        const struct layers_check *check = layers_checked(layers);
        const struct layer *list = layers_list(layers, &count);
        cr_assert_eq(check->differ, 0, "round %u, %s of %s: element %zu is %lld, not %lld", i, p.node->type,
                     net_type_name(p.type), check->element, (long long)check->device, (long long)check->cpu);
        tried[kind]++;
        ran[kind] += list[0].op != NULL;
        if (list[0].reason)
            cr_log_info("round %u, %s: %s", i, p.node->type, list[0].reason);
        layers_free(layers);
        net_free(p.net);
    }
    for (size_t k = 0; k < KINDS; k++)
        cr_expect_geq(100 * ran[k], kinds[k].least * tried[k], "%s: %zu of %zu ran on the device",
                      kinds[k].name, ran[k], tried[k]);
    tulle_device_close(device);
}

/* Inputs without the zero point: then the device multiplies what it must, and nothing else. */
Test(host_net_device_layers, needs_are_what_the_device_counts, .timeout = 300)
{
    static const size_t counted[] = {0, 1, 4};
    static struct problem p;
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    for (unsigned i = 0; i < FEWER_ROUNDS(150); i++) {
        struct random random = {i};
        size_t count;
        make_problem(&p, &random, &kinds[counted[i % 3]], NET_UINT8);
        for (size_t k = 0; k < p.x.view.count; k++)
            p.x_numbers[k] += p.x_numbers[k] == p.x.scales.zero[0];
        struct layers *layers = make_layers(&p, device, &(struct layers_options){.milliseconds = WAIT});
        run_all(&p, layers, NULL, NULL);
        const struct layer *layer = layers_list(layers, &count);
        cr_assert(layer->op);
        cr_expect_eq(layer->needs.multiplications, layer->counters.effective_macs,
                     "round %u, %s: %llu, not %llu", i, p.node->type,
                     (unsigned long long)layer->needs.multiplications,
                     (unsigned long long)layer->counters.effective_macs);
        cr_expect_leq(layer->needs.written, layer->counters.bytes_written);
        layers_free(layers);
        net_free(p.net);
    }
    tulle_device_close(device);
}

Test(host_net_device_layers, every_value_that_somebody_reads_is_there, .timeout = 300)
{
    static struct problem p;
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    for (unsigned i = 0; i < FEWER_ROUNDS(40) * KINDS; i++) {
        struct random random = {i + ROUNDS};
        make_problem(&p, &random, &kinds[i % KINDS], i / KINDS % 2 ? NET_INT8 : NET_UINT8);
        struct tensor *first = p.node->outputs[0], *last = p.net->nodes[p.net->node_count - 1]->outputs[0];
        compare(&p, device, last, i);
        first->output = true;
        compare(&p, device, first, i);
        compare(&p, device, last, i);
        net_free(p.net);
    }
    tulle_device_close(device);
}

/* Only a join whose other operand is there before is within the layer, which then gives the bits of both. */
Test(host_net_device_layers, results_are_joined_within_their_layer, .timeout = 300)
{
    static struct problem p;
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    unsigned can = 0, folded = 0;
    for (unsigned i = 0; i < FEWER_ROUNDS(200); i++) {
        struct random random = {i + 2 * ROUNDS};
        size_t count;
        memset(&p, 0, sizeof p);
        p.random = &random;
        p.type = i % 4 < 2 ? NET_INT8 : NET_UINT8;
        kinds[i % 2].make(&p);
        set_constants(&p);
        const bool may = add_join(&p, i % 5 == 0);
        struct tensor *last = p.net->nodes[p.net->node_count - 1]->outputs[0];
        compare(&p, device, last, i);
        struct layers *layers =
            make_layers(&p, device, &(struct layers_options){.milliseconds = WAIT, .check = true});
        run_all(&p, layers, NULL, NULL);
        cr_assert_eq(layers_checked(layers)->differ, 0, "round %u", i);
        const struct layer *list = layers_list(layers, &count);
        const bool within = list[0].second && list[0].last == count - 1;
        cr_assert(may || !list[0].second, "round %u", i);
        can += may;
        folded += within;
        layers_free(layers);
        net_free(p.net);
    }
    cr_expect_geq(100 * folded, 95 * can, "%u of %u", folded, can);
    cr_expect_geq(can, FEWER_ROUNDS(100));
    tulle_device_close(device);
}

Test(host_net_device_layers, a_device_without_the_keys_says_what_is_missing)
{
    static const char *const words[KINDS] = {"made without channel_groups",
                                             "made without channel_groups",
                                             "made without joins",
                                             "",
                                             "rounds halves up only",
                                             "",
                                             "made without softmax",
                                             "rounds halves up only",
                                             "",
                                             "made without joins",
                                             "made without lookup",
                                             "",
                                             "",
                                             "made without lookup",
                                             "made without joins"};
    static struct problem p;
    struct tulle_device *device = open_device("model:base", "model:base", 0);
    for (unsigned i = 0; i < KINDS; i++) {
        struct random random = {i};
        size_t count;
        make_problem(&p, &random, &kinds[i], NET_INT8);
        struct layers *layers = make_layers(&p, device, &(struct layers_options){.milliseconds = WAIT});
        const struct layer *list = layers_list(layers, &count);
        cr_expect(!*words[i] || (list[0].reason && strstr(list[0].reason, words[i])), "%s: \"%s\"",
                  kinds[i].name, list[0].reason ? list[0].reason : "it runs there");
        layers_free(layers);
        net_free(p.net);
    }
    tulle_device_close(device);
}

Test(host_net_device_layers, weights_that_are_computed_stay_on_the_cpu)
{
    static struct problem p;
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    struct random random = {3};
    size_t count;
    memset(&p, 0, sizeof p);
    p.random = &random;
    p.type = NET_INT8;
    connected(&p);
    struct layers *layers = make_layers(&p, device, &(struct layers_options){.milliseconds = WAIT});
    cr_expect_str_eq(layers_list(layers, &count)[0].reason, "its operand \"in_1\" is computed");
    layers_free(layers);
    net_free(p.net);
    tulle_device_close(device);
}

/* Constants are no inputs, and the last result is an output, as files have them. */
static struct tensor *settle(struct problem *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->net->input_count; i++) {
        p->net->inputs[i]->input = !p->net->inputs[i]->constant;
        if (p->net->inputs[i]->input)
            p->net->inputs[kept++] = p->net->inputs[i];
    }
    p->net->input_count = kept;
    p->net->name = "";
    struct tensor *last = p->net->nodes[p->net->node_count - 1]->outputs[0];
    cr_assert(net_add_output(p->net, last));
    return last;
}

/* The bytes of the network's file. */
static struct strbuf bytes_of(struct net *net, const struct layers *layers, struct tulle_device *device)
{
    struct strbuf file = {0};
    struct diag diag = {0};
    struct tulle_device_info info = {.size = sizeof info};
    struct marks *marks = marks_new(net);
    done(tulle_device_describe(device, &info));
    cr_assert(marks && compiled_write(net, layers, &info, marks, &(struct compiled_marks){.count = 0}, &file,
                                      &diag),
              "%s", sb_text(&diag.text));
    marks_free(marks);
    return file;
}

static void write_compiled(struct problem *p, struct tulle_device *device)
{
    struct layers *layers = make_layers(p, device, &(struct layers_options){.milliseconds = WAIT});
    struct strbuf file = bytes_of(p->net, layers, device);
    FILE *to = fopen("net", "wb");
    cr_assert(to && fwrite(file.text, 1, file.len, to) == file.len && fclose(to) == 0);
    layers_free(layers);
    sb_free(&file);
}

/* What has been read is written with the bytes that it was read from. */
static void write_again(struct net *net, const struct layers *layers, struct tulle_device *device,
                        const struct strbuf *before)
{
    struct strbuf file = bytes_of(net, layers, device);
    cr_expect(file.len == before->len && !memcmp(file.text, before->text, file.len), "other bytes");
    sb_free(&file);
}

static bool set_named(struct run *run, const struct net *net, const struct tensor *like,
                      const struct view *view)
{
    return run_set(run, net_find(net, like->name, strlen(like->name)), view);
}

/* Its last result. */
static void run_compiled(struct problem *p, struct tulle_device *device, const char *wanted, uint8_t *to,
                         size_t *nodes)
{
    struct compiled compiled;
    struct diag diag = {0};
    enum tulle_status status;
    struct view view;
    cr_assert(compiled_read("net", &compiled, &diag), "%s", sb_text(&diag.text));
    struct net *net = compiled.net;
    struct layers *layers =
        compiled_layers(&compiled, device, &(struct layers_options){.milliseconds = WAIT}, &status, &diag);
    cr_assert(layers, "%s", sb_text(&diag.text));
    write_again(net, layers, device, &compiled.file);
    compiled_close(&compiled);
    *nodes = layers_nodes(layers);
    struct run *run = run_new(net, &diag);
    for (size_t i = 0; i < p->node->input_count; i++)
        cr_assert(p->constant[i] || set_named(run, net, p->node->inputs[i], &p->in[i]->view));
    cr_assert(!p->other_input || set_named(run, net, p->other_input, &p->other.view));
    layers_offer(layers, run);
    cr_assert(run_nodes(run) && run_get(run, net_find(net, wanted, strlen(wanted)), &view), "%s",
              sb_text(&diag.text));
    memcpy(to, view.data, view.count);
    run_free(run);
    layers_free(layers);
    net_free(net);
}

Test(host_net_device_layers, what_is_compiled_gives_the_bits_of_the_cpu, .timeout = 300,
     .init = scratch_enter, .fini = scratch_leave)
{
    static struct problem p;
    static uint8_t cpu[NUMBERS_MOST], other[NUMBERS_MOST];
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    size_t on_device = 0;
    for (unsigned i = 0; i < FEWER_ROUNDS(40) * KINDS; i++) {
        struct random random = {i + 2 * ROUNDS};
        size_t nodes;
        make_problem(&p, &random, &kinds[i % KINDS], i / KINDS % 2 ? NET_INT8 : NET_UINT8);
        struct tensor *last = settle(&p);
        run_all(&p, NULL, last, cpu);
        write_compiled(&p, device);
        memset(other, 0, sizeof other);
        run_compiled(&p, device, last->name, other, &nodes);
        on_device += nodes;
        cr_assert_arr_eq(cpu, other, p.y.view.count, "round %u, %s differs", i, p.node->type);
        net_free(p.net);
    }
    cr_expect_geq(on_device, FEWER_ROUNDS(40) * KINDS, "%zu nodes were on the device", on_device);
    tulle_device_close(device);
}

/* The board fails some accesses after it was opened. */
Test(host_net_device_layers, a_device_that_is_lost_is_named_and_the_next_run_is_right)
{
    static struct problem p;
    static uint8_t cpu[NUMBERS_MOST], other[NUMBERS_MOST];
    struct tulle_device *device = open_device(SMALL ";fault=ones:2000", "model:networks", 0);
    struct random random = {0};
    struct diag diag = {0};
    unsigned runs = 0;
    bool ok = true;
    make_problem(&p, &random, &kinds[0], NET_INT8);
    struct tensor *wanted = p.net->nodes[p.net->node_count - 1]->outputs[0];
    struct layers *layers = make_layers(&p, device, &(struct layers_options){.milliseconds = WAIT});
    for (; ok && runs < 2000; runs++) {
        struct run *run = begin(&p, layers, &diag);
        ok = run_nodes(run);
        run_free(run);
    }
    cr_assert(!ok && runs > 1);
    cr_expect(strstr(sb_text(&diag.text), "node \"Conv\" (Conv): ") &&
                  strstr(sb_text(&diag.text), "does not answer"),
              "%s", sb_text(&diag.text));
    diag_free(&diag);
    layers_free(layers);
    tulle_device_close(device);
    done(tulle_device_open(NULL, NULL, &device));
    layers = make_layers(&p, device, &(struct layers_options){.milliseconds = WAIT});
    run_all(&p, NULL, wanted, cpu);
    run_all(&p, layers, wanted, other);
    cr_expect_arr_eq(cpu, other, p.y.view.count);
    layers_free(layers);
    net_free(p.net);
    tulle_device_close(device);
}
