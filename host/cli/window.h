/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows that go over images: what the options say of one, its sizes, and
 * the definition of what it gives.
 */
#ifndef TULLE_HOST_CLI_WINDOW_H
#define TULLE_HOST_CLI_WINDOW_H

#include "host/cli/operands.h"

/* Whether it is one of images. */
static inline bool window_is_of(enum tulle_operation operation)
{
    return operation >= TULLE_CONVOLUTION;
}

static inline bool window_is_pool(enum tulle_operation operation)
{
    return operation == TULLE_MAX_POOL || operation == TULLE_AVERAGE_POOL;
}

/* From the options, all of which are checked against each other. */
void window_read(struct request *request, struct diag *diag);

int64_t window_out_height(const struct tulle_window *window);
int64_t window_out_width(const struct tulle_window *window);
/* Weights of a result. */
int64_t window_weights(const struct tulle_window *window);

/* The sums of all results, in the order of the result's matrix, modulo 2^64, unless `sums` is NULL. Returns
 * how many pairs of numbers, neither of them 0, make them. */
uint64_t window_sums(const struct operands *operands, uint64_t *sums);

#endif
