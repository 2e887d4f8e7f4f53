/* SPDX-License-Identifier: Apache-2.0
 *
 * The network with its slices as a graph of its own. In place of each group that is cut there
 * are: for each slice a Slice of what the group reads, a copy of its nodes with the
 * padding of that slice, a Slice and a Concat for what is kept from the slice before; and a
 * Concat along each axis that is cut for what the group writes. Everything else is as it was. Nodes and
 * inner tensors of slice (p, q) have "@p" or "@p.q" behind their names.
 */
#ifndef TULLE_HOST_NET_GROUP_PARTITION_H
#define TULLE_HOST_NET_GROUP_PARTITION_H

#include "host/net/group/cover.h"

/* Numbers of constants stay those of the chart's network, which must exist as long as the new one. NULL after
 * an error. */
struct net *group_partition(const struct group_chart *chart, const struct group_cover *cover,
                            struct diag *diag);

#endif
