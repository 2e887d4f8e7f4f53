/* SPDX-License-Identifier: Apache-2.0
 *
 * The weight queues of a cluster's PEs, functionally: the streams of a packet
 * decoded into segments of (position, value), and what they take of a queue.
 */
#ifndef TULLE_SIM_LANES_H
#define TULLE_SIM_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/isa/weights.h"
#include "gen/variant/variant.h"
#include "sim/model/job.h"

struct lane {
    uint16_t *position;
    int16_t *value;
    uint32_t *place; /* per entry: its place in the packet's stream; only of a lane that is `timed` */
    uint32_t *end;   /* per segment: index behind its last entry */
    /* per segment: places of its first and last entry in its packet's stream, escapes included */
    uint32_t *opened, *closed;
    /* per segment: words stored, and ends of segments held, before its first one; counted since the lane was
     * empty */
    uint32_t *word_at, *end_at;
    uint32_t *blank; /* words of the newest packet that hold nothing but skips */
    size_t entries, segments, blanks, entry_room, segment_room, blank_room;
    uint32_t words, ends; /* stored and held so far, those that left included */
    size_t first;         /* the oldest segment that is still in the queue */
    size_t head;          /* the one at the head of the queue; RQ takes it round first .. segments - 1 */
    bool timed;
};

void lane_free(struct lane *lane);
void lane_clear(struct lane *lane);

static inline size_t lane_begin(const struct lane *lane, size_t segment)
{
    return segment ? lane->end[segment - 1] : 0;
}

/* A round of RQ is complete: the head is the oldest segment. */
static inline bool lane_settled(const struct lane *lane)
{
    return lane->head == lane->first;
}

/* Forgets the segments that have left the queue; the lane is settled. */
void lane_compact(struct lane *lane);

/* Weights of 0 leave the lane, which is not timed, as if they were not in its segments. */
void lane_drop_zeros(struct lane *lane);

/* Appends the segments of PE `pe` in a packet's data; there must be exactly `segments`, else packet_length.
 */
enum job_code lane_decode(struct lane *lane, const struct variant *variant,
                          const struct variant_derived *derived, const uint8_t *data, size_t bytes,
                          unsigned pe, uint32_t segments);

/* The newest packet, of `segments` segments in each lane, whose MACs take its weights as they come: whether
 * it keeps the pacing rule. *pe: a PE that breaks it. */
bool lanes_keep_pace(const struct lane *lanes, const struct variant *variant,
                     const struct variant_derived *derived, uint32_t segments, unsigned *pe);

/* The newest packet stays in the queues beside what is there: whether it all fits. Also says what the
 * segments take, for the next packet. */
bool lanes_fit(struct lane *lanes, const struct variant *variant, const struct variant_derived *derived,
               uint32_t segments, size_t bytes, unsigned *pe);

#endif
