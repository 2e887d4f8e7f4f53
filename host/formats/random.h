/* SPDX-License-Identifier: Apache-2.0
 *
 * Random values and random sparse selections, the same on every machine.
 */
#ifndef TULLE_HOST_FORMATS_RANDOM_H
#define TULLE_HOST_FORMATS_RANDOM_H

#include "gen/base/random.h"

/* -128..127 without 0 */
int8_t random_non_zero(struct random *random);

/* The gaps of a sparse selection. */
struct random_gap {
    uint64_t threshold[64]; /* that bit b of a gap is 1: so many in 2^64 */
    unsigned bits;
};

/* Each place is chosen independently with probability density, 0 < density <= 1. */
struct random_gap random_gap_of(double density);
/* The first chosen place from `from` on, or `end`. */
uint64_t random_place(struct random *random, const struct random_gap *gap, uint64_t from, uint64_t end);

#endif
