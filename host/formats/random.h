/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers that are the same on every machine.
 */
#ifndef TULLE_HOST_FORMATS_RANDOM_H
#define TULLE_HOST_FORMATS_RANDOM_H

#include <stdint.h>

/* Any seed will do. */
struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);
/* 0 .. below - 1, below from 1 */
uint64_t random_below(struct random *random, uint64_t below);
/* -128..127 without 0 */
int8_t random_non_zero(struct random *random);

/* How many places a sparse selection leaves out before its next one. */
struct random_gap {
    uint64_t threshold[64]; /* that bit b of a gap is 1: so many in 2^64 */
    unsigned bits;
};

/* A place is chosen with probability density, 0 < density <= 1, each on its own. */
struct random_gap random_gap_of(double density);
/* The first chosen place from `from` on, `end` when there is none before it. */
uint64_t random_place(struct random *random, const struct random_gap *gap, uint64_t from, uint64_t end);

#endif
