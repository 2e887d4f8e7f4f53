/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/isa_header.h"

#include <stdio.h>
#include <string.h>

/* A list that no field uses as such names formats: it has the width of their constant field of that name. */
static bool holds(const struct isa_field *field, const struct isa_enum *list, bool as_constant)
{
    if (!as_constant)
        return field->values == list->values;
    return field->kind == ISA_CONST && !strcmp(field->name, list->name);
}

static unsigned family_enum_bits(const struct isa_family *family, const struct isa_enum *list,
                                 bool as_constant, struct isa_widths widths)
{
    for (const struct isa_format *format = family->formats; format->name; format++)
        for (const struct isa_field *f = format->fields; isa_is_field(f); f++)
            if (holds(f, list, as_constant))
                return isa_field_bits(f, widths);
    return 0;
}

static bool fits(const struct isa_enum *list, unsigned bits)
{
    for (const struct isa_value *v = list->values; v->name; v++)
        if (v->value >> bits)
            return false;
    return bits > 0;
}

unsigned isa_enum_bits(const struct isa_enum *list, struct isa_widths widths)
{
    for (int as_constant = 0; as_constant <= 1; as_constant++)
        for (size_t i = 0; isa_families[i]; i++) {
            unsigned bits = family_enum_bits(isa_families[i], list, as_constant, widths);
            if (fits(list, bits))
                return bits;
        }
    return 32;
}

void header_add_family(struct header *header, const struct isa_family *family, struct isa_widths widths,
                       header_field_writer write, void *context)
{
    for (const struct isa_format *format = family->formats; format->name; format++) {
        header_section(header, format->title, format->doc);
        for (const struct isa_field *f = format->fields; isa_is_field(f); f++) {
            struct header_field field = {
                format->name, f->name, f->doc, format, f, 0, isa_field_bits(f, widths)};
            field.lsb = isa_field_lsb(family, format, f, widths);
            if (f->name)
                write(header, &field, context);
        }
    }
}

void header_add_register(struct header *header, const struct isa_register *reg, header_field_writer write,
                         void *context)
{
    unsigned lsb = 0;
    char name[64];
    snprintf(name, sizeof name, "reg_%s", reg->name);
    for (const struct isa_field *f = reg->fields; isa_is_field(f); f++) {
        struct header_field field = {name, f->name, f->doc, NULL, f, lsb, (unsigned)f->bits};
        lsb += field.bits;
        if (f->name)
            write(header, &field, context);
    }
}
