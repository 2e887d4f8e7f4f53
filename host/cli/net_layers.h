/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net run --device`: a network's layers on a device.
 */
#ifndef TULLE_HOST_CLI_NET_LAYERS_H
#define TULLE_HOST_CLI_NET_LAYERS_H

#include "host/cli/net_marks.h"
#include "host/cli/net_place.h"
#include "host/cli/progress.h"
#include "host/net/compiled/compiled.h"
#include "host/net/place/crowd.h"

struct net_layers_options {
    const char *device;          /* NULL: on the CPU */
    struct tulle_device *opened; /* NULL, or that device, which the caller closes */
    const char **others;         /* further devices, with --place or --together */
    unsigned other_count;
    bool together; /* layers are cut into pieces for all of them */
    bool check, apart, fused, quiet;
    bool as_predicted;         /* fused or not: with fewer cycles predicted */
    int64_t seconds;           /* that a layer may take */
    struct compiled *compiled; /* that the network is from; NULL: its layers are planned */
    struct net_marks marks;
    struct net_place_options place;
};

struct net_layers {
    struct tulle_device *device;
    struct layers *layers;                               /* NULL: on the CPU */
    struct tulle_device *devices[PLACE_PROCESSORS_MOST]; /* all of them, the first one too */
    bool lent;                                           /* the first one is the caller's */
    struct place_crowd crowd;                            /* their layers */
    struct net_layers_may {
        const struct net_placing *placing;
        size_t processor;
    } may[PLACE_PROCESSORS_MOST];
    char rows_name[PLACE_PROCESSORS_MOST][80]; /* of processors that are rows of the first device */
    struct progress progress;
    struct marks *marks;
    struct net_placing placing; /* with --place */
};

/* False after an error. To be closed in any case. */
bool net_layers_open(struct net *net, const struct net_layers_options *options, struct net_layers *to,
                     struct diag *diag);
/* With --place: chooses where each operation runs, by what the planner knows then. False after an error. */
bool net_layers_place(struct net *net, const struct net_layers_options *options, struct net_layers *layers,
                      struct diag *diag);
/* Offers the run's nodes to the devices, if there are any. */
void net_layers_offer(struct net_layers *layers, struct run *run);
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
