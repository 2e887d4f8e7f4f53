/* SPDX-License-Identifier: Apache-2.0
 *
 * The product once more, plainly: sums of 64-bit integers on this computer,
 * and docs/numerics.md for what is done to them.
 */
#ifndef TULLE_HOST_CLI_CHECK_H
#define TULLE_HOST_CLI_CHECK_H

#include "host/cli/product.h"

/* Whether every result is right; the first that is not is reported, with both values. */
bool check_results(struct product *product, struct diag *diag);

#endif
