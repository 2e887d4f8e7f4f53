/* SPDX-License-Identifier: Apache-2.0
 *
 * The best cut of given layers: all heights of slices that differ in their number are tried, widths with up
 * to eight strips, and each way to keep what neighbours share.
 */
#include <stdlib.h>

#include "host/net/group/cover.h"

enum { STRIPS_MOST = 8, PERCENT = 100 };

struct searching {
    const struct group_target *target;
    struct group group;
    struct group_choice *best;
    bool found;
    uint64_t least; /* room */
    uint64_t bound; /* no cut has a lower price */
    struct group_wish wish;
};

bool group_cut_open(const struct group *group, const struct group_choice *choice, struct group_cut *cut)
{
    const char *why;
    *cut = (struct group_cut){.keeping = choice->keeping};
    const bool ok = group_slice(group, GROUP_ROWS, choice->step[GROUP_ROWS], choice->keeping,
                                &cut->slices[GROUP_ROWS], &why) &&
                    group_slice(group, GROUP_COLUMNS, choice->step[GROUP_COLUMNS], KEEP_NOTHING,
                                &cut->slices[GROUP_COLUMNS], &why);
    if (!ok)
        group_cut_close(cut);
    return ok;
}

void group_cut_close(struct group_cut *cut)
{
    for (int axis = 0; axis < GROUP_AXES; axis++)
        group_slices_close(&cut->slices[axis]);
}

/* Whether it fits, and is better than what was found. */
static void judge(struct searching *s, const struct group_choice *like, const struct group_cut *cut)
{
    const struct group_target *t = s->target;
    struct group_choice now = *like;
    uint64_t room = group_peak(&s->group, cut);
    s->least = room + t->stream < s->least ? room + t->stream : s->least;
    if (room + t->stream > t->on_chip)
        return;
    now.cost = group_cost(&s->group, cut, t, room);
    if ((s->found && group_price(&now.cost, t) >= group_price(&s->best->cost, t)) ||
        now.cost.again * PERCENT > now.cost.multiplications * t->again)
        return;
    if (!group_room(&s->group, cut, &room) || room + t->stream > t->on_chip)
        return;
    now.cost = group_cost(&s->group, cut, t, room);
    if (s->found && group_price(&now.cost, t) >= group_price(&s->best->cost, t))
        return;
    for (int axis = 0; axis < GROUP_AXES; axis++)
        now.parts[axis] = cut->slices[axis].parts;
    *s->best = now;
    s->found = true;
}

static bool is_done(const struct searching *s)
{
    return s->found && group_price(&s->best->cost, s->target) == s->bound;
}

static void try_rows(struct searching *s, struct group_choice *like, struct group_cut *cut, int64_t rows)
{
    const char *why;
    int64_t before = 0;
    for (int64_t parts = 1; parts <= rows && !is_done(s); parts++) {
        const int64_t step = (rows + parts - 1) / parts;
        const bool wanted = !s->wish.parts || (size_t)((rows + step - 1) / step) == s->wish.parts;
        if (step == before || !wanted)
            continue;
        before = step;
        like->step[GROUP_ROWS] = step;
        if (group_slice(&s->group, GROUP_ROWS, step, like->keeping, &cut->slices[GROUP_ROWS], &why))
            judge(s, like, cut);
        group_slices_close(&cut->slices[GROUP_ROWS]);
    }
}

static void try_all(struct searching *s)
{
    const int64_t rows = group_result_size(&s->group, GROUP_ROWS),
                  columns = group_result_size(&s->group, GROUP_COLUMNS),
                  strips = s->target->columns ? (columns < STRIPS_MOST ? columns : STRIPS_MOST) : 1;
    const char *why;
    for (int64_t strip = 1; strip <= strips && rows && !is_done(s); strip++) {
        const int64_t step = (columns + strip - 1) / strip;
        struct group_cut cut = {0};
        if ((columns + step - 1) / step != strip ||
            !group_slice(&s->group, GROUP_COLUMNS, step, KEEP_NOTHING, &cut.slices[GROUP_COLUMNS], &why))
            continue;
        for (int keeping = 0; keeping < GROUP_KEEPINGS; keeping++) {
            if ((s->wish.one_way && s->wish.keeping != (enum group_keeping)keeping) ||
                (s->target->streams && keeping == KEEP_ALL))
                continue;
            struct group_choice like = {.first = s->group.first,
                                        .last = s->group.last,
                                        .grouped = true,
                                        .keeping = (enum group_keeping)keeping,
                                        .step[GROUP_COLUMNS] = step};
            cut.keeping = like.keeping;
            try_rows(s, &like, &cut, rows);
        }
        group_slices_close(&cut.slices[GROUP_COLUMNS]);
    }
}

/* What the group reads and writes in any case. */
static uint64_t bound_of(const struct searching *s)
{
    const struct group_chart *chart = s->group.chart;
    struct group_cost cost = {0};
    for (size_t m = 0; m < s->group.count; m++) {
        const struct group_member *member = &s->group.members[m];
        cost.read += member->input ? chart->values[member->value].bytes : 0;
        cost.written += member->output ? chart->values[member->value].bytes : 0;
    }
    for (size_t i = s->group.first; i <= s->group.last; i++)
        cost.weights += chart->layers[i].weights;
    return group_price(&cost, s->target);
}

bool group_best_cut(const struct group_chart *chart, size_t first, size_t last, struct group_wish wish,
                    const struct group_target *target, struct group_choice *choice, uint64_t *least)
{
    struct searching s = {.target = target, .best = choice, .least = UINT64_MAX, .wish = wish};
    if (!group_open(chart, first, last, &s.group))
        return false;
    s.bound = target->streams ? 0 : bound_of(&s); /* ends of groups may be in the bank */
    try_all(&s);
    group_close(&s.group);
    *least = s.least == UINT64_MAX ? 0 : s.least;
    return s.found;
}
