/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model: runs the same programs as the functional model and says
 * when things happen. Effects come from the functional array (sim/model), so
 * results are its results; what is modelled here is time: the memory port,
 * queues and tokens, row buses, weight queues, the scan of weights against
 * activations, load queues, multipliers, balancing, and the way of results
 * out. Deterministic. docs/performance.md says what each parameter stands for
 * in the hardware.
 */
#ifndef TULLE_SIM_CYCLE_H
#define TULLE_SIM_CYCLE_H

#include <stdbool.h>

#include "gen/variant/variant.h"
#include "sim/model/job.h"

enum balance_rule {
    BALANCE_NONE,
    BALANCE_OCCUPANCY, /* move when the neighbour's queue is much emptier */
    BALANCE_PROGRESS,  /* move when the neighbour has finished more segments */
};

/* What a variant does not say: the memory system, and knobs for exploration. */
struct cycle_options {
    unsigned latency;    /* cycles from a read request to its first beat, and from a write to its response */
    unsigned mac_bubble; /* extra cycles between two MAC instructions of a PE */
    unsigned
        activation_fifo;  /* beats a cluster holds of activations that are on their way into its buffers */
    unsigned result_fifo; /* groups of K results a collector holds for each cluster */
    enum balance_rule balance;
    bool ring;                  /* the last PE is the first one's neighbour */
    unsigned balance_threshold; /* segments, or queue entries, of difference before work moves */
    uint64_t limit;             /* cycles before the run is given up as a watchdog error */
};

/* The defaults for a variant: what the hardware is built to. */
struct cycle_options cycle_defaults(const struct variant *variant);

struct cycle_report {
    struct job_result result;
    uint64_t read_busy, write_busy; /* cycles with a beat on the memory port */
    uint64_t *pe_busy;              /* per PE: cycles with a multiplication; freed by cycle_report_free */
    unsigned pes;
};

/* False when out of memory. */
bool cycle_run(const struct variant *variant, const struct cycle_options *options, const struct job *job,
               struct cycle_report *report);
void cycle_report_free(struct cycle_report *report);

#endif
