/* SPDX-License-Identifier: Apache-2.0
 *
 * Aligns tables in Verilog text, so that the ends of the cells in neighbouring lines stand in the same
 * column.
 */
#ifndef TULLE_GEN_EMIT_VERILOG_H
#define TULLE_GEN_EMIT_VERILOG_H

#include "gen/base/strbuf.h"

/* Pads the cells of every table in `from`. A tab ends a cell. A table is a run of lines with tabs. Blank
 * lines and comments do not end it; the heading of a section (// -- Heading) does. */
void verilog_align(struct strbuf *to, const char *from);

#endif
