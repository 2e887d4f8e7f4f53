/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of x in the input buffers: a gap in a row that an entry cannot
 * say takes another entry, a jump, so columns of the same rows should be close
 * to each other. Three orders are looked at, and the one with the fewest jumps
 * is taken: the matrix's own; columns with many entries first (graphs, where a
 * few columns have most entries); and each column where it saves most jumps.
 */
#include <stdlib.h>
#include <string.h>

#include "host/plan/vector.h"

#define SAMPLE 65536       /* entries that jumps are counted over, about */
#define WORTH_LOOKING 64   /* other orders are looked at when one entry in that many is a jump */
#define COMMON 100         /* columns that come first */
#define LONG_ROWS 8        /* rows that many times the average bring no columns together */
#define WORK_EACH 16       /* columns that a sweep looks at, for each entry */
#define WORK_MOST 10000000 /* and in all; what is left then follows by its number of entries */
#define LEVELS 2560        /* level_of is below */

struct ordering {
    struct vector *a;
    uint32_t *column;  /* the order */
    uint32_t *place;   /* of every column of the matrix in it */
    uint32_t *scratch; /* room for a row */
};

int vector_ascending(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

uint32_t vector_cost_of(const struct vector *a, uint32_t *at, uint32_t count, bool sorted)
{
    uint32_t cost = count, next = 0;
    if (!sorted)
        qsort(at, count, sizeof *at, vector_ascending);
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

/* ---- columns that save jumps ----------------------------------------------------------------------------
 */

/* The most common columns come first, where no row needs a jump. A row is near while one of its columns is
 * among the last places, from which an entry can say the gap. The next column is the one with the largest
 * share of its rows near. Rows come near and go only as often as there are jumps, so a sweep looks at little
 * more than the columns of these rows. */
struct sweep {
    const struct vector *a;
    uint32_t reach;        /* places behind a column at which its rows are near */
    uint32_t *start, *row; /* rows of each column of x */
    uint32_t *near;        /* of each column: rows that are near */
    uint32_t *newest;      /* of each row: place behind its newest column; 0: none */
    uint32_t longest;      /* rows that are longer are not looked at */
    uint64_t work;         /* columns that were looked at */
    bool *placed;
    struct offer *offer; /* in a list for each level, the oldest first; one that does not hold has another
                            number of rows near */
    uint32_t offers, room, level[LEVELS], last[LEVELS], top, free;
};

/* A column that may be next. */
struct offer {
    uint32_t column, near, next;
};

static bool sweep_begin(struct sweep *w, const struct vector *a)
{
    const struct sparse *m = a->matrix;
    *w = (struct sweep){.a = a,
                        .reach = a->code.gap_escape,
                        .longest = LONG_ROWS * (m->start[m->rows] / m->rows + 1),
                        .start = calloc((size_t)a->columns + 2, sizeof *w->start),
                        .row = malloc(((size_t)m->start[m->rows] + 1) * sizeof *w->row),
                        .near = calloc((size_t)a->columns + 1, sizeof *w->near),
                        .newest = calloc((size_t)m->rows + 1, sizeof *w->newest),
                        .placed = calloc((size_t)a->columns + 1, sizeof *w->placed)};
    if (!w->start || !w->row || !w->near || !w->newest || !w->placed)
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

static void sweep_end(struct sweep *w)
{
    free(w->start);
    free(w->row);
    free(w->near);
    free(w->newest);
    free(w->placed);
    free(w->offer);
}

/* Eighths of the logarithm of a number from 1 on, to the base of 2. */
static uint32_t eighths(uint32_t x)
{
    const unsigned power = 31 - (unsigned)__builtin_clz(x);
    return 8 * power + ((power < 3 ? x << (3 - power) : x >> (power - 3)) & 7);
}

/* Rows that are near, as a share of the column's; of two with the same share, that with more. */
static uint32_t level_of(const struct sweep *w, uint32_t column)
{
    const uint32_t all = w->start[column + 1] - w->start[column];
    return LEVELS / 2 + 5 * eighths(w->near[column]) - 4 * eighths(all);
}

static bool offer(struct sweep *w, uint32_t column)
{
    uint32_t at = w->free;
    if (at)
        w->free = w->offer[at].next;
    else {
        if (w->offers == w->room) {
            const uint32_t room = 2 * w->room + 1024;
            struct offer *more = realloc(w->offer, room * sizeof *more);
            if (!more)
                return false;
            w->offer = more;
            w->room = room;
            w->offers += !w->offers; /* 0: none */
        }
        at = w->offers++;
    }
    const uint32_t level = level_of(w, column);
    w->offer[at] = (struct offer){column, w->near[column], 0};
    *(w->level[level] ? &w->offer[w->last[level]].next : &w->level[level]) = at;
    w->last[level] = at;
    w->top = level > w->top ? level : w->top;
    return true;
}

/* The best offer that holds; UINT32_MAX: there is none. */
static uint32_t best(struct sweep *w)
{
    for (;; w->top--) {
        for (uint32_t at = w->level[w->top]; at; at = w->level[w->top]) {
            const struct offer it = w->offer[at];
            w->level[w->top] = it.next;
            w->offer[at].next = w->free;
            w->free = at;
            if (w->placed[it.column] || w->near[it.column] > it.near || !w->near[it.column])
                continue;
            if (w->near[it.column] == it.near)
                return it.column;
            if (!offer(w, it.column))
                return UINT32_MAX;
        }
        if (!w->top)
            return UINT32_MAX;
    }
}

/* A row comes near, or goes. What became worse is offered again when it is found. */
static bool move_row(struct sweep *w, uint32_t row, bool comes)
{
    const struct vector *a = w->a;
    const uint32_t start = a->matrix->start[row], end = a->matrix->start[row + 1];
    bool ok = true;
    if (end - start > w->longest)
        return true;
    w->work += end - start;
    for (uint32_t e = start; ok && e < end; e++) {
        const uint32_t c = a->compact[a->matrix->column[e]];
        if (w->placed[c])
            continue;
        w->near[c] += comes ? 1 : UINT32_MAX;
        ok = !comes || offer(w, c);
    }
    return ok;
}

/* The column goes to a place: rows of the one that is out of reach now go. */
static bool put(struct sweep *w, struct ordering *o, uint32_t column, uint32_t place)
{
    const uint32_t out = place >= w->reach ? w->a->compact[o->column[place - w->reach]] : 0;
    bool ok = true;
    w->placed[column] = true;
    o->column[place] = w->a->column[column];
    for (uint32_t i = w->start[column]; ok && i < w->start[column + 1]; i++) {
        const uint32_t newest = w->newest[w->row[i]];
        w->newest[w->row[i]] = place + 1;
        ok = (newest && newest + w->reach > place) || move_row(w, w->row[i], true);
    }
    for (uint32_t i = w->start[out]; ok && place >= w->reach && i < w->start[out + 1]; i++)
        if (w->newest[w->row[i]] == place - w->reach + 1)
            ok = move_row(w, w->row[i], false);
    return ok;
}

/* Whether a sweep has taken longer than it may. */
static bool is_enough(const struct sweep *w)
{
    const uint64_t entries = w->a->matrix->start[w->a->matrix->rows];
    return w->work > WORK_MOST || w->work > WORK_EACH * entries;
}

/* Where no row is near, the column that has the fewest. `counted`: columns with many entries first, as those
 * that are left behind a long sweep. */
static bool order_by_jumps(struct ordering *o, const struct ordering *counted)
{
    const struct vector *a = o->a;
    struct sweep w;
    bool ok = sweep_begin(&w, a);
    const uint32_t common = a->columns < COMMON ? a->columns : COMMON;
    for (uint32_t place = 0; ok && place < common; place++) {
        o->column[place] = counted->column[place];
        w.placed[a->compact[o->column[place]]] = true;
    }
    uint32_t place = common;
    for (uint32_t left = a->columns; ok && place < a->columns && !is_enough(&w); place++) {
        uint32_t column = best(&w);
        while (column == UINT32_MAX) {
            column = a->compact[counted->column[--left]];
            column = w.placed[column] ? UINT32_MAX : column;
        }
        ok = put(&w, o, column, place);
    }
    for (uint32_t i = common; ok && i < a->columns; i++)
        if (!w.placed[a->compact[counted->column[i]]])
            o->column[place++] = counted->column[i];
    sweep_end(&w);
    set_places(o);
    return ok;
}

/* ---- the choice ---------------------------------------------------------------------------------------- */

static void take(struct vector *a, const uint32_t *column)
{
    memmove(a->column, column, a->columns * sizeof *a->column);
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
    if (!order_by_count(o) || !order_by_jumps(other, o))
        return false;
    uint64_t by_counts = count_jumps(o, false), by_jumps = count_jumps(other, false);
    if (own <= by_counts && own <= by_jumps)
        return true;
    a->ordered = false;
    take(a, by_counts < by_jumps ? o->column : other->column);
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

/* For the other plans of the search. */
static bool keep(const struct vector *a)
{
    struct plan_order *order = a->d->order;
    if (!order)
        return true;
    order->column = malloc(((size_t)a->columns + 1) * sizeof *order->column);
    if (!order->column)
        return false;
    memcpy(order->column, a->column, a->columns * sizeof *order->column);
    order->own = a->ordered;
    return true;
}

bool vector_order(struct vector *a)
{
    struct ordering o = {0}, other = {0};
    a->ordered = true;
    if (a->d->order && a->d->order->column) {
        a->ordered = a->d->order->own;
        take(a, a->d->order->column);
        return true;
    }
    const bool ok = ordering_begin(a, &o) && ordering_begin(a, &other) && choose(a, &o, &other) && keep(a);
    ordering_end(&o);
    ordering_end(&other);
    return ok;
}
