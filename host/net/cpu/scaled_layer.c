/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and fully connected layers of scaled tensors.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/convolve.h"
#include "host/net/cpu/exact.h"
#include "host/net/cpu/product.h"

/* A layer with what its tiles need. Where sums fit 32 bits, all channels are rounded side by side. */
struct finish {
    const struct scaled_layer *layer;
    const struct view *bias, *y;
    const struct tile_form *form;
    bool narrow;
    struct tile_steps steps;
    int32_t *numbers; /* the three lists of `steps` */
};

static size_t place_of(const struct finish *f, const struct tile *tile, int place, int channel)
{
    const struct raster *to = &f->layer->slide.to;
    return (size_t)(tile->image * to->image + (tile->channel + channel) * to->channel +
                    (tile->at + place) * to->place);
}

static void finish_each(const struct finish *f, const struct tile *tile)
{
    for (int p = 0; p < tile->places; p++)
        for (int o = 0; o < tile->channels; o++) {
            const int64_t channel = tile->channel + o,
                          sum = tile_sum(tile, p, o) + (f->bias ? view_integer(f->bias, (size_t)channel) : 0);
            view_set_integer(f->y, place_of(f, tile, p, o), num_apply(&f->layer->steps[channel], sum));
        }
}

static void finish_together(const struct finish *f, const struct tile *tile)
{
    const struct raster *to = &f->layer->slide.to;
    const int32_t(*sums)[TILE_CHANNELS] = tile->sums;
    uint8_t bytes[TILE_PLACES][TILE_CHANNELS], *y = (uint8_t *)f->y->data + place_of(f, tile, 0, 0);
    if (to->channel == 1 && tile->channels == TILE_CHANNELS) {
        f->form->requantise(&f->steps, tile->channel, tile->places, sums, y, to->place);
        return;
    }
    f->form->requantise(&f->steps, tile->channel, tile->places, sums, bytes[0], TILE_CHANNELS);
    for (int o = 0; o < tile->channels; o++)
        for (int p = 0; p < tile->places; p++)
            y[o * to->channel + p * to->place] = bytes[p][o];
}

static void finish_tile(const void *context, const struct tile *tile)
{
    const struct finish *f = context;
    if (f->narrow)
        finish_together(f, tile);
    else
        finish_each(f, tile);
}

static int64_t largest_bias(const struct view *bias)
{
    int64_t most = 0;
    for (size_t i = 0; bias && i < bias->count; i++) {
        const int64_t value = view_integer(bias, i);
        most = value < -INT32_MAX || value > INT32_MAX ? INT64_MAX
               : llabs(value) > most                   ? llabs(value)
                                                       : most;
    }
    return most;
}

/* Whether the results of all channels can be rounded side by side. */
static bool is_narrow(const struct finish *f, const struct convolution *conv)
{
    const struct num_step *first = f->layer->steps;
    bool narrow = type_bytes(f->y->type) == 1 && convolution_is_narrow(conv, largest_bias(f->bias));
    for (int64_t o = 0; narrow && o < conv->slide->to.channels; o++) {
        const struct num_step *step = &f->layer->steps[o];
        narrow = tile_step_fits(step) && step->low == first->low && step->high == first->high &&
                 step->zero == first->zero;
    }
    return narrow;
}

/* Tiles take all their channels, also beyond the last. */
static bool list_steps(struct finish *f, int64_t channels)
{
    const struct num_step *steps = f->layer->steps;
    const size_t room = (size_t)channels + TILE_CHANNELS;
    int32_t *lists = calloc(3 * room, sizeof *lists);
    f->numbers = lists;
    f->steps =
        (struct tile_steps){lists, lists + room, lists + 2 * room, steps->low, steps->high, steps->zero};
    for (size_t o = 0; lists && o < (size_t)channels; o++) {
        lists[o] = f->bias ? (int32_t)view_integer(f->bias, o) : 0;
        lists[room + o] = steps[o].multiplier;
        lists[2 * room + o] = tile_shift(&steps[o]);
    }
    return lists != NULL;
}

