/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator with random operands, planned, run on the functional model and
 * compared with a plain computation. In a variant with kept_weights also with what
 * stays in the storage units of a job with other activations.
 */
#ifndef TULLE_TESTS_HOST_PLAN_PROBLEM_H
#define TULLE_TESTS_HOST_PLAN_PROBLEM_H

#include "host/plan/planner.h"
#include "tests/sim_model/support.h"

struct problem {
    int8_t lookup[256];
    struct variant v;
    struct sparse w;
    struct plan_description d;
    struct plan_window window; /* of convolutions; w.columns are those of a kernel */
    uint32_t rows;             /* of results: m, or all pixels of all images */
    int32_t *input;            /* less the zero point: m rows of k; images without gaps, channels innermost */
    int64_t *partial;          /* `rows` rows of n; NULL: none */
    int16_t *operand;          /* `rows` rows of n; NULL: results are not joined */
    struct problem_channel {
        int64_t *bias;
        int32_t *multiplier;
        uint8_t *shift;
        int16_t *low, *high;
    } own; /* of each of n; the description says which are used */
};

/* Random weights of that density in per cent, some rows empty; activations; partial sums. The description is
 * filled but for its function. */
void problem_make(struct problem *p, struct random *dice, const struct variant *v,
                  enum plan_operator operator, uint32_t m, uint32_t k, uint32_t n, unsigned percent);
/* The same around weights that are there already. */
void problem_around(struct problem *p, struct random *dice, const struct variant *v,
                    enum plan_operator operator, uint32_t m);
/* A window of 3x3 in steps of one. */
struct plan_window problem_3x3(uint32_t height, uint32_t width, uint32_t channels);
/* A convolution of m images with kernels of that density; `window` is all but its sizes in memory. */
void problem_convolution(struct problem *p, struct random *dice, const struct variant *v,
                         const struct plan_window *window, uint32_t m, uint32_t n, unsigned percent);
/* After the function is set: half of those that have channels of their own and requantise do it by them. */
void problem_scale(struct problem *p);
/* Some of those that have channels of their own requantise by them and have a join. */
void problem_join(struct problem *p, const struct random *dice);
/* Whether results have a sign and are looked up: after their element and function are chosen. */
void problem_results(struct problem *p, const struct random *dice);
/* A small convolution or product of any kind, joined or with channels of its own or not. */
void problem_random(struct problem *p, struct random *dice, const struct variant *v);
void problem_free(struct problem *p);

/* What it should be; free it. */
int64_t *problem_expected(const struct problem *p);

/* Runs the plan on the functional model and fails the test, naming `what`, unless results are as expected and
 * nothing else of the output slot is written. */
struct job_result problem_run(const struct problem *p, const struct plan *plan, const int64_t *expected,
                              const char *what);

/* The same on the cycle model, where stores and packets can stop each other. */
struct job_result problem_time(const struct problem *p, const struct plan *plan, const int64_t *expected,
                               const char *what);

#endif
