/* SPDX-License-Identifier: Apache-2.0
 *
 * One operation after another goes where it costs least, with the moves of what
 * it reads, and without looking at what comes behind it.
 */
#include <math.h>

#include "host/net/place/strategy.h"

static uint8_t cheapest(const struct place_problem *p, size_t operation, const uint8_t *places)
{
    static const double no_load[PLACE_PROCESSORS_MOST];
    double least = INFINITY;
    uint8_t best = PLACE_HOST;
    for (size_t q = 0; q < p->processors; q++) {
        const struct place_score s = place_score(p, operation, q, places, no_load);
        if (place_cost(&s) < least) {
            least = place_cost(&s);
            best = (uint8_t)q;
        }
    }
    return best;
}

bool place_greedy(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    (void)o;
    for (size_t i = 0; i < p->count; i++)
        to->places[i] = cheapest(p, i, to->places);
    place_mend(p, to->places);
    to->seconds = place_seconds(p, to->places);
    return true;
}
