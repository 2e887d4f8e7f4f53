/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that every plan writes, and the arithmetic they share.
 */
#ifndef TULLE_HOST_STEPS_H
#define TULLE_HOST_STEPS_H

#include "host/plan/writer.h"

/* Every plan keeps configurations in the first bytes of the storage units, this much for each. */
#define CONFIG_UNIT_BYTES 1024

/* Tokens: something is there, or its place is free again. */
enum {
    TOKEN_WEIGHTS,
    TOKEN_WEIGHTS_FREE,
    TOKEN_INPUT,
    TOKEN_INPUT_FREE,
    TOKEN_CONFIG,
    TOKEN_STORED, /* results that the collectors' next set-up must not meet are in memory */
    TOKEN_SET_UP, /* the collectors are set up for the next store */
    TOKENS_USED
};

uint32_t round_up(uint32_t value, uint32_t multiple);
uint32_t divide_up(uint32_t value, uint32_t by);

/* Sends the configuration at `offset` of the program's data to `buffer` of all clusters. */
void step_configure(struct writer *writer, unsigned buffer, uint64_t offset, size_t bytes);
/* The same by way of another place in the storage units. */
void step_configure_by(struct writer *writer, unsigned buffer, uint64_t offset, size_t bytes, uint32_t unit);

/* A packet of weights for all clusters: from the weights slot to all storage units, and on. */
struct weights_step {
    uint64_t offset;
    uint32_t bytes, unit; /* unit: where in the storage unit */
    unsigned command;
    uint32_t count;
};
void step_weights(struct writer *writer, const struct weights_step *step);

/* Masks of all rows, and of all clusters of a row. */
uint32_t all_rows(const struct variant *variant);
uint32_t all_clusters(const struct variant *variant);

#endif
