/* SPDX-License-Identifier: Apache-2.0
 *
 * What a group costs when it is cut in a given way: bytes to and from memory, and
 * multiplications that are done again. A price makes one number of both, so that ways
 * can be compared.
 */
#ifndef TULLE_HOST_NET_GROUP_COST_H
#define TULLE_HOST_NET_GROUP_COST_H

#include "host/net/group/room.h"

/* What groups are chosen for. */
struct group_target {
    uint64_t on_chip; /* bytes of the bank and of the storage units together */
    uint64_t stream;  /* bytes of these that weights and activations on their way need */
    uint64_t port;    /* bytes that memory moves in a cycle */
    uint64_t pes;     /* multiplications in a cycle */
    unsigned again;   /* percent of a group's multiplications that may be done again */
    bool columns;     /* cut along the width as well */
    bool streams; /* as programs do it: weights come from memory for each slice, and so do rows of inputs that
                     slices share */
};

struct group_cost {
    uint64_t read, written;           /* activations */
    uint64_t weights, weights_loaded; /* bytes of weights read, and of those that are loaded once and stay */
    uint64_t multiplications, again;  /* again: those that are done in more than one slice */
    uint64_t room;                    /* bytes of activations that live on chip at the same time */
    uint64_t moved;                   /* bytes that are kept from slice to slice */
};

/* Of layers that each read and write memory, one by one. Weights count once. */
struct group_cost group_cost_apart(const struct group_chart *chart, size_t first, size_t last);
/* Of a group that is cut. `room` is what group_room() gives, or group_peak() for an estimate. */
struct group_cost group_cost(const struct group *group, const struct group_cut *cut,
                             const struct group_target *target, uint64_t room);
/* Adds what programs read more than the numbers of weights: the index of each, and operations for each layer
 * of each slice. */
void group_cost_streams(struct group_cost *cost, uint64_t layers, uint64_t slices);
void group_cost_add(struct group_cost *sum, const struct group_cost *cost);

static inline uint64_t group_bytes(const struct group_cost *cost)
{
    return cost->read + cost->written + cost->weights;
}

/* Cycles of the port for all bytes and of all PEs for what is done again, times port and PEs. */
static inline uint64_t group_price(const struct group_cost *cost, const struct group_target *target)
{
    return group_bytes(cost) * target->pes + cost->again * target->port;
}

#endif
