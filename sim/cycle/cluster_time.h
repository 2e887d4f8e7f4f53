/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster in time: what its control unit issues when, activations on their
 * way into the input buffers, results on their way to the collector.
 */
#ifndef TULLE_SIM_CYCLE_CLUSTER_TIME_H
#define TULLE_SIM_CYCLE_CLUSTER_TIME_H

#include "sim/cycle/pe.h"
#include "sim/model/sequence.h"

/* Cycles from a PE's last multiplication of a MAC to its entry being readable in the output queue. */
#define RESULT_PIPELINE 6

/* A sequence that a packet started: `iterations` times `macs` MACs, each iteration followed by `stores`. */
struct run_work {
    uint64_t iterations;
    unsigned macs, keeps, stores, ahead;
    uint64_t needs_loaded; /* bytes of activations that must have arrived */
    uint64_t needs_stored; /* STs that must have been shifted out */
};

/* An activation packet: its bytes may enter the buffers when `needs_done` MACs are complete. */
struct load_work {
    uint64_t bytes, needs_done;
};

/* STs in order: due when `needs_done` MACs are complete; `frees` output-queue entries with it. */
struct store_work {
    uint64_t needs_done;
    unsigned frees;
};

#define WORK_MAX 64 /* packets a cluster has accepted and not finished */

struct cluster_time {
    struct pe_array pes;
    const struct variant *variant;
    const struct cycle_options *options;
    struct run_work runs[WORK_MAX];
    unsigned run_head, run_count;
    struct load_work loads[WORK_MAX];
    unsigned load_head, load_count;
    uint64_t load_queued, received, loaded; /* bytes announced, come over the bus, in the buffers */
    uint64_t announced_macs, issued_macs;
    uint64_t buffer_macs[32]; /* MACs announced up to each buffer's newest packet */
    uint64_t iteration_mac;   /* MACs issued of the iteration under way */
    uint64_t stores_announced, stores_done;
    uint64_t held;             /* output-queue entries in use */
    struct store_work *stores; /* ring of those issued */
    size_t store_head, store_count, store_room;
    uint64_t done_history[RESULT_PIPELINE]; /* MACs complete, by age */
    unsigned shift_left;                    /* beats of the ST being shifted out */
    unsigned result_groups;                 /* in the collector's queue for this cluster */
    uint64_t config_busy;                   /* cycles until the parser is free */
};

void cluster_time_init(struct cluster_time *c, const struct variant *variant,
                       const struct cycle_options *options);
void cluster_time_free(struct cluster_time *c);

/* A packet arrives: what its sequence does, times count. */
bool cluster_time_packet(struct cluster_time *c, const struct sequence *sequence, unsigned buffer,
                         bool shift_out, uint32_t count, uint64_t data_bytes);
bool cluster_time_has_room(const struct cluster_time *c);

/* Activation beats: whether one more fits, and taking it. */
bool cluster_time_accepts_activations(const struct cluster_time *c, unsigned bytes);
void cluster_time_take_activations(struct cluster_time *c, unsigned bytes);

void cluster_time_step(struct cluster_time *c);

/* Whether a result beat is waiting for the collector; taking it. */
bool cluster_time_has_result(const struct cluster_time *c);
void cluster_time_take_result(struct cluster_time *c);

bool cluster_time_idle(const struct cluster_time *c);

#endif
