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
    stripes_free(&p->stripes);
    free(p);
}

static void free_packets(struct packet_cache *cache)
{
    for (size_t i = 0; i < PACKET_CACHE_SLOTS; i++)
        for (struct decoded_packet *p = cache->slot[i], *next; p; p = next) {
            next = p->next;
            free_packet(p);
        }
    memset(cache->slot, 0, sizeof cache->slot);
    cache->bytes = 0;
}

/* Packets were not seen in the span so far. */
static void forget_places(struct packet_span *span)
{
    free(span->at);
    span->at = NULL;
}

static void forget_packets(struct packet_cache *cache)
{
    for (unsigned i = 0; i < cache->spans; i++)
        forget_places(&cache->span[i]);
    cache->last = NULL;
    free_packets(cache);
}

void packet_cache_free(struct packet_cache *cache)
{
    forget_packets(cache);
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

static bool same_bytes(const struct packet_key *a, const struct packet_key *b)
{
    return a->bytes == b->bytes && a->segments == b->segments && !memcmp(a->data, b->data, a->bytes);
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
    for (unsigned k = 0; k < lanes; k++) {
        p->multiplied += p->lanes[k].entries;
        for (size_t e = 0; e < p->lanes[k].entries; e++)
            p->uses[p->lanes[k].position[e]]++;
    }
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
    for (unsigned k = 0; !*code && v->plain_weights && k < v->k; k++)
        lane_drop_zeros(&p->lanes[k]);
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

/* ---- by place -------------------------------------------------------------------------------- */

#define GRAIN 64 /* bytes of a span of which one packet's begin is kept */

void packet_cache_begin(struct packet_cache *cache, const uint8_t *begin, size_t bytes)
{
    cache->by_place = begin && bytes;
    if (!cache->by_place)
        return;
    unsigned which = 0;
    while (which < cache->spans && (cache->span[which].begin != begin || cache->span[which].bytes != bytes))
        which++;
    struct packet_span span = {.begin = begin, .bytes = bytes};
    if (which < cache->spans)
        span = cache->span[which];
    else if (cache->spans == PACKET_CACHE_SPANS)
        forget_places(&cache->span[--which]);
    else
        cache->spans++;
    memmove(cache->span + 1, cache->span, which * sizeof span);
    cache->span[0] = span;
}

void packet_cache_changed(struct packet_cache *cache, const uint8_t *begin, size_t bytes)
{
    for (unsigned i = 0; i < cache->spans; i++)
        if (begin < cache->span[i].begin + cache->span[i].bytes && cache->span[i].begin < begin + bytes)
            forget_places(&cache->span[i]);
}

/* Where the packet that begins at `data` is kept; NULL: nowhere. */
static struct packet_place *place_of(struct packet_cache *cache, const uint8_t *data)
{
    struct packet_span *span = &cache->span[0];
    const uintptr_t offset = (uintptr_t)data - (uintptr_t)span->begin;
    if (!cache->by_place || offset >= span->bytes)
        return NULL;
    if (!span->at)
        span->at = calloc(span->bytes / GRAIN + 1, sizeof *span->at);
    return span->at ? &span->at[offset / GRAIN] : NULL;
}

/* ---- looking up ------------------------------------------------------------------------------ */

static struct decoded_packet *find_or_decode(struct packet_cache *cache, const struct variant *v,
                                             const struct variant_derived *d, const struct packet_key *key,
                                             enum job_code *code, unsigned *pe)
{
    const size_t slot = slot_of(key);
    for (struct decoded_packet *p = cache->slot[slot]; p; p = p->next)
        if (same_bytes(&p->key, key))
            return p;
    struct decoded_packet *p = decode(v, d, key, code, pe);
    if (!p)
        return NULL;
    if (cache->bytes > CACHE_BYTES_MAX)
        forget_packets(cache);
    cache->bytes += size_of(p, v->k);
    p->next = cache->slot[slot];
    cache->slot[slot] = p;
    return p;
}

/* Packets come in the order of the last job: the next one's weights are asked of memory while this one's are
 * multiplied. */
static struct decoded_packet *expect_next(struct packet_cache *cache, struct decoded_packet *p)
{
    const struct decoded_packet *next = p->follower;
    if (cache->last)
        cache->last->follower = p;
    cache->last = p;
    if (next) {
        __builtin_prefetch(next->stripes.position);
        __builtin_prefetch(next->stripes.value);
        __builtin_prefetch(next->follower);
    }
    return p;
}

struct decoded_packet *packet_cache_get(struct packet_cache *cache, const struct variant *v,
                                        const struct variant_derived *d, const struct packet_key *key,
                                        enum job_code *code, unsigned *pe)
{
    struct packet_place *place = place_of(cache, key->data);
    *code = JOB_OK;
    if (place && place->packet && place->data == key->data && place->packet->key.bytes == key->bytes &&
        place->packet->key.segments == key->segments)
        return expect_next(cache, place->packet);
    struct decoded_packet *p = find_or_decode(cache, v, d, key, code, pe);
    place = p ? place_of(cache, key->data) : NULL; /* the table may be another one */
    if (place)
        *place = (struct packet_place){key->data, p};
    return p ? expect_next(cache, p) : NULL;
}

const struct stripes *packet_cache_stripes(struct packet_cache *cache, struct decoded_packet *p,
                                           unsigned lanes)
{
    if (p->asked == 1 && stripes_make(&p->stripes, p->lanes, lanes, p->key.segments))
        cache->bytes += p->stripes.count * STRIPE_ENTRIES * 2 * sizeof *p->stripes.position;
    p->asked += p->asked < 2;
    return p->stripes.end ? &p->stripes : NULL;
}
