/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX's operators on quantised integers. Sums are exact; a result is rounded
 * once, to the nearest, halves to even, and saturates.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/convolve.h"
#include "host/net/cpu/exact.h"
#include "host/net/cpu/float_step.h"
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

struct finish {
    const struct call *call;
    const struct slide *slide;
    finish_function *each;
};

static void finish_tile(const void *context, const struct tile *tile)
{
    const struct finish *f = context;
    const struct raster *to = &f->slide->to;
    for (int p = 0; p < tile->places; p++)
        for (int o = 0; o < tile->channels; o++)
            f->each(f->call, tile_sum(tile, p, o), (size_t)(tile->channel + o),
                    (size_t)(tile->image * to->image + (tile->channel + o) * to->channel +
                             (tile->at + p) * to->place));
}

/* Weights have one zero point, or one for each output channel. */
static bool slide_over(const struct call *c, const struct slide *s, const struct view *w,
                       const struct view *x_zero, const struct view *w_zero, finish_function *each)
{
    if (!slide_fits(c, s, w, given(c, 8)))
        return false;
    const struct finish f = {c, s, each};
    struct convolution conv = {
        .slide = s, .x = c->in[0], .w = w, .x_zero = (int32_t)zero_of(x_zero, 0), .call = c};
    int32_t *zeros = calloc((size_t)s->to.channels + 1, sizeof *zeros);
    for (int64_t o = 0; zeros && o < s->to.channels; o++)
        zeros[o] = (int32_t)zero_of(w_zero, (size_t)o);
    conv.w_zero = zeros;
    const bool ok = (zeros && convolution_run(&conv, finish_tile, &f)) || kernel_no_memory(c);
    free(zeros);
    return ok;
}

