/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and fully connected layers of scaled tensors.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/convolve.h"
#include "host/net/cpu/scaled.h"

bool scaled_layer(const struct scaled_layer *layer, const struct view *x, const struct view *w,
                  const struct view *bias, const struct view *y)
{
    const struct slide *s = &layer->slide;
    struct convolution conv = {.slide = s, .x = x, .w = w, .x_zero = layer->x_zero, .w_zero = layer->w_zero};
    if (!convolution_open(&conv))
        return false;
    for (int64_t i = 0; i < s->images * s->results; i++) {
        const int64_t image = i / s->results, at = i % s->results;
        convolution_sums(&conv, image, at);
        for (int64_t o = 0; o < s->to.channels; o++) {
            const int64_t sum = conv.sums[o] + (bias ? view_integer(bias, (size_t)o) : 0);
            view_set_integer(y, (size_t)(image * s->to.image + o * s->to.channel + at * s->to.place),
                             num_apply(&layer->steps[o], sum));
        }
    }
    convolution_close(&conv);
    return true;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

/* The factor of a channel. TFLite multiplies the scales in float where it has one scale for the weights of an
 * unsigned or of a fully connected layer, else in double. */
static double factor_of(const struct call *c, struct scale x, float w, struct scale y)
{
    const bool single = c->in[0]->type == NET_UINT8 || !strcmp(c->node->type, "Gemm");
    const double product = single && c->node->inputs[1]->quantisation->count == 1
                               ? (double)(x.scale * w)
                               : (double)x.scale * (double)w;
    return product / (double)y.scale;
}

static bool make_steps(const struct call *c, const struct slide *s, struct num_step *steps, int32_t *zeros,
                       bool wide)
{
    const struct quantisation *q = c->node->inputs[1]->quantisation;
    struct scale x, y;
    if (!scale_of(c, c->node->inputs[0], &x) || !scale_of(c, c->node->outputs[0], &y))
        return false;
    for (int64_t o = 0; o < s->to.channels; o++) {
        const int64_t at = q->count == 1 ? 0 : o;
        steps[o] = step_of(c->out[0]->type, y.zero);
        zeros[o] = q->zero[at];
        if (!step_scale(c, &steps[o], factor_of(c, x, q->scale[at], y), wide))
            return false;
    }
    return true;
}

/* The types that there are kernels for. */
static bool check_types(const struct call *c)
{
    const enum net_type x = c->in[0]->type, w = c->in[1]->type, y = c->out[0]->type;
    const bool same = w == x && (x == NET_INT8 || x == NET_UINT8), wide = x == NET_INT16 && w == NET_INT8;
    if ((same || wide) && y == x)
        return true;
    return kernel_fails(c, "inputs of %s, weights of %s and results of %s are not supported",
                        net_type_name(x), net_type_name(w), net_type_name(y));
}

static bool check_scales(const struct call *c, int64_t channels)
{
    const struct quantisation *q = c->node->inputs[1]->quantisation;
    if (!q)
        return kernel_fails(c, "its weights have no scale");
    return q->count == 1 || (int64_t)q->count == channels ||
           kernel_fails(c, "its weights have %u scales for %lld output channels", q->count,
                        (long long)channels);
}

static bool run_layer(const struct call *c, struct scaled_layer *layer)
{
    const struct view *bias = c->inputs > 2 ? c->in[2] : NULL;
    const size_t channels = (size_t)layer->slide.to.channels;
    struct scale x = {0};
    if (!check_types(c) || !slide_fits(c, &layer->slide, c->in[1], bias) ||
        !check_scales(c, layer->slide.to.channels) || !scale_of(c, c->node->inputs[0], &x))
        return false;
    struct num_step *steps = calloc(channels + 1, sizeof *steps);
    int32_t *zeros = calloc(channels + 1, sizeof *zeros);
    const bool wide = bias && bias->type == NET_INT64;
    bool ok = steps && zeros;
    if (!ok)
        kernel_fails(c, "out of memory");
    ok = ok && make_steps(c, &layer->slide, steps, zeros, wide);
    layer->x_zero = x.zero;
    layer->w_zero = zeros;
    layer->steps = steps;
    if (ok && !scaled_layer(layer, c->in[0], c->in[1], bias, c->out[0]))
        ok = kernel_fails(c, "out of memory");
    free(steps);
    free(zeros);
    return ok;
}

static bool conv(const struct call *c)
{
    struct scaled_layer layer = {.slide = slide_of(c->node, c->in[0], c->in[1], c->out[0])};
    return run_layer(c, &layer);
}

/* Rows are images of one place. */
static bool gemm(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    struct scaled_layer layer = {.slide = {.images = x->dim[0], .groups = 1, .each = x->dim[1]}};
    if (node_integer(c->node, "transA") || !node_integer(c->node, "transB"))
        return kernel_fails(c, "its weights must lie in rows of an output each");
    layer.slide.from.channels = x->dim[1];
    layer.slide.to.channels = y->dim[1];
    slide_count(&layer.slide, true, false);
    return run_layer(c, &layer);
}

const struct kernel scaled_layer_kernels[] = {{"Conv", conv}, {"Gemm", gemm}, {NULL, NULL}};
