/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan's program uses of the array: places in the storage units, and
 * the clusters' instruction buffers. The linker asks for it when it puts one
 * plan behind another.
 */
#ifndef TULLE_HOST_USE_H
#define TULLE_HOST_USE_H

#include "host/plan/plan.h"
#include "sim/model/program.h"

#define USE_BUFFERS 32
#define USE_CLUSTERS 16 /* of a row */

struct plan_use {
    bool *beats; /* row-bus beats of the storage units that loads and packets touch */
    uint64_t iterations[USE_BUFFERS][USE_CLUSTERS]; /* of each buffer's sequence, in a cluster of all rows */
    bool uneven[USE_BUFFERS];                       /* packets go to some rows only, or who knows where */
};

/* Bytes of the storage units, from a place on that is taken modulo their size. */
struct unit_span {
    uint32_t from, bytes;
};
struct unit_span use_span_of_load(const struct operation *load);
bool use_is_free(const struct variant *variant, struct unit_span span, const bool *beats);

/* Walks the program of a plan, which the planner has made; false at its end. */
bool use_open(const struct plan *plan, const struct variant *variant, struct program *program);
bool use_next(struct program *program, struct operation *operation);

enum plan_status use_of(const struct variant *variant, const struct plan *plan, struct plan_use *use);
void use_free(struct plan_use *use);

#endif
