/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitmap packets: plain packets whose bytes are masks and weights. A PE's
 * bytes lie where those of a plain packet do, and byte i becomes entry i. A
 * mask has a bit for each of eight places, the lowest place lowest, and is
 * followed by a weight for each bit that is set. docs/isa.md has the rules.
 */
#ifndef TULLE_SIM_BITMAP_PACKET_H
#define TULLE_SIM_BITMAP_PACKET_H

#include <stddef.h>

#include "sim/model/program.h"

struct plain_packet;

/* What `count` bytes of the storage unit become, twice as many, which are a packet. */
void bitmap_packet_entries(const struct plain_packet *packet, const uint8_t *bytes, size_t count,
                           uint8_t *to);

#endif
