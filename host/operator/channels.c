/* SPDX-License-Identifier: Apache-2.0
 *
 * What output channels have of their own, and tables of functions: checked, and copied for packing.
 */
#include <math.h>
#include <stdlib.h>

#include "host/operator/operator.h"

#define SHIFT_MOST 63

static enum tulle_status check_function(const struct tulle_channels *c, enum tulle_function function,
                                        bool lookup)
{
    if (c->multiplier && function != TULLE_REQUANTISE)
        return message_set(TULLE_INVALID_ARGUMENT, "channels: multipliers and shifts are those of "
                                                   "TULLE_REQUANTISE, which the epilogue does not have");
    if (c->low && lookup)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "channels: results that are looked up have the limits of the "
                           "epilogue, not of channels");
    if (c->low && function != TULLE_REQUANTISE && function != TULLE_CLAMP)
        return message_set(TULLE_INVALID_ARGUMENT, "channels: limits are those of TULLE_REQUANTISE and "
                                                   "TULLE_CLAMP, which the epilogue does not have");
    return TULLE_OK;
}

enum tulle_status channels_check(const struct variant *variant, const struct tulle_operator_options *o,
                                 enum tulle_function function)
{
    const struct tulle_channels *c = o->channels;
    if (!c || (!c->multiplier && !c->shift && !c->low && !c->high))
        return TULLE_OK;
    if (!c->multiplier != !c->shift)
        return message_set(TULLE_INVALID_ARGUMENT, "channels: multiplier and shift come together");
    if (!c->low != !c->high)
        return message_set(TULLE_INVALID_ARGUMENT, "channels: low and high come together");
    if (!variant->channel_groups)
        return message_set(TULLE_UNSUPPORTED, "channels: variant %s was made without channel_groups",
                           variant->name);
    return check_function(c, function, o->epilogue && o->epilogue->lookup);
}

/* A copy of `count` elements of `bytes` each; NULL stays NULL. */
static bool copy(const void *from, size_t count, size_t bytes, void **to)
{
    *to = from ? calloc(count + 1, bytes) : NULL;
    if (from && *to)
        memcpy(*to, from, count * bytes);
    return !from || *to;
}

int channel_limit(int limit, int lift)
{
    return limit - lift < INT16_MIN && limit >= INT16_MIN ? INT16_MIN : limit - lift;
}

enum tulle_status channels_take(const struct tulle_channels *c, uint32_t count, int lift,
                                struct own_channels *to)
{
    void *multiplier, *shift, *low, *high;
    channels_free(to);
    if (!c)
        return TULLE_OK;
    for (uint32_t n = 0; c->shift && n < count; n++)
        if (c->shift[n] > SHIFT_MOST)
            return message_set(TULLE_INVALID_ARGUMENT, "channels: shift %u is %u; 0 to %u are possible", n,
                               c->shift[n], SHIFT_MOST);
    bool ok = copy(c->multiplier, count, sizeof *c->multiplier, &multiplier);
    ok = copy(c->shift, count, sizeof *c->shift, &shift) && ok;
    ok = copy(c->low, count, sizeof *c->low, &low) && ok;
    ok = copy(c->high, count, sizeof *c->high, &high) && ok;
    for (uint32_t n = 0; ok && c->low && n < count; n++) {
        ((int16_t *)low)[n] = (int16_t)channel_limit(c->low[n], lift);
        ((int16_t *)high)[n] = (int16_t)channel_limit(c->high[n], lift);
    }
    *to = (struct own_channels){.multiplier = multiplier, .shift = shift, .low = low, .high = high};
    return ok ? TULLE_OK : message_no_memory();
}

void channels_divide(struct own_channels *own, uint32_t count, int64_t by)
{
    unsigned shift = 0;
    for (uint32_t n = 0; own->multiplier && n < count; n++) {
        (void)tulle_scale(ldexp(own->multiplier[n], -(int)own->shift[n]) / (double)by, &own->multiplier[n],
                          &shift);
        own->shift[n] = (uint8_t)shift;
    }
}

void channels_free(struct own_channels *own)
{
    free(own->multiplier);
    free(own->shift);
    free(own->low);
    free(own->high);
    *own = (struct own_channels){0};
}

/* Without a sign, numbers and results are written plus 128. */
void lookup_take(const int8_t *table, bool no_sign, int8_t to[256])
{
    const unsigned flip = no_sign ? 0x80 : 0;
    for (unsigned byte = 0; byte < 256; byte++)
        to[byte] = (int8_t)((uint8_t)table[byte ^ flip] ^ flip);
}
