/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows, or columns, of each value the slices of a group need. The group's results
 * are cut into pieces of equal height, and what each piece needs is followed backwards
 * through the layers. Axes do not depend on each other, so this is about one of them.
 */
#ifndef TULLE_HOST_NET_GROUP_SLICES_H
#define TULLE_HOST_NET_GROUP_SLICES_H

#include "host/net/group/chart.h"

/* A value that a group reads or makes. */
struct group_member {
    size_t value;
    bool input;         /* it comes from memory */
    bool output;        /* it goes to memory */
    size_t first, last; /* layers of the group that read it; first is GROUP_NONE: none does */
    size_t made;        /* by which layer; an input: GROUP_NONE */
};

/* Layers first .. last, which stand one behind the other, and the values that they have to do with. */
struct group {
    const struct group_chart *chart;
    size_t first, last;
    struct group_member *members;
    size_t count;
    uint64_t *work;    /* room for sums over layers, of whoever is called */
    size_t *member_of; /* of values of the chart; GROUP_NONE: it is none */
};

bool group_open(const struct group_chart *chart, size_t first, size_t last, struct group *group);
void group_close(struct group *group);
/* The most rows, or columns, of a result that no layer of the group reads; 0: there is none. */
int64_t group_result_size(const struct group *group, int axis);

/* Whether a slice keeps what the next one needs again, or that is made or read again. */
enum group_keeping { KEEP_NOTHING, KEEP_MADE, KEEP_ALL, GROUP_KEEPINGS };

/* Of a value in a slice: begin .. end - 1 is there, of which begin .. fresh - 1 was kept, and the rest is
 * made or read by this slice. `owned` .. end - 1 is what the slice writes of a value that goes to memory. */
struct group_range {
    int64_t begin, fresh, end, owned;
    int64_t before, after; /* padding that readers of this slice see in front of it and behind it */
};

struct group_slices {
    int64_t step; /* rows of the group's largest result in each slice but the last */
    size_t parts;
    struct group_range *ranges; /* [part][member] */
};

/* False: out of memory, or `why` is set: the group cannot be cut so. */
bool group_slice(const struct group *group, int axis, int64_t step, enum group_keeping keeping,
                 struct group_slices *slices, const char **why);
void group_slices_close(struct group_slices *slices);

static inline const struct group_range *group_range(const struct group *group, const struct group_slices *s,
                                                    size_t part, size_t member)
{
    return &s->ranges[part * group->count + member];
}

#endif
