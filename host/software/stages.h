/* SPDX-License-Identifier: Apache-2.0
 *
 * The stages of a sequence's program as data flow between tensors. Fences divide the program into stages,
 * each of which reads what stages before it have left in memory, and in the activation bank, whatever lies
 * there at that moment. So places may be used again, and a value has a border where nothing was written.
 *
 * For each byte it is known whose element it is, or which constant: what the host puts there before the first
 * run, and what is computed of constants alone, are constants. A tensor has the elements that a stage writes,
 * in the order of the caller when the host takes them, else in that of their addresses: borders, room for
 * channels that are not there and sums within a stage are no part of it. Slices of a value that something
 * reads together are one tensor, which several stages make (stages_unions.h), and stages that only move
 * numbers are none.
 */
#ifndef TULLE_HOST_SOFTWARE_STAGES_H
#define TULLE_HOST_SOFTWARE_STAGES_H

#include "host/operator/sequence.h"
#include "host/software/plain.h"

#define STAGES_NONE SIZE_MAX

/* Tensors are numbered: what the host gives, what it takes, and then what is between stages. */
struct stage {
    struct plain plain;
    size_t in, second, out; /* second: STAGES_NONE if it reads one tensor */
    bool last;              /* the tensor `out` is complete */
    bool pieces;            /* some tensors of the sequence are made by several stages */
    /* Which of so many stages it is, and if what only moves numbers is counted, too. */
    size_t number, stages;
    size_t number_with_copies, copies;
};

/* Takes one stage, whose data flow it may change. False: `why` has the reason. */
typedef bool stages_take(void *context, struct stage *stage, struct strbuf *why);

bool stages_read(const struct sequence *sequence, const struct packed *packed, stages_take *take,
                 void *context, struct strbuf *why);

#endif
