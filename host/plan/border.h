/* SPDX-License-Identifier: Apache-2.0
 *
 * The border of an image in the activation bank. The bank begins as zeros, so a border of zeros is there.
 * Another one is written before anything else by the store engine, as the sum of zeros of the bank and a zero
 * point: that takes no byte of memory but the program's. It needs `joins`.
 */
#ifndef TULLE_HOST_BORDER_H
#define TULLE_HOST_BORDER_H

#include "host/plan/planner.h"

struct plan_border {
    const struct variant *variant;
    const struct plan_places *places;
    const struct plan_frame *frame;
    uint32_t images, height, width; /* without the border */
    uint64_t bytes;                 /* of the whole */
    unsigned data_bytes;
    int activation;
};

/* A plan that reads and writes the slot `output`, all zeros until then. What is within the border may become
 * border as well. PLAN_UNSUPPORTED: no joins, or places that are not whole groups of K. */
enum plan_status plan_make_border(const struct plan_border *border, struct plan *plan);

#endif
