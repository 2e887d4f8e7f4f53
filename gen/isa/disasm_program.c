/* SPDX-License-Identifier: Apache-2.0
 *
 * A program, and the data that it carries.
 */
#include <stdlib.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"
#include "gen/isa/disasm_unit.h"
#include "gen/isa/packed.h"

/* ---- data that a program carries ------------------------------------------------------------- */

struct part {
    size_t offset, len;
    bool is_config;
    bool aligned; /* where the assembler puts it without being told */
    unsigned number;
};

struct parts {
    struct part *items;
    size_t count, cap;
    unsigned configs, data;
    bool failed;
};

static void add_part(struct parts *parts, struct part part)
{
    if (parts->count == parts->cap) {
        size_t cap = parts->cap ? 2 * parts->cap : 16;
        struct part *items = realloc(parts->items, cap * sizeof *items);
        if (!items) {
            parts->failed = true;
            return;
        }
        parts->items = items;
        parts->cap = cap;
    }
    part.number = part.is_config ? parts->configs++ : parts->data++;
    parts->items[parts->count++] = part;
}

static bool all_zero(const struct disassembler *d, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (d->bytes[i])
            return false;
    return true;
}

/* The next configuration at an aligned offset, or the end of the file. */
static size_t next_config(struct disassembler *d, size_t offset)
{
    for (offset = math_round_up(offset, ISA_OPERATION_BYTES); offset < d->len; offset += ISA_OPERATION_BYTES)
        if (disasm_legal_config(d, offset))
            return offset;
    return d->len;
}

/* Configurations at aligned offsets are recognised; everything else is data. Zeros that the assembler puts
 * between two sections belong to neither. */
static void find_parts(struct disassembler *d, size_t offset, struct parts *parts)
{
    while (offset < d->len) {
        const size_t aligned = math_round_up(offset, ISA_OPERATION_BYTES);
        const bool fits = aligned < d->len && all_zero(d, offset, aligned);
        struct part part = {.offset = fits ? aligned : offset, .aligned = fits};
        part.len = fits ? disasm_legal_config(d, aligned) : 0;
        part.is_config = part.len > 0;
        if (!part.is_config)
            part.len = next_config(d, part.offset + 1) - part.offset;
        add_part(parts, part);
        offset = part.offset + part.len;
    }
}

static void part_name(char name[32], const struct part *part)
{
    snprintf(name, 32, "%s%u", part->is_config ? "cfg" : "data", part->number);
}

/* Zero bytes from here on; only runs worth a line of their own. */
static size_t zero_run(const uint8_t *bytes, size_t len)
{
    enum { WORTH_A_LINE = 32 };
    size_t run = 0;
    while (run < len && !bytes[run])
        run++;
    return run < WORTH_A_LINE ? 0 : run / 4 * 4;
}

static void add_data_words(struct strbuf *to, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 4)
        sb_addf(to, "%s0x%08llx", i ? ", " : "    .word ",
                (unsigned long long)isa_get_bits(bytes + i, 0, 32));
    sb_add(to, "\n");
}

/* Bytes of whole words that go on a line: up to a run of zeros. */
static size_t word_run(const uint8_t *bytes, size_t len)
{
    enum { LINE_BYTES = 32 };
    size_t run = 0;
    while (run < LINE_BYTES && run + 4 <= len && !zero_run(bytes + run, len - run))
        run += 4;
    return run;
}

static void add_data(struct disassembler *d, const struct part *part, const char *name)
{
    const uint8_t *bytes = d->bytes + part->offset;
    size_t len = part->len;
    sb_addf(d->to, ".data %s%s\n", name, part->aligned ? "" : ", align=1");
    while (len >= 4) {
        const size_t zeros = zero_run(bytes, len);
        const size_t taken = zeros ? zeros : word_run(bytes, len);
        if (zeros)
            sb_addf(d->to, "    .zero %zu\n", zeros);
        else
            add_data_words(d->to, bytes, taken);
        bytes += taken;
        len -= taken;
    }
    disasm_add_bytes(d->to, bytes, len);
}

static void add_parts(struct disassembler *d, const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];
        char name[32];
        part_name(name, part);
        sb_add(d->to, "\n");
        if (part->is_config)
            disasm_config(d, part->offset, name);
        else
            add_data(d, part, name);
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

/* An operation that reads a part of the program slot from its start refers to the part by name. */
struct reference {
    char offset[40], length[48];
    struct text_instead instead[8];
};

static int compare_offset(const void *key, const void *item)
{
    const size_t offset = *(const size_t *)key, at = ((const struct part *)item)->offset;
    return offset < at ? -1 : offset > at;
}

