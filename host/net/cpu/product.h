/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the elements of matrix products lie, for all kinds of them.
 */
#ifndef TULLE_HOST_NET_CPU_PRODUCT_H
#define TULLE_HOST_NET_CPU_PRODUCT_H

#include "host/net/cpu/kernel.h"

/* Rows, products of a result, columns. */
void product_sizes(const struct view *a, const struct view *b, int64_t *m, int64_t *k, int64_t *n);
/* For a result: the first element of a, whose others follow it, and of b, whose others have that distance. */
void product_places(const struct view *a, const struct view *b, const struct view *y, size_t i, size_t *p,
                    size_t *q, size_t *step);

#endif
