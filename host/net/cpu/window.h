/* SPDX-License-Identifier: Apache-2.0
 *
 * A window that slides over the dimensions of an image behind batch and channel.
 */
#ifndef TULLE_HOST_NET_CPU_WINDOW_H
#define TULLE_HOST_NET_CPU_WINDOW_H

#include "host/net/cpu/kernel.h"

struct slide {
    int dims, at_dim;
    int64_t kernel[NET_RANK_MAX], stride[NET_RANK_MAX], dilation[NET_RANK_MAX], pad[NET_RANK_MAX],
        pad_end[NET_RANK_MAX];
    int64_t size[NET_RANK_MAX], result[NET_RANK_MAX];
    int64_t area, taps, results; /* elements of an image's channel, of the window, of a result's channel */
};

/* `weights` may be NULL: the window is that of the attribute kernel_shape. */
struct slide slide_of(const struct node *node, const struct view *image, const struct view *weights,
                      const struct view *result);
/* The place in a channel that an element of the window has for a result; -1: outside the image. `padded`: in
 * the image or its padding. */
int64_t slide_place(const struct slide *s, int64_t result, int64_t tap, bool *padded);

#endif
