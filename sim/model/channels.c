/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/channels.h"

#define FINE 15u /* the lower bits of a shift, which a multiplier takes along */

static uint32_t channels(const struct variant *v)
{
    return v->channel_groups * v->k;
}

void channel_set(struct channel *table, const struct variant *v, enum isa_column column, uint64_t place,
                 int64_t value)
{
    struct channel *c = &table[place % channels(v)];
    switch (column) {
    case COLUMN_BIAS:
        c->bias = num_wrap(value, v->acc_width);
        break;
    case COLUMN_SHIFT:
        c->shift = (uint8_t)(value & 63);
        break;
    case COLUMN_MULTIPLIER:
        c->multiplier = (int32_t)num_wrap(num_wrap(value, v->acc_width), 32);
        c->fine = c->shift & FINE;
        break;
    case COLUMN_LOW:
        c->low = (int16_t)num_wrap(value, 16);
        break;
    case COLUMN_HIGH:
        c->high = (int16_t)num_wrap(value, 16);
        break;
    case COLUMN_NONE:
    case COLUMN_LOOKUP: /* not of a channel */
    case COLUMN_EXPONENTIAL:
    case ISA_COLUMNS:
        break;
    }
}

const struct channel *channel_of(const struct channel *table, const struct variant *v,
                                 const struct channel_walk *walk, uint64_t element)
{
    uint64_t group = element / v->k / (walk->holds ? walk->holds : 1);
    if (walk->run) {
        const uint64_t turn = (uint64_t)walk->run * (walk->repeats ? walk->repeats : 1);
        group = group / turn * walk->run + group % walk->run;
    }
    return &table[(walk->first + group) % v->channel_groups * v->k + element % v->k];
}

int64_t channel_apply(const struct channel *c, const struct channel_use *use, const struct num_step *step,
                      int64_t sum, unsigned acc_width)
{
    struct num_step own = *step;
    if (use->bias)
        sum = num_wrap((int64_t)((uint64_t)sum + (uint64_t)c->bias), acc_width);
    if (use->scale) {
        own.multiplier = c->multiplier;
        own.shift = (c->shift & ~FINE) | c->fine;
    }
    if (use->limits) {
        own.low = c->low;
        own.high = c->high;
        own.element = NUM_INT64;
    }
    return num_wrap(num_apply(&own, sum), acc_width);
}
