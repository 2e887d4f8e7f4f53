/* SPDX-License-Identifier: Apache-2.0
 *
 * An image as the value of an input: resized, with its colours in the input's
 * order, shifted and scaled, in the input's layout, and quantised when the input
 * is. Pixels stay real numbers until the last step, which rounds once.
 *
 * Resizing: along each axis a pixel of the result covers `step` pixels of the
 * image, from `begin + step * i` on, and is a weighted sum of pixels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "host/net/feed/feed.h"

/* Which pixels of an axis make a pixel of the result, with what weights. */
struct taps {
    size_t first, count;
    double *weight;
};

struct axis {
    size_t from, to; /* pixels of the image and of the result */
    double begin, step;
    struct taps *taps; /* one for each pixel of the result */
    double *weights;
    size_t most; /* weights of one */
};

struct picture {
    const struct image *image;
    const struct feed_options *options;
    int height_at, width_at, channel_at; /* axes of the input; no channel: -1 */
    size_t channels;
    struct axis x, y;
    bool quantised;
    double scale, zero;
};

/* ---- resizing ------------------------------------------------------------------------------------ */

static void place_area(struct axis *a, struct taps *t, double begin)
{
    const double end = begin + a->step;
    t->first = (size_t)fmin(fmax(floor(begin), 0), (double)(a->from - 1));
    for (size_t i = t->first; i < a->from && (double)i < end && t->count < a->most; i++) {
        const double low = fmax(begin, (double)i), high = fmin(end, (double)i + 1);
        t->weight[t->count++] = fmax(high - low, 0) / a->step;
    }
}

static void place_bilinear(const struct axis *a, struct taps *t, double begin)
{
    const double centre = fmin(fmax(begin + a->step / 2 - 0.5, 0), (double)(a->from - 1));
    t->first = (size_t)floor(centre);
    const double part = centre - floor(centre);
    t->weight[t->count++] = 1 - part;
    if (part > 0)
        t->weight[t->count++] = part;
}

static void place_nearest(const struct axis *a, struct taps *t, double begin)
{
    t->first = (size_t)fmin(fmax(floor(begin + a->step / 2), 0), (double)(a->from - 1));
    t->weight[t->count++] = 1;
}

static bool make_axis(struct axis *a, enum feed_filter filter)
{
    a->most = filter == FEED_AREA ? (size_t)ceil(a->step) + 1 : 2;
    a->taps = calloc(a->to + 1, sizeof *a->taps);
    a->weights = calloc(a->to * a->most + 1, sizeof *a->weights);
    for (size_t i = 0; a->taps && a->weights && i < a->to; i++) {
        const double begin = a->begin + a->step * (double)i;
        a->taps[i].weight = a->weights + i * a->most;
        if (filter == FEED_AREA)
            place_area(a, &a->taps[i], begin);
        else if (filter == FEED_BILINEAR)
            place_bilinear(a, &a->taps[i], begin);
        else
            place_nearest(a, &a->taps[i], begin);
    }
    return a->taps && a->weights;
}

static bool make_axes(struct picture *p)
{
    const enum feed_resize resize = p->options->resize;
    p->x.from = p->image->width;
    p->y.from = p->image->height;
    p->x.step = (double)p->x.from / (double)p->x.to;
    p->y.step = (double)p->y.from / (double)p->y.to;
    if (resize == FEED_CROP)
        p->x.step = p->y.step = fmin(p->x.step, p->y.step);
    p->x.begin = ((double)p->x.from - p->x.step * (double)p->x.to) / 2;
    p->y.begin = ((double)p->y.from - p->y.step * (double)p->y.to) / 2;
    return make_axis(&p->x, p->options->filter) && make_axis(&p->y, p->options->filter);
}

/* ---- pixels -------------------------------------------------------------------------------------- */

/* A pixel's part in a channel of the input: gray of colours has the weights of ITU-R BT.601. */
static double part_of(const struct picture *p, size_t x, size_t y, size_t channel)
{
    const uint8_t *at = p->image->pixels + (y * p->image->width + x) * p->image->channels;
    if (p->image->channels == 1)
        return at[0];
    if (p->channels == 1)
        return (299 * at[0] + 587 * at[1] + 114 * at[2]) / 1000.0;
    return at[p->options->colours == FEED_BGR ? 2 - channel : channel];
}

static double sample(const struct picture *p, size_t x, size_t y, size_t channel)
{
    const struct taps *h = &p->x.taps[x], *v = &p->y.taps[y];
    const struct feed_options *o = p->options;
    double sum = 0;
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < h->count; k++)
            sum += v->weight[i] * h->weight[k] * part_of(p, h->first + k, v->first + i, channel);
    const double mean = o->means ? o->mean[o->means > 1 ? channel : 0] : 0;
    const double scale = o->scales ? o->scale[o->scales > 1 ? channel : 0] : 1;
    return (sum - mean) * scale;
}

static void fill(const struct picture *p, const struct view *to)
{
    int64_t at[NET_RANK_MAX] = {0};
    for (size_t i = 0; i < to->count; i++) {
        const double value = sample(p, (size_t)at[p->width_at], (size_t)at[p->height_at],
                                    p->channel_at < 0 ? 0 : (size_t)at[p->channel_at]);
        view_set_real(
            to, i, is_real(to->type) ? value : nearbyint(p->quantised ? value / p->scale : value) + p->zero);
        for (int axis = to->rank; axis-- && ++at[axis] == to->dim[axis];)
            at[axis] = 0;
    }
}

