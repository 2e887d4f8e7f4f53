/* SPDX-License-Identifier: Apache-2.0
 *
 * Branch and bound: operations get processors in their order, depth first. What
 * is certain of a partial placement is what its operations take, and the moves
 * between them; what all others take at least is added, and a branch that
 * cannot become less than the best placement so far is left.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/place/strategy.h"

struct search {
    const struct place_problem *p;
    uint8_t *at, *best;
    double *least; /* of operations from here on, without moves; one more than there are operations */
    double best_seconds;
    uint64_t steps, most;
};

/* Moves that become certain when operation `i` is placed: of what it reads, and of what the caller wants. */
static double settled(const struct search *s, size_t i)
{
    static const double no_load[PLACE_PROCESSORS_MOST];
    const struct place_score score = place_score(s->p, i, s->at[i], s->at, no_load);
    return place_cost(&score);
}

/* A reader on the host of what the caller wants moves nothing more: place_score() counts both, and no branch
 * may be left for that. */
static double twice(const struct search *s, size_t i)
{
    double seconds = 0;
    for (size_t k = 0; k < s->p->value_count; k++) {
        const struct place_value *v = &s->p->values[k];
        bool reads = false, before = false;
        if (!v->wanted || v->producer == PLACE_NOWHERE || s->at[i] != PLACE_HOST)
            continue;
        for (size_t r = 0; r < v->reader_count; r++) {
            reads = reads || v->readers[r] == i;
            before = before || (v->readers[r] < i && s->at[v->readers[r]] == PLACE_HOST);
        }
        if (reads && !before)
            seconds += place_moving(s->p, s->at[v->producer], PLACE_HOST, v->bytes);
    }
    return seconds;
}

static bool links_hold(const struct search *s, size_t placed)
{
    for (size_t i = 0; i < s->p->link_count; i++) {
        const struct place_link *l = &s->p->links[i];
        if (l->first < placed && l->second < placed &&
            (s->at[l->first] == l->processor) != (s->at[l->second] == l->processor))
            return false;
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as there are operations */
static void descend(struct search *s, size_t i, double seconds)
{
    if (s->steps >= s->most || seconds + s->least[i] >= s->best_seconds)
        return;
    s->steps++;
    if (i == s->p->count) {
        s->best_seconds = seconds;
        memcpy(s->best, s->at, i);
        return;
    }
    for (size_t q = 0; q < s->p->processors; q++) {
        s->at[i] = (uint8_t)q;
        if (isfinite(place_own(s->p, i, q)) && links_hold(s, i + 1))
            descend(s, i + 1, seconds + settled(s, i) - twice(s, i));
    }
}

bool place_branch(const struct place_problem *p, uint64_t steps, uint8_t *places, bool *proven)
{
    struct search s = {.p = p,
                       .at = calloc(p->count + 1, 1),
                       .best = places,
                       .least = calloc(p->count + 1, sizeof *s.least),
                       .best_seconds = place_seconds(p, places),
                       .most = steps};
    const bool ok = s.at && s.least;
    for (size_t i = p->count; ok && i--;) {
        double least = INFINITY;
        for (size_t q = 0; q < p->processors; q++)
            least = fmin(least, place_own(p, i, q));
        s.least[i] = s.least[i + 1] + least;
    }
    if (ok)
        descend(&s, 0, 0);
    *proven = ok && s.steps < s.most;
    free(s.at);
    free(s.least);
    return ok;
}
