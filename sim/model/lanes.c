/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/lanes.h"

#include <stdlib.h>
#include <string.h>

enum escape { ESCAPE_SKIP, ESCAPE_JUMP, ESCAPE_END, ESCAPE_LINE };

void lane_free(struct lane *lane)
{
    free(lane->position);
    free(lane->value);
    free(lane->place);
    free(lane->end);
    free(lane->opened);
    free(lane->closed);
    free(lane->word_at);
    free(lane->end_at);
    free(lane->blank);
    *lane = (struct lane){0};
}

void lane_clear(struct lane *lane)
{
    lane->entries = lane->segments = lane->first = lane->head = lane->blanks = 0;
    lane->words = lane->ends = 0;
}

/* Gives the array, whose pointer is at `at`, room for `bytes`; leaves it as it is, and *ok false, when there
 * is no memory. */
static void resize(void *at, size_t bytes, bool *ok)
{
    void *array;
    memcpy(&array, at, sizeof array);
    array = realloc(array, bytes ? bytes : 1);
    if (array)
        memcpy(at, &array, sizeof array);
    else
        *ok = false;
}

/* Room for all a packet can hold, so that the decoding loop need not ask. */
static bool lane_reserve(struct lane *lane, size_t entries, size_t segments)
{
    size_t want = lane->entries + entries, want_segments = lane->segments + segments;
    bool ok = true;
    if (want > lane->entry_room) {
        resize(&lane->position, want * sizeof *lane->position, &ok);
        resize(&lane->value, want * sizeof *lane->value, &ok);
        if (lane->timed)
            resize(&lane->place, want * sizeof *lane->place, &ok);
        lane->entry_room = ok ? want : lane->entry_room;
    }
    if (want_segments > lane->segment_room) {
        resize(&lane->end, want_segments * sizeof *lane->end, &ok);
        resize(&lane->opened, want_segments * sizeof *lane->opened, &ok);
        resize(&lane->closed, want_segments * sizeof *lane->closed, &ok);
        resize(&lane->word_at, want_segments * sizeof *lane->word_at, &ok);
        resize(&lane->end_at, want_segments * sizeof *lane->end_at, &ok);
        lane->segment_room = ok ? want_segments : lane->segment_room;
    }
    return ok;
}

void lane_compact(struct lane *lane)
{
    size_t gone = lane_begin(lane, lane->first), left = lane->segments - lane->first;
    if (!lane->first)
        return;
    lane->entries -= gone;
    memmove(lane->position, lane->position + gone, lane->entries * sizeof *lane->position);
    memmove(lane->value, lane->value + gone, lane->entries * sizeof *lane->value);
    if (lane->timed)
        memmove(lane->place, lane->place + gone, lane->entries * sizeof *lane->place);
    memmove(lane->word_at, lane->word_at + lane->first, left * sizeof *lane->word_at);
    memmove(lane->end_at, lane->end_at + lane->first, left * sizeof *lane->end_at);
    for (size_t s = 0; s < left; s++)
        lane->end[s] = (uint32_t)(lane->end[s + lane->first] - gone);
    lane->segments = left;
    lane->first = lane->head = 0;
}

