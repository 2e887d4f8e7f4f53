/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/form_loops.h"
#include "host/software/form_taps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The terms of rows of softmax are elements of a row, not weights. */
struct item {
    const struct flow_result *of;
    unsigned level;
    uint32_t source[FORM_NUMBERS]; /* kind and space of what its numbers are of */
};

struct making {
    const struct flow *flow;
    struct form *form;
    struct item *items;
    size_t count;
    unsigned *temp_level;      /* of each temporary result */
    struct form_point *points; /* of the items, from the first of their column on */
    struct strbuf *why;
};

void form_free(struct form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        free(form->groups[i].nests);
        free(form->groups[i].columns);
        free(form->groups[i].taps);
        free(form->groups[i].tap_nests);
    }
    free(form->groups);
    *form = (struct form){.count = 0};
}

static bool fail(struct making *m, const char *why)
{
    if (!m->why->len)
        sb_add(m->why, why);
    return false;
}

/* ---- levels -------------------------------------------------------------------------------------- */

static void raise_level(const struct making *m, flow_ref ref, unsigned *level)
{
    if (ref == FLOW_NONE || flow_space(ref) != FLOW_TEMPS)
        return;
    const unsigned below = m->temp_level[flow_offset(ref) / 8];
    *level = below + 1 > *level ? below + 1 : *level;
}

/* Rows seldom have temporary results, and then all terms are such. */
static unsigned level_of(const struct making *m, const struct flow_result *r)
{
    const struct flow_row *row = &m->flow->rows[r->row];
    unsigned level = 0;
    raise_level(m, r->add, &level);
    raise_level(m, r->second, &level);
    for (uint32_t i = 0; m->flow->temps && i < row->count; i++)
        raise_level(m, r->base + m->flow->delta[row->first + i], &level);
    return level;
}

/* ---- softmax ------------------------------------------------------------------------------------- */

/* Whether the result is the next one of a row whose first result is `first`. */
static bool follows(const struct making *m, const struct flow_result *first, const struct flow_result *r,
                    uint32_t place)
{
    const unsigned bytes = 1u << m->flow->finishes[r->finish].element;
    return r->base == first->base && r->row == first->row && r->finish == first->finish &&
           r->place == place && r->to == first->to + (flow_ref)(place * bytes);
}

/* Of a row of softmax one item stays, for its first element; all others must follow. */
static bool fold_softmax(struct making *m)
{
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < m->count; i = next) {
        const struct flow_result *first = m->items[i].of;
        const uint32_t all =
            m->flow->rows[first->row].op == FLOW_SOFTMAX ? m->flow->rows[first->row].count : 1;
        for (next = i; next < m->count && next < i + all; next++)
            if (all > 1 && !follows(m, first, m->items[next].of, (uint32_t)(next - i)))
                break;
        if (next < i + all)
            return fail(m, "rows of softmax whose results are not all there, beside each other");
        m->items[kept++] = m->items[i];
    }
    m->count = kept;
    return true;
}

/* ---- columns ------------------------------------------------------------------------------------- */

static int by_column(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    const int sources = memcmp(x->source, y->source, sizeof x->source);
    if (sources)
        return sources;
    if (x->of->row != y->of->row)
        return x->of->row < y->of->row ? -1 : 1;
    if (x->of->finish != y->of->finish)
        return x->of->finish < y->of->finish ? -1 : 1;
    return x->of->to < y->of->to ? -1 : x->of->to > y->of->to;
}

static bool same_column(const struct item *a, const struct item *b)
{
    return a->level == b->level && !memcmp(a->source, b->source, sizeof a->source) &&
           a->of->row == b->of->row && a->of->finish == b->of->finish;
}

static unsigned bytes_of(const struct making *m, flow_ref ref)
{
    return flow_space(ref) == FLOW_TEMPS ? 8 : m->flow->kinds[flow_kind_of(ref)].bytes;
}

static int64_t number_of(const struct making *m, flow_ref ref)
{
    return ref == FLOW_NONE ? 0 : (int64_t)(flow_offset(ref) / bytes_of(m, ref));
}

/* The reference of the row's first term, from which its distances are counted: a base may lie outside. */
static flow_ref anchor(const struct making *m, const struct flow_result *r)
{
    const struct flow_row *row = &m->flow->rows[r->row];
    return row->count ? r->base + m->flow->delta[row->first] : FLOW_NONE;
}

/* The base in elements; distances are whole elements. */
static int64_t base_of(const struct making *m, const struct flow_result *r)
{
    const flow_ref first = anchor(m, r);
    if (first == FLOW_NONE)
        return 0;
    const int64_t distance = m->flow->delta[m->flow->rows[r->row].first];
    return number_of(m, first) - distance / (int64_t)bytes_of(m, first);
}

