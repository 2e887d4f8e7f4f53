/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes the functional model fast: an exec packet that goes to several
 * clusters with the same operator is executed for all of them at once. Its
 * weights are decoded once (or found decoded, see packet_cache.h) and
 * multiplied with the activations of all clusters and MACs side by side.
 */
#ifndef TULLE_SIM_JOINT_H
#define TULLE_SIM_JOINT_H

#include "sim/model/cluster.h"
#include "sim/model/dot.h"
#include "sim/model/packet_cache.h"

/* Activations of every MAC of every cluster of a joint packet, side by side for each position: kept from
 * packet to packet while they stay what they are. */
struct joint_table {
    int16_t *value;    /* value[position * stride + cluster * macs + mac] */
    uint16_t *nonzero; /* per position: how many of the row are not zero */
    size_t stride, positions, room;
    struct cluster *clusters[CLUSTERS_MAX];
    unsigned count, buffer;
    uint64_t loads; /* of all clusters */
};

/* Starts as all zeros. */
struct joint {
    struct joint_table table;
    struct packet_cache cache;
};

void joint_free(struct joint *joint);

/* Returns false, having done nothing, when the packet or the clusters do not allow it: they then execute the
 * packet one by one. With an error, *pe says which PE it is of, or PE_NONE. */
bool joint_execute(struct joint *joint, struct cluster *const *clusters, unsigned count,
                   const struct packet *packet, dot_function *dot, enum job_code *code, unsigned *pe);

#endif
