/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/form_loops.h"

#include <stdlib.h>
#include <string.h>

static bool is_step(const struct form_point *a, const struct form_point *b, const int64_t *step)
{
    for (unsigned n = 0; n < FORM_NUMBERS; n++)
        if (b->at[n] - a->at[n] != step[n])
            return false;
    return true;
}

/* How often the first `size` points come again, each time a step further on. */
static uint64_t repeats(const struct form_point *list, size_t count, size_t size, const int64_t *step)
{
    uint64_t times = 1;
    for (; (times + 1) * size <= count; times++)
        for (size_t i = 0; i < size; i++)
            if (!is_step(&list[(times - 1) * size + i], &list[times * size + i], step))
                return times;
    return times;
}

/* The longest nest that the list begins with; returns how many points it has. */
static size_t take_nest(const struct form_point *list, size_t count, struct form_nest *nest)
{
    size_t size = 1;
    *nest = (struct form_nest){.depth = 0};
    memcpy(nest->first, list[0].at, sizeof nest->first);
    while (nest->depth < FORM_DEPTH_MOST && size < count) {
        struct form_axis *axis = &nest->axis[nest->depth];
        for (unsigned n = 0; n < FORM_NUMBERS; n++)
            axis->step[n] = list[size].at[n] - list[0].at[n];
        axis->count = repeats(list, count, size, axis->step);
        if (axis->count == 1)
            break;
        size *= axis->count;
        nest->depth++;
    }
    return size;
}

bool form_nests(const struct form_point *list, size_t count, struct form_nest **nests, size_t *nest_count)
{
    size_t room = 0;
    for (size_t at = 0; at < count;) {
        if (*nest_count == room) {
            room = 2 * room + 4;
            struct form_nest *more = realloc(*nests, room * sizeof *more);
            if (!more)
                return false;
            *nests = more;
        }
        at += take_nest(list + at, count - at, &(*nests)[(*nest_count)++]);
    }
    return true;
}

struct form_nest *form_copies(const uint64_t *places, uint64_t count, size_t *nest_count)
{
    struct form_nest *nests = NULL;
    struct form_point *points = calloc(count + 1, sizeof *points);
    size_t there = 0;
    *nest_count = 0;
    for (uint64_t i = 0; points && i < count; i++)
        if (!(places[i] >> 63))
            points[there++] = (struct form_point){{[FORM_TO] = (int64_t)i, [FORM_BASE] = (int64_t)places[i]}};
    const bool ok = points && form_nests(points, there, &nests, nest_count);
    free(points);
    if (ok && nests)
        return nests;
    free(nests);
    return ok ? calloc(1, sizeof *nests) : NULL;
}
