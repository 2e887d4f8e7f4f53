/* SPDX-License-Identifier: Apache-2.0
 *
 * The data flow of an operator over the caller's tensors. Programs of all parts and blocks are traced, and
 * the places of the device's memory become places of plain tensors: by the very code that puts operands there
 * and takes results from there, which is asked with numbers that tell their places.
 */
#ifndef TULLE_HOST_SOFTWARE_PLAIN_H
#define TULLE_HOST_SOFTWARE_PLAIN_H

#include "host/operator/operator.h"
#include "host/software/flow.h"

/* A byte that is no element of a tensor, and its value. */
#define PLAIN_CONSTANT (UINT64_C(1) << 63)

/* An operand as the data flow reads it. */
struct plain_operand {
    unsigned bytes;    /* of an element; 0: there is none */
    uint64_t elements; /* of the caller's tensor */
    /* Elements between borders and in the device's order; NULL: the data flow reads the tensor itself. Each
     * is the number of an element of the tensor, or PLAIN_CONSTANT with a value. */
    uint64_t *image;
    uint64_t image_elements;
};

struct plain {
    struct flow flow; /* slots are operands: input, extra; and results: output */
    struct plain_operand input, second;
    unsigned out_bytes;
    uint64_t out_elements;
};

/* False: `why` has the reason. To be freed in any case. */
bool plain_operator(const struct planned *op, const struct packed *packed, struct plain *to,
                    struct strbuf *why);
void plain_free(struct plain *plain);

#endif
