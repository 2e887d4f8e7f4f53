/* SPDX-License-Identifier: Apache-2.0
 *
 * Weight packets that were decoded before. The same weights come again for
 * every pass over the activations and in every job of a batch. A packet is
 * recognised by its bytes, all of them, so there is nothing to invalidate.
 *
 * Reading all bytes of the weights takes longer than multiplying them with one
 * activation each. Who tells of every change to memory may therefore name
 * spans of it: packets that were seen in a span are found by their place, and
 * nothing of them is read, until packet_cache_changed() says that something
 * else may be there.
 */
#ifndef TULLE_SIM_PACKET_CACHE_H
#define TULLE_SIM_PACKET_CACHE_H

#include "sim/model/lanes.h"
#include "sim/model/stripes.h"

#define PACKET_CACHE_LANES 16

/* What decides how a packet is decoded, beside the variant. */
struct packet_key {
    const uint8_t *data;
    size_t bytes;
    uint32_t segments;
};

struct decoded_packet {
    struct packet_key key;
    size_t positions;                      /* largest position + 1 */
    uint64_t entries;                      /* over all PEs */
    uint64_t multiplied;                   /* of these: without weights of 0, where those are not */
    uint32_t *uses;                        /* multiplied weights at each position, over all PEs */
    struct stripes stripes;                /* the same weights once more, or nothing */
    unsigned asked;                        /* for stripes: 0, once, more often */
    struct decoded_packet *next;           /* of the same slot */
    struct decoded_packet *follower;       /* that was asked for after it the last time */
    struct lane lanes[PACKET_CACHE_LANES]; /* the multiplied weights of the K PEs, as if their queues had been
                                              empty */
};

#define PACKET_CACHE_SLOTS 16384
#define PACKET_CACHE_SPANS 64

/* A packet that was last seen to begin at `data`. */
struct packet_place {
    const uint8_t *data;
    struct decoded_packet *packet; /* NULL: none was */
};

/* Memory whose changes are told. */
struct packet_span {
    const uint8_t *begin;
    size_t bytes;
    struct packet_place *at; /* one for every few bytes; NULL: none was seen */
};

/* Starts as all zeros. */
struct packet_cache {
    struct decoded_packet *slot[PACKET_CACHE_SLOTS];
    size_t bytes;                                /* about what they take */
    struct packet_span span[PACKET_CACHE_SPANS]; /* the one that was used last comes first */
    unsigned spans;
    bool by_place;               /* the first span is that of the job */
    struct decoded_packet *last; /* that was asked for */
};

void packet_cache_free(struct packet_cache *cache);

/* A job begins whose weights are `bytes` bytes from `begin` on; NULL: changes to them are not told. */
void packet_cache_begin(struct packet_cache *cache, const uint8_t *begin, size_t bytes);

/* Other bytes may be there from now on. */
void packet_cache_changed(struct packet_cache *cache, const uint8_t *begin, size_t bytes);

/* The decoded packet, valid until the next call; NULL with the error and the PE it is of. */
struct decoded_packet *packet_cache_get(struct packet_cache *cache, const struct variant *variant,
                                        const struct variant_derived *derived, const struct packet_key *key,
                                        enum job_code *code, unsigned *pe);

/* The packet's weights in stripes, when they were asked for before and pay; else NULL. */
const struct stripes *packet_cache_stripes(struct packet_cache *cache, struct decoded_packet *packet,
                                           unsigned lanes);

#endif
