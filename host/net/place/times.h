/* SPDX-License-Identifier: Apache-2.0
 *
 * The measured times that come with Tulle: host/net/place/times.tsv, which the
 * build embeds.
 */
#ifndef TULLE_HOST_NET_PLACE_TIMES_H
#define TULLE_HOST_NET_PLACE_TIMES_H

#include <stddef.h>

struct place_times_source {
    const char *name, *label, *text;
};
extern const struct place_times_source place_times_sources[];
extern const size_t place_times_source_count;

#endif
