/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "gen/base/math.h"
#include "gen/isa/weights.h"

struct weights_words weights_words_of(unsigned entries, unsigned scan)
{
    struct weights_words words = {
        .entries = entries, .scan = scan, .per_beat = math_divide_up(entries, scan)};
    if (entries < scan)
        words.lanes = scan / entries * entries;
    else if (entries % scan == 0)
        words.lanes = scan;
    return words;
}

unsigned weights_lane(const struct weights_words *words, uint32_t place, unsigned *lanes)
{
    if (words->lanes) {
        *lanes = words->lanes;
        return place % words->lanes;
    }
    unsigned in_beat = place % words->entries, lane = in_beat % words->scan;
    unsigned left = words->entries - (in_beat - lane);
    *lanes = left < words->scan ? left : words->scan;
    return lane;
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* A PE while the rule is checked. Counts of what is before a word or a segment only grow. */
struct follower {
    const struct weights_places *places;
    uint32_t end;                    /* word behind the last segment */
    size_t blanks_first, blanks_now; /* blank words before the oldest segment held, and before word b */
    uint32_t ended, ended_ends;      /* segments that end before word b, and ends they take */
    uint32_t oldest_end;             /* which of the ends is that of the oldest segment held */
};

static size_t blanks_before(const struct weights_places *places, size_t from, uint32_t word)
{
    while (from < places->blanks && places->blank[from] < word)
        from++;
    return from;
}

/* Whether segment s shares its end with the one before it. */
static bool same_end(const struct weights_places *places, uint32_t s)
{
    return s && places->last[s] == places->last[s - 1];
}

/* The PE holds segments from `oldest` on, and the words before `word` have come. */
static bool has_room(const struct weights_words *words, const struct weights_queue *queue, struct follower *f,
                     uint32_t oldest, uint32_t segments, uint32_t word)
{
    const struct weights_places *places = f->places;
    uint32_t first = weights_word(words, places->first[oldest]), end = word < f->end ? word : f->end;
    f->blanks_first = blanks_before(places, f->blanks_first, first);
    f->blanks_now = blanks_before(places, f->blanks_now, end);
    for (; f->ended < segments && weights_word(words, places->last[f->ended]) < word; f->ended++)
        f->ended_ends += !same_end(places, f->ended);
    size_t held = end > first ? end - first - (f->blanks_now - f->blanks_first) : 0;
    return held + 1 <= queue->words && f->ended_ends - f->oldest_end + words->scan <= queue->segments;
}

bool weights_keep_pace(const struct weights_words *words, const struct weights_queue *queue,
                       const struct weights_places *places, unsigned pes, uint32_t segments, unsigned *pe)
{
    struct follower follow[WEIGHTS_PES_MAX] = {0};
    uint32_t before = 0; /* the first word that has the segments before `oldest` behind it */
    for (unsigned p = 0; segments && p < pes; p++) {
        follow[p].places = &places[p];
        if (!places[p].last)
            return false; /* a PE without segments, where others have some */
        follow[p].end = weights_word(words, places[p].last[segments - 1]) + 1;
    }
    /* While `oldest` is the first segment that some PE has not got, room is scarcest when its last word is
     * due: only that word needs looking at. */
    for (uint32_t oldest = 0; oldest < segments; oldest++) {
        uint32_t due = 0;
        for (unsigned p = 0; p < pes; p++) {
            uint32_t last = weights_word(words, places[p].last[oldest]);
            due = last > due ? last : due;
            follow[p].oldest_end += oldest && !same_end(&places[p], oldest);
        }
        if (due < before)
            continue;
        before = due + 1;
        for (*pe = 0; *pe < pes; ++*pe)
            if (!has_room(words, queue, &follow[*pe], oldest, segments, due))
                return false;
    }
    return true;
}

/* ---- pacing ---------------------------------------------------------------------------------- */

/* Things in a queue: each leaves it when every PE has that many segments. Ascending. */
struct holds {
    uint64_t *until;
    size_t first, count, room;
};

static bool hold(struct holds *h, uint64_t until)
{
    if (h->count == h->room) {
        size_t room = h->room ? 2 * h->room : 256;
        uint64_t *moved = realloc(h->until, room * sizeof *moved);
        if (!moved)
            return false;
        h->until = moved;
        h->room = room;
    }
    h->until[h->count++] = until;
    return true;
}

static size_t held(const struct holds *h, uint64_t complete)
{
    size_t first = h->first;
    while (first < h->count && h->until[first] <= complete)
        first++;
    return h->count - first;
}

static void let_go(struct holds *h, uint64_t complete)
{
    while (h->first < h->count && h->until[h->first] <= complete)
        h->first++;
}

/* What a word does to the queue of its PE. */
struct word {
    bool stored;
    uint64_t until;  /* how long the word is held */
    uint64_t closed; /* segments of the PE that are complete with it */
    unsigned ends;
    uint64_t end_until[WEIGHTS_ENTRIES_MAX];
};

/* A PE while its stream is paced. */
struct paced {
    const struct weights_stream *from;
    size_t next;              /* entry of it */
    bool changed;             /* `to` is another stream than `from` */
    struct weights_stream to; /* what has been sent, from the first change on */
    struct holds words, ends;
    uint64_t closed;
    struct word word; /* the next one, if it is sent now */
    bool sends;
};

struct pacing {
    const struct weights_queue *queue;
    struct weights_code code;
    unsigned pes, scan, lanes; /* lanes: of the word under way */
    struct paced pe[WEIGHTS_PES_MAX];
};

#define SKIPPED UINT64_MAX

/* Segments that end with the entry; SKIPPED: it is part of none. Most of the time that pacing takes is spent
 * here: no more of an entry is looked at than is needed. */
static uint64_t closed_by(const struct weights_code *code, uint32_t entry)
{
    if ((entry >> code->gap_lsb & code->gap_escape) != code->gap_escape)
        return entry >> code->last_lsb & 1;
    const struct weights_entry e = weights_unpack(code, entry);
    if (e.last) /* a long jump */
        return 0;
    return e.escape == WEIGHTS_SKIP ? SKIPPED : e.escape == WEIGHTS_END ? (uint64_t)e.payload + 1 : 0;
}

static bool has_more(const struct pacing *p, const struct paced *pe)
{
    return pe->next + (pe->sends ? p->lanes : 0) < pe->from->count;
}

static void find_next_word(const struct pacing *p, struct paced *pe)
{
    const struct weights_code *code = &p->code;
    const size_t end = pe->next + p->lanes < pe->from->count ? pe->next + p->lanes : pe->from->count;
    struct word *word = &pe->word;
    word->stored = false;
    word->closed = pe->closed;
    word->ends = 0;
    for (size_t i = pe->next; i < end; i++) {
        const uint64_t closed = closed_by(code, pe->from->entries[i]);
        if (closed == SKIPPED)
            continue;
        word->stored = true;
        word->closed += closed;
        word->until = word->closed + !closed;
        if (closed)
            word->end_until[word->ends++] = word->closed;
    }
}

/* Whether the PE may send its word when `complete` segments are then complete everywhere. */
static bool may_send(const struct pacing *p, const struct paced *pe, uint64_t complete)
{
    size_t words = held(&pe->words, complete) + (pe->word.stored && pe->word.until > complete);
    size_t ends = held(&pe->ends, complete);
    for (unsigned i = 0; i < pe->word.ends; i++)
        ends += pe->word.end_until[i] > complete;
    return words + 1 <= p->queue->words && ends + p->scan <= p->queue->segments;
}

/* Takes back what would leave no room behind it; every word taken back may lower what is complete. */
static uint64_t choose_senders(struct pacing *p)
{
    for (bool changed = true;;) {
        uint64_t complete = UINT64_MAX;
        bool more = false;
        for (unsigned i = 0; i < p->pes; i++) {
            uint64_t closed = p->pe[i].sends ? p->pe[i].word.closed : p->pe[i].closed;
            complete = closed < complete ? closed : complete;
            more |= has_more(p, &p->pe[i]);
        }
        if (!more || !changed) /* behind the last word nothing needs room */
            return complete;
        changed = false;
        for (unsigned i = 0; i < p->pes; i++)
            if (p->pe[i].sends && !may_send(p, &p->pe[i], complete)) {
                p->pe[i].sends = false;
                changed = true;
            }
    }
}

/* The stream gets something that was not in it. */
static void begin_copy(const struct pacing *p, struct paced *pe)
{
    pe->changed = true;
    for (size_t i = 0; i < pe->next; i++)
        weights_add_entry(&pe->to, &p->code, pe->from->entries[i]);
}

static void copy_entry(const struct pacing *p, struct paced *pe)
{
    if (pe->changed)
        weights_add_entry(&pe->to, &p->code, pe->from->entries[pe->next]);
    pe->next++;
}

static bool send_word(struct pacing *p, struct paced *pe)
{
    const uint32_t skip = weights_escape_entry(&p->code, WEIGHTS_SKIP, 0);
    bool ok = true, done = pe->next >= pe->from->count;
    if (!pe->sends && !done && !pe->changed)
        begin_copy(p, pe);
    for (unsigned i = 0; !done && i < p->lanes; i++)
        if (!pe->sends)
            weights_add_entry(&pe->to, &p->code, skip);
        else if (pe->next < pe->from->count)
            copy_entry(p, pe);
    if (!pe->sends)
        return !pe->to.failed;
    pe->closed = pe->word.closed;
    if (pe->word.stored)
        ok = hold(&pe->words, pe->word.until);
    for (unsigned i = 0; i < pe->word.ends; i++)
        ok &= hold(&pe->ends, pe->word.end_until[i]);
    return ok && !pe->to.failed;
}

/* One word of all PEs; `more` tells whether anything is left. */
static enum weights_pacing pace_word(struct pacing *p, bool *more)
{
    bool sent = false, ok = true;
    *more = false;
    for (unsigned i = 0; i < p->pes; i++) {
        struct paced *pe = &p->pe[i];
        pe->sends = pe->next < pe->from->count;
        find_next_word(p, pe);
    }
    uint64_t complete = choose_senders(p);
    for (unsigned i = 0; i < p->pes; i++) {
        struct paced *pe = &p->pe[i];
        sent |= pe->sends;
        ok &= send_word(p, pe);
        let_go(&pe->words, complete);
        let_go(&pe->ends, complete);
        *more |= pe->next < pe->from->count;
    }
    return !ok ? WEIGHTS_NO_MEMORY : sent ? WEIGHTS_PACED : WEIGHTS_TOO_LONG;
}

/* ---- streams that keep the rule ---------------------------------------------------------------- */

/* First and last places of the segments of a stream. */
struct segments {
    uint32_t *first, *last;
    uint64_t count, room;
};

static bool make_room(struct segments *s, uint64_t count)
{
    if (count <= s->room)
        return true;
    const uint64_t room = 2 * count;
    uint32_t *first = realloc(s->first, room * sizeof *first);
    s->first = first ? first : s->first;
    uint32_t *last = first ? realloc(s->last, room * sizeof *last) : NULL;
    s->last = last ? last : s->last;
    s->room = last ? room : s->room;
    return last;
}

/* False: the stream has skips, or there is no memory. */
static bool find_segments(const struct weights_code *code, const struct weights_stream *stream,
                          struct segments *to)
{
    uint32_t begin = 0;
    if (!make_room(to, stream->count))
        return false;
    for (uint32_t i = 0; i < stream->count; i++) {
        const uint64_t closed = closed_by(code, stream->entries[i]);
        if (!closed)
            continue;
        if (closed == SKIPPED || !make_room(to, to->count + closed))
            return false;
        for (uint64_t c = 0; c < closed; c++, to->count++) {
            to->first[to->count] = begin;
            to->last[to->count] = i;
        }
        begin = i + 1;
    }
    return true;
}

/* Whether the streams surely keep the rule, as most do: it costs less to find out than to pace them. */
static bool keep_rule(const struct weights_layout *layout, unsigned scan, const struct weights_queue *queue,
                      const struct weights_stream *streams)
{
    const struct weights_words words = weights_words_of(layout->entries, scan);
    struct segments found[WEIGHTS_PES_MAX] = {{0}};
    struct weights_places places[WEIGHTS_PES_MAX] = {{0}};
    struct weights_code code;
    bool ok = true;
    unsigned pe;
    weights_code_init(&code, layout->widths);
    for (unsigned p = 0; ok && p < layout->pes; p++) {
        ok = find_segments(&code, &streams[p], &found[p]) && found[p].count == found[0].count;
        places[p] = (struct weights_places){.first = found[p].first, .last = found[p].last};
    }
    ok = ok && weights_keep_pace(&words, queue, places, layout->pes, (uint32_t)found[0].count, &pe);
    for (unsigned p = 0; p < layout->pes; p++) {
        free(found[p].first);
        free(found[p].last);
    }
    return ok;
}

/* ---- all streams --------------------------------------------------------------------------------- */

enum weights_pacing weights_pace(const struct weights_layout *layout, unsigned scan,
                                 const struct weights_queue *queue, struct weights_stream *streams)
{
    if (keep_rule(layout, scan, queue, streams))
        return WEIGHTS_PACED;
    const struct weights_words words = weights_words_of(layout->entries, scan);
    struct pacing *p = calloc(1, sizeof *p);
    if (!p)
        return WEIGHTS_NO_MEMORY;
    enum weights_pacing result = WEIGHTS_PACED;
    bool more = false;
    *p = (struct pacing){.queue = queue, .pes = layout->pes, .scan = scan};
    weights_code_init(&p->code, layout->widths);
    for (unsigned i = 0; i < p->pes; i++) {
        p->pe[i].from = &streams[i];
        more |= streams[i].count > 0;
    }
    for (uint32_t place = 0; more && !result; place += p->lanes) {
        weights_lane(&words, place, &p->lanes);
        result = pace_word(p, &more);
    }
    for (unsigned i = 0; i < p->pes; i++) {
        struct paced *pe = &p->pe[i];
        free(pe->words.until);
        free(pe->ends.until);
        struct weights_stream old = streams[i];
        if (!result && pe->changed) {
            streams[i] = pe->to;
            pe->to = old;
        }
        weights_stream_free(&pe->to);
    }
    free(p);
    return result;
}
