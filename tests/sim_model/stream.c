/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/stream.h"

#include <criterion/criterion.h>
#include <stdlib.h>

void segment_random(struct random *dice, struct segment *s, uint32_t positions, uint32_t longest,
                    unsigned data_width)
{
    static const unsigned densities[] = {0, 3, 10, 20, 50, 90, 100};
    unsigned percent = densities[random_below(dice, sizeof densities / sizeof *densities)];
    *s = (struct segment){.position = malloc(positions * sizeof *s->position + 1),
                          .value = malloc(positions * sizeof *s->value + 1)};
    cr_assert(s->position && s->value);
    if (percent == 0 && positions && random_chance(dice, 50)) { /* a single one, anywhere */
        s->position[0] = (uint32_t)random_below(dice, positions);
        s->value[s->count++] = (int32_t)random_signed_non_zero(dice, data_width);
        return;
    }
    for (uint32_t p = 0; p < positions && s->count < longest; p++)
        if (random_chance(dice, percent)) {
            s->position[s->count] = p;
            s->value[s->count++] = (int32_t)random_signed_non_zero(dice, data_width);
        }
}

void segment_free(struct segment *segment)
{
    free(segment->position);
    free(segment->value);
}

static void add(struct stream *s, uint32_t entry)
{
    if (s->count == s->room) {
        s->room = 2 * s->room + 64;
        s->entry = realloc(s->entry, s->room * sizeof *s->entry);
        cr_assert(s->entry);
    }
    s->entry[s->count++] = entry;
}

void stream_free(struct stream *stream)
{
    free(stream->entry);
}

static uint32_t all_ones(unsigned bits)
{
    return (uint32_t)((UINT64_C(1) << bits) - 1);
}

void stream_weight(struct stream *s, uint32_t gap, int32_t value, bool last)
{
    unsigned data = s->variant->data_width, index = s->variant->index_width;
    add(s, ((uint32_t)value & all_ones(data)) | gap << data | (uint32_t)last << (data + index - 1));
}

void stream_escape(struct stream *s, unsigned kind, uint32_t payload)
{
    unsigned data = s->variant->data_width, index = s->variant->index_width;
    add(s, payload | kind << (data - 3) | all_ones(index - 1) << data);
}

static void skip_sometimes(struct stream *s, struct random *dice)
{
    if (random_chance(dice, 5))
        stream_escape(s, ESCAPE_SKIP, 0);
}

/* Jumps to at most `target`, and returns how far it came. */
static uint32_t jump_on(struct stream *s, struct random *dice, uint32_t at, uint32_t target, bool is_long)
{
    const unsigned data = s->variant->data_width, index = s->variant->index_width;
    const uint32_t unit = 1u << (index - 2 + is_long), most = 1u << (data - (is_long ? 0 : 3));
    uint32_t units = (target - at) / unit;
    if (!units)
        return at;
    units = units > most ? most : units;
    units = random_chance(dice, 50) ? units : 1 + (uint32_t)random_below(dice, units);
    if (is_long)
        stream_weight(s, all_ones(index - 1), (int32_t)units - 1, true);
    else
        stream_escape(s, ESCAPE_JUMP, units - 1);
    return at + units * unit;
}

/* Moves on to at most `target`, and returns how far it came. */
static uint32_t move_on(struct stream *s, struct random *dice, uint32_t at, uint32_t target)
{
    skip_sometimes(s, dice);
    const bool is_long = s->variant->long_jumps && random_chance(dice, 50);
    const uint32_t to = jump_on(s, dice, at, target, is_long);
    return to == at && is_long ? jump_on(s, dice, at, target, false) : to;
}

void stream_segment(struct stream *s, struct random *dice, const struct segment *segment)
{
    uint32_t gap_max = all_ones(s->variant->index_width - 1) - 1, at = 0;
    for (uint32_t e = 0; e < segment->count; e++) {
        uint32_t target = segment->position[e];
        while (target - at > gap_max || (target > at && random_chance(dice, 10))) {
            uint32_t to = move_on(s, dice, at, target);
            if (to == at)
                break;
            at = to;
        }
        skip_sometimes(s, dice);
        stream_weight(s, target - at, segment->value[e], e + 1 == segment->count);
        at = target + 1;
    }
    if (!segment->count)
        stream_escape(s, ESCAPE_END, 0);
}

bool streams_pace(const struct variant *v, struct stream *streams)
{
    struct variant_derived d;
    struct weights_stream paced[WEIGHTS_PES_MAX] = {0};
    variant_derive(v, &d);
    const struct weights_layout layout = {.widths = {.data = v->data_width, .index = v->index_width},
                                          .pes = v->k,
                                          .entries = d.entries_per_beat};
    const struct weights_queue queue = {.words = d.pace_words, .segments = d.pace_segments};
    for (unsigned p = 0; p < v->k; p++)
        paced[p] = (struct weights_stream){
            .entries = streams[p].entry, .count = streams[p].count, .cap = streams[p].room};
    enum weights_pacing pacing = weights_pace(&layout, v->scan, &queue, paced);
    cr_assert_neq(pacing, WEIGHTS_NO_MEMORY);
    for (unsigned p = 0; p < v->k; p++) {
        streams[p].entry = paced[p].entries;
        streams[p].count = paced[p].count;
        streams[p].room = paced[p].cap;
    }
    return pacing == WEIGHTS_PACED;
}

static void put_entry(uint8_t *beat, size_t bit, unsigned bits, uint32_t entry)
{
    for (unsigned i = 0; i < bits; i++)
        if (entry >> i & 1)
            beat[(bit + i) / 8] |= (uint8_t)(1u << (bit + i) % 8);
}

void streams_pack(const struct variant *v, const struct stream *streams, struct strbuf *to)
{
    unsigned bits = v->data_width + v->index_width, per_beat = v->row_bus_width / (v->k * bits);
    per_beat = per_beat ? per_beat : 1;
    size_t beat_bytes =
        (per_beat * v->k * bits + v->row_bus_width - 1) / v->row_bus_width * (v->row_bus_width / 8);
    size_t beats = 0;
    for (unsigned p = 0; p < v->k; p++)
        beats = (streams[p].count + per_beat - 1) / per_beat > beats
                    ? (streams[p].count + per_beat - 1) / per_beat
                    : beats;
    uint8_t *bytes = calloc(beats + 1, beat_bytes);
    cr_assert(bytes);
    uint32_t skip = all_ones(v->index_width - 1) << v->data_width;
    for (size_t e = 0; e < beats * per_beat; e++)
        for (unsigned p = 0; p < v->k; p++)
            put_entry(bytes + e / per_beat * beat_bytes, ((size_t)p * per_beat + e % per_beat) * bits, bits,
                      e < streams[p].count ? streams[p].entry[e] : skip);
    sb_addn(to, (const char *)bytes, beats * beat_bytes);
    free(bytes);
}
