/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes change a graph and keep what it computes. Each is one file with one
 * property, which tests/host_net/passes.c holds on random graphs: integers stay
 * the same to the bit, and so do floats, but where a pass says otherwise.
 *
 * After a pass, nodes are in order, counts of users and shapes are right, and the
 * graph can be written as ONNX.
 */
#ifndef TULLE_HOST_NET_PASS_H
#define TULLE_HOST_NET_PASS_H

#include "host/net/graph/graph.h"

struct edit;

struct pass {
    const char *name, *does;
    bool (*run)(struct edit *e);
};

/* In the order in which all of them run. Ends with a NULL name. */
extern const struct pass passes[];

/* NULL: there is none of that name. */
const struct pass *pass_find(const char *name, size_t length);

/* Runs a pass. `changes`: how often it found its pattern. False after an error, which leaves the graph unfit
 * for use: the memory of the network is full. */
bool pass_run(struct net *net, const struct pass *pass, size_t *changes, struct diag *diag);
/* The same for a pass that is not in the list, with a context of its own. */
bool pass_run_with(struct net *net, const struct pass *pass, void *context, size_t *changes,
                   struct diag *diag);

/* Runs the passes of the list, which ends with NULL, or all of them (NULL), until nothing changes. */
bool passes_settle(struct net *net, const char *const *names, struct diag *diag);

#endif
