/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the register map as a document, and computes the values of the registers after reset.
 */
#ifndef TULLE_GEN_EMIT_REGISTERS_H
#define TULLE_GEN_EMIT_REGISTERS_H

#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

struct emit_context;

/* The value of the register after reset in this variant. */
uint32_t register_reset(const struct isa_register *reg, const struct emit_context *ctx);

/* Appends the register map. `ctx` is NULL for a map for every variant. */
void register_document(struct strbuf *to, const struct emit_context *ctx);

#endif
