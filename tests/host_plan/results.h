/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of complete sums, by chance and by a plain computation:
 * functions, tables, numbers of channels, and second operands; and softmax.
 * The planner's tests and the fuzzer share it.
 */
#ifndef TULLE_TESTS_HOST_PLAN_RESULTS_H
#define TULLE_TESTS_HOST_PLAN_RESULTS_H

#include "host/plan/planner.h"
#include "tests/sim_model/support.h"

/* Results of which channels have all numbers are requantised by those and joined; the function's rounding
 * stays. */
void results_join(struct plan_description *d, struct random *dice);
/* Requantised results are looked up in a table, which is filled; channels have no limits then. */
void results_look_up(struct plan_description *d, int8_t table[256], struct random *dice);
/* A join of two tensors, as far as the variant has what it needs; all but its sizes. */
struct plan_pair results_pair(const struct variant *v, struct random *dice);
/* Softmax, likewise. */
struct plan_softmax results_softmax(const struct variant *v, struct random *dice);
/* Brings some of its inputs near one another. */
void results_crowd(uint8_t *inputs, uint64_t count, struct random *dice);

/* Result n of a sum, as its element is read. `operand`: the number that it is joined with, or NULL. */
int64_t results_expected(const struct plan_description *d, uint32_t n, int64_t sum, const int16_t *operand);
/* Of an element of a pair. */
int64_t results_of_pair(const struct plan_pair *p, int64_t a, int64_t b);
/* The results of a row of softmax in memory, as many as `pitch` with those behind it. */
void results_of_row(const struct plan_softmax *s, const uint8_t *row, uint32_t pitch, uint8_t *to);

/* A number less 2^7 or 2^15, if it is written without a sign, as it is read with one. */
int64_t results_read(const uint8_t *at, unsigned element, bool has_no_sign);
/* The other way round. */
void results_write(uint8_t *at, unsigned element, bool has_no_sign, int64_t value);

#endif
