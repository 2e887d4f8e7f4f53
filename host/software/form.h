/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of a data flow: results that are computed alike at many places become loops. A group has columns,
 * each with a row of weights and a finish of its own, and places at which all columns are computed; the
 * places are nests of loops.
 */
#ifndef TULLE_HOST_SOFTWARE_FORM_H
#define TULLE_HOST_SOFTWARE_FORM_H

#include "host/software/flow.h"

/* Numbers that go from place to place: all in elements. */
enum form_number { FORM_TO, FORM_BASE, FORM_ADD, FORM_SECOND, FORM_NUMBERS };
enum { FORM_DEPTH_MOST = 6 };

struct form_axis {
    uint64_t count;
    int64_t step[FORM_NUMBERS];
};

/* Loops, the innermost first. */
struct form_nest {
    unsigned depth;
    struct form_axis axis[FORM_DEPTH_MOST];
    int64_t first[FORM_NUMBERS];
};

struct form_column {
    uint32_t row, finish;
    int64_t first[FORM_NUMBERS]; /* added to those of the places */
    int64_t shift;               /* of the row's distances, in elements, to those of the group */
};

/* How an element of an operand is read, and where it is. */
struct form_source {
    bool there;
    unsigned space;
    struct flow_kind kind;
};

struct form_group {
    unsigned level; /* groups of lower ones are computed before */
    enum flow_op op;
    struct form_source to, from, add, second;
    struct form_nest *nests;
    size_t nest_count;
    uint64_t places;
    struct form_column *columns;
    size_t column_count;
    /* The activations of all columns, in elements from the base; as loops, and one by one. */
    int64_t *taps;
    size_t tap_count;
    struct form_nest *tap_nests;
    size_t tap_nest_count;
    uint64_t weights; /* that are not 0 */
    bool inside;      /* each column may read all taps: they are elements at all places */
    bool dense;       /* each column has a weight for each tap */
};

struct form {
    struct form_group *groups;
    size_t count;
};

/* Bytes of an activation. */
static inline unsigned form_tap_bytes(const struct form_group *group)
{
    return group->from.space == FLOW_TEMPS ? 8 : group->from.kind.bytes;
}

/* The place of a tap in the ascending list: terms of rows are in the order of the device's memory. */
size_t form_tap_at(const struct form_group *group, int64_t tap);
bool form_make(const struct flow *flow, struct form *to, struct strbuf *why);
/* A list of places, of which those with bit 63 are none, as loops from FORM_BASE to FORM_TO. NULL: no memory.
 */
struct form_nest *form_copies(const uint64_t *places, uint64_t count, size_t *nest_count);
void form_free(struct form *form);

#endif
