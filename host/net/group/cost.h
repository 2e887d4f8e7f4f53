/* SPDX-License-Identifier: Apache-2.0
 *
 * What a group costs when it is cut in a given way: bytes to and from memory, and
 * multiplications that are done again. A price makes one number of both, so that ways
 * can be compared.
 */
#ifndef TULLE_HOST_NET_GROUP_COST_H
#define TULLE_HOST_NET_GROUP_COST_H

#include "host/net/group/room.h"

/* What the program of a layer by itself moves, as it is planned. */
struct group_planned {
    uint64_t bytes;            /* all; 0: not known */
    uint64_t weights, program; /* of these */
};

/* What groups are chosen for. */
struct group_target {
    uint64_t on_chip; /* bytes of the bank and of the storage units together */
    uint64_t stream;  /* bytes of these that weights and activations on their way need */
    uint64_t port;    /* bytes that memory moves in a cycle */
    uint64_t pes;     /* multiplications in a cycle */
    unsigned again;   /* percent of a group's multiplications that may be done again */
    bool columns;     /* cut along the width as well */
    /* As programs do it: weights take two bytes each, operations are read for each layer of each slice, rows
     * of inputs that slices share come again, and what has room in the bank as a whole need not go to memory
     * between groups. */
    bool streams;
    const struct group_planned *planned; /* with `streams`: of each layer; NULL: not known */
    uint64_t step; /* price of the cycles that a layer of a slice takes more than its work; 0: none */
};

struct group_cost {
    uint64_t read, written;           /* activations */
    uint64_t weights, weights_loaded; /* bytes of weights read, and of those that are loaded once and stay */
    uint64_t multiplications, again;  /* again: those that are done in more than one slice */
    uint64_t room;                    /* bytes of activations that live on chip at the same time */
    uint64_t moved;                   /* bytes that are kept from slice to slice */
    uint64_t steps;                   /* layers of slices */
};

/* Of layers that each read and write memory, one by one. Weights count once. */
struct group_cost group_cost_apart(const struct group_chart *chart, size_t first, size_t last);
/* Of a group that is cut. `room` is what group_room() gives, or group_peak() for an estimate. */
struct group_cost group_cost(const struct group *group, const struct group_cut *cut,
                             const struct group_target *target, uint64_t room);
/* Of one layer that is in no group. */
struct group_cost group_cost_single(const struct group_chart *chart, const struct group_target *target,
                                    size_t at);
void group_cost_add(struct group_cost *sum, const struct group_cost *cost);

static inline uint64_t group_bytes(const struct group_cost *cost)
{
    return cost->read + cost->written + cost->weights;
}

/* Cycles of the port for all bytes, of all PEs for what is done again, and of steps, times port and PEs. */
static inline uint64_t group_price(const struct group_cost *cost, const struct group_target *target)
{
    return group_bytes(cost) * target->pes + cost->again * target->port + cost->steps * target->step;
}

#endif
