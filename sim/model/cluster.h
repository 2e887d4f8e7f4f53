/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster without time: instruction buffers, and per PE the input buffer,
 * weight queue, accumulators and output queue. Executes packets.
 */
#ifndef TULLE_SIM_CLUSTER_H
#define TULLE_SIM_CLUSTER_H

#include "sim/model/array.h"
#include "sim/model/dot.h"
#include "sim/model/lanes.h"
#include "sim/model/sequence.h"

#define ACCUMULATORS 4
#define BUFFERS_MAX 32
#define PES_MAX 16
#define CLUSTERS_MAX 256       /* of the array */

/* Results a cluster may have waiting for a store. A device stops long before that, because its collectors are
 * full; here it is what keeps a program that never stores from taking all memory. */
#define RESULTS_MAX ((size_t)1 << 22)

/* Results on their way to the collector, K at a time. */
struct results {
    int64_t *value;
    size_t begin, end, room;
};

struct cluster {
    const struct variant *variant;
    const struct variant_derived *derived;
    bool configured[BUFFERS_MAX];
    struct sequence buffer[BUFFERS_MAX];
    struct operands operands[BUFFERS_MAX][SEQUENCE_MAX];
    int16_t *input; /* input[pe * depth + address] */
    bool scattered; /* PEs may hold different activations */
    uint64_t loads; /* counts what was written to the input buffers, so that copies know their age */
    struct lane lanes[PES_MAX];
    int64_t acc[PES_MAX][ACCUMULATORS];
    int64_t *output; /* output[pe * depth + address] */
    struct results results;
    uint64_t effective_macs, scanned;
    uint8_t *effective; /* scratch for a work sink */
};

/* A packet as the row bus delivers it. */
struct packet {
    uint8_t command;
    bool scatter;
    uint16_t count;
    const uint8_t *data;
    size_t bytes;
};

bool cluster_init(struct cluster *cluster, const struct variant *variant,
                  const struct variant_derived *derived);
void cluster_free(struct cluster *cluster);
void cluster_reset(struct cluster *cluster);

/* One packet to one cluster. `id` is what the sink is told. *pe says which PE an error is of, or PE_NONE. */
enum job_code cluster_execute(struct cluster *cluster, const struct packet *packet, unsigned id,
                              const struct work_sink *sink, unsigned *pe);

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

void joint_table_free(struct joint_table *table);

/* The same exec packet to several clusters whose operators are the same: the weights are decoded once and
 * multiplied with all their rows together. Returns false, having done nothing, when the packet or the
 * clusters do not allow that. */
bool cluster_execute_together(struct cluster *const *clusters, unsigned count, const struct packet *packet,
                              dot_function *dot, struct joint_table *table, enum job_code *code,
                              unsigned *pe);

#endif
