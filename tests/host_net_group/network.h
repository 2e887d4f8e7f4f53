/* SPDX-License-Identifier: Apache-2.0
 *
 * Random networks with everything that groups are made of, and their runs on the CPU.
 */
#ifndef TULLE_TESTS_HOST_NET_GROUP_NETWORK_H
#define TULLE_TESTS_HOST_NET_GROUP_NETWORK_H

#include "gen/base/random.h"
#include "host/net/cpu/cpu.h"

/* How many networks a test draws: `usual`, or TULLE_GROUP_NETWORKS. */
unsigned drawn_networks(unsigned usual);

/* What a network has. */
enum drawn_kind { DRAW_CHAIN, DRAW_JOIN, DRAW_RESIDUAL, DRAW_SQUEEZE, DRAW_KINDS };

/* A network of so many pieces of these kinds (a bit for each) on an image of at most `size` rows and columns:
 * scaled tensors of int8 with the channels last, or floats with the channels first. Inner results are outputs
 * now and then. */
struct net *draw_network(struct random *random, unsigned pieces, unsigned kinds, unsigned size);

/* A run with inputs that the seed makes, in which every node has run. */
struct run *complete_run(struct net *net, uint64_t seed, struct diag *diag);

/* Outputs of a run. */
struct drawn_outputs {
    size_t count;
    struct view *view; /* with their own numbers */
};
struct drawn_outputs copy_outputs(struct run *run, const struct net *net);
/* Both of these. */
struct drawn_outputs run_drawn(struct net *net, uint64_t seed);
void free_drawn(struct drawn_outputs *outputs);
/* Whether all outputs are the same bits. */
bool same_drawn(const struct drawn_outputs *a, const struct drawn_outputs *b);

#endif
