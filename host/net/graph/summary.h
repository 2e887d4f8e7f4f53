/* SPDX-License-Identifier: Apache-2.0
 *
 * What a network needs, in numbers.
 */
#ifndef TULLE_HOST_NET_SUMMARY_H
#define TULLE_HOST_NET_SUMMARY_H

#include "host/net/graph/graph.h"

struct net_summary {
    struct dim parameters; /* elements of constants that are no lists of sizes */
    struct dim weight_bytes;
    uint64_t kept_bytes; /* net_kept_most() */
    uint64_t non_zeros;  /* of the parameters: not 0, or not the zero point */
    struct dim multiplications;
    struct dim activation_bytes; /* inputs, and results of all nodes */
    uint64_t live_bytes;         /* the most at one time, when nodes run one after another; 0: not known */
    bool missing;                /* weights that no file gave */
};

struct net_summary net_summarise(struct net *net);
/* Bytes that runs may keep of what they make of weights, as the CPU takes them; 0: weights have no size. */
uint64_t net_kept_most(struct net *net);
/* Elements of a node's constants, which are counted with the first node that has them. */
struct dim node_parameters(struct net *net, const struct node *node);

#endif
