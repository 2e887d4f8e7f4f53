/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs of one node, which run on the CPU with given numbers.
 */
#ifndef TULLE_TESTS_HOST_NET_GRAPHS_H
#define TULLE_TESTS_HOST_NET_GRAPHS_H

#include "host/net/cpu/scaled.h"

/* An operand: numbers, and what they stand for. */
struct operand {
    struct view view;
    struct quantisation scales; /* count 0: none */
};

/* Operands of a list of int8 numbers and so on, with dimensions; `scale` 0: none. */
struct operand operand_of(enum net_type type, int rank, const int64_t *dim, void *numbers, float scale,
                          int32_t zero);

/* NULL after an error. Attributes can be added to the node before it runs. */
struct net *graph_of(const char *domain, const char *type, const struct operand *const *in, size_t count,
                     const struct operand *out, struct node **node);
/* Runs it; the result goes to the numbers of `out`. */
bool graph_run(struct net *net, const struct operand *const *in, const struct operand *out,
               struct diag *diag);

#endif
