/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitmap packets. The bytes of a PE are its segments, one after another: masks, each with its weights behind
 * it. Zeros between two segments are no masks, so a segment begins late where its PE's queue would else be
 * too full: the pacing rule (gen/isa/weights.h).
 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/plan/pack.h"

/* The streams of a packet while their segments are laid out, as places of bytes. */
struct layout {
    const struct packer *packer;
    struct weights_words words;
    uint32_t segments, masks;
    uint32_t *start; /* of segment s of PE p: [s * k + p] */
    uint32_t *end;   /* the first place behind it */
    uint32_t *due;   /* of segment s: the word with which all PEs have it */
};

static bool layout_begin(struct layout *l, const struct packer *p, uint32_t segments, uint32_t masks)
{
    const size_t count = (size_t)segments * p->variant->k;
    *l = (struct layout){.packer = p,
                         .words = weights_words_of(p->layout.entries, p->variant->scan),
                         .segments = segments,
                         .masks = masks,
                         .start = malloc(count * sizeof *l->start),
                         .end = malloc(count * sizeof *l->end),
                         .due = malloc(segments * sizeof *l->due)};
    return l->start && l->end && l->due;
}

static void layout_end(struct layout *l)
{
    free(l->start);
    free(l->end);
    free(l->due);
}

/* A segment whose first mask would be 0 has a weight of 0 in its first place. */
static bool begins_empty(const struct packer *p, struct cell cell, int64_t origin)
{
    return !cell.length || p->matrix->column[cell.start] - origin >= VARIANT_BITMAP_PLACES;
}

/* The first word of a segment, and the last one. */
static uint32_t first_word(const struct layout *l, size_t i)
{
    return weights_word(&l->words, l->start[i]);
}

static uint32_t last_word(const struct layout *l, size_t i)
{
    return weights_word(&l->words, l->end[i] - 1);
}

static void delay(struct layout *l, size_t i, uint32_t places)
{
    l->start[i] += places;
    l->end[i] += places;
}

/* A segment ends no sooner than the one with which the queue's ends are all taken. */
static void wait_for_ends(struct layout *l, uint32_t s, size_t i)
{
    const uint32_t ends = l->packer->queue.segments - l->packer->variant->scan;
    while (s >= ends && last_word(l, i) < l->due[s - ends])
        delay(l, i, 1);
}

/* It begins no sooner than its queue has room for all that comes until every PE has it. */
static bool wait_for_room(struct layout *l, uint32_t s, size_t i)
{
    while (l->due[s] - first_word(l, i) >= l->packer->queue.words)
        delay(l, i, 1);
    return last_word(l, i) <= l->due[s];
}

/* False: a queue has no room for a segment, however late it begins. */
static bool lay_out(struct layout *l, const struct assignment *a, uint32_t first)
{
    const unsigned k = l->packer->variant->k;
    bool ok = l->packer->queue.segments > l->packer->variant->scan;
    for (uint32_t s = 0; ok && s < l->segments; s++) {
        l->due[s] = 0;
        for (unsigned pe = 0; pe < k; pe++) {
            const size_t i = (size_t)s * k + pe;
            const struct cell cell = packer_slice(l->packer, a, first + s, pe);
            l->start[i] = s ? l->end[i - k] : 0;
            l->end[i] = l->start[i] + l->masks + cell.length +
                        begins_empty(l->packer, cell, packer_origin(a, first + s));
            wait_for_ends(l, s, i);
            l->due[s] = last_word(l, i) > l->due[s] ? last_word(l, i) : l->due[s];
        }
        for (unsigned pe = 0; ok && pe < k; pe++)
            ok = wait_for_room(l, s, (size_t)s * k + pe);
    }
    return ok;
}

static uint64_t places_of(const struct layout *l)
{
    const unsigned k = l->packer->variant->k;
    uint32_t most = 0;
    for (unsigned pe = 0; pe < k; pe++) {
        const uint32_t end = l->end[(size_t)(l->segments - 1) * k + pe];
        most = end > most ? end : most;
    }
    return most;
}

/* Where the bytes of a PE's stream go. */
struct bytes {
    uint8_t *to;
    const struct packer *packer;
    unsigned pe;
    uint32_t place;
};

static void put(struct bytes *w, int32_t byte)
{
    const uint32_t entries = w->packer->layout.entries;
    w->to[w->place / entries * packer_plain_beat(w->packer) + w->pe * entries + w->place % entries] =
        (uint8_t)byte;
    w->place++;
}

static void put_segment(struct bytes *w, struct cell cell, int64_t origin, uint32_t masks)
{
    const struct sparse *m = w->packer->matrix;
    const bool begins = begins_empty(w->packer, cell, origin);
    uint32_t i = cell.start;
    for (uint32_t mask = 0; mask < masks; mask++) {
        const int64_t low = origin + (int64_t)mask * VARIANT_BITMAP_PLACES;
        const uint32_t from = i;
        unsigned bits = !mask && begins;
        for (; i < cell.start + cell.length && m->column[i] - low < VARIANT_BITMAP_PLACES; i++)
            bits |= 1u << (m->column[i] - low);
        put(w, (int32_t)bits);
        if (!mask && begins)
            put(w, 0);
        for (uint32_t v = from; v < i; v++)
            put(w, m->value[v]);
    }
}

static bool write_packet(const struct layout *l, struct packer *p, const struct assignment *a, uint32_t first)
{
    const size_t bytes = packer_byte_beats(p, places_of(l));
    struct bytes w = {.to = calloc(bytes, 1), .packer = p};
    for (uint32_t s = 0; w.to && s < l->segments; s++)
        for (w.pe = 0; w.pe < p->variant->k; w.pe++) {
            w.place = l->start[(size_t)s * p->variant->k + w.pe];
            put_segment(&w, packer_slice(p, a, first + s, w.pe), packer_origin(a, first + s), l->masks);
        }
    if (w.to)
        sb_addn(p->to, (const char *)w.to, bytes);
    const bool ok = w.to && sb_ok(p->to);
    free(w.to);
    return ok;
}

bool packer_add_bitmap(struct packer *p, const struct assignment *a, uint32_t first, uint32_t segments,
                       uint32_t masks)
{
    struct layout l;
    bool ok = layout_begin(&l, p, segments, masks);
    p->failed = ok ? PLAN_OK : plan_no_memory();
    ok = ok && lay_out(&l, a, first);
    if (ok && !write_packet(&l, p, a, first)) {
        p->failed = plan_no_memory();
        ok = false;
    }
    layout_end(&l);
    return ok;
}
