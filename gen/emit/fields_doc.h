/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes docs/fields.md: a table for each record and register, from the table of encodings and from
 * gen/isa/evidence.tsv.
 */
#ifndef TULLE_GEN_EMIT_FIELDS_DOC_H
#define TULLE_GEN_EMIT_FIELDS_DOC_H

#include "gen/base/strbuf.h"
#include "gen/emit/template.h"

extern const struct template_value fields_page_values[]; /* fields.md */

void fields_document(struct strbuf *to);

#endif
