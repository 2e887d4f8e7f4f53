/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/legal.h"

#include "gen/isa/codec.h"

static bool in_range(const struct isa_field *field, uint64_t value)
{
    if (field->kind == ISA_ENUM)
        return isa_find_value(field->values, value);
    return field->kind != ISA_UINT || (value >= field->min && value <= isa_field_max(field, isa_int8_widths));
}

/* An instruction is checked with its record. A packet's command is not: the clusters that get it check it. */
static bool holds_bad_instruction(const struct isa_family *family, const struct isa_field *field,
                                  uint64_t value)
{
    if (field->kind != ISA_NESTED || family != &isa_config)
        return false;
    uint8_t word[8] = {0};
    isa_put_bits(word, 0, 64, value);
    return legal_check(field->nested, word) != JOB_OK;
}

enum job_code legal_check(const struct isa_family *family, const uint8_t *record)
{
    struct strbuf why = {0};
    const struct isa_format *format = isa_classify(family, record, isa_int8_widths, &why);
    bool reserved = false, field = !format, instruction = false;
    for (const struct isa_field *f = format ? format->fields : NULL; f && f->bits; f++) {
        uint64_t value =
            isa_get_bits(record, isa_field_lsb(family, format, f, isa_int8_widths), (unsigned)f->bits);
        if (f->kind == ISA_RESERVED || !isa_field_present(family, format, f, record, isa_int8_widths))
            reserved |= value != 0;
        else {
            field |= !in_range(f, value);
            instruction |= holds_bad_instruction(family, f, value);
        }
    }
    sb_free(&why);
    return instruction ? JOB_BAD_INSTRUCTION : reserved ? JOB_BAD_RESERVED : field ? JOB_BAD_FIELD : JOB_OK;
}
