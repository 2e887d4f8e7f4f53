/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node of integers computes, once its scales have become integers: the same description serves the
 * kernels here and a device. A kernel makes it and hands it over; it is then computed, or taken by somebody
 * else who only wants to know.
 */
#ifndef TULLE_HOST_NET_CPU_EXACT_H
#define TULLE_HOST_NET_CPU_EXACT_H

#include "host/net/cpu/scaled.h"

enum exact_kind {
    EXACT_LAYER,   /* a convolution or a product: layer, w, bias */
    EXACT_JOIN,    /* join, w: the second operand */
    EXACT_BYTES,   /* each of 256 codes becomes the table's: bytes */
    EXACT_AVERAGE, /* windows: slide, step */
    EXACT_LARGEST, /* likewise, without a step */
    EXACT_TOTAL,   /* sums: kept, zero, step */
    EXACT_SOFTMAX,
    EXACT_KINDS
};

/* Fields that its kind does not have are NULL or 0. Of an operand that is computed when the network runs,
 * `data` may be NULL. */
struct exact {
    enum exact_kind kind;
    const struct view *x, *w, *bias, *y;
    const struct scaled_layer *layer;
    const float *factors; /* of a layer whose steps have limits and zero points alone: float_result() of sums
                             with the factor of their channel; NULL: its steps have all */
    const struct num_join *join;
    const uint8_t *bytes; /* by a code's byte */
    const struct slide *slide;
    const struct num_step *step;
    const struct num_softmax *softmax;
    const struct view *kept; /* the sizes of x, with 1 for those that are added up */
    int32_t zero;            /* of a total: numbers are added up less this */
};

struct taker {
    void *context;
    bool (*take)(void *context, const struct exact *what); /* what it points to is gone afterwards */
};

/* Computes it, unless the call has a taker. False after an error, or as the taker says. */
bool exact_run(const struct call *c, const struct exact *what);

/* Which of a kernel's operands may be without values when what it computes is only described, as bits; the
 * others are constants. 0: the kernel does not describe it. */
unsigned exact_computed(const struct node *node);
/* The number of the second operand that may be computed; 0: there is none. */
size_t exact_second(const struct node *node);
/* The other one of two operands that may be computed; NULL: there is none. */
struct tensor *exact_other(const struct node *node, size_t operand);

#endif
