/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of output channels in the device's table: packed behind the weights,
 * in the order in which results leave, and loaded before the first results.
 */
#ifndef TULLE_HOST_CHANNELS_H
#define TULLE_HOST_CHANNELS_H

#include "host/plan/planner.h"

/* Where the columns, and the table of the function lookup, are in the slot of the weights, by value of
 * `column`; groups of K channels. */
struct channel_columns {
    uint64_t at[ISA_COLUMNS];
    uint32_t groups;
};

static inline bool channels_any(const struct plan_channels *c)
{
    return c->has_bias || c->has_scale || c->has_limits;
}

/* Appends the columns to the packed weights. `place`: where channels are when they are not in their order,
 * or NULL. */
enum plan_status channels_pack(const struct plan_description *description, const struct plan_layout *layout,
                               const uint32_t *place, uint64_t groups, struct strbuf *weights,
                               struct channel_columns *columns);

/* Loads them; nothing without. */
void channels_load(struct writer *writer, const struct plan_description *description,
                   const struct channel_columns *columns);

#endif
