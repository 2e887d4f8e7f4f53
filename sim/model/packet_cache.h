/* SPDX-License-Identifier: Apache-2.0
 *
 * Weight packets that were decoded before. The same weights come again for
 * every pass over the activations and in every job of a batch; a packet is
 * recognised by its bytes, all of them, so there is nothing to invalidate.
 */
#ifndef TULLE_SIM_PACKET_CACHE_H
#define TULLE_SIM_PACKET_CACHE_H

#include "sim/model/lanes.h"

#define PACKET_CACHE_LANES 16

/* What decides how a packet is decoded, beside the variant. */
struct packet_key {
    const uint8_t *data;
    size_t bytes;
    uint32_t segments;
};

struct decoded_packet {
    struct packet_key key;
    struct lane lanes[PACKET_CACHE_LANES]; /* of the K PEs, as if their queues had been empty */
    size_t positions;                      /* largest position + 1 */
    uint32_t *uses;                        /* weights at each position, over all PEs */
    uint64_t entries;                      /* over all PEs */
};

#define PACKET_CACHE_SLOTS 16384

/* Starts as all zeros. */
struct packet_cache {
    struct decoded_packet *slot[PACKET_CACHE_SLOTS];
    size_t bytes; /* about what they take */
};

void packet_cache_free(struct packet_cache *cache);

/* The decoded packet, valid until the next call; NULL with the error and the PE it is of. */
const struct decoded_packet *packet_cache_get(struct packet_cache *cache, const struct variant *variant,
                                              const struct variant_derived *derived,
                                              const struct packet_key *key, enum job_code *code,
                                              unsigned *pe);

#endif
