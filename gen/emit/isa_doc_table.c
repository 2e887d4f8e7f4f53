/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "gen/emit/isa_doc.h"
#include "gen/emit/isa_header.h"
#include "gen/emit/linear.h"

/* ---- pictures -------------------------------------------------------------------------------- */

enum { NAME_WIDTH = 7 };

/* What stands in a field's box: its name, or the bits that it always has. */
static void add_label(struct strbuf *to, const struct isa_field *field)
{
    if (field->kind == ISA_RESERVED)
        sb_add(to, "0");
    else if (field->kind == ISA_CONST)
        sb_addf(to, "%" PRIu64, field->min);
    else
        sb_add(to, field->name);
}

static size_t label_length(const struct isa_field *field)
{
    struct strbuf label = {0};
    add_label(&label, field);
    size_t len = label.len;
    sb_free(&label);
    return len;
}

/* Characters for a bit, so that every label fits, with a blank at each side and the box's border. */
static unsigned bit_width(const struct isa_family *family)
{
    size_t widest = 4;
    for (const struct isa_format *format = family->formats; format->name; format++)
        for (const struct isa_field *f = format->fields; isa_is_field(f); f++) {
            size_t width = (label_length(f) + 3 + (size_t)f->bits - 1) / (size_t)f->bits;
            widest = width > widest ? width : widest;
        }
    return (unsigned)widest;
}

static void add_boxes(struct strbuf *to, const struct isa_format *format, unsigned width)
{
    sb_addf(to, "%-*s|", NAME_WIDTH, format->name);
    for (const struct isa_field *f = format->fields; isa_is_field(f); f++) {
        size_t room = (size_t)f->bits * width - 1, len = label_length(f);
        size_t left = (room - len) / 2;
        sb_addf(to, "%*s", (int)left, "");
        add_label(to, f);
        sb_addf(to, "%*s|", (int)(room - len - left), "");
    }
    sb_add(to, "\n");
}

static void add_picture(struct strbuf *to, const struct isa_family *family)
{
    unsigned width = bit_width(family);
    sb_addf(to, "\n```text\n%-*s", NAME_WIDTH + 1, "bit");
    for (int bit = 1; bit <= family->bits; bit++)
        sb_addf(to, "%*d%*s", (int)(width / 2), bit, (int)(width - width / 2), "");
    while (to->text && to->len && to->text[to->len - 1] == ' ')
        to->len--;
    sb_add(to, "\n");
    for (const struct isa_format *format = family->formats; format->name; format++)
        add_boxes(to, format, width);
    sb_add(to, "```\n");
}

/* ---- where a field is ------------------------------------------------------------------------ */

static void add_range(struct strbuf *to, unsigned first, unsigned last)
{
    if (first == last)
        sb_addf(to, "%u", first);
    else
        sb_addf(to, "%u..%u", first, last);
}

/* The place of `bits` bits, of which `before` come earlier in the format's list. */
static void add_place(struct strbuf *to, const struct isa_family *family, unsigned before, unsigned bits)
{
    if (family->from_left) {
        add_range(to, before + 1, before + bits);
        return;
    }
    sb_addf(to, "%u | ", before / 8);
    add_range(to, before % 8 + bits - 1, before % 8);
}

/* "D + I - 2..D", and what that is for eight bits each. */
static void add_variable_place(struct strbuf *to, const struct isa_format *format,
                               const struct isa_field *field)
{
    struct linear lsb = linear_lsb(format, field), bits = linear_bits(field);
    struct linear msb = linear_add(lsb, linear_add(bits, (struct linear){.constant = -1}));
    unsigned low = isa_field_lsb(&isa_weight, format, field, isa_int8_widths);
    linear_print(to, msb, "D", "I");
    if (bits.data || bits.index || bits.constant != 1) {
        sb_add(to, " .. ");
        linear_print(to, lsb, "D", "I");
    }
    sb_add(to, " | ");
    add_range(to, low + isa_field_bits(field, isa_int8_widths) - 1, low);
}

/* ---- what a field may be --------------------------------------------------------------------- */

