/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage of a program while it is read: what its results are made of, and which tensors these are.
 */
#ifndef TULLE_HOST_SOFTWARE_STAGING_H
#define TULLE_HOST_SOFTWARE_STAGING_H

#include "host/software/stages_memory.h"
#include "host/software/stages_unions.h"

enum result_state { IS_CONSTANT, IS_VALUE, IS_UNKNOWN };

/* Which elements of one slot a role of operands has: the one tensor, and the bytes between which they lie. */
struct stage_role {
    unsigned slot, bytes;
    uint32_t owner; /* OWNER_CONSTANT: none yet */
    uint64_t low, end;
};

/* A result that is a constant, to be written when the stage is over. */
struct stage_constant {
    flow_ref to;
    unsigned count;
    uint8_t bytes[8];
};

struct staging {
    struct stage_memory *memory;
    struct stages_unions *unions;
    bool numbered; /* the tensors of all stages are known */
    bool may_copy; /* stages that only move numbers are no stages of the software */
    struct flow *flow;
    struct strbuf *why;
    uint8_t *state;      /* of each result */
    uint8_t *temp_state; /* of temporary results */
    uint8_t *temps;      /* numbers of those that are constant */
    struct stage_constant *constants;
    size_t constant_count;
    struct stage_role in, second, out; /* out: what its last result is like */
    bool final, copies;
    size_t tensor;     /* that it makes: before they are numbered, its own */
    uint64_t elements; /* that the stage makes of it, with gaps; constants are none */
    uint64_t gaps;     /* elements that nobody computes or reads */
    uint32_t *rank;    /* of elements of a tensor between stages, from 1, by place from `out.low` on */
};

#define STAGING_SEVERAL "an operand of which the host and the device make parts"

/* Notes the first reason; false. */
bool staging_fail(const struct staging *staging, const char *why);
/* Fills all from `state` on. False: `why` has the reason. Without any result that is no constant, or if the
 * stage `copies` numbers, `out` has no bytes. To be freed in any case. */
bool staging_find(struct staging *staging);
void staging_free(struct staging *staging);

/* Whether the stage only moves numbers, and that the host takes none of (staging_copy.c). */
bool staging_copies(const struct staging *staging);
/* Elements are then where it puts them. False: out of memory. */
bool staging_move(const struct staging *staging);

/* The tensor of the host's that an element of the output slot is of, from 1; 0: none. */
uint32_t staging_wanted(const struct staging *staging, flow_ref to);
/* Whether the result is like those that the stage makes: sums that it writes before are its own. */
bool staging_makes(const struct staging *staging, const struct flow_result *result);
/* The number of an element of the tensor; false: it is none. */
bool staging_element(const struct staging *staging, flow_ref to, uint64_t *element);
/* Whether an owner is a tensor that stages make and nobody else takes. */
bool staging_is_inner(const struct staging *staging, uint32_t owner);
/* Whether the tensor is made of the result with that number. */
bool staging_needs(const struct staging *staging, size_t result);
unsigned staging_bytes(const struct staging *staging, const struct flow_result *result);

#endif
