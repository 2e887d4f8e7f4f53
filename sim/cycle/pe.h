/* SPDX-License-Identifier: Apache-2.0
 *
 * The PEs of a cluster in time: weight queue, scan, the two load queues,
 * multiplier, and the moving of work to a neighbour.
 */
#ifndef TULLE_SIM_CYCLE_PE_H
#define TULLE_SIM_CYCLE_PE_H

#include <stddef.h>

#include "sim/cycle/cycle.h"

/* A segment that a packet announced: how much of the stream it is. */
struct segment_work {
    uint32_t entries, extra; /* extra: places of the stream taken by escapes */
    unsigned macs;           /* of the sequence that multiplies it */
    bool resident;           /* its weights are in the queue already (RQ) */
};

/* A queue of bytes or records that grows; consumed from the front. */
struct flow {
    void *items;
    size_t size, begin, end, room; /* in items */
};

/* What travels through the load queues: effective loads of one scan step, then possibly the end of a MAC. */
struct load_group {
    uint8_t loads;
    bool ends;
};

#define LOAD_QUEUE_MAX 64
#define FOREIGN_QUEUE 4 /* loads of the right neighbour that a PE holds */

struct pe {
    struct flow segments; /* struct segment_work: announced, the first one is being scanned */
    struct flow flags;    /* uint8_t: effective or not, in the order of scanning */
    size_t arriving;      /* which of `segments` the stream is in */
    uint32_t arriving_slot;
    uint64_t arrived, freed; /* entries, of the weight queue */
    /* scan */
    unsigned mac;     /* index of the MAC within the iteration */
    uint32_t scanned; /* entries of it already looked at */
    unsigned bubble;  /* cycles until the next MAC may start */
    uint64_t issued;  /* MACs this PE may run in all */
    uint64_t started; /* MACs whose scan is complete */
    /* queues */
    struct load_group first[LOAD_QUEUE_MAX];
    unsigned first_head, first_count;
    struct load_group second[LOAD_QUEUE_MAX]; /* loads is 0 or 1 */
    unsigned second_head, second_count, second_loads;
    unsigned foreign; /* loads of the right neighbour waiting here */
    uint64_t done;    /* MACs complete */
    uint64_t busy, moved;
    uint64_t stall_weights, stall_output;
};

struct pe_array {
    const struct variant *variant;
    const struct cycle_options *options;
    struct pe pe[16];
};

void pes_free(struct pe_array *pes);

bool pe_announce_segment(struct pe *pe, struct segment_work work);
bool pe_announce_flags(struct pe *pe, const uint8_t *flags, size_t count);

/* Whether every PE has room for a weight beat, and taking one. */
bool pes_accept_beat(const struct pe_array *pes, unsigned entries_per_beat);
void pes_take_beat(struct pe_array *pes, unsigned entries_per_beat);

/* One clock cycle. */
void pes_step(struct pe_array *pes);

/* MACs that every PE has completed, and whether nothing is under way. */
uint64_t pes_done(const struct pe_array *pes);
bool pes_idle(const struct pe_array *pes);

#endif
