/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of integer layers: 16 output channels of one or of 8 places of the result. They come in
 * forms, for what processors have; the plain form is the reference, and every other gives the same bits.
 */
#ifndef TULLE_HOST_NET_CPU_TILE_H
#define TULLE_HOST_NET_CPU_TILE_H

#include "sim/numerics/numerics.h"

enum { TILE_PLACES = 8, TILE_CHANNELS = 16 };

/* What becomes of sums, for each channel: a factor in two steps (NUM_REQUANTISE, NUM_TWO_STEPS). */
struct tile_steps {
    const int32_t *bias, *multiplier,
        *shift; /* multipliers are not negative; shift: of the second step, 0..31 */
    int32_t low, high, zero;
};

struct tile_form {
    const char *name;
    bool (*is_there)(void);
    /* sums[p][o] = sum of windows[p * stride + k] * weights[k / 2][o][k % 2] over 2 * pairs numbers k; sums
     * fit. */
    void (*multiply)(const int16_t *windows, int64_t stride, const int16_t *weights, int64_t pairs,
                     int32_t sums[TILE_PLACES][TILE_CHANNELS]);
    /* sums[o] = sum of window[k * stride + o] * weights[k * stride + o], likewise. */
    void (*multiply_channels)(const int16_t *window, const int16_t *weights, int64_t stride, int64_t count,
                              int32_t sums[TILE_CHANNELS]);
    /* Bytes less `zero`, each with the bits of `flip` turned over: 128 makes int8 of uint8 with 128 added. */
    void (*widen)(const uint8_t *from, uint8_t flip, int32_t zero, int64_t count, int16_t *to);
    /* The same bytes, of which those with the bits of `flip` turned over are limited. */
    void (*limit)(const uint8_t *from, uint8_t flip, uint8_t low, uint8_t high, int64_t count, uint8_t *to);
    /* Channels from `first` on, of some places, whose results are `stride` bytes apart. Sums with their bias
     * fit. */
    void (*requantise)(const struct tile_steps *steps, int64_t first, int places,
                       const int32_t sums[][TILE_CHANNELS], uint8_t *to, int64_t stride);
};

/* Whether results of 8 bits can be had of the step in tiles, and the shift that `tile_steps` has for it. */
bool tile_step_fits(const struct num_step *step);
int32_t tile_shift(const struct num_step *step);

/* The list ends with a NULL name; the plain form is the last, and better ones come before others. */
extern const struct tile_form tile_forms[];
/* The first that this processor has. */
const struct tile_form *tile_form_best(void);

#endif
