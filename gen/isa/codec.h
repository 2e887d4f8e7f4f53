/* SPDX-License-Identifier: Apache-2.0
 *
 * Packs, unpacks and checks values that the table of encodings describes. Bit 0 is always the least
 * significant bit of byte 0, also for families whose documentation counts from the left. The codec depends on
 * the table only.
 */
#ifndef TULLE_GEN_ISA_CODEC_H
#define TULLE_GEN_ISA_CODEC_H

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

/* Widths to use where a family does not depend on them. */
extern const struct isa_widths isa_int8_widths; /* data 8, index 8 */

unsigned isa_field_bits(const struct isa_field *field, struct isa_widths widths);
unsigned isa_family_bits(const struct isa_family *family, struct isa_widths widths);

/* Position of the field's least significant bit. The field must be one of the format's. */
unsigned isa_field_lsb(const struct isa_family *family, const struct isa_format *format,
                       const struct isa_field *field, struct isa_widths widths);

/* Bits lsb .. lsb + bits - 1, at most 64 of them. */
uint64_t isa_get_bits(const uint8_t *bytes, unsigned lsb, unsigned bits);
void isa_put_bits(uint8_t *bytes, unsigned lsb, unsigned bits, uint64_t value);

/* The field of that name in a header: a record of the family's first format, which depends on no width. */
uint64_t isa_header_field(const struct isa_family *family, const uint8_t *header, const char *name);

const struct isa_format *isa_find_format(const struct isa_family *family, const char *name);
const struct isa_field *isa_find_field(const struct isa_format *format, const char *name);
const struct isa_value *isa_find_value(const struct isa_value *values, uint64_t value);
const struct isa_value *isa_find_value_named(const struct isa_value *values, const char *name);

/* The value of a CONST field, with ISA_ALL_ONES cut to the field. */
uint64_t isa_const_value(const struct isa_field *field, struct isa_widths widths);

/* Largest legal raw value of a UINT, SINT, FLAG or NESTED field. */
uint64_t isa_field_max(const struct isa_field *field, struct isa_widths widths);

static inline int64_t isa_sign_extend(uint64_t value, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* Whether the field exists in this value (its condition holds). */
bool isa_field_present(const struct isa_family *family, const struct isa_format *format,
                       const struct isa_field *field, const uint8_t *bytes, struct isa_widths widths);

/* The format the bytes have, by its constant fields; NULL when none fits, with the reason appended to why. */
const struct isa_format *isa_classify(const struct isa_family *family, const uint8_t *bytes,
                                      struct isa_widths widths, struct strbuf *why);

/* Whether every field is legal; if not, a sentence that names the field, the value and what is allowed is
 * appended to why. The CHECK field is not looked at: see isa_checksum. */
bool isa_validate(const struct isa_family *family, const uint8_t *bytes, struct isa_widths widths,
                  struct strbuf *why);

/* Exclusive or of the little-endian 32-bit words; len is a multiple of 4. */
uint32_t isa_checksum(const uint8_t *bytes, size_t len);

/* Sets the CHECK field of the record at `bytes` so that all `len` bytes pass isa_check_word(index). */
void isa_seal(const struct isa_family *family, const struct isa_format *format, uint8_t *bytes, size_t len,
              uint32_t index);

#endif
