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

/* What happens in a job. Cycles are those of its result. Clusters and PEs are counted within their row and
 * cluster. */
enum cycle_event_kind {
    CYCLE_READ,        /* beats of data on a memory port, from `cycle` on, which may still be to come */
    CYCLE_WRITE,       /* a beat of data on the write port */
    CYCLE_BUSY,        /* `count`: multiplications of all PEs until now; every so many cycles */
    CYCLE_PACKET,      /* clusters take up the first beat of a packet: `command`, `clusters`, `count` beats */
    CYCLE_PACKET_END,  /* its last one; `command`, `clusters` */
    CYCLE_INSTRUCTION, /* a cluster issues it: `opcode`, of buffer `command`, in place `count` */
    CYCLE_MAC,         /* a PE begins to read the weights of its MAC number `count` */
    CYCLE_MAC_END,     /* it has the sum of its MAC number `count` */
};

struct cycle_event {
    uint64_t cycle, count;
    enum cycle_event_kind kind;
    unsigned row, cluster, pe;
    unsigned clusters; /* a bit each */
    unsigned command, opcode;
};

/* Who is told, in the order of cycles but for reads. Nothing depends on it. */
struct cycle_probe {
    void *context;
    void (*event)(void *context, const struct cycle_event *event);
    uint64_t every; /* cycles between two CYCLE_BUSY; 0: none */
};

/* When the parts of a device with job_queue are free for a job that waits behind another one
 * (rtl/tulle_control.v), in cycles from when its program is fetched; and what that one writes. `hand` 0: they
 * are not, because it failed. */
struct cycle_behind {
    uint64_t lead;   /* the command processor reads the header */
    uint64_t spread; /* loads begin */
    uint64_t hand;   /* packets are sent; the job's count of cycles begins */
    uint64_t done;   /* stores begin, and loads of what is written */
    const uint8_t *from, *to;
};

/* What a variant does not say: the memory system, and knobs for exploration. */
struct array;

struct cycle_options {
    unsigned latency; /* cycles from a read request to its first beat, and from a write to its response */
    unsigned beats,
        bandwidth_cycles; /* memory moves at most so many beats in so many cycles, each direction */
    unsigned mac_bubble;  /* extra cycles between two MAC instructions of a PE */
    unsigned
        activation_fifo;  /* beats a cluster holds of activations that are on their way into its buffers */
    unsigned result_fifo; /* groups of K results a collector holds for each cluster */
    enum balance_rule balance;
    bool ring;                       /* the last PE is the first one's neighbour */
    unsigned balance_threshold;      /* segments, or queue entries, of difference before work moves */
    const struct cycle_probe *probe; /* NULL: nobody */
    const struct cycle_behind
        *behind;         /* the job waited, and was there early enough; NULL: nothing runs before it */
    struct array *array; /* what jobs before this one were run with; NULL: there are none */
    uint64_t limit;      /* cycles before the run is given up as a watchdog error */
};

/* The defaults for a variant: what the hardware is built to. */
struct cycle_options cycle_defaults(const struct variant *variant);

/* Where the cycles of all PEs went: each cycle of each PE is in one of them. */
enum cycle_use {
    CYCLE_MULTIPLIES,
    CYCLE_NO_PACKET,   /* nothing to run has come to the cluster: start, memory, row bus */
    CYCLE_ACTIVATIONS, /* what there is to run waits for its activations, or for LDs of others */
    CYCLE_WEIGHTS,     /* a MAC is issued, and its weights are not all there */
    CYCLE_RESULTS,     /* results that are to leave keep a MAC or a store from being issued */
    CYCLE_BETWEEN,     /* it scans, finds nothing that counts, adds up, or waits for a neighbour */
    CYCLE_END,         /* the program is over: counters, status record, interrupt */
    CYCLE_USES
};

#define CYCLE_BURST_LONG 4

struct cycle_report {
    struct job_result result;
    uint64_t use[CYCLE_USES];
    uint64_t read_busy, write_busy; /* cycles with a beat on the memory port */
    /* Bytes that stores write to memory: all; in whole beats; in bursts of CYCLE_BURST_LONG beats and more.
     */
    uint64_t stored, stored_whole, stored_long;
    struct cycle_behind behind; /* for the next job */
    uint64_t *pe_busy;          /* per PE: cycles with a multiplication; freed by cycle_report_free */
    unsigned pes;
};

/* False when out of memory. */
bool cycle_run(const struct variant *variant, const struct cycle_options *options, const struct job *job,
               struct cycle_report *report);
void cycle_report_free(struct cycle_report *report);

#endif
