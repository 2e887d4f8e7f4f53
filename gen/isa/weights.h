/* SPDX-License-Identifier: Apache-2.0
 *
 * Packs weights. The segments of a PE are lists of (index, value) pairs, which become the entries of the PE's
 * stream. The streams of a cluster are then packed into weight beats. Packing takes time linear in the number
 * of entries and depends on the table of encodings only.
 */
#ifndef TULLE_GEN_ISA_WEIGHTS_H
#define TULLE_GEN_ISA_WEIGHTS_H

#include "gen/base/strbuf.h"
#include "gen/isa/codec.h"
#include "gen/isa/table.h"

/* Limits of a layout; an entry has at most 32 bits. */
#define WEIGHTS_PES_MAX 16
#define WEIGHTS_ENTRIES_MAX 64
#define WEIGHTS_BEAT_BYTES_MAX (WEIGHTS_PES_MAX * WEIGHTS_ENTRIES_MAX * 4)

/* Largest index that text has: addresses in an input buffer have 16 bits. */
#define WEIGHTS_INDEX_MAX 65535

/* How the streams of a cluster share a weight beat: `entries` entries of PE 0 in the lowest bits, the
 * first one lowest, then those of PE 1, and so on; bits above the last PE's are 0. */
struct weights_layout {
    struct isa_widths widths;
    unsigned pes;
    unsigned entries;    /* of each PE in a beat */
    unsigned beat_bytes; /* 0: as many as the entries need */
};

/* The layout's beat_bytes, or what the entries need when it is 0. */
unsigned weights_beat_bytes(const struct weights_layout *layout);
unsigned weights_beat_bytes_needed(const struct weights_layout *layout);

/* Positions and limits of an entry's fields, taken from the table once. */
struct weights_code {
    unsigned entry_bits;
    unsigned value_lsb, gap_lsb, last_lsb, payload_lsb, escape_lsb;
    unsigned data_bits;
    uint32_t gap_escape;  /* the gap that marks an escape: all ones */
    uint32_t payload_max; /* of an escape */
    uint32_t jump_unit;   /* positions that a jump's payload counts */
    uint32_t long_unit;   /* the same of a long jump's distance; 0: streams have none */
};

/* Without long jumps; weights_code_allow_long_jumps is for variants that have them. */
void weights_code_init(struct weights_code *code, struct isa_widths widths);
void weights_code_allow_long_jumps(struct weights_code *code, struct isa_widths widths);

/* Jumps before a weight that is `gap` positions further on. */
unsigned weights_jumps(const struct weights_code *code, uint64_t gap);

/* An entry taken apart. */
struct weights_entry {
    bool is_escape;
    bool last; /* of an escape: it is a long jump, whose distance is all bits of the value */
    uint32_t gap, escape, payload;
    int32_t value;
};

static inline struct weights_entry weights_unpack(const struct weights_code *code, uint32_t entry)
{
    struct weights_entry out = {.gap = entry >> code->gap_lsb & code->gap_escape};
    out.is_escape = out.gap == code->gap_escape;
    out.escape = entry >> code->escape_lsb & 7;
    out.payload = entry >> code->payload_lsb & code->payload_max;
    out.last = entry >> code->last_lsb & 1;
    out.value =
        (int32_t)isa_sign_extend(entry >> code->value_lsb & ((1u << code->data_bits) - 1), code->data_bits);
    return out;
}

/* The kinds of escape the packer writes; the table has their meaning. */
enum weights_escape { WEIGHTS_SKIP, WEIGHTS_JUMP, WEIGHTS_END };
uint32_t weights_escape_entry(const struct weights_code *code, enum weights_escape kind, uint32_t payload);

/* Whether a stream that was (not) inside of a segment is so after the entry. */
bool weights_stays_inside(const struct weights_code *code, uint32_t entry, bool inside);

/* One PE's entries. Starts as all zeros. */
struct weights_stream {
    uint32_t *entries;
    size_t count, cap;
    uint64_t empty; /* segments without a non-zero that are still to be written, as few end escapes */
    bool failed;    /* out of memory */
};

void weights_stream_free(struct weights_stream *stream);

