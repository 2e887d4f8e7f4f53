/* SPDX-License-Identifier: Apache-2.0
 *
 * A network and its devices as a problem of placement, and placements as what
 * runs where. Devices have made all layers that they can (host/net/device); a
 * layer that is not placed on its device goes back to the CPU, with the numbers
 * as its reason.
 */
#ifndef TULLE_HOST_NET_PLACE_NETWORK_H
#define TULLE_HOST_NET_PLACE_NETWORK_H

#include "host/net/device/layers.h"
#include "host/net/place/measure.h"
#include "host/net/place/scalar.h"
#include "host/net/place/strategy.h"

/* A device as placement sees it; processor 1 is the first one. */
struct place_device {
    const char *name;
    struct layers *layers;
    double hertz; /* of its clock */
    double job;   /* seconds that a job takes besides its cycles and copies */
    double byte;  /* seconds for a byte that is copied, in either direction, where copies are not measured */
    const char
        *copies;     /* the device's name in the library of times (copies.h); NULL: copies are not measured */
    uint64_t hash;   /* of its variant */
    uint64_t memory; /* bytes */
    unsigned rows, clusters, pes, data_bytes;
};

/* A node that the user has marked: it runs there if it can, and on the host if not. */
struct place_mark {
    const char *node;
    size_t processor;
};

struct place_network_options {
    const struct place_strategy *strategy; /* NULL: the default */
    struct place_options how;
    const struct place_library *library;
    const struct place_mark *marks;
    size_t mark_count;
};

struct place_network {
    struct net *net;
    const struct place_device *devices;
    size_t device_count;
    const struct place_network_options *options;
    struct place_problem problem; /* an operation for each node */
    uint8_t *places;
    struct place_result result;
    struct place_time *host;       /* of each node */
    struct scalar_program scalars; /* simplified: steps of the operations */
    struct scalar_savings savings;
    size_t lowered; /* scalars before that */
    char *
        *reasons; /* of operations that the device has no layer for, when its layers were replaced; or NULL */
    double joined[PLACE_STRATEGIES_MOST]; /* seconds of the parts that strategies, the chosen one first, lead
                                             to */
    size_t joined_count;                  /* 0: layers are jobs of their own */
    double rest; /* seconds of the host for shapes and rooms of all nodes, wherever they run */
};

/* Seconds of the host for a node, besides its kernel: the scalar operations that give shapes, sizes, and
 * room. */
#define PLACE_NODE_SECONDS 1.0e-6

/* The problem of the network. False after an error. To be freed in any case. */
bool place_network_new(struct place_network *to, struct net *net, const struct place_device *devices,
                       size_t count, const struct place_network_options *options, struct diag *diag);
/* Chooses, and gives layers of devices back to the CPU where that is chosen. False after an error. */
bool place_network_apply(struct place_network *network, struct diag *diag);
void place_network_free(struct place_network *network);

/* Steps of the operations as they are placed. False: out of memory. */
bool place_set_scalars(struct place_network *network);

/* Whether a device may have the node: it is not marked for another processor. */
bool place_may(const struct place_network_options *options, const struct node *node, size_t processor);

/* What a run took, once it has ended: seconds of the host's kernels, and of devices. Cycles are those of the
 * run, or the predicted ones on a device without a clock; copies are those of the run's bytes. */
struct place_measured {
    double host, device;
    bool clock; /* the cycles are measured */
};
struct place_measured place_network_measured(const struct place_network *network,
                                             const struct place_watch *watch);

/* Seconds that the placement is predicted to take, by parts as they are planned now. */
double place_network_predicted(const struct place_network *network);
/* Seconds that the placement is predicted to take with these times of the host in place of the library's. The
 * watch is of a run that had all nodes on the host. */
double place_network_again(const struct place_network *network, const struct place_watch *watch);

/* The node's name, or that of its first result. */
const char *place_node_name(const struct node *node);
/* Seconds that the device takes for a job's copies, besides the cycles, by so many bytes each. */
double place_copies(const struct place_device *device, const struct place_library *library, double to_device,
                    double from_device);

/* The same for a job, with its start. */
double place_job_copies(const struct place_network *network, const struct place_device *device,
                        const struct job *job);

/* Text for people: for every operation its candidates with T, A, S, O, C and P, and the decision. (explain.c)
 */
void place_network_explain(const struct place_network *network, struct strbuf *to);
/* The same as JSON, in an object without its braces: "placement": {...}. */
void place_network_json(const struct place_network *network, struct strbuf *to);

#endif
