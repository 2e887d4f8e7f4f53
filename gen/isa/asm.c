/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections and statements; the image that comes of them.
 */
#include "gen/isa/asm.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/asm_unit.h"
#include "gen/isa/codec.h"

const struct weights_layout asm_default_layout = {.widths = {.data = 8, .index = 8}, .pes = 8, .entries = 1};

/* ---- records --------------------------------------------------------------------------------- */

static const struct isa_format *section_format(const struct text_section *type, struct slice name,
                                               const struct isa_family **family)
{
    for (unsigned i = 0; i < 2 && type->families[i]; i++)
        for (const struct isa_format *f = type->families[i]->formats; f->name; f++)
            if (slice_is(name, f->name)) {
                *family = type->families[i];
                return f;
            }
    return NULL;
}

static size_t add_format(struct assembler *as, const struct isa_family *family,
                         const struct isa_format *format, struct place at)
{
    struct asm_record *record = asm_add_record(as, at);
    if (!record)
        return SIZE_MAX;
    record->family = family;
    record->format = format;
    return (size_t)(record - asm_current(as)->records.items);
}

static struct asm_fields record_fields(struct assembler *as, size_t index)
{
    const struct asm_records *records = &asm_current(as)->records;
    const struct asm_record *record = &records->items[index];
    return (struct asm_fields){
        .family = record->family,
        .format = record->format,
        .widths = isa_int8_widths,
        .bytes = asm_record_bytes(records, record),
        .bit = 8 * record->offset,
    };
}

static void report_wrong_section(struct assembler *as, const struct token *mnemonic)
{
    const struct text_section *here = asm_current(as)->records.type;
    const char *words[TEXT_FIELDS_MAX];
    const struct isa_family *family;
    size_t count = 0;
    struct strbuf text = {0};
    slice_add_quoted(&text, mnemonic->text);
    for (unsigned i = 0; i < 2 && here->families[i]; i++)
        for (const struct isa_format *f = here->families[i]->formats; f->name; f++)
            words[count++] = f->name;
    for (const struct text_section *s = text_sections; s < text_sections + TEXT_SECTIONS; s++)
        if (section_format(s, mnemonic->text, &family))
            sb_addf(&text, "; it belongs into .%s", s->name);
    const char *near = slice_near(mnemonic->text, words, count);
    if (near)
        sb_addf(&text, "; did you mean \"%s\"?", near);
    diag_error(as->diag, mnemonic->at, "a .%s section has no statement %s", here->name, sb_text(&text));
    sb_free(&text);
}

