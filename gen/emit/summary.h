/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes a variant in a few lines for readers.
 */
#ifndef TULLE_GEN_EMIT_SUMMARY_H
#define TULLE_GEN_EMIT_SUMMARY_H

#include "gen/base/strbuf.h"
#include "gen/variant/variant.h"

/* "32 PEs, int8, scan 2, neighbour balancing, row bus 256, memory 512" */
void summary_one_line(struct strbuf *to, const struct variant *variant);
/* Shape, widths, on-chip memory, bytes per cycle and hash, one line each. */
void summary_write(struct strbuf *to, const struct variant *variant);

#endif
