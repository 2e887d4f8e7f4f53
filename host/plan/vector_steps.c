/* SPDX-License-Identifier: Apache-2.0
 *
 * y = A x in steps, for matrices whose rows read neighbours: x stays in the
 * input buffers, and positions of segments count from a base that goes on by
 * a step after every block of segments, so that the first entry of a row
 * needs no jump. Rows are in the order of their anchors, which are the places
 * where their longest runs of near entries begin; those of a block are dealt
 * to PEs by their non-zeros. Blocks of long rows, whose jumps do not count,
 * are spread among the others. Where anchors lie closer together than the base
 * moves, places of x are left empty. Columns that many rows have are there
 * again at every base.
 */
#include "host/plan/vector.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_BLOCK 2    /* segments, unless the choice says otherwise */
#define LONG_PARTS 4     /* long parts have that many times the average of all entries */
#define WORTH_STEPS 32   /* one entry in that many must be a jump that is saved */
#define FIRST_PLACES 128 /* of columns that many rows have: an anchor there is the last choice */
#define COPIES_MOST 8    /* columns that are at every base */
#define COMMON_SHARE 4   /* one row in that many has them */

/* Steps of a base, and what they bring. */
struct steps {
    uint32_t segments, parts;    /* of a block */
    uint32_t long_blocks, usual; /* blocks of long parts, and of the others */
    uint32_t step;               /* places of columns between two bases */
    uint32_t empty;              /* of them */
    uint32_t saved;              /* jumps to anchors and to common columns */
};

/* ---- common columns -------------------------------------------------------------------------- */

/* They get no place of their own, and the others follow each other. */
static bool take_common(struct vector *a)
{
    const struct sparse *m = a->matrix;
    uint32_t *rows = calloc((size_t)m->columns + 1, sizeof *rows),
             *before = malloc(((size_t)a->columns + 1) * sizeof *before);
    for (uint32_t e = 0; rows && e < m->start[m->rows]; e++)
        rows[m->column[e]]++;
    for (uint32_t p = 0; rows && before && p < a->columns; p++) {
        const uint32_t c = a->column[p];
        before[p] = a->copies;
        if (a->copies < COPIES_MOST && (uint64_t)rows[c] * COMMON_SHARE > m->rows)
            a->where[c] = PACK_AT_BASE | a->copies++;
    }
    for (uint32_t p = 0; rows && before && p < a->columns; p++)
        if (!(a->where[a->column[p]] & PACK_AT_BASE))
            a->where[a->column[p]] -= before[p];
    a->columns -= a->copies;
    free(before);
    free(rows);
    return rows && before;
}

/* ---- anchors --------------------------------------------------------------------------------- */

/* Of a part with entries at these places; UINT32_MAX: it has none. */
static uint32_t anchor_of(const struct vector *a, const uint32_t *at, uint32_t count)
{
    uint32_t anchor = UINT32_MAX, longest = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && at[end] - at[end - 1] <= a->code.gap_escape; end++)
            ;
        if (end - i >= longest || anchor < FIRST_PLACES) {
            longest = end - i;
            anchor = at[i];
        }
    }
    return anchor;
}

