/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/packet_cache.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_BYTES_MAX ((size_t)256 << 20) /* then everything is forgotten */

static void free_packet(struct decoded_packet *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < PACKET_CACHE_LANES; i++)
        lane_free(&p->lanes[i]);
    free((uint8_t *)p->key.data);
    free(p->uses);
    free(p);
}

void packet_cache_free(struct packet_cache *cache)
{
    for (size_t i = 0; i < PACKET_CACHE_SLOTS; i++)
        free_packet(cache->slot[i]);
    *cache = (struct packet_cache){0};
}

/* Four independent sums, so that the multiplications overlap. */
static size_t slot_of(const struct packet_key *key)
{
    uint64_t sum[4] = {key->segments, key->bytes, 0, 0}, word[4];
    size_t at = 0;
    for (; at + sizeof word <= key->bytes; at += sizeof word) {
        memcpy(word, key->data + at, sizeof word);
        for (unsigned i = 0; i < 4; i++)
            sum[i] = (sum[i] ^ word[i]) * UINT64_C(0x9E3779B97F4A7C15);
    }
    for (; at < key->bytes; at++)
        sum[0] = (sum[0] ^ key->data[at]) * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t all = (sum[0] ^ sum[1] >> 7 ^ sum[2] >> 13 ^ sum[3] >> 19) * UINT64_C(0x9E3779B97F4A7C15);
    return all >> 32 & (PACKET_CACHE_SLOTS - 1);
}

static bool is_for(const struct decoded_packet *p, const struct packet_key *key)
{
    return p && p->key.bytes == key->bytes && p->key.segments == key->segments &&
           !memcmp(p->key.data, key->data, key->bytes);
}

static enum job_code decode_lanes(struct decoded_packet *p, const struct variant *v,
                                  const struct variant_derived *d, unsigned *pe)
{
    for (unsigned k = 0; k < v->k; k++) {
        struct lane *lane = &p->lanes[k];
        *pe = k;
        enum job_code code = lane_decode(lane, v, d, p->key.data, p->key.bytes, k, p->key.segments);
        if (code)
            return code;
        p->entries += lane->entries;
        for (size_t e = 0; e < lane->entries; e++)
            p->positions = lane->position[e] >= p->positions ? lane->position[e] + 1u : p->positions;
    }
    return lanes_keep_pace(p->lanes, v, d, p->key.segments, pe) ? JOB_OK : JOB_QUEUE_OVERFLOW;
}

static bool count_uses(struct decoded_packet *p, unsigned lanes)
{
    p->uses = calloc(p->positions + 1, sizeof *p->uses);
    if (!p->uses)
        return false;
    for (unsigned k = 0; k < lanes; k++)
        for (size_t e = 0; e < p->lanes[k].entries; e++)
            p->uses[p->lanes[k].position[e]]++;
    return true;
}

static struct decoded_packet *decode(const struct variant *v, const struct variant_derived *d,
                                     const struct packet_key *key, enum job_code *code, unsigned *pe)
{
    struct decoded_packet *p = calloc(1, sizeof *p);
    uint8_t *data = malloc(key->bytes + 1);
    *code = p && data ? JOB_OK : JOB_QUEUE_OVERFLOW;
    if (*code) {
        free(p);
        free(data);
        return NULL;
    }
    memcpy(data, key->data, key->bytes);
    p->key = *key;
    p->key.data = data;
    *code = decode_lanes(p, v, d, pe);
    if (!*code && !count_uses(p, v->k))
        *code = JOB_QUEUE_OVERFLOW;
    if (!*code)
        return p;
    free_packet(p);
    return NULL;
}

static size_t size_of(const struct decoded_packet *p, unsigned lanes)
{
    size_t size = sizeof *p + p->key.bytes + p->positions * sizeof *p->uses;
    for (unsigned k = 0; k < lanes; k++)
        size += p->lanes[k].entry_room * (sizeof *p->lanes[k].position + sizeof *p->lanes[k].value) +
                p->lanes[k].segment_room * 5 * sizeof *p->lanes[k].end;
    return size;
}

const struct decoded_packet *packet_cache_get(struct packet_cache *cache, const struct variant *v,
                                              const struct variant_derived *d, const struct packet_key *key,
                                              enum job_code *code, unsigned *pe)
{
    size_t slot = slot_of(key);
    *code = JOB_OK;
    if (is_for(cache->slot[slot], key))
        return cache->slot[slot];
    struct decoded_packet *p = decode(v, d, key, code, pe);
    if (!p)
        return NULL;
    size_t size = size_of(p, v->k);
    if (cache->bytes + size > CACHE_BYTES_MAX)
        packet_cache_free(cache);
    if (cache->slot[slot])
        cache->bytes -= size_of(cache->slot[slot], v->k);
    free_packet(cache->slot[slot]);
    cache->slot[slot] = p;
    cache->bytes += size;
    return p;
}
