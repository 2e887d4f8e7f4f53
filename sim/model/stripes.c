/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/stripes.h"

#include <stdlib.h>
#include <string.h>

void stripes_free(struct stripes *s)
{
    free(s->position);
    free(s->value);
    free(s->end);
    *s = (struct stripes){0};
}

static size_t entries_of(const struct lane *lane, uint32_t segment)
{
    return lane->end[segment] - lane_begin(lane, segment);
}

/* Stripes that a segment takes for four lanes. */
static size_t stripes_for(const struct lane *lanes, uint32_t segment)
{
    size_t most = 0;
    for (unsigned p = 0; p < STRIPE_PES; p++)
        most = entries_of(&lanes[p], segment) > most ? entries_of(&lanes[p], segment) : most;
    return (most + 1) / 2;
}

static void fill(struct stripes *s, size_t first, const struct lane *lane, unsigned pe, uint32_t segment)
{
    const size_t begin = lane_begin(lane, segment);
    for (size_t e = 0; e < entries_of(lane, segment); e++) {
        const size_t at = (first + e / 2) * STRIPE_ENTRIES + (size_t)2 * pe + e % 2;
        s->position[at] = lane->position[begin + e];
        s->value[at] = lane->value[begin + e];
    }
}

static bool reserve(struct stripes *s, size_t count, size_t ends)
{
    s->position = calloc(count * STRIPE_ENTRIES + 1, sizeof *s->position);
    s->value = calloc(count * STRIPE_ENTRIES + 1, sizeof *s->value);
    s->end = calloc(ends + 1, sizeof *s->end);
    s->count = count;
    return s->position && s->value && s->end;
}

bool stripes_make(struct stripes *s, const struct lane *lanes, unsigned pes, uint32_t segments)
{
    size_t count = 0, entries = 0;
    *s = (struct stripes){0};
    for (uint32_t i = 0; i < segments; i++)
        for (unsigned p = 0; p + STRIPE_PES <= pes; p += STRIPE_PES)
            count += stripes_for(lanes + p, i);
    for (unsigned p = 0; p < pes; p++)
        entries += lanes[p].entries;
    if (pes % STRIPE_PES || count * STRIPE_ENTRIES > 2 * entries ||
        !reserve(s, count, (size_t)segments * (pes / STRIPE_PES))) {
        stripes_free(s);
        return false;
    }
    size_t at = 0;
    uint32_t *end = s->end;
    for (uint32_t i = 0; i < segments; i++)
        for (unsigned p = 0; p < pes; p += STRIPE_PES) {
            for (unsigned q = 0; q < STRIPE_PES; q++)
                fill(s, at, &lanes[p + q], q, i);
            at += stripes_for(lanes + p, i);
            *end++ = (uint32_t)at;
        }
    return true;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* The low half of an activation, which is all of it. Four positions come in one load. */
static inline __m128i take_four(__m128i to, uint64_t positions, const int32_t *input, const int half)
{
    const int a = (int16_t)input[positions & 0xFFFF], b = (int16_t)input[positions >> 16 & 0xFFFF],
              c = (int16_t)input[positions >> 32 & 0xFFFF], d = (int16_t)input[positions >> 48];
    if (!half)
        return _mm_insert_epi16(_mm_insert_epi16(_mm_insert_epi16(_mm_insert_epi16(to, a, 0), b, 1), c, 2), d,
                                3);
    return _mm_insert_epi16(_mm_insert_epi16(_mm_insert_epi16(_mm_insert_epi16(to, a, 4), b, 5), c, 6), d, 7);
}

static void multiply_four(const uint16_t *position, const int16_t *value, size_t stripes,
                          const int32_t *input, int32_t *sums)
{
    __m128i all = _mm_setzero_si128();
    for (size_t i = 0; i < stripes; i++) {
        uint64_t positions[2];
        memcpy(positions, position + i * STRIPE_ENTRIES, sizeof positions);
        const __m128i activations =
            take_four(take_four(_mm_setzero_si128(), positions[0], input, 0), positions[1], input, 1);
        all = _mm_add_epi32(
            all, _mm_madd_epi16(activations, _mm_loadu_si128((const __m128i *)(value + i * STRIPE_ENTRIES))));
    }
    _mm_storeu_si128((__m128i *)sums, all);
}
#else
static void multiply_four(const uint16_t *position, const int16_t *value, size_t stripes,
                          const int32_t *input, int32_t *sums)
{
    uint32_t all[STRIPE_PES] = {0};
    for (size_t i = 0; i < stripes * STRIPE_ENTRIES; i++)
        all[i / 2 % STRIPE_PES] += (uint32_t)(value[i] * input[position[i]]);
    memcpy(sums, all, sizeof all);
}
#endif

void stripes_multiply(const struct stripes *s, uint32_t segment, unsigned pes, const int32_t *input,
                      int32_t *sums)
{
    const unsigned fours = pes / STRIPE_PES;
    size_t first = (size_t)segment * fours, begin = first ? s->end[first - 1] : 0;
    for (unsigned f = 0; f < fours; f++) {
        const size_t end = s->end[first + f];
        multiply_four(s->position + begin * STRIPE_ENTRIES, s->value + begin * STRIPE_ENTRIES, end - begin,
                      input, sums + (size_t)f * STRIPE_PES);
        begin = end;
    }
}
