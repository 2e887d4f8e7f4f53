/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes docs/isa.md from the table of encodings. The template isa.md has the prose, isa_doc_table.c writes
 * the tables of fields and values, and isa_doc_example.c computes the examples with the codec.
 */
#ifndef TULLE_GEN_EMIT_ISA_DOC_H
#define TULLE_GEN_EMIT_ISA_DOC_H

#include "gen/base/strbuf.h"
#include "gen/emit/template.h"
#include "gen/isa/table.h"

extern const struct template_value isa_page_values[]; /* isa.md */

void isa_document(struct strbuf *to);

/* Appends a wrapped paragraph and an empty line; nothing for an empty text. */
void isa_doc_paragraph(struct strbuf *to, const char *text);

/* Appends an empty line and the formats of a family. A family that is numbered from the left begins with a
 * picture. Each format has a table of fields. */
void isa_doc_formats(struct strbuf *to, const struct isa_family *family);
void isa_doc_tokens(struct strbuf *to);
void isa_doc_values(struct strbuf *to, const struct isa_value *values);
void isa_doc_sizes(struct strbuf *to);

void isa_doc_command_example(struct strbuf *to);
void isa_doc_instruction_example(struct strbuf *to);
void isa_doc_config_example(struct strbuf *to);
void isa_doc_weight_example(struct strbuf *to);

#endif
