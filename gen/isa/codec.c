/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/codec.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

const struct isa_widths isa_int8_widths = {.data = 8, .index = 8};

unsigned isa_field_bits(const struct isa_field *field, struct isa_widths widths)
{
    switch (field->width) {
    case ISA_DATA_WIDTH:
        return (unsigned)((int)widths.data + field->bits);
    case ISA_INDEX_WIDTH:
        return (unsigned)((int)widths.index + field->bits);
    case ISA_FIXED:
        break;
    }
    return (unsigned)field->bits;
}

static bool is_end(const struct isa_field *field)
{
    return field->bits == 0 && field->width == ISA_FIXED;
}

static unsigned format_bits(const struct isa_format *format, struct isa_widths widths)
{
    unsigned bits = 0;
    for (const struct isa_field *f = format->fields; !is_end(f); f++)
        bits += isa_field_bits(f, widths);
    return bits;
}

unsigned isa_family_bits(const struct isa_family *family, struct isa_widths widths)
{
    return family->bits ? (unsigned)family->bits : format_bits(family->formats, widths);
}

unsigned isa_field_lsb(const struct isa_family *family, const struct isa_format *format,
                       const struct isa_field *field, struct isa_widths widths)
{
    unsigned before = 0;
    for (const struct isa_field *f = format->fields; f != field; f++)
        before += isa_field_bits(f, widths);
    if (!family->from_left)
        return before;
    return isa_family_bits(family, widths) - before - isa_field_bits(field, widths);
}

/* How many of `bits` bits are in the byte that begins `offset` bits before the first of them. */
static unsigned bits_in_byte(unsigned offset, unsigned bits)
{
    unsigned take = 8 - offset < bits ? 8 - offset : bits;
    assert(take <= 8);
    return take;
}

