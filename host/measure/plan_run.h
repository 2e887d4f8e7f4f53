/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan on the cycle model, with operands of its own, its results compared
 * with a plain computation.
 */
#ifndef TULLE_HOST_PLAN_RUN_H
#define TULLE_HOST_PLAN_RUN_H

#include "host/measure/measurement.h"
#include "host/plan/planner.h"

struct plan_run {
    const struct setup *setup;
    const struct plan_description *description;
    uint32_t rows; /* of results: m, or the pixels of all images */
    size_t inputs;
    int8_t *activations;  /* m rows of k; images without gaps, channels innermost */
    struct limits limits; /* of the operands */
    double roofline;
    uint64_t macs;
    int32_t *expected; /* `rows` rows of n */
};

/* Operands with activations of that density. int8 without a function only. Exits when out of memory. */
void plan_run_begin(struct plan_run *run, const struct setup *setup,
                    const struct plan_description *description, double density);
void plan_run_end(struct plan_run *run);

/* The job with its operands in place, to be freed; its results, which end the program when one is wrong. */
void plan_run_job(const struct plan_run *run, const struct plan *plan, struct job *job);
void plan_run_job_free(struct job *job);
void plan_run_compare(const struct plan_run *run, const struct plan *plan, const struct job *job);

/* Cycles of the plan; a job that fails or a wrong result ends the program. */
uint64_t plan_run_cycles(const struct plan_run *run, const struct plan *plan);
/* The same with all that the cycle model has to say, to be freed; `probe` may be NULL. */
void plan_run_report(const struct plan_run *run, const struct plan *plan, const struct cycle_probe *probe,
                     struct cycle_report *report);

/* The same as a cost for plan_choose; the context is the run. */
plan_cost plan_run_cost;

struct plan_measured {
    const char *refused; /* why there is no such plan */
    uint64_t cycles;
    double efficiency, bytes_per_nonzero;
};

/* A forced plan with operands of its own. */
struct plan_measured plan_run_measure(const struct setup *setup, const struct plan_description *description,
                                      const struct plan_choice *choice, double density);

/* Cycles of a job that has nothing to do. */
uint64_t plan_run_empty(const struct setup *setup);

#endif
