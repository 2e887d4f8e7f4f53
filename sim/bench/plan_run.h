/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan on the cycle model, with operands of its own, its results compared
 * with a plain computation.
 */
#ifndef TULLE_SIM_BENCH_PLAN_RUN_H
#define TULLE_SIM_BENCH_PLAN_RUN_H

#include "host/plan/planner.h"
#include "sim/explore/run.h"

struct plan_run {
    const struct setup *setup;
    const struct plan_description *description;
    uint32_t rows; /* of results: m, or the pixels of all images */
    size_t inputs;
    int8_t *activations; /* m rows of k; images without gaps, channels innermost */
    double roofline;     /* of the operands: run.h */
    uint64_t macs;
    int32_t *expected; /* `rows` rows of n */
};

/* Operands with activations of that density. int8 without a function only. Exits when out of memory. */
void plan_run_begin(struct plan_run *run, const struct setup *setup,
                    const struct plan_description *description, double density);
void plan_run_end(struct plan_run *run);

/* Cycles of the plan; a job that fails or a wrong result ends the program. */
uint64_t plan_run_cycles(const struct plan_run *run, const struct plan *plan);

/* The same as a cost for plan_choose; the context is the run. */
bool plan_run_cost(void *context, const struct plan *plan, uint64_t *cycles);

#endif