void lane_drop_zeros(struct lane *lane)
{
    size_t to = 0, from = 0;
    for (size_t s = 0; s < lane->segments; s++) {
        for (; from < lane->end[s]; from++) {
            lane->position[to] = lane->position[from];
            lane->value[to] = lane->value[from];
            to += lane->value[from] != 0;
        }
        lane->end[s] = (uint32_t)to;
    }
    lane->entries = to;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* The decoder's state within a packet. */
struct cursor {
    struct lane *lane;
    uint32_t wanted;   /* segments still to come */
    uint32_t position; /* where the next gap counts from */
    uint32_t at;       /* the place that is looked at */
    uint32_t opened;   /* place of the first entry of the segment that is open or comes next */
    bool open;
    uint32_t skips, skipped_to; /* skips that lead up to place skipped_to, from a word's first lane */
    struct weights_words words;
    uint32_t depth; /* of the input buffer */
    unsigned data_width, index_width;
    bool long_jumps;
};

static inline enum job_code close_segment(struct cursor *c)
{
    struct lane *lane = c->lane;
    if (!c->wanted)
        return JOB_PACKET_LENGTH;
    c->wanted--;
    lane->opened[lane->segments] = c->opened;
    lane->closed[lane->segments] = c->at;
    lane->end[lane->segments++] = (uint32_t)lane->entries;
    c->position = 0;
    c->opened = c->at + 1;
    c->open = false;
    return JOB_OK;
}

/* Padding belongs to no segment; a word of it takes no room. */
static enum job_code take_skip(struct cursor *c)
{
    struct lane *lane = c->lane;
    unsigned lanes, which = weights_lane(&c->words, c->at, &lanes);
    if (!c->open)
        c->opened = c->at + 1;
    if (which == 0)
        c->skips = 1;
    else
        c->skips = c->skipped_to == c->at && c->skips ? c->skips + 1 : 0;
    c->skipped_to = c->at + 1;
    if (c->skips < lanes)
        return JOB_OK;
    if (lane->blanks == lane->blank_room) {
        bool ok = true;
        lane->blank_room = 2 * lane->blank_room + 64;
        resize(&lane->blank, lane->blank_room * sizeof *lane->blank, &ok);
        if (!ok)
            return JOB_QUEUE_OVERFLOW;
    }
    lane->blank[lane->blanks++] = weights_word(&c->words, c->at);
    return JOB_OK;
}

static enum job_code take_ends(struct cursor *c, uint32_t count)
{
    if (c->open)
        return JOB_BAD_ESCAPE;
    for (uint32_t i = 0; i < count; i++) {
        c->opened = c->at;
        enum job_code code = close_segment(c);
        if (code)
            return code;
    }
    return JOB_OK;
}

static enum job_code take_jump(struct cursor *c, uint32_t distance)
{
    c->open = true;
    c->position += distance;
    return c->position > c->depth ? JOB_OUT_OF_BUFFER : JOB_OK;
}

static enum job_code take_escape(struct cursor *c, uint32_t value)
{
    uint32_t payload = value & ((1u << (c->data_width - 3)) - 1);
    switch (value >> (c->data_width - 3)) {
    case ESCAPE_SKIP:
        return payload ? JOB_BAD_ESCAPE : take_skip(c);
    case ESCAPE_JUMP:
        return take_jump(c, (payload + 1) << (c->index_width - 2));
    case ESCAPE_END:
        return take_ends(c, payload + 1);
    case ESCAPE_LINE:
        return JOB_NO_FEATURE;
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
    if (lane->timed)
        lane->place[lane->entries] = c->at;
    lane->position[lane->entries] = (uint16_t)position;
    lane->value[lane->entries++] =
        (int16_t)((int32_t)(entry << (32 - c->data_width)) >> (32 - c->data_width));
    c->position = position + 1;
    c->open = true;
    return entry >> (c->data_width + c->index_width - 1) ? close_segment(c) : JOB_OK;
}

static inline enum job_code take_entry(struct cursor *c, uint32_t entry)
{
    uint32_t gap_mask = (1u << (c->index_width - 1)) - 1;
    uint32_t gap = entry >> c->data_width & gap_mask;
    if (gap != gap_mask)
        return take_weight(c, entry, gap);
    const uint32_t value = entry & ((1u << c->data_width) - 1);
    if (entry >> (c->data_width + c->index_width - 1))
        return c->long_jumps ? take_jump(c, (value + 1) << (c->index_width - 1)) : JOB_BAD_ESCAPE;
    return take_escape(c, value);
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
        for (unsigned i = 0; i < per_beat; i++, cursor->at++) {
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
    const bool timed = lane->timed;
    size_t n = lane->entries;
    uint32_t position = c->position;
    for (size_t b = 0; b < beats; b++)
        for (unsigned i = 0; i < per_beat; i++) {
            const uint8_t *at = data + b * beat_bytes + lane_byte + 2 * (size_t)i;
            uint32_t gap = at[1];
            if (gap < 127 && position + gap < c->depth && c->wanted) {
                position += gap;
                if (timed)
                    lane->place[n] = (uint32_t)b * per_beat + i;
                lane->position[n] = (uint16_t)position++;
                lane->value[n++] = (int8_t)at[0];
                continue;
            }
            c->open |= n != lane->entries;
            lane->entries = n;
            c->position = position;
            c->at = (uint32_t)b * per_beat + i;
            enum job_code code = take_entry(c, at[0] | gap << 8);
            if (code)
                return code;
            n = lane->entries;
            position = c->position;
        }
    c->open |= n != lane->entries;
    lane->entries = n;
    return JOB_OK;
}

enum job_code lane_decode(struct lane *lane, const struct variant *v, const struct variant_derived *d,
                          const uint8_t *data, size_t bytes, unsigned pe, uint32_t segments)
{
    size_t beat_bytes = (size_t)d->bus_bytes * d->weight_beat_bus_beats;
    size_t beats = bytes / beat_bytes;
    if (bytes % beat_bytes)
        return JOB_PACKET_LENGTH;
    if (!lane_reserve(lane, beats * d->entries_per_beat, segments))
        return JOB_QUEUE_OVERFLOW;
    struct cursor cursor = {.lane = lane,
                            .wanted = segments,
                            .words = weights_words_of(d->entries_per_beat, v->scan),
                            .depth = v->input_buffer_depth,
                            .data_width = v->data_width,
                            .index_width = v->index_width,
                            .long_jumps = v->long_jumps};
    size_t lane_bit = (size_t)pe * d->entries_per_beat * d->entry_bits;
    enum job_code code;
    lane->blanks = 0;
    if (v->data_width == 8 && v->index_width == 8)
        code = take_int8_beats(&cursor, data, beats, beat_bytes, lane_bit / 8, d->entries_per_beat);
    else
        code = take_beats(&cursor, data, beats, beat_bytes, lane_bit, d->entries_per_beat, d->entry_bits);
    if (code)
        return code;
    return cursor.wanted || cursor.open ? JOB_PACKET_LENGTH : JOB_OK;
}

/* ---- room ------------------------------------------------------------------------------------ */

static struct weights_queue queue_of(const struct variant_derived *d)
{
    return (struct weights_queue){.words = d->pace_words, .segments = d->pace_segments};
}

bool lanes_keep_pace(const struct lane *lanes, const struct variant *v, const struct variant_derived *d,
                     uint32_t segments, unsigned *pe)
{
    const struct weights_words words = weights_words_of(d->entries_per_beat, v->scan);
    const struct weights_queue queue = queue_of(d);
    struct weights_places places[WEIGHTS_PES_MAX];
    for (unsigned p = 0; p < v->k; p++) {
        size_t newest = lanes[p].segments - segments;
        places[p] = (struct weights_places){.first = lanes[p].opened + newest,
                                            .last = lanes[p].closed + newest,
                                            .blank = lanes[p].blank,
                                            .blanks = lanes[p].blanks};
    }
    return weights_keep_pace(&words, &queue, places, v->k, segments, pe);
}

/* Where the newest segments begin, in words and ends. Returns what the lane had stored before the packet's
 * word `last`, all in all. */
static struct weights_queue count_words(struct lane *lane, const struct weights_words *words,
                                        uint32_t segments, uint32_t last)
{
    struct weights_queue before = {0};
    uint32_t blanks = 0, ends = 0, end = 0;
    for (size_t s = lane->segments - segments; s < lane->segments; s++) {
        uint32_t word = weights_word(words, lane->opened[s]);
        bool new_end = s == lane->segments - segments || lane->closed[s] != lane->closed[s - 1];
        while (blanks < lane->blanks && lane->blank[blanks] < word)
            blanks++;
        ends += new_end;
        end = weights_word(words, lane->closed[s]) + 1;
        lane->word_at[s] = lane->words + word - blanks;
        lane->end_at[s] = lane->ends + ends - 1;
        before.segments += new_end && end <= last;
    }
    while (blanks < lane->blanks && lane->blank[blanks] < end)
        blanks++;
    before.words = lane->words + end - blanks - (end > last);
    before.segments += lane->ends;
    lane->words += end - blanks;
    lane->ends += ends;
    return before;
}

bool lanes_fit(struct lane *lanes, const struct variant *v, const struct variant_derived *d,
               uint32_t segments, size_t bytes, unsigned *pe)
{
    const struct weights_words words = weights_words_of(d->entries_per_beat, v->scan);
    const struct weights_queue queue = queue_of(d);
    size_t beats = bytes / d->bus_bytes / d->weight_beat_bus_beats;
    if (!beats)
        return true;
    uint32_t last = weights_word(&words, (uint32_t)(beats * d->entries_per_beat - 1));
    for (*pe = 0; *pe < v->k; ++*pe) {
        struct lane *lane = &lanes[*pe];
        struct weights_queue before = count_words(lane, &words, segments, last);
        if (lane->first == lane->segments)
            continue;
        if (before.words - lane->word_at[lane->first] + 1 > queue.words ||
            before.segments - lane->end_at[lane->first] + v->scan > queue.segments)
            return false;
    }
    return true;
}