static bool conv_of(const struct call *c, const struct view *w, const struct view *x_zero,
                    const struct view *w_zero, finish_function *each)
{
    const struct slide s = slide_of(c->node, c->in[0], w, c->out[0]);
    return slide_over(c, &s, w, x_zero, w_zero, each);
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

/* What a sum is multiplied by. */
static float factor_of(const struct call *c, const struct view *weights_scale, size_t channel, size_t first)
{
    return (float)view_real(c->in[1], 0) *
           (float)view_real(weights_scale, weights_scale->count == 1 ? 0 : channel) /
           (float)view_real(c->in[first], 0);
}

static double scaled(const struct call *c, int64_t sum, const struct view *weights_scale, size_t channel,
                     size_t first)
{
    return float_result(sum, factor_of(c, weights_scale, channel, first)) +
           (double)zero_of(c->in[first + 1], 0);
}

/* ---- descriptions -------------------------------------------------------------------------------- */

struct channel_lists {
    struct num_step *steps;
    int32_t *zeros;
    float *factors;
};

/* The layer with multipliers that give the same results, if all channels have one; else with factors. */
static bool describe_channels(const struct call *c, const struct slide *s, const struct channel_lists *l)
{
    const struct view *y = c->out[0];
    bool same = true;
    for (int64_t o = 0; o < s->to.channels; o++) {
        l->steps[o] = step_of(y->type, (int32_t)zero_of(c->in[7], 0));
        l->zeros[o] = (int32_t)zero_of(c->in[5], (size_t)o);
        l->factors[o] = factor_of(c, c->in[4], (size_t)o, 6);
        same = float_step(&l->steps[o], l->factors[o]) && same;
    }
    const struct scaled_layer layer = {.slide = *s,
                                       .x_zero = (int32_t)zero_of(c->in[2], 0),
                                       .w_zero = l->zeros,
                                       .steps = l->steps,
                                       .call = c};
    return exact_run(c, &(struct exact){.kind = EXACT_LAYER,
                                        .layer = &layer,
                                        .factors = same ? NULL : l->factors,
                                        .x = c->in[0],
                                        .w = c->in[3],
                                        .bias = given(c, 8),
                                        .y = y});
}

static bool describe(const struct call *c, const struct slide *s)
{
    const size_t channels = (size_t)s->to.channels;
    const struct channel_lists l = {calloc(channels + 1, sizeof *l.steps),
                                    calloc(channels + 1, sizeof *l.zeros),
                                    calloc(channels + 1, sizeof *l.factors)};
    const bool ok = l.steps && l.zeros && l.factors ? describe_channels(c, s, &l) : kernel_no_memory(c);
    free(l.steps);
    free(l.zeros);
    free(l.factors);
    return ok;
}

static bool describe_conv(const struct call *c)
{
    const struct slide s = slide_of(c->node, c->in[0], c->in[3], c->out[0]);
    return slide_fits(c, &s, c->in[3], given(c, 8)) && describe(c, &s);
}

/* Rows are images of one place. `in_rows`: weights lie in a row for each output, else in a column. */
static struct slide product_slide(const struct view *b, const struct view *y, bool in_rows)
{
    struct slide s = {.groups = 1};
    s.from.channels = s.each = b->dim[in_rows];
    s.to.channels = b->dim[!in_rows];
    s.images = (int64_t)(y->count / (size_t)(s.to.channels ? s.to.channels : 1));
    slide_count(&s, true, false);
    if (!in_rows)
        s.weights = (struct taps){1, s.to.channels, 0};
    return s;
}

static bool describe_matmul(const struct call *c)
{
    const struct view *a = c->in[0], *b = c->in[3];
    if (b->rank != 2 || a->rank < 2 || (c->in[2] && c->in[2]->count != 1))
        return kernel_fails(c, "devices have products with one matrix of two dimensions, and one zero point");
    const struct slide s = product_slide(b, c->out[0], false);
    return describe(c, &s);
}

/* ---- ONNX's operators ------------------------------------------------------------------------------ */

static void finish_qlinear(const struct call *c, int64_t sum, size_t channel, size_t to)
{
    const struct view *bias = given(c, 8);
    view_set_real(c->out[0], to,
                  scaled(c, sum + (bias ? view_integer(bias, channel) : 0), c->in[4], channel, 6));
}

static bool qlinear_conv(const struct call *c)
{
    if (c->taker)
        return describe_conv(c);
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

static bool integer_products(const void *context, int64_t begin, int64_t end)
{
    const struct call *c = context;
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        view_set_integer(c->out[0], i,
                         product_sum(c->in[0], c->in[1], c->out[0], i, given(c, 2), given(c, 3)));
    return true;
}

static bool qlinear_products(const void *context, int64_t begin, int64_t end)
{
    const struct call *c = context;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const int64_t sum = product_sum(c->in[0], c->in[3], c->out[0], i, c->in[2], c->in[5]);
        view_set_real(c->out[0], i,
                      scaled(c, sum, c->in[4], i % (size_t)c->out[0]->dim[c->out[0]->rank - 1], 6));
    }
    return true;
}

static bool share_products(const struct call *c, crew_function *function)
{
    const struct view *a = c->in[0];
    return crew_share(c->crew, (int64_t)c->out[0]->count, a->dim[a->rank - 1], function, c);
}

static bool matmul_integer(const struct call *c)
{
    return share_products(c, integer_products);
}

static bool qlinear_matmul(const struct call *c)
{
    if (c->taker)
        return describe_matmul(c);
    return share_products(c, qlinear_products);
}

/* ONNX Runtime's Gemm has operands in an order of its own; here they stand as those of QLinearConv. Its alpha
 * is a part of the scale. */
static bool qgemm(const struct call *c)
{
    float alpha = (float)node_real(c->node, "alpha") * (float)view_real(c->in[1], 0);
    struct view a_scale = {.type = NET_FLOAT, .count = 1, .data = &alpha};
    struct call as_conv = *c;
    as_conv.inputs = 9;
    as_conv.in[1] = &a_scale;
    as_conv.in[6] = c->in[7];
    as_conv.in[7] = c->in[8];
    as_conv.in[8] = c->in[6];
    if (node_integer(c->node, "transA"))
        return kernel_fails(c, "a first operand in columns is not supported");
    const struct slide s = product_slide(c->in[3], c->out[0], node_integer(c->node, "transB") != 0);
    return c->taker ? slide_fits(c, &s, c->in[3], c->in[6]) && describe(&as_conv, &s)
                    : slide_over(&as_conv, &s, c->in[3], c->in[2], c->in[5], finish_qlinear);
}

/* ---- joins --------------------------------------------------------------------------------------- */

/* As DequantizeLinear, Add or Mul, and QuantizeLinear in float. */
static struct float_join join_of(const struct call *c)
{
    return (struct float_join){
        .joining = !strcmp(c->node->type, "QLinearMul") ? NUM_MULTIPLY : NUM_ADD,
        .has_no_sign = c->in[0]->type == NET_UINT8,
        .a_scale = (float)view_real(c->in[1], 0),
        .a_zero = (int32_t)zero_of(c->in[2], 0),
        .b_scale = (float)view_real(c->in[4], 0),
        .b_zero = (int32_t)zero_of(c->in[5], 0),
        .y_scale = (float)view_real(c->in[6], 0),
    };
}

static bool describe_join(const struct call *c, const struct float_join *join, int32_t zero)
{
    struct num_join exact = {.step = step_of(c->out[0]->type, zero)};
    if (!float_join(&exact, join))
        return kernel_fails(c, "no multiplier gives what its scales give in float");
    return exact_run(
        c, &(struct exact){.kind = EXACT_JOIN, .join = &exact, .x = c->in[0], .w = c->in[3], .y = c->out[0]});
}

static bool qlinear_join(const struct call *c)
{
    const struct view *y = c->out[0];
    const struct float_join join = join_of(c);
    const int32_t zero = (int32_t)zero_of(given(c, 7), 0);
    if (c->taker)
        return describe_join(c, &join, zero);
    const struct spread a = spread_of(c->in[0], y), b = spread_of(c->in[3], y);
    for (size_t i = 0; i < y->count; i++)
        view_set_real(y, i,
                      (double)float_join_result(&join, view_integer(c->in[0], spread_at(&a, i)),
                                                view_integer(c->in[3], spread_at(&b, i))) +
                          zero);
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
    {"QGemm", qgemm},
    {"QLinearAdd", qlinear_join},
    {"QLinearMul", qlinear_join},
    {NULL, NULL},
};