/* Long parts first, the longest of them first. */
static int by_anchor(const void *x, const void *y)
{
    const struct vector_part *a = x, *b = y;
    if (a->is_long != b->is_long)
        return a->is_long ? -1 : 1;
    if (a->is_long && a->length != b->length)
        return a->length > b->length ? -1 : 1;
    if (a->anchor != b->anchor)
        return a->anchor < b->anchor ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Sorts the parts by their anchors. */
static bool find_anchors(struct vector *a)
{
    struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    const uint32_t count = VECTOR_COUNT(a->parts, struct vector_part);
    uint32_t *at = malloc(((size_t)a->matrix->columns + 1) * sizeof *at);
    a->long_parts = 0;
    for (uint32_t i = 0; at && i < count; i++) {
        part[i].is_long =
            (uint64_t)part[i].length * count > LONG_PARTS * (uint64_t)a->matrix->start[a->matrix->rows];
        a->long_parts += part[i].is_long;
        uint32_t entries = 0;
        for (uint32_t e = 0; e < part[i].length; e++) {
            at[entries] = a->where[a->matrix->column[part[i].start + e]];
            entries += !(at[entries] & PACK_AT_BASE);
        }
        if (!a->ordered)
            qsort(at, entries, sizeof *at, vector_ascending);
        part[i].anchor = anchor_of(a, at, entries);
        part[i].common = entries && entries < part[i].length;
    }
    free(at);
    if (at && count)
        qsort(part, count, sizeof *part, by_anchor);
    return at;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The last block of long parts may have others, too. */
static struct steps steps_of(const struct vector *a, uint32_t segments)
{
    const uint32_t parts = segments * a->lanes, count = VECTOR_COUNT(a->parts, struct vector_part),
                   blocks = (uint32_t)math_divide_up(a->long_parts, parts);
    return (struct steps){
        .segments = segments,
        .parts = parts,
        .long_blocks = blocks,
        .usual = count > blocks * parts ? (uint32_t)math_divide_up(count - blocks * parts, parts) : 0};
}

/* Blocks before a usual one. */
static uint32_t blocks_before(const struct steps *s, uint32_t usual)
{
    return usual + (uint32_t)((uint64_t)(usual + 1) * s->long_blocks / s->usual);
}

/* From one base to the next. */
static uint32_t step_with_copies(const struct vector *a, const struct steps *s)
{
    return s->step + a->copies;
}

/* Where the column with so many places of columns before it is: there are copies at each base. */
static uint64_t place_of(const struct vector *a, const struct steps *s, uint64_t before)
{
    return before + (before / s->step + 1) * a->copies;
}

/* Places that are left empty up to the anchor of a usual block's first part. */
static uint32_t empty_before(const struct steps *s, uint32_t usual, uint32_t anchor, uint32_t empty)
{
    const uint64_t base = (uint64_t)blocks_before(s, usual) * s->step;
    return base > (uint64_t)anchor + empty ? (uint32_t)(base - anchor) : empty;
}

/* Parts of usual blocks: the first one, and the end of those with anchors. */
static uint32_t usual_parts(const struct vector *a, const struct steps *s, uint32_t *end)
{
    const struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    const uint32_t first = s->long_blocks * s->parts;
    *end = VECTOR_COUNT(a->parts, struct vector_part);
    while (*end > first && part[*end - 1].anchor == UINT32_MAX)
        --*end;
    return first;
}

static void try_steps(const struct vector *a, struct steps *s)
{
    const struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    uint32_t end, first = usual_parts(a, s, &end);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t usual = (i - first) / s->parts;
        if ((i - first) % s->parts == 0)
            s->empty = empty_before(s, usual, part[i].anchor, s->empty);
        const uint64_t base = (uint64_t)blocks_before(s, usual) * step_with_copies(a, s);
        s->saved += part[i].common +
                    (place_of(a, s, (uint64_t)part[i].anchor + s->empty) - base < a->code.gap_escape);
    }
}

/* All bases are in x, with what is copied there. */
static uint64_t places_of(const struct vector *a, const struct steps *s)
{
    const uint64_t columns = place_of(a, s, (uint64_t)a->columns + s->empty),
                   bases = (uint64_t)(s->usual + s->long_blocks - 1) * step_with_copies(a, s) + a->copies;
    return a->copies && bases > columns ? bases : columns;
}

/* Entries that are saved, less the places: the row buses bring those to all rows of the array, and of an
 * entry each its share. */
static int64_t gain_of(const struct vector *a, const struct steps *s)
{
    const int64_t more = (int64_t)places_of(a, s) - a->columns - a->copies;
    return (int64_t)s->saved - more * a->variant->n * 8 / a->derived.entry_bits;
}

/* Parts that have a first entry near place 0 without steps, where common columns are. */
static uint32_t parts_at_start(const struct vector *a, const struct steps *s)
{
    const struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    uint32_t end, count = 0;
    for (uint32_t i = usual_parts(a, s, &end); i < end; i++)
        count += part[i].common || part[i].anchor < a->code.gap_escape;
    return count;
}

static enum plan_status choose_steps(const struct vector *a, struct steps *best)
{
    static const unsigned sixteenths[] = {12, 13, 14, 15, 16, 17, 18, 20, 24};
    const struct steps none = steps_of(a, a->block ? a->block : USUAL_BLOCK);
    int64_t most = (int64_t)parts_at_start(a, &none) + a->matrix->start[a->matrix->rows] / WORTH_STEPS;
    *best = (struct steps){0};
    for (unsigned i = 0; i < sizeof sixteenths / sizeof *sixteenths; i++) {
        struct steps s = none;
        s.step = (uint32_t)math_divide_up((uint64_t)a->columns * sixteenths[i],
                                          16 * ((uint64_t)s.usual + s.long_blocks) + !s.usual);
        if (!s.usual || !s.step || s.step >= a->columns || step_with_copies(a, &s) > INT16_MAX)
            continue;
        try_steps(a, &s);
        if (places_of(a, &s) > a->variant->input_buffer_depth || gain_of(a, &s) <= most)
            continue;
        most = gain_of(a, &s);
        *best = s;
    }
    return best->step ? PLAN_OK
                      : plan_refuse(PLAN_UNSUPPORTED, "rows read places too far from each other for steps");
}

/* Leaves places of x empty. */
static bool spread_columns(struct vector *a, const struct steps *s)
{
    const struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    uint32_t *empty = calloc((size_t)a->columns + 1, sizeof *empty), before = 0;
    uint32_t end, first = usual_parts(a, s, &end);
    for (uint32_t i = first; empty && i < end; i += s->parts)
        empty[part[i].anchor] = before = empty_before(s, (i - first) / s->parts, part[i].anchor, before);
    for (uint32_t p = 1; empty && p < a->columns; p++)
        empty[p] = empty[p] > empty[p - 1] ? empty[p] : empty[p - 1];
    for (uint32_t c = 0; empty && c < a->matrix->columns; c++) {
        if (a->compact[c] == UINT32_MAX)
            continue;
        const uint32_t at = a->where[c], own = at & PACK_AT_BASE ? 0 : at;
        a->compact[c] =
            at & PACK_AT_BASE ? at & ~PACK_AT_BASE : (uint32_t)place_of(a, s, (uint64_t)own + empty[own]);
        a->where[c] = at & PACK_AT_BASE ? at : a->compact[c];
    }
    free(empty);
    a->columns = (uint32_t)places_of(a, s);
    a->pages = math_divide_up(a->columns, VECTOR_PAGE);
    return empty && vector_stay_pages(a);
}

/* Puts the parts into the order of their blocks. */
static bool spread_long_parts(struct vector *a, const struct steps *s)
{
    const uint32_t count = VECTOR_COUNT(a->parts, struct vector_part);
    struct vector_part *part = VECTOR_AT(a->parts, struct vector_part),
                       *own = malloc((count + 1) * sizeof *own);
    uint32_t long_block = 0;
    if (!own)
        return false;
    memcpy(own, part, count * sizeof *own);
    for (uint32_t usual = 0; usual < s->usual; usual++) {
        const uint32_t at = blocks_before(s, usual), from = s->long_blocks + usual;
        for (; long_block + usual < at; long_block++)
            memcpy(part + (long_block + usual) * s->parts, own + long_block * s->parts,
                   s->parts * sizeof *own);
        const uint32_t left = count - from * s->parts;
        memcpy(part + at * s->parts, own + from * s->parts,
               (left < s->parts ? left : s->parts) * sizeof *own);
    }
    free(own);
    return true;
}

uint32_t vector_step_base(const struct vector *a, uint32_t segment)
{
    return (uint32_t)((uint64_t)(segment / a->step_segments) * a->step % vector_wrap(a));
}

/* With fewer bytes in a packet the steps are the same. */
enum plan_status vector_cut_steps(struct vector *a, struct packer *packer, struct strbuf *to)
{
    struct steps steps;
    if ((!a->step && !take_common(a)) || !find_anchors(a))
        return plan_no_memory();
    if (!a->step) {
        const enum plan_status why = choose_steps(a, &steps);
        if (why)
            return why;
        if (!spread_columns(a, &steps))
            return plan_no_memory();
        a->step = step_with_copies(a, &steps);
        a->step_segments = steps.segments;
        a->bases = steps.usual + steps.long_blocks;
    }
    steps = steps_of(a, a->step_segments);
    return spread_long_parts(a, &steps) ? vector_add_steps(a, packer, to) : plan_no_memory();
}
