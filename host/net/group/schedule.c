/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/schedule.h"

#include <stdlib.h>

struct scheduling {
    const struct group *group;
    const struct group_cut *cut;
    struct group_schedule *to;
    size_t row, column;
    const uint64_t *kept; /* where each member's kept rows are */
    bool failed;
};

static const struct group_range *range(const struct scheduling *s, int axis, size_t member)
{
    return group_range(s->group, &s->cut->slices[axis], axis == GROUP_ROWS ? s->row : s->column, member);
}

static uint64_t frame_of(const struct scheduling *s, size_t member)
{
    return group_frame(s->group, s->cut, s->to, s->row, s->column, member);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

/* Rows begin .. end - 1 of a member's columns; none: no step. */
static void add(struct scheduling *s, enum group_step_kind kind, size_t member, int64_t begin, int64_t end)
{
    struct group_schedule *to = s->to;
    const struct group_range *columns = range(s, GROUP_COLUMNS, member);
    const bool writes = kind == STEP_WRITE || (kind == STEP_COMPUTE && frame_of(s, member) == UINT64_MAX);
    const int64_t from = writes ? columns->owned : columns->begin;
    if (end <= begin || columns->end <= from || s->failed)
        return;
    struct group_step *more = realloc(to->steps, (to->count + 1) * sizeof *more);
    s->failed = !more;
    if (!more)
        return;
    to->steps = more;
    more[to->count++] =
        (struct group_step){.kind = kind,
                            .row = s->row,
                            .column = s->column,
                            .member = member,
                            .begin = {begin, from},
                            .end = {end, columns->end},
                            .frame = frame_of(s, member),
                            .at = s->kept[member],
                            .bytes = (uint64_t)(end - begin) * (uint64_t)(columns->end - from) *
                                     group_place_bytes(s->group, member)};
}

/* The frame begins with what the slice before has left. */
static void fetch(struct scheduling *s, size_t member)
{
    const struct group_range *rows = range(s, GROUP_ROWS, member);
    add(s, STEP_FETCH, member, rows->begin, rows->fresh);
}

static void read_inputs(struct scheduling *s, size_t layer)
{
    for (size_t m = 0; m < s->group->count; m++)
        if (s->group->members[m].input && s->group->members[m].first == layer) {
            fetch(s, m);
            add(s, STEP_READ, m, range(s, GROUP_ROWS, m)->fresh, range(s, GROUP_ROWS, m)->end);
        }
}

static void compute(struct scheduling *s, size_t layer)
{
    const size_t member = s->group->member_of[s->group->chart->layers[layer].value];
    const struct group_member *m = &s->group->members[member];
    const struct group_range *rows = range(s, GROUP_ROWS, member);
    fetch(s, member);
    add(s, STEP_COMPUTE, member, rows->fresh, rows->end);
    if (m->output && m->first != GROUP_NONE)
        add(s, STEP_WRITE, member, rows->owned, rows->end);
}

/* Frames whose last reader has run leave what the next slice needs. */
static void keep(struct scheduling *s, size_t layer)
{
    const struct group_slices *rows = &s->cut->slices[GROUP_ROWS];
    for (size_t m = 0; m < s->group->count && s->row + 1 < rows->parts; m++) {
        const struct group_range *next = group_range(s->group, rows, s->row + 1, m);
        if (s->group->members[m].first != GROUP_NONE && s->group->members[m].last == layer)
            add(s, STEP_KEEP, m, next->begin, next->fresh);
    }
}

static void schedule_slice(struct scheduling *s)
{
    for (size_t layer = s->group->first; layer <= s->group->last; layer++) {
        read_inputs(s, layer);
        compute(s, layer);
        keep(s, layer);
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void place_all(struct scheduling *s)
{
    const size_t rows = s->cut->slices[GROUP_ROWS].parts, columns = s->cut->slices[GROUP_COLUMNS].parts;
    for (size_t q = 0; q < columns; q++)
        for (size_t p = 0; p < rows; p++) {
            const uint64_t top =
                group_place(s->group, s->cut, p, q, &s->to->frames[(q * rows + p) * s->group->count]);
            s->to->room = top > s->to->room ? top : s->to->room;
        }
}

bool group_schedule_open(const struct group *group, const struct group_cut *cut,
                         struct group_schedule *schedule)
{
    const size_t rows = cut->slices[GROUP_ROWS].parts, columns = cut->slices[GROUP_COLUMNS].parts;
    uint64_t *kept = calloc(group->count + 1, sizeof *kept), at = 0;
    struct scheduling s = {.group = group, .cut = cut, .to = schedule, .kept = kept};
    *schedule = (struct group_schedule){
        .frames = calloc(rows * columns * group->count + 1, sizeof *schedule->frames)};
    s.failed = !kept || !schedule->frames;
    for (size_t m = 0; !s.failed && m < group->count; m++) {
        kept[m] = at;
        at += group_kept_bytes(group, cut, m);
    }
    if (!s.failed)
        place_all(&s);
    for (s.column = 0; !s.failed && s.column < columns; s.column++)
        for (s.row = 0; !s.failed && s.row < rows; s.row++)
            schedule_slice(&s);
    free(kept);
    if (s.failed)
        group_schedule_close(schedule);
    return !s.failed;
}

void group_schedule_close(struct group_schedule *schedule)
{
    free(schedule->steps);
    free(schedule->frames);
    *schedule = (struct group_schedule){0};
}

uint64_t group_frame(const struct group *group, const struct group_cut *cut,
                     const struct group_schedule *schedule, size_t row, size_t column, size_t member)
{
    return schedule->frames[(column * cut->slices[GROUP_ROWS].parts + row) * group->count + member];
}

uint64_t group_address(const struct group *group, const struct group_cut *cut,
                       const struct group_schedule *schedule, size_t row, size_t column, size_t member,
                       const int64_t place[GROUP_AXES])
{
    const struct group_range *rows = group_range(group, &cut->slices[GROUP_ROWS], row, member),
                             *columns = group_range(group, &cut->slices[GROUP_COLUMNS], column, member);
    const int64_t places = (place[GROUP_ROWS] - rows->begin + rows->before) *
                               (columns->end - columns->begin + columns->before + columns->after) +
                           place[GROUP_COLUMNS] - columns->begin + columns->before;
    return group_frame(group, cut, schedule, row, column, member) +
           (uint64_t)places * group_place_room(group, member);
}
