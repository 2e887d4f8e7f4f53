/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions. The window of a result is gathered once, in the order in which the weights lie, and is then
 * multiplied with the weights of one output channel after another: plain loops over neighbours, which
 * compilers make vectors of. Where an output channel has one input channel (depthwise), channels are the
 * neighbours.
 */
#include "host/net/cpu/convolve.h"

#include <stdlib.h>
#include <string.h>

/* ---- integers ------------------------------------------------------------------------------------ */

/* 128 products of 16 and 9 bits, at most 2^15 * 255 each, fit 32 bits. */
enum { BLOCK = 128, CHUNK = 16 };

/* Weights of a channel each (TFLite's depthwise layers), which are taken side by side. */
static bool is_one_for_each(const struct slide *s)
{
    return s->each == 1 && !s->weights.input;
}

static int32_t zero_of(const struct convolution *conv, int64_t output)
{
    return conv->w_zero ? conv->w_zero[output] : 0;
}

/* Their differences from the zero points, in the order of the weights. */
static bool shift_weights(struct convolution *conv)
{
    const struct slide *s = conv->slide;
    const size_t count = (size_t)(s->taps * s->to.channels);
    conv->shifted = calloc(count + 1, sizeof *conv->shifted);
    conv->part = calloc((size_t)s->to.channels + 1, sizeof *conv->part);
    for (size_t i = 0; conv->shifted && i < count; i++)
        conv->shifted[i] =
            (int16_t)(view_integer(conv->w, i) - zero_of(conv, (int64_t)(i % (size_t)s->to.channels)));
    return conv->shifted && conv->part;
}

bool convolution_open(struct convolution *conv)
{
    const struct slide *s = conv->slide;
    conv->shifted = NULL;
    conv->part = NULL;
    conv->places = calloc((size_t)s->taps + 1, sizeof *conv->places);
    conv->patch = calloc((size_t)(s->taps * s->each) + 1, sizeof *conv->patch);
    conv->sums = calloc((size_t)s->to.channels + 1, sizeof *conv->sums);
    if (conv->places && conv->patch && conv->sums && (!is_one_for_each(s) || shift_weights(conv)))
        return true;
    convolution_close(conv);
    return false;
}

void convolution_close(struct convolution *conv)
{
    free(conv->places);
    free(conv->patch);
    free(conv->sums);
    free(conv->shifted);
    free(conv->part);
}

static void find_places(const struct slide *s, int64_t at, int64_t *places)
{
    bool padded;
    for (int64_t tap = 0; tap < s->taps; tap++)
        places[tap] = slide_place(s, at, tap, &padded);
}

/* Loops of a fixed length become vectors also where a compiler is careful (gcc -O2). */
#define DOT_OF(type, length)                                              \
    static int32_t dot_##type##_##length(const int16_t *a, const type *w) \
    {                                                                     \
        int32_t sum = 0;                                                  \
        for (int i = 0; i < length; i++)                                  \
            sum += (int32_t)a[i] * w[i];                                  \
        return sum;                                                       \
    }
#define DOT(type)                                                             \
    DOT_OF(type, 128)                                                         \
    DOT_OF(type, 16)                                                          \
    static int64_t dot_##type(const int16_t *a, const type *w, int64_t count) \
    {                                                                         \
        int64_t sum = 0;                                                      \
        int32_t rest = 0;                                                     \
        for (; count >= BLOCK; count -= BLOCK, a += BLOCK, w += BLOCK)        \
            sum += dot_##type##_128(a, w);                                    \
        for (; count >= CHUNK; count -= CHUNK, a += CHUNK, w += CHUNK)        \
            rest += dot_##type##_16(a, w);                                    \
        for (int i = 0; i < (int)count; i++)                                  \
            rest += (int32_t)a[i] * w[i];                                     \
        return sum + rest;                                                    \
    }
DOT(int8_t)
DOT(uint8_t)

static int64_t dot(const int16_t *a, const struct view *w, int64_t first, int64_t count)
{
    return w->type == NET_UINT8 ? dot_uint8_t(a, (const uint8_t *)w->data + first, count)
                                : dot_int8_t(a, (const int8_t *)w->data + first, count);
}

/* Neighbours of the image that are neighbours in the weights, too. */
#define COPY(type)                                                                               \
    static void copy_##type(const type *from, int64_t count, int32_t zero, int16_t *restrict to) \
    {                                                                                            \
        for (; count >= CHUNK; count -= CHUNK, from += CHUNK, to += CHUNK)                       \
            for (int i = 0; i < CHUNK; i++)                                                      \
                to[i] = (int16_t)(from[i] - zero);                                               \
        for (int i = 0; i < (int)count; i++)                                                     \
            to[i] = (int16_t)(from[i] - zero);                                                   \
    }
