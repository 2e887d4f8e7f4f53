/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "host/cli/net_groups_show.h"
#include "host/net/group/schedule.h"

enum { NAME_SHOWN = 60 };

/* What each kind of step belongs to: the read, the compute or the write set of its slice. */
static const char *const kinds[] = {[STEP_READ] = "read",
                                    [STEP_FETCH] = "fetch",
                                    [STEP_COMPUTE] = "compute",
                                    [STEP_WRITE] = "write",
                                    [STEP_KEEP] = "keep"};

static void show_step(const struct group *group, const struct group_step *s, struct strbuf *to)
{
    const struct group_value *v = &group->chart->values[group->members[s->member].value];
    const bool computes = s->kind == STEP_COMPUTE, direct = s->frame == UINT64_MAX;
    sb_addf(to, "  %-8s", computes && direct ? "write" : kinds[s->kind]);
    sb_addf(to, "rows %4" PRId64 "..%-4" PRId64 " columns %4" PRId64 "..%-4" PRId64 " %9" PRIu64 " bytes ",
            s->begin[GROUP_ROWS], s->end[GROUP_ROWS] - 1, s->begin[GROUP_COLUMNS], s->end[GROUP_COLUMNS] - 1,
            s->bytes);
    if (direct)
        sb_add(to, "computed to memory");
    else
        sb_addf(to, "%s 0x%06" PRIx64, s->kind == STEP_WRITE ? "from" : "in", s->frame);
    if (s->kind == STEP_FETCH || s->kind == STEP_KEEP)
        sb_addf(to, ", kept at 0x%06" PRIx64, s->at);
    sb_addf(to, "  %.*s\n", NAME_SHOWN, v->tensor->name);
}

static bool list_group(const struct group_chart *chart, const struct group_choice *choice, struct strbuf *to)
{
    struct group group = {0};
    struct group_cut cut = {0};
    struct group_schedule schedule = {0};
    const bool ok = group_open(chart, choice->first, choice->last, &group) &&
                    group_cut_open(&group, choice, &cut) && group_schedule_open(&group, &cut, &schedule);
    for (size_t i = 0; ok && i < schedule.count; i++) {
        const struct group_step *s = &schedule.steps[i], *before = i ? s - 1 : NULL;
        if (!before || before->row != s->row || before->column != s->column)
            sb_addf(to, "\ngroup %zu..%zu, slice %zu of %zu, strip %zu of %zu\n", choice->first, choice->last,
                    s->row + 1, choice->parts[GROUP_ROWS], s->column + 1, choice->parts[GROUP_COLUMNS]);
        show_step(&group, s, to);
    }
    group_schedule_close(&schedule);
    group_cut_close(&cut);
    group_close(&group);
    return ok;
}

bool net_groups_list(const struct group_chart *chart, const struct group_cover *cover, struct strbuf *to)
{
    bool ok = true;
    for (size_t i = 0; ok && i < cover->count; i++)
        ok = !cover->choices[i].grouped || list_group(chart, &cover->choices[i], to);
    return ok;
}
