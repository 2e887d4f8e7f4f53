/* SPDX-License-Identifier: Apache-2.0
 *
 * What is recorded of the area and the clock of a variant: bitstreams/figures, which
 * the build puts into the command.
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

/* , "area": [{"technology", "tools", "figures": {...}}, ...]; nothing when nothing is recorded. */
void area_add_json(const char *variant, struct strbuf *to);

#endif
