/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and pools: reads their options, computes their sizes, and
 * evaluates their definition.
 */
#ifndef TULLE_HOST_CLI_WINDOW_H
#define TULLE_HOST_CLI_WINDOW_H

#include "host/cli/operands.h"

/* Whether the operation works on images. */
static inline bool window_is_of(enum tulle_operation operation)
{
    return operation >= TULLE_CONVOLUTION && operation <= TULLE_AVERAGE_POOL;
}

static inline bool window_is_pool(enum tulle_operation operation)
{
    return operation == TULLE_MAX_POOL || operation == TULLE_AVERAGE_POOL;
}

/* Makes the window from the options and checks them against each other. */
void window_read(struct request *request, struct diag *diag);

int64_t window_out_height(const struct tulle_window *window);
int64_t window_out_width(const struct tulle_window *window);
/* Weights of a result. */
int64_t given_weights(const struct tulle_window *window);

/* Adds the sums of all results, in the order of the result's matrix and modulo 2^64, to `sums` unless it is
 * NULL. Returns the number of multiplications of two numbers other than 0. */
uint64_t window_sums(const struct operands *operands, uint64_t *sums);

#endif
