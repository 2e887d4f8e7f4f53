/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net explain`: where each layer of a network runs, why, and what it costs.
 */
#ifndef TULLE_HOST_CLI_NET_EXPLAIN_H
#define TULLE_HOST_CLI_NET_EXPLAIN_H

#include "host/cli/net_layers.h"

/* A line for each node, and one for the whole. `ran`: the layers have run, and have counters. */
/* Raised when something in the JSON changes its meaning. */
enum { NET_EXPLAIN_LAYOUT = 1 };

bool net_explain(const struct net_layers *layers, bool ran, bool json, struct strbuf *to, struct diag *diag);

#endif
