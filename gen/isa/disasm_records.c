/* SPDX-License-Identifier: Apache-2.0
 *
 * Words to records, and records to lines of text.
 */
#include <string.h>

#include "gen/isa/codec.h"
#include "gen/isa/disasm_unit.h"

void disasm_error(const struct disassembler *d, struct diag *diag, size_t offset, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    diag_error(diag, (struct place){.file = d->file}, "offset 0x%zx: %s", offset, sb_text(&text));
    sb_free(&text);
}

struct diag *disasm_sink(const struct disassembler *d, struct diag *problems)
{
    return d->options->lenient ? problems : d->diag;
}

bool disasm_stops(const struct disassembler *d)
{
    return d->diag->errors >= DISASM_ERRORS_MAX || !sb_ok(d->to);
}

/* ---- records --------------------------------------------------------------------------------- */

static const struct isa_family *record_family(const struct text_section *type, size_t index)
{
    return type->header && type->families[1] && index ? type->families[1] : type->families[0];
}

/* Whether the word at `bytes` is a legal record by itself; if not, why. */
static bool legal_word(const struct text_section *type, size_t index, const uint8_t *bytes,
                       struct strbuf *why)
{
    const struct isa_family *family = record_family(type, index);
    const unsigned spare = 8 * type->word_bytes - type->word_bits;
    if (spare && isa_get_bits(bytes, type->word_bits, spare)) {
        sb_addf(why, "%s: the %u bits above its %u must be 0", family->name, spare, type->word_bits);
        return false;
    }
    return isa_validate(family, bytes, isa_int8_widths, why);
}

static bool is_header(const struct text_section *type, const struct asm_record *record)
{
    return type->header && record->format && !strcmp(record->format->name, type->header);
}

void disasm_take_records(struct disassembler *d, const struct text_section *type, size_t offset, size_t count,
                         struct asm_records *out, struct diag *diag)
{
    *out = (struct asm_records){.type = type, .by_offset = true, .file_offset = offset};
    for (size_t i = 0; i < count && !disasm_stops(d); i++) {
        struct strbuf why = {0};
        const uint8_t *bytes = d->bytes + offset + i * type->word_bytes;
        struct asm_record *record = asm_records_add(out, type->word_bytes);
        if (!record) {
            disasm_error(d, d->diag, offset, "out of memory");
            return;
        }
        memcpy(asm_record_bytes(out, record), bytes, type->word_bytes);
        record->at = (struct place){.file = d->file};
        record->given = UINT64_MAX;
        record->family = record_family(type, i);
        if (legal_word(type, i, bytes, &why))
            record->format = isa_classify(record->family, bytes, isa_int8_widths, &why);
        if (!record->format)
            asm_record_error(out, record, diag, "%s", sb_text(&why));
        else if (type->header && is_header(type, record) != !i) {
            asm_record_error(out, record, diag, "%s: the first record, and no other, is a %s",
                             record->format->name, type->header);
            record->format = NULL;
        }
        sb_free(&why);
    }
}

void disasm_verify_records(struct asm_records *records, struct diag *diag)
{
    if (!records->type->header || (records->count && is_header(records->type, records->items)))
        asm_rules_apply(records, diag);
}

/* ---- printing -------------------------------------------------------------------------------- */

void disasm_add_record(struct strbuf *to, const struct asm_records *records, const struct asm_record *record,
                       const struct text_instead *instead)
{
    sb_add(to, "    ");
    text_add_record(to, record->family, record->format, asm_record_bytes(records, record), isa_int8_widths,
                    instead);
    sb_add(to, "\n");
}

static void add_word(struct strbuf *to, const struct asm_records *records, const struct asm_record *record)
{
    const uint8_t *bytes = asm_record_bytes(records, record);
    struct strbuf why = {0};
    sb_add(to, "    .word ");
    text_add_hex(to, bytes, records->type->word_bytes);
    if (!legal_word(records->type, (size_t)(record - records->items), bytes, &why))
        sb_addf(to, " # %s", sb_text(&why));
    else if (record->format && !asm_record_check_holds(records, record))
        sb_addf(to, " # %s: the check is wrong", record->format->name);
    sb_add(to, "\n");
    sb_free(&why);
}

/* A section whose first record is a word is raw: the assembler computes nothing but checks of records. */
static bool must_be_word(const struct asm_records *records, const struct asm_record *record)
{
    const bool first = records->type->header && record == records->items;
    return first || is_header(records->type, record) || !asm_record_check_holds(records, record);
}

void disasm_add_raw_records(struct strbuf *to, const struct asm_records *records)
{
    for (const struct asm_record *r = records->items; r < records->items + records->count; r++) {
        if (r->format && !must_be_word(records, r))
            disasm_add_record(to, records, r, NULL);
        else
            add_word(to, records, r);
    }
}

void disasm_add_comments(struct strbuf *to, const struct diag *problems)
{
    const char *text = sb_text(&problems->text);
    while (*text) {
        const size_t len = strcspn(text, "\n");
        sb_add(to, "# ");
        sb_addn(to, text, len);
        sb_add(to, "\n");
        text += len + (text[len] == '\n');
    }
}

void disasm_add_bytes(struct strbuf *to, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sb_addf(to, "%s0x%02x", i ? ", " : "    .byte ", bytes[i]);
    if (len)
        sb_add(to, "\n");
}

void disasm_add_rest(struct disassembler *d, const struct text_section *type, size_t offset)
{
    if (offset == d->len)
        return;
    if (!d->options->lenient) {
        disasm_error(d, d->diag, offset, "the last word is cut off: %zu of its %u bytes are there",
                     d->len - offset, type->word_bytes);
        return;
    }
    sb_addf(d->to, ".data align=1 # the last word of a .%s section, which has %u bytes, is cut off\n",
            type->name, type->word_bytes);
    disasm_add_bytes(d->to, d->bytes + offset, d->len - offset);
}
