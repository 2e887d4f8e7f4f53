/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net ... --groups`: layers go through the chip in groups, slice by slice (docs/groups.md).
 */
#ifndef TULLE_HOST_CLI_NET_GROUPS_H
#define TULLE_HOST_CLI_NET_GROUPS_H

#include "gen/base/options.h"
#include "host/cli/net_groups_judge.h"
#include "host/net/group/partition.h"

struct net_groups_options {
    bool on, rows_only, listing;
    bool runs;   /* on a device, whose programs follow the slices */
    bool judged; /* groups stay where they win on it */
    const char *chip_text, *stream_text, *rate_text;
    struct net_groups_rate rate; /* of memory */
    int64_t on_chip, stream;
    const char **forced; /* FIRST..LAST[/P] */
    unsigned forced_count;
};

enum { NET_GROUPS_ENTRIES = 7 };
size_t net_groups_entries(struct net_groups_options *options, struct option_entry *to);
void net_groups_check(struct net_groups_options *options, struct diag *diag);

/* Groups of a network, and what they cost. `report` NULL: nothing is said of them. `slices` NULL: nothing is
 * cut; else it gets the network in slices, which needs the first one. `apart`, of groups that are judged:
 * layer by layer the network takes fewer cycles and no more bytes, so nothing is cut. False after an error.
 */
bool net_groups(struct net *net, const struct net_groups_options *options,
                const struct net_layers_options *on, bool json, struct strbuf *report, struct net **slices,
                bool *apart, struct diag *diag);

#endif
