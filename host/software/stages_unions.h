/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that several stages of a program make. A stage that reads what others have made as one operand, such
 * as an image whose first rows are those that a slice kept, makes one tensor of it: its elements are those of
 * all makers. They are numbered by their addresses as long as these differ, and where makers use the same
 * places one after another, behind each other.
 */
#ifndef TULLE_HOST_SOFTWARE_STAGES_UNIONS_H
#define TULLE_HOST_SOFTWARE_STAGES_UNIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/software/flow.h"

/* What one stage makes of a tensor. */
struct stage_set {
    unsigned bytes; /* of an element */
    uint64_t elements;
    flow_ref *at;     /* the place of each element, ascending */
    size_t above;     /* another set of the tensor, or itself */
    uint64_t *number; /* of each element in the tensor, once they are numbered */
    size_t tensor;    /* likewise */
};

struct stage_union {
    unsigned bytes;
    uint64_t elements;
    size_t makers;
};

struct stages_unions {
    struct stage_set *set; /* in the order of the stages */
    size_t sets, room;
    struct stage_union *tensor; /* in the order of their first sets */
    size_t tensors;
    size_t next; /* when the program is read again: the set of the next stage that makes one */
};

/* A set with room for so many elements, whose places the caller fills; NULL: out of memory. */
struct stage_set *unions_add(struct stages_unions *unions, unsigned bytes, uint64_t elements);
/* The elements of both are of one tensor. False: they are of different sizes. */
bool unions_join(struct stages_unions *unions, size_t a, size_t b);
/* Finds the tensors, and the numbers of their elements. False: out of memory. */
bool unions_number(struct stages_unions *unions);
void unions_free(struct stages_unions *unions);

#endif
