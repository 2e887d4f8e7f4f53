/* SPDX-License-Identifier: Apache-2.0
 *
 * Pacing of weight packets, against the rule written down once more, word by
 * word: what is paced keeps it, what keeps it is left alone, and nothing but
 * whole words of skips is added.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/isa/weights.h"
#include "tests/gen_isa/support.h"

#define PES_MAX 5

struct shape {
    unsigned pes, entries, scan;
    struct weights_queue queue;
};

static const struct shape shapes[] = {
    {2, 2, 2, {8, 16}},  {2, 1, 2, {4, 16}}, {5, 3, 2, {8, 16}},  {3, 1, 4, {4, 8}},   {2, 3, 4, {8, 8}},
    {4, 2, 1, {16, 16}}, {1, 2, 2, {4, 8}},  {3, 5, 4, {16, 16}}, {2, 4, 2, {64, 64}}, {2, 7, 4, {2, 8}},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static struct weights_layout layout_of(const struct shape *shape)
{
    return (struct weights_layout){.widths = {8, 8}, .pes = shape->pes, .entries = shape->entries};
}

static struct weights_code code_of(const struct shape *shape)
{
    struct weights_code code;
    weights_code_init(&code, layout_of(shape).widths);
    return code;
}

/* ---- the rule, naively ----------------------------------------------------------------------- */

/* The first place behind the word that begins at `place`. */
static size_t word_end(const struct shape *s, size_t place)
{
    if (s->entries < s->scan)
        return place + s->scan / s->entries * s->entries;
    size_t beat_end = (place / s->entries + 1) * s->entries;
    return place + s->scan < beat_end ? place + s->scan : beat_end;
}

/* What is in a PE's stream before a place, as far as it is of segments from `oldest` on. */
struct held {
    size_t words, ends;
    uint64_t complete; /* segments */
};

static struct held held_before(const struct shape *s, const struct weights_stream *stream, size_t end,
                               uint64_t oldest)
{
    const struct weights_code code = code_of(s);
    struct held held = {0};
    for (size_t begin = 0; begin < end && begin < stream->count; begin = word_end(s, begin)) {
        bool holds = false;
        for (size_t i = begin; i < word_end(s, begin) && i < stream->count; i++) {
            struct weights_entry e = weights_unpack(&code, stream->entries[i]);
            if (e.is_escape && e.escape == WEIGHTS_SKIP)
                continue;
            bool ends = e.is_escape ? e.escape == WEIGHTS_END : e.last;
            uint64_t count = ends ? e.is_escape ? e.payload + 1u : 1u : 0;
            bool wanted = held.complete + (count ? count : 1) > oldest;
            holds |= wanted;
            held.ends += ends && wanted;
            held.complete += count;
        }
        held.words += holds;
    }
    return held;
}

static size_t longest_of(const struct shape *s, const struct weights_stream *streams)
{
    size_t longest = 0;
    for (unsigned p = 0; p < s->pes; p++)
        longest = streams[p].count > longest ? streams[p].count : longest;
    return longest;
}

static bool keeps_rule(const struct shape *s, const struct weights_stream *streams)
{
    for (size_t word = 0; word < longest_of(s, streams); word = word_end(s, word)) {
        uint64_t complete = UINT64_MAX;
        for (unsigned p = 0; p < s->pes; p++) {
            uint64_t of_pe = held_before(s, &streams[p], word, 0).complete;
            complete = of_pe < complete ? of_pe : complete;
        }
        for (unsigned p = 0; p < s->pes; p++) {
            struct held held = held_before(s, &streams[p], word, complete);
            if (held.words + 1 > s->queue.words || held.ends + s->scan > s->queue.segments)
                return false;
        }
    }
    return true;
}

/* ---- the rule by places ---------------------------------------------------------------------- */

struct places {
    uint32_t first[4096], last[4096], blank[4096];
    size_t segments, blanks;
};

static void find_places(const struct shape *s, const struct weights_stream *stream, struct places *to)
{
    const struct weights_code code = code_of(s);
    bool open = false;
    uint32_t first = 0;
    to->segments = to->blanks = 0;
    uint32_t word = 0;
    for (size_t begin = 0; begin < stream->count; begin = word_end(s, begin), word++) {
        bool blank = true;
        for (size_t i = begin; i < word_end(s, begin) && i < stream->count; i++) {
            struct weights_entry e = weights_unpack(&code, stream->entries[i]);
            if (e.is_escape && e.escape == WEIGHTS_SKIP)
                continue;
            blank = false;
            first = open ? first : (uint32_t)i;
            bool ends = e.is_escape ? e.escape == WEIGHTS_END : e.last;
            for (uint32_t n = ends ? e.is_escape ? e.payload + 1 : 1 : 0; n; n--) {
                to->first[to->segments] = first;
                to->last[to->segments++] = (uint32_t)i;
            }
            open = !ends;
        }
        if (blank)
            to->blank[to->blanks++] = word;
    }
}

