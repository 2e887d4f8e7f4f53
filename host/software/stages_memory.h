/* SPDX-License-Identifier: Apache-2.0
 *
 * What each byte of the slots holds between the stages of a program.
 */
#ifndef TULLE_HOST_SOFTWARE_STAGES_MEMORY_H
#define TULLE_HOST_SOFTWARE_STAGES_MEMORY_H

#include "host/operator/sequence.h"
#include "host/software/flow.h"
#include "sim/model/job.h"

/* Whose element a byte is: a tensor's number comes behind these. */
enum { OWNER_CONSTANT, OWNER_UNKNOWN, OWNER_TENSORS };

struct stage_slot {
    uint64_t size;
    uint8_t *content;  /* of constants */
    uint32_t *owner;   /* of each byte; only the first byte of an element has the tensor */
    uint32_t *element; /* its number in the tensor */
    /* Of the output slot: the value that the host takes, from 1, and the number of the element there. */
    uint32_t *wanted, *wanted_element;
};

struct stage_tensor {
    unsigned bytes; /* of an element */
    uint64_t elements;
    size_t makers; /* stages that make some of it, as far as the program was read */
    /* When the tensors of all stages are known: */
    size_t made;    /* by so many of them */
    uint64_t count; /* elements that are there */
    uint8_t *there; /* of what the host takes: each of them */
};

struct stage_memory {
    struct stage_slot slot[JOB_SLOTS];
    struct stage_tensor *tensor;
    size_t tensors, inputs, outputs, room;
};

/* As the first run finds it. False: out of memory. To be freed in any case. */
bool stage_memory_begin(struct stage_memory *memory, const struct sequence *sequence,
                        const struct packed *packed);
void stage_memory_free(struct stage_memory *memory);
/* How many tensors the host gives and takes: those with the lowest numbers. */
static inline size_t stage_memory_ends(const struct stage_memory *memory)
{
    return memory->inputs + memory->outputs;
}
/* A tensor between stages. SIZE_MAX: out of memory. */
size_t stage_memory_tensor(struct stage_memory *memory, unsigned bytes, uint64_t elements);

/* The owner of an element that is read. */
uint32_t stage_memory_owner(const struct stage_memory *memory, const struct flow_kind *kind, flow_ref ref);
/* Bytes that are written: constants, if there are any, or the owner's element. */
void stage_memory_write(struct stage_memory *memory, flow_ref to, unsigned bytes, uint32_t owner,
                        uint64_t element, const uint8_t *constants);

#endif
