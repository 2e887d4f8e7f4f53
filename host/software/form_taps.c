/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/form_taps.h"

#include <assert.h>
#include <stdlib.h>

#include "host/software/form_loops.h"

/* Windows of more taps are not moved; few weights are all written. */
enum { WINDOW_MOST = 256, FEW_WEIGHTS = 4096, LEAST_SHARE = 4 };

struct making {
    const struct flow *flow;
    struct form_group *group;
    int64_t bytes;     /* of an element */
    int64_t low, high; /* what places add to a base */
    int64_t elements;  /* of the operand */
    const struct form_column *widest;
    struct strbuf *why;
};

static bool fail(struct making *m, const char *why)
{
    if (!m->why->len)
        sb_add(m->why, why);
    return false;
}

static const struct flow_row *row_of(const struct making *m, const struct form_column *c)
{
    assert(c);
    return &m->flow->rows[c->row];
}

/* The distance of a term, in elements. */
static int64_t distance(const struct making *m, const struct flow_row *row, uint32_t term)
{
    return m->flow->delta[row->first + term] / m->bytes;
}

/* ---- what there is ---------------------------------------------------------------------------------- */

static bool look_at_columns(struct making *m)
{
    struct form_group *g = m->group;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = row_of(m, &g->columns[c]);
        g->weights += row->count;
        for (uint32_t i = 0; i < row->count; i++)
            if (m->flow->delta[row->first + i] % m->bytes)
                return fail(m, "operands of several kinds in a sum");
        if (!m->widest || row->count > row_of(m, m->widest)->count)
            m->widest = &g->columns[c];
    }
    return true;
}

static void look_at_places(struct making *m)
{
    for (size_t i = 0; i < m->group->nest_count; i++) {
        const struct form_nest *nest = &m->group->nests[i];
        int64_t low = nest->first[FORM_BASE], high = low;
        for (unsigned d = 0; d < nest->depth; d++) {
            const int64_t way = nest->axis[d].step[FORM_BASE] * (int64_t)(nest->axis[d].count - 1);
            *(way < 0 ? &low : &high) += way;
        }
        m->low = !i || low < m->low ? low : m->low;
        m->high = !i || high > m->high ? high : m->high;
    }
}

/* ---- lists ------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Each once, in order; how many there are. */
static size_t sort_taps(int64_t *taps, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(taps, count, sizeof *taps, by_number);
    for (size_t i = 0; i < count; i++)
        if (!kept || taps[kept - 1] != taps[i])
            taps[kept++] = taps[i];
    return kept;
}

/* Room for so many more. What is there twice goes before there is more. */
static bool room_for_taps(struct form_group *g, size_t *count, size_t *room, size_t more)
{
    if (*count + more <= *room)
        return true;
    *count = sort_taps(g->taps, *count);
    if (2 * (*count + more) <= *room)
        return true;
    *room = 2 * (*count + more) + 16;
    int64_t *taps = realloc(g->taps, *room * sizeof *taps);
    g->taps = taps ? taps : g->taps;
    return taps;
}

/* The taps of all columns with their shifts, each once. */
static bool gather_taps(struct making *m)
{
    struct form_group *g = m->group;
    size_t room = 0, count = 0;
    free(g->taps);
    g->taps = NULL;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = row_of(m, &g->columns[c]);
        if (!room_for_taps(g, &count, &room, row->count))
            return fail(m, "out of memory");
        assert(g->taps || !row->count);
        for (uint32_t i = 0; i < row->count; i++)
            g->taps[count++] = distance(m, row, i) - g->columns[c].shift;
    }
    g->tap_count = sort_taps(g->taps, count);
    return true;
}

/* ---- shifts ----------------------------------------------------------------------------------------- */

/* Whether taps from 0 to `last` are elements of the operand at all places. */
static bool fits(const struct making *m, int64_t base, int64_t last)
{
    return base + m->low >= 0 && base + m->high + last < m->elements;
}

static bool all_fit(const struct making *m)
{
    const struct form_group *g = m->group;
    assert(g->taps && g->tap_count);
    for (size_t c = 0; c < g->column_count; c++)
        if (!fits(m, g->columns[c].first[FORM_BASE] + g->columns[c].shift, g->taps[g->tap_count - 1]))
            return false;
    return true;
}

/* The nearest term: where the host deals columns, those of a row are in the order of the device's memory, and
 * not in the operand's. */
static int64_t nearest_of(const struct making *m, const struct flow_row *row)
{
    int64_t nearest = row->count ? distance(m, row, 0) : 0;
    for (uint32_t i = 1; i < row->count; i++)
        nearest = distance(m, row, i) < nearest ? distance(m, row, i) : nearest;
    return nearest;
}

