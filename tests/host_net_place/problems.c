/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net_place/problems.h"

#include <criterion/criterion.h>
#include <math.h>

static double cost(struct random *random, uint32_t most)
{
    return random_below(random, most + 1);
}

static void set_moves(struct random *random, struct place_problem *p)
{
    for (size_t from = 0; from < p->processors; from++)
        for (size_t to = 0; to < p->processors; to++)
            if (from != to)
                p->move[from][to] = (struct place_move){cost(random, 8), cost(random, 3)};
}

static void set_operation(struct random *random, const struct place_problem *p, struct place_operation *o)
{
    o->name = "operation";
    o->type = "Conv";
    o->scalar = random_below(random, 5) == 0;
    o->complexity = cost(random, 5);
    for (size_t q = 0; q < p->processors; q++) {
        const bool can = q == PLACE_HOST || random_below(random, 4);
        o->on[q] = (struct place_candidate){.run = can ? cost(random, 40) : INFINITY,
                                            .copy = q == PLACE_HOST ? 0 : cost(random, 4),
                                            .why = can ? NULL : "it is not there"};
    }
}

static struct place_problem new_problem(struct random *random, size_t processors, size_t operations,
                                        size_t links)
{
    struct place_problem p;
    cr_assert(place_problem_new(&p, processors, operations, operations + 1, links));
    set_moves(random, &p);
    for (size_t i = 0; i < operations; i++) {
        set_operation(random, &p, &p.operations[i]);
        p.values[i] = (struct place_value){
            .producer = i, .wanted = random_below(random, 6) == 0, .bytes = cost(random, 6)};
    }
    p.values[operations] = (struct place_value){.producer = PLACE_NOWHERE, .bytes = cost(random, 6)};
    return p;
}

struct place_problem random_problem(struct random *random, size_t processors, size_t operations)
{
    struct place_problem p = new_problem(random, processors, operations, random_below(random, 3));
    cr_assert(place_add_reader(&p.values[operations], 0));
    for (size_t i = 1; i < operations; i++)
        for (size_t reads = 1 + random_below(random, 3); reads--;)
            cr_assert(place_add_reader(&p.values[random_below(random, (uint32_t)i)], i));
    for (size_t i = 0; i < p.link_count; i++) {
        const size_t first = random_below(random, (uint32_t)operations - 1);
        p.links[i] =
            (struct place_link){first, first + 1, 1 + random_below(random, (uint32_t)processors - 1)};
    }
    return p;
}

struct place_problem series_parallel(struct random *random, size_t processors, size_t operations)
{
    struct place_problem p = new_problem(random, processors, operations, 0);
    size_t fork = PLACE_NOWHERE, end = 0;
    cr_assert(place_add_reader(&p.values[operations], 0));
    /* Fork, two branches of one operation, join, and so on. */
    for (size_t i = 1; i < operations; i++) {
        const bool second = fork != PLACE_NOWHERE && i == fork + 2;
        cr_assert(place_add_reader(&p.values[second ? fork : end], i));
        if (fork != PLACE_NOWHERE && i == fork + 3) {
            cr_assert(place_add_reader(&p.values[fork + 1], i));
            fork = PLACE_NOWHERE;
        } else if (fork == PLACE_NOWHERE && random_below(random, 2)) {
            fork = end = i;
            continue;
        }
        end = i;
    }
    return p;
}

double least_of_all(const struct place_problem *p)
{
    uint8_t places[16] = {0};
    double least = INFINITY;
    cr_assert_lt(p->count, sizeof places);
    for (size_t i = 0; i < p->count;) {
        least = fmin(least, place_seconds(p, places));
        for (i = 0; i < p->count && ++places[i] == p->processors; i++)
            places[i] = 0;
    }
    return least;
}
