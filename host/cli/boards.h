/* SPDX-License-Identifier: Apache-2.0
 *
 * The descriptions of boards in bitstreams/boards/, turned into a C array by the build (host/host.mk).
 */
#ifndef TULLE_HOST_CLI_BOARDS_H
#define TULLE_HOST_CLI_BOARDS_H

#include <stddef.h>

#include "gen/base/strbuf.h"

struct board_source {
    const char *name;
    const char *label; /* where it is in the source tree */
    const char *text;  /* lines with a key, spaces and a value; comments begin with # */
};

extern const struct board_source board_sources[];
extern const size_t board_source_count;

/* NULL when no board has that name. */
const struct board_source *board_named(const char *name);
/* The value of a key, or an empty text. */
void board_value(const struct board_source *board, const char *key, struct strbuf *to);

#endif
