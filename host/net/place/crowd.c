/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/crowd.h"

static enum offered take(void *context, const struct call *call, node_kernel *kernel)
{
    const struct place_crowd *crowd = context;
    for (size_t i = 0; i < crowd->count; i++) {
        const enum offered offered = crowd->offers[i]->take(crowd->offers[i]->context, call, kernel);
        if (offered != OFFER_LEFT)
            return offered;
    }
    return OFFER_LEFT;
}

void place_crowd_offer(struct place_crowd *crowd, struct run *run)
{
    for (size_t i = 0; i < crowd->count; i++) {
        layers_offer(crowd->layers[i], run);
        crowd->offers[i] = run_offered(run);
    }
    crowd->offer = (struct offer){crowd, take};
    run_offer(run, &crowd->offer);
}

bool place_crowd_give(const void *of, const struct tensor *tensor)
{
    const struct place_crowd *crowd = of;
    bool gives = true;
    for (size_t i = 0; i < crowd->count; i++)
        gives = gives && layers_give(crowd->layers[i], tensor);
    return gives;
}