static bool keeps_pace(const struct shape *s, const struct weights_stream *streams)
{
    static struct places places[PES_MAX];
    struct weights_places given[PES_MAX];
    const struct weights_words words = weights_words_of(s->entries, s->scan);
    unsigned pe;
    for (unsigned p = 0; p < s->pes; p++) {
        find_places(s, &streams[p], &places[p]);
        cr_assert_eq(places[p].segments, places[0].segments);
        given[p] =
            (struct weights_places){places[p].first, places[p].last, places[p].blank, places[p].blanks};
    }
    return weights_keep_pace(&words, &s->queue, given, s->pes, (uint32_t)places[0].segments, &pe);
}

/* ---- random packets --------------------------------------------------------------------------- */

/* As many segments for every PE; each PE has a length of its own, and now and then everything is empty. */
static void random_streams(struct random *random, const struct shape *s, unsigned segments, unsigned longest,
                           struct weights_stream *streams)
{
    const struct weights_code code = code_of(s);
    const uint32_t skip = weights_escape_entry(&code, WEIGHTS_SKIP, 0);
    uint32_t indices[64];
    int32_t values[64];
    for (unsigned p = 0; p < s->pes; p++) {
        streams[p] = (struct weights_stream){0};
        unsigned typical = (unsigned)random_below(random, longest + 1);
        unsigned skips = random_chance(random, 30) ? 20 : 0;
        for (unsigned n = 0; n < segments; n++) {
            unsigned length =
                random_chance(random, 50) ? typical : (unsigned)random_below(random, typical + 1);
            uint32_t at = 0;
            for (unsigned i = 0; i < length; i++, at++) {
                at += random_chance(random, 5) ? 300 : (uint32_t)random_below(random, 3);
                indices[i] = at;
                values[i] = 1;
            }
            cr_assert(weights_add_segment(&streams[p], &code, indices, values, length));
            while (random_chance(random, skips))
                weights_add_entry(&streams[p], &code, skip);
        }
        weights_finish(&streams[p], &code);
        cr_assert_not(streams[p].failed);
    }
}

static bool same(const struct weights_stream *a, const struct weights_stream *b)
{
    return a->count == b->count &&
           (!a->count || !memcmp(a->entries, b->entries, a->count * sizeof *a->entries));
}

/* The entries of `before` with words of skips between its words. */
static void expect_padded(const struct shape *s, const struct weights_stream *before,
                          const struct weights_stream *after)
{
    const struct weights_code code = code_of(s);
    const uint32_t skip = weights_escape_entry(&code, WEIGHTS_SKIP, 0);
    size_t from = 0;
    for (size_t begin = 0; begin < after->count; begin = word_end(s, begin)) {
        size_t end = word_end(s, begin) < after->count ? word_end(s, begin) : after->count, skips = 0;
        while (skips < end - begin && after->entries[begin + skips] == skip)
            skips++;
        if (from + (end - begin) <= before->count &&
            !memcmp(before->entries + from, after->entries + begin, (end - begin) * sizeof *after->entries))
            from += end - begin;
        else
            cr_assert_eq(skips, end - begin, "neither a word of the stream nor one of skips");
    }
    cr_assert_eq(from, before->count);
}

static void copy(struct weights_stream *to, const struct weights_stream *from)
{
    *to = *from;
    to->cap = from->count + 1;
    to->entries = malloc(to->cap * sizeof *to->entries);
    cr_assert(to->entries);
    if (from->count)
        memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
}

static size_t words_of_segment(const struct weights_words *words, const struct places *places, size_t segment)
{
    uint32_t first = weights_word(words, places->first[segment]),
             last = weights_word(words, places->last[segment]);
    size_t count = last - first + 1;
    for (size_t b = 0; b < places->blanks; b++)
        count -= places->blank[b] > first && places->blank[b] < last;
    return count;
}

