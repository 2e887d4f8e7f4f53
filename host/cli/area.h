/* SPDX-License-Identifier: Apache-2.0
 *
 * The recorded areas and clocks of variants. The build embeds
 * bitstreams/figures in the command.
 */
#ifndef TULLE_HOST_CLI_AREA_H
#define TULLE_HOST_CLI_AREA_H

#include <stddef.h>

#include "gen/base/strbuf.h"

struct area_source {
    const char *name, *label, *text;
};
extern const struct area_source area_sources[];
extern const size_t area_source_count;

/* Appends , "area": [{"technology", "tools", "figures": {...}}, ...], or nothing without a record. */
void area_add_json(const char *variant, struct strbuf *to);

#endif
