/* SPDX-License-Identifier: Apache-2.0
 *
 * The PEs of a cluster in time: weight queue, scan, the two load queues,
 * multiplier, the moving of work to a neighbour, and the closing of MACs.
 */
#ifndef TULLE_SIM_CYCLE_PE_H
#define TULLE_SIM_CYCLE_PE_H

#include <stddef.h>

#include "sim/cycle/cycle.h"
#include "sim/model/lanes.h"

/* Cycles of the pipelines in a PE. */
#define SEGMENT_LATENCY 5  /* from the word that ends a segment to its scan */
#define SCAN_LATENCY 7     /* from a word's read to its group in the first load queue */
#define SUM_LATENCY 4      /* from a MAC's last own multiplication to its sum */
#define RETURN_LATENCY 3   /* from a neighbour's multiplication to the product's place in the sum */
#define ROOM_LATENCY 1     /* from the end of a MAC to its place in the issue ring */
#define CLOSED_LATENCY 3   /* from the last PE's end of a MAC to the control unit */
#define FUNCTION_LATENCY 4 /* from a sum to the function unit's answer, when nobody else waits for it */

#define SUMS_MAX 4      /* MACs whose own products are complete and not yet summed up: accumulation buffers */
#define MOVING_MACS 2   /* MACs, from the oldest that is not summed up, whose loads may be at the neighbour */
#define FOREIGN_QUEUE 4 /* loads of the right neighbour that a PE holds */
#define MULTIPLIER_PLACES 1 /* own loads between the load queue and the multiplier */
#define LOAD_QUEUE_MAX 64

/* A queue of records that grows; consumed from the front. */
struct flow {
    void *items;
    size_t item;             /* bytes of one */
    size_t begin, end, room; /* in items */
};

static inline size_t flow_count(const struct flow *flow)
{
    return flow->end - flow->begin;
}

/* A MAC as it is issued to all PEs. */
struct mac_work {
    bool balance, chain;
    bool advance; /* the head segment is done with after it */
    bool rotate;  /* but stays in the queue */
};

/* What travels through the load queues: effective loads of a word, then possibly the end of a MAC. */
struct load_group {
    uint8_t loads;
    bool valid, ends, balance;
};

/* What is announced to a PE and not consumed. */
enum pe_flow {
    FLOW_WORDS,    /* struct word_work: not arrived */
    FLOW_SEGMENTS, /* struct segment_work: not dropped */
    FLOW_COUNTS,   /* uint8_t: entries of each segment in each of its words */
    FLOW_FLAGS,    /* uint8_t: effective loads up to each, modulo 256, in the order of scanning */
    PE_FLOWS
};

struct pe_counters {
    uint64_t busy, moved;
    uint64_t stall_weights, stall_output;
    uint64_t idle[CYCLE_USES]; /* cycles without a multiplication, by their reason */
};

struct pe {
    struct flow flow[PE_FLOWS];
    struct pe_counters counters;
    /* the weight queue */
    size_t counts_gone;               /* of those that were dropped */
    uint64_t announced_words, stored; /* words that take a place: announced, arrived */
    unsigned ends, loading;           /* ends of segments held; cycles until a word may come */
    size_t head, arrived;             /* segment of the next MAC; segments that are there to be scanned */
    size_t arriving[SEGMENT_LATENCY], coming; /* segments on their way to the scan; how many */
    /* scan */
    uint8_t loads_announced, loads_read;    /* up to the newest of the flags, and the last that was scanned */
    uint32_t read;                          /* words of the head segment that this MAC has read */
    unsigned bubble;                        /* cycles until the next MAC may start */
    uint64_t started;                       /* MACs whose scan is complete */
    struct load_group flight[SCAN_LATENCY]; /* words on their way to the first load queue, a ring */
    unsigned flight_head, flying;           /* the next to arrive; words in the ring */
    unsigned in_flight;                     /* of them, those that were not read in the last cycle */
    /* load queues */
    struct load_group first[LOAD_QUEUE_MAX];
    unsigned first_head, first_count;
    struct load_group second[MULTIPLIER_PLACES]; /* loads is 0 or 1 */
    unsigned second_head, second_count;
    uint64_t split;                 /* MACs all of whose loads have left the first queue */
    uint8_t foreign[FOREIGN_QUEUE]; /* loads of the right neighbour waiting here: which of its MACs */
    unsigned foreign_head, foreign_count;
    /* closing */
    uint64_t ended, summed, closed; /* MACs multiplied, summed up with what the neighbour did, closed */
    uint64_t sum_at[SUMS_MAX];
    unsigned out[MOVING_MACS];                      /* loads at the neighbour */
    uint8_t returning[RETURN_LATENCY][MOVING_MACS]; /* products on their way back */
    unsigned coming_back;                           /* how many */
    bool closing;
    uint64_t close_at;
    bool multiplied; /* in this cycle */
};

/* Whether the PEs of a cluster are in the same state (pe_together.c). */
struct pe_together {
    bool on;
    bool told;               /* there were announcements since the last cycle */
    size_t before[PE_FLOWS]; /* items of PE 0 before those */
    struct pe_counters base; /* of PE 0, when the others' counters were last right */
};

struct pe_array {
    unsigned number; /* of the cluster, through all rows */
    const struct variant *variant;
    const struct variant_derived *derived;
    const struct cycle_options *options;
    uint64_t now, function_free;
    unsigned most, ahead,
        slack;               /* MACs: of a PE, not begun, issued after there is no room (variant_mac_slack) */
    enum cycle_use unissued; /* why nothing is issued */
    uint64_t issued;         /* MACs in all */
    unsigned room;           /* bit i: i cycles ago every PE had room for a MAC */
    uint64_t done[CLOSED_LATENCY + 1]; /* MACs that every PE had closed so many cycles ago */
    struct mac_work macs[VARIANT_MACS_MAX];
    struct pe_together together;
    struct pe pe[16];
};

/* The PEs that are stepped: PE 0 alone when all are together. */
static inline unsigned pes_stepped(const struct pe_array *pes)
{
    return pes->together.on ? 1 : pes->variant->k;
}

/* The array is all 0. */
void pes_init(struct pe_array *pes, const struct variant *variant, const struct variant_derived *derived,
              const struct cycle_options *options);
void pes_free(struct pe_array *pes);

/* A packet of `words` words brings the PE the newest `segments` segments of the lane. */
bool pe_announce_weights(struct pe_array *pes, unsigned pe, const struct lane *lane, uint32_t segments,
                         size_t words);
bool pe_announce_flags(struct pe_array *pes, unsigned pe, const uint8_t *flags, size_t count);

/* Whether every PE has room for a word of weights, and taking one. */
bool pes_accept_word(const struct pe_array *pes);
void pes_take_word(struct pe_array *pes);

/* Whether a MAC can be issued to all PEs, and issuing it. */
bool pes_accept_mac(const struct pe_array *pes);
void pes_issue(struct pe_array *pes, struct mac_work mac);

/* Tells the probe of an event in the cluster. */
void pes_tell(const struct pe_array *pes, uint64_t cycle, struct cycle_event event);

/* One clock cycle. */
void pes_step(struct pe_array *pes);

/* MACs that every PE has closed, and whether nothing is under way. */
uint64_t pes_done(const struct pe_array *pes);
bool pes_idle(const struct pe_array *pes);

#endif
