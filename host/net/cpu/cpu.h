/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs networks on the CPU, node by node: the reference that everything else is
 * compared with. Kernels are plain: real numbers are computed in double and
 * rounded to their type once, integers exactly.
 */
#ifndef TULLE_HOST_NET_CPU_H
#define TULLE_HOST_NET_CPU_H

#include "host/net/graph/operators.h"

/* Numbers of a tensor in memory, one after another, aligned for their type. */
struct view {
    enum net_type type;
    int rank;
    int64_t dim[NET_RANK_MAX];
    size_t count;
    void *data;
};

/* A run of a network, which it belongs to until its end: while it exists, values are constants of the graph.
 */
struct run;

struct run *run_new(struct net *net, struct diag *diag);
void run_free(struct run *run);

/* The value of an input: copied. False after an error. */
bool run_set(struct run *run, struct tensor *input, const struct view *value);
/* Runs all nodes. False after an error, which names the node. */
bool run_nodes(struct run *run);
/* Runs a node whose inputs have values. */
bool run_step(struct run *run, struct node *node);
/* The value of any tensor after its node has run; false: it has none. */
bool run_get(struct run *run, struct tensor *tensor, struct view *value);

/* Whether there is a kernel for the operator. */
bool cpu_has(const char *operator_name);

#endif
