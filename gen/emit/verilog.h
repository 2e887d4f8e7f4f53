/* SPDX-License-Identifier: Apache-2.0
 *
 * Readable Verilog from templates. A template is plain text in which
 *   ${name}    is a parameter, a derived value or a further value of the
 *              variant (see verilog.c), as a decimal number
 *   ${name-1}  is one less: [${m-1}:0]
 *   ${i}       is the index that verilog_add() was given
 *   a tab      ends a cell of a table: verilog_file() pads cells so that
 *              those of neighbouring lines end at the same column
 */
#ifndef TULLE_GEN_EMIT_VERILOG_H
#define TULLE_GEN_EMIT_VERILOG_H

#include <stdbool.h>

#include "gen/base/strbuf.h"

struct emit_context;

void verilog_add(struct strbuf *to, const struct emit_context *ctx, unsigned index, const char *text);

/* The same for indices 0 .. count - 1; `between` goes between two of them. */
void verilog_repeat(struct strbuf *to, const struct emit_context *ctx, unsigned count, const char *between,
                    const char *text);

/* before{signal15, ..., signal0}after: the highest index first, so that bit or word i is signal i's. */
void verilog_gather(struct strbuf *to, const struct emit_context *ctx, unsigned count, const char *before,
                    const char *signal, const char *after);

/* Banner, `default_nettype none, the text with its tables aligned, `default_nettype wire. Frees the text, and
 * adds the file to the list of Verilog files. `title` says what the module is, a line or several. */
bool verilog_file(const struct emit_context *ctx, const char *path, const char *title, struct strbuf *text);

/* Pads the cells of every table in `from`. A table is a run of lines with tabs; blank lines and comments do
 * not end it. */
void verilog_align(struct strbuf *to, const char *from);

#endif
