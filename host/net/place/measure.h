/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures a run: the processor time of each node on the host, and what the rest
 * of the host's work for nodes takes (shapes, room for values).
 */
#ifndef TULLE_HOST_NET_PLACE_MEASURE_H
#define TULLE_HOST_NET_PLACE_MEASURE_H

#include "host/net/cpu/kernel.h"
#include "host/net/place/library.h"

struct place_watch {
    const struct net *net;
    const struct offer *inner; /* offered nodes first; NULL: nothing */
    struct offer offer;
    double *seconds; /* of each node's kernel on the host in the last run; 0: it was not computed there */
    double device, kernels, all; /* of the last run: within the inner offer, in kernels, of everything */
    double began;
    bool warm; /* a node behind one of the inner offer is computed twice, and the second time counts: a
                  simulated device fills the host's caches, and another one does not */
    bool cold; /* the inner offer had the node before */
};

enum { PLACE_RUNS_MOST = 64 };

/* Of a thread's processor time. */
double place_clock(void);

/* Watches a run from now on. To be called behind what else is offered its nodes. False: out of memory. */
bool place_watch_begin(struct place_watch *watch, struct net *net, struct run *run);
void place_watch_end(struct place_watch *watch);
/* Takes the medians of the node's times in so many runs for those of the last one. `times` has `seconds` of
 * each of them, one run behind the other. */
void place_watch_medians(struct place_watch *watch, const double *times, unsigned runs);
void place_watch_free(struct place_watch *watch);

/* What the library has for the rest of a node: its shapes, and room for its results. */
#define PLACE_REST_KEY "rest-of-a-node"

/* Runs the network on the host with random inputs, so often, and adds the median times of its nodes. All
 * dimensions must have sizes. False after an error. */
bool place_calibrate(struct net *net, unsigned runs, struct place_library *library, struct diag *diag);

#endif
