/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of channels (rtl/tulle_channel_table.v): bias, multiplier, shift and
 * limits of the output channels, in groups of K. Accumulates load its columns,
 * and stores walk through it in the order of their results.
 */
#ifndef TULLE_SIM_CHANNELS_H
#define TULLE_SIM_CHANNELS_H

#include "gen/isa/table.h"
#include "gen/variant/variant.h"
#include "sim/numerics/numerics.h"

struct channel {
    int64_t bias;
    int32_t multiplier;
    uint8_t shift, fine; /* fine: the shift that the multiplier was loaded with, modulo 16 */
    int16_t low, high;
};

/* Groups that a store walks through: each `holds` times, `run` of them, all this `repeats` times, then the
 * next ones. */
struct channel_walk {
    uint16_t first, run, repeats, holds;
};

/* What a function takes from the table. */
struct channel_use {
    bool bias, scale, limits;
};

static inline bool channel_used(const struct channel_use *use)
{
    return use->bias || use->scale || use->limits;
}

/* Element `place` of a column, counted from the first group on; the table wraps. */
void channel_set(struct channel *table, const struct variant *variant, enum isa_column column, uint64_t place,
                 int64_t value);

/* The channel of the element at this place of a store's results. */
const struct channel *channel_of(const struct channel *table, const struct variant *variant,
                                 const struct channel_walk *walk, uint64_t element);

/* The function of a sum, with the channel's bias, scale and limits in place of the step's. */
int64_t channel_apply(const struct channel *channel, const struct channel_use *use,
                      const struct num_step *step, int64_t sum, unsigned acc_width);

#endif
