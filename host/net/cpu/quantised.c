/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX's operators on quantised integers. Sums are exact; a result is rounded
 * once, to the nearest, halves to even, and saturates.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/convolve.h"
#include "host/net/cpu/product.h"

/* The scale or zero point of an element: one for the tensor, or one for each index of the axis. */
static size_t axis_index(const struct call *c, const struct view *x, const struct view *scale, size_t i)
{
    const int64_t given = node_integer(c->node, "axis");
    const int axis = (int)(given < 0 ? given + x->rank : given);
    if (scale->count == 1 || axis >= x->rank)
        return 0;
    for (int k = axis + 1; k < x->rank; k++)
        i /= (size_t)x->dim[k];
    return i % (size_t)x->dim[axis];
}

static int64_t zero_of(const struct view *zero, size_t at)
{
    return zero ? view_integer(zero, zero->count == 1 ? 0 : at) : 0;
}

static bool quantize(const struct call *c)
{
    const struct view *x = c->in[0], *zero = c->inputs > 2 ? c->in[2] : NULL;
    if (node_integer(c->node, "block_size"))
        return kernel_fails(c, "blocks are not supported");
    for (size_t i = 0; i < x->count; i++) {
        const size_t at = axis_index(c, x, c->in[1], i);
        /* The quotient is that of floats, as ONNX computes it. */
        const float quotient = (float)view_real(x, i) / (float)view_real(c->in[1], at);
        view_set_real(c->out[0], i, nearbyint((double)quotient) + (double)zero_of(zero, at));
    }
    return true;
}

static bool dequantize(const struct call *c)
{
    const struct view *x = c->in[0], *zero = c->inputs > 2 ? c->in[2] : NULL;
    if (node_integer(c->node, "block_size"))
        return kernel_fails(c, "blocks are not supported");
    for (size_t i = 0; i < x->count; i++) {
        const size_t at = axis_index(c, x, c->in[1], i);
        view_set_real(c->out[0], i,
                      (double)(view_integer(x, i) - zero_of(zero, at)) * view_real(c->in[1], at));
    }
    return true;
}

static bool dynamic_quantize(const struct call *c)
{
    const struct view *x = c->in[0];
    double low = 0, high = 0;
    for (size_t i = 0; i < x->count; i++) {
        const double value = view_real(x, i);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    const float scale = (float)(high - low) / 255.0F;
    const double zero = nearbyint(fmax(0, fmin(255, (double)(float)(-low / (double)scale))));
    view_set_real(c->out[1], 0, (double)scale);
    view_set_real(c->out[2], 0, zero);
    for (size_t i = 0; i < x->count; i++)
        view_set_real(c->out[0], i, nearbyint((double)((float)view_real(x, i) / scale)) + zero);
    return true;
}

static const struct view *given(const struct call *c, size_t input)
{
    return input < c->inputs ? c->in[input] : NULL;
}

/* A sum becomes the result of a channel. */
typedef void finish_function(const struct call *c, int64_t sum, size_t channel, size_t to);

static bool convolve(const struct call *c, struct convolution *conv, finish_function *finish)
{
    const struct slide *s = conv->slide;
    if (!convolution_open(conv))
        return kernel_fails(c, "out of memory");
    for (int64_t i = 0; i < s->images * s->results; i++) {
        const int64_t image = i / s->results, at = i % s->results;
        convolution_sums(conv, image, at);
        for (int64_t o = 0; o < s->to.channels; o++)
            finish(c, conv->sums[o], (size_t)o,
                   (size_t)(image * s->to.image + o * s->to.channel + at * s->to.place));
    }
    convolution_close(conv);
    return true;
}

/* A convolution whose weights have one zero point, or one for each output channel. */
static bool conv_of(const struct call *c, const struct view *w, const struct view *x_zero,
                    const struct view *w_zero, finish_function *finish)
{
    const struct slide s = slide_of(c->node, c->in[0], w, c->out[0]);
    if (!slide_fits(c, &s, w, given(c, 8)))
        return false;
    struct convolution conv = {.slide = &s, .x = c->in[0], .w = w, .x_zero = (int32_t)zero_of(x_zero, 0)};
    int32_t *zeros = calloc((size_t)s.to.channels + 1, sizeof *zeros);
    for (int64_t o = 0; zeros && o < s.to.channels; o++)
        zeros[o] = (int32_t)zero_of(w_zero, (size_t)o);
    conv.w_zero = zeros;
    const bool ok = zeros ? convolve(c, &conv, finish) : kernel_fails(c, "out of memory");
    free(zeros);
    return ok;
}

static void finish_integer(const struct call *c, int64_t sum, size_t channel, size_t to)
{
    (void)channel;
    view_set_integer(c->out[0], to, sum);
}

static bool conv_integer(const struct call *c)
{
    return conv_of(c, c->in[1], given(c, 2), given(c, 3), finish_integer);
}

static double scaled(const struct call *c, int64_t sum, const struct view *weights_scale, size_t channel,
                     size_t first)
{
    const float scale = (float)view_real(c->in[1], 0) *
                        (float)view_real(weights_scale, weights_scale->count == 1 ? 0 : channel) /
                        (float)view_real(c->in[first], 0);
    return nearbyint((double)((float)sum * scale)) + (double)zero_of(c->in[first + 1], 0);
}

static void finish_qlinear(const struct call *c, int64_t sum, size_t channel, size_t to)
{
    const struct view *bias = given(c, 8);
    view_set_real(c->out[0], to,
                  scaled(c, sum + (bias ? view_integer(bias, channel) : 0), c->in[4], channel, 6));
}

static bool qlinear_conv(const struct call *c)
{
    return conv_of(c, c->in[3], c->in[2], c->in[5], finish_qlinear);
}

static int64_t product_sum(const struct view *a, const struct view *b, const struct view *y, size_t i,
                           const struct view *a_zero, const struct view *b_zero)
{
    int64_t m, k, n, sum = 0;
    size_t p, q, step;
    product_sizes(a, b, &m, &k, &n);
    product_places(a, b, y, i, &p, &q, &step);
    for (int64_t l = 0; l < k; l++)
        sum += (view_integer(a, p + (size_t)l) - zero_of(a_zero, i / (size_t)n % (size_t)m)) *
               (view_integer(b, q + (size_t)l * step) - zero_of(b_zero, i % (size_t)n));
    return sum;
}

static bool matmul_integer(const struct call *c)
{
    for (size_t i = 0; i < c->out[0]->count; i++)
        view_set_integer(c->out[0], i,
                         product_sum(c->in[0], c->in[1], c->out[0], i, given(c, 2), given(c, 3)));
    return true;
}

static bool qlinear_matmul(const struct call *c)
{
    for (size_t i = 0; i < c->out[0]->count; i++) {
        const int64_t sum = product_sum(c->in[0], c->in[3], c->out[0], i, c->in[2], c->in[5]);
        view_set_real(c->out[0], i,
                      scaled(c, sum, c->in[4], i % (size_t)c->out[0]->dim[c->out[0]->rank - 1], 6));
    }
    return true;
}

const struct kernel quantised_kernels[] = {
    {"QuantizeLinear", quantize},
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeLinear", dynamic_quantize},
    {"ConvInteger", conv_integer},
    {"QLinearConv", qlinear_conv},
    {"MatMulInteger", matmul_integer},
    {"QLinearMatMul", qlinear_matmul},
    {NULL, NULL},
};
