/* SPDX-License-Identifier: Apache-2.0
 *
 * The activations of a group's columns as one list of distances. Columns may read the same window at places
 * of their own, as the channels of a depthwise layer do: then their bases are moved until the windows
 * coincide.
 */
#ifndef TULLE_HOST_SOFTWARE_FORM_TAPS_H
#define TULLE_HOST_SOFTWARE_FORM_TAPS_H

#include "host/software/form.h"

/* Sets the group's taps, and bases and shifts of its columns. False: `why` has the reason. */
bool form_taps(const struct flow *flow, struct form_group *group, struct strbuf *why);

#endif
