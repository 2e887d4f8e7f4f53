/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of groups, as entries of a table, and where a network has them. A kind says how
 * many branches meet in a layer, where they begin, and what may lie in them. What
 * is found are elements: layers one behind another that are of a kind. Elements
 * overlap, and a group is one element or several behind one another.
 */
#ifndef TULLE_HOST_NET_GROUP_PATTERN_H
#define TULLE_HOST_NET_GROUP_PATTERN_H

#include "host/net/group/chart.h"

struct group_pattern {
    const char *name, *does;
    unsigned branches_least, branches_most; /* that the last layer reads; 1: there is no join */
    unsigned starts_least, starts_most;     /* different values that they begin at */
    const char *const *joins; /* operators that join branches, NULL at the end; NULL: there is no join */
    bool whole;               /* a layer may need all rows of what it reads */
};

/* Serial, inverse-Y and residual. Ends with a NULL name. */
extern const struct group_pattern group_patterns[];

struct group_element {
    const struct group_pattern *pattern;
    size_t first, last;
};

/* NULL: out of memory. By their first layer, and the shorter ones first. */
struct group_element *group_find(const struct group_chart *chart, const struct group_pattern *patterns,
                                 size_t *count);

/* Whether elements one behind another make layers first .. last. `reached` has room for a number for each
 * layer of the chart and one more: afterwards reached[i + 1] is the last element of such a row that ends with
 * layer i, and its place counts from 1; 0: none does. */
bool group_is_tiled(const struct group_element *elements, size_t count, size_t first, size_t last,
                    size_t *reached);

#endif
