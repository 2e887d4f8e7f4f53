/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies that look at no cost: everything to the host, or all tensors to a
 * device.
 */
#include <math.h>
#include <string.h>

#include "host/net/place/strategy.h"

/* The processor that an operation has to stay on when none is preferred: the host, if it can. */
static uint8_t refuge(const struct place_problem *p, size_t operation)
{
    for (size_t q = 0; q < p->processors; q++)
        if (isfinite(place_own(p, operation, q)))
            return (uint8_t)q;
    return PLACE_HOST;
}

void place_mend(const struct place_problem *p, uint8_t *places)
{
    for (bool broken = true; broken;) {
        broken = false;
        for (size_t i = 0; i < p->link_count; i++) {
            const struct place_link *l = &p->links[i];
            const bool first = places[l->first] == l->processor, second = places[l->second] == l->processor;
            if (first == second)
                continue;
            const size_t alone = first ? l->first : l->second;
            places[alone] = refuge(p, alone);
            broken = places[alone] != l->processor; /* else nothing can be done */
        }
    }
}

bool place_all_host(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    (void)o;
    for (size_t i = 0; i < p->count; i++)
        to->places[i] = refuge(p, i);
    place_mend(p, to->places);
    to->seconds = place_seconds(p, to->places);
    return true;
}

bool place_all_device(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    (void)o;
    for (size_t i = 0; i < p->count; i++) {
        size_t at = p->operations[i].scalar ? p->processors : PLACE_HOST + 1;
        while (at < p->processors && !isfinite(place_own(p, i, at)))
            at++;
        to->places[i] = at < p->processors ? (uint8_t)at : refuge(p, i);
    }
    place_mend(p, to->places);
    to->seconds = place_seconds(p, to->places);
    return true;
}
