/* SPDX-License-Identifier: Apache-2.0
 *
 * Which element of the caller's tensors each element of a slot is. The library's own code puts operands there
 * and takes results from there; it is asked with tensors whose elements tell their numbers, digit by digit.
 */
#ifndef TULLE_HOST_SOFTWARE_PLACES_H
#define TULLE_HOST_SOFTWARE_PLACES_H

#include <assert.h>

#include "host/operator/operator.h"

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
void places_free(struct places *places);

#endif
