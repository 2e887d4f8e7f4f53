/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums while a program is traced: what accumulators, output queues and collectors hold in place of numbers.
 */
#ifndef TULLE_HOST_SOFTWARE_VALUES_H
#define TULLE_HOST_SOFTWARE_VALUES_H

#include "host/software/flow.h"

/* What an input buffer holds at an address: an element of memory, or a constant from which the zero point was
 * subtracted. Either may count in maxima although it is 0. */
#define SOURCE_COUNTS (INT64_C(1) << 61)
#define SOURCE_CONSTANT (INT64_C(1) << 62)
/* What is left there of a stage that is over: nothing may be made of it. */
#define SOURCE_STALE (INT64_C(1) << 60)

static inline int64_t source_constant(int32_t value)
{
    return SOURCE_CONSTANT | (int64_t)(uint32_t)value;
}

enum value_kind {
    VALUE_CONSTANT, /* `at` */
    VALUE_DOT,      /* row `a` with the base `at` */
    VALUE_SUM,      /* of the values a and b */
    VALUE_LOADED,   /* the element `at` */
    VALUE_APPLIED,  /* finish `b` of the value a */
    VALUE_MAXIMUM,  /* row `a` with the base `at` */
    VALUE_LARGER,   /* of the values a and b */
    VALUE_STALE,    /* of a stage that is over */
    VALUE_KINDS
};

struct value {
    enum value_kind kind;
    uint32_t a, b;
    uint32_t temp; /* its number as a temporary result, from 1; 0: it is none */
    int64_t at;
};

struct values {
    struct flow *flow;
    unsigned acc_width;
    struct value *list;
    size_t count, room;
    /* terms while a row is made */
    int64_t *source;
    int32_t *weight;
    size_t terms, term_room;
    uint32_t *stack;
    size_t depth, stack_room;
    struct strbuf *why; /* the first reason why there is no data flow */
};

enum { VALUE_ZERO, VALUE_LEFT }; /* the constant 0, and what is left of a stage that is over */

bool values_begin(struct values *values, struct flow *flow, unsigned acc_width, struct strbuf *why);
void values_free(struct values *values);
/* Forgets all values. */
bool values_restart(struct values *values);
/* Notes the reason; false. */
bool values_refuse(struct values *values, const char *reason);

uint32_t value_constant(struct values *values, int64_t constant);
uint32_t value_loaded(struct values *values, flow_ref element);
uint32_t value_sum(struct values *values, uint32_t a, uint32_t b);
uint32_t value_larger(struct values *values, uint32_t a, uint32_t b);
uint32_t value_applied(struct values *values, const struct num_step *step, uint32_t of);
/* A segment whose activations lie from `address` on in an input buffer that wraps. */
uint32_t value_dot(struct values *values, const uint16_t *position, const int16_t *weight, size_t count,
                   const int64_t *input, uint32_t address, uint32_t wrap, bool maximum);
bool value_is_constant(const struct values *values, uint32_t value, int64_t *constant);

/* The value as a temporary result, with what becomes of it. */
bool values_as_result(struct values *values, uint32_t value, flow_ref *ref);

/* Sets row, base, add and the finish's bias for the sum of so many values. `finish` may become that of a
 * function that clusters have applied. */
bool values_resolve(struct values *values, const uint32_t *of, size_t count, struct flow_finish *finish,
                    struct flow_result *to);

#endif
