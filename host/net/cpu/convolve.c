/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions of integers, in tiles (tile.h). The windows of neighbouring results are gathered, less the
 * zero point of the image; weights, less theirs, lie as the tiles take them. Where an output channel has one
 * input channel (TFLite's depthwise layers), channels are neighbours in windows and weights.
 */
#include "host/net/cpu/convolve.h"

#include <stdlib.h>
#include <string.h>

/* So many products fit 32 bits: of 9 bits each, and of 16 and 9. */
enum { PRODUCTS_OF_BYTES = 1 << 15, PRODUCTS_OF_WORDS = 128, PRODUCT_OF_BYTES = 255 * 255 };

/* What is the same for all tiles. */
struct job {
    const struct convolution *conv;
    const struct slide *slide;
    const struct tile_form *form;
    bool one_for_each; /* weights of a channel each (TFLite's depthwise layers), which are taken side by side
                        */
    int64_t outputs, blocks;  /* of a group: channels, and tiles beside each other */
    int64_t window, products; /* numbers of a window with those that fill it up, and how many of them a sum
                                 takes at once */
    int64_t stride; /* from an element of the window to the next, in channels that are side by side */
    int64_t tiles;  /* of an image, beside each other */
    int places;     /* of a tile */
    int16_t *weights;
    tile_function *finish;
    const void *context;
};

/* Room for windows: of several results, or of all channels of one. */
struct windows {
    int64_t first;   /* the first result whose places are known */
    int64_t *places; /* [result][element of the window], -1: padding */
    int16_t *numbers;
};

static int64_t round_up(int64_t count, int64_t to)
{
    return (count + to - 1) / to * to;
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* Numbers of an output channel, `step` apart, less their zero point. */
static void take_weights(const struct job *job, int64_t output, int64_t from, int64_t step, int64_t count,
                         int16_t *to, int64_t to_step)
{
    const struct convolution *conv = job->conv;
    const int32_t zero = conv->w_zero ? conv->w_zero[output] : 0;
    const uint8_t flip = conv->w->type == NET_UINT8 ? 0 : 128, *w = (const uint8_t *)conv->w->data + from;
    if (step == 1 && to_step == 1) {
        job->form->widen(w, flip, zero + flip, count, to);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        to[k * to_step] = (int16_t)((w[k * step] ^ flip) - flip - zero);
}

/* As they lie, but for the end of each row. */
static void place_channels(const struct job *job)
{
    const struct slide *s = job->slide;
    for (int64_t o = 0; o < s->to.channels; o++)
        take_weights(job, o, o, s->weights.tap, s->taps, job->weights + o, job->stride);
}

/* Pairs of each channel of a tile stand side by side; an element of the window has all its input channels
 * together. */
static void place_output(const struct job *job, int64_t output, int16_t *row, int16_t *to)
{
    const struct slide *s = job->slide;
    for (int64_t tap = 0; tap < s->taps; tap++)
        take_weights(job, output, output * s->weights.output + tap * s->weights.tap, s->weights.input,
                     s->each, row + tap * s->each, 1);
    for (int64_t i = 0; i < job->window; i += 2)
        memcpy(to + i * TILE_CHANNELS, row + i, 2 * sizeof *row);
}

static int16_t *block_of(const struct job *job, int64_t group, int64_t block)
{
    return job->weights + (group * job->blocks + block) * job->window * TILE_CHANNELS;
}

static void place_weights(const struct job *job, int16_t *row)
{
    for (int64_t o = 0; o < job->slide->to.channels; o++) {
        const int64_t in_group = o % job->outputs;
        place_output(job, o, row,
                     block_of(job, o / job->outputs, in_group / TILE_CHANNELS) +
                         in_group % TILE_CHANNELS * 2);
    }
}

/* What says, with the weights, how they lie. NULL: out of memory. */
static int64_t *form_of(const struct job *job, size_t *count)
{
    const struct slide *s = job->slide;
    const int64_t first[] = {s->taps,        s->each,           s->groups,
                             s->to.channels, s->weights.output, s->weights.input,
                             s->weights.tap, job->one_for_each, job->conv->w->type};
    const size_t fixed = sizeof first / sizeof *first;
    *count = fixed + (size_t)s->to.channels;
    int64_t *form = calloc(*count, sizeof *form);
    for (size_t i = 0; form && i < *count; i++)
        form[i] = i < fixed ? first[i] : job->conv->w_zero ? job->conv->w_zero[i - fixed] : 0;
    return form;
}

static struct prepared make_weights(struct job *job)
{
    const struct slide *s = job->slide;
    const int64_t blocks = s->groups * job->blocks,
                  count = job->one_for_each ? s->taps * job->stride : blocks * job->window * TILE_CHANNELS;
    size_t form_count;
    struct prepared to = {.data = NULL};
    int64_t *form = form_of(job, &form_count);
    int16_t *row = calloc((size_t)job->window + 1, sizeof *row);
    if (form && row)
        to = prepare(job->conv->call, job->conv->w, form, form_count, (size_t)count * sizeof *job->weights);
    job->weights = to.data;
    if (to.data && to.fresh && job->one_for_each)
        place_channels(job);
    else if (to.data && to.fresh)
        place_weights(job, row);
    free(form);
    free(row);
    return to;
}

/* ---- windows ------------------------------------------------------------------------------------- */

static bool windows_open(const struct job *job, struct windows *w)
{
    w->places = calloc((size_t)(job->slide->taps * TILE_PLACES) + 1, sizeof *w->places);
    w->numbers =
        calloc((size_t)(job->one_for_each ? job->slide->taps * job->stride : job->window * TILE_PLACES) + 1,
               sizeof *w->numbers);
    return w->places && w->numbers;
}

static void windows_close(struct windows *w)
{
    free(w->places);
    free(w->numbers);
}

/* A row of numbers of the image, `step` apart, each as often as `repeat` says; what lies outside is the real
 * zero. */
static void take(const struct job *job, int64_t from, int64_t step, int64_t repeat, int64_t count,
                 int16_t *to)
{
    const struct view *x = job->conv->x;
    const int32_t zero = job->conv->x_zero;
    const uint8_t flip = x->type == NET_INT8 ? 128 : 0;
    if (from < 0)
        memset(to, 0, (size_t)count * sizeof *to);
    else if (x->type == NET_INT16)
        for (int64_t i = 0; i < count; i++)
            to[i] = (int16_t)(((const int16_t *)x->data)[from + i / repeat * step] - zero);
    else if (step == 1 && repeat == 1)
        job->form->widen((const uint8_t *)x->data + from, flip, zero + flip, count, to);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = (int16_t)((((const uint8_t *)x->data)[from + i / repeat * step] ^ flip) - zero - flip);
}

/* ---- tiles --------------------------------------------------------------------------------------- */

/* Of products that follow each other, so many have sums that fit; then these are set apart. */
static void set_apart(struct tile *tile)
{
    for (int p = 0; p < TILE_PLACES; p++)
        for (int o = 0; o < TILE_CHANNELS; o++)
            tile->before[p][o] += tile->sums[p][o];
}

static void tile_of_group(const struct job *job, const struct windows *w, const int16_t *weights,
                          struct tile *tile)
{
    int64_t k = 0;
    if (job->window > job->products)
        memset(tile->before, 0, sizeof tile->before);
    for (; job->window - k > job->products; k += job->products) {
        job->form->multiply(w->numbers + k, job->window, weights + k * TILE_CHANNELS, job->products / 2,
                            tile->sums);
        set_apart(tile);
    }
    job->form->multiply(w->numbers + k, job->window, weights + k * TILE_CHANNELS, (job->window - k) / 2,
                        tile->sums);
}

static void run_group(const struct job *job, const struct windows *w, int64_t group, struct tile *tile)
{
    for (int64_t block = 0; block < job->blocks; block++) {
        const int64_t left = job->outputs - block * TILE_CHANNELS;
        tile->channel = group * job->outputs + block * TILE_CHANNELS;
        tile->channels = left < TILE_CHANNELS ? (int)left : TILE_CHANNELS;
        tile_of_group(job, w, block_of(job, group, block), tile);
        job->finish(job->context, tile);
    }
}

static void run_places(const struct job *job, const struct windows *w, struct tile *tile)
{
    const struct slide *s = job->slide;
    for (int p = 0; p < tile->places; p++)
        slide_places(s, tile->at + p, p ? w->places + (p - 1) * s->taps : NULL, w->places + p * s->taps);
    for (int64_t g = 0; g < s->groups; g++) {
        const int64_t base = tile->image * s->from.image + g * s->each * s->from.channel;
        for (int64_t tap = 0; tap < s->taps; tap++)
            for (int p = 0; p < tile->places; p++) {
                const int64_t place = w->places[p * s->taps + tap];
                take(job, place < 0 ? -1 : base + place * s->from.place, s->from.channel, 1, s->each,
                     w->numbers + p * job->window + tap * s->each);
            }
        run_group(job, w, g, tile);
    }
}

static void tile_of_channels(const struct job *job, const struct windows *w, struct tile *tile)
{
    const int64_t taps = job->slide->taps;
    const int16_t *numbers = w->numbers + tile->channel, *weights = job->weights + tile->channel;
    int64_t tap = 0;
    if (taps > job->products)
        memset(tile->before, 0, sizeof tile->before);
    for (; taps - tap > job->products; tap += job->products) {
        job->form->multiply_channels(numbers + tap * job->stride, weights + tap * job->stride, job->stride,
                                     job->products, tile->sums[0]);
        set_apart(tile);
    }
    job->form->multiply_channels(numbers + tap * job->stride, weights + tap * job->stride, job->stride,
                                 taps - tap, tile->sums[0]);
}

static void run_channels(const struct job *job, const struct windows *w, struct tile *tile)
{
    const struct slide *s = job->slide;
    slide_places(s, tile->at, tile->at > w->first ? w->places : NULL, w->places);
    for (int64_t tap = 0; tap < s->taps; tap++) {
        const int64_t place = w->places[tap];
        take(job, place < 0 ? -1 : tile->image * s->from.image + place * s->from.place, s->from.channel,
             job->outputs, s->to.channels, w->numbers + tap * job->stride);
    }
    for (tile->channel = 0; tile->channel < s->to.channels; tile->channel += TILE_CHANNELS) {
        const int64_t left = s->to.channels - tile->channel;
        tile->channels = left < TILE_CHANNELS ? (int)left : TILE_CHANNELS;
        tile_of_channels(job, w, tile);
        job->finish(job->context, tile);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------- */

/* Some tiles, counted through all images. */
static bool run_tiles(const void *context, int64_t begin, int64_t end)
{
    const struct job *job = context;
    struct windows windows = {0};
    struct tile tile = {0};
    const bool ok = windows_open(job, &windows);
    for (int64_t i = begin; ok && i < end; i++) {
        tile.image = i / job->tiles;
        tile.at = i % job->tiles * job->places;
        const int64_t left = job->slide->results - tile.at;
        tile.places = left < job->places ? (int)left : job->places;
        if (i == begin || !tile.at)
            windows.first = tile.at;
        if (job->one_for_each)
            run_channels(job, &windows, &tile);
        else
            run_places(job, &windows, &tile);
    }
    windows_close(&windows);
    return ok;
}

/* Nanoseconds of a tile, roughly. */
static int64_t cost_of(const struct job *job)
{
    enum { CHANNELS_EACH = 4, PRODUCTS_EACH = 16 };
    const int64_t products = job->places * job->slide->taps * job->slide->to.channels;
    return job->one_for_each ? products / CHANNELS_EACH : products * job->slide->each / PRODUCTS_EACH;
}

bool convolution_is_narrow(const struct convolution *conv, int64_t bias)
{
    const int64_t products = conv->slide->taps * conv->slide->each;
    return conv->x->type != NET_INT16 && products <= PRODUCTS_OF_BYTES &&
           bias <= INT32_MAX - products * PRODUCT_OF_BYTES;
}

bool convolution_run(const struct convolution *conv, tile_function *finish, const void *context)
{
    const struct slide *s = conv->slide;
    struct job job = {.conv = conv,
                      .slide = s,
                      .form = conv->form ? conv->form : tile_form_best(),
                      .one_for_each = s->each == 1 && !s->weights.input,
                      .outputs = s->to.channels / s->groups,
                      .window = round_up(s->taps * s->each, 2),
                      .products = conv->x->type == NET_INT16 ? PRODUCTS_OF_WORDS : PRODUCTS_OF_BYTES,
                      .stride = round_up(s->to.channels, TILE_CHANNELS),
                      .finish = finish,
                      .context = context};
    job.blocks = (job.outputs + TILE_CHANNELS - 1) / TILE_CHANNELS;
    job.places = job.one_for_each ? 1 : TILE_PLACES;
    job.tiles = (s->results + job.places - 1) / job.places;
    struct prepared weights = make_weights(&job);
    const bool ok = weights.data && crew_share(conv->call ? conv->call->crew : NULL, s->images * job.tiles,
                                               cost_of(&job), run_tiles, &job);
    prepared_free(&weights);
    return ok;
}
