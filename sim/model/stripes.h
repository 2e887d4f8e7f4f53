/* SPDX-License-Identifier: Apache-2.0
 *
 * The weights of a packet in the order in which a product with one vector is
 * fast: PEs in fours, two entries of each side by side. A processor takes a
 * stripe of eight activations from anywhere and multiplies and adds it in one
 * instruction; the sums of the four PEs are never added to each other.
 * Shorter segments of the four are filled up with weights of 0.
 */
#ifndef TULLE_SIM_STRIPES_H
#define TULLE_SIM_STRIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/model/lanes.h"

#define STRIPE_PES 4
#define STRIPE_ENTRIES 8 /* two of each PE */

struct stripes {
    uint16_t
        *position; /* in stripes, of segment 0 for the first four PEs, the next four ..., of segment 1 ... */
    int16_t *value;
    uint32_t *end; /* per segment and four PEs: behind its last stripe */
    size_t count;
};

/* Of `segments` segments of so many lanes. False, with nothing, when there is no memory, when the PEs are not
 * whole fours, or when filling up would double the work. */
bool stripes_make(struct stripes *stripes, const struct lane *lanes, unsigned pes, uint32_t segments);
void stripes_free(struct stripes *stripes);

/* sums[pe] of a segment's products with the activations from `input` on, modulo 2^32. Exact as
 * dot_one_function (dot.h) is. */
void stripes_multiply(const struct stripes *stripes, uint32_t segment, unsigned pes, const int32_t *input,
                      int32_t *sums);

#endif