/* Appends a segment; without a non-zero when count is 0. False, with nothing appended, when the indices do
 * not ascend or a value does not fit. */
bool weights_add_segment(struct weights_stream *stream, const struct weights_code *code,
                         const uint32_t *indices, const int32_t *values, size_t count);
void weights_add_empty(struct weights_stream *stream, uint64_t segments);
/* Appends an entry as it is. */
void weights_add_entry(struct weights_stream *stream, const struct weights_code *code, uint32_t entry);

/* Writes what is pending; the entries are then complete. */
void weights_finish(struct weights_stream *stream, const struct weights_code *code);

/* Beats that the finished streams (as many as the layout has PEs) take. */
size_t weights_beats(const struct weights_layout *layout, const struct weights_stream *streams);

/* Appends the beats of the finished streams, shorter ones padded with skips. False when out of memory. */
bool weights_pack(const struct weights_layout *layout, const struct weights_stream *streams,
                  struct strbuf *to);

/* ---- words and pacing --------------------------------------------------------------------------- */

/* A PE takes a beat in words, as many entries as it looks at in a cycle. A beat of more entries makes several
 * words, the last of them narrower when they do not divide; narrower beats join to a word. */
struct weights_words {
    unsigned entries, scan; /* of a beat, of a word */
    unsigned per_beat;      /* words of a beat; 1 when beats join */
    unsigned lanes;         /* that streams use of every word; 0: words of a beat differ */
};

struct weights_words weights_words_of(unsigned entries, unsigned scan);

/* The word of the packet that a place of the stream is in, and the lane; *lanes: how many the word uses. */
static inline uint32_t weights_word(const struct weights_words *words, uint32_t place)
{
    if (words->lanes)
        return (words->lanes & (words->lanes - 1)) ? place / words->lanes
                                                   : place >> __builtin_ctz(words->lanes);
    return place / words->entries * words->per_beat + place % words->entries / words->scan;
}
unsigned weights_lane(const struct weights_words *words, uint32_t place, unsigned *lanes);

/* The first place behind the word. */
static inline uint32_t weights_word_end(const struct weights_words *words, uint32_t word)
{
    if (words->lanes)
        return (word + 1) * words->lanes;
    const uint32_t end = (word % words->per_beat + 1) * words->scan;
    return word / words->per_beat * words->entries + (end < words->entries ? end : words->entries);
}

/* What a weight queue holds. */
struct weights_queue {
    uint32_t words;
    uint32_t segments; /* ends of segments: one for each that has entries, one for each END */
};

/* Where the segments of a PE are in a packet, by places in its stream: the first and the last entry of each.
 * The segments that an END brings are all at its place. `blank`: words that hold nothing but skips,
 * ascending; those behind the last segment may be left out. */
struct weights_places {
    const uint32_t *first, *last;
    const uint32_t *blank;
    size_t blanks;
};

/* The pacing rule. All PEs of a cluster get their words together, a word with nothing but skips takes no
 * room, and a segment leaves the queues when all PEs have all of it. So that the PE that is furthest behind
 * can always be given its next word, when the words before word b of the packet are there and y segments are
 * complete in every PE, each PE still has a place for a word beside those that hold anything of segments from
 * y on, and places for as many ends as a word may bring. Each PE has `segments` segments. False: *pe is one
 * that breaks the rule. */
bool weights_keep_pace(const struct weights_words *words, const struct weights_queue *queue,
                       const struct weights_places *places, unsigned pes, uint32_t segments, unsigned *pe);

enum weights_pacing { WEIGHTS_PACED, WEIGHTS_TOO_LONG, WEIGHTS_NO_MEMORY };

/* Inserts words of skips into the finished streams, where the rule needs them: streams that keep it stay as
 * they are. WEIGHTS_TOO_LONG, with nothing changed: a segment does not fit the queue. */
enum weights_pacing weights_pace(const struct weights_layout *layout, unsigned scan,
                                 const struct weights_queue *queue, struct weights_stream *streams);

/* Entry `which` of a PE in a beat. */
uint32_t weights_beat_entry(const struct weights_layout *layout, const uint8_t *beat, unsigned pe,
                            unsigned which);

#endif