/* Distances count from the nearest activation of all columns on. */
static bool shift_alike(struct making *m)
{
    struct form_group *g = m->group;
    int64_t nearest = INT64_MAX;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = row_of(m, &g->columns[c]);
        if (row->count && nearest_of(m, row) < nearest)
            nearest = nearest_of(m, row);
    }
    for (size_t c = 0; c < g->column_count; c++)
        g->columns[c].shift = nearest;
    return gather_taps(m);
}

/* Or from each column's own. */
static bool shift_apart(struct making *m)
{
    struct form_group *g = m->group;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = row_of(m, &g->columns[c]);
        g->columns[c].shift = nearest_of(m, row);
    }
    return gather_taps(m);
}

/* Whether all terms of the row are in the window of the widest one. */
static bool is_within(const struct making *m, const struct flow_row *row, int64_t shift)
{
    const struct flow_row *window = row_of(m, m->widest);
    const int64_t first = distance(m, window, 0);
    uint32_t w = 0;
    for (uint32_t i = 0; i < row->count; i++, w++) {
        while (w < window->count && distance(m, window, w) - first < distance(m, row, i) - shift)
            w++;
        if (w == window->count || distance(m, window, w) - first != distance(m, row, i) - shift)
            return false;
    }
    return true;
}

/* The column's window is that of the widest one, at an own place. */
static bool move_column(const struct making *m, struct form_column *c)
{
    const struct flow_row *row = row_of(m, c), *window = row_of(m, m->widest);
    const int64_t first = distance(m, window, 0), last = distance(m, window, window->count - 1) - first;
    if (!row->count) { /* any place will do */
        c->first[FORM_BASE] = m->widest->first[FORM_BASE];
        c->shift = first;
        return true;
    }
    for (uint32_t k = 0; k + row->count <= window->count; k++) {
        c->shift = distance(m, row, 0) - (distance(m, window, k) - first);
        if (is_within(m, row, c->shift) && fits(m, c->first[FORM_BASE] + c->shift, last))
            return true;
    }
    return false;
}

static bool is_in_order(const struct making *m, const struct flow_row *row)
{
    bool in_order = true;
    for (uint32_t i = 1; i < row->count; i++)
        in_order = in_order && distance(m, row, i - 1) < distance(m, row, i);
    return in_order;
}

/* Whether windows may coincide although taps, as they are, do not. */
static bool may_coincide(const struct making *m)
{
    const struct form_group *g = m->group;
    const uint32_t window = row_of(m, m->widest)->count;
    bool moved = g->tap_count > 2 * (size_t)window;
    for (size_t c = 1; c < g->column_count; c++)
        moved |= g->columns[c].first[FORM_BASE] != g->columns[0].first[FORM_BASE];
    return moved && window < g->tap_count && window <= WINDOW_MOST && is_in_order(m, row_of(m, m->widest));
}

static bool move_columns(const struct making *m)
{
    for (size_t c = 0; c < m->group->column_count; c++)
        if (!move_column(m, &m->group->columns[c]))
            return false;
    return true;
}

static bool choose_shifts(struct making *m)
{
    struct form_group *g = m->group;
    if (!shift_alike(m))
        return false;
    if (may_coincide(m)) {
        if (!(move_columns(m) ? gather_taps(m) : shift_alike(m)))
            return false;
    }
    g->inside = !g->tap_count || all_fit(m);
    return g->inside || shift_apart(m);
}

/* ---- the group -------------------------------------------------------------------------------------- */

static void settle(struct making *m)
{
    struct form_group *g = m->group;
    for (size_t c = 0; c < g->column_count; c++)
        g->columns[c].first[FORM_BASE] += g->columns[c].shift;
    const uint64_t all = (uint64_t)g->column_count * g->tap_count;
    /* A weight of 0 changes no sum, but it may be the largest product. */
    g->dense = g->inside && (g->op == FLOW_SUM ? all <= FEW_WEIGHTS || LEAST_SHARE * g->weights >= all
                                               : g->weights == all);
}

static bool make_loops(struct making *m)
{
    struct form_group *g = m->group;
    struct form_point *points = calloc(g->tap_count + 1, sizeof *points);
    assert(g->taps || !g->tap_count);
    for (size_t i = 0; points && i < g->tap_count; i++)
        points[i].at[FORM_BASE] = g->taps[i];
    const bool ok = points && form_nests(points, g->tap_count, &g->tap_nests, &g->tap_nest_count);
    free(points);
    return ok || fail(m, "out of memory");
}

bool form_taps(const struct flow *flow, struct form_group *group, struct strbuf *why)
{
    struct making m = {.flow = flow, .group = group, .bytes = form_tap_bytes(group), .why = why};
    if (group->from.there)
        m.elements = group->from.space == FLOW_TEMPS ? (int64_t)flow->temps
                                                     : (int64_t)flow->size[group->from.space] / m.bytes;
    look_at_places(&m);
    if (!look_at_columns(&m) || !choose_shifts(&m))
        return false;
    settle(&m);
    return make_loops(&m);
}
