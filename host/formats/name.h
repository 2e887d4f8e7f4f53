/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the format of a file by its name.
 */
#ifndef TULLE_HOST_FORMATS_NAME_H
#define TULLE_HOST_FORMATS_NAME_H

#include "host/formats/formats.h"

/* .mtx and .mm, .smtx, .npy, in either case; FORMAT_AUTO for others. */
enum format format_of_name(const char *name);

#endif
