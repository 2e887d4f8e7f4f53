/* SPDX-License-Identifier: Apache-2.0
 *
 * "field=value, ..." to bits, for any format of the table.
 */
#include <string.h>

#include "gen/isa/asm_unit.h"
#include "gen/isa/codec.h"

/* ---- messages -------------------------------------------------------------------------------- */

static const char *near_value(const struct isa_field *field, struct slice name)
{
    enum { LOOKED_AT = 64 };
    const char *words[LOOKED_AT];
    size_t count = 0;
    for (const struct isa_value *v = field->values; v->name && count < LOOKED_AT; v++)
        words[count++] = v->name;
    return slice_near(name, words, count);
}

static void add_allowed(struct strbuf *to, const struct isa_field *field, struct isa_widths widths)
{
    sb_add(to, field->kind == ISA_ENUM || field->kind == ISA_NESTED ? "; one of " : "; allowed ");
    text_add_allowed(to, field, widths);
}

/* `format: field "field" is "token"; allowed ...` */
static void reject_value(struct assembler *as, const struct asm_fields *fields, const struct isa_field *field,
                         const struct token *token)
{
    struct strbuf text = {0};
    sb_addf(&text, "%s: field \"%s\" is ", fields->format->name, field->name);
    text_add_token(&text, token);
    const char *near = field->kind == ISA_ENUM ? near_value(field, token->text) : NULL;
    if (near)
        sb_addf(&text, "; did you mean \"%s\"?", near);
    else
        add_allowed(&text, field, fields->widths);
    diag_error(as->diag, token->at, "%s", sb_text(&text));
    sb_free(&text);
}

static void report_missing_value(struct assembler *as, const struct asm_fields *fields,
                                 const struct isa_field *field, struct place at)
{
    struct strbuf allowed = {0};
    add_allowed(&allowed, field, fields->widths);
    diag_error(as->diag, at, "%s: field \"%s\" needs a value, %s=...%s", fields->format->name, field->name,
               field->name, sb_text(&allowed));
    sb_free(&allowed);
}

/* "; fields of st: base" */
static void add_field_names(struct strbuf *to, const struct isa_format *format)
{
    const char *separator = " ";
    sb_addf(to, "; fields of %s:", format->name);
    for (const struct isa_field *f = format->fields; !text_is_end(f); f++) {
        if (f->kind == ISA_RESERVED || f->kind == ISA_CONST || f->kind == ISA_CHECK)
            continue;
        sb_addf(to, "%s%s", separator, f->name);
        separator = ", ";
    }
    if (*separator == ' ')
        sb_add(to, " none");
}

static const struct isa_field *find_field(const struct isa_format *format, struct slice name)
{
    for (const struct isa_field *f = format->fields; !text_is_end(f); f++)
        if (f->name && slice_is(name, f->name))
            return f;
    return NULL;
}

/* " (mac, ld have it)" */
static bool add_other_owners(struct strbuf *to, const struct isa_family *family, struct slice name)
{
    size_t owners = 0;
    for (const struct isa_format *f = family->formats; f->name; f++)
        if (find_field(f, name))
            sb_addf(to, "%s%s", owners++ ? ", " : " (", f->name);
    if (owners)
        sb_add(to, owners == 1 ? " has it)" : " have it)");
    return owners > 0;
}

