/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net run --device`: a network's layers on a device.
 */
#ifndef TULLE_HOST_CLI_NET_LAYERS_H
#define TULLE_HOST_CLI_NET_LAYERS_H

#include "host/cli/net_marks.h"
#include "host/cli/progress.h"
#include "host/net/compiled/compiled.h"

struct net_layers_options {
    const char *device; /* NULL: on the CPU */
    bool check, apart, fused, quiet;
    int64_t seconds;           /* that a layer may take */
    struct compiled *compiled; /* that the network is from; NULL: its layers are planned */
    struct net_marks marks;
};

struct net_layers {
    struct tulle_device *device;
    struct layers *layers; /* NULL: on the CPU */
    struct progress progress;
    struct marks *marks;
};

/* False after an error. To be closed in any case. */
bool net_layers_open(struct net *net, const struct net_layers_options *options, struct net_layers *to,
                     struct diag *diag);
void net_layers_close(struct net_layers *layers);

/* The node's name, or that of its first result. */
const char *net_layers_name(const struct node *node);

/* Prints how many nodes there are where, without the end of the line. */
void net_layers_count(const struct net_layers *layers, const struct net_layers_options *options,
                      struct strbuf *to);
/* Prints how many nodes ran where, and what was compared. False: something differs. */
bool net_layers_report(const struct net *net, const struct net_layers *layers,
                       const struct net_layers_options *options, struct strbuf *to, struct diag *diag);

#endif
