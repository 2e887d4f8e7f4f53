/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/isa.md, from the table. isa_doc.c has the order and the prose,
 * isa_doc_table.c the tables of fields and values, isa_doc_example.c what is
 * worked out by the codec.
 */
#ifndef TULLE_GEN_EMIT_ISA_DOC_H
#define TULLE_GEN_EMIT_ISA_DOC_H

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

void isa_document(struct strbuf *to);

/* Wrapped, with an empty line after it; nothing for an empty text. */
void isa_doc_paragraph(struct strbuf *to, const char *text);

/* The formats of a family: a picture when it is numbered from the left, then a table of fields each. Begins
 * with an empty line. */
void isa_doc_formats(struct strbuf *to, const struct isa_family *family);
void isa_doc_tokens(struct strbuf *to);
void isa_doc_values(struct strbuf *to, const struct isa_value *values);
void isa_doc_sizes(struct strbuf *to);

void isa_doc_command_example(struct strbuf *to);
void isa_doc_instruction_example(struct strbuf *to);
void isa_doc_config_example(struct strbuf *to);
void isa_doc_weight_example(struct strbuf *to);

#endif
