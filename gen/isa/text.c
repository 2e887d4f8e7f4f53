/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/text.h"

#include <assert.h>
#include <string.h>

#include "gen/base/near.h"
#include "gen/isa/codec.h"

const struct text_section text_sections[TEXT_SECTIONS] = {
    [TEXT_PROGRAM] = {"program", "device program", {&isa_program, &isa_operation}, "program", 512, 64},
    [TEXT_CONFIG] = {"config", "configuration payload", {&isa_config}, "config_header", 128, 16},
    [TEXT_WEIGHTS] = {"weights", "weight stream of a cluster", {&isa_weight}, NULL, 0, 0},
    [TEXT_COMMANDS] = {"commands", "8-bit commands", {&isa_command}, NULL, 8, 1},
    [TEXT_INSTRUCTIONS] = {"instructions", "12-bit instructions", {&isa_instruction}, NULL, 12, 2},
    [TEXT_PACKETS] = {"packets", "packet descriptors", {&isa_packet}, NULL, 64, 8},
    [TEXT_STATUS] = {"status", "status records", {&isa_status}, NULL, 1024, 128},
    [TEXT_DATA] = {"data", "other data", {NULL}, NULL, 32, 4},
};

bool slice_is(struct slice slice, const char *word)
{
    return strlen(word) == slice.len && !memcmp(slice.text, word, slice.len);
}

enum { SLICE_SHOWN = 127 };

static void slice_copy(char copy[SLICE_SHOWN + 1], struct slice slice)
{
    size_t len = slice.len < SLICE_SHOWN ? slice.len : SLICE_SHOWN;
    memcpy(copy, slice.text, len);
    copy[len] = '\0';
}

void slice_add_quoted(struct strbuf *to, struct slice slice)
{
    char copy[SLICE_SHOWN + 1];
    slice_copy(copy, slice);
    sb_add_quoted(to, copy);
}

