/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model of one row alone: how long the clusters of a row take for a
 * list of packets when memory is no limit, i.e. packets are there at once and
 * results are taken at once. It is what a Verilated row is compared with.
 */
#ifndef TULLE_SIM_CYCLE_CLUSTER_RUN_H
#define TULLE_SIM_CYCLE_CLUSTER_RUN_H

#include <stddef.h>

#include "sim/cycle/cycle.h"

/* A packet as a row's distribution unit sends it. */
struct row_packet {
    uint8_t command;
    uint16_t clusters, count;
    const uint8_t *data; /* whole beats */
    size_t bytes;
    bool scatter; /* value i of its activations is PE i mod K's */
};

struct cluster_report {
    enum job_code code; /* watchdog: nothing moved any more */
    uint64_t cycles;    /* from the first beat on the row bus to the last result beat */
    uint64_t effective_macs, scanned, moved;
    uint64_t stall_weights; /* PE cycles without the next segment */
    uint64_t beats;         /* of the row bus */
};

/* False when out of memory. */
bool cluster_run(const struct variant *variant, const struct cycle_options *options,
                 const struct row_packet *packets, size_t count, struct cluster_report *report);

#endif
