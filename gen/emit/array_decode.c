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
#include "gen/emit/verilog.h"
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

/* ---- formats --------------------------------------------------------------------------------- */

static void add_is_format(struct strbuf *to, const struct isa_family *family, const struct isa_format *format)
{
    sb_addf(to, "  assign %s_o\t=", port_name(family, format));
    const char *between = " ";
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
    sb_add(to, ";\n");
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

static void add_terms(struct strbuf *to, const char *port, struct terms *terms)
{
    if (terms->count)
        sb_addf(to, "\n  assign %s =\n%s;\n", port, sb_text(&terms->text));
    else
        sb_addf(to, "\n  assign %s = 1'b0;\n", port);
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

static void add_bad_reserved(struct strbuf *to, const struct isa_family *family)
{
    struct terms terms = {0};
    add_field_terms(&terms, family, add_reserved_or_absent);
    add_terms(to, "bad_reserved_o", &terms);
}

static void add_bad_field(struct strbuf *to, const struct isa_family *family)
{
    struct terms terms = {0};
    if (has_unknown_words(family))
        add_unknown_term(&terms, family);
    add_field_terms(&terms, family, add_out_of_range);
    add_terms(to, "bad_field_o", &terms);
}

/* ---- a nested word --------------------------------------------------------------------------- */

static const struct isa_field *find_nested(const struct isa_family *family, const struct isa_format **in)
{
    for (*in = family->formats; (*in)->name; ++*in)
        FOR_EACH_FIELD(field, *in)
    if (field->kind == ISA_NESTED)
        return field;
    return NULL;
}

static void add_nested(struct strbuf *to, const struct isa_family *family, const struct isa_format *format,
                       const struct isa_field *field)
{
    const struct isa_family *inner = field->nested;
    sb_addf(to, "\n  // The %s in the record\n", inner->name);
    FOR_EACH_FORMAT(f, inner)
    sb_addf(to, "  wire %s;\n", port_name(inner, f));
    sb_addf(to, "  wire reserved;\n  wire field;\n\n  tulle_decode_%s u_%s (\n    .word_i\t(", inner->name,
            inner->name);
    add_select(to, format, field);
    sb_add(to, "),\n");
    FOR_EACH_FORMAT(f, inner)
    sb_addf(to, "    .%s_o\t(%s),\n", port_name(inner, f), port_name(inner, f));
    sb_addf(to,
            "    .bad_reserved_o\t(reserved),\n    .bad_field_o\t(field)\n  );\n\n"
            "  assign bad_%s_o = %s_o && (reserved || field);\n",
            inner->name, port_name(family, format));
}

/* ---- the module ------------------------------------------------------------------------------ */

static void add_ports(struct strbuf *to, const struct isa_family *family, const struct isa_field *nested)
{
    sb_addf(to, "  input  wire\t[%d:0]\tword_i,\n", family->bits - 1);
    FOR_EACH_FORMAT(format, family)
    sb_addf(to, "  output wire\t\t%s_o,\t// %s\n", port_name(family, format), format->title);
    sb_add(to, "  output wire\t\tbad_reserved_o,\t// reserved bits are not 0\n");
    sb_addf(to, "  output wire\t\tbad_field_o%s\t// no such format, or a field outside its range\n",
            nested ? "," : "");
    if (nested)
        sb_addf(to, "  output wire\t\tbad_%s_o\t// the %s in the record is not legal\n", nested->nested->name,
                nested->nested->name);
}

/* What a reader could take for a mistake: bits that legality does not depend on. */
static void add_unused(struct strbuf *to, const struct isa_field *nested)
{
    sb_add(to, "\n  // Most fields may have any value.\n  wire unused = &{1'b0, word_i");
    if (nested)
        FOR_EACH_FORMAT(f, nested->nested)
    sb_addf(to, ", %s", port_name(nested->nested, f));
    sb_add(to, "};\n");
}

/* `with_nested`: a word within the word is judged as well. */
static bool emit_decode(const struct emit_context *ctx, const struct isa_family *family, bool with_nested,
                        const char *title)
{
    char path[64];
    const struct isa_format *outer = NULL;
    const struct isa_field *nested = with_nested ? find_nested(family, &outer) : NULL;
    struct strbuf text = {0};
    sb_addf(&text, "`include \"tulle_isa.vh\"\n\nmodule tulle_decode_%s (\n", family->name);
    add_ports(&text, family, nested);
    sb_add(&text, ");\n\n");
    FOR_EACH_FORMAT(format, family)
    add_is_format(&text, family, format);
    add_bad_reserved(&text, family);
    add_bad_field(&text, family);
    if (nested)
        add_nested(&text, family, outer, nested);
    add_unused(&text, nested);
    sb_add(&text, "\nendmodule\n");
    snprintf(path, sizeof path, "rtl/tulle_decode_%s.v", family->name);
    return verilog_file(ctx, path, title, &text);
}

bool emit_array_decode(const struct emit_context *ctx)
{
    return emit_decode(ctx, &isa_command, false,
                       "tulle_decode_command: the format of the 8-bit command in front of every packet, and "
                       "whether\nit is legal. Combinational.") &&
           emit_decode(ctx, &isa_instruction, false,
                       "tulle_decode_instruction: the format of a 12-bit instruction, and whether it is "
                       "legal.\nCombinational.") &&
           emit_decode(
               ctx, &isa_config, true,
               "tulle_decode_config: the format of a record of the configuration payload, and whether "
               "it is\nlegal. Combinational.") &&
           emit_decode(ctx, &isa_program, false,
                       "tulle_decode_program: whether the first record of a program is a header, and whether "
                       "it is legal.\n"
                       "Combinational.") &&
           emit_decode(
               ctx, &isa_operation, false,
               "tulle_decode_operation: the format of an operation of a program, and whether it is legal. A\n"
               "packet's command is judged by the clusters that get it. Combinational.");
}
