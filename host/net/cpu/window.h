/* SPDX-License-Identifier: Apache-2.0
 *
 * A window that slides over an image, for both orders of dimensions: channels behind the batch (NCHW), and
 * channels at the end (NHWC).
 */
#ifndef TULLE_HOST_NET_CPU_WINDOW_H
#define TULLE_HOST_NET_CPU_WINDOW_H

#include "host/net/cpu/kernel.h"

/* An image, or a result: from one channel to the next, from one place to the next, from one image to the
 * next. */
struct raster {
    int64_t channels, channel, place, image;
};

/* From a weight to that of the next output channel, input channel and element of the window. */
struct taps {
    int64_t output, input, tap;
};

struct slide {
    int dims;
    int64_t kernel[NET_RANK_MAX], stride[NET_RANK_MAX], dilation[NET_RANK_MAX], pad[NET_RANK_MAX],
        pad_end[NET_RANK_MAX];
    int64_t size[NET_RANK_MAX], result[NET_RANK_MAX];
    int64_t area, taps, results; /* elements of an image's channel, of the window, of a result's channel */
    int64_t images;
    struct raster from, to;
    struct taps weights;
    int64_t each, groups; /* input channels that an output channel takes; groups of channels */
    bool same;            /* each result has a window of one element, at its own place */
};

/* `weights` may be NULL: the window is that of the attribute kernel_shape. */
struct slide slide_of(const struct node *node, const struct view *image, const struct view *weights,
                      const struct view *result);
/* Of ConvTranspose, the other way round: windows of the result, one for each place of the image. */
struct slide slide_transposed(const struct call *c);
/* Counts and distances, once sizes, kernel, images, channels, `each` and `groups` are known. `one_for_each`:
 * the weights are TFLite's for a channel each, output channels at the end. */
void slide_count(struct slide *s, bool channels_last, bool one_for_each);
/* Whether a layer's channels, weights and bias (or NULL) belong together. False after an error. */
bool slide_fits(const struct call *c, const struct slide *s, const struct view *weights,
                const struct view *bias);
/* The place in a channel that an element of the window has for a result; -1: outside the image. `padded`: in
 * the image or its padding. */
int64_t slide_place(const struct slide *s, int64_t result, int64_t tap, bool *padded);
/* The places of all elements of the window. `before`: those of the result before this one, or NULL. */
void slide_places(const struct slide *s, int64_t result, const int64_t *before, int64_t *places);

/* A result of a pool: its place, and the channel and the image that it shares with what it is made of. */
struct spot {
    int64_t at, channel, image;
};
struct spot slide_spot(const struct slide *s, int64_t i); /* the results of a channel stand together */
size_t spot_source(const struct slide *s, struct spot spot, int64_t place);
size_t spot_result(const struct slide *s, struct spot spot);

#endif