static uint32_t kind_and_space(flow_ref ref)
{
    return ref == FLOW_NONE ? UINT32_MAX : (uint32_t)(ref >> FLOW_OFFSET_BITS);
}

static void set_sources(const struct making *m, struct item *item)
{
    item->source[FORM_TO] = kind_and_space(item->of->to);
    item->source[FORM_BASE] = kind_and_space(anchor(m, item->of));
    item->source[FORM_ADD] = kind_and_space(item->of->add);
    item->source[FORM_SECOND] = kind_and_space(item->of->second);
}

static void set_points(struct making *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct flow_result *r = m->items[i].of;
        m->points[i] = (struct form_point){{[FORM_TO] = number_of(m, r->to),
                                            [FORM_BASE] = base_of(m, r),
                                            [FORM_ADD] = number_of(m, r->add),
                                            [FORM_SECOND] = number_of(m, r->second)}};
    }
}

static struct form_source source_of(const struct making *m, flow_ref ref)
{
    if (ref == FLOW_NONE)
        return (struct form_source){.there = false};
    return (struct form_source){true, flow_space(ref), m->flow->kinds[flow_kind_of(ref)]};
}

static bool same_source(const struct form_source *a, const struct form_source *b)
{
    return a->there == b->there && a->space == b->space && a->kind.bytes == b->kind.bytes &&
           a->kind.no_sign == b->kind.no_sign && a->kind.zero == b->kind.zero;
}

/* Items from .. end - 1 of a column, with what groups are compared by. */
struct column {
    size_t from, count;
    uint64_t hash;
    uint32_t group;
};

static uint64_t hash_column(const struct making *m, const struct column *c)
{
    uint64_t hash = c->count;
    for (size_t i = 0; i < c->count; i++)
        for (unsigned n = 0; n < FORM_NUMBERS; n++) {
            hash = (hash ^ (uint64_t)(m->points[c->from + i].at[n] - m->points[c->from].at[n])) *
                   UINT64_C(0x9E3779B97F4A7C15);
            hash ^= hash >> 29;
        }
    return hash;
}

static bool same_places(const struct making *m, const struct column *a, const struct column *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (unsigned n = 0; n < FORM_NUMBERS; n++)
            if (m->points[a->from + i].at[n] - m->points[a->from].at[n] !=
                m->points[b->from + i].at[n] - m->points[b->from].at[n])
                return false;
    return true;
}

/* ---- groups -------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct form_column *x = a, *y = b;
    return x->first[FORM_TO] < y->first[FORM_TO] ? -1 : x->first[FORM_TO] > y->first[FORM_TO];
}

/* All terms of a row are of one kind. */
static bool row_is_plain(const struct making *m, const struct flow_result *r)
{
    const struct flow_row *row = &m->flow->rows[r->row];
    if (!row->count)
        return true;
    const flow_ref first = r->base + m->flow->delta[row->first],
                   last = r->base + m->flow->delta[row->first + row->count - 1];
    return flow_space(first) == flow_space(last) && flow_kind_of(first) == flow_kind_of(last);
}

static bool begin_group(struct making *m, const struct column *c, struct form_group *g)
{
    const struct item *first = &m->items[c->from];
    *g = (struct form_group){.level = first->level,
                             .op = m->flow->rows[first->of->row].op,
                             .places = c->count,
                             .to = source_of(m, first->of->to),
                             .from = source_of(m, anchor(m, first->of)),
                             .add = source_of(m, first->of->add),
                             .second = source_of(m, first->of->second)};
    struct form_point *list = malloc(c->count * sizeof *list);
    for (size_t i = 0; list && i < c->count; i++)
        for (unsigned n = 0; n < FORM_NUMBERS; n++)
            list[i].at[n] = m->points[c->from + i].at[n] - m->points[c->from].at[n];
    const bool ok = list && form_nests(list, c->count, &g->nests, &g->nest_count);
    free(list);
    return ok || fail(m, "out of memory");
}

/* Whether two finishes differ in the numbers of channels at most. */
static bool same_shape(const struct flow_finish *a, const struct flow_finish *b)
{
    struct flow_finish x;
    memcpy(&x, a, sizeof x);
    x.bias = b->bias;
    x.step.multiplier = b->step.multiplier;
    x.step.shift = b->step.shift;
    x.step.low = b->step.low;
    x.step.high = b->step.high;
    return flow_same_finish(&x, b);
}

