/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/record.h"

#include <inttypes.h>

#include "gen/isa/codec.h"
#include "gen/isa/text.h"

/* Of a field that is written: a bit pattern for one of 64 bits. */
static bool value_fits(const struct isa_field *field, int64_t value, struct isa_widths widths)
{
    const unsigned bits = isa_field_bits(field, widths);
    if (bits >= 64)
        return true;
    if (field->kind == ISA_SINT)
        return isa_sign_extend((uint64_t)value & (((uint64_t)1 << bits) - 1), bits) == value;
    if (field->kind == ISA_ENUM)
        return value >= 0 && isa_find_value(field->values, (uint64_t)value);
    return value >= 0 && (uint64_t)value >= field->min && (uint64_t)value <= isa_field_max(field, widths) &&
           (uint64_t)value <= ((uint64_t)1 << bits) - 1;
}

bool isa_put_field(const struct isa_family *family, const struct isa_format *format, const char *name,
                   int64_t value, struct isa_widths widths, uint8_t *record, struct strbuf *why)
{
    const struct isa_field *field = isa_find_field(format, name);
    if (!field) {
        sb_addf(why, "%s: there is no field \"%s\"", format->name, name);
        return false;
    }
    if (!value_fits(field, value, widths)) {
        sb_addf(why, "%s: field \"%s\" is %" PRId64 "; allowed ", format->name, name, value);
        text_add_allowed(why, field, widths);
        return false;
    }
    isa_put_bits(record, isa_field_lsb(family, format, field, widths), isa_field_bits(field, widths),
                 (uint64_t)value);
    return true;
}
