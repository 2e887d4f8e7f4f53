/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/strategy.h"

#include <string.h>

const struct place_strategy place_strategies[] = {
    {"path", "the least predicted time, by a shortest path with the costs of transitions", place_path},
    {"thresholds", "the first processor whose cost and benefit pass, alone or fused with a neighbour",
     place_threshold},
    {"greedy", "one operation after another where it costs least", place_greedy},
    {"device", "scalars to the host, and tensors to the first device that has them", place_all_device},
    {"host", "everything to the host", place_all_host},
    {NULL, NULL, NULL}};

const struct place_strategy *place_strategy_named(const char *name)
{
    for (const struct place_strategy *s = place_strategies; s->name; s++)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}
