/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and pools over images of any number of dimensions.
 */
#include <math.h>
#include <string.h>

#include "host/net/cpu/exact.h"

static void list(const struct node *node, const char *name, int64_t *to, int count, int64_t fallback)
{
    size_t given;
    const int64_t *values = node_integers(node, name, &given);
    for (int i = 0; i < count; i++)
        to[i] = values && (size_t)i < given ? values[i] : fallback;
}

/* What SAME adds in front of the image. */
static void same_pads(struct slide *s, bool lower)
{
    for (int i = 0; i < s->dims; i++) {
        int64_t all =
            (s->result[i] - 1) * s->stride[i] + (s->kernel[i] - 1) * s->dilation[i] + 1 - s->size[i];
        all = all > 0 ? all : 0;
        s->pad[i] = lower ? all - all / 2 : all / 2;
        s->pad_end[i] = all - s->pad[i];
    }
}

void slide_count(struct slide *s, bool channels_last, bool one_for_each)
{
    s->area = s->taps = s->results = 1;
    s->same = true;
    for (int i = 0; i < s->dims; i++) {
        s->same =
            s->same && s->kernel[i] == 1 && s->stride[i] == 1 && !s->pad[i] && s->size[i] == s->result[i];
        s->area *= s->size[i];
        s->taps *= s->kernel[i];
        s->results *= s->result[i];
    }
    struct raster *const rasters[] = {&s->from, &s->to};
    for (int i = 0; i < 2; i++) {
        struct raster *r = rasters[i];
        const int64_t area = i ? s->results : s->area;
        r->channel = channels_last ? 1 : area;
        r->place = channels_last ? r->channels : 1;
        r->image = r->channels * area;
    }
    if (one_for_each)
        s->weights = (struct taps){1, 0, s->to.channels};
    else
        s->weights =
            (struct taps){s->each * s->taps, channels_last ? 1 : s->taps, channels_last ? s->each : 1};
}

static bool says(const struct node *node, const char *attribute, const char *layout)
{
    return proto_is(node_text(node, attribute), layout);
}

/* The dimensions of the image and of the window, wherever they stand. */
static bool take_sizes(struct slide *s, const struct node *node, const struct view *image,
                       const struct view *weights, const struct view *result)
{
    const bool last = says(node, "layout", "NHWC") || node_integer(node, "channels_last");
    const int first = last ? 1 : 2;
    for (int i = 0; i < s->dims; i++) {
        s->size[i] = image->dim[first + i];
        s->result[i] = result->dim[first + i];
        s->kernel[i] = weights ? weights->dim[first + i] : s->kernel[i];
    }
    s->images = image->dim[0];
    s->from.channels = image->dim[last ? image->rank - 1 : 1];
    s->to.channels = result->dim[last ? result->rank - 1 : 1];
    return last;
}

struct slide slide_of(const struct node *node, const struct view *image, const struct view *weights,
                      const struct view *result)
{
    struct slide s = {.dims = image->rank - 2};
    int64_t pads[2 * NET_RANK_MAX];
    const struct proto_text kind = node_text(node, "auto_pad");
    list(node, "kernel_shape", s.kernel, s.dims, 1);
    list(node, "strides", s.stride, s.dims, 1);
    list(node, "dilations", s.dilation, s.dims, 1);
    list(node, "pads", pads, 2 * s.dims, 0);
    for (int i = 0; i < s.dims; i++) {
        s.pad[i] = proto_is(kind, "VALID") ? 0 : pads[i];
        s.pad_end[i] = proto_is(kind, "VALID") ? 0 : pads[s.dims + i];
    }
    const bool last = take_sizes(&s, node, image, weights, result),
               one_for_each = says(node, "weights_layout", "1HWO");
    s.groups = weights ? node_integer(node, "group") : s.from.channels;
    s.each = !weights || one_for_each ? 1 : weights->dim[last ? weights->rank - 1 : 1];
    if (proto_is(kind, "SAME_UPPER") || proto_is(kind, "SAME_LOWER"))
        same_pads(&s, proto_is(kind, "SAME_LOWER"));
    slide_count(&s, last, one_for_each);
    return s;
}

bool slide_fits(const struct call *c, const struct slide *s, const struct view *weights,
                const struct view *bias)
{
    const bool groups =
        s->groups > 0 && s->from.channels == s->groups * s->each && s->to.channels % s->groups == 0;
    if (groups && (int64_t)weights->count == s->to.channels * s->each * s->taps &&
        (!bias || (int64_t)bias->count == s->to.channels))
        return true;
    return kernel_fails(
        c, "%lld input and %lld output channels do not fit its weights, its bias or its %lld groups",
        (long long)s->from.channels, (long long)s->to.channels, (long long)s->groups);
}

