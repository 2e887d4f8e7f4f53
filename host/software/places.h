/* SPDX-License-Identifier: Apache-2.0
 *
 * Which element of the caller's tensors each element of a slot is. The library's own code puts operands there
 * and takes results from there; it is asked with tensors whose elements tell their numbers, digit by digit.
 */
#ifndef TULLE_HOST_SOFTWARE_PLACES_H
#define TULLE_HOST_SOFTWARE_PLACES_H

#include <assert.h>

#include "host/operator/sequence.h"

struct places {
    unsigned element; /* bytes */
    uint64_t bytes;   /* of the slot */
    uint64_t *of;     /* the number of each element in the tensor, or PLAIN_CONSTANT and its value */
    uint32_t *run;    /* elements in a row that are also in a row in the tensor have the same number */
    /* Of results: elements of the tensor that come from no element of the slot, and their values. */
    uint64_t *constant, constants;
    /* Of rows in parts, which the host adds: another element of the slot, and the one with the row's place.
     * By the latter. */
    struct places_part {
        uint64_t part, first;
    } * more;
    uint64_t more_count;
};

/* Bytes of an element, of places that were found. */
static inline unsigned places_element(const struct places *places)
{
    assert(places->element && places->of);
    return places->element;
}

bool places_input(const struct slice *slice, struct places *to);
bool places_second(const struct slice *slice, struct places *to);
/* Elements that nobody takes are PLAIN_CONSTANT. */
bool places_output(const struct slice *slice, struct places *to);
/* Of what the host takes of a sequence: elements of the output slot, of so many bytes. */
bool places_value(const struct sequence *sequence, const struct sequence_value *value, uint64_t slot_bytes,
                  struct places *to);

/* Places that are to be filled, all 0, and numbers of their runs when they are. */
bool places_begin(struct places *places, unsigned element, uint64_t bytes);
void places_find_runs(struct places *places);
void places_free(struct places *places);

#endif
