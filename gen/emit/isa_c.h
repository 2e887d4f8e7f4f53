/* SPDX-License-Identifier: Apache-2.0
 *
 * The C headers as text, for a variant and for none.
 */
#ifndef TULLE_GEN_EMIT_ISA_C_H
#define TULLE_GEN_EMIT_ISA_C_H

#include "gen/base/strbuf.h"

struct emit_context;

/* ctx is NULL for a header that serves every variant: what depends on the widths of a weight entry then takes
 * them as arguments. */
void isa_c_header(struct strbuf *to, const struct emit_context *ctx);
void registers_c_header(struct strbuf *to, const struct emit_context *ctx);

#endif
