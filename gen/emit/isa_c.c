/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits include/tulle_isa.h and tulle_registers.h for C and C++.
 */
#include "gen/emit/isa_c.h"

#include <inttypes.h>
#include <stdio.h>

#include "gen/emit/emit.h"
#include "gen/emit/isa_header.h"
#include "gen/emit/linear.h"

#define ARGUMENTS "(data_width, index_width)"

/* #define TULLE_WEIGHT_GAP_LSB(data_width, index_width) (<before>(data_width) + ...<after>) */
static void define_linear(struct header *header, const char *name, const char *before, struct linear value,
                          const char *after, const char *doc)
{
    struct strbuf full = {0}, text = {0};
    sb_addf(&full, "%s" ARGUMENTS, name);
    sb_addf(&text, "(%s", before);
    linear_print(&text, value, "(data_width)", "(index_width)");
    sb_addf(&text, "%s)", after);
    header_define(header, sb_text(&full), sb_text(&text), doc);
    sb_free(&full);
    sb_free(&text);
}

static void add_linear_field(struct header *header, const struct header_field *field, void *context)
{
    (void)context;
    struct linear bits = linear_bits(field->field);
    define_linear(header, header_name(header, field->prefix, field->name, "lsb"), "",
                  linear_lsb(field->format, field->field), "", field->doc);
    define_linear(header, header_name(header, field->prefix, field->name, "bits"), "", bits, "", NULL);
    if (field->field->kind == ISA_CONST)
        define_linear(header, header_name(header, field->prefix, field->name, "value"), "(1u << (", bits,
                      ")) - 1u", NULL);
}

static void add_field(struct header *header, const struct header_field *field, void *context)
{
    const struct isa_widths *widths = context;
    const struct isa_field *f = field->field;
    header_define_number(header, header_name(header, field->prefix, field->name, "lsb"), field->lsb,
                         field->doc);
    header_define_number(header, header_name(header, field->prefix, field->name, "bits"), field->bits, NULL);
    if (f->kind == ISA_CONST)
        header_define_number(header, header_name(header, field->prefix, field->name, "value"),
                             isa_const_value(f, *widths), NULL);
    if (f->kind != ISA_UINT || !(f->min || f->max))
        return;
    header_define_number(header, header_name(header, field->prefix, field->name, "min"), f->min, NULL);
    header_define_number(header, header_name(header, field->prefix, field->name, "max"), f->max, NULL);
}

static void add_enum(struct header *header, const struct isa_enum *list)
{
    header_section(header, "Values", list->doc);
    sb_addf(header->to, "enum tulle_%s {\n", list->name);
    for (const struct isa_value *v = list->values; v->name; v++)
        sb_addf(header->to, "    %-36s = %2" PRIu64 "%s /* %s */\n",
                header_name(header, list->name, v->name, NULL), v->value, v[1].name ? "," : " ", v->doc);
    sb_add(header->to, "};\n");
}

static void add_sizes(struct header *header, const struct emit_context *ctx, struct isa_widths widths)
{
    header_section(header, "Bits of a record of each kind", NULL);
    for (size_t i = 0; isa_families[i]; i++) {
        const struct isa_family *family = isa_families[i];
        const char *name = header_name(header, family->name, "width", NULL);
        if (ctx || family->bits)
            header_define_number(header, name, isa_family_bits(family, widths), family->title);
        else
            define_linear(header, name, "", (struct linear){1, 1, 0}, "", family->title);
    }
    header_section(header, "The same in bytes, where it is a whole number of them", NULL);
    for (size_t i = 0; isa_families[i]; i++)
        if (isa_families[i]->bits && isa_families[i]->bits % 8 == 0)
            header_define_number(header, header_name(header, isa_families[i]->name, "bytes", NULL),
                                 (unsigned)isa_families[i]->bits / 8, NULL);
}

static void add_limits(struct header *header)
{
    header_section(header, "Version of the instruction set", NULL);
    header_define_number(header, header_name(header, "isa", "major", NULL), ISA_MAJOR, NULL);
    header_define_number(header, header_name(header, "isa", "minor", NULL), ISA_MINOR, NULL);
    header_section(header, "What the words of a checked record add up to, by exclusive or", NULL);
    header_define_number(header, header_name(header, "check_seed", NULL, NULL), ISA_CHECK_SEED, NULL);
    header_section(header, "What the instruction set has room for; a variant may have less", NULL);
    header_define_number(header, header_name(header, "isa", "slots", NULL), ISA_SLOTS, "argument slots");
    header_define_number(header, header_name(header, "isa", "tokens", NULL), ISA_TOKENS, "dependency tokens");
    header_define_number(header, header_name(header, "isa", "loop_levels", NULL), ISA_LOOP_LEVELS,
                         "nested loops of a program");
    header_define_number(header, header_name(header, "isa", "functions", NULL), ISA_FUNCTIONS,
                         "function-table entries of a configuration");
}

void isa_c_header(struct strbuf *to, const struct emit_context *ctx)
{
    struct header header = {.language = HEADER_C, .to = to};
    struct isa_widths widths = isa_int8_widths;
    if (ctx)
        widths = (struct isa_widths){ctx->variant->data_width, ctx->variant->index_width};
    header_open(&header, ctx, "isa",
                "The encodings of docs/isa.md: <format>_<field>_LSB and _BITS say where each field is,\n"
                "counted from the least significant bit of a little-endian record.");
    add_limits(&header);
    add_sizes(&header, ctx, widths);
    for (size_t i = 0; isa_enums[i].name; i++)
        add_enum(&header, &isa_enums[i]);
    for (size_t i = 0; isa_families[i]; i++)
        header_add_family(&header, isa_families[i], widths,
                          ctx || isa_families[i]->bits ? add_field : add_linear_field, &widths);
    header_close(&header);
}

void registers_c_header(struct strbuf *to, const struct emit_context *ctx)
{
    struct header header = {.language = HEADER_C, .to = to};
    struct isa_widths none = isa_int8_widths;
    header_open(&header, ctx, "registers",
                "The control registers of docs/registers.md: TULLE_REG_<register> is a byte offset,\n"
                "TULLE_REG_<register>_<field>_LSB and _BITS a field of it.");
    sb_add(to, "\n");
    header_define_number(&header, header_name(&header, "register_space", NULL, NULL), ISA_REGISTER_SPACE,
                         "bytes");
    for (const struct isa_register *reg = isa_registers; reg->name; reg++) {
        char offset[16];
        snprintf(offset, sizeof offset, "0x%03X", reg->offset);
        sb_add(to, "\n");
        header_define(&header, header_name(&header, "reg", reg->name, NULL), offset, reg->doc);
        header_add_register(&header, reg, add_field, &none);
    }
    header_close(&header);
}

bool emit_isa_c(const struct emit_context *ctx)
{
    struct strbuf isa = {0}, registers = {0};
    isa_c_header(&isa, ctx);
    registers_c_header(&registers, ctx);
    bool ok = emit_file(ctx, "include/tulle_isa.h", &isa);
    return emit_file(ctx, "include/tulle_registers.h", &registers) && ok;
}