/* Whether a segment takes more words than the queue has. */
static bool has_long_segment(const struct shape *s, const struct weights_stream *streams)
{
    static struct places places;
    const struct weights_words words = weights_words_of(s->entries, s->scan);
    for (unsigned p = 0; p < s->pes; p++) {
        find_places(s, &streams[p], &places);
        for (size_t n = 0; n < places.segments; n++)
            if (words_of_segment(&words, &places, n) > s->queue.words)
                return true;
    }
    return false;
}

/* Returns 0: left alone, 1: padded, 2: refused. */
static int check(const struct shape *s, struct weights_stream *streams)
{
    const struct weights_layout layout = layout_of(s);
    struct weights_stream before[PES_MAX];
    bool kept = keeps_rule(s, streams);
    cr_assert_eq(kept, keeps_pace(s, streams));
    for (unsigned p = 0; p < s->pes; p++)
        copy(&before[p], &streams[p]);
    enum weights_pacing pacing = weights_pace(&layout, s->scan, &s->queue, streams);
    cr_assert_neq(pacing, WEIGHTS_NO_MEMORY);
    for (unsigned p = 0; p < s->pes; p++) {
        if (kept || pacing)
            cr_assert(same(&before[p], &streams[p]), "what keeps the rule, or cannot, stays as it is");
        else
            expect_padded(s, &before[p], &streams[p]);
    }
    if (!pacing)
        cr_assert(keeps_rule(s, streams) && keeps_pace(s, streams));
    cr_assert(!kept || !pacing);
    /* Words of one width: where a segment begins in its word does not change, so only its length can be in
     * the way. */
    if (s->entries < s->scan || s->entries % s->scan == 0)
        cr_assert_eq(pacing == WEIGHTS_TOO_LONG, has_long_segment(s, streams));
    for (unsigned p = 0; p < s->pes; p++)
        weights_stream_free(&before[p]);
    return pacing ? 2 : kept ? 0 : 1;
}

/* A word ends where the next one begins, also where words of a beat differ. */
Test(pacing, ends_of_words)
{
    for (unsigned entries = 1; entries <= 16; entries++)
        for (unsigned scan = 1; scan <= 4; scan *= 2) {
            const struct weights_words words = weights_words_of(entries, scan);
            for (uint32_t place = 0; place < 100; place++) {
                const uint32_t word = weights_word(&words, place), end = weights_word_end(&words, word);
                cr_assert(end > place && weights_word(&words, end - 1) == word, "place %u", place);
                cr_assert_eq(weights_word(&words, end), word + 1, "place %u", place);
            }
        }
}

Test(pacing, random_packets)
{
    struct random random = {5};
    unsigned outcomes[3] = {0};
    for (unsigned round = 0; round < 3000; round++) {
        const struct shape *s = &shapes[round % SHAPES];
        struct weights_stream streams[PES_MAX];
        /* a queue holds the longest segment, or nearly */
        unsigned lanes = s->entries < s->scan ? s->scan / s->entries * s->entries : s->scan;
        unsigned longest = s->queue.words * lanes;
        random_streams(&random, s, (unsigned)random_below(&random, 40), longest < 60 ? longest : 60, streams);
        outcomes[check(s, streams)]++;
        for (unsigned p = 0; p < s->pes; p++)
            weights_stream_free(&streams[p]);
    }
    cr_log_info("%u left alone, %u padded, %u refused", outcomes[0], outcomes[1], outcomes[2]);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_gt(outcomes[i], 100, "outcome %u is hardly met: %u times", i, outcomes[i]);
}

/* A segment that fills the queue to the last word; one entry more does not fit. */
Test(pacing, a_segment_may_fill_the_queue)
{
    const struct shape s = {2, 2, 2, {16, 16}};
    const struct weights_layout layout = layout_of(&s);
    const struct weights_code code = code_of(&s);
    for (unsigned extra = 0; extra < 2; extra++) {
        struct weights_stream streams[2] = {{0}};
        uint32_t indices[40];
        int32_t values[40];
        for (unsigned i = 0; i < 40; i++) {
            indices[i] = i;
            values[i] = 1;
        }
        weights_add_segment(&streams[0], &code, indices, values, 32 + extra);
        weights_add_segment(&streams[1], &code, indices, values, 1);
        cr_assert_eq(weights_pace(&layout, s.scan, &s.queue, streams),
                     extra ? WEIGHTS_TOO_LONG : WEIGHTS_PACED);
        cr_assert_eq(streams[0].count, 32 + extra);
        cr_assert_eq(streams[1].count, 1);
        weights_stream_free(&streams[0]);
        weights_stream_free(&streams[1]);
    }
}