int64_t slide_place(const struct slide *s, int64_t result, int64_t tap, bool *padded)
{
    int64_t place = 0, step = 1;
    *padded = true;
    for (int i = s->dims; i--;) {
        const int64_t at =
            result % s->result[i] * s->stride[i] + tap % s->kernel[i] * s->dilation[i] - s->pad[i];
        result /= s->result[i];
        tap /= s->kernel[i];
        *padded = *padded && at >= -s->pad[i] && at < s->size[i] + s->pad_end[i];
        if (at < 0 || at >= s->size[i])
            place = INT64_MIN / 2;
        place += at * step;
        step *= s->size[i];
    }
    return place < 0 ? -1 : place;
}

/* Whether the windows of a result and of the one before it lie in the image, in the same row of results. */
static bool are_neighbours(const struct slide *s, int64_t result, const int64_t *before)
{
    const int last = s->dims - 1;
    const int64_t column = s->dims ? result % s->result[last] : 0;
    return column && before[0] >= 0 && before[s->taps - 1] >= 0 &&
           column * s->stride[last] - s->pad[last] + (s->kernel[last] - 1) * s->dilation[last] <
               s->size[last];
}

static void find_places(const struct slide *s, int64_t result, int64_t *places)
{
    int64_t begin[NET_RANK_MAX], tap[NET_RANK_MAX] = {0};
    for (int i = s->dims; i--; result /= s->result[i])
        begin[i] = result % s->result[i] * s->stride[i] - s->pad[i];
    for (int64_t k = 0; k < s->taps; k++) {
        int64_t place = 0;
        bool inside = true;
        for (int i = 0; i < s->dims; i++) {
            const int64_t at = begin[i] + tap[i] * s->dilation[i];
            inside = inside && at >= 0 && at < s->size[i];
            place = place * s->size[i] + at;
        }
        places[k] = inside ? place : -1;
        for (int i = s->dims; i-- && ++tap[i] == s->kernel[i];)
            tap[i] = 0;
    }
}

void slide_places(const struct slide *s, int64_t result, const int64_t *before, int64_t *places)
{
    if (s->same)
        *places = result;
    else if (before && are_neighbours(s, result, before))
        for (int64_t k = 0; k < s->taps; k++)
            places[k] = before[k] + s->stride[s->dims - 1];
    else
        find_places(s, result, places);
}

struct spot slide_spot(const struct slide *s, int64_t i)
{
    return (struct spot){i % s->results, i / s->results % s->to.channels, i / s->results / s->to.channels};
}

size_t spot_source(const struct slide *s, struct spot spot, int64_t place)
{
    return (size_t)(spot.image * s->from.image + spot.channel * s->from.channel + place * s->from.place);
}

size_t spot_result(const struct slide *s, struct spot spot)
{
    return (size_t)(spot.image * s->to.image + spot.channel * s->to.channel + spot.at * s->to.place);
}

/* Where sizes of the result are given, pads follow from them. */
static void transposed_pads(const struct call *c, struct slide *s)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct proto_text kind = node_text(c->node, "auto_pad");
    const bool upper = proto_is(kind, "SAME_UPPER");
    int64_t more[NET_RANK_MAX];
    size_t given;
    node_integers(c->node, "output_shape", &given);
    list(c->node, "output_padding", more, s->dims, 0);
    for (int i = 0; i < s->dims && (given || upper || proto_is(kind, "SAME_LOWER")); i++) {
        const int64_t reach = (s->kernel[i] - 1) * s->dilation[i] + 1;
        const int64_t all = s->stride[i] * (x->dim[2 + i] - 1) + more[i] + reach - y->dim[2 + i];
        s->pad[i] = all < 0 ? 0 : upper ? all / 2 : all - all / 2;
    }
}

/* Adds an element of the image, times the kernel, to the results at its place. */
static void add_kernel(const struct call *c, const struct slide *s, int64_t i)
{
    const struct view *x = c->in[0], *w = c->in[1], *y = c->out[0];
    const int64_t each = w->dim[1], inputs = x->dim[1] / node_integer(c->node, "group");
    const int64_t at = i % s->results, channel = i / s->results % x->dim[1],
                  image = i / s->results / x->dim[1];
    for (int64_t tap = 0; tap < s->taps; tap++) {
        bool padded;
        const int64_t place = slide_place(s, at, tap, &padded);
        for (int64_t k = 0; place >= 0 && k < each; k++) {
            const size_t to = (size_t)((image * y->dim[1] + channel / inputs * each + k) * s->area + place);
            const double product =
                view_real(x, (size_t)i) * view_real(w, (size_t)((channel * each + k) * s->taps + tap));
            view_set_real(y, to, view_real(y, to) + product);
        }
    }
}

struct slide slide_transposed(const struct call *c)
{
    struct slide s = slide_of(c->node, c->out[0], c->in[1], c->in[0]);
    transposed_pads(c, &s);
    return s;
}

