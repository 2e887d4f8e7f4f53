/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the product again on this computer: sums of 64-bit integers, then
 * the functions of docs/numerics.md.
 */
#ifndef TULLE_HOST_CLI_CHECK_H
#define TULLE_HOST_CLI_CHECK_H

#include "host/cli/product.h"

/* Whether every result is right; the first wrong one is reported with both values. */
bool check_results(struct product *product, struct diag *diag);

#endif
