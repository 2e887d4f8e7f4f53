/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster in time: what its control unit issues when, weights and
 * activations on their way into the PEs, results on their way to the
 * collector.
 */
#ifndef TULLE_SIM_CYCLE_CLUSTER_TIME_H
#define TULLE_SIM_CYCLE_CLUSTER_TIME_H

#include "sim/cycle/pe.h"
#include "sim/model/cluster.h"

#define RUNS_MAX 8        /* runs announced and not complete, before a packet with another one waits */
#define RUN_PLACES 64     /* those that the last of them triggered come on top */
#define STORES_MAX 32     /* STs issued and not shifted out */
#define REDUCTIONS_MAX 17 /* reductions beside MACs, issued and not written */
#define PACKET_BEATS 32   /* of the packet queue, for data that only a barrier takes */
#define PACKET_STEPS 3    /* from a packet's last beat to the next packet */
#define FEEDER_WORDS 2    /* words of weights on their way from the bus to the PEs */

/* A sequence that a packet started, or another one triggered. */
struct run_work {
    const struct sequence *sequence; /* the cluster's, which changes only while it has no run */
    struct operands operands[SEQUENCE_MAX];
    unsigned buffer;
    uint64_t iterations, iteration;
    unsigned instruction; /* the next one to be issued */
    unsigned planes;      /* activations for PEs apart: K when they are scattered, else 1 */
    bool shift_out, last;
    uint64_t needs_loads; /* activation packets that must be in the buffers */
    uint64_t macs;        /* MACs issued up to its last one */
    uint64_t data_end;    /* of the operand bytes of the cluster: where its packet ends */
    uint64_t barrier;     /* bytes that the load under way still wants; 0: none is under way */
    bool in_barrier;
};

/* The activation packet under way: its bytes may enter the buffers when `needs_runs` runs are complete, LD by
 * LD. */
struct load_work {
    bool on;
    uint64_t bytes, needs_runs;
    uint64_t step;     /* bytes of an LD */
    uint64_t open;     /* of the LD that is issued: bytes that it still wants */
    uint64_t unissued; /* LDs behind it */
    unsigned
        stages; /* of the sequencer up to issue, for the next one; 1: it is there; 0: it is not fetched */
};

struct store_work {
    uint64_t needs_done; /* MACs */
    uint32_t entry;      /* of the output queue */
};

/* A reduction beside MACs, with the entries that it owns until its result is written. */
struct reduction_work {
    uint64_t needs_done; /* MACs */
    uint64_t since;      /* cycle of its issue */
    uint32_t source, result;
};

struct cluster_time {
    struct pe_array pes;
    const struct variant *variant;
    const struct variant_derived *derived;
    const struct cycle_options *options;
    struct run_work runs[RUN_PLACES];          /* a ring */
    uint64_t announced, issued_runs, complete; /* runs, all in all */
    bool pause; /* the only instruction of a sequence was issued: its operands cannot be read again at once */
    uint64_t newest_run[32]; /* per buffer: runs announced up to its newest one */
    struct load_work load;
    uint64_t loads, loads_done; /* activation packets */
    uint64_t received, loaded;  /* bytes of activations: come over the bus, in the buffers */
    uint64_t operand_received, operand_taken, operand_announced; /* bytes for barriers */
    struct store_work stores[STORES_MAX];                        /* a ring */
    unsigned store_head, store_count;
    struct reduction_work reductions[REDUCTIONS_MAX]; /* in order */
    unsigned reduction_count, reduction_left;         /* cycles left of the first one; 0: it has not begun */
    size_t packet_bytes;                              /* of the packet that begins */
    bool failed;                                      /* out of memory */
    bool *entry_busy;                         /* entries of the output queue that an ST is still to take */
    unsigned shift_left;                      /* beats of the ST being shifted out */
    unsigned result_groups;                   /* in the collector's queue for this cluster */
    uint64_t config_busy;                     /* cycles until the parser is free */
    unsigned between;                         /* cycles until the next packet may begin */
    unsigned bus_beats, joined, feeder_words; /* beats of a weight beat, weight beats of a word, words */
};

/* The cluster is all 0. */
bool cluster_time_init(struct cluster_time *c, const struct variant *variant,
                       const struct variant_derived *derived, const struct cycle_options *options);
void cluster_time_free(struct cluster_time *c);

/* What kind of data an exec packet of the sequence brings. */
enum packet_kind { PACKET_WEIGHTS, PACKET_LOAD, PACKET_OPERANDS };
enum packet_kind cluster_time_packet_kind(const struct sequence *sequence);

/* Whether a packet of the sequence (NULL: a configuration) can be taken up. */
bool cluster_time_has_room(const struct cluster_time *c, const struct sequence *sequence);

/* What the functional clusters, of the same numbers, must be given so that these learn what there is to do:
 * the effects of a packet happen with its first beat, when they happen in a cluster is for its clock to say.
 */
struct work_sink cluster_time_sink(struct cluster_time *clusters);

/* A configuration of this sequence comes. */
void cluster_time_configure(struct cluster_time *c, const struct sequence *sequence);

/* A beat of the packet: whether it can be taken, and taking it; `last` of the packet. */
bool cluster_time_accepts(const struct cluster_time *c, enum packet_kind kind);
void cluster_time_take(struct cluster_time *c, enum packet_kind kind, bool last);

void cluster_time_step(struct cluster_time *c);

/* Whether a result beat is waiting for the collector; taking it. */
static inline bool cluster_time_has_result(const struct cluster_time *c)
{
    return c->shift_left > 0;
}

void cluster_time_take_result(struct cluster_time *c);

bool cluster_time_idle(const struct cluster_time *c);

#endif
