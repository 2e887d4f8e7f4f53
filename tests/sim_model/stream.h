/* SPDX-License-Identifier: Apache-2.0
 *
 * Weight streams written from the description in docs/isa.md, apart from the
 * packer that the plans use, and with every way of saying the same thing:
 * gaps or jumps or lines, skips anywhere.
 */
#ifndef TULLE_TESTS_SIM_MODEL_STREAM_H
#define TULLE_TESTS_SIM_MODEL_STREAM_H

#include "gen/isa/weights.h"
#include "tests/sim_model/support.h"

/* A segment: ascending positions, values that are not 0. */
struct segment {
    uint32_t count;
    uint32_t *position;
    int32_t *value;
};

void segment_random(struct random *dice, struct segment *segment, uint32_t positions, uint32_t longest,
                    unsigned data_width);
void segment_free(struct segment *segment);

/* One PE's stream, entry by entry. */
struct stream {
    const struct variant *variant;
    uint32_t *entry;
    size_t count, room;
};
enum { ESCAPE_SKIP, ESCAPE_JUMP, ESCAPE_END, ESCAPE_LINE, ESCAPE_UNDEFINED };
void stream_weight(struct stream *stream, uint32_t gap, int32_t value, bool last);
void stream_escape(struct stream *stream, unsigned kind, uint32_t payload);
/* The segment in one of the ways it can be said, chosen by the dice. */
void stream_segment(struct stream *stream, struct random *dice, const struct segment *segment);
void stream_free(struct stream *stream);

/* Inserts skips so that the streams of the K PEs keep the pacing rule; false: a segment is too long. */
bool streams_pace(const struct variant *variant, struct stream *streams);

/* The streams of the K PEs as weight beats, shorter ones filled with skips. */
void streams_pack(const struct variant *variant, const struct stream *streams, struct strbuf *to);

#endif
