/* SPDX-License-Identifier: Apache-2.0
 *
 * Valid programs for others to break: a plan for SpMM, one for SpMV, a
 * program of loops, and tiles.
 */
#ifndef TULLE_TESTS_SIM_MODEL_VICTIMS_H
#define TULLE_TESTS_SIM_MODEL_VICTIMS_H

#include "tests/sim_model/support.h"

#define VICTIMS 10

struct victim {
    struct variant v;
    struct slots slots;
    struct model *model;
    unsigned result_slot;
    uint8_t *result; /* the slot's bytes after an undisturbed run */
};

void victim_make(struct victim *t, unsigned which);
void victim_free(struct victim *t);

/* Slots as they were, run, and what holds for every run. */
struct job_result victim_run(struct victim *t);

/* Whether the slot holds the right result. */
bool victim_is_right(const struct victim *t);

/* Operations of the program as it was that have a record each: all, or those before packed ones. */
uint32_t victim_operations(const struct victim *t);

/* One thing of a program changed at random: a bit, a byte, a field; then its record sealed again, so that the
 * change gets past the check words. */
void victim_change_sealed(struct victim *t, struct random *dice);

/* Values passed from slot to slot through partial sums and stores, in three nested loops: `counts` of passes;
 * element (i, j, k) of the input ends at (k, j, i) of the output. */
void make_transposition(const struct variant *v, const unsigned counts[3], struct slots *slots,
                        size_t *results);

#endif
