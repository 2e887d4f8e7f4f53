/* SPDX-License-Identifier: Apache-2.0
 *
 * The bars that are known to be missed, and by how much:
 * tests/bench/known-misses.tsv. A bench passes with them as they are
 * listed; it fails with a new one, with one that became worse, and with one
 * that is met, so that the list stays true.
 */
#ifndef TULLE_TESTS_BENCH_MISSES_H
#define TULLE_TESTS_BENCH_MISSES_H

#include <stdbool.h>

#define MISSES_MAX 32

struct misses {
    struct known_miss {
        char name[128], of[16]; /* the case; what figure of it: efficiency, or bytes or program, of which less
                                   is better */
        double reached;
        bool seen;
    } known[MISSES_MAX];
    unsigned count;
};

enum miss { MISS_NONE, MISS_KNOWN, MISS_NEW, MISS_WORSE, MISS_MET };

/* The misses of that bench in a file; `path` NULL: none. False after a message on standard error. */
bool misses_read(struct misses *misses, const char *path, const char *bench);

/* A figure of a case that is measured, and whether it is beyond its bar. */
enum miss misses_judge(struct misses *misses, const char *name, const char *of, bool missed, double figure);

/* The case cannot be measured here. */
void misses_left_out(struct misses *misses, const char *name);

/* Complains of the listed ones whose case never came; how many these are. */
unsigned misses_unseen(const struct misses *misses, const char *bench);

bool miss_fails(enum miss miss);
/* A few words for a table; "" of MISS_NONE. */
const char *miss_words(enum miss miss);

#endif
