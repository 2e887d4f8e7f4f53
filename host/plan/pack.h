/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting the weight streams of a cluster into packets: how many segments fit
 * a packet, and its beats.
 */
#ifndef TULLE_HOST_PACK_H
#define TULLE_HOST_PACK_H

#include "gen/isa/weights.h"
#include "host/plan/plan.h"

/* Which row of the matrix segment `segment` of PE `pe` is; rows beyond the matrix are empty. */
struct assignment {
    uint32_t first, segment_step, pe_step;
    /* positions count from here: origin + segment * origin_step */
    int64_t origin, origin_step;
    /* only columns low .. high - 1; high 0: all */
    uint32_t low, high;
};

/* Entries of a row. */
struct cell {
    uint32_t start, length;
};

struct packer {
    const struct variant *variant;
    struct variant_derived derived;
    struct weights_layout layout;
    struct weights_code code;
    struct weights_queue queue; /* that packets are paced for */
    const struct sparse *matrix;
    struct strbuf *to;
    uint32_t *positions; /* scratch, as long as the longest row */
    uint64_t *sorted;    /* the same: position and entry */
    uint32_t longest;
    struct cell *slices; /* of the packet that is built: of segment s of PE p at s * k + p */
    size_t slice_room;
    uint32_t sliced;         /* segments of which they are there */
    enum plan_status failed; /* why a packet could not be added */
};

/* The code of entries that the variant reads. */
void packer_code(const struct variant *variant, struct weights_code *code);

/* Weights of a segment of a PE, and the column that its positions count from. */
struct cell packer_slice(const struct packer *packer, const struct assignment *assignment, uint32_t segment,
                         unsigned pe);
int64_t packer_origin(const struct assignment *assignment, uint32_t segment);

/* Bytes of half a beat of the row bus, which are a beat's entries in a plain packet; and of whole beats of
 * so many bytes of each PE. */
uint32_t packer_plain_beat(const struct packer *packer);
uint64_t packer_byte_beats(const struct packer *packer, uint64_t places);

bool packer_begin(struct packer *packer, const struct variant *variant, const struct sparse *matrix,
                  struct strbuf *to);
void packer_end(struct packer *packer);

/* Appends one packet, paced: segments first .. of every PE, at most `limit` of them, as many as `bytes` hold
 * (at least one). Returns how many, 0 when out of memory or when a row does not fit; `bytes` gets the size.
 */
uint32_t packer_add(struct packer *packer, const struct assignment *assignment, uint32_t first,
                    uint32_t limit, size_t *bytes);

/* Weights of the longest segment among `segments` of every PE, zeros between them and in front included; 0:
 * none has a weight. */
uint32_t packer_span(const struct packer *packer, const struct assignment *assignment, uint32_t first,
                     uint32_t segments);

/* Cycles that the PEs of a cluster take for these segments with an activation for each weight, of which
 * `density` are not 0: of all together where they share their work, else of the PE that takes longest. The
 * scan of a segment takes at least `span` slots, those of a plain packet, and `masks` beside its weights. */
double packer_cycles(const struct packer *packer, const struct assignment *assignment, uint32_t first,
                     uint32_t segments, uint32_t span, uint32_t masks, double density);

/* Appends a plain packet (sim/model/plain_packet.h) of `segments` segments of every PE with `span` weights
 * each. False when out of memory. */
bool packer_add_plain(struct packer *packer, const struct assignment *assignment, uint32_t first,
                      uint32_t segments, uint32_t span);

/* Appends a bitmap packet (docs/isa.md) of `segments` segments of every PE, with `masks` masks each, paced.
 * False with packer->failed set, or PLAN_OK: a queue has no room for a segment. */
bool packer_add_bitmap(struct packer *packer, const struct assignment *assignment, uint32_t first,
                       uint32_t segments, uint32_t masks);

/* How many segments packer_add would take. */
uint32_t packer_fit(struct packer *packer, const struct assignment *assignment, uint32_t first,
                    uint32_t limit, size_t bytes);

#define PACK_AT_BASE 0x80000000

/* Column c of the matrix is at place[c] of the input buffer, or, with PACK_AT_BASE, so far behind each base.
 * Positions count from `base` on, and from 0 on behind `wrap`; the base is `step` further on after each
 * `segments` segments, unless that is 0. */
struct cell_places {
    const uint32_t *place;
    uint32_t base, wrap, segments, step;
};

/* Of a column's place, seen from a base. */
static inline uint32_t packer_position(uint32_t place, uint32_t base, uint32_t wrap)
{
    if (place & PACK_AT_BASE)
        return place & ~PACK_AT_BASE;
    return place >= base ? place - base : place + wrap - base;
}

/* Appends a packet, paced, with any entries of a row as a segment: the cell of segment s of PE p is
 * cells[s * step + p]. False with packer->failed set. */
bool packer_add_cells(struct packer *packer, const struct cell *cells, uint32_t step, uint32_t segments,
                      const struct cell_places *places);

/* Appends the packets of some rows of clusters to `to`, row by row, those of a column padded to the same
 * size, which is written to `bytes`. False when out of memory. */
bool packer_join(struct packer *packer, const struct strbuf *packets, unsigned rows, unsigned columns,
                 uint32_t *bytes, struct strbuf *to);

/* Appends beats without an entry until `bytes` more are there. */
bool packer_pad(struct packer *packer, size_t bytes);

#endif
