/* SPDX-License-Identifier: Apache-2.0
 *
 * y = A x in steps, for matrices whose rows read neighbours: x stays in the
 * input buffers, and positions of segments count from a base that goes on by
 * a step after every block of segments, so that the first entry of a row
 * needs no jump. Rows are in the order of their anchors, which are the places
 * where their longest runs of near entries begin; those of a block are dealt
 * to PEs by their non-zeros. Blocks of long rows, whose jumps do not count,
 * are spread among the others. Where anchors lie closer together than the base
 * moves, places of x are left empty.
 */
#include "host/plan/vector.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_BLOCK 2  /* segments, unless the choice says otherwise */
#define LONG_PARTS 4   /* long parts have that many times the average of all entries */
#define WORTH_STEPS 32 /* one entry in that many must be a jump that is saved */
#define COMMON_PLACES \
    128 /* an anchor there is the last choice: common columns are there, which many rows have */

/* Steps of a base, and what they bring. */
struct steps {
    uint32_t segments, parts;    /* of a block */
    uint32_t long_blocks, usual; /* blocks of long parts, and of the others */
    uint32_t step;
    uint32_t empty; /* places */
    uint32_t saved; /* parts without a jump to their anchor */
};

static int ascending(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* ---- anchors --------------------------------------------------------------------------------- */

/* Of a part with entries at these places; UINT32_MAX: it has none. */
static uint32_t anchor_of(const struct vector *a, const uint32_t *at, uint32_t count)
{
    uint32_t anchor = UINT32_MAX, longest = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && at[end] - at[end - 1] <= a->code.gap_escape; end++)
            ;
        if (end - i >= longest || anchor < COMMON_PLACES) {
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
        for (uint32_t e = 0; e < part[i].length; e++)
            at[e] = a->where[a->matrix->column[part[i].start + e]];
        if (!a->ordered)
            qsort(at, part[i].length, sizeof *at, ascending);
        part[i].anchor = anchor_of(a, at, part[i].length);
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
        const uint32_t block = (i - first) / s->parts;
        if ((i - first) % s->parts == 0)
            s->empty = empty_before(s, block, part[i].anchor, s->empty);
        s->saved += (uint64_t)part[i].anchor + s->empty - (uint64_t)blocks_before(s, block) * s->step <
                    a->code.gap_escape;
    }
}

/* Entries that are saved, less the empty places: the row buses bring those to all rows of the array, and of
 * an entry each its share. */
static int64_t gain_of(const struct vector *a, const struct steps *s)
{
    return (int64_t)s->saved - (int64_t)s->empty * a->variant->n * 8 / a->derived.entry_bits;
}

/* Parts that are not long and whose anchors need no jump from place 0. */
static uint32_t parts_at_start(const struct vector *a)
{
    const struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    uint32_t i = a->long_parts;
    while (i < VECTOR_COUNT(a->parts, struct vector_part) && part[i].anchor < a->code.gap_escape)
        i++;
    return i - a->long_parts;
}

static enum plan_status choose_steps(const struct vector *a, struct steps *best)
{
    static const unsigned sixteenths[] = {12, 13, 14, 15, 16, 17, 18, 20, 24};
    int64_t most = (int64_t)parts_at_start(a) + a->matrix->start[a->matrix->rows] / WORTH_STEPS;
    *best = (struct steps){0};
    for (unsigned i = 0; i < sizeof sixteenths / sizeof *sixteenths; i++) {
        struct steps s = steps_of(a, a->block ? a->block : USUAL_BLOCK);
        s.step = (uint32_t)math_divide_up((uint64_t)a->columns * sixteenths[i],
                                          16 * ((uint64_t)s.usual + s.long_blocks));
        if (!s.usual || !s.step || s.step >= a->columns || s.step > INT16_MAX)
            continue;
        try_steps(a, &s);
        if ((uint64_t)a->columns + s.empty > a->variant->input_buffer_depth || gain_of(a, &s) <= most)
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
    for (uint32_t c = 0; empty && c < a->matrix->columns; c++)
        if (a->compact[c] != UINT32_MAX)
            a->compact[c] += empty[a->compact[c]];
    free(empty);
    a->columns += s->empty;
    a->pages = math_divide_up(a->columns, VECTOR_PAGE);
    return empty && vector_stay_all(a);
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
    if (!find_anchors(a))
        return plan_no_memory();
    if (!a->step) {
        enum plan_status why = choose_steps(a, &steps);
        if (why)
            return why;
        if (!spread_columns(a, &steps))
            return plan_no_memory();
        a->step = steps.step;
        a->step_segments = steps.segments;
    }
    steps = steps_of(a, a->step_segments);
    return spread_long_parts(a, &steps) ? vector_add_steps(a, packer, to) : plan_no_memory();
}
