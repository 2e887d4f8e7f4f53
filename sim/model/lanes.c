/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/lanes.h"

#include <stdlib.h>
#include <string.h>

enum escape { ESCAPE_SKIP, ESCAPE_JUMP, ESCAPE_END, ESCAPE_LINE };

void lane_free(struct lane *lane)
{
    free(lane->position);
    free(lane->value);
    free(lane->end);
    free(lane->slots);
    *lane = (struct lane){0};
}

void lane_clear(struct lane *lane)
{
    lane->entries = lane->segments = lane->first = lane->head = 0;
}

/* Room for all a packet can hold, so that the decoding loop need not ask. */
static bool lane_reserve(struct lane *lane, size_t entries, size_t segments)
{
    size_t want = lane->entries + entries, want_segments = lane->segments + segments;
    if (want > lane->entry_room) {
        uint16_t *position = realloc(lane->position, want * sizeof *position);
        if (position)
            lane->position = position;
        int16_t *value = realloc(lane->value, want * sizeof *value);
        if (value)
            lane->value = value;
        if (!position || !value)
            return false;
        lane->entry_room = want;
    }
    if (want_segments > lane->segment_room) {
        uint32_t *end = realloc(lane->end, want_segments * sizeof *end);
        if (end)
            lane->end = end;
        uint32_t *slots = realloc(lane->slots, want_segments * sizeof *slots);
        if (slots)
            lane->slots = slots;
        if (!end || !slots)
            return false;
        lane->segment_room = want_segments;
    }
    return true;
}

size_t lane_places(const struct lane *lane)
{
    size_t places = 0;
    for (size_t s = lane->first; s < lane->segments; s++) {
        size_t entries = lane->end[s] - lane_begin(lane, s);
        places += entries ? entries : 1;
    }
    return places;
}

/* Segments that RQ has taken to the tail go there: behind the others. */
static bool append_rotated(struct lane *lane)
{
    size_t begin = lane_begin(lane, lane->first), entries = lane_begin(lane, lane->head) - begin;
    if (!lane_reserve(lane, entries, lane->head - lane->first))
        return false;
    memcpy(lane->position + lane->entries, lane->position + begin, entries * sizeof *lane->position);
    memcpy(lane->value + lane->entries, lane->value + begin, entries * sizeof *lane->value);
    for (size_t s = lane->first; s < lane->head; s++) {
        lane->slots[lane->segments] = lane->slots[s];
        lane->end[lane->segments++] = (uint32_t)(lane->entries + lane->end[s] - begin);
    }
    lane->entries += entries;
    return true;
}

bool lane_settle(struct lane *lane)
{
    if (!lane->head)
        return true;
    if (lane->first < lane->head && !append_rotated(lane))
        return false;
    size_t gone = lane_begin(lane, lane->head);
    lane->entries -= gone;
    lane->segments -= lane->head;
    memmove(lane->position, lane->position + gone, lane->entries * sizeof *lane->position);
    memmove(lane->value, lane->value + gone, lane->entries * sizeof *lane->value);
    memmove(lane->slots, lane->slots + lane->head, lane->segments * sizeof *lane->slots);
    for (size_t s = 0; s < lane->segments; s++)
        lane->end[s] = (uint32_t)(lane->end[s + lane->head] - gone);
    lane->first = lane->head = 0;
    return true;
}

/* The decoder's state within a segment. */
struct cursor {
    struct lane *lane;
    uint32_t wanted;   /* segments still to come */
    uint32_t position; /* where the next gap counts from */
    uint32_t line, line_pitch;
    uint32_t slots;
    uint32_t depth, queue; /* limits: input buffer, weight queue */
    unsigned data_width, index_width;
};

static inline enum job_code close_segment(struct cursor *c)
{
    struct lane *lane = c->lane;
    if (!c->wanted)
        return JOB_PACKET_LENGTH;
    c->wanted--;
    lane->slots[lane->segments] = c->slots;
    lane->end[lane->segments++] = (uint32_t)lane->entries;
    c->position = c->line = c->slots = 0;
    return JOB_OK;
}

static enum job_code take_escape(struct cursor *c, uint32_t value)
{
    uint32_t payload = value & ((1u << (c->data_width - 3)) - 1);
    switch (value >> (c->data_width - 3)) {
    case ESCAPE_SKIP:
        if (payload)
            return JOB_BAD_ESCAPE;
        c->slots--; /* padding belongs to no segment */
        return JOB_OK;
    case ESCAPE_JUMP:
        c->position += (payload + 1) << (c->index_width - 2);
        return c->position > c->depth ? JOB_OUT_OF_BUFFER : JOB_OK;
    case ESCAPE_END:
        for (uint32_t i = 0; i <= payload; i++) {
            enum job_code code = close_segment(c);
            if (code)
                return code;
        }
        return JOB_OK;
    case ESCAPE_LINE:
        c->line += payload + 1;
        if ((uint64_t)c->line * c->line_pitch > c->depth)
            return JOB_OUT_OF_BUFFER;
        c->position = c->line * c->line_pitch;
        return JOB_OK;
    default:
        return JOB_BAD_ESCAPE;
    }
}

