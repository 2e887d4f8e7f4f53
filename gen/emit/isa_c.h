/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the C headers as text, for one variant or for every variant.
 */
#ifndef TULLE_GEN_EMIT_ISA_C_H
#define TULLE_GEN_EMIT_ISA_C_H

#include "gen/base/strbuf.h"

struct emit_context;

/* `ctx` is NULL for a header for every variant. Its macros take the widths of a weight entry as arguments. */
void isa_c_header(struct strbuf *to, const struct emit_context *ctx);
void registers_c_header(struct strbuf *to, const struct emit_context *ctx);

#endif
