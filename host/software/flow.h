/* SPDX-License-Identifier: Apache-2.0
 *
 * The data flow of device programs: for each result, which numbers of memory it is made of, and how. Rows are
 * lists of weights with the distances of their activations from a base, so that results which are computed
 * alike share a row; what becomes of a sum is a finish, which they share as well.
 */
#ifndef TULLE_HOST_SOFTWARE_FLOW_H
#define TULLE_HOST_SOFTWARE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "sim/model/channels.h"
#include "sim/model/joins.h"
#include "sim/numerics/softmax.h"

/* An element of memory: how it is read, the space that it is in, and its byte offset there. */
typedef int64_t flow_ref;
#define FLOW_NONE INT64_MIN
#define FLOW_OFFSET_BITS 40
#define FLOW_SPACE_BITS 4
enum {
    FLOW_TEMPS = SLOT_BANK + 1,
    FLOW_SPACES
}; /* slots, and results that others are made of, 8 bytes each */

static inline flow_ref flow_ref_of(unsigned kind, unsigned space, uint64_t offset)
{
    return (flow_ref)((uint64_t)kind << (FLOW_OFFSET_BITS + FLOW_SPACE_BITS) |
                      (uint64_t)space << FLOW_OFFSET_BITS | offset);
}
static inline uint64_t flow_offset(flow_ref ref)
{
    return (uint64_t)ref & ((UINT64_C(1) << FLOW_OFFSET_BITS) - 1);
}
static inline unsigned flow_space(flow_ref ref)
{
    return (unsigned)((uint64_t)ref >> FLOW_OFFSET_BITS) & ((1u << FLOW_SPACE_BITS) - 1);
}
static inline unsigned flow_kind_of(flow_ref ref)
{
    return (unsigned)((uint64_t)ref >> (FLOW_OFFSET_BITS + FLOW_SPACE_BITS));
}

/* How an element is read: its number less the zero point. */
struct flow_kind {
    unsigned bytes;
    unsigned no_sign;
    int32_t zero;
};
enum { FLOW_KINDS_MOST = 64 };

/* What a row makes of its products. Of the largest, activations that are zeros count or do not. */
enum flow_op { FLOW_SUM, FLOW_MAX, FLOW_MAX_NONZERO, FLOW_SOFTMAX, FLOW_OPS };

struct flow_row {
    enum flow_op op;
    uint32_t count;
    size_t first;  /* in the lists of terms */
    int64_t start; /* of the largest: below all products, or the first candidate */
};

/* What becomes of a complete sum. */
struct flow_finish {
    int64_t bias;
    uint32_t acc_width;
    uint32_t final;       /* the rest counts; else the sum is written as it is */
    uint32_t own;         /* `step` has numbers of the channel, before the join */
    uint32_t joins;       /* then a join with the second operand, and `last` */
    struct num_step step; /* `lookup` is NULL: the table has a number */
    struct num_step last;
    struct joining joining;
    struct operand_scale scale;
    uint32_t table;            /* of NUM_LOOKUP, or of softmax */
    uint32_t elements;         /* of a row of softmax */
    uint32_t element, no_sign; /* what is written */
};

struct flow_result {
    flow_ref to;
    flow_ref base;   /* of the row */
    flow_ref add;    /* one more number, which is added; FLOW_NONE: none */
    flow_ref second; /* operand of a join; FLOW_NONE: none */
    uint32_t row, finish;
    uint32_t place; /* in a row of softmax */
};

struct flow {
    struct flow_kind kinds[FLOW_KINDS_MOST];
    unsigned kind_count;
    unsigned data_width;

    struct flow_row *rows;
    size_t row_count, row_room;
    int64_t *delta;
    int32_t *weight;
    size_t term_count, term_room;
    uint32_t *row_index; /* hash table of rows */
    size_t row_index_size;

    struct flow_finish *finishes;
    size_t finish_count, finish_room;
    uint32_t *finish_index;
    size_t finish_index_size;

    int32_t (*tables)[NUM_SOFTMAX_ENTRIES];
    size_t table_count;

    struct flow_result *results; /* in an order in which they can be computed */
    size_t result_count, result_room;
    uint64_t temps;
    uint64_t size[FLOW_SPACES]; /* bytes of the slots */

    bool no_memory;
};

void flow_free(struct flow *flow);
/* Kinds, rows, finishes and tables are there once each. */
unsigned flow_kind(struct flow *flow, struct flow_kind kind);
uint32_t flow_row(struct flow *flow, enum flow_op op, int64_t start, const int64_t *delta,
                  const int32_t *weight, uint32_t count);
bool flow_same_finish(const struct flow_finish *a, const struct flow_finish *b);
uint32_t flow_finish(struct flow *flow, const struct flow_finish *finish);
uint32_t flow_table(struct flow *flow, const int32_t table[NUM_SOFTMAX_ENTRIES]);
void flow_put(struct flow *flow, const struct flow_result *result);

/* The number of a finished sum, before it is narrowed to the element that is written. `second` is the
 * operand's number; `row` of softmax is the row, and `place` the element in it. */
int64_t flow_finished(const struct flow *flow, const struct flow_finish *finish, int64_t sum, int64_t second,
                      const int8_t *row, unsigned place);

/* One result, as it is in memory; to be written to `to`. */
void flow_compute(const struct flow *flow, uint8_t *const spaces[FLOW_SPACES],
                  const struct flow_result *result, uint8_t *to);
/* Computes all results in memory: the slots of a job. `temps` has 8 bytes for each temporary result. */
bool flow_evaluate(const struct flow *flow, uint8_t *const slots[ISA_SLOTS]);

#endif
