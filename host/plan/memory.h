/* SPDX-License-Identifier: Apache-2.0
 *
 * What a slow memory takes for all that a plan moves. It is found from the program alone, without the cycle
 * model, and no plan is faster than that.
 */
#ifndef TULLE_HOST_MEMORY_H
#define TULLE_HOST_MEMORY_H

#include <stdbool.h>

#include "host/plan/planner.h"

/* Beats that memory moves for a plan's program and data outside of the slots that are near. */
struct memory_beats {
    uint64_t read, written;
};
struct memory_beats memory_beats(const struct variant *variant, const struct plan *plan,
                                 const bool near[ISA_SLOTS]);

/* Cycles of a memory that moves a beat in so many, in each direction. */
uint64_t memory_cycles(const struct variant *variant, unsigned beat_cycles, const struct memory_beats *beats);

/* The same of a plan for what its description says of the memory; 0: it is not slow. */
uint64_t memory_cycles_of(const struct plan_description *description, const struct plan *plan);

#endif
