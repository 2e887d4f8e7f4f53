/* SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark of one cluster: cases with their bars, operands, packets,
 * and what was measured.
 */
#ifndef TULLE_TESTS_BENCH_CLUSTER_H
#define TULLE_TESTS_BENCH_CLUSTER_H

#include "host/plan/planner.h"
#include "sim/cycle/cluster_run.h"
#include "sim/verilated/player.h"

enum cluster_kind { CASE_SPMM, CASE_HEAVY, CASE_BAND, CASE_FILE };

struct cluster_case {
    char name[64];
    enum cluster_kind kind;
    unsigned scan;
    bool neighbour;
    double weights, activations; /* densities */
    unsigned heavy;              /* the PE with four times the others' weights */
    unsigned per_row;            /* band: non-zeros of a row */
    char path[256];              /* file: under TULLE_DATA */
    double bar;                  /* least utilization; heavy: least speed-up over no balancing; 0: none */
};

struct cluster_cases {
    struct cluster_case *list;
    size_t count, room;
};

/* Exits with a message that names the line when the file is not as it says in its head. */
struct cluster_cases cluster_cases_read(const char *path);

struct cluster_measured {
    const char *skipped; /* why nothing was measured */
    uint64_t macs;       /* effective ones */
    uint64_t cycles, model_cycles;
    double utilization, model_utilization;
    double deviation; /* of the cycles from the model's */
    double faster;    /* heavy: times faster than the same without balancing */
    bool below;       /* the bar */
};

/* The operator of a case on the variant, as packets of one row. NULL, or why there are none. */
const char *cluster_packets(const struct cluster_case *c, const struct variant *variant,
                            struct packet_list *list);

#endif
