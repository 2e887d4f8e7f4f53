/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain packets: weights of dense segments, a byte each in the storage units.
 * The distribution unit makes a beat of entries of half a beat of bytes, byte
 * i entry i, with gaps of 0, and the last flag where a segment ends. Behind
 * the last segment it sends skips. Bitmaps are plain packets of another kind:
 * sim/model/bitmap_packet.h.
 */
#ifndef TULLE_SIM_PLAIN_PACKET_H
#define TULLE_SIM_PLAIN_PACKET_H

#include <stddef.h>

#include "sim/model/program.h"

struct plain_packet {
    size_t beat_bytes;
    unsigned entries, lanes; /* of a PE and of all PEs in a beat */
    bool bitmap;
    uint32_t segment;    /* weights, or masks, of each */
    uint64_t weights;    /* of each PE, but in bitmaps */
    uint16_t skip, last; /* an entry, and the flag of one */
};

struct plain_packet plain_packet_of(const struct variant *variant, const struct operation *op);

#define PLAIN_PACKET_OWN SIZE_MAX

/* Byte `at` of the packet on the row bus: which of the bytes in the storage unit it is, or PLAIN_PACKET_OWN
 * when it is the one returned. */
uint8_t plain_packet_byte(const struct plain_packet *packet, size_t at, size_t *from);

/* The packet on the row bus, `bytes` being those in the storage unit; bitmaps, too. */
void plain_packet_expand(const struct plain_packet *packet, const uint8_t *bytes, size_t count, uint8_t *to);

#endif