static bool conv_transpose(const struct call *c)
{
    const struct view *x = c->in[0], *b = c->inputs > 2 ? c->in[2] : NULL, *y = c->out[0];
    const struct slide s = slide_transposed(c);
    if (y->type != NET_FLOAT && y->type != NET_DOUBLE)
        return kernel_fails(c, "values of this type are not supported");
    for (int64_t i = 0; i < (int64_t)y->count; i++)
        view_set_real(y, (size_t)i, b ? view_real(b, (size_t)(i / s.area % y->dim[1])) : 0);
    for (int64_t i = 0; i < (int64_t)x->count; i++)
        add_kernel(c, &s, i);
    return true;
}

/* -1: the window has nothing but padding. */
static int64_t largest_place(const struct view *x, const struct slide *s, struct spot spot)
{
    int64_t best = -1;
    double most = 0;
    for (int64_t tap = 0; tap < s->taps; tap++) {
        bool padded;
        const int64_t place = slide_place(s, spot.at, tap, &padded);
        if (place < 0 || (best >= 0 && view_real(x, spot_source(s, spot, place)) <= most))
            continue;
        most = view_real(x, spot_source(s, spot, place));
        best = place;
    }
    return best;
}

static bool max_pool(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0], *where = c->outputs > 1 ? c->out[1] : NULL;
    const struct slide s = slide_of(c->node, x, NULL, y);
    const bool columns = node_integer(c->node, "storage_order") != 0;
    if (c->taker)
        return where ? kernel_fails(c, "the places of the largest are wanted")
                     : exact_run(c, &(struct exact){.kind = EXACT_LARGEST, .slide = &s, .x = x, .y = y});
    for (int64_t i = 0; i < (int64_t)y->count; i++) {
        const struct spot spot = slide_spot(&s, i);
        int64_t best = largest_place(x, &s, spot);
        view_set_real(y, spot_result(&s, spot),
                      best < 0 ? -(double)INFINITY : view_real(x, spot_source(&s, spot, best)));
        best = best < 0 ? 0 : best;
        if (where && columns && s.dims == 2)
            best = best % s.size[1] * s.size[0] + best / s.size[1];
        if (where)
            view_set_integer(where, (size_t)i, i / s.results * s.area + best);
    }
    return true;
}

static bool average_pool(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct slide s = slide_of(c->node, x, NULL, y);
    const bool with_padding = node_integer(c->node, "count_include_pad") != 0;
    for (int64_t i = 0; i < (int64_t)y->count; i++) {
        const struct spot spot = slide_spot(&s, i);
        double sum = 0;
        int64_t count = 0;
        for (int64_t tap = 0; tap < s.taps; tap++) {
            bool padded;
            const int64_t place = slide_place(&s, spot.at, tap, &padded);
            count += with_padding ? padded : place >= 0;
            sum += place >= 0 ? view_real(x, spot_source(&s, spot, place)) : 0;
        }
        view_set_real(y, spot_result(&s, spot), count ? sum / (double)count : 0);
    }
    return true;
}

static bool global_pool(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const size_t area = y->count ? x->count / y->count : 0;
    const bool average = !strcmp(c->node->type, "GlobalAveragePool");
    for (size_t i = 0; i < y->count; i++) {
        double sum = average ? 0 : -INFINITY;
        for (size_t k = 0; k < area; k++) {
            const double value = view_real(x, i * area + k);
            sum = average ? sum + value : value > sum ? value : sum;
        }
        view_set_real(y, i, average ? sum / (double)area : sum);
    }
    return true;
}

static bool lrn(const struct call *c)
{
    const struct view *x = c->in[0];
    const int64_t channels = x->rank > 1 ? x->dim[1] : 1, size = node_integer(c->node, "size");
    const int64_t area = x->rank > 1 ? (int64_t)x->count / (x->dim[0] * channels) : 1;
    const double alpha = node_real(c->node, "alpha"), beta = node_real(c->node, "beta"),
                 bias = node_real(c->node, "bias");
    for (int64_t i = 0; i < (int64_t)x->count; i++) {
        const int64_t channel = i / area % channels;
        double sum = 0;
        for (int64_t k = channel - (size - 1) / 2; k <= channel + size / 2; k++)
            if (k >= 0 && k < channels)
                sum += pow(view_real(x, (size_t)(i + (k - channel) * area)), 2);
        view_set_real(c->out[0], (size_t)i,
                      view_real(x, (size_t)i) / pow(bias + alpha / (double)size * sum, beta));
    }
    return true;
}

const struct kernel window_kernels[] = {
    {"ConvTranspose", conv_transpose},
    {"MaxPool", max_pool},
    {"AveragePool", average_pool},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"LRN", lrn},
    {NULL, NULL},
};
