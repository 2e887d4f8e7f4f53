/* SPDX-License-Identifier: Apache-2.0
 *
 * rtl/tulle_decode_*.v: which format a word has and whether it is legal, from
 * the table of encodings alone. Fields need no logic: whoever uses one selects
 * its bits by the names of include/tulle_isa.vh.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/array.h"
#include "gen/emit/emit.h"
#include "gen/emit/isa_header.h"
#include "gen/emit/template.h"
#include "gen/isa/codec.h"

#define FOR_EACH_FORMAT(format, family) \
    for (const struct isa_format *format = (family)->formats; format->name; format++)
#define FOR_EACH_FIELD(field, format) \
    for (const struct isa_field *field = (format)->fields; isa_is_field(field); field++)

/* A field where it is: every term needs all three. */
struct place_of_field {
    const struct isa_family *family;
    const struct isa_format *format;
    const struct isa_field *field;
};

/* Formats of the configuration are named config_<record>; their ports are not named twice. */
static const char *port_name(const struct isa_family *family, const struct isa_format *format)
{
    size_t len = strlen(family->name);
    bool repeated = !strncmp(format->name, family->name, len) && format->name[len] == '_';
    return repeated ? format->name + len + 1 : format->name;
}

static void add_upper(struct strbuf *to, const char *text)
{
    for (; *text; text++)
        sb_addf(to, "%c", *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

/* `TULLE_MAC_BASE */
static void add_macro(struct strbuf *to, const struct isa_format *format, const struct isa_field *field)
{
    sb_add(to, "`TULLE_");
    add_upper(to, format->name);
    sb_add(to, "_");
    add_upper(to, field->name);
}

/* word_i[`TULLE_MAC_BASE] */
static void add_select(struct strbuf *to, const struct isa_format *format, const struct isa_field *field)
{
    sb_add(to, "word_i[");
    add_macro(to, format, field);
    sb_add(to, "]");
}

/* What a template is written of: the words of a family. */
struct decoder {
    const struct isa_family *family;
    const struct isa_format *outer; /* of the record that holds a word of its own, and its field; or NULL */
    const struct isa_field *nested;
};

/* ---- formats --------------------------------------------------------------------------------- */

static void add_is_format(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    const struct decoder *decoder = data;
    const struct isa_format *format = &decoder->family->formats[index];
    const char *between = "";
    (void)ctx;
    FOR_EACH_FIELD(field, format)
    {
        if (field->kind != ISA_CONST)
            continue;
        sb_add(to, between);
        add_select(to, format, field);
        sb_add(to, " == ");
        add_macro(to, format, field);
        sb_add(to, "_VALUE");
        between = " && ";
    }
}

/* ---- the terms of what is wrong -------------------------------------------------------------- */

struct terms {
    struct strbuf text;
    unsigned count;
};

static void begin_term(struct terms *terms)
{
    sb_add(&terms->text, terms->count++ ? " ||\n    " : "    ");
}

static void begin_field_term(struct terms *terms, struct place_of_field at)
{
    begin_term(terms);
    sb_addf(&terms->text, "(%s_o && ", port_name(at.family, at.format));
}

static void add_terms(struct strbuf *to, struct terms *terms)
{
    if (terms->count)
        sb_addf(to, "\n%s", sb_text(&terms->text));
    else
        sb_add(to, " 1'b0");
    to->failed |= terms->text.failed;
    sb_free(&terms->text);
}

static void add_reserved_term(struct terms *terms, struct place_of_field at)
{
    unsigned lsb = isa_field_lsb(at.family, at.format, at.field, isa_int8_widths);
    unsigned bits = isa_field_bits(at.field, isa_int8_widths);
    begin_field_term(terms, at);
    if (bits == 1)
        sb_addf(&terms->text, "word_i[%u])", lsb);
    else
        sb_addf(&terms->text, "word_i[%u:%u] != %u'd0)", lsb + bits - 1, lsb, bits);
}

/* A field that is there only under a condition is reserved when that does not hold. */
static void add_absent_term(struct terms *terms, struct place_of_field at)
{
    const struct isa_field *on = isa_find_field(at.format, at.field->when_field);
    begin_field_term(terms, at);
    add_select(&terms->text, at.format, on);
    sb_addf(&terms->text, " != %u'd%" PRIu64 " && ", isa_field_bits(on, isa_int8_widths),
            at.field->when_value);
    add_select(&terms->text, at.format, at.field);
    sb_addf(&terms->text, " != %u'd0)", isa_field_bits(at.field, isa_int8_widths));
}

static void add_compare_term(struct terms *terms, struct place_of_field at, const char *compare,
                             uint64_t value)
{
    begin_field_term(terms, at);
    add_select(&terms->text, at.format, at.field);
    sb_addf(&terms->text, " %s %u'd%" PRIu64 ")", compare, isa_field_bits(at.field, isa_int8_widths), value);
}

static void add_reserved_or_absent(struct terms *terms, struct place_of_field at)
{
    if (at.field->kind == ISA_RESERVED)
        add_reserved_term(terms, at);
    else if (at.field->when_field)
        add_absent_term(terms, at);
}

static void add_undefined(struct terms *terms, struct place_of_field at)
{
    unsigned bits = isa_field_bits(at.field, isa_int8_widths);
    for (uint64_t value = 0; value < (uint64_t)1 << bits; value++)
        if (!isa_find_value(at.field->values, value))
            add_compare_term(terms, at, "==", value);
}

/* The values of an enum that are not defined, one by one, or as a range when they are those above the last.
 */
static void add_bad_enum(struct terms *terms, struct place_of_field at)
{
    uint64_t defined = 0, last = 0;
    for (const struct isa_value *v = at.field->values; v->name; v++, defined++)
        last = v->value > last ? v->value : last;
    if (defined != last + 1)
        add_undefined(terms, at);
    else if (last < isa_field_max(at.field, isa_int8_widths))
        add_compare_term(terms, at, ">", last);
}

static void add_bad_range(struct terms *terms, struct place_of_field at)
{
    uint64_t max = isa_field_max(at.field, isa_int8_widths);
    struct isa_field unlimited = *at.field;
    unlimited.max = 0;
    bool above = max < isa_field_max(&unlimited, isa_int8_widths);
    if (above && at.field->min == max) {
        add_compare_term(terms, at, "!=", max);
        return;
    }
    if (at.field->min > 0)
        add_compare_term(terms, at, "<", at.field->min);
    if (above)
        add_compare_term(terms, at, ">", max);
}

static void add_out_of_range(struct terms *terms, struct place_of_field at)
{
    if (at.field->kind == ISA_ENUM)
        add_bad_enum(terms, at);
    else if (at.field->kind == ISA_UINT)
        add_bad_range(terms, at);
}

static void add_field_terms(struct terms *terms, const struct isa_family *family,
                            void (*add)(struct terms *terms, struct place_of_field at))
{
    FOR_EACH_FORMAT(format, family)
    FOR_EACH_FIELD(field, format)
    add(terms, (struct place_of_field){family, format, field});
}

/* Whether some words have no format: the formats of these families differ in one constant field. */
static bool has_unknown_words(const struct isa_family *family)
{
    uint64_t formats = 0, values = 0;
    FOR_EACH_FORMAT(format, family)
    {
        formats++;
        FOR_EACH_FIELD(field, format)
        if (field->kind == ISA_CONST)
            values = (uint64_t)1 << isa_field_bits(field, isa_int8_widths);
    }
    return formats < values;
}

static void add_unknown_term(struct terms *terms, const struct isa_family *family)
{
    const char *before = "!(";
    begin_term(terms);
    FOR_EACH_FORMAT(format, family)
    {
        sb_addf(&terms->text, "%s%s_o", before, port_name(family, format));
        before = " || ";
    }
    sb_add(&terms->text, ")");
}

static void add_bad_reserved(struct strbuf *to, const struct emit_context *ctx, const void *data,
                             unsigned index)
{
    const struct decoder *decoder = data;
    struct terms terms = {0};
    (void)ctx, (void)index;
    add_field_terms(&terms, decoder->family, add_reserved_or_absent);
    add_terms(to, &terms);
}

static void add_bad_field(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    const struct decoder *decoder = data;
    struct terms terms = {0};
    (void)ctx, (void)index;
    if (has_unknown_words(decoder->family))
        add_unknown_term(&terms, decoder->family);
    add_field_terms(&terms, decoder->family, add_out_of_range);
    add_terms(to, &terms);
}

/* ---- a nested word --------------------------------------------------------------------------- */

static void find_nested(struct decoder *decoder)
{
    FOR_EACH_FORMAT(format, decoder->family)
    FOR_EACH_FIELD(field, format)
    if (field->kind == ISA_NESTED) {
        decoder->outer = format;
        decoder->nested = field;
    }
}

static void add_nested_word(struct strbuf *to, const struct emit_context *ctx, const void *data,
                            unsigned index)
{
    const struct decoder *decoder = data;
    (void)ctx, (void)index;
    add_select(to, decoder->outer, decoder->nested);
}

static void add_nested_names(struct strbuf *to, const struct emit_context *ctx, const void *data,
                             unsigned index)
{
    const struct decoder *decoder = data;
    const char *between = "";
    (void)ctx, (void)index;
    FOR_EACH_FORMAT(format, decoder->nested->nested)
    {
        sb_addf(to, "%s%s", between, port_name(decoder->nested->nested, format));
        between = ", ";
    }
}

/* ---- the module ------------------------------------------------------------------------------ */

static unsigned count_formats(const struct isa_family *family)
{
    unsigned count = 0;
    FOR_EACH_FORMAT(format, family)
    count++;
    return count;
}

/* A value that is one expression of `decoder` and `index`. */
#define VALUE(name, ...)                                                                                  \
    static void name(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index) \
    {                                                                                                     \
        const struct decoder *decoder = data;                                                             \
        (void)ctx, (void)index;                                                                           \
        sb_addf(to, __VA_ARGS__);                                                                         \
    }

VALUE(add_family, "%s", decoder->family->name)
VALUE(add_bits, "%d", decoder->family->bits)
VALUE(add_formats, "%u", count_formats(decoder->family))
VALUE(add_format, "%s", port_name(decoder->family, &decoder->family->formats[index]))
VALUE(add_format_title, "%s", decoder->family->formats[index].title)
VALUE(add_nested, "%s", decoder->nested->nested->name)
VALUE(add_nested_formats, "%u", decoder->nested ? count_formats(decoder->nested->nested) : 0)
VALUE(add_nested_format, "%s", port_name(decoder->nested->nested, &decoder->nested->nested->formats[index]))
VALUE(add_nested_holder, "%s", port_name(decoder->family, decoder->outer))

const struct template_value decode_values[] = {
    {"family", add_family},
    {"bits", add_bits},
    {"formats", add_formats},
    {"format", add_format},
    {"format_title", add_format_title},
    {"is_format", add_is_format},
    {"bad_reserved", add_bad_reserved},
    {"bad_field", add_bad_field},
    {"nested", add_nested},
    {"nested_formats", add_nested_formats},
    {"nested_format", add_nested_format},
    {"nested_holder", add_nested_holder},
    {"nested_names", add_nested_names},
    {"nested_word", add_nested_word},
    {NULL, NULL},
};

bool emit_array_decode(const struct emit_context *ctx)
{
    /* An operation holds a command, too; the clusters that get the command judge it. */
    static const struct decoder decoders[] = {
        {.family = &isa_command}, {.family = &isa_instruction}, {.family = &isa_config},
        {.family = &isa_program}, {.family = &isa_operation},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof decoders / sizeof *decoders; i++) {
        char path[64];
        struct decoder decoder = decoders[i];
        if (decoder.family == &isa_config)
            find_nested(&decoder);
        snprintf(path, sizeof path, "rtl/tulle_decode_%s.v", decoder.family->name);
        ok = template_emit(ctx, "tulle_decode.v", &decoder, path);
    }
    return ok;
}
