/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/net/device/parts.h"

/* Cycles of all jobs, each for activations of which none is 0. */
static uint64_t predicted(const struct layers *layers)
{
    size_t count, part_count;
    const struct layer *list = layers_list(layers, &count);
    const struct part *parts = layers_parts(layers, &part_count);
    uint64_t cycles = 0;
    for (size_t i = 0; i < count; i++) {
        struct tulle_operator_info info = {.size = sizeof info};
        if (list[i].op && !tulle_operator_describe(list[i].op, &info))
            cycles += info.predicted_cycles;
    }
    for (size_t i = 0; i < part_count; i++)
        cycles += parts[i].predicted;
    return cycles;
}

/* The nodes' order is that of the layers that are kept. Both ways are made one after the other, since the
 * device may have too little memory for both. */
static struct layers *choose(struct net *net, struct node *const *order, struct tulle_device *device,
                             const struct layers_options *options, enum tulle_status *status,
                             struct diag *diag)
{
    struct layers_options alone = *options;
    struct layers *layers = layers_new(net, device, options, status, diag);
    if (!layers)
        return NULL;
    size_t parts;
    const uint64_t fused = predicted(layers);
    layers_parts(layers, &parts);
    layers_free(layers);
    alone.fused = false;
    memcpy(net->nodes, order, net->node_count * sizeof(struct node *));
    layers = layers_new(net, device, &alone, status, diag);
    if (!layers || !parts || predicted(layers) <= fused)
        return layers;
    layers_free(layers);
    return layers_new(net, device, options, status, diag);
}

struct layers *layers_choose(struct net *net, struct tulle_device *device,
                             const struct layers_options *options, enum tulle_status *status,
                             struct diag *diag)
{
    struct layers_options fused = *options;
    struct node **order = malloc((net->node_count + 1) * sizeof(struct node *));
    fused.fused = true;
    if (!order) {
        diag_no_memory(diag, net->source[0].path);
        *status = TULLE_OUT_OF_MEMORY;
        return NULL;
    }
    memcpy(order, net->nodes, net->node_count * sizeof(struct node *));
    struct layers *layers = choose(net, order, device, &fused, status, diag);
    free(order);
    return layers;
}
