/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/writer.h"

#include <stdio.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "gen/isa/packed.h"
#include "gen/isa/record.h"

#define PACKED_MINOR 2 /* version of the instruction set that has packed programs */

void writer_begin(struct writer *w, const struct variant *variant)
{
    *w = (struct writer){.variant = variant};
}

void writer_free(struct writer *w)
{
    sb_free(&w->operations);
    sb_free(&w->data);
    sb_free(&w->fixups);
}

static void put(struct writer *w, const struct isa_family *family, const struct isa_format *format,
                uint8_t *record, const char *name, int64_t value)
{
    struct strbuf why = {0};
    if (!isa_put_field(family, format, name, value, isa_int8_widths, record, &why) && !w->failed)
        w->failed = plan_refuse(PLAN_UNSUPPORTED, "%s", sb_text(&why));
    sb_free(&why);
}

/* Constants, and smallest values where 0 is not legal. */
static void put_defaults(const struct isa_family *family, const struct isa_format *format, uint8_t *record)
{
    for (const struct isa_field *f = format->fields; f->bits; f++)
        if (f->min && (f->kind == ISA_CONST || f->kind == ISA_UINT))
            isa_put_bits(record, isa_field_lsb(family, format, f, isa_int8_widths), (unsigned)f->bits,
                         f->min);
}

static void put_settings(struct writer *w, const struct isa_family *family, const struct isa_format *format,
                         uint8_t *record, const struct setting *settings)
{
    put_defaults(family, format, record);
    for (const struct setting *s = settings; s && s->field; s++)
        put(w, family, format, record, s->field, s->value);
}

void writer_op(struct writer *w, const char *format_name, const struct setting *settings)
{
    uint8_t record[ISA_OPERATION_BYTES] = {0};
    const struct isa_format *format = isa_find_format(&isa_operation, format_name);
    if (!format) {
        w->failed = plan_refuse(PLAN_INVALID, "there is no operation \"%s\"", format_name);
        return;
    }
    put_settings(w, &isa_operation, format, record, settings);
    w->count++;
    sb_addn(&w->operations, (const char *)record, sizeof record);
}

void writer_load_data(struct writer *w, const struct setting *settings)
{
    writer_op(w, "load", settings);
    sb_addn(&w->fixups, (const char *)&w->count, sizeof w->count);
}

static bool is_extension(const struct config_instruction *i)
{
    return !strcmp(i->format, "extension");
}

static void add_extension(struct writer *w, const struct config_instruction *i)
{
    uint8_t record[ISA_CONFIG_RECORD_BYTES] = {0};
    put_settings(w, &isa_config, isa_find_format(&isa_config, "config_extension"), record, i->instruction);
    sb_addn(&w->data, (const char *)record, sizeof record);
}

static void add_instruction(struct writer *w, const struct config_instruction *i)
{
    const struct isa_format *format = isa_find_format(&isa_instruction, i->format);
    const struct isa_format *record_format = isa_find_format(&isa_config, "config_instruction");
    uint8_t word[8] = {0}, record[ISA_CONFIG_RECORD_BYTES] = {0};
    put_settings(w, &isa_instruction, format, word, i->instruction);
    put_settings(w, &isa_config, record_format, record, i->operands);
    put(w, &isa_config, record_format, record, "instruction", (int64_t)isa_get_bits(word, 0, 12));
    sb_addn(&w->data, (const char *)record, sizeof record);
}

static void pad(struct strbuf *to, size_t multiple)
{
    static const char zeros[64] = {0};
    while (to->len % multiple)
        sb_addn(to, zeros,
                multiple - to->len % multiple < sizeof zeros ? multiple - to->len % multiple : sizeof zeros);
}

/* Extension records are not counted. */
static size_t count_instructions(const struct config_instruction *code, size_t records)
{
    size_t count = 0;
    for (size_t i = 0; i < records; i++)
        count += !is_extension(&code[i]);
    return count;
}

