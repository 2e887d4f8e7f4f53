/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs networks on the CPU, node by node: the reference that everything else is
 * compared with. Kernels are plain: real numbers are computed in double and
 * rounded to their type once, integers exactly.
 */
#ifndef TULLE_HOST_NET_CPU_H
#define TULLE_HOST_NET_CPU_H

#include <stdatomic.h>

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
/* While nodes run, what no node and no output needs any more is freed. */
void run_forget(struct run *run);
/* So many threads share the work of large nodes; results are the same. False after an error. */
bool run_threads(struct run *run, unsigned threads);
/* The run ends before its next node once this is true: an error that says so. */
void run_stop_at(struct run *run, const atomic_bool *stop);
/* Runs all nodes. False after an error, which names the node. */
bool run_nodes(struct run *run);
/* Runs a node whose inputs have values. */
bool run_step(struct run *run, struct node *node);
/* Somebody who may compute nodes in place of their kernels. */
struct call;
enum offered { OFFER_LEFT, OFFER_DONE, OFFER_FAILED }; /* after an error that names the node */
typedef bool node_kernel(const struct call *c);
struct offer {
    void *context;
    enum offered (*take)(void *context, const struct call *call, node_kernel *kernel);
};
/* Nodes are offered from now on; NULL: no more. */
void run_offer(struct run *run, const struct offer *offer);
/* Who is offered them now. */
const struct offer *run_offered(const struct run *run);

/* Hands what a node computes to the taker, without values of what is computed: sizes must be known. False: it
 * cannot be told, for the reason that is added to `why`, or the taker says so. */
struct taker;
bool run_describe(struct run *run, struct node *node, const struct taker *taker, struct strbuf *why);

/* The value of any tensor after its node has run; false: it has none. */
bool run_get(struct run *run, struct tensor *tensor, struct view *value);

/* Whether there is a kernel for the operator. */
bool cpu_has(const char *operator_name);

#endif