static bool is_of_group(const struct making *m, const struct form_group *g, const struct column *first,
                        const struct column *c)
{
    const struct item *item = &m->items[c->from];
    const struct form_source to = source_of(m, item->of->to), from = source_of(m, anchor(m, item->of)),
                             add = source_of(m, item->of->add), second = source_of(m, item->of->second);
    return same_shape(&m->flow->finishes[m->items[first->from].of->finish],
                      &m->flow->finishes[item->of->finish]) &&
           first->count == c->count && first->hash == c->hash && g->level == item->level &&
           g->op == m->flow->rows[item->of->row].op &&
           m->flow->rows[item->of->row].start == m->flow->rows[m->items[first->from].of->row].start &&
           same_source(&g->to, &to) && (same_source(&g->from, &from) || !from.there) &&
           same_source(&g->add, &add) && same_source(&g->second, &second) && g->op != FLOW_SOFTMAX &&
           same_places(m, first, c);
}

static bool put_column(struct making *m, const struct column *c, struct form_group *g)
{
    const struct item *item = &m->items[c->from];
    if (!row_is_plain(m, item->of))
        return fail(m, "operands of several kinds in a sum");
    if ((g->column_count & (g->column_count - 1)) == 0) {
        struct form_column *columns = realloc(g->columns, (2 * g->column_count + 1) * sizeof *columns);
        if (!columns)
            return fail(m, "out of memory");
        g->columns = columns;
    }
    struct form_column *column = &g->columns[g->column_count++];
    column->row = item->of->row;
    column->finish = item->of->finish;
    memcpy(column->first, m->points[c->from].at, sizeof column->first);
    return true;
}

static bool make_groups(struct making *m, struct column *columns, size_t count)
{
    const struct column **first = calloc(count + 1, sizeof *first);
    struct form *form = m->form;
    bool ok = first && (form->groups = calloc(count + 1, sizeof *form->groups));
    for (size_t i = 0; ok && i < count; i++) {
        size_t g = 0;
        for (; g < form->count; g++) {
            assert(first[g]);
            if (is_of_group(m, &form->groups[g], first[g], &columns[i]))
                break;
        }
        if (g == form->count) {
            first[g] = &columns[i];
            ok = begin_group(m, &columns[i], &form->groups[form->count++]);
        }
        ok = ok && put_column(m, &columns[i], &form->groups[g]);
    }
    free(first);
    for (size_t g = 0; ok && g < form->count; g++) {
        struct form_group *group = &form->groups[g];
        assert(group->columns); /* each group has one */
        qsort(group->columns, group->column_count, sizeof *group->columns, by_place);
        for (size_t c = 0; !group->from.there && c < group->column_count; c++)
            group->columns[c].first[FORM_BASE] = 0;
        ok = form_taps(m->flow, group, m->why);
    }
    return ok || fail(m, "out of memory");
}

static bool make(struct making *m)
{
    for (size_t i = 0; i < m->flow->result_count; i++) {
        const struct flow_result *r = &m->flow->results[i];
        m->items[i] = (struct item){.of = r, .level = level_of(m, r)};
        set_sources(m, &m->items[i]);
        if (flow_space(r->to) == FLOW_TEMPS)
            m->temp_level[flow_offset(r->to) / 8] = m->items[i].level;
    }
    m->count = m->flow->result_count;
    if (!fold_softmax(m))
        return false;
    qsort(m->items, m->count, sizeof *m->items, by_column);
    set_points(m);
    struct column *columns = calloc(m->count + 1, sizeof *columns);
    size_t count = 0;
    for (size_t i = 0; columns && i < m->count; i++) {
        if (!i || !same_column(&m->items[i - 1], &m->items[i]))
            columns[count++].from = i;
        columns[count - 1].count++;
    }
    for (size_t i = 0; columns && i < count; i++)
        columns[i].hash = hash_column(m, &columns[i]);
    const bool ok = columns && make_groups(m, columns, count);
    free(columns);
    return ok || fail(m, "out of memory");
}

bool form_make(const struct flow *flow, struct form *to, struct strbuf *why)
{
    struct making m = {.flow = flow, .form = to, .why = why};
    *to = (struct form){.count = 0};
    m.items = malloc((flow->result_count + 1) * sizeof *m.items);
    m.points = malloc((flow->result_count + 1) * sizeof *m.points);
    m.temp_level = calloc(flow->temps + 1, sizeof *m.temp_level);
    const bool ok = (m.items && m.points && m.temp_level) ? make(&m) : fail(&m, "out of memory");
    free(m.items);
    free(m.points);
    free(m.temp_level);
    return ok;
}

size_t form_tap_at(const struct form_group *g, int64_t tap)
{
    size_t low = 0, high = g->tap_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (g->taps[middle] <= tap)
            low = middle;
        else
            high = middle;
    }
    return low;
}
