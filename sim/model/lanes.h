/* SPDX-License-Identifier: Apache-2.0
 *
 * The weight queues of a cluster's PEs, functionally: the streams of a packet
 * decoded into segments of (position, value).
 */
#ifndef TULLE_SIM_LANES_H
#define TULLE_SIM_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/variant/variant.h"
#include "sim/model/job.h"

struct lane {
    uint16_t *position;
    int16_t *value;
    uint32_t *end;   /* per segment: index behind its last entry */
    uint32_t *slots; /* per segment: places of the stream it took, escapes included */
    size_t entries, segments, entry_room, segment_room;
    size_t first; /* the oldest segment that is still in the queue */
    size_t head;  /* the one at the head of the queue; RQ takes it round first .. segments - 1 */
};

/* The most places of the queue that what is there at one time may take: the last of it may share a beat with
 * what comes after, and a beat is taken whole. */
static inline uint32_t lane_room(const struct variant *variant, const struct variant_derived *derived)
{
    return variant->weight_queue_depth - derived->entries_per_beat + 1;
}

void lane_free(struct lane *lane);
void lane_clear(struct lane *lane);

static inline size_t lane_begin(const struct lane *lane, size_t segment)
{
    return segment ? lane->end[segment - 1] : 0;
}

/* What the segments in the queue take of it: a place for each entry, and one for a segment without any. */
size_t lane_places(const struct lane *lane);

/* Puts the queue's segments in the order in which they will be taken, and forgets those before. False when
 * out of memory. */
bool lane_settle(struct lane *lane);

/* Appends the segments of PE `pe` in a packet's data; there must be exactly `segments`, else packet_length.
 */
enum job_code lane_decode(struct lane *lane, const struct variant *variant,
                          const struct variant_derived *derived, const uint8_t *data, size_t bytes,
                          unsigned pe, uint32_t segments, uint32_t line_pitch);

#endif
