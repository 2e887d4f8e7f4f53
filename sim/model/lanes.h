/* SPDX-License-Identifier: Apache-2.0
 *
 * The weight queues of a cluster's PEs, functionally: the streams of a packet
 * decoded into segments of (position, value).
 */
#ifndef TULLE_SIM_LANES_H
#define TULLE_SIM_LANES_H

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
    size_t head; /* the segment at the head of the queue */
};

void lane_free(struct lane *lane);
void lane_clear(struct lane *lane);

static inline size_t lane_begin(const struct lane *lane, size_t segment)
{
    return segment ? lane->end[segment - 1] : 0;
}

/* Appends the segments of PE `pe` in a packet's data; there must be exactly `segments`, else packet_length.
 */
enum job_code lane_decode(struct lane *lane, const struct variant *variant,
                          const struct variant_derived *derived, const uint8_t *data, size_t bytes,
                          unsigned pe, uint32_t segments, uint32_t line_pitch);

#endif