uint64_t writer_config(struct writer *w, const struct setting *header, const struct config_instruction *code,
                       size_t instructions, size_t *bytes)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_header");
    uint8_t record[ISA_CONFIG_RECORD_BYTES] = {0};
    pad(&w->data, WRITER_CONFIG_ALIGN);
    size_t start = w->data.len;
    put_settings(w, &isa_config, format, record, header);
    put(w, &isa_config, format, record, "instructions", (int64_t)count_instructions(code, instructions));
    sb_addn(&w->data, (const char *)record, sizeof record);
    for (size_t i = 0; i < instructions; i++)
        (is_extension(&code[i]) ? add_extension : add_instruction)(w, &code[i]);
    pad(&w->data, w->variant->row_bus_width / 8);
    *bytes = w->data.len - start;
    if (sb_ok(&w->data))
        isa_seal(&isa_config, format, (uint8_t *)w->data.text + start, *bytes, 0);
    return start;
}

static void fix_offsets(struct writer *w, uint64_t base)
{
    const struct isa_format *format = isa_find_format(&isa_operation, "load");
    const struct isa_field *field = isa_find_field(format, "offset");
    unsigned lsb = isa_field_lsb(&isa_operation, format, field, isa_int8_widths);
    for (size_t i = 0; i < w->fixups.len; i += sizeof(uint32_t)) {
        uint32_t position;
        memcpy(&position, w->fixups.text + i, sizeof position);
        uint8_t *record = (uint8_t *)w->operations.text + (size_t)(position - 1) * ISA_OPERATION_BYTES;
        uint64_t offset = isa_get_bits(record, lsb, (unsigned)field->bits);
        isa_put_bits(record, lsb, (unsigned)field->bits, offset + base);
    }
}

/* All operations have their check words at the same place. */
static void seal(struct writer *w)
{
    const struct isa_format *format = isa_find_format(&isa_operation, "end");
    for (uint32_t i = 0; i < w->count; i++)
        isa_seal(&isa_operation, format, (uint8_t *)w->operations.text + (size_t)i * ISA_OPERATION_BYTES,
                 ISA_OPERATION_BYTES, i + 1);
}

bool writer_packs(const uint8_t *program, size_t bytes, struct strbuf *packed)
{
    enum { SAVES = 1024 };
    return isa_program_pack(program, bytes, packed) && packed->len + SAVES <= bytes;
}

static void pack(struct writer *w, struct strbuf *image, size_t start)
{
    struct strbuf packed = {0};
    if (w->variant->packed_programs && sb_ok(image) &&
        writer_packs((const uint8_t *)image->text + start, image->len - start, &packed)) {
        uint8_t *header = (uint8_t *)packed.text;
        const struct isa_format *format = isa_program.formats;
        put(w, &isa_program, format, header, "minor", w->minor > PACKED_MINOR ? w->minor : PACKED_MINOR);
        isa_seal(&isa_program, format, header, ISA_OPERATION_BYTES, 0);
        image->len = start;
        sb_addn(image, packed.text, packed.len);
    }
    sb_free(&packed);
}

const uint8_t *writer_finish(struct writer *w, uint64_t variant_hash, struct strbuf *image)
{
    uint8_t header[ISA_OPERATION_BYTES] = {0};
    const struct isa_format *format = isa_program.formats;
    const size_t start = image->len;
    writer_op(w, "end", NULL);
    uint64_t tokens[2] = {0, 0};
    for (unsigned t = 0; t < ISA_TOKENS; t++)
        tokens[t / 16] |= (uint64_t)(w->tokens[t] & 15) << (4 * (t % 16));
    put_settings(w, &isa_program, format, header,
                 SETTINGS{{"variant", (int64_t)variant_hash},
                          {"minor", w->minor > WRITER_MINOR ? w->minor : WRITER_MINOR},
                          {"operations", w->count},
                          {"tokens_low", (int64_t)tokens[0]},
                          {"tokens_high", (int64_t)tokens[1]},
                          {NULL, 0}});
    isa_seal(&isa_program, format, header, sizeof header, 0);
    if (!w->failed && !(sb_ok(&w->operations) && sb_ok(&w->data) && sb_ok(&w->fixups)))
        w->failed = plan_no_memory();
    if (w->failed)
        return NULL;
    fix_offsets(w, (uint64_t)(w->count + 1) * ISA_OPERATION_BYTES);
    seal(w);
    sb_addn(image, (const char *)header, sizeof header);
    sb_addn(image, w->operations.text, w->operations.len);
    if (w->data.len)
        sb_addn(image, w->data.text, w->data.len);
    pack(w, image, start);
    if (!sb_ok(image))
        w->failed = plan_no_memory();
    return w->failed ? NULL : (const uint8_t *)image->text;
}
