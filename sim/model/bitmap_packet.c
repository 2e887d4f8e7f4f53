/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/bitmap_packet.h"

#include <string.h>

#include "gen/isa/weights.h"
#include "sim/model/plain_packet.h"

/* A PE's stream between two bytes. */
struct stream {
    uint8_t mask;        /* bits whose weights are still to come; 0: a mask comes next */
    uint8_t place;       /* of the mask: the first one behind the entry before */
    uint8_t gap;         /* places from the entry before to the mask */
    uint32_t masks_left; /* of the segment, the one whose weights come included */
};

/* An entry that is no escape. */
static uint16_t entry_of(const struct plain_packet *p, unsigned gap, uint8_t value, bool last)
{
    return (uint16_t)(gap << 8 | value | (last ? p->last : 0));
}

/* All of a mask's weights have come; whether it was the segment's last one. The gap counts from its end. */
static bool end_mask(struct stream *s, uint32_t masks, unsigned gap)
{
    const bool last = s->masks_left == 1;
    s->masks_left = last ? masks : s->masks_left - 1;
    s->gap = (uint8_t)(last ? 0 : gap);
    return last;
}

static uint16_t take_mask(struct stream *s, const struct plain_packet *p, uint8_t mask)
{
    s->mask = mask;
    s->place = 0;
    if (mask || s->masks_left == p->segment)
        return p->skip;
    const unsigned gap = s->gap + VARIANT_BITMAP_PLACES - 1;
    return entry_of(p, gap, 0, end_mask(s, p->segment, 0));
}

static uint16_t take_weight(struct stream *s, const struct plain_packet *p, uint8_t value)
{
    const unsigned place = (unsigned)__builtin_ctz(s->mask), gap = s->gap + place - s->place;
    s->mask &= (uint8_t)(s->mask - 1);
    s->place = (uint8_t)(place + 1);
    s->gap = 0;
    return entry_of(p, gap, value, !s->mask && end_mask(s, p->segment, VARIANT_BITMAP_PLACES - 1 - place));
}

static uint16_t entry_from(struct stream *s, const struct plain_packet *p, uint8_t byte)
{
    return s->mask ? take_weight(s, p, byte) : take_mask(s, p, byte);
}

void bitmap_packet_entries(const struct plain_packet *p, const uint8_t *bytes, size_t count, uint8_t *to)
{
    struct stream streams[WEIGHTS_PES_MAX];
    const size_t half = p->beat_bytes / 2;
    for (unsigned pe = 0; pe < WEIGHTS_PES_MAX; pe++)
        streams[pe] = (struct stream){.masks_left = p->segment};
    memset(to, 0, 2 * count);
    for (size_t beat = 0; beat < count / half; beat++)
        for (unsigned lane = 0; lane < p->lanes; lane++) {
            const uint16_t entry = entry_from(&streams[lane / p->entries], p, bytes[beat * half + lane]);
            uint8_t *at = to + beat * p->beat_bytes + 2 * lane;
            at[0] = (uint8_t)entry;
            at[1] = (uint8_t)(entry >> 8);
        }
}
