/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the device that the value of --device names. For that it sets the
 * environment so that the loader finds the driver and the driver finds the
 * device.
 */
#ifndef TULLE_HOST_CLI_PLACE_H
#define TULLE_HOST_CLI_PLACE_H

#include "gen/base/diag.h"
#include "host/tulle.h"

/* Seconds that a job may be given: the driver takes a little more. */
enum { PLACE_SECONDS_MOST = 999900 };

/* Opens the device. Must be called before any other call of OpenCL. `spec` and `container` may be NULL: the
 * first device, and one that describes itself; `seconds` bounds a job. False with an error reported. */
bool place_open(const char *spec, const char *container, unsigned seconds, struct tulle_device **device,
                struct diag *diag);

/* The same for several at once, each with a specification that names a model, a simulated device and so on;
 * two that are the same are two devices. Those that are open after an error are to be closed, too. */
bool place_open_all(const char *const *specs, unsigned count, unsigned seconds, struct tulle_device **devices,
                    struct diag *diag);

/* True when the status is TULLE_OK; else reports the library's message, or what the driver knows of a device
 * that cannot be used. */
bool place_done(const char *spec, enum tulle_status status, struct diag *diag);

#endif