#define GATHER(name, type)                                                                             \
    COPY(type)                                                                                         \
    static void name(const struct convolution *conv, int64_t base)                                     \
    {                                                                                                  \
        const struct slide *s = conv->slide;                                                           \
        const bool close = s->weights.input == 1 && s->from.channel == 1;                              \
        for (int64_t tap = 0; tap < s->taps; tap++) {                                                  \
            const type *from = (const type *)conv->x->data + base + conv->places[tap] * s->from.place; \
            int16_t *to = conv->patch + tap * s->weights.tap;                                          \
            if (close && conv->places[tap] >= 0) {                                                     \
                copy_##type(from, s->each, conv->x_zero, to);                                          \
                continue;                                                                              \
            }                                                                                          \
            for (int64_t k = 0; k < s->each; k++)                                                      \
                to[k * s->weights.input] =                                                             \
                    conv->places[tap] < 0 ? 0 : (int16_t)(from[k * s->from.channel] - conv->x_zero);   \
        }                                                                                              \
    }
GATHER(gather_int8, int8_t)
GATHER(gather_uint8, uint8_t)
GATHER(gather_int16, int16_t)

static void gather(const struct convolution *conv, int64_t base)
{
    if (conv->x->type == NET_INT8)
        gather_int8(conv, base);
    else if (conv->x->type == NET_UINT8)
        gather_uint8(conv, base);
    else
        gather_int16(conv, base);
}

static void sums_of_group(struct convolution *conv, int64_t group)
{
    const struct slide *s = conv->slide;
    const int64_t outputs = s->to.channels / s->groups, count = s->taps * s->each;
    int64_t all = 0;
    for (int64_t i = 0; conv->w_zero && i < count; i++)
        all += conv->patch[i];
    for (int64_t o = group * outputs; o < (group + 1) * outputs; o++)
        conv->sums[o] = dot(conv->patch, conv->w, o * s->weights.output, count) - all * zero_of(conv, o);
}

/* The products of one element of the window, for all channels. */
#define DEPTHWISE(name, type)                                                   \
    static void name(const struct convolution *conv, int64_t base, int64_t tap) \
    {                                                                           \
        const struct slide *s = conv->slide;                                    \
        const type *x = (const type *)conv->x->data + base;                     \
        const int16_t *w = conv->shifted + tap * s->weights.tap;                \
        const int64_t outputs = s->to.channels / s->groups;                     \
        const bool close = outputs == 1 && s->from.channel == 1;                \
        const int32_t zero = conv->x_zero;                                      \
        int32_t *restrict part = conv->part;                                    \
        int64_t o = 0;                                                          \
        for (; close && s->to.channels - o >= CHUNK; o += CHUNK)                \
            for (int i = 0; i < CHUNK; i++)                                     \
                part[o + i] += (x[o + i] - zero) * w[o + i];                    \
        for (; o < s->to.channels; o++)                                         \
            part[o] += (x[o / outputs * s->from.channel] - zero) * w[o];        \
    }
DEPTHWISE(depthwise_int8, int8_t)
DEPTHWISE(depthwise_uint8, uint8_t)
DEPTHWISE(depthwise_int16, int16_t)

static void add_part(struct convolution *conv)
{
    for (int64_t o = 0; o < conv->slide->to.channels; o++) {
        conv->sums[o] += conv->part[o];
        conv->part[o] = 0;
    }
}

static void sums_of_channels(struct convolution *conv, int64_t base)
{
    const struct slide *s = conv->slide;
    memset(conv->sums, 0, (size_t)s->to.channels * sizeof *conv->sums);
    for (int64_t tap = 0; tap < s->taps; tap++) {
        const int64_t at = base + conv->places[tap] * s->from.place;
        if (tap % BLOCK == BLOCK - 1)
            add_part(conv);
        if (conv->places[tap] < 0)
            continue;
        if (conv->x->type == NET_INT8)
            depthwise_int8(conv, at, tap);
        else if (conv->x->type == NET_UINT8)
            depthwise_uint8(conv, at, tap);
        else
            depthwise_int16(conv, at, tap);
    }
    add_part(conv);
}

