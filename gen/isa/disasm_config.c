/* SPDX-License-Identifier: Apache-2.0
 *
 * A configuration: to a .config section, or only found to be one.
 */
#include "gen/isa/codec.h"
#include "gen/isa/disasm_unit.h"

static bool is_config_header(const uint8_t *bytes)
{
    struct strbuf why = {0};
    const struct isa_format *format = isa_classify(&isa_config, bytes, isa_int8_widths, &why);
    const bool legal =
        format == isa_config.formats && isa_validate(&isa_config, bytes, isa_int8_widths, &why);
    sb_free(&why);
    return legal;
}

/* Extensions are not counted by the header. */
static bool is_extension(const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_extension");
    const struct isa_field *kind = isa_find_field(format, "record");
    return isa_get_bits(record, isa_field_lsb(&isa_config, format, kind, isa_int8_widths),
                        (unsigned)kind->bits) == kind->min;
}

/* Records of the configuration at the offset, as its header has it; 0 when there is none, or not all of it.
 */
static size_t config_records(const struct disassembler *d, size_t offset)
{
    if (d->len - offset < ISA_CONFIG_RECORD_BYTES || !is_config_header(d->bytes + offset))
        return 0;
    const uint8_t *header = d->bytes + offset;
    const size_t there = (d->len - offset) / ISA_CONFIG_RECORD_BYTES;
    size_t records = 1, left = (size_t)isa_header_field(&isa_config, header, "instructions");
    for (; left && records < there; records++)
        left -= !is_extension(header + records * ISA_CONFIG_RECORD_BYTES);
    records += left + (size_t)isa_header_field(&isa_config, header, "functions");
    return records <= there ? records : 0;
}

/* Fields that the assembler computes are left to it. */
static const struct text_instead config_computed[] = {
    {"instructions", NULL}, {"functions", NULL}, {NULL, NULL}};

/* A section whose records were taken and verified: as words where there are problems, which only the lenient
 * disassembler gets to print. */
static void add_config(struct disassembler *d, const struct asm_records *records, const char *name,
                       const struct diag *problems)
{
    disasm_add_comments(d->to, problems);
    sb_addf(d->to, ".config %s\n", name);
    if (problems->errors) {
        disasm_add_raw_records(d->to, records);
        return;
    }
    for (size_t i = 0; i < records->count && !d->diag->errors; i++)
        disasm_add_record(d->to, records, &records->items[i], config_computed);
}

size_t disasm_config(struct disassembler *d, size_t offset, const char *name)
{
    const struct text_section *type = &text_sections[TEXT_CONFIG];
    const size_t known = config_records(d, offset);
    const size_t left = (d->len - offset) / type->word_bytes;
    const size_t count = known ? known : d->options->lenient ? left : 1;
    struct diag problems = {.errors = 0};
    struct diag *diag = disasm_sink(d, &problems);
    struct asm_records records;
    if (!known && is_config_header(d->bytes + offset))
        disasm_error(d, diag, offset, "config_header: more records follow than there are bytes for");
    disasm_take_records(d, type, offset, count, &records, diag);
    if (known)
        disasm_verify_records(&records, diag);
    add_config(d, &records, name, &problems);
    asm_records_free(&records);
    diag_free(&problems);
    return offset + (known ? known : left) * type->word_bytes;
}

size_t disasm_legal_config(struct disassembler *d, size_t offset)
{
    const size_t count = config_records(d, offset);
    struct diag problems = {.errors = 0};
    struct asm_records records;
    if (!count)
        return 0;
    disasm_take_records(d, &text_sections[TEXT_CONFIG], offset, count, &records, &problems);
    disasm_verify_records(&records, &problems);
    const size_t len = problems.errors ? 0 : count * ISA_CONFIG_RECORD_BYTES;
    asm_records_free(&records);
    diag_free(&problems);
    return len;
}
