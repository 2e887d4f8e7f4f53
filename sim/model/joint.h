/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes the functional model fast: an exec packet is executed at once for
 * all clusters that take it with the same operator, and for all iterations
 * that a segment of its weights serves. The weights are decoded once (or found
 * decoded, see packet_cache.h) and multiplied with the activations of all
 * these side by side. Laying activations side by side takes time, too, so the
 * first packets may be left to the clusters. Where a weight meets one or two
 * activations, as in SpMV, they are multiplied where they are.
 */
#ifndef TULLE_SIM_JOINT_H
#define TULLE_SIM_JOINT_H

#include "sim/model/cluster.h"
#include "sim/model/dot.h"
#include "sim/model/packet_cache.h"
#include "sim/model/single.h"

#define JOINT_COLUMNS 256      /* of a cluster */
#define JOINT_COLUMNS_ALL 1024 /* of all clusters that take a packet together */
#define JOINT_SUMS (JOINT_COLUMNS_ALL + DOT_ROWS)

/* Where the MACs of the iterations that a segment serves begin, one after another. */
struct joint_places {
    unsigned macs, count; /* of an iteration, of all */
    uint16_t address[JOINT_COLUMNS];
    uint32_t wrap[JOINT_COLUMNS];
};

/* Activations of all of these of every cluster of a joint packet, side by side for each position: kept from
 * packet to packet while they stay what they are. */
struct joint_table {
    int16_t *value;    /* value[position * stride + cluster * places.count + place] */
    uint16_t *nonzero; /* per position: how many of the row are not zero */
    size_t stride, positions, room;
    struct cluster *clusters[CLUSTERS_MAX];
    unsigned count;
    struct joint_places places;
    uint64_t loads; /* of all clusters */
    uint64_t asked; /* multiplications that were wanted of it so far */
};

/* Starts as all zeros. */
struct joint {
    struct joint_table table[CLUSTERS_MAX];
    struct packet_cache cache;
    int32_t sums[PES_MAX][JOINT_SUMS];
    bool eager; /* lays activations side by side even where that does not pay, for tests */
};

void joint_free(struct joint *joint);

/* Returns false when the packet or the clusters do not allow it, or it does not pay yet: they then execute
 * the packet one by one. With an error, *pe says which PE it is of, or PE_NONE. Packets of the same `number`
 * share a table; the number of the first cluster in its array serves. */
bool joint_execute(struct joint *joint, unsigned number, struct cluster *const *clusters, unsigned count,
                   const struct packet *packet, dot_function *dot, enum job_code *code, unsigned *pe);

#endif
