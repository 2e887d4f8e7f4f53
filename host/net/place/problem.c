/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/problem.h"

#include <math.h>
#include <stdlib.h>

/* Seconds for the moves of a value. */
static double moves_of(const struct place_problem *p, const struct place_value *v, const uint8_t *places)
{
    const size_t from = v->producer == PLACE_NOWHERE ? PLACE_HOST : places[v->producer];
    bool there[PLACE_PROCESSORS_MOST] = {false};
    double seconds = 0;
    there[PLACE_HOST] = v->wanted;
    for (size_t i = 0; i < v->reader_count; i++)
        there[places[v->readers[i]]] = true;
    for (size_t to = 0; to < p->processors; to++)
        seconds += there[to] ? place_moving(p, from, to, v->bytes) : 0;
    return seconds;
}

double place_seconds(const struct place_problem *p, const uint8_t *places)
{
    double seconds = 0;
    for (size_t i = 0; i < p->count; i++)
        seconds += place_own(p, i, places[i]);
    for (size_t i = 0; i < p->value_count; i++)
        seconds += moves_of(p, &p->values[i], places);
    for (size_t i = 0; i < p->link_count; i++) {
        const struct place_link *l = &p->links[i];
        if ((places[l->first] == l->processor) != (places[l->second] == l->processor))
            return INFINITY;
    }
    return seconds;
}

bool place_problem_new(struct place_problem *p, size_t processors, size_t operations, size_t values,
                       size_t links)
{
    *p = (struct place_problem){.processors = processors,
                                .count = operations,
                                .value_count = values,
                                .link_count = links,
                                .operations = calloc(operations + 1, sizeof *p->operations),
                                .values = calloc(values + 1, sizeof *p->values),
                                .links = calloc(links + 1, sizeof *p->links)};
    return p->operations && p->values && p->links;
}

void place_problem_free(struct place_problem *p)
{
    for (size_t i = 0; p->values && i < p->value_count; i++)
        free(p->values[i].readers);
    free(p->operations);
    free(p->values);
    free(p->links);
    *p = (struct place_problem){0};
}

bool place_add_reader(struct place_value *value, size_t reader)
{
    for (size_t i = 0; i < value->reader_count; i++)
        if (value->readers[i] == reader)
            return true;
    size_t *more = realloc(value->readers, (value->reader_count + 1) * sizeof *more);
    if (!more)
        return false;
    value->readers = more;
    more[value->reader_count++] = reader;
    return true;
}
