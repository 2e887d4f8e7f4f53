/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage of a program while it is read: what its results are made of, and which tensors these are.
 */
#ifndef TULLE_HOST_SOFTWARE_STAGING_H
#define TULLE_HOST_SOFTWARE_STAGING_H

#include "host/software/stages_memory.h"

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
    struct flow *flow;
    struct strbuf *why;
    uint8_t *state;      /* of each result */
    uint8_t *temp_state; /* of temporary results */
    uint8_t *temps;      /* numbers of those that are constant */
    struct stage_constant *constants;
    size_t constant_count;
    struct stage_role in, second, out; /* out: what its last result is like */
    bool final;
    size_t tensor; /* that it makes */
    uint64_t elements;
    uint32_t *rank; /* of elements of a tensor between stages, by place from `out.low` on */
};

/* Notes the first reason; false. */
bool staging_fail(const struct staging *staging, const char *why);
/* Fills all but what is given: the memory, the flow and `why`. False: `why` has the reason. Without any
 * result that is no constant, `out` has no bytes. To be freed in any case. */
bool staging_find(struct staging *staging);
void staging_free(struct staging *staging);

/* The tensor of the host's that an element of the output slot is of, from 1; 0: none. */
uint32_t staging_wanted(const struct staging *staging, flow_ref to);
/* Whether the result is like those that the stage makes: sums that it writes before are its own. */
bool staging_makes(const struct staging *staging, const struct flow_result *result);
/* The number of an element of the tensor; false: it is none. */
bool staging_element(const struct staging *staging, flow_ref to, uint64_t *element);
/* Whether the tensor is made of the result with that number. */
bool staging_needs(const struct staging *staging, size_t result);
unsigned staging_bytes(const struct staging *staging, const struct flow_result *result);

#endif
