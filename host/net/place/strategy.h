/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies of placement, one file each: a strategy gives every operation of a
 * problem a processor. All of them heed links, and none chooses a processor that
 * cannot run an operation.
 */
#ifndef TULLE_HOST_NET_PLACE_STRATEGY_H
#define TULLE_HOST_NET_PLACE_STRATEGY_H

#include "gen/base/strbuf.h"
#include "host/net/place/problem.h"

/* Cost C = T + A and benefit P = S + O of an operation on a processor, in seconds. */
struct place_score {
    double moves;       /* T: moving what it reads there, and its control */
    double accumulated; /* A: what was placed there before, and the operation itself */
    double speed;       /* S: gained against the host; negative: lost */
    double complexity;  /* O: taken from the host */
};

static inline double place_cost(const struct place_score *s)
{
    return s->moves + s->accumulated;
}

static inline double place_benefit(const struct place_score *s)
{
    return s->speed + s->complexity;
}

/* Bounds of `thresholds`, singly or together. */
struct place_thresholds {
    bool has_cost, has_benefit;
    double cost, benefit; /* seconds: at most, at least */
};

struct place_options {
    struct place_thresholds thresholds;
    uint64_t steps; /* of a search that is bounded; 0: 2,000,000 */
};

struct place_result {
    uint8_t *places;   /* the caller's, one for each operation */
    double seconds;    /* predicted */
    bool proven;       /* no placement takes less */
    struct strbuf log; /* what was decided and tried, a line each */
};

struct place_strategy {
    const char *name, *text;
    /* False: out of memory. */
    bool (*place)(const struct place_problem *p, const struct place_options *o, struct place_result *to);
};

/* Ends with a NULL name. The first one is the default. */
enum { PLACE_STRATEGIES_MOST = 8 };
extern const struct place_strategy place_strategies[];
/* NULL: there is none of that name. */
const struct place_strategy *place_strategy_named(const char *name);

/* The strategies (path.c, branch.c, threshold.c, greedy.c, policies.c). */
bool place_path(const struct place_problem *p, const struct place_options *o, struct place_result *to);
bool place_threshold(const struct place_problem *p, const struct place_options *o, struct place_result *to);
bool place_greedy(const struct place_problem *p, const struct place_options *o, struct place_result *to);
bool place_all_host(const struct place_problem *p, const struct place_options *o, struct place_result *to);
bool place_all_device(const struct place_problem *p, const struct place_options *o, struct place_result *to);

/* What they share. */

/* The least, exactly, by eliminating one operation after another. *fits is false when a table would become
 * too large; nothing is chosen then. False: out of memory. (eliminate.c) */
bool place_eliminate(const struct place_problem *p, uint8_t *places, bool *fits);
/* Improves a placement that is possible by branch and bound, in so many steps at most. *proven: all was seen.
 * False: out of memory. (branch.c) */
bool place_branch(const struct place_problem *p, uint64_t steps, uint8_t *places, bool *proven);
/* Of an operation, with those before it placed and `load` seconds placed on each processor. (score.c) */
struct place_score place_score(const struct place_problem *p, size_t operation, size_t processor,
                               const uint8_t *places, const double *load);
/* Moves operations that break a link to the host, until none does. (policies.c) */
void place_mend(const struct place_problem *p, uint8_t *places);

#endif
