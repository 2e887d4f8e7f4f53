/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies to a device and back take: entries of the library of times, which
 * `tulle net calibrate` measures, and which others interpolate.
 */
#ifndef TULLE_HOST_NET_PLACE_COPIES_H
#define TULLE_HOST_NET_PLACE_COPIES_H

#include "host/net/place/library.h"

struct tulle_device;

/* Measures copies of several sizes to the device and back, so often, and adds the least times. False after an
 * error. (copies_measure.c) */
bool place_calibrate_copies(struct tulle_device *device, unsigned runs, struct place_library *library,
                            struct diag *diag);

/* How such a copy is called in the library. */
struct place_features place_copy_features(const char *device, bool to_device, double bytes);

/* Seconds for the bytes, and the relative error. False: nobody has measured copies of the device of that
 * name. */
bool place_copy_time(const struct place_library *library, const char *device, bool to_device, double bytes,
                     struct place_time *to);

#endif