static const struct part *referred_part(const struct asm_records *records, const struct asm_record *record,
                                        const struct parts *parts)
{
    const struct isa_field *slot = isa_find_field(record->format, "slot");
    const struct isa_field *offset = isa_find_field(record->format, "offset");
    const uint8_t *bytes = asm_record_bytes(records, record);
    if (!slot || !offset || !parts->count)
        return NULL;
    const struct isa_value *program = isa_find_value_named(slot->values, "program");
    const unsigned slot_lsb = isa_field_lsb(record->family, record->format, slot, isa_int8_widths);
    const unsigned offset_lsb = isa_field_lsb(record->family, record->format, offset, isa_int8_widths);
    if (isa_get_bits(bytes, slot_lsb, isa_field_bits(slot, isa_int8_widths)) != program->value)
        return NULL;
    const size_t at = (size_t)isa_get_bits(bytes, offset_lsb, isa_field_bits(offset, isa_int8_widths));
    return bsearch(&at, parts->items, parts->count, sizeof *parts->items, compare_offset);
}

static const struct text_instead *reference(const struct asm_records *records,
                                            const struct asm_record *record, const struct parts *parts,
                                            struct reference *to)
{
    static const struct text_instead computed[] = {{"operations", NULL}, {"body", NULL}, {NULL, NULL}};
    const struct isa_field *length = isa_find_field(record->format, "length");
    const struct part *part = referred_part(records, record, parts);
    char name[32];
    if (!part)
        return computed;
    part_name(name, part);
    snprintf(to->offset, sizeof to->offset, "@%s", name);
    snprintf(to->length, sizeof to->length, "@%s.length", name);
    to->instead[0] = (struct text_instead){"offset", to->offset};
    to->instead[1] = (struct text_instead){NULL, NULL};
    if (!length)
        return to->instead;
    const unsigned lsb = isa_field_lsb(record->family, record->format, length, isa_int8_widths);
    if (isa_get_bits(asm_record_bytes(records, record), lsb, isa_field_bits(length, isa_int8_widths)) ==
        part->len)
        to->instead[1] = (struct text_instead){"length", to->length};
    to->instead[2] = (struct text_instead){NULL, NULL};
    return to->instead;
}

static void add_program(struct disassembler *d, const struct asm_records *records, const struct parts *parts,
                        const struct diag *problems)
{
    disasm_add_comments(d->to, problems);
    sb_add(d->to, ".program\n");
    if (problems->errors) {
        disasm_add_raw_records(d->to, records);
        return;
    }
    for (size_t i = 0; i < records->count && !d->diag->errors; i++) {
        struct reference to;
        const struct asm_record *record = &records->items[i];
        disasm_add_record(d->to, records, record, reference(records, record, parts, &to));
    }
}

/* Records of the program, header included; without a legal header that says how many, as many as fit. */
static size_t program_records(struct disassembler *d, struct diag *diag)
{
    const size_t fit = d->len / ISA_OPERATION_BYTES;
    struct strbuf why = {0};
    const bool legal = isa_validate(&isa_program, d->bytes, isa_int8_widths, &why);
    sb_free(&why);
    if (!legal)
        return d->options->lenient ? fit : 1;
    const uint64_t operations = isa_header_field(&isa_program, d->bytes, "operations");
    if (operations < fit)
        return (size_t)operations + 1;
    disasm_error(d, diag, 0, "program: field \"operations\" is %llu, but there are bytes for %zu",
                 (unsigned long long)operations, fit - 1);
    return fit;
}

/* A packed program is shown as the full one that it stands for. */
static void take_full(struct disassembler *d, struct strbuf *full, struct diag *diag)
{
    struct strbuf why = {0};
    if (d->len >= ISA_OPERATION_BYTES && isa_validate(&isa_program, d->bytes, isa_int8_widths, &why) &&
        isa_header_field(&isa_program, d->bytes, "lines")) {
        if (isa_program_unpack(d->bytes, d->len, full)) {
            d->bytes = (const uint8_t *)full->text;
            d->len = full->len;
        } else
            disasm_error(d, diag, 0,
                         "program: its packed operations are not as they were packed, or not all of them are "
                         "there");
    }
    sb_free(&why);
}

void disasm_program(struct disassembler *d)
{
    struct strbuf full = {0};
    struct diag problems = {.errors = 0};
    struct diag *diag = disasm_sink(d, &problems);
    struct parts parts = {.count = 0};
    struct asm_records records;
    take_full(d, &full, diag);
    if (d->len < ISA_OPERATION_BYTES) {
        disasm_add_rest(d, &text_sections[TEXT_PROGRAM], 0);
        return; /* nor is it a packed one */
    }
    const size_t count = program_records(d, diag);
    disasm_take_records(d, &text_sections[TEXT_PROGRAM], 0, count, &records, diag);
    if (!diag->errors || count > 1)
        disasm_verify_records(&records, diag);
    if (!d->diag->errors)
        find_parts(d, count * ISA_OPERATION_BYTES, &parts);
    if (parts.failed)
        disasm_error(d, d->diag, 0, "out of memory");
    add_program(d, &records, &parts, &problems);
    add_parts(d, &parts);
    asm_records_free(&records);
    diag_free(&problems);
    free(parts.items);
    sb_free(&full);
}
