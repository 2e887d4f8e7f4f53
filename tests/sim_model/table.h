/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of channels in random operators: columns that are loaded, the walk
 * of a store through them, and what a result takes from them, computed plainly.
 */
#ifndef TULLE_TESTS_SIM_MODEL_TABLE_H
#define TULLE_TESTS_SIM_MODEL_TABLE_H

#include "sim/numerics/numerics.h"
#include "tests/sim_model/support.h"

/* Runs and planes of elements in a slot. */
struct spread {
    uint64_t offset;
    uint32_t length, runs, planes;
    int32_t run_pitch, plane_pitch;
    uint64_t slot_bytes;
};

/* Elements in runs, and in planes of runs if so, that do not overlap, in either direction. */
void spread_choose(struct random *dice, struct spread *spread, uint32_t elements, unsigned element_bytes,
                   bool planes);
/* Where a byte of the elements is. */
uint64_t spread_place(const struct spread *spread, uint64_t byte);

/* An accumulate's part in loading a column. */
struct column_load {
    unsigned column, element, group;
    struct spread from;
};

struct table {
    bool bias, scale, limits; /* that functions take */
    bool looks_up;            /* the function is the table `lookup` */
    bool joined;              /* the last load is a part of the accumulate that sets up functions */
    unsigned first, run, repeats, holds;
    struct column_load last;
    uint32_t *group; /* of each group of results, counted from the first */
    struct table_channel {
        int64_t bias, shift, multiplier, low, high;
        int64_t taken; /* the shift that was there when the multiplier came */
    } * channel;       /* in the order of the table */
    unsigned channels;
    int8_t lookup[256];
};

/* For results of so many groups of K that the step's function makes: chooses, and writes the loads, which
 * read the slot of partial sums. `joins`: the last may be a part of another accumulate. */
void table_make(struct table *table, struct random *dice, struct builder *to, const struct num_step *step,
                uint32_t groups, bool joins);
void table_free(struct table *table);

/* The step's function of a complete sum, and with the channel of this result what it takes. */
int64_t table_apply(const struct table *table, const struct variant *variant, const struct num_step *step,
                    uint64_t result, int64_t sum);

#endif
