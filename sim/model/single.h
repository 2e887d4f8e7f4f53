/* SPDX-License-Identifier: Apache-2.0
 *
 * Exec packets whose weights meet one activation each, as in a product with
 * one vector: one cluster, one MAC, each segment once.
 */
#ifndef TULLE_SIM_SINGLE_H
#define TULLE_SIM_SINGLE_H

#include "sim/model/cluster.h"
#include "sim/model/packet_cache.h"

/* Where a cluster's activations are 0. Starts as all zeros. */
struct single_zeros {
    const struct cluster *cluster;
    uint64_t loads; /* of the cluster, when it was looked at */
    uint32_t count;
    uint16_t *at; /* ascending, below cluster->written */
};

void single_free(struct single_zeros *zeros);

/* Executes the packet with a sequence of LD, MAC and any number of STs, whose activations begin at `address` and do
 * not wrap. `operands` are those of the sequence's instructions. */
enum job_code single_execute(struct cluster *cluster, const struct sequence *sequence,
                             struct operands *operands, uint8_t command, const struct decoded_packet *packet,
                             const struct stripes *stripes, uint32_t address, struct single_zeros *zeros);

#endif
