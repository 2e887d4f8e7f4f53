/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines that begin a section, and what is due when one ends.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/isa/asm_unit.h"

/* A name=number of a section's line. */
struct attribute {
    const char *name;
    uint64_t min, max;
    bool weights_only;
};

enum {
    ATTRIBUTE_ALIGN,
    ATTRIBUTE_DATA,
    ATTRIBUTE_INDEX,
    ATTRIBUTE_PES,
    ATTRIBUTE_ENTRIES,
    ATTRIBUTE_BEAT,
    ATTRIBUTES
};

static const struct attribute attributes[ATTRIBUTES] = {
    [ATTRIBUTE_ALIGN] = {"align", 1, 4096, false},
    [ATTRIBUTE_DATA] = {"data", 8, 16, true},
    [ATTRIBUTE_INDEX] = {"index", 6, 16, true},
    [ATTRIBUTE_PES] = {"pes", 1, WEIGHTS_PES_MAX, true},
    [ATTRIBUTE_ENTRIES] = {"entries", 1, WEIGHTS_ENTRIES_MAX, true},
    [ATTRIBUTE_BEAT] = {"beat", 1, WEIGHTS_BEAT_BYTES_MAX, true},
};

static const struct attribute *find_attribute(const struct text_section *type, struct slice name)
{
    for (const struct attribute *a = attributes; a < attributes + ATTRIBUTES; a++)
        if (slice_is(name, a->name) && (!a->weights_only || type == &text_sections[TEXT_WEIGHTS]))
            return a;
    return NULL;
}

static void set_attribute(struct asm_section *section, const struct attribute *attribute, uint64_t value)
{
    switch (attribute - attributes) {
    case ATTRIBUTE_ALIGN:
        section->align = value;
        break;
    case ATTRIBUTE_DATA:
        section->layout.widths.data = (unsigned)value;
        break;
    case ATTRIBUTE_INDEX:
        section->layout.widths.index = (unsigned)value;
        break;
    case ATTRIBUTE_PES:
        section->layout.pes = (unsigned)value;
        break;
    case ATTRIBUTE_ENTRIES:
        section->layout.entries = (unsigned)value;
        break;
    default:
        section->layout.beat_bytes = (unsigned)value;
    }
}

static bool parse_attribute(struct assembler *as)
{
    struct asm_section *section = asm_current(as);
    const struct token name = as->lexer.token;
    const struct attribute *attribute =
        name.kind == TOKEN_WORD ? find_attribute(section->records.type, name.text) : NULL;
    uint64_t value;
    if (!attribute) {
        asm_unexpected(as, section->records.type == &text_sections[TEXT_WEIGHTS]
                               ? "one of data=, index=, pes=, entries=, beat=, align= is expected here"
                               : "only align= is expected here");
        return false;
    }
    lexer_next(&as->lexer);
    if (!lexer_at(&as->lexer, '=')) {
        asm_unexpected(as, "a = is expected here");
        return false;
    }
    lexer_next(&as->lexer);
    if (!asm_number(as, attribute->name, attribute->min, attribute->max, &value))
        return false;
    set_attribute(section, attribute, value);
    return true;
}

/* [name [,]] [attribute=number, ...] */
static void parse_section_line(struct assembler *as)
{
    const struct token name = as->lexer.token;
    if (name.kind == TOKEN_WORD) {
        struct lexer ahead = as->lexer;
        lexer_next(&ahead);
        if (!lexer_at(&ahead, '=')) {
            as->lexer = ahead;
            asm_label_define(as, name.text, name.at, true);
            if (lexer_at(&as->lexer, ','))
                lexer_next(&as->lexer);
        }
    }
    while (!lexer_at_line_end(&as->lexer) && parse_attribute(as)) {
        if (lexer_at_line_end(&as->lexer))
            return;
        if (!lexer_at(&as->lexer, ',')) {
            asm_unexpected(as, "a comma is expected here");
            return;
        }
        lexer_next(&as->lexer);
    }
}

static void check_section(struct assembler *as, struct asm_section *section)
{
    const struct place at = section->records.at;
    if (section->align & (section->align - 1))
        diag_error(as->diag, at, "align is %llu; it must be a power of two",
                   (unsigned long long)section->align);
    if (section->layout.widths.data != 8 && section->layout.widths.data != 16)
        diag_error(as->diag, at, "data is %u; allowed 8, 16", section->layout.widths.data);
    else if (section->layout.beat_bytes &&
             section->layout.beat_bytes < weights_beat_bytes_needed(&section->layout))
        diag_error(as->diag, at, "beat is %u bytes, but the entries of all PEs take %u",
                   section->layout.beat_bytes, weights_beat_bytes_needed(&section->layout));
    if (section->records.type == &text_sections[TEXT_PROGRAM] && as->section_count > 1)
        diag_error(as->diag, at, "a program must be the first section of the file, and the only program");
}

static void start_weights(struct assembler *as, struct asm_section *section)
{
    section->streams = calloc(WEIGHTS_PES_MAX, sizeof *section->streams);
    section->inside = calloc(WEIGHTS_PES_MAX, sizeof *section->inside);
    if (!section->streams || !section->inside)
        asm_out_of_memory(as);
    weights_code_init(&section->code, section->layout.widths);
}

static const struct text_section *find_section_type(struct slice name)
{
    for (const struct text_section *s = text_sections; s < text_sections + TEXT_SECTIONS; s++)
        if (slice_is(name, s->name))
            return s;
    return NULL;
}

static void report_unknown_directive(struct assembler *as, const struct token *directive)
{
    struct strbuf text = {0};
    slice_add_quoted(&text, directive->text);
    sb_add(&text, "; sections are");
    for (unsigned i = 0; i < TEXT_SECTIONS; i++)
        sb_addf(&text, "%s .%s", i ? "," : "", text_sections[i].name);
    diag_error(as->diag, directive->at, "unknown directive %s", sb_text(&text));
    sb_free(&text);
}

void asm_section_close(struct assembler *as)
{
    struct asm_section *section = asm_current(as);
    if (!section || as->stopped)
        return;
    if (section->records.type->header && !section->records.count)
        diag_error(as->diag, section->records.at,
                   "the .%s section is empty; it must begin with the statement %s",
                   section->records.type->name, section->records.type->header);
    section->errors = as->diag->errors - section->errors;
    asm_label_close(as);
    if (section->records.type == &text_sections[TEXT_WEIGHTS])
        asm_weights_finish(as, section);
}

void asm_section_line(struct assembler *as, const struct token *directive)
{
    const struct text_section *type =
        find_section_type((struct slice){directive->text.text + 1, directive->text.len - 1});
    if (!type) {
        report_unknown_directive(as, directive);
        return;
    }
    asm_section_close(as);
    struct asm_section *section =
        asm_grow(as, (void **)&as->sections, as->section_count, &as->section_cap, sizeof *as->sections);
    if (!section || as->stopped)
        return;
    *section = (struct asm_section){
        .layout = as->layout, .errors = as->diag->errors, .records = {.type = type, .at = directive->at}};
    as->section_count++;
    parse_section_line(as);
    check_section(as, section);
    if (type == &text_sections[TEXT_WEIGHTS])
        start_weights(as, section);
}