void convolution_sums(struct convolution *conv, int64_t image, int64_t at)
{
    const struct slide *s = conv->slide;
    const int64_t base = image * s->from.image;
    find_places(s, at, conv->places);
    if (is_one_for_each(s)) {
        sums_of_channels(conv, base);
        return;
    }
    for (int64_t g = 0; g < s->groups; g++) {
        gather(conv, base + g * s->each * s->from.channel);
        sums_of_group(conv, g);
    }
}

/* ---- real numbers -------------------------------------------------------------------------------- */

/* So many results stand side by side; each is summed in the same order, whatever the number. */
enum { LANES = 8 };

struct real_conv {
    const struct slide *slide;
    const struct view *x, *b, *y;
    double *weights; /* a row for each output channel */
    double *patch;   /* [element of a row][lane] */
    int64_t *places; /* [lane][element of the window] */
};

static bool open_real(struct real_conv *conv, const struct view *w)
{
    const struct slide *s = conv->slide;
    conv->weights = calloc(w->count + 1, sizeof *conv->weights);
    conv->patch = calloc((size_t)(s->taps * s->each * LANES) + 1, sizeof *conv->patch);
    conv->places = calloc((size_t)(s->taps * LANES) + 1, sizeof *conv->places);
    if (!conv->weights || !conv->patch || !conv->places)
        return false;
    const int64_t row = s->taps * s->each;
    for (int64_t i = 0; i < (int64_t)w->count; i++) {
        const int64_t o = i / row, k = i % row / s->taps, tap = i % s->taps;
        conv->weights[i] =
            view_real(w, (size_t)(o * s->weights.output + k * s->weights.input + tap * s->weights.tap));
    }
    return true;
}

/* The windows of `lanes` results, in the order [input channel][element of the window]. */
static void gather_real(const struct real_conv *conv, int64_t base, int lanes)
{
    const struct slide *s = conv->slide;
    for (int64_t i = 0; i < s->each * s->taps; i++)
        for (int lane = 0; lane < lanes; lane++) {
            const int64_t place = conv->places[lane * s->taps + i % s->taps];
            conv->patch[i * LANES + lane] =
                place < 0
                    ? 0
                    : view_real_of(conv->x,
                                   (size_t)(base + i / s->taps * s->from.channel + place * s->from.place));
        }
}

static void put_real(const struct real_conv *conv, int64_t output, int64_t to, int lanes)
{
    const struct slide *s = conv->slide;
    const int64_t row = s->each * s->taps;
    const double *w = conv->weights + output * row, *patch = conv->patch;
    double sum[LANES];
    for (int lane = 0; lane < LANES; lane++)
        sum[lane] = conv->b ? view_real(conv->b, (size_t)output) : 0;
    for (int64_t i = 0; i < row; i++, patch += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += w[i] * patch[lane];
    for (int lane = 0; lane < lanes; lane++)
        view_set_real(conv->y, (size_t)(to + output * s->to.channel + lane * s->to.place), sum[lane]);
}

static void convolve_real(const struct real_conv *conv, int64_t image, int64_t at)
{
    const struct slide *s = conv->slide;
    const int64_t outputs = s->to.channels / s->groups;
    const int lanes = s->results - at < LANES ? (int)(s->results - at) : LANES;
    for (int lane = 0; lane < lanes; lane++)
        find_places(s, at + lane, conv->places + lane * s->taps);
    for (int64_t g = 0; g < s->groups; g++) {
        gather_real(conv, image * s->from.image + g * s->each * s->from.channel, lanes);
        for (int64_t o = g * outputs; o < (g + 1) * outputs; o++)
            put_real(conv, o, image * s->to.image + at * s->to.place, lanes);
    }
}

static bool conv(const struct call *c)
{
    const struct slide s = slide_of(c->node, c->in[0], c->in[1], c->out[0]);
    struct real_conv conv = {
        .slide = &s, .x = c->in[0], .b = c->inputs > 2 ? c->in[2] : NULL, .y = c->out[0]};
    if (!slide_fits(c, &s, c->in[1], conv.b))
        return false;
    const bool ok = open_real(&conv, c->in[1]);
    for (int64_t image = 0; ok && image < s.images; image++)
        for (int64_t at = 0; at < s.results; at += LANES)
            convolve_real(&conv, image, at);
    free(conv.weights);
    free(conv.patch);
    free(conv.places);
    return ok || kernel_fails(c, "out of memory");
}

const struct kernel convolve_kernels[] = {{"Conv", conv}, {NULL, NULL}};
