/* SPDX-License-Identifier: Apache-2.0
 *
 * The default: the least predicted time. Elimination finds it exactly wherever
 * its tables stay small, which they do on every series-parallel network
 * (eliminate.c). Elsewhere the best of the other strategies is improved by
 * branch and bound (branch.c), which proves small ones; whether it is proven is
 * told. In any case no other strategy predicts less.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/place/strategy.h"

enum { STEPS = 2000000 };

/* Takes what another strategy gives, if it is better. */
static bool take_other(const struct place_problem *p, const struct place_options *o,
                       const struct place_strategy *strategy, uint8_t *room, struct place_result *to)
{
    struct place_result other = {.places = room};
    const bool ok = strategy->place(p, o, &other);
    if (ok && other.seconds < to->seconds) {
        memcpy(to->places, room, p->count);
        to->seconds = other.seconds;
    }
    sb_free(&other.log);
    return ok;
}

static bool search(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    uint8_t *room = calloc(p->count + 1, 1);
    bool ok = room != NULL;
    to->seconds = INFINITY;
    for (const struct place_strategy *s = place_strategies + 1; ok && s->name; s++)
        ok = take_other(p, o, s, room, to);
    free(room);
    return ok && place_branch(p, o->steps ? o->steps : STEPS, to->places, &to->proven);
}

bool place_path(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    bool fits = false;
    if (!place_eliminate(p, to->places, &fits))
        return false;
    to->proven = fits;
    if (!fits && !search(p, o, to))
        return false;
    to->seconds = place_seconds(p, to->places);
    return true;
}
