/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators of the cases on a device through libtulle, in place of plain loops: `goldens --device NAME`.
 */
#ifndef TULLE_TESTS_GOLDENS_DEVICE_H
#define TULLE_TESTS_GOLDENS_DEVICE_H

#include "host/net/cpu/exact.h"
#include "host/tulle.h"
#include "tests/goldens/tool/golden.h"

/* Opens it; errors are reported. */
struct tulle_device *device_open(const char *name, struct diag *diag);

/* Runs the operator for it. The case is left out if the device does not have what it needs; the reason is the
 * library's. */
void device_run(struct golden *golden, const struct exact *what, struct answer *answer);

#endif
