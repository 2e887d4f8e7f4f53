/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional model: executes device programs, the same bytes the device
 * gets, without time. Results, status record and counters are those the
 * device must give, except for what only time decides (cycles, stalls, moved).
 */
#ifndef TULLE_SIM_MODEL_H
#define TULLE_SIM_MODEL_H

#include "gen/variant/variant.h"
#include "sim/model/status.h"

struct model;
struct operation;

/* NULL when out of memory. The variant must be legal. */
struct model *model_new(const struct variant *variant);
void model_free(struct model *model);

/* A soft reset of the device: storage units hold nothing that a program may expect. */
void model_forget(struct model *model);

/* Runs one job from its begin to its end; writes the status record when the status slot has room for it. The
 * device writes nothing outside the output, scratch and status slots, whatever the program says. */
void model_run(struct model *model, const struct job *job, struct job_result *result);

/* From now on the caller says by model_changed() that there may be other bytes where a slot of an earlier job
 * was, before the next job; what jobs of this model change the model knows. Weights that do not change are
 * then not read in each job. Without a promise every job reads all that it uses. */
void model_promise(struct model *model);
void model_changed(struct model *model, const uint8_t *begin, uint64_t bytes);
/* A job that something else ran may have changed its output, scratch and status. */
void model_changed_by(struct model *model, const struct job *job);

/* The same in an order of operations that the program's tokens allow, in memories that hold anything, both by
 * seed; 0: in program order as far as it goes, all memories zero. When two seeds do not agree, the outcome of
 * the program is decided by time, or by what the device held before. */
void model_run_by_chance(struct model *model, const struct job *asked, uint64_t seed,
                         struct job_result *result);

/* The most groups of K results of a cluster that no store took in the last job. A device has room for
 * result_queue_depth of them. */
size_t model_results_left(const struct model *model);

/* The hash that programs for this variant carry. */
uint64_t model_variant_hash(const struct variant *variant);

/* What executes operations in place of the model's array, in the order in which the model would. */
struct model_engine {
    void *context;
    enum job_code (*execute)(void *context, const struct operation *op, struct job_result *result);
    /* As array_store_ready(). */
    bool (*store_ready)(const void *context, const struct operation *op);
    /* After each fence, when all operations before it are done. NULL: nothing is told. */
    enum job_code (*fence)(void *context, struct job_result *result);
};

/* Hands the operations of a job to the engine. `result` has the code of the first failure, if any. */
void model_walk(const struct variant *variant, const struct job *job, const struct model_engine *engine,
                struct job_result *result);

#endif
