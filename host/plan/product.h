/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan of O = I x W while it is made: cut into tiles (product.c), written
 * as a program (product_program.c). Rows of activations are cut into passes,
 * the columns of the result into tiles, k into blocks; a step is a packet set
 * of a tile and a k step for a pass.
 */
#ifndef TULLE_HOST_PRODUCT_H
#define TULLE_HOST_PRODUCT_H

#include "host/plan/pack.h"
#include "host/plan/planner.h"
#include "host/plan/steps.h"

#define PRODUCT_BUFFERS 8
#define PRODUCT_SLOTS 8 /* packet sets in the storage unit, at most */
#define PRODUCT_AHEAD 2 /* steps whose weights are asked for before the current one's packets */
#define PRODUCT_CLUSTERS_MAX 16

struct product_tile {
    uint32_t first, segments;
};

/* The packets of a tile and a k step, one for each column of clusters that wants its own; those of all rows
 * are equally long. In memory: row by row, in each packet by packet. */
struct product_set {
    uint64_t offset;
    uint32_t bytes[PRODUCT_CLUSTERS_MAX], row_bytes;
    uint32_t unit; /* where it is in the storage units */
};

struct product {
    const struct plan_description *d;
    const struct sparse *weights; /* the description's, or its rows in another order */
    const struct variant *variant;
    struct variant_derived derived;
    enum plan_mapping mapping;
    struct plan_split split;
    uint32_t parts[PLAN_AXES]; /* of every axis over the array */
    uint32_t k, n, segments;   /* segments: of every part of n */
    unsigned held, held_most, data_bytes;
    uint32_t passes, block, k_steps;
    bool on_chip; /* sums stay in the output queues from k step to k step; else they are spilled */
    bool ring;    /* results go on where the last packet's ended */
    struct product_tile *tiles;
    uint32_t tile_count, tile_room;
    struct product_set *sets; /* tile by tile, k step by k step */
    uint32_t largest_set;
    /* in the storage units */
    uint32_t config_bytes, input_at, input_tile, input_half, weights_at, slots;
    bool resident; /* every set has a place of its own, and is loaded once */
    uint32_t input_pitch, output_pitch, element_bytes, partial_bytes;
};

/* Which part of an axis a cluster has. */
uint32_t product_part(const struct product *p, enum plan_axis axis, unsigned row, unsigned cluster);

/* Results of a segment and row of activations that a store takes, in groups of K. */
uint32_t product_streams(const struct product *p);

/* The plan of planner.h for products with several rows of activations. */
const char *plan_product(const struct plan_description *description, const struct plan_choice *choice,
                         struct plan *plan);

/* Writes the program; the message is NULL on success. */
const char *product_write(struct product *p, struct plan *plan);

#endif
