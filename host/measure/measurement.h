/* SPDX-License-Identifier: Apache-2.0
 *
 * One measurement of the exploration: an operator planned, run on the
 * functional model and on the cycle model, checked, and held against its
 * roofline.
 */
#ifndef TULLE_HOST_MEASUREMENT_H
#define TULLE_HOST_MEASUREMENT_H

#include "host/formats/matrix.h"
#include "host/measure/limits.h"
#include "host/plan/planner.h"
#include "sim/cycle/cycle.h"

/* A variant with overrides, and what the cycle model needs beside it. */
struct setup {
    struct variant variant;
    struct cycle_options options;
};

/* "key=value" overrides, NULL at the end. Exits with the messages when the variant is not legal. */
struct setup setup_load(const char *name, const char *const *sets);

/* Convolutions and poolings as command lines and files of cases name them. */
struct shape {
    struct plan_window window;
    uint32_t tile_width, tile_height; /* results that a cluster holds */
};

/* "30x30x64,3,1,4x4": height, width and channels of the image, which has its borders already; side of the
 * kernel; stride; width and height of the tile. False when it is not that. */
bool shape_read(const char *text, struct shape *to);

/* Operands, the same on every machine for a seed. */
struct sparse sparse_random(uint32_t rows, uint32_t columns, double density, uint64_t seed);
/* Row r has its non-zeros within `half` of the diagonal, `per_row` of them (fewer at the ends). */
struct sparse sparse_banded(uint32_t rows, uint32_t per_row, uint32_t half, uint64_t seed);
/* A graph of so many nodes, few of them busy; `edges` are drawn. */
struct sparse sparse_power_law(uint32_t nodes, uint64_t edges, uint64_t seed);
/* Full blocks of `block` x `block`, each with that probability. */
struct sparse sparse_block(uint32_t rows, uint32_t columns, uint32_t block, double density, uint64_t seed);
/* Every row of PE `heavy` (rows r with r % pes == heavy) has `factor` times the others' density. */
struct sparse sparse_heavy(uint32_t rows, uint32_t columns, double density, unsigned pes, unsigned heavy,
                           double factor, uint64_t seed);

/* The activations that the measurements use, and their seed. */
#define ACTIVATION_SEED 7
bool measured_activations(int8_t *to, uint64_t count, double density);

/* Those of so many rows of activations times a matrix. */
struct limits limits_of_product(const struct variant *variant, uint64_t macs, const struct sparse *weights,
                                uint64_t rows);

/* Values that int8 does not hold get others, and those that are 0 are left out. */
struct sparse sparse_from(const struct matrix *matrix);
/* A matrix file; values that int8 does not hold get others. Exits with the message when it cannot be read. */
struct sparse sparse_read(const char *path);

#endif
