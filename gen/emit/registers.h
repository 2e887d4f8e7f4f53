/* SPDX-License-Identifier: Apache-2.0
 *
 * The register map: as a document, and what registers hold after reset.
 */
#ifndef TULLE_GEN_EMIT_REGISTERS_H
#define TULLE_GEN_EMIT_REGISTERS_H

#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

struct emit_context;

/* What the register reads after reset in this variant. */
uint32_t register_reset(const struct isa_register *reg, const struct emit_context *ctx);

/* The register map; ctx is NULL for one that serves every variant. */
void register_document(struct strbuf *to, const struct emit_context *ctx);

#endif
