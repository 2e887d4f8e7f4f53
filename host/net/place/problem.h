/* SPDX-License-Identifier: Apache-2.0
 *
 * The problem of placement without networks and devices: operations, processors
 * that can run some of them, values between operations, and what each choice
 * takes in seconds. Strategies (strategy.h) work on this alone.
 *
 * The predicted time of a placement is the sum of
 * - what each operation takes on its processor, with what every run there costs
 *   (its start, and copies that do not depend on where its neighbours run);
 * - what moving values costs: from the processor of its producer once to each
 *   other processor with a reader, and to the host if the caller wants it;
 * - nothing for links, which only forbid: of two operations that a processor
 *   computes as one, it runs both or neither.
 */
#ifndef TULLE_HOST_NET_PLACE_PROBLEM_H
#define TULLE_HOST_NET_PLACE_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACE_HOST = 0, PLACE_PROCESSORS_MOST = 16 };
#define PLACE_NOWHERE SIZE_MAX /* no operation: the producer of a value that the caller gives */

/* An operation on one processor. */
struct place_candidate {
    double run;      /* seconds; INFINITY: it cannot, or must not */
    double copy;     /* seconds of every run there for its operands and results, wherever they come from */
    const char *why; /* it cannot; NULL: it can */
};

struct place_operation {
    const char *name, *type;
    bool scalar;
    double complexity; /* seconds of the host that the kind and amount of its arithmetic stand for: O */
    struct place_candidate on[PLACE_PROCESSORS_MOST];
};

struct place_value {
    size_t producer; /* or PLACE_NOWHERE: it lies on the host */
    size_t *readers; /* each once */
    size_t reader_count;
    bool wanted; /* on the host, at the end */
    double bytes;
};

/* What moving a value takes: start + bytes * each. */
struct place_move {
    double start, each;
};

/* `second` is computed within `first` on that processor. */
struct place_link {
    size_t first, second, processor;
};

struct place_problem {
    size_t processors, count;
    struct place_operation *operations; /* each behind those whose values it reads */
    struct place_value *values;
    size_t value_count;
    struct place_link *links;
    size_t link_count;
    struct place_move move[PLACE_PROCESSORS_MOST][PLACE_PROCESSORS_MOST]; /* from, to; of one to itself: 0 */
};

static inline double place_moving(const struct place_problem *p, size_t from, size_t to, double bytes)
{
    return from == to ? 0 : p->move[from][to].start + bytes * p->move[from][to].each;
}

/* What the operation takes there, without its values' moves. */
static inline double place_own(const struct place_problem *p, size_t operation, size_t processor)
{
    const struct place_candidate *c = &p->operations[operation].on[processor];
    return c->run + c->copy;
}

/* Predicted seconds of a placement, a processor for each operation. INFINITY: it is not possible. */
double place_seconds(const struct place_problem *p, const uint8_t *places);

/* Room for so many of each; false: out of memory. To be freed in any case, with the readers of values. */
bool place_problem_new(struct place_problem *p, size_t processors, size_t operations, size_t values,
                       size_t links);
void place_problem_free(struct place_problem *p);
/* False: out of memory. A reader that is there already stays there once. */
bool place_add_reader(struct place_value *value, size_t reader);

#endif
