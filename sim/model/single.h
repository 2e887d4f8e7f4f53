/* SPDX-License-Identifier: Apache-2.0
 *
 * Exec packets whose weights meet one activation each, as in a product with
 * one vector: one cluster, one MAC, each segment once.
 */
#ifndef TULLE_SIM_SINGLE_H
#define TULLE_SIM_SINGLE_H

#include "sim/model/cluster.h"
#include "sim/model/packet_cache.h"

/* Executes the packet with the sequence of a buffer, which is LD, MAC and any number of STs; its positions
 * reach no further than the wrap. The activations of each segment begin at `address`. */
enum job_code single_execute(struct cluster *cluster, unsigned buffer, uint8_t command,
                             const struct decoded_packet *packet, const struct stripes *stripes,
                             uint32_t address);

#endif
