/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/slices.h"

#include <stdlib.h>

#include "host/net/group/window.h"

/* ---- groups ------------------------------------------------------------------------------------------ */

static void add_member(struct group *g, size_t value)
{
    const struct group_value *v = &g->chart->values[value];
    const bool inner = v->made != GROUP_NONE && v->made >= g->first && v->made <= g->last;
    if (g->member_of[value] != GROUP_NONE)
        return;
    g->member_of[value] = g->count;
    g->members[g->count++] = (struct group_member){.value = value,
                                                   .input = !inner,
                                                   .output = inner && v->wanted,
                                                   .first = GROUP_NONE,
                                                   .last = GROUP_NONE,
                                                   .made = inner ? v->made : GROUP_NONE};
}

static void add_layer(struct group *g, size_t at)
{
    const struct group_layer *layer = &g->chart->layers[at];
    for (size_t i = 0; i < layer->operand_count; i++) {
        add_member(g, layer->operands[i].value);
        struct group_member *m = &g->members[g->member_of[layer->operands[i].value]];
        m->first = m->first == GROUP_NONE ? at : m->first;
        m->last = at;
    }
    for (size_t v = 0; v < g->chart->value_count; v++) /* a layer that stands alone may make several */
        if (g->chart->values[v].made == at)
            add_member(g, v);
}

bool group_open(const struct group_chart *chart, size_t first, size_t last, struct group *group)
{
    *group = (struct group){.chart = chart, .first = first, .last = last};
    group->member_of = calloc(chart->value_count + 1, sizeof *group->member_of);
    group->members = calloc(chart->value_count + 1, sizeof *group->members);
    group->work = calloc(2 * (last - first + 2), sizeof *group->work);
    if (!group->member_of || !group->members || !group->work) {
        group_close(group);
        return false;
    }
    for (size_t v = 0; v < chart->value_count; v++)
        group->member_of[v] = GROUP_NONE;
    for (size_t i = first; i <= last; i++)
        add_layer(group, i);
    for (size_t m = 0; m < group->count; m++) {
        struct group_member *member = &group->members[m];
        const struct group_value *v = &chart->values[member->value];
        /* Others read it, or nobody does: then only the caller can know why it is made. */
        member->output = !member->input && (v->wanted || v->first == GROUP_NONE || v->last > last);
    }
    return true;
}

void group_close(struct group *group)
{
    free(group->member_of);
    free(group->members);
    free(group->work);
    *group = (struct group){0};
}

int64_t group_result_size(const struct group *group, int axis)
{
    int64_t most = 0;
    for (size_t m = 0; m < group->count; m++) {
        const int64_t size = group->chart->values[group->members[m].value].size[axis];
        if (group->members[m].output && group->members[m].first == GROUP_NONE && size > most)
            most = size;
    }
    return most;
}

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct cutting {
    const struct group *group;
    int axis;
    enum group_keeping keeping;
    int64_t most; /* rows of the largest result */
    struct group_slices *slices;
    const char *why;
};

static struct group_range *range_of(const struct cutting *c, size_t part, size_t member)
{
    return &c->slices->ranges[part * c->group->count + member];
}

static int64_t size_of(const struct cutting *c, size_t member)
{
    return c->group->chart->values[c->group->members[member].value].size[c->axis];
}

static bool keeps(const struct cutting *c, size_t member)
{
    return c->keeping == KEEP_ALL || (c->keeping == KEEP_MADE && !c->group->members[member].input);
}

/* Rows of a result in the pieces before `part`: in proportion, if it has fewer than the largest one. */
static int64_t cut_of(const struct cutting *c, size_t part, int64_t size)
{
    const int64_t at = (int64_t)part * c->slices->step;
    return c->most < 1 || at >= c->most ? size : (at * size + c->most - 1) / c->most;
}

static int64_t end_before(const struct cutting *c, size_t part, size_t member)
{
    return part ? range_of(c, part - 1, member)->end : 0;
}