static void report_unknown_field(struct assembler *as, const struct asm_fields *fields,
                                 const struct token *name)
{
    const char *words[TEXT_FIELDS_MAX];
    size_t count = 0;
    for (const struct isa_field *f = fields->format->fields; !text_is_end(f); f++)
        if (f->name)
            words[count++] = f->name;
    const char *near = slice_near(name->text, words, count);
    struct strbuf text = {0};
    sb_addf(&text, "%s: no field ", fields->format->name);
    slice_add_quoted(&text, name->text);
    if (!add_other_owners(&text, fields->family, name->text) && near)
        sb_addf(&text, "; did you mean \"%s\"?", near);
    else
        add_field_names(&text, fields->format);
    diag_error(as->diag, name->at, "%s", sb_text(&text));
    sb_free(&text);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put(const struct asm_fields *fields, const struct isa_field *field, uint64_t value)
{
    isa_put_bits(fields->bytes, isa_field_lsb(fields->family, fields->format, field, fields->widths),
                 isa_field_bits(field, fields->widths), value);
}

static bool signed_fits(const struct isa_field *field, struct isa_widths widths, struct number number)
{
    const uint64_t half = (uint64_t)1 << (isa_field_bits(field, widths) - 1);
    return number.magnitude <= (number.negative ? half : half - 1);
}

static bool nested_is_legal(const struct isa_field *field, uint64_t value, struct isa_widths widths)
{
    uint8_t bytes[8] = {0};
    struct strbuf why = {0};
    isa_put_bits(bytes, 0, 64, value);
    const bool legal =
        value <= isa_field_max(field, widths) && isa_validate(field->nested, bytes, widths, &why);
    sb_free(&why);
    return legal;
}

static bool number_fits(const struct isa_field *field, struct isa_widths widths, struct number number)
{
    if (!number.valid || number.too_large)
        return false;
    if (field->kind == ISA_SINT)
        return signed_fits(field, widths, number);
    if (number.negative && number.magnitude)
        return false;
    if (field->kind == ISA_ENUM)
        return isa_find_value(field->values, number.magnitude);
    if (field->kind == ISA_NESTED)
        return nested_is_legal(field, number.magnitude, widths);
    if (field->kind == ISA_CONST)
        return number.magnitude == isa_const_value(field, widths);
    return number.magnitude >= field->min && number.magnitude <= isa_field_max(field, widths);
}

static void parse_number(struct assembler *as, struct asm_fields *fields, const struct isa_field *field)
{
    const struct token token = as->lexer.token;
    const struct number number = text_parse_number(token.text);
    lexer_next(&as->lexer);
    if (!number_fits(field, fields->widths, number))
        reject_value(as, fields, field, &token);
    else
        put(fields, field, number.negative ? 0 - number.magnitude : number.magnitude);
}

static void parse_enum(struct assembler *as, struct asm_fields *fields, const struct isa_field *field)
{
    const struct token token = as->lexer.token;
    lexer_next(&as->lexer);
    for (const struct isa_value *v = field->values; v->name; v++)
        if (slice_is(token.text, v->name)) {
            put(fields, field, v->value);
            return;
        }
    reject_value(as, fields, field, &token);
}

static const struct isa_format *find_format(const struct isa_family *family, struct slice name)
{
    for (const struct isa_format *f = family->formats; f->name; f++)
        if (slice_is(name, f->name))
            return f;
    return NULL;
}

/* format, or format(field=value, ...) */
static bool parse_nested(struct assembler *as, struct asm_fields *fields, const struct isa_field *field)
{
    const struct token token = as->lexer.token;
    uint8_t bytes[8] = {0};
    struct asm_fields inner = {
        .family = field->nested,
        .format = find_format(field->nested, token.text),
        .widths = fields->widths,
        .bytes = bytes,
        .bit = fields->bit + isa_field_lsb(fields->family, fields->format, field, fields->widths),
        .no_references = fields->no_references,
    };
    if (!inner.format) {
        reject_value(as, fields, field, &token);
        return false;
    }
    lexer_next(&as->lexer);
    const bool has_fields = lexer_at(&as->lexer, '(');
    if (has_fields)
        lexer_next(&as->lexer);
    if (!asm_fields_parse(as, &inner, has_fields ? ')' : ','))
        return false;
    if (has_fields)
        lexer_next(&as->lexer);
    put(fields, field, isa_get_bits(bytes, 0, 64));
    return true;
}

static bool parse_reference(struct assembler *as, struct asm_fields *fields, const struct isa_field *field)
{
    struct asm_reference reference;
    if (!asm_reference_parse(as, &reference))
        return false;
    if ((field->kind != ISA_UINT && field->kind != ISA_SINT) || fields->no_references) {
        diag_error(as->diag, reference.at, "%s: field \"%s\" cannot refer to a label", fields->format->name,
                   field->name);
        return true;
    }
    if (!asm_grow(as, (void **)&as->references, as->reference_count, &as->reference_cap,
                  sizeof *as->references))
        return false;
    reference.section = as->section_count - 1;
    reference.bit = fields->bit + isa_field_lsb(fields->family, fields->format, field, fields->widths);
    reference.format = fields->format;
    reference.field = field;
    as->references[as->reference_count++] = reference;
    return true;
}

static bool parse_value(struct assembler *as, struct asm_fields *fields, const struct isa_field *field)
{
    const enum token_kind kind = as->lexer.token.kind;
    if (lexer_at(&as->lexer, '@'))
        return parse_reference(as, fields, field);
    if (kind == TOKEN_WORD && field->kind == ISA_NESTED)
        return parse_nested(as, fields, field);
    if (kind == TOKEN_WORD && field->kind == ISA_ENUM)
        parse_enum(as, fields, field);
    else if (kind == TOKEN_NUMBER)
        parse_number(as, fields, field);
    else {
        if (lexer_at_line_end(&as->lexer) || kind == TOKEN_PUNCTUATION)
            report_missing_value(as, fields, field, as->lexer.token.at);
        else
            reject_value(as, fields, field, &as->lexer.token);
        return false;
    }
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Skips the value of a field that is not known, so that the fields behind it are still read. */
static bool skip_value(struct assembler *as)
{
    if (!lexer_at(&as->lexer, '='))
        return true;
    lexer_next(&as->lexer);
    if (as->lexer.token.kind != TOKEN_NUMBER && as->lexer.token.kind != TOKEN_WORD)
        return false;
    lexer_next(&as->lexer);
    return !lexer_at(&as->lexer, '(');
}

static bool parse_field(struct assembler *as, struct asm_fields *fields, struct place *places)
{
    if (as->lexer.token.kind != TOKEN_WORD) {
        asm_unexpected(as, "a field's name is expected here");
        return false;
    }
    const struct token name = as->lexer.token;
    const struct isa_field *field = find_field(fields->format, name.text);
    lexer_next(&as->lexer);
    if (!field) {
        report_unknown_field(as, fields, &name);
        return skip_value(as);
    }
    const size_t index = (size_t)(field - fields->format->fields);
    if (fields->given >> index & 1)
        diag_error(as->diag, name.at, "%s: field \"%s\" is given twice", fields->format->name, field->name);
    fields->given |= (uint64_t)1 << index;
    places[index] = name.at;
    if (!lexer_at(&as->lexer, '=')) {
        if (field->kind == ISA_FLAG)
            put(fields, field, 1);
        else
            report_missing_value(as, fields, field, name.at);
        return true;
    }
    lexer_next(&as->lexer);
    return parse_value(as, fields, field);
}

static bool at_closing(const struct assembler *as, char closing)
{
    /* A nested value without parentheses has no fields. */
    if (closing == ',')
        return true;
    return closing ? lexer_at(&as->lexer, closing) : lexer_at_line_end(&as->lexer);
}

static bool parse_list(struct assembler *as, struct asm_fields *fields, char closing, struct place *places)
{
    if (at_closing(as, closing))
        return true;
    while (parse_field(as, fields, places)) {
        if (at_closing(as, closing))
            return true;
        if (!lexer_at(&as->lexer, ',')) {
            asm_unexpected(as, closing ? "a comma or ) is expected here" : "a comma is expected here");
            return false;
        }
        lexer_next(&as->lexer);
    }
    return false;
}

/* Constants and defaults. Those of fields with a condition are 0, which is also what bits without a field
 * are. */
static void put_defaults(const struct asm_fields *fields)
{
    for (const struct isa_field *f = fields->format->fields; !text_is_end(f); f++)
        if (f->name && !f->when_field)
            put(fields, f, text_default(f, fields->widths));
}

static void check_conditions(struct assembler *as, const struct asm_fields *fields,
                             const struct place *places)
{
    for (const struct isa_field *f = fields->format->fields; !text_is_end(f); f++) {
        const size_t index = (size_t)(f - fields->format->fields);
        if (!(fields->given >> index & 1) ||
            isa_field_present(fields->family, fields->format, f, fields->bytes, fields->widths))
            continue;
        struct strbuf condition = {0};
        text_add_condition(&condition, fields->format, f);
        diag_error(as->diag, places[index], "%s: field \"%s\" exists only with %s", fields->format->name,
                   f->name, sb_text(&condition));
        sb_free(&condition);
    }
}

/* A weight's gap must not look like an escape: the constants of the formats before come first. */
static void check_format(struct assembler *as, const struct asm_fields *fields, const struct place *places)
{
    struct strbuf why = {0};
    const struct isa_format *format = isa_classify(fields->family, fields->bytes, fields->widths, &why);
    sb_free(&why);
    if (format == fields->format)
        return;
    for (const struct isa_field *f = format->fields; !text_is_end(f); f++) {
        const struct isa_field *own = f->kind == ISA_CONST ? isa_find_field(fields->format, f->name) : NULL;
        if (own) {
            diag_error(as->diag, places[own - fields->format->fields],
                       "%s: field \"%s\" is %llu, which marks %s %s", fields->format->name, own->name,
                       (unsigned long long)isa_const_value(f, fields->widths),
                       strchr("aeiou", format->name[0]) ? "an" : "a", format->name);
            return; /* the others may be as they are */
        }
    }
}

bool asm_fields_parse(struct assembler *as, struct asm_fields *fields, char closing)
{
    struct place places[TEXT_FIELDS_MAX];
    const size_t errors = as->diag->errors;
    put_defaults(fields);
    if (!parse_list(as, fields, closing, places))
        return false;
    if (as->diag->errors != errors)
        return true;
    check_conditions(as, fields, places);
    check_format(as, fields, places);
    return true;
}