static void record_statement(struct assembler *as, struct token mnemonic)
{
    const struct text_section *type = asm_current(as)->records.type;
    const struct isa_family *family = NULL;
    const struct isa_format *format = section_format(type, mnemonic.text, &family);
    if (!format) {
        report_wrong_section(as, &mnemonic);
        return;
    }
    const bool is_header = type->header && !strcmp(format->name, type->header);
    if (is_header && asm_current(as)->records.count)
        diag_error(as->diag, mnemonic.at, "%s must be the first statement of its section", format->name);
    if (type->header && !is_header && !asm_current(as)->records.count)
        diag_error(as->diag, mnemonic.at, "a .%s section must begin with the statement %s", type->name,
                   type->header);
    const size_t index = add_format(as, family, format, mnemonic.at);
    if (index == SIZE_MAX)
        return;
    struct asm_fields fields = record_fields(as, index);
    asm_fields_parse(as, &fields, 0);
    asm_current(as)->records.items[index].given = fields.given;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void directive_line(struct assembler *as)
{
    const struct token directive = as->lexer.token;
    lexer_next(&as->lexer);
    if (!asm_data_line(as, &directive))
        asm_section_line(as, &directive);
}

static void label(struct assembler *as, const struct token *name)
{
    const struct asm_section *section = asm_current(as);
    lexer_next(&as->lexer);
    if (!section || section->records.type == &text_sections[TEXT_WEIGHTS])
        diag_error(as->diag, name->at,
                   section ? "entries of weights cannot have labels; name the section"
                           : "label before the first section");
    else
        asm_label_define(as, name->text, name->at, false);
}

static void statement(struct assembler *as, struct token mnemonic)
{
    const struct asm_section *section = asm_current(as);
    if (!section)
        diag_error(as->diag, mnemonic.at,
                   "statement before the first section; begin with .program, .config, "
                   ".weights, ...");
    else if (section->records.type == &text_sections[TEXT_WEIGHTS])
        asm_weights_statement(as, mnemonic);
    else
        record_statement(as, mnemonic);
}

/* [label:]... [statement] */
static void line(struct assembler *as)
{
    const size_t errors = as->diag->errors;
    struct token first = as->lexer.token;
    for (; first.kind == TOKEN_WORD; first = as->lexer.token) {
        lexer_next(&as->lexer);
        if (!lexer_at(&as->lexer, ':'))
            break;
        label(as, &first);
    }
    if (first.kind == TOKEN_WORD)
        statement(as, first);
    else if (first.kind == TOKEN_DIRECTIVE)
        directive_line(as);
    else if (!lexer_at_line_end(&as->lexer))
        asm_unexpected(as, "a statement is expected here");
    if (!lexer_at_line_end(&as->lexer) && as->diag->errors == errors)
        asm_unexpected(as, "the end of the line is expected here");
    lexer_next_line(&as->lexer);
}

/* ---- the image ------------------------------------------------------------------------------- */

/* Data that a program carries is 64-byte aligned; elsewhere sections follow each other. */
static void place_sections(struct assembler *as)
{
    const bool program = as->section_count && as->sections->records.type == &text_sections[TEXT_PROGRAM];
    size_t offset = 0;
    for (size_t i = 0; i < as->section_count; i++) {
        struct asm_section *section = &as->sections[i];
        const size_t align = section->align ? section->align : program ? ISA_OPERATION_BYTES : 1;
        section->offset = (offset + align - 1) & ~(align - 1);
        offset = section->offset + section->records.bytes.len;
    }
}

static void add_zeros(struct strbuf *to, size_t count)
{
    for (; count; count--)
        sb_addn(to, "", 1);
}

static unsigned section_word_bits(const struct asm_section *section)
{
    const unsigned bits = section->records.type->word_bits;
    return bits ? bits : 8 * weights_beat_bytes(&section->layout);
}

/* A program is one sequence of its words, with whatever data it carries. */
static void set_word(const struct assembler *as, struct asm_image *image)
{
    const struct asm_section *first = as->sections;
    image->word_bits = section_word_bits(first);
    image->word_bytes = math_divide_up(image->word_bits, 8);
    if (first->records.type == &text_sections[TEXT_PROGRAM])
        return;
    for (size_t i = 1; i < as->section_count; i++)
        if (section_word_bits(&as->sections[i]) != image->word_bits)
            image->word_bits = 0;
}

static void join_sections(struct assembler *as, struct asm_image *image)
{
    for (size_t i = 0; i < as->section_count; i++) {
        const struct asm_section *section = &as->sections[i];
        add_zeros(&image->bytes, section->offset - image->bytes.len);
        sb_addn(&image->bytes, sb_text(&section->records.bytes), section->records.bytes.len);
        if (!sb_ok(&section->records.bytes))
            asm_out_of_memory(as);
    }
    if (!sb_ok(&image->bytes))
        asm_out_of_memory(as);
}

static void assemble(struct assembler *as, struct asm_image *image)
{
    while (as->lexer.token.kind != TOKEN_END && !as->stopped && as->diag->errors < ASM_ERRORS_MAX)
        line(as);
    asm_section_close(as);
    if (!as->section_count && !as->diag->errors)
        diag_error(as->diag, as->lexer.token.at, "nothing to assemble: the file has no section");
    if (as->stopped)
        return;
    place_sections(as);
    asm_references_resolve(as);
    for (size_t i = 0; i < as->section_count; i++)
        if (!as->sections[i].errors)
            asm_rules_apply(&as->sections[i].records, as->diag);
    if (as->diag->errors)
        return;
    set_word(as, image);
    join_sections(as, image);
}

static void free_section(struct asm_section *section)
{
    asm_records_free(&section->records);
    for (unsigned pe = 0; section->streams && pe < WEIGHTS_PES_MAX; pe++)
        weights_stream_free(&section->streams[pe]);
    free(section->streams);
    free(section->inside);
}

bool asm_assemble(const char *file, const struct strbuf *text, const struct weights_layout *layout,
                  struct asm_image *image, struct diag *diag)
{
    struct assembler as = {.diag = diag, .layout = *layout};
    *image = (struct asm_image){.word_bits = 0};
    if (text->len && memchr(text->text, 0, text->len)) {
        diag_error(diag, (struct place){.file = file},
                   "this is not text: it has zero bytes; -d takes packed words apart");
        return false;
    }
    lexer_start(&as.lexer, file, text);
    assemble(&as, image);
    for (size_t i = 0; i < as.section_count; i++)
        free_section(&as.sections[i]);
    free(as.sections);
    free(as.references);
    asm_labels_free(&as.labels);
    if (!diag->errors)
        return true;
    asm_image_free(image);
    return false;
}

void asm_image_free(struct asm_image *image)
{
    sb_free(&image->bytes);
}

bool asm_image_hex(const struct asm_image *image, const char *file, struct strbuf *to, struct diag *diag)
{
    static const char digits[] = "0123456789abcdef";
    if (!image->word_bits) {
        diag_error(diag, (struct place){.file = file},
                   "hex output needs sections with words of one size; put these into files of their own");
        return false;
    }
    const size_t line_digits = (image->word_bits + 3) / 4;
    for (size_t word_at = 0; word_at < image->bytes.len; word_at += image->word_bytes) {
        for (size_t i = line_digits; i-- > 0;) {
            const size_t at = word_at + i / 2;
            const uint8_t value = at < image->bytes.len ? (uint8_t)image->bytes.text[at] : 0;
            sb_addn(to, &digits[value >> i % 2 * 4 & 15], 1);
        }
        sb_addn(to, "\n", 1);
    }
    return sb_ok(to);
}
