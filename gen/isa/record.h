/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing records field by field, by the names of the table. A value that
 * does not fit is reported with its field and its limits.
 */
#ifndef TULLE_GEN_ISA_RECORD_H
#define TULLE_GEN_ISA_RECORD_H

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

/* Writes a field of a record of that format. False when the format has no such field or the value is not
 * legal; a sentence that names the format, the field, the value and what is allowed is then appended to why.
 */
bool isa_put_field(const struct isa_family *family, const struct isa_format *format, const char *name,
                   int64_t value, struct isa_widths widths, uint8_t *record, struct strbuf *why);

#endif
