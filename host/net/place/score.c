/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/net/place/strategy.h"

/* Moving a value to the processor, unless a reader that is placed already has brought it there. */
static double brings(const struct place_problem *p, const struct place_value *v, size_t operation,
                     size_t processor, const uint8_t *places)
{
    const size_t from = v->producer == PLACE_NOWHERE ? PLACE_HOST : places[v->producer];
    bool reads = false;
    for (size_t i = 0; i < v->reader_count; i++) {
        reads = reads || v->readers[i] == operation;
        if (v->readers[i] < operation && places[v->readers[i]] == processor)
            return 0;
    }
    return reads ? place_moving(p, from, processor, v->bytes) : 0;
}

struct place_score place_score(const struct place_problem *p, size_t operation, size_t processor,
                               const uint8_t *places, const double *load)
{
    const struct place_operation *op = &p->operations[operation];
    const struct place_candidate *on = &op->on[processor];
    struct place_score s = {.moves = on->copy, .accumulated = load[processor] + on->run};
    for (size_t i = 0; i < p->value_count; i++) {
        const struct place_value *v = &p->values[i];
        s.moves += brings(p, v, operation, processor, places);
        if (v->producer == operation && v->wanted)
            s.moves += place_moving(p, processor, PLACE_HOST, v->bytes);
    }
    if (processor != PLACE_HOST) {
        s.speed = isfinite(op->on[PLACE_HOST].run) ? op->on[PLACE_HOST].run - on->run : 0;
        s.complexity = op->complexity;
    }
    return s;
}
