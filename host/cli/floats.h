/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and convolutions of floats. Operands are whole numbers of 20 bits
 * and a scale for each, as quantised ones are; the library gets the numbers
 * as floats, which hold them, so that errors are measured against exact sums.
 */
#ifndef TULLE_HOST_CLI_FLOATS_H
#define TULLE_HOST_CLI_FLOATS_H

#include "host/cli/product.h"

#define FLOATS_BITS 20

/* Plans; product_done() has the library's messages. */
bool floats_plan(struct product *product, struct diag *diag);
/* Runs once. */
bool floats_run(struct product *product, const struct tulle_matrix *input, struct diag *diag);
/* Compares with the sums, in the order of the result's matrix; measures errors. */
bool floats_check(struct product *product, const uint64_t *sums, struct diag *diag);

/* What 1 of the results stands for. */
double floats_scale(const struct product *product);
void floats_free(struct product *product);

#endif
