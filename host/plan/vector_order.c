/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of x in the input buffers: a gap in a row that an entry cannot
 * say takes another entry, so columns of the same rows should be close to
 * each other. Three orders are looked at, and the one with the fewest jumps
 * is taken: the matrix's own; columns with many entries first (graphs, where
 * a few columns have most entries); neighbours together (meshes), columns in
 * the order in which a walk from row to row over shared columns meets them.
 */
#include <stdlib.h>
#include <string.h>

#include "host/plan/vector.h"

#define SAMPLE 65536     /* entries that jumps are counted over, about */
#define WORTH_LOOKING 16 /* other orders are looked at when one entry in that many is a jump */
#define LONG_ROWS 8      /* rows that many times as long as the average bring nobody together */

struct ordering {
    struct vector *a;
    uint32_t *column;  /* the order */
    uint32_t *place;   /* of every column of the matrix in it */
    uint32_t *scratch; /* room for a row */
};

static int ascending(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

uint32_t vector_cost_of(const struct vector *a, uint32_t *at, uint32_t count, bool sorted)
{
    uint32_t cost = count, next = 0;
    if (!sorted)
        qsort(at, count, sizeof *at, ascending);
    for (uint32_t i = 0; i < count; i++) {
        if (at[i] >= next)
            cost += weights_jumps(&a->code, at[i] - next);
        next = at[i] + 1;
    }
    return cost;
}

/* Jumps of some of the rows. */
static uint64_t count_jumps(const struct ordering *o, bool sorted)
{
    const struct sparse *m = o->a->matrix;
    const uint32_t step = m->start[m->rows] / SAMPLE + 1;
    uint64_t jumps = 0;
    for (uint32_t r = 0; r < m->rows; r += step) {
        uint32_t count = m->start[r + 1] - m->start[r];
        for (uint32_t i = 0; i < count; i++)
            o->scratch[i] = o->place[m->column[m->start[r] + i]];
        jumps += vector_cost_of(o->a, o->scratch, count, sorted) - count;
    }
    return jumps * step;
}

static void set_places(struct ordering *o)
{
    for (uint32_t i = 0; i < o->a->columns; i++)
        o->place[o->column[i]] = i;
}

/* ---- columns with many entries first --------------------------------------------------------------- */

struct count {
    uint32_t column, count;
};

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->column > y->column) - (x->column < y->column);
}

static bool order_by_count(struct ordering *o)
{
    const struct vector *a = o->a;
    const struct sparse *m = a->matrix;
    struct count *counts = calloc((size_t)a->columns + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t i = 0; i < a->columns; i++)
        counts[i].column = a->column[i];
    for (uint32_t e = 0; e < m->start[m->rows]; e++)
        counts[a->compact[m->column[e]]].count++;
    qsort(counts, a->columns, sizeof *counts, by_count);
    for (uint32_t i = 0; i < a->columns; i++)
        o->column[i] = counts[i].column;
    free(counts);
    set_places(o);
    return true;
}

/* ---- neighbours together ----------------------------------------------------------------------------- */

struct walk {
    uint32_t *start, *row; /* rows of each column of x */
    bool *met, *done;      /* columns; rows */
};

static bool walk_begin(const struct vector *a, struct walk *w)
{
    const struct sparse *m = a->matrix;
    w->start = calloc((size_t)a->columns + 2, sizeof *w->start);
    w->row = malloc(((size_t)m->start[m->rows] + 1) * sizeof *w->row);
    w->met = calloc((size_t)a->columns + 1, sizeof *w->met);
    w->done = calloc((size_t)m->rows + 1, sizeof *w->done);
    if (!w->start || !w->row || !w->met || !w->done)
        return false;
    for (uint32_t e = 0; e < m->start[m->rows]; e++)
        w->start[a->compact[m->column[e]] + 2]++;
    for (uint32_t c = 2; c <= a->columns; c++)
        w->start[c] += w->start[c - 1];
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint32_t e = m->start[r]; e < m->start[r + 1]; e++)
            w->row[w->start[a->compact[m->column[e]] + 1]++] = r;
    return true;
}

static void walk_end(struct walk *w)
{
    free(w->start);
    free(w->row);
    free(w->met);
    free(w->done);
}

/* The columns of a row that were not met yet; how many there are then. */
static uint32_t meet_row(const struct ordering *o, struct walk *w, uint32_t row, uint32_t count)
{
    const struct vector *a = o->a;
    const struct sparse *m = a->matrix;
    const uint64_t usual = m->start[m->rows] / m->rows + 1;
    const uint32_t length = m->start[row + 1] - m->start[row];
    w->done[row] = true;
    for (uint32_t e = m->start[row]; length <= LONG_ROWS * usual && e < m->start[row + 1]; e++) {
        uint32_t c = a->compact[m->column[e]];
        if (!w->met[c])
            o->column[count++] = a->column[c];
        w->met[c] = true;
    }
    return count;
}

static bool order_by_neighbours(struct ordering *o)
{
    const struct vector *a = o->a;
    struct walk w = {0};
    bool ok = walk_begin(a, &w);
    uint32_t count = 0;
    for (uint32_t first = 0, at = 0; ok && first < a->columns; first++) {
        if (!w.met[first])
            o->column[count++] = a->column[first];
        w.met[first] = true;
        for (; at < count; at++) {
            uint32_t c = a->compact[o->column[at]];
            for (uint32_t i = w.start[c]; i < w.start[c + 1]; i++)
                if (!w.done[w.row[i]])
                    count = meet_row(o, &w, w.row[i], count);
        }
    }
    walk_end(&w);
    set_places(o);
    return ok;
}

/* ---- the choice ---------------------------------------------------------------------------------------- */

static void take(struct vector *a, const struct ordering *o)
{
    a->ordered = false;
    memcpy(a->column, o->column, a->columns * sizeof *a->column);
    for (uint32_t i = 0; i < a->columns; i++)
        a->compact[a->column[i]] = i;
}

static bool choose(struct vector *a, struct ordering *o, struct ordering *other)
{
    const struct sparse *m = a->matrix;
    memcpy(o->place, a->compact, m->columns * sizeof *o->place);
    uint64_t own = count_jumps(o, true);
    if (own * WORTH_LOOKING <= m->start[m->rows])
        return true;
    if (!order_by_count(o) || !order_by_neighbours(other))
        return false;
    uint64_t by_counts = count_jumps(o, false), by_neighbours = count_jumps(other, false);
    if (own <= by_counts && own <= by_neighbours)
        return true;
    take(a, by_counts < by_neighbours ? o : other);
    return true;
}

static bool ordering_begin(struct vector *a, struct ordering *o)
{
    const size_t columns = (size_t)a->matrix->columns + 1;
    *o = (struct ordering){.a = a,
                           .column = calloc(columns, sizeof *o->column),
                           .place = calloc(columns, sizeof *o->place),
                           .scratch = calloc(columns, sizeof *o->scratch)};
    return o->column && o->place && o->scratch;
}

static void ordering_end(struct ordering *o)
{
    free(o->column);
    free(o->place);
    free(o->scratch);
}

bool vector_order(struct vector *a)
{
    struct ordering o = {0}, other = {0};
    a->ordered = true;
    bool ok = ordering_begin(a, &o) && ordering_begin(a, &other) && choose(a, &o, &other);
    ordering_end(&o);
    ordering_end(&other);
    return ok;
}
