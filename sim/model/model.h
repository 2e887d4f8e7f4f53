/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional model: executes device programs, the same bytes the device
 * gets, without time. Results, status record and counters are those the
 * device must give, except for what only time decides (cycles, stalls, moved).
 */
#ifndef TULLE_SIM_MODEL_H
#define TULLE_SIM_MODEL_H

#include "gen/variant/variant.h"
#include "sim/model/job.h"

struct model;

/* NULL when out of memory. The variant must be legal. */
struct model *model_new(const struct variant *variant);
void model_free(struct model *model);

/* Runs one job from reset to end; writes the status record when the status slot has room for it. The device
 * writes nothing outside the output, scratch and status slots, whatever the program says. */
void model_run(struct model *model, const struct job *job, struct job_result *result);

/* The status record of a result. */
void job_write_status(const struct job_result *result, uint32_t number, uint8_t record[ISA_STATUS_BYTES]);

/* The name of a status code, for messages. */
const char *job_code_name(enum job_code code);

/* The hash that programs for this variant carry. */
uint64_t model_variant_hash(const struct variant *variant);

#endif
