/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks through the table of encodings and the list of registers for the headers of both languages. Each
 * language supplies a function that writes the position of a field.
 */
#ifndef TULLE_GEN_EMIT_ISA_HEADER_H
#define TULLE_GEN_EMIT_ISA_HEADER_H

#include "gen/emit/header.h"
#include "gen/isa/codec.h"

/* Whether `field` is a field and not the end of the list. */
static inline bool isa_is_field(const struct isa_field *field)
{
    return field->bits != 0 || field->width != ISA_FIXED;
}

/* The bits of a value of the enum: the width of the first field in the table that holds one. */
unsigned isa_enum_bits(const struct isa_enum *list, struct isa_widths widths);

/* Where a field is: the least significant bit, and the number of bits. `prefix` is the first part of its
 * name. */
struct header_field {
    const char *prefix, *name;
    const char *doc;
    const struct isa_format *format; /* NULL for a register */
    const struct isa_field *field;
    unsigned lsb, bits;
};

typedef void (*header_field_writer)(struct header *header, const struct header_field *field, void *context);

void header_add_family(struct header *header, const struct isa_family *family, struct isa_widths widths,
                       header_field_writer write, void *context);
void header_add_register(struct header *header, const struct isa_register *reg, header_field_writer write,
                         void *context);

#endif
