/* SPDX-License-Identifier: Apache-2.0
 *
 * One operation after another goes where it costs least, with the moves of what
 * it reads, and without looking at what comes behind it.
 */
#include <math.h>

#include "host/net/place/strategy.h"

bool place_greedy(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    static const double no_load[PLACE_PROCESSORS_MOST];
    (void)o;
    for (size_t i = 0; i < p->count; i++) {
        double least = INFINITY;
        to->places[i] = PLACE_HOST;
        for (size_t q = 0; q < p->processors; q++) {
            const struct place_score s = place_score(p, i, q, to->places, no_load);
            if (place_cost(&s) < least) {
                least = place_cost(&s);
                to->places[i] = (uint8_t)q;
            }
        }
    }
    place_mend(p, to->places);
    to->seconds = place_seconds(p, to->places);
    return true;
}
