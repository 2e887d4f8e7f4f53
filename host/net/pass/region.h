/* SPDX-License-Identifier: Apache-2.0
 *
 * A node between DequantizeLinear and QuantizeLinear, for the pass `quantised`, which
 * makes integer operators of them.
 */
#ifndef TULLE_HOST_NET_REGION_H
#define TULLE_HOST_NET_REGION_H

#include "host/net/pass/edit.h"

/* A DequantizeLinear or QuantizeLinear, and its numbers. */
struct scaling {
    struct node *node;
    struct tensor *integers, *scale, *zero; /* no zero: 0 */
};

struct region {
    struct scaling x, w, y, bias; /* node NULL: none */
    struct node *product;         /* what lies between */
    struct node *function;        /* NULL: none */
    double low, high;             /* limits of integers */
};

bool scaling_take(struct node *node, const char *type, struct scaling *to);
/* Whether it has one scale and one zero point, for bytes. */
bool scaling_is_one(const struct scaling *s);
/* The zero point, which integer operators must have, with as many numbers as the scale. */
struct tensor *scaling_zero(struct edit *e, const struct scaling *s);

/* The scaling of the second operand. */
bool region_weights(struct region *r);
/* The new node gives what the region gave, within its limits. */
void region_finish(struct edit *e, const struct region *r, struct node *first);
/* An integer operator for an Add, a Mul or an average. False: it is none, or does not fit. */
bool region_sum(struct edit *e, struct region *r);

#endif
