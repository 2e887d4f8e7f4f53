/* SPDX-License-Identifier: Apache-2.0
 *
 * Placement where neighbours on a device are one job (host/net/device/parts.h).
 *
 * A strategy chooses with a problem in which a device keeps values: an operation
 * has its cycles there, and a value that crosses between host and device its copy
 * and the start of a job. What stands together on the device then becomes parts,
 * which are planned: what they take is what is predicted in the end. The default
 * plans parts of what every strategy chooses, and keeps the best.
 */
#ifndef TULLE_HOST_NET_PLACE_JOINED_H
#define TULLE_HOST_NET_PLACE_JOINED_H

#include "host/net/place/network.h"

/* Makes the device's layers in parts, of the nodes that it may have, in place of those that it has. */
struct place_joiner {
    void *context;
    bool (*make)(void *context, const struct layers_placer *placer, struct diag *diag);
};

/* The problem of a network on one device, whose layers were jobs of their own when it was made, becomes that
 * of parts. False: out of memory. */
bool place_join_costs(struct place_network *network);
/* As place_network_apply(). The network's nodes are in the order of the parts then. */
bool place_network_join(struct place_network *network, const struct place_joiner *joiner, struct diag *diag);
/* Predicted seconds with the parts as they are planned now: they learn from their first run. */
double place_joined_seconds(const struct place_network *network);
/* A line for each part, and for each operation within another one: what that saved. */
void place_tell_joined(const struct place_network *network, struct strbuf *to);
/* The same as JSON, a member of an object: "savings": [...]. */
void place_json_joined(const struct place_network *network, struct strbuf *to);

#endif