uint64_t isa_get_bits(const uint8_t *bytes, unsigned lsb, unsigned bits)
{
    const unsigned offset = lsb % 8;
    const uint8_t *from = bytes + lsb / 8;
    uint64_t value = bits ? from[0] >> offset : 0;
    for (unsigned i = 1, done = 8 - offset; done < bits; i++, done += 8)
        value |= (uint64_t)from[i] << done;
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

void isa_put_bits(uint8_t *bytes, unsigned lsb, unsigned bits, uint64_t value)
{
    for (unsigned done = 0; done < bits;) {
        unsigned offset = (lsb + done) % 8;
        unsigned take = bits_in_byte(offset, bits - done);
        unsigned mask = ((1u << take) - 1) << offset;
        uint8_t *byte = &bytes[(lsb + done) / 8];
        *byte = (uint8_t)((*byte & ~mask) | ((unsigned)(value >> done) << offset & mask));
        done += take;
    }
}

const struct isa_format *isa_find_format(const struct isa_family *family, const char *name)
{
    for (const struct isa_format *f = family->formats; f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

const struct isa_field *isa_find_field(const struct isa_format *format, const char *name)
{
    /* The linker merges equal literals, so that most names are found without looking at their letters. */
    for (const struct isa_field *f = format->fields; !is_end(f); f++)
        if (f->name == name && name)
            return f;
    for (const struct isa_field *f = format->fields; !is_end(f); f++)
        if (f->name && !strcmp(f->name, name))
            return f;
    return NULL;
}

const struct isa_value *isa_find_value(const struct isa_value *values, uint64_t value)
{
    for (const struct isa_value *v = values; v->name; v++)
        if (v->value == value)
            return v;
    return NULL;
}

const struct isa_value *isa_find_value_named(const struct isa_value *values, const char *name)
{
    for (const struct isa_value *v = values; v->name; v++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

static uint64_t all_ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

uint64_t isa_const_value(const struct isa_field *field, struct isa_widths widths)
{
    return field->min & all_ones(isa_field_bits(field, widths));
}

uint64_t isa_field_max(const struct isa_field *field, struct isa_widths widths)
{
    return field->max ? field->max : all_ones(isa_field_bits(field, widths));
}

static uint64_t get_field(const struct isa_family *family, const struct isa_format *format,
                          const struct isa_field *field, const uint8_t *bytes, struct isa_widths widths)
{
    return isa_get_bits(bytes, isa_field_lsb(family, format, field, widths), isa_field_bits(field, widths));
}

uint64_t isa_header_field(const struct isa_family *family, const uint8_t *header, const char *name)
{
    const struct isa_format *format = family->formats;
    return get_field(family, format, isa_find_field(format, name), header, isa_int8_widths);
}

bool isa_field_present(const struct isa_family *family, const struct isa_format *format,
                       const struct isa_field *field, const uint8_t *bytes, struct isa_widths widths)
{
    if (!field->when_field)
        return true;
    const struct isa_field *on = isa_find_field(format, field->when_field);
    return get_field(family, format, on, bytes, widths) == field->when_value;
}

static const struct isa_field *first_mismatch(const struct isa_family *family,
                                              const struct isa_format *format, const uint8_t *bytes,
                                              struct isa_widths widths)
{
    for (const struct isa_field *f = format->fields; !is_end(f); f++)
        if (f->kind == ISA_CONST && get_field(family, format, f, bytes, widths) != isa_const_value(f, widths))
            return f;
    return NULL;
}

const struct isa_format *isa_classify(const struct isa_family *family, const uint8_t *bytes,
                                      struct isa_widths widths, struct strbuf *why)
{
    const struct isa_format *format = family->formats;
    for (; format->name; format++)
        if (!first_mismatch(family, format, bytes, widths))
            return format;
    format = family->formats;
    const struct isa_field *field = first_mismatch(family, format, bytes, widths);
    uint64_t value = get_field(family, format, field, bytes, widths);
    sb_addf(why, "%s: field \"%s\" is %" PRIu64 ", which is not defined", family->name, field->name, value);
    return NULL;
}

static bool validate_enum(const struct isa_field *field, uint64_t value, const char *where,
                          struct strbuf *why)
{
    if (isa_find_value(field->values, value))
        return true;
    sb_addf(why, "%s: field \"%s\" is %" PRIu64 ", which is not defined; one of", where, field->name, value);
    for (const struct isa_value *v = field->values; v->name; v++)
        sb_addf(why, "%s %s (%" PRIu64 ")", v == field->values ? "" : ",", v->name, v->value);
    return false;
}

static bool validate_range(const struct isa_field *field, uint64_t value, struct isa_widths widths,
                           const char *where, struct strbuf *why)
{
    uint64_t max = isa_field_max(field, widths);
    if (value >= field->min && value <= max)
        return true;
    sb_addf(why, "%s: field \"%s\" is %" PRIu64 "; allowed %" PRIu64 "..%" PRIu64, where, field->name, value,
            field->min, max);
    return false;
}

/* "bits 9 to 10" in the numbering of the family's documentation. */
static void add_bit_range(struct strbuf *to, const struct isa_family *family, unsigned lsb, unsigned bits,
                          struct isa_widths widths)
{
    unsigned first = family->from_left ? isa_family_bits(family, widths) - lsb - bits + 1 : lsb;
    if (bits == 1)
        sb_addf(to, "bit %u", first);
    else
        sb_addf(to, "bits %u to %u", first, first + bits - 1);
}

static bool validate_reserved(const struct isa_family *family, const struct isa_format *format,
                              const struct isa_field *field, uint64_t value, struct isa_widths widths,
                              struct strbuf *why)
{
    if (!value)
        return true;
    unsigned bits = isa_field_bits(field, widths);
    sb_addf(why, "%s: ", format->name);
    if (field->name)
        sb_addf(why, "field \"%s\" exists only when \"%s\" is %" PRIu64 "; otherwise ", field->name,
                field->when_field, field->when_value);
    sb_add(why, "reserved ");
    add_bit_range(why, family, isa_field_lsb(family, format, field, widths), bits, widths);
    sb_addf(why, " must be 0, not %" PRIu64, value);
    return false;
}

static bool validate_nested(const struct isa_field *field, uint64_t value, const char *where,
                            struct isa_widths widths, struct strbuf *why)
{
    uint8_t bytes[8] = {0};
    isa_put_bits(bytes, 0, 64, value);
    size_t before = why->len;
    if (isa_validate(field->nested, bytes, widths, why))
        return true;
    struct strbuf inner = {0};
    sb_add(&inner, sb_text(why) + before);
    why->len = before;
    sb_addf(why, "%s: field \"%s\": %s", where, field->name, sb_text(&inner));
    sb_free(&inner);
    return false;
}

static bool validate_field(const struct isa_family *family, const struct isa_format *format,
                           const struct isa_field *field, const uint8_t *bytes, struct isa_widths widths,
                           struct strbuf *why)
{
    uint64_t value = get_field(family, format, field, bytes, widths);
    if (!isa_field_present(family, format, field, bytes, widths))
        return validate_reserved(family, format, field, value, widths, why);
    switch (field->kind) {
    case ISA_RESERVED:
        return validate_reserved(family, format, field, value, widths, why);
    case ISA_ENUM:
        return validate_enum(field, value, format->name, why);
    case ISA_UINT:
        return validate_range(field, value, widths, format->name, why);
    case ISA_NESTED:
        return validate_nested(field, value, format->name, widths, why);
    case ISA_SINT:
    case ISA_FLAG:
    case ISA_CONST:
    case ISA_CHECK:
        break;
    }
    return true;
}

bool isa_validate(const struct isa_family *family, const uint8_t *bytes, struct isa_widths widths,
                  struct strbuf *why)
{
    const struct isa_format *format = isa_classify(family, bytes, widths, why);
    if (!format)
        return false;
    for (const struct isa_field *f = format->fields; !is_end(f); f++)
        if (!validate_field(family, format, f, bytes, widths, why))
            return false;
    return true;
}

uint32_t isa_checksum(const uint8_t *bytes, size_t len)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 4 <= len; i += 4)
        sum ^= (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
               (uint32_t)bytes[i + 3] << 24;
    return sum;
}

void isa_seal(const struct isa_family *family, const struct isa_format *format, uint8_t *bytes, size_t len,
              uint32_t index)
{
    const struct isa_field *check = isa_find_field(format, "check");
    unsigned lsb = isa_field_lsb(family, format, check, isa_int8_widths);
    isa_put_bits(bytes, lsb, 32, 0);
    isa_put_bits(bytes, lsb, 32, isa_checksum(bytes, len) ^ isa_check_word(index));
}
