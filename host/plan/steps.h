/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that every plan writes, and the arithmetic they share.
 */
#ifndef TULLE_HOST_STEPS_H
#define TULLE_HOST_STEPS_H

#include "host/plan/planner.h"

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

/* What the collectors add to results: partial sums `elements` from place `at` on of `slot` (0: none), and the
 * results of what the split has different k for. Sums are complete then, or not. */
struct collectors_step {
    const struct plan_description *description;
    struct plan_split split;
    unsigned slot;
    uint64_t at, elements;
    bool complete;
    bool waits; /* for TOKEN_STORED; TOKEN_SET_UP is given */
};
void step_collectors(struct writer *writer, const struct collectors_step *step);

/* The same once, for a program whose stores all give complete results, in the order of their partial sums;
 * false: it needs no such thing. */
bool step_collectors_once(struct writer *writer, const struct plan_description *description,
                          struct plan_split split, uint64_t results);

/* Stores take results of clusters in turn, or add them. When each cluster of a row has packets of its own,
 * one has its packet before its neighbour gets anything, so it must be able to take all of it while none of
 * its results are taken: as many results as the way out holds, or with the rest waiting in the weight queues.
 */
uint32_t segments_on_the_way_out(const struct variant *variant, unsigned held);
bool packet_fits_alone(const struct variant *variant, const struct variant_derived *derived,
                       uint32_t segments, unsigned held, uint64_t bytes);

/* Masks of all rows, and of all clusters of a row. */
uint32_t all_rows(const struct variant *variant);
uint32_t all_clusters(const struct variant *variant);

#endif
