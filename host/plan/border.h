/* SPDX-License-Identifier: Apache-2.0
 *
 * The border of an image in the activation bank. The bank begins as zeros, so a border of zeros is there.
 * Another one, or one where something else has been, is written before the image by the store engine: as a
 * sum of what is there, whatever that is, with both limits at the border's number. That takes no byte of
 * memory but the program's. It needs `joins`.
 */
#ifndef TULLE_HOST_BORDER_H
#define TULLE_HOST_BORDER_H

#include "host/plan/planner.h"

struct plan_border {
    const struct plan_places *places;
    const struct plan_frame *frame;
    uint32_t images, height, width; /* without the border */
    uint64_t base, bytes;           /* of the whole, in the bank */
    unsigned data_bytes;
    int activation;
};

/* PLAN_OK, or PLAN_UNSUPPORTED: the variant has no joins, or the border is not in whole groups of K. */
enum plan_status plan_border_check(const struct variant *variant, const struct plan_border *border);
/* Bytes of program that it takes. */
uint64_t plan_border_program(const struct plan_border *border);

/* A plan of borders that were checked. Its slot `output` is the bank; what is within a border may become
 * border as well. */
enum plan_status plan_make_borders(const struct variant *variant, const struct plan_border *borders,
                                   size_t count, struct plan *plan);

#endif
