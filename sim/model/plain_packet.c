/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/plain_packet.h"

#include <string.h>

#include "gen/isa/weights.h"
#include "sim/model/bitmap_packet.h"

#define ENTRY_BYTES 2 /* a rule of variants with plain_weights */

struct plain_packet plain_packet_of(const struct variant *v, const struct operation *op)
{
    struct weights_code code;
    weights_code_init(&code, (struct isa_widths){.data = v->data_width, .index = v->index_width});
    const unsigned entries = variant_entries_per_beat(v);
    return (struct plain_packet){.beat_bytes = v->row_bus_width / 8,
                                 .entries = entries,
                                 .lanes = v->k * entries,
                                 .bitmap = op->bitmap,
                                 .segment = op->segment,
                                 .weights = (uint64_t)op->segment * op->segments,
                                 .skip = (uint16_t)weights_escape_entry(&code, WEIGHTS_SKIP, 0),
                                 .last = (uint16_t)(1u << code.last_lsb)};
}

uint8_t plain_packet_byte(const struct plain_packet *p, size_t at, size_t *from)
{
    const size_t beat = at / p->beat_bytes, lane = at % p->beat_bytes / ENTRY_BYTES;
    const uint64_t weight = (uint64_t)beat * p->entries + lane % p->entries; /* of the PE's stream */
    const bool upper = at % ENTRY_BYTES;
    *from = PLAIN_PACKET_OWN;
    if (lane >= p->lanes)
        return 0;
    if (weight >= p->weights)
        return (uint8_t)(upper ? p->skip >> 8 : p->skip);
    if (upper)
        return weight % p->segment + 1 == p->segment ? (uint8_t)(p->last >> 8) : 0;
    *from = beat * (p->beat_bytes / ENTRY_BYTES) + lane;
    return 0;
}

/* As plain_packet_byte says, of a beat or the first bytes of one: `lanes` from number `at` on. */
static void expand_beat(const struct plain_packet *p, size_t at, size_t lanes, const uint8_t *bytes,
                        uint8_t *to)
{
    const uint64_t first = at / (p->beat_bytes / ENTRY_BYTES) * p->entries;
    uint64_t place = p->segment ? first % p->segment : 0;
    memset(to, 0, ENTRY_BYTES * lanes);
    for (unsigned e = 0; e < p->entries; e++) {
        const bool skips = first + e >= p->weights, ends = place + 1 == p->segment;
        const uint8_t lower = (uint8_t)p->skip, upper = (uint8_t)((skips  ? p->skip
                                                                   : ends ? p->last
                                                                          : 0) >>
                                                                  8);
        for (size_t lane = e; lane < lanes && lane < p->lanes; lane += p->entries) {
            to[ENTRY_BYTES * lane] = skips ? lower : bytes[lane];
            to[ENTRY_BYTES * lane + 1] = upper;
        }
        place = ends ? 0 : place + 1;
    }
}

void plain_packet_expand(const struct plain_packet *p, const uint8_t *bytes, size_t count, uint8_t *to)
{
    if (p->bitmap) {
        bitmap_packet_entries(p, bytes, count, to);
        return;
    }
    const size_t most = p->beat_bytes / ENTRY_BYTES;
    for (size_t at = 0; at < count; at += most)
        expand_beat(p, at, count - at < most ? count - at : most, bytes + at, to + ENTRY_BYTES * at);
}
