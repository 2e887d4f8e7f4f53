/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of the store engine (rtl/tulle_softmax.v): a row of int8 is looked at for its largest element, for
 * the sum of exponentials, and for the results (docs/numerics.md, "Softmax").
 */
#ifndef TULLE_SIM_SHARES_H
#define TULLE_SIM_SHARES_H

#include "sim/numerics/softmax.h"

#define SHARES_MOST 4096 /* elements of the longest row */

struct shares {
    int32_t table[NUM_SOFTMAX_ENTRIES]; /* exponentials */
    unsigned elements, places;          /* of a row; with what fills its last group */
    unsigned at; /* the next one whose result is wanted; `places`: a row is read first */
    int8_t row[SHARES_MOST];
    int8_t largest;
    struct num_step step; /* the accumulate's; and of this row */
    struct num_step row_step;
};

/* An accumulate with softmax: rows of so many elements begin. */
void shares_begin(struct shares *shares, unsigned elements, unsigned k, const struct num_step *step);
/* The row begins again. */
void shares_restart(struct shares *shares);
/* An entry of the table, which is taken modulo 2^31. */
void shares_set(struct shares *shares, uint64_t place, int64_t entry);

/* The row was read: finds its largest element and its sum. */
void shares_look(struct shares *shares);
/* The result of the next element. What fills up the last group has that of an exponential of 0. */
int64_t shares_next(struct shares *shares);

#endif
