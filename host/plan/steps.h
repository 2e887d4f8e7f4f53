/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that every plan writes, and the arithmetic they share.
 */
#ifndef TULLE_HOST_STEPS_H
#define TULLE_HOST_STEPS_H

#include "gen/base/math.h"
#include "host/plan/planner.h"

/* Tokens: something is there, or its place is free again. Plans without weights have only the first two, so
 * that every variant has enough of them. Those that have a count when a job begins come first: the device
 * sets no others. */
enum {
    TOKEN_STORED, /* results that the collectors' next set-up must not meet are in memory */
    TOKEN_SET_UP, /* the collectors are set up for the next store */
    TOKEN_WEIGHTS_FREE,
    TOKEN_INPUT_FREE,
    TOKEN_WEIGHTS,
    TOKEN_INPUT,
    TOKEN_CONFIG,
    TOKENS_USED
};

/* Prepares the configuration of a buffer of all clusters. A cluster takes a configuration only when it is at
 * rest, so those of all buffers are sent first. */
void step_configure(struct writer *writer, unsigned buffer, const struct setting *header,
                    const struct config_instruction *code, size_t instructions);
/* Settings of the header of a buffer that loads activations. */
#define STEP_ACTIVATIONS(d)         \
    {"unsigned", (d)->has_no_sign}, \
    {                               \
        "zero", (int16_t)(d)->zero  \
    }
/* Loads all configurations that were prepared, at once, to the start of the storage units, and sends them.
 * The first loads of a program go between: a queue that is full of packets would hold them up. */
void step_load_configurations(struct writer *writer);
void step_send_configurations(struct writer *writer);
/* Bytes of the storage units that a configuration of so many instructions takes. */
uint32_t step_config_bytes(unsigned instructions);
/* Cycles in which a cluster takes it and does nothing else: docs/rtl.md. */
uint32_t step_config_cycles(unsigned instructions);

/* What the collectors add to results: partial sums `elements` from place `at` on of `slot` (0: none), and the
 * results of what the split has different k for. Sums are complete then, or not. */
struct collectors_step {
    const struct plan_description *description;
    struct plan_split split;
    unsigned slot;
    uint64_t at, elements;
    uint64_t operand_at;                  /* of complete sums, counted in elements */
    uint32_t operand_elements;            /* of a run; 0: `elements` in one run */
    uint32_t operand_runs, operand_pitch; /* pitch: in bytes */
    bool complete;
    bool waits; /* for TOKEN_STORED; TOKEN_SET_UP is given */
};
void step_collectors(struct writer *writer, const struct collectors_step *step);

/* An operand of joins: `elements` from place `at` on of its slot, `runs` times. */
struct operand_step {
    enum isa_operand operand;
    enum isa_slot slot;
    unsigned element;
    bool has_no_sign;
    int zero;
    const struct plan_join *scale; /* of the second operand, otherwise NULL */
    uint64_t at;
    uint32_t elements, runs;
    uint64_t run_pitch;  /* bytes from a run to the next; 0: the same again */
    bool waits, signals; /* for TOKEN_STORED; TOKEN_SET_UP is given */
};
void step_operand(struct writer *writer, const struct operand_step *step);

/* The same once, for a program whose stores all give complete results, in the order of their partial sums;
 * false: it needs no such thing. */
bool step_collectors_once(struct writer *writer, const struct plan_description *description,
                          struct plan_split split, uint64_t results);

/* Stores take results of clusters in turn, or add them. When each cluster of a row has packets of its own,
 * one has its packet before its neighbour gets anything, so it must be able to take all of it while none of
 * its results are taken: as many results as the way out holds, or with the rest waiting in the weight queues.
 */
uint32_t step_segments_on_the_way_out(const struct variant *variant, unsigned held);
bool step_packet_fits_alone(const struct variant *variant, const struct variant_derived *derived,
                            uint32_t segments, unsigned held, uint64_t bytes);

/* Masks of all rows, and of all clusters of a row. */
uint32_t plan_all_rows(const struct variant *variant);
uint32_t plan_all_clusters(const struct variant *variant);

#endif
