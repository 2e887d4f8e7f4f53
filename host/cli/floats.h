/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and convolutions of floats. Operands are integers of 20 bits with a
 * scale each. The library gets them as floats, which hold them exactly, so
 * that errors are measured against exact sums.
 */
#ifndef TULLE_HOST_CLI_FLOATS_H
#define TULLE_HOST_CLI_FLOATS_H

#include "host/cli/product.h"

#define FLOATS_BITS 20

/* Plans; product_done() has the library's messages. */
bool floats_plan(struct product *product, struct diag *diag);
/* Runs once. */
bool floats_run(struct product *product, const struct tulle_matrix *input, struct diag *diag);
/* Compares with the sums, in the order of the result's matrix, and measures the errors. */
bool floats_check(struct product *product, const uint64_t *sums, struct diag *diag);

/* The scale of the results. */
double floats_scale(const struct product *product);
void floats_free(struct product *product);

#endif
