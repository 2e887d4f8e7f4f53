/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost and benefit with thresholds. Processors are tried in their order, the
 * host last. The first one whose cost and benefit pass takes the operation. If
 * none does alone, it is tried with its successor, then with its predecessor,
 * as one operation: what the two pass to each other is not moved then. Then
 * comes the next processor. At last the operation goes where cost is least, or,
 * when there is only a threshold of benefit, where benefit is largest.
 *
 * The log has a line for each decision and for each fusion that was tried.
 */
#include <math.h>
#include <stdlib.h>

#include "host/net/place/strategy.h"

struct deciding {
    const struct place_problem *p;
    const struct place_thresholds *t;
    struct place_result *to;
    double load[PLACE_PROCESSORS_MOST]; /* seconds placed on each processor */
    bool *placed;
};

static bool passes(const struct place_thresholds *t, const struct place_score *s)
{
    return isfinite(place_cost(s)) && (!t->has_cost || place_cost(s) <= t->cost) &&
           (!t->has_benefit || place_benefit(s) >= t->benefit);
}

static void put(struct deciding *d, size_t operation, size_t processor)
{
    const struct place_candidate *before = &d->p->operations[operation].on[d->to->places[operation]];
    if (d->placed[operation])
        d->load[d->to->places[operation]] -= before->run;
    d->placed[operation] = true;
    d->to->places[operation] = (uint8_t)processor;
    d->load[processor] += d->p->operations[operation].on[processor].run;
}

static void log_score(struct deciding *d, size_t operation, size_t processor, const struct place_score *s,
                      const char *what)
{
    enum { US = 1000000 };
    sb_addf(&d->to->log, "%.40s on %zu: T %.2f + A %.2f = C %.2f us, S %.2f + O %.2f = P %.2f us: %s\n",
            d->p->operations[operation].name, processor, US * s->moves, US * s->accumulated,
            US * place_cost(s), US * s->speed, US * s->complexity, US * place_benefit(s), what);
}

/* The next operation that reads what this one gives, or the last one before it whose result it reads. */
static size_t neighbour(const struct place_problem *p, size_t operation, bool behind)
{
    size_t found = PLACE_NOWHERE;
    for (size_t i = 0; i < p->value_count; i++) {
        const struct place_value *v = &p->values[i];
        for (size_t r = 0; r < v->reader_count; r++) {
            if (behind && v->producer == operation && v->readers[r] < found)
                found = v->readers[r];
            if (!behind && v->readers[r] == operation && v->producer != PLACE_NOWHERE &&
                (found == PLACE_NOWHERE || v->producer > found))
                found = v->producer;
        }
    }
    return found;
}

/* Both as one operation on the processor; the earlier one is placed there for the later one's score. */
static struct place_score score_pair(struct deciding *d, size_t first, size_t second, size_t processor)
{
    uint8_t *places = d->to->places;
    const uint8_t before = places[first];
    struct place_score a = place_score(d->p, first, processor, places, d->load);
    places[first] = (uint8_t)processor;
    const struct place_score b = place_score(d->p, second, processor, places, d->load);
    places[first] = before;
    a.moves += b.moves;
    a.accumulated -= d->placed[first] && before == processor ? d->p->operations[first].on[processor].run : 0;
    a.accumulated += d->p->operations[second].on[processor].run;
    a.speed += b.speed;
    a.complexity += b.complexity;
    return a;
}

/* With its successor (`behind`), or with its predecessor: both are placed if they pass. */
static bool try_pair(struct deciding *d, size_t operation, size_t processor, bool behind)
{
    const size_t other = neighbour(d->p, operation, behind);
    if (other == PLACE_NOWHERE)
        return false;
    const size_t first = behind ? operation : other, second = behind ? other : operation;
    const struct place_score s = score_pair(d, first, second, processor);
    const bool pass = passes(d->t, &s);
    log_score(d, operation, processor, &s,
              behind ? pass ? "passes with its successor" : "does not pass with its successor"
              : pass ? "passes with its predecessor"
                     : "does not pass with its predecessor");
    if (pass) {
        put(d, first, processor);
        put(d, second, processor);
    }
    return pass;
}

static bool try_processor(struct deciding *d, size_t operation, size_t processor)
{
    const struct place_score s = place_score(d->p, operation, processor, d->to->places, d->load);
    const bool pass = passes(d->t, &s);
    log_score(d, operation, processor, &s, pass ? "passes" : "does not pass");
    if (pass)
        put(d, operation, processor);
    return pass || (isfinite(place_cost(&s)) &&
                    (try_pair(d, operation, processor, true) || try_pair(d, operation, processor, false)));
}

/* Nothing passes: the least cost, or the largest benefit. */
static void settle(struct deciding *d, size_t operation)
{
    const bool by_benefit = d->t->has_benefit && !d->t->has_cost;
    size_t best = PLACE_HOST;
    double least = INFINITY;
    struct place_score chosen = {.moves = 0};
    for (size_t q = 0; q < d->p->processors; q++) {
        const struct place_score s = place_score(d->p, operation, q, d->to->places, d->load);
        const double worth = by_benefit ? -place_benefit(&s) : place_cost(&s);
        if (isfinite(place_cost(&s)) && worth < least) {
            least = worth;
            best = q;
            chosen = s;
        }
    }
    log_score(d, operation, best, &chosen,
              by_benefit ? "nothing passes, the largest benefit" : "nothing passes, the least cost");
    put(d, operation, best);
}

static void decide(struct deciding *d, size_t operation)
{
    for (size_t k = 1; k <= d->p->processors; k++)
        if (try_processor(d, operation, k % d->p->processors)) /* the host last */
            return;
    settle(d, operation);
}

bool place_threshold(const struct place_problem *p, const struct place_options *o, struct place_result *to)
{
    struct deciding d = {.p = p, .t = &o->thresholds, .to = to, .placed = calloc(p->count + 1, 1)};
    if (!d.placed)
        return false;
    for (size_t i = 0; i < p->count; i++)
        to->places[i] = PLACE_HOST;
    for (size_t i = 0; i < p->count; i++)
        if (!d.placed[i])
            decide(&d, i);
    place_mend(p, to->places);
    to->seconds = place_seconds(p, to->places);
    free(d.placed);
    return sb_ok(&to->log);
}