/* An entry that is not an escape. */
static inline enum job_code take_weight(struct cursor *c, uint32_t entry, uint32_t gap)
{
    struct lane *lane = c->lane;
    uint32_t position = c->position + gap;
    if (position >= c->depth)
        return JOB_OUT_OF_BUFFER;
    if (!c->wanted)
        return JOB_PACKET_LENGTH;
    lane->position[lane->entries] = (uint16_t)position;
    lane->value[lane->entries++] =
        (int16_t)((int32_t)(entry << (32 - c->data_width)) >> (32 - c->data_width));
    c->position = position + 1;
    if (c->slots > c->queue && lane->entries - lane_begin(lane, lane->segments) > c->queue)
        return JOB_QUEUE_OVERFLOW;
    return entry >> (c->data_width + c->index_width - 1) ? close_segment(c) : JOB_OK;
}

static inline enum job_code take_entry(struct cursor *c, uint32_t entry)
{
    uint32_t gap_mask = (1u << (c->index_width - 1)) - 1;
    uint32_t gap = entry >> c->data_width & gap_mask;
    c->slots++;
    if (gap != gap_mask)
        return take_weight(c, entry, gap);
    if (entry >> (c->data_width + c->index_width - 1))
        return JOB_BAD_ESCAPE;
    return take_escape(c, entry & ((1u << c->data_width) - 1));
}

static inline uint32_t entry_at(const uint8_t *beat, size_t bit, unsigned bits)
{
    uint64_t word = 0;
    size_t first = bit / 8, last = (bit + bits - 1) / 8;
    for (size_t i = first; i <= last; i++)
        word |= (uint64_t)beat[i] << (8 * (i - first));
    return (uint32_t)(word >> (bit % 8)) & (uint32_t)((UINT64_C(1) << bits) - 1);
}

/* All entries of a PE in `beats` beats. */
static enum job_code take_beats(struct cursor *cursor, const uint8_t *data, size_t beats, size_t beat_bytes,
                                size_t lane_bit, unsigned per_beat, unsigned entry_bits)
{
    for (size_t b = 0; b < beats; b++)
        for (unsigned i = 0; i < per_beat; i++) {
            enum job_code code = take_entry(
                cursor, entry_at(data + b * beat_bytes, lane_bit + (size_t)i * entry_bits, entry_bits));
            if (code)
                return code;
        }
    return JOB_OK;
}

/* The common case, entries of 16 bits, with everything that changes kept in registers: weights that are not
 * the last of their segment are taken here, all others by take_entry. */
static enum job_code take_int8_beats(struct cursor *c, const uint8_t *data, size_t beats, size_t beat_bytes,
                                     size_t lane_byte, unsigned per_beat)
{
    struct lane *lane = c->lane;
    size_t n = lane->entries;
    uint32_t position = c->position, taken = 0;
    for (size_t b = 0; b < beats; b++)
        for (unsigned i = 0; i < per_beat; i++) {
            const uint8_t *at = data + b * beat_bytes + lane_byte + 2 * (size_t)i;
            uint32_t gap = at[1];
            if (gap < 127 && position + gap < c->depth && c->wanted && c->slots + taken < c->queue) {
                position += gap;
                lane->position[n] = (uint16_t)position++;
                lane->value[n++] = (int8_t)at[0];
                taken++;
                continue;
            }
            lane->entries = n;
            c->position = position;
            c->slots += taken;
            taken = 0;
            enum job_code code = take_entry(c, at[0] | gap << 8);
            if (code)
                return code;
            n = lane->entries;
            position = c->position;
        }
    lane->entries = n;
    c->slots += taken;
    return JOB_OK;
}

enum job_code lane_decode(struct lane *lane, const struct variant *v, const struct variant_derived *d,
                          const uint8_t *data, size_t bytes, unsigned pe, uint32_t segments,
                          uint32_t line_pitch)
{
    size_t beat_bytes = (size_t)d->bus_bytes * d->weight_beat_bus_beats;
    size_t beats = bytes / beat_bytes;
    if (bytes % beat_bytes)
        return JOB_PACKET_LENGTH;
    if (!lane_reserve(lane, beats * d->entries_per_beat, segments))
        return JOB_QUEUE_OVERFLOW;
    struct cursor cursor = {.lane = lane,
                            .wanted = segments,
                            .line_pitch = line_pitch,
                            .depth = v->input_buffer_depth,
                            .queue = lane_room(v, d),
                            .data_width = v->data_width,
                            .index_width = v->index_width};
    size_t lane_bit = (size_t)pe * d->entries_per_beat * d->entry_bits;
    enum job_code code;
    if (v->data_width == 8 && v->index_width == 8)
        code = take_int8_beats(&cursor, data, beats, beat_bytes, lane_bit / 8, d->entries_per_beat);
    else
        code = take_beats(&cursor, data, beats, beat_bytes, lane_bit, d->entries_per_beat, d->entry_bits);
    if (code)
        return code;
    return cursor.wanted || cursor.slots ? JOB_PACKET_LENGTH : JOB_OK;
}
