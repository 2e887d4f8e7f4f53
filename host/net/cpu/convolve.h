/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact sums of convolutions of integers, for everything that has such sums: TFLite's layers, fully
 * connected ones too, and ONNX's ConvInteger and QLinearConv.
 */
#ifndef TULLE_HOST_NET_CPU_CONVOLVE_H
#define TULLE_HOST_NET_CPU_CONVOLVE_H

#include "host/net/cpu/window.h"

/* sum = sum of (x - x_zero) * (w - w_zero). Differences of x fit int16, weights have 8 bits. */
struct convolution {
    const struct slide *slide;
    const struct view *x, *w;
    int32_t x_zero;
    const int32_t *w_zero; /* for each output channel; NULL: 0 */
    /* Room that convolution_open makes. */
    int64_t *places;  /* of the window's elements in a channel, -1: padding */
    int16_t *patch;   /* a group's window as the weights lie, less the zero point */
    int64_t *sums;    /* of a place of the result, for each output channel */
    int16_t *shifted; /* weights of a channel each, less their zero points */
    int32_t *part;    /* sums of a few products of theirs */
};

/* False: out of memory. */
bool convolution_open(struct convolution *conv);
void convolution_close(struct convolution *conv);
/* Computes conv->sums for a place of an image. */
void convolution_sums(struct convolution *conv, int64_t image, int64_t at);

#endif
