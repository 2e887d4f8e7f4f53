/* SPDX-License-Identifier: Apache-2.0
 *
 * From what --device says to the name that libtulle opens: the environment is
 * made so that the loader finds the driver, and the driver the device.
 */
#ifndef TULLE_HOST_CLI_PLACE_H
#define TULLE_HOST_CLI_PLACE_H

#include "gen/base/diag.h"

/* Before the first call of OpenCL. `spec` may be NULL; `seconds` is what a job may take. `name` stays empty
 * for the first device. False with an error reported. */
bool place_prepare(const char *spec, unsigned seconds, struct strbuf *name, struct diag *diag);

/* Reports why it cannot be used, if the driver can say; false when it cannot. */
bool place_explain(const char *spec, struct diag *diag);

#endif
