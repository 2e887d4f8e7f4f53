/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the value of --device into the name that libtulle opens, and sets the
 * environment so that the loader finds the driver and the driver finds the
 * device.
 */
#ifndef TULLE_HOST_CLI_PLACE_H
#define TULLE_HOST_CLI_PLACE_H

#include "gen/base/diag.h"

/* Must be called before the first call of OpenCL. `spec` may be NULL; `seconds` bounds a job. `name` stays
 * empty for the first device. False with an error reported. */
bool place_prepare(const char *spec, unsigned seconds, struct strbuf *name, struct diag *diag);

/* Reports why the device cannot be used, if the driver knows the reason; otherwise returns false. */
bool place_explain(const char *spec, struct diag *diag);

#endif