/* ---- the input ----------------------------------------------------------------------------------- */

static bool refuse(const struct tensor *input, const char *path, const char *cause, struct diag *diag)
{
    struct strbuf text = {0};
    shape_print(&text, input->shape);
    diag_error(diag, (struct place){.file = path}, "input \"%.60s\" %s: %s", input->name, sb_text(&text),
               cause);
    sb_free(&text);
    return false;
}

static bool is_colours(struct dim dim)
{
    return dim_is(dim, 1) || dim_is(dim, 3);
}

/* Which axes are height, width and channels. */
static bool find_axes(struct picture *p, const struct tensor *input, const char *path, struct diag *diag)
{
    const int rank = input->shape ? input->shape->rank : -1, behind = rank - 3;
    if (rank < 2 || rank > 4)
        return refuse(input, path, "an image goes to two, three or four dimensions", diag);
    if (rank == 4 && !input->shape->dim[0].term && input->shape->dim[0].value != 1)
        return refuse(input, path, "it takes several images; give them as a .npy file", diag);
    p->height_at = rank == 2 ? 0 : behind;
    p->width_at = p->height_at + 1;
    p->channel_at = -1;
    if (rank == 2)
        return true;
    const bool first = is_colours(input->shape->dim[behind]), last = is_colours(input->shape->dim[rank - 1]);
    enum feed_layout layout = p->options->layout;
    if (!layout && first != last)
        layout = first ? FEED_NCHW : FEED_NHWC;
    if (!layout)
        return refuse(input, path, "where are the channels? give --layout nchw or nhwc", diag);
    p->channel_at = layout == FEED_NCHW ? behind : rank - 1;
    p->height_at = layout == FEED_NCHW ? behind + 1 : behind;
    p->width_at = p->height_at + 1;
    return is_colours(input->shape->dim[p->channel_at]) ||
           refuse(input, path, "it has neither 1 nor 3 channels in this layout", diag);
}

/* Sizes that the input leaves open are the image's. */
static bool find_sizes(struct picture *p, const struct tensor *input, int64_t dim[NET_RANK_MAX],
                       const char *path, struct diag *diag)
{
    const struct dim *of = input->shape->dim;
    for (int i = 0; i < input->shape->rank; i++)
        dim[i] = !of[i].term         ? of[i].value
                 : i == p->height_at ? p->image->height
                 : i == p->width_at  ? p->image->width
                                     : 1;
    p->channels = p->channel_at < 0 ? 1 : (size_t)dim[p->channel_at];
    p->x.to = (size_t)dim[p->width_at];
    p->y.to = (size_t)dim[p->height_at];
    if (!p->x.to || !p->y.to)
        return refuse(input, path, "it has no elements", diag);
    if (p->options->resize != FEED_EXACT || (p->x.to == p->image->width && p->y.to == p->image->height))
        return true;
    struct strbuf text = {0};
    sb_addf(&text, "the image has %u x %u pixels, not %zu x %zu; --resize stretch or crop fits it",
            p->image->width, p->image->height, p->x.to, p->y.to);
    refuse(input, path, sb_text(&text), diag);
    sb_free(&text);
    return false;
}

static bool first_real(const struct tensor *t, double *value)
{
    uint64_t bits;
    struct value_reader reader = value_reader(t);
    if (!t->constant || !value_next(&reader, &bits))
        return false;
    *value = t->type == NET_FLOAT ? (double)value_real(t->type, bits) : (double)value_integer(t->type, bits);
    return true;
}

/* The input's own scale, or that of the DequantizeLinear that reads it. */
static void find_scale(struct picture *p, const struct net *net, const struct tensor *input)
{
    const struct quantisation *q = input->quantisation;
    if (q && q->count == 1) {
        p->quantised = true;
        p->scale = (double)q->scale[0];
        p->zero = q->zero[0];
        return;
    }
    for (size_t i = 0; i < net->node_count && !p->quantised; i++) {
        const struct node *node = net->nodes[i];
        if (strcmp(node->type, "DequantizeLinear") != 0 || node->inputs[0] != input)
            continue;
        p->quantised = first_real(node->inputs[1], &p->scale) && p->scale > 0;
        if (p->quantised && node->input_count > 2 && node->inputs[2])
            p->quantised = first_real(node->inputs[2], &p->zero);
    }
}

bool feed_image(const struct net *net, const struct tensor *input, const struct image *image,
                const char *path, const struct feed_options *options, struct view *to, struct diag *diag)
{
    struct picture p = {.image = image, .options = options};
    int64_t dim[NET_RANK_MAX];
    *to = (struct view){.rank = 0};
    if (!find_axes(&p, input, path, diag) || !find_sizes(&p, input, dim, path, diag))
        return false;
    if ((options->means > 1 || options->scales > 1) && p.channels != 3)
        return refuse(input, path, "three means or scales need three channels", diag);
    if (net_type_bits(input->type) < 8 || net_type_bits(input->type) > 64 || input->type == NET_BOOL ||
        input->type == NET_COMPLEX64)
        return refuse(input, path, "its type holds no pixels", diag);
    find_scale(&p, net, input);
    bool ok = feed_make(to, input->type, input->shape->rank, dim, path, diag);
    if (ok && !make_axes(&p)) {
        diag_error(diag, (struct place){.file = path}, "out of memory");
        ok = false;
    }
    if (ok)
        fill(&p, to);
    free(p.x.taps);
    free(p.x.weights);
    free(p.y.taps);
    free(p.y.weights);
    return ok;
}
