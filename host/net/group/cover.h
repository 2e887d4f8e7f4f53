/* SPDX-License-Identifier: Apache-2.0
 *
 * Which layers form groups and how these are cut. Each row of layers that elements
 * make (pattern.h) is a candidate, at its best cut. Of all ways to cover the network with
 * candidates and single layers the one with the least price is chosen, by a shortest path.
 */
#ifndef TULLE_HOST_NET_GROUP_COVER_H
#define TULLE_HOST_NET_GROUP_COVER_H

#include "host/net/group/cost.h"
#include "host/net/group/pattern.h"

/* Layers first .. last: a group that is cut, or one layer that reads and writes memory. */
struct group_choice {
    size_t first, last;
    bool grouped;
    enum group_keeping keeping;
    int64_t step[GROUP_AXES];
    size_t parts[GROUP_AXES];
    struct group_cost cost;
};

/* A group that the caller wants. parts 0: as many row slices as cost least. */
struct group_forced {
    size_t first, last;
    size_t parts;
};

struct group_cover {
    struct group_choice *choices; /* all layers, in their order */
    size_t count;
    struct group_cost cost, apart; /* apart: layer by layer */
    size_t candidates;             /* that were looked at */
};

/* How a group must be cut; all zero: as it costs least. */
struct group_wish {
    size_t parts; /* row slices; 0: any */
    bool one_way; /* rows that slices share are had as `keeping` says; else in any way */
    enum group_keeping keeping;
};

/* The best cut of layers first .. last. False: there is none that fits, or
 * the memory is full; `least` is the room that the smallest cut needs, weights on their way included (0: it
 * cannot be cut). */
bool group_best_cut(const struct group_chart *chart, size_t first, size_t last, struct group_wish wish,
                    const struct group_target *target, struct group_choice *choice, uint64_t *least);

/* False after an error. */
bool group_cover_find(const struct group_chart *chart, const struct group_pattern *patterns,
                      const struct group_target *target, const struct group_forced *forced,
                      size_t forced_count, struct group_cover *cover, struct diag *diag);
/* The cover with those of its choices alone for which `keep` says so: the layers of other groups are by
 * themselves. False: out of memory. */
bool group_cover_keep(const struct group_chart *chart, const struct group_target *target,
                      const struct group_cover *cover, const bool *keep, struct group_cover *to);
void group_cover_close(struct group_cover *cover);

/* The ranges of a choice. False: out of memory. */
bool group_cut_open(const struct group *group, const struct group_choice *choice, struct group_cut *cut);
void group_cut_close(struct group_cut *cut);

#endif