bool scaled_layer(const struct scaled_layer *layer, const struct view *x, const struct view *w,
                  const struct view *bias, const struct view *y)
{
    const struct convolution conv = {.slide = &layer->slide,
                                     .x = x,
                                     .w = w,
                                     .x_zero = layer->x_zero,
                                     .w_zero = layer->w_zero,
                                     .form = layer->form ? layer->form : tile_form_best(),
                                     .call = layer->call};
    struct finish f = {.layer = layer, .bias = bias, .y = y, .form = conv.form};
    f.narrow = is_narrow(&f, &conv);
    const bool ok =
        (!f.narrow || list_steps(&f, layer->slide.to.channels)) && convolution_run(&conv, finish_tile, &f);
    free(f.numbers);
    return ok;
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
        kernel_no_memory(c);
    ok = ok && make_steps(c, &layer->slide, steps, zeros, wide);
    layer->x_zero = x.zero;
    layer->w_zero = zeros;
    layer->steps = steps;
    layer->call = c;
    ok = ok && exact_run(c, &(struct exact){.kind = EXACT_LAYER,
                                            .layer = layer,
                                            .x = c->in[0],
                                            .w = c->in[1],
                                            .bias = bias,
                                            .y = c->out[0]});
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

/* Adds each place of the image, times the weights, to the results in its window. */
static void add_windows(const struct call *c, const struct slide *s, int32_t x_zero, const int32_t *w_zero,
                        int64_t *sums)
{
    const struct view *x = c->in[0], *w = c->in[1];
    const int64_t channels = s->from.channels;
    for (int64_t i = 0; i < (int64_t)x->count; i++) {
        const int64_t value = view_integer(x, (size_t)i) - x_zero, line = i / s->results,
                      image = line / s->to.channels, channel = line % s->to.channels;
        for (int64_t tap = 0; tap < s->taps; tap++) {
            bool padded;
            const int64_t place = slide_place(s, i % s->results, tap, &padded);
            for (int64_t o = 0; place >= 0 && o < channels; o++)
                sums[(image * channels + o) * s->area + place] +=
                    value * (view_integer(w, (size_t)((channel * channels + o) * s->taps + tap)) - w_zero[o]);
        }
    }
}

static bool finish_transposed(const struct call *c, const struct slide *s, struct num_step *steps,
                              int32_t *zeros, int64_t *sums)
{
    const struct view *bias = c->inputs > 2 ? c->in[2] : NULL, *y = c->out[0];
    const struct slide channels = {.to = {.channels = s->from.channels}};
    struct scale x;
    if (!scale_of(c, c->node->inputs[0], &x) ||
        !make_steps(c, &channels, steps, zeros, bias && bias->type == NET_INT64))
        return false;
    add_windows(c, s, x.zero, zeros, sums);
    for (size_t i = 0; i < y->count; i++) {
        const size_t o = i / (size_t)s->area % (size_t)s->from.channels;
        view_set_integer(y, i, num_apply(&steps[o], sums[i] + (bias ? view_integer(bias, o) : 0)));
    }
    return true;
}

static bool conv_transpose(const struct call *c)
{
    const struct slide s = slide_transposed(c);
    const int64_t channels = s.from.channels;
    const struct view *bias = c->inputs > 2 ? c->in[2] : NULL;
    if (!check_types(c) || !check_scales(c, channels))
        return false;
    if (node_integer(c->node, "group") != 1 || (bias && (int64_t)bias->count != channels))
        return kernel_fails(c, "groups, and another bias than one for each channel, are not supported");
    struct num_step *steps = calloc((size_t)channels + 1, sizeof *steps);
    int32_t *zeros = calloc((size_t)channels + 1, sizeof *zeros);
    int64_t *sums = calloc(c->out[0]->count + 1, sizeof *sums);
    const bool ok =
        steps && zeros && sums ? finish_transposed(c, &s, steps, zeros, sums) : kernel_no_memory(c);
    free(steps);
    free(zeros);
    free(sums);
    return ok;
}

/* A product of two matrices, both of them computed. */
struct scaled_product {
    const struct view *a, *b, *y;
    int32_t a_zero, b_zero;
    int64_t depth;
    struct num_step step;
};

static bool multiply(const void *context, int64_t begin, int64_t end)
{
    const struct scaled_product *p = context;
    size_t first, second, distance;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        int64_t sum = 0;
        product_places(p->a, p->b, p->y, i, &first, &second, &distance);
        for (int64_t k = 0; k < p->depth; k++)
            sum += (view_integer(p->a, first + (size_t)k) - p->a_zero) *
                   (view_integer(p->b, second + (size_t)k * distance) - p->b_zero);
        view_set_integer(p->y, i, num_apply(&p->step, sum));
    }
    return true;
}

/* The scales are multiplied in float, as those of fully connected layers. */
static bool matmul(const struct call *c)
{
    const struct view *a = c->in[0], *b = c->in[1], *y = c->out[0];
    struct scale p, q, r;
    int64_t m, n;
    if (!scale_of(c, c->node->inputs[0], &p) || !scale_of(c, c->node->inputs[1], &q) ||
        !scale_of(c, c->node->outputs[0], &r) || !check_types(c))
        return false;
    if (a->type == NET_INT16)
        return kernel_fails(c, "scaled values of int16 are not supported");
    struct scaled_product product = {
        .a = a, .b = b, .y = y, .a_zero = p.zero, .b_zero = q.zero, .step = step_of(y->type, r.zero)};
    if (!step_scale(c, &product.step, (double)(p.scale * q.scale) / (double)r.scale, false))
        return false;
    product_sizes(a, b, &m, &product.depth, &n);
    return crew_share(c->crew, (int64_t)y->count, product.depth, multiply, &product);
}

const struct kernel scaled_layer_kernels[] = {
    {"Conv", conv}, {"ConvTranspose", conv_transpose}, {"Gemm", gemm}, {"MatMul", matmul}, {NULL, NULL}};
