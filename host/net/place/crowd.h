/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers of one network on several devices: each node is offered to one device
 * after another, and the one that has its layer computes it.
 */
#ifndef TULLE_HOST_NET_PLACE_CROWD_H
#define TULLE_HOST_NET_PLACE_CROWD_H

#include "host/net/device/layers.h"
#include "host/net/place/problem.h"

struct place_crowd {
    struct layers *layers[PLACE_PROCESSORS_MOST]; /* no node is in more than one of them */
    size_t count;
    const struct offer *offers[PLACE_PROCESSORS_MOST];
    struct offer offer;
};

/* As layers_offer(). The crowd must stay where it is until the run is freed. */
void place_crowd_offer(struct place_crowd *crowd, struct run *run);
/* As layers_give(), with the crowd as its context. */
bool place_crowd_give(const void *crowd, const struct tensor *tensor);

#endif