const char *slice_near(struct slice slice, const char *const *words, size_t count)
{
    char copy[SLICE_SHOWN + 1];
    slice_copy(copy, slice);
    return near_word(copy, words, count);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_comment(const struct lexer *lexer, const char *at)
{
    if (at == lexer->end || (*at != '#' && *at != ';'))
        return at;
    const char *newline = memchr(at, '\n', (size_t)(lexer->end - at));
    return newline ? newline : lexer->end;
}

static const char *skip_blanks(const struct lexer *lexer, const char *at)
{
    while (at < lexer->end && is_blank(*at))
        at++;
    return skip_comment(lexer, at);
}

static void next_line(struct lexer *lexer, const char *newline)
{
    lexer->pos = lexer->line_start = newline + 1;
    lexer->line++;
}

/* Blanks, comments, and ends of lines behind a backslash. */
static void skip_space(struct lexer *lexer)
{
    lexer->pos = skip_blanks(lexer, lexer->pos);
    while (lexer->pos < lexer->end && *lexer->pos == '\\') {
        const char *newline = skip_blanks(lexer, lexer->pos + 1);
        if (newline == lexer->end || *newline != '\n')
            return;
        next_line(lexer, newline);
        lexer->pos = skip_blanks(lexer, lexer->pos);
    }
}

static size_t word_length(const char *from, const char *end)
{
    const char *at = from;
    while (at < end && is_word(*at))
        at++;
    return (size_t)(at - from);
}

/* A UTF-8 character is one token, so that a message can show it. The text is zero-terminated at its end. */
static size_t strange_length(const struct lexer *lexer)
{
    size_t len = sb_utf8_length(lexer->pos);
    return len && len <= (size_t)(lexer->end - lexer->pos) ? len : 1;
}

static void scan(struct lexer *lexer, enum token_kind *kind, size_t *len)
{
    const char *at = lexer->pos;
    *len = 1;
    if (*at == '-') {
        *kind = TOKEN_NUMBER;
        *len = 1 + word_length(at + 1, lexer->end);
    } else if (is_word(*at)) {
        *kind = is_digit(*at) ? TOKEN_NUMBER : TOKEN_WORD;
        *len = word_length(at, lexer->end);
    } else if (*at == '.' && at + 1 < lexer->end && is_word(at[1])) {
        *kind = TOKEN_DIRECTIVE;
        *len = 1 + word_length(at + 1, lexer->end);
    } else if (*at && strchr(",=():@.", *at)) {
        *kind = TOKEN_PUNCTUATION;
    } else {
        *kind = TOKEN_STRANGE;
        *len = strange_length(lexer);
    }
}

static void take_token(struct lexer *lexer)
{
    struct token *token = &lexer->token;
    skip_space(lexer);
    token->at = (struct place){
        .file = lexer->file, .line = lexer->line, .column = (unsigned)(lexer->pos - lexer->line_start) + 1};
    token->text = (struct slice){lexer->pos, 0};
    token->kind = TOKEN_END;
    if (lexer->pos == lexer->end)
        return;
    if (*lexer->pos == '\n') {
        token->kind = TOKEN_LINE_END;
        next_line(lexer, lexer->pos);
        return;
    }
    scan(lexer, &token->kind, &token->text.len);
    lexer->pos += token->text.len;
}

void lexer_start(struct lexer *lexer, const char *file, const struct strbuf *text)
{
    const char *start = sb_text(text);
    *lexer =
        (struct lexer){.pos = start, .end = start + text->len, .line_start = start, .file = file, .line = 1};
    take_token(lexer);
}

void lexer_next(struct lexer *lexer)
{
    if (lexer->token.kind != TOKEN_LINE_END)
        take_token(lexer);
}

void lexer_next_line(struct lexer *lexer)
{
    while (!lexer_at_line_end(lexer))
        take_token(lexer);
    if (lexer->token.kind == TOKEN_LINE_END)
        take_token(lexer);
}

void text_add_token(struct strbuf *to, const struct token *token)
{
    enum { NUMBER_SHOWN = 31 };
    if (token->kind == TOKEN_LINE_END || token->kind == TOKEN_END)
        sb_add(to, "the end of the line");
    else if (token->kind == TOKEN_NUMBER && token->text.len <= NUMBER_SHOWN)
        sb_addn(to, token->text.text, token->text.len);
    else
        slice_add_quoted(to, token->text);
}

bool lexer_at(const struct lexer *lexer, char punctuation)
{
    return lexer->token.kind == TOKEN_PUNCTUATION && *lexer->token.text.text == punctuation;
}

bool lexer_at_line_end(const struct lexer *lexer)
{
    return lexer->token.kind == TOKEN_LINE_END || lexer->token.kind == TOKEN_END;
}

/* 16 and more for what is not a digit. */
static unsigned digit_value(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

static unsigned take_base(struct slice *text)
{
    if (text->len < 2 || text->text[0] != '0')
        return 10;
    unsigned base = text->text[1] == 'x' ? 16 : text->text[1] == 'b' ? 2 : 10;
    if (base != 10) {
        text->text += 2;
        text->len -= 2;
    }
    return base;
}

struct number text_parse_number(struct slice text)
{
    struct number number = {0};
    if (text.len && *text.text == '-') {
        number.negative = true;
        text.text++;
        text.len--;
    }
    const unsigned base = take_base(&text);
    number.valid = text.len > 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = digit_value(text.text[i]);
        if (digit >= base)
            number.valid = false;
        if (number.magnitude > (UINT64_MAX - digit) / base)
            number.too_large = true;
        number.magnitude = number.magnitude * base + digit;
    }
    return number;
}

/* ---- fields ---------------------------------------------------------------------------------- */

bool text_is_end(const struct isa_field *field)
{
    return field->bits == 0 && field->width == ISA_FIXED;
}

uint64_t text_default(const struct isa_field *field, struct isa_widths widths)
{
    switch (field->kind) {
    case ISA_CONST:
        return isa_const_value(field, widths);
    case ISA_ENUM:
        return isa_find_value(field->values, 0) ? 0 : field->values->value;
    case ISA_UINT:
        assert(field->name); /* only reserved bits have none */
        return !strcmp(field->name, "minor") ? ISA_MINOR : field->min;
    default:
        return 0;
    }
}

static void add_values(struct strbuf *to, const struct isa_value *values)
{
    for (const struct isa_value *v = values; v->name; v++)
        sb_addf(to, "%s%s (%llu)", v == values ? "" : ", ", v->name, (unsigned long long)v->value);
}

static void add_range(struct strbuf *to, uint64_t min, uint64_t max)
{
    if (min == max)
        sb_addf(to, "only %llu", (unsigned long long)min);
    else
        sb_addf(to, "%llu..%llu", (unsigned long long)min, (unsigned long long)max);
}

static void add_nested_formats(struct strbuf *to, const struct isa_family *family)
{
    for (const struct isa_format *f = family->formats; f->name; f++)
        sb_addf(to, "%s%s(...)", f == family->formats ? "" : f[1].name ? ", " : " or ", f->name);
}

void text_add_allowed(struct strbuf *to, const struct isa_field *field, struct isa_widths widths)
{
    const unsigned bits = isa_field_bits(field, widths);
    switch (field->kind) {
    case ISA_ENUM:
        add_values(to, field->values);
        break;
    case ISA_NESTED:
        add_nested_formats(to, field->nested);
        break;
    case ISA_SINT:
        sb_addf(to, "%lld..%lld", (long long)isa_sign_extend((uint64_t)1 << (bits - 1), bits),
                (long long)(((uint64_t)1 << (bits - 1)) - 1));
        break;
    case ISA_CONST:
        add_range(to, isa_const_value(field, widths), isa_const_value(field, widths));
        break;
    default:
        add_range(to, field->min, isa_field_max(field, widths));
    }
}

static const char *value_name(const struct isa_field *field, uint64_t value)
{
    const struct isa_value *named = field->kind == ISA_ENUM ? isa_find_value(field->values, value) : NULL;
    return named ? named->name : NULL;
}

void text_add_condition(struct strbuf *to, const struct isa_format *format, const struct isa_field *field)
{
    const struct isa_field *on = isa_find_field(format, field->when_field);
    const char *name = value_name(on, field->when_value);
    if (on->kind == ISA_FLAG && field->when_value == 1)
        sb_add(to, on->name);
    else if (name)
        sb_addf(to, "%s=%s", on->name, name);
    else
        sb_addf(to, "%s=%llu", on->name, (unsigned long long)field->when_value);
}

static void add_fields(struct strbuf *to, const char *separator, const struct isa_family *family,
                       const struct isa_format *format, const uint8_t *bytes, struct isa_widths widths,
                       const struct text_instead *instead);

static void add_nested_value(struct strbuf *to, const struct isa_field *field, uint64_t value,
                             struct isa_widths widths)
{
    uint8_t bytes[8] = {0};
    struct strbuf why = {0};
    isa_put_bits(bytes, 0, 64, value);
    const struct isa_format *format = isa_classify(field->nested, bytes, widths, &why);
    sb_free(&why);
    sb_addf(to, "%s=%s(", field->name, format->name);
    add_fields(to, "", field->nested, format, bytes, widths, NULL);
    sb_add(to, ")");
}

/* From here on numbers are read more easily in hexadecimal: addresses, sizes, hashes. */
#define DECIMAL_BELOW 65536

static void add_field(struct strbuf *to, const struct isa_field *field, uint64_t value,
                      struct isa_widths widths)
{
    if (field->kind == ISA_NESTED)
        add_nested_value(to, field, value, widths);
    else if (field->kind == ISA_FLAG)
        sb_add(to, field->name);
    else if (field->kind == ISA_ENUM)
        sb_addf(to, "%s=%s", field->name, value_name(field, value));
    else if (field->kind == ISA_SINT)
        sb_addf(to, "%s=%lld", field->name, (long long)isa_sign_extend(value, isa_field_bits(field, widths)));
    else if (value < DECIMAL_BELOW)
        sb_addf(to, "%s=%llu", field->name, (unsigned long long)value);
    else
        sb_addf(to, "%s=0x%llx", field->name, (unsigned long long)value);
}

static bool is_left_out(const struct isa_field *field, uint64_t value, struct isa_widths widths)
{
    switch (field->kind) {
    case ISA_CONST:
    case ISA_RESERVED:
    case ISA_CHECK:
        return true;
    case ISA_ENUM:
    case ISA_NESTED:
        return false;
    default:
        return value == text_default(field, widths);
    }
}

static const struct text_instead *find_instead(const struct text_instead *instead, const char *field)
{
    for (; instead && instead->field; instead++)
        if (!strcmp(instead->field, field))
            return instead;
    return NULL;
}

static void add_fields(struct strbuf *to, const char *separator, const struct isa_family *family,
                       const struct isa_format *format, const uint8_t *bytes, struct isa_widths widths,
                       const struct text_instead *instead)
{
    for (const struct isa_field *f = format->fields; !text_is_end(f); f++) {
        uint64_t value =
            isa_get_bits(bytes, isa_field_lsb(family, format, f, widths), isa_field_bits(f, widths));
        const struct text_instead *other = f->name ? find_instead(instead, f->name) : NULL;
        if (other ? !other->text : is_left_out(f, value, widths))
            continue;
        if (!isa_field_present(family, format, f, bytes, widths))
            continue;
        sb_add(to, separator);
        separator = ", ";
        if (other)
            sb_addf(to, "%s=%s", f->name, other->text);
        else
            add_field(to, f, value, widths);
    }
}

void text_add_record(struct strbuf *to, const struct isa_family *family, const struct isa_format *format,
                     const uint8_t *bytes, struct isa_widths widths, const struct text_instead *instead)
{
    sb_add(to, format->name);
    add_fields(to, " ", family, format, bytes, widths, instead);
}

void text_add_hex(struct strbuf *to, const uint8_t *bytes, size_t len)
{
    sb_add(to, "0x");
    while (len)
        sb_addf(to, "%02x", bytes[--len]);
}

/* ---- the list of statements ------------------------------------------------------------------ */

static void list_field(struct strbuf *to, const struct isa_format *format, const struct isa_field *field,
                       struct isa_widths widths)
{
    if (field->kind == ISA_CONST || field->kind == ISA_RESERVED)
        return;
    const unsigned bits = isa_field_bits(field, widths);
    sb_addf(to, "    %-16s %2u %s  ", field->name, bits, bits == 1 ? "bit " : "bits");
    if (field->kind == ISA_FLAG)
        sb_add(to, "flag");
    else if (field->kind == ISA_CHECK)
        sb_add(to, "computed");
    else
        text_add_allowed(to, field, widths);
    if (field->when_field) {
        sb_add(to, "; only with ");
        text_add_condition(to, format, field);
    }
    sb_addf(to, "\n%29s%s\n", "", field->doc);
}

static void list_family(struct strbuf *to, const struct isa_family *family, struct isa_widths widths)
{
    for (const struct isa_format *format = family->formats; format->name; format++) {
        sb_addf(to, "\n  %s: %s\n", format->name, format->title);
        for (const struct isa_field *f = format->fields; !text_is_end(f); f++)
            list_field(to, format, f, widths);
    }
}

void text_list(struct strbuf *to, struct isa_widths widths)
{
    for (unsigned i = 0; i < TEXT_SECTIONS; i++) {
        const struct text_section *section = &text_sections[i];
        sb_addf(to, "%s.%s: %s\n", i ? "\n" : "", section->name, section->doc);
        for (unsigned f = 0; f < 2 && section->families[f]; f++)
            list_family(to, section->families[f], widths);
    }
}