/* Readers have said what they need of a value that a slice makes or reads: what is new of it? */
static void settle(const struct cutting *c, size_t part, size_t member)
{
    const struct group_member *m = &c->group->members[member];
    const bool last = part + 1 == c->slices->parts;
    const int64_t before = end_before(c, part, member), size = size_of(c, member);
    struct group_range *r = range_of(c, part, member);
    if (m->output && m->first == GROUP_NONE)
        *r = (struct group_range){.begin = cut_of(c, part, size), .end = cut_of(c, part + 1, size)};
    const bool needed = r->end > r->begin;
    if (!needed)
        r->begin = r->end = before;
    if (m->output) { /* all of it is written, once */
        r->end = last ? size : r->end > before ? r->end : before;
        r->begin = needed && r->begin < before ? r->begin : before;
        r->owned = before;
    }
    /* A reader that is behind others may need what these pass over. */
    if (needed && keeps(c, member) && m->first != m->last && r->begin > before)
        r->begin = before;
    r->fresh = keeps(c, member) && before > r->begin ? before : r->begin;
    if (r->end < r->fresh)
        r->end = r->fresh;
}

static bool need(struct cutting *c, size_t part, const struct group_operand *o,
                 const struct group_range *made)
{
    const size_t member = c->group->member_of[o->value];
    const int64_t size = size_of(c, member);
    const struct group_span s = group_window_span(&o->window[c->axis], size, made->fresh, made->end);
    struct group_range *r = range_of(c, part, member);
    if (s.begin >= s.end) {
        c->why = "a window of a slice lies in the padding alone";
        return false;
    }
    const bool first = r->end <= r->begin;
    r->begin = first || s.begin < r->begin ? s.begin : r->begin;
    r->end = first || s.end > r->end ? s.end : r->end;
    r->before = s.before > r->before ? s.before : r->before;
    r->after = s.after > r->after ? s.after : r->after;
    return true;
}

static bool cut_part(struct cutting *c, size_t part)
{
    const struct group *g = c->group;
    const struct group_chart *chart = g->chart;
    for (size_t at = g->last + 1; at-- > g->first;) {
        const struct group_layer *layer = &chart->layers[at];
        const size_t member = g->member_of[layer->value];
        settle(c, part, member);
        const struct group_range *made = range_of(c, part, member);
        for (size_t i = 0; made->end > made->fresh && i < layer->operand_count; i++)
            if (!need(c, part, &layer->operands[i], made))
                return false;
    }
    for (size_t m = 0; m < g->count; m++)
        if (g->members[m].input)
            settle(c, part, m);
    return true;
}

/* What a later slice needs stays through those before it. */
static void keep_back(const struct cutting *c)
{
    for (size_t part = c->slices->parts - 1; part-- > 0;)
        for (size_t m = 0; m < c->group->count; m++) {
            struct group_range *r = range_of(c, part, m);
            const struct group_range *next = range_of(c, part + 1, m);
            const int64_t kept = next->fresh > next->begin ? next->begin : r->begin;
            r->begin = kept < r->begin ? kept : r->begin;
        }
}

static const char *cannot_cut(const struct group *group, int64_t most, int64_t step)
{
    for (size_t i = group->first; i <= group->last; i++)
        if (group->chart->layers[i].alone)
            return "a layer has several results";
    return step < 1 || step > most ? "its results have no rows to cut" : NULL;
}

bool group_slice(const struct group *group, int axis, int64_t step, enum group_keeping keeping,
                 struct group_slices *slices, const char **why)
{
    const int64_t most = group_result_size(group, axis);
    struct cutting c = {.group = group, .axis = axis, .keeping = keeping, .most = most, .slices = slices};
    *slices = (struct group_slices){.step = step};
    *why = cannot_cut(group, most, step);
    if (*why)
        return false;
    slices->parts = (size_t)((most + step - 1) / step);
    slices->ranges = calloc(slices->parts * group->count + 1, sizeof *slices->ranges);
    bool ok = slices->ranges != NULL;
    for (size_t part = 0; ok && part < slices->parts; part++)
        ok = cut_part(&c, part);
    if (ok)
        keep_back(&c);
    else
        group_slices_close(slices);
    *why = c.why;
    return ok;
}

void group_slices_close(struct group_slices *slices)
{
    free(slices->ranges);
    *slices = (struct group_slices){0};
}
