/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which groups of layers a device runs. The estimate of host/net/group ranks them, and what the
 * planner says of programs decides: its cycles are those of the cycle model, and its bytes those that the
 * program moves. Groups that are cut into slices stay only if the network takes at most nine tenths of the
 * cycles with them, and no more bytes.
 */
#ifndef TULLE_HOST_CLI_NET_GROUPS_JUDGE_H
#define TULLE_HOST_CLI_NET_GROUPS_JUDGE_H

#include "host/cli/net_layers.h"
#include "host/net/group/cover.h"

/* Of a network on the device. */
struct net_groups_price {
    uint64_t cycles, bytes;
};

/* Memory moves at most so many beats in so many cycles. */
struct net_groups_rate {
    unsigned beats, cycles;
};

/* What was found, for the messages of the command. */
struct net_groups_verdict {
    size_t cut, kept;                           /* groups that are cut */
    struct net_groups_price whole, all, chosen; /* without groups, with all, with those that are kept */
    struct net_groups_price layers;             /* layer by layer */
    bool apart;                                 /* which takes fewer cycles than `chosen` */
    bool used_apart;                            /* and no more bytes, so that it is used */
};

/* Plans the network layer by layer: `planned` gets what the program of each of the chart's layers moves, and
 * the verdict what they take together. False after an error. */
bool net_groups_plan(const struct group_chart *chart, const struct net_groups_rate *rate,
                     const struct net_layers_options *on, struct group_planned *planned,
                     struct net_groups_verdict *verdict, struct diag *diag);

/* Takes groups that do not win out of the cover. The verdict knows of the network layer by layer. What it
 * knows of the network without groups, from another cover, is not found again; else that is zero. False after
 * an error. */
bool net_groups_judge(const struct group_chart *chart, const struct group_target *target,
                      const struct net_groups_rate *rate, const struct net_layers_options *on,
                      struct group_cover *cover, struct net_groups_verdict *verdict, struct diag *diag);

#endif
