/* SPDX-License-Identifier: Apache-2.0
 *
 * Random small operators written by hand, so to speak: a device program that
 * uses what the instruction set has, and the bytes it must leave behind,
 * computed plainly.
 *
 * Every cluster multiplies `held` vectors of activations by `segments` sparse
 * vectors in each of its K PEs, over `blocks` blocks of the sum; what comes
 * out goes through the collectors into runs and planes of a slot.
 */
#ifndef TULLE_TESTS_SIM_MODEL_TILE_H
#define TULLE_TESTS_SIM_MODEL_TILE_H

#include "sim/numerics/numerics.h"
#include "tests/sim_model/stream.h"
#include "tests/sim_model/table.h"

enum weights_way { STREAMED, RESIDENT, ROTATING };

struct tile {
    /* the operator */
    unsigned rows, clusters; /* masks */
    unsigned held, segments, blocks;
    uint32_t length; /* activations of a vector */
    /* how it is done */
    enum weights_way way;
    bool hold;        /* one MAC for all vectors, `held` iterations a segment */
    bool fused;       /* STs in the sequence of the last block's MACs */
    bool trigger;     /* or started by it */
    bool shared;      /* every cluster gets the same weights, in one packet */
    bool scatter;     /* every PE has activations of its own */
    bool initial;     /* accumulators start from partial sums that LD brings */
    unsigned maximum; /* mask of the vectors whose MACs keep the largest product, not the sum */
    bool zeros;       /* activations that are 0 count, too */
    bool chain;       /* through the function of the table at the end */
    bool idle;        /* one more MAC, which does not keep its sum */
    bool has_no_sign; /* activations */
    int32_t zero;     /* their zero point */
    uint32_t origin;
    struct num_step chained;
    /* collectors and store */
    bool set_up, source, sum_clusters, sum_rows, final, interleave, results_have_no_sign;
    struct num_step step;
    enum num_element element, partial_element;
    unsigned slot;
    struct spread store, partial; /* of results in the slot, and of partial sums in theirs */
    struct table table;           /* that results take bias, scale and limits from */
    /* operands, each indexed by a function of tile.c */
    int32_t *activation; /* with the zero point */
    struct segment *weights;
    int64_t *start;
    /* what comes of it */
    struct slots slots;
    uint8_t *expected; /* the slot's bytes */
    uint64_t effective_macs, scanned;
};

/* A random tile for the variant; its packets keep the pacing rule. */
void tile_make(struct tile *tile, struct random *dice, const struct variant *variant);
/* The same, of about that size: 8..64, smaller when it does not fit. */
void tile_make_of_size(struct tile *tile, struct random *dice, const struct variant *variant, unsigned size);
void tile_free(struct tile *tile);

/* Fails the test, naming the seed that makes the tile, unless the run ended well and left what it must. */
void tile_expect(const struct tile *tile, const struct job_result *result, uint64_t seed);

/* A variant for tiles: named, with odd overrides, or random. */
struct variant tile_variant(struct random *dice);

#endif