/* A link to the family's section: its heading is the title. */
static void add_link(struct strbuf *to, const struct isa_family *family)
{
    sb_addf(to, "[%s](#", family->name);
    for (const char *s = family->title; *s; s++)
        sb_addf(to, "%c", *s == ' ' ? '-' : *s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
    sb_add(to, ")");
}

static const struct isa_enum *enum_of(const struct isa_value *values)
{
    for (size_t i = 0; isa_enums[i].name; i++)
        if (isa_enums[i].values == values)
            return &isa_enums[i];
    return NULL;
}

static void add_unsigned(struct strbuf *to, const struct isa_field *field)
{
    if (field->width != ISA_FIXED)
        sb_add(to, "unsigned");
    else if (field->bits > 16 && !field->max)
        sb_addf(to, "unsigned, %d bits", field->bits);
    else if (field->bits > 16)
        sb_addf(to, "from %" PRIu64, field->min);
    else if (field->max && field->min == field->max)
        sb_addf(to, "%" PRIu64, field->min);
    else
        sb_addf(to, "%" PRIu64 "..%" PRIu64, field->min, isa_field_max(field, isa_int8_widths));
}

static void add_constant(struct strbuf *to, const struct isa_field *field)
{
    if (field->min == ISA_ALL_ONES)
        sb_add(to, "all ones");
    else
        sb_addf(to, field->min > 0xFFFF ? "0x%08" PRIX64 : "%" PRIu64, field->min);
}

static void add_allowed(struct strbuf *to, const struct isa_field *field)
{
    switch (field->kind) {
    case ISA_UINT:
        add_unsigned(to, field);
        break;
    case ISA_SINT:
        if (field->width == ISA_FIXED)
            sb_addf(to, "signed, %d bits", field->bits);
        else
            sb_add(to, "signed");
        break;
    case ISA_FLAG:
        sb_add(to, "0, 1");
        break;
    case ISA_ENUM:
        sb_addf(to, "[%s](#values-of-%s)", enum_of(field->values)->name, enum_of(field->values)->name);
        break;
    case ISA_CONST:
        add_constant(to, field);
        break;
    case ISA_RESERVED:
        sb_add(to, "0");
        break;
    case ISA_CHECK:
        sb_add(to, "[check](#check-words)");
        break;
    case ISA_NESTED:
        add_link(to, field->nested);
        break;
    }
}

/* "only when `target` is accumulator (1)" */
static void add_condition(struct strbuf *to, const struct isa_format *format, const struct isa_field *field)
{
    if (!field->when_field)
        return;
    const struct isa_field *on = isa_find_field(format, field->when_field);
    sb_addf(to, "; only when `%s` is %" PRIu64, field->when_field, field->when_value);
    if (on->kind == ISA_ENUM)
        sb_addf(to, " (%s)", isa_find_value(on->values, field->when_value)->name);
    sb_add(to, ", else 0");
}

static void add_meaning(struct strbuf *to, const struct isa_format *format, const struct isa_field *field)
{
    sb_addf(to, "%s%s%s | ", field->name ? "`" : "", field->name ? field->name : "", field->name ? "`" : "");
    add_allowed(to, field);
    sb_addf(to, " | %s", field->name ? field->doc : "reserved");
    add_condition(to, format, field);
    sb_add(to, " |\n");
}

/* ---- paragraphs ------------------------------------------------------------------------------ */

void isa_doc_paragraph(struct strbuf *to, const char *text)
{
    enum { COLUMNS = 110 };
    size_t column = 0;
    for (const char *word = text; *word; word += strspn(word, " ")) {
        size_t len = strcspn(word, " ");
        bool wrap = column && column + 1 + len > COLUMNS;
        sb_add(to, wrap ? "\n" : column ? " " : "");
        sb_addn(to, word, len);
        column = (wrap || !column ? 0 : column + 1) + len;
        word += len;
    }
    sb_add(to, *text ? "\n\n" : "");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool is_token(const struct isa_field *field)
{
    return field->name && (!strncmp(field->name, "wait_", 5) || !strncmp(field->name, "signal_", 7));
}

/* Fields that share a row: reserved ones that follow each other, and the tokens of an operation, which
 * isa_doc_tokens describes once. */
static bool share_row(const struct isa_field *a, const struct isa_field *b)
{
    return (a->kind == ISA_RESERVED && b->kind == ISA_RESERVED) || (is_token(a) && is_token(b));
}

static void add_fixed_fields(struct strbuf *to, const struct isa_family *family,
                             const struct isa_format *format)
{
    unsigned before = 0;
    sb_addf(to, family->from_left ? "| bits | field | values | meaning |\n| --- | --- | --- | --- |\n"
                                  : "| byte | bits | field | values | meaning |\n"
                                    "| --- | --- | --- | --- | --- |\n");
    for (const struct isa_field *f = format->fields, *next; isa_is_field(f); f = next) {
        unsigned bits = 0;
        for (next = f; isa_is_field(next) && (next == f || share_row(f, next)); next++)
            bits += (unsigned)next->bits;
        sb_add(to, "| ");
        add_place(to, family, before, bits);
        sb_add(to, " | ");
        if (is_token(f))
            sb_add(to, "tokens | | the tokens that it waits for and signals: see [tokens](#tokens) |\n");
        else
            add_meaning(to, format, f);
        before += bits;
    }
}

static void add_variable_fields(struct strbuf *to, const struct isa_format *format)
{
    sb_add(to, "| bits | int8, I = 8 | field | values | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (const struct isa_field *f = format->fields; isa_is_field(f); f++) {
        sb_add(to, "| ");
        add_variable_place(to, format, f);
        sb_add(to, " | ");
        add_meaning(to, format, f);
    }
}

void isa_doc_formats(struct strbuf *to, const struct isa_family *family)
{
    if (family->from_left)
        add_picture(to, family);
    for (const struct isa_format *format = family->formats; format->name; format++) {
        sb_add(to, "\n");
        if (family->formats[1].name)
            sb_addf(to, "### %s: %s\n\n", format->name, format->title);
        isa_doc_paragraph(to, format->doc);
        if (family->bits)
            add_fixed_fields(to, family, format);
        else
            add_variable_fields(to, format);
    }
}

void isa_doc_tokens(struct strbuf *to)
{
    const struct isa_format *format = isa_find_format(&isa_operation, "load");
    unsigned before = 0;
    sb_add(to, "| byte | bits | field | values | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (const struct isa_field *f = format->fields; isa_is_field(f); before += (unsigned)f->bits, f++) {
        if (!is_token(f))
            continue;
        sb_add(to, "| ");
        add_place(to, &isa_operation, before, (unsigned)f->bits);
        sb_add(to, " | ");
        add_meaning(to, format, f);
    }
}

void isa_doc_values(struct strbuf *to, const struct isa_value *values)
{
    sb_add(to, "| value | name | meaning |\n| --- | --- | --- |\n");
    for (const struct isa_value *v = values; v->name; v++)
        sb_addf(to, "| %" PRIu64 " | `%s` | %s |\n", v->value, v->name, v->doc);
}

/* What a family is, in a few words: its own text is longer. */
static const struct {
    const struct isa_family *family;
    const char *text;
} overview[] = {
    {&isa_command, "what a cluster does with a packet"},
    {&isa_instruction, "a step of the sequence that a cluster runs for a packet"},
    {&isa_packet, "the description of a packet, as the assembler writes it"},
    {&isa_config, "the data of a config packet, in records of this size"},
    {&isa_weight, "the weights of a PE"},
    {&isa_program, "the start of a program in device memory"},
    {&isa_operation, "a step of a program"},
    {&isa_status, "the result of a job, in device memory"},
};

static void add_size(struct strbuf *to, const struct isa_family *family)
{
    if (!family->bits)
        sb_add(to, "data_width + index_width bits");
    else if (family->bits % 64)
        sb_addf(to, "%d bits", family->bits);
    else
        sb_addf(to, "%d bytes", family->bits / 8);
}

void isa_doc_sizes(struct strbuf *to)
{
    sb_add(to, "| kind | size | what it is |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof overview / sizeof *overview; i++) {
        sb_add(to, "| ");
        add_link(to, overview[i].family);
        sb_add(to, " | ");
        add_size(to, overview[i].family);
        sb_addf(to, " | %s |\n", overview[i].text);
    }
}
