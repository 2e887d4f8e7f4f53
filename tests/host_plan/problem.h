/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator with random operands, planned, run on the functional model and
 * compared with a plain computation.
 */
#ifndef TULLE_TESTS_HOST_PLAN_PROBLEM_H
#define TULLE_TESTS_HOST_PLAN_PROBLEM_H

#include "host/plan/planner.h"
#include "tests/sim_model/support.h"

struct problem {
    struct variant v;
    struct sparse w;
    struct plan_description d;
    int32_t *input;   /* m rows of k */
    int64_t *partial; /* m rows of n; NULL: none */
};

/* Random weights of that density in per cent, some rows empty; activations; partial sums. The description is
 * filled but for its function. */
void problem_make(struct problem *p, struct dice *dice, const struct variant *v, enum plan_operator operator,
                  uint32_t m, uint32_t k, uint32_t n, unsigned percent);
/* The same around weights that are there already. */
void problem_around(struct problem *p, struct dice *dice, const struct variant *v,
                    enum plan_operator operator, uint32_t m);
void problem_free(struct problem *p);

/* What it should be; free it. */
int64_t *problem_expected(const struct problem *p);

/* Runs the plan on the functional model and fails the test, naming `what`, unless results are as expected and
 * nothing else of the output slot is written. */
struct job_result problem_run(const struct problem *p, const struct plan *plan, const int64_t *expected,
                              const char *what);

/* The same on the cycle model, where stores and packets can stop each other. */
uint64_t problem_time(const struct problem *p, const struct plan *plan, const int64_t *expected,
                      const char *what);

#endif
