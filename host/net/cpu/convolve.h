/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact sums of convolutions of integers, for everything that has such sums: TFLite's layers, fully
 * connected ones too, and ONNX's ConvInteger and QLinearConv.
 */
#ifndef TULLE_HOST_NET_CPU_CONVOLVE_H
#define TULLE_HOST_NET_CPU_CONVOLVE_H

#include "host/net/cpu/tile.h"
#include "host/net/cpu/window.h"

/* sum = sum of (x - x_zero) * (w - w_zero). Differences of x fit int16, weights have 8 bits. */
struct convolution {
    const struct slide *slide;
    const struct view *x, *w;
    int32_t x_zero;
    const int32_t *w_zero;        /* for each output channel; NULL: 0 */
    const struct tile_form *form; /* NULL: the best */
    const struct call *call;      /* of the kernel; NULL: it has none */
};

/* Sums of `places` neighbouring results from `at` on in an image, and of `channels` neighbouring channels
 * from `channel` on. */
struct tile {
    int64_t image, at, channel;
    int places, channels;
    int32_t sums[TILE_PLACES][TILE_CHANNELS];
    int64_t before[TILE_PLACES]
                  [TILE_CHANNELS]; /* what belongs to the sums as well, where 32 bits may not be enough */
};
static inline int64_t tile_sum(const struct tile *tile, int place, int channel)
{
    return tile->before[place][channel] + tile->sums[place][channel];
}
typedef void tile_function(const void *context, const struct tile *tile);

/* Whether all sums fit 32 bits with as much as `bias` added, and are in `sums` alone. */
bool convolution_is_narrow(const struct convolution *conv, int64_t bias);
/* Calls `finish` for tiles that have every result once. False: out of memory. */
bool convolution_run(const struct convolution *conv, tile_function *finish, const void *context);

#endif
