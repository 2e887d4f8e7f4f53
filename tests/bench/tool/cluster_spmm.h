/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A x W as packets of one cluster, cut as a planner could cut it: passes
 * of a few rows of A, within them blocks of k whose sums stay in the output
 * queues. All columns of W are one tile.
 */
#ifndef TULLE_TESTS_BENCH_CLUSTER_SPMM_H
#define TULLE_TESTS_BENCH_CLUSTER_SPMM_H

#include "tests/bench/tool/cluster.h"

struct cluster_spmm {
    const struct variant *variant;
    const struct sparse *weights; /* a row for each column of W */
    const int8_t *activations;    /* rows of A, one behind the other */
    uint32_t rows;
    uint32_t held;         /* rows of a pass; divides them */
    uint32_t block;        /* of k: all of it or half */
    uint32_t packet_bytes; /* of weights */
};

/* NULL, or why not. */
const char *cluster_spmm_packets(const struct cluster_spmm *s, struct packet_list *list);

/* Whether these are the results, computed plainly, in the order of the packets' STs. */
bool cluster_spmm_right(const struct cluster_spmm *s, const struct cluster_results *results);

#endif
