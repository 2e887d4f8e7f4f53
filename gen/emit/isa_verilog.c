/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits include/tulle_isa.vh and tulle_registers.vh. Every field is a range of bits, as in
 * word[`TULLE_MAC_BASE], and every value is a sized literal.
 */
#include <inttypes.h>
#include <stdio.h>

#include "gen/emit/emit.h"
#include "gen/emit/isa_header.h"
#include "gen/emit/registers.h"

static void define_literal(struct header *header, const char *name, unsigned bits, uint64_t value,
                           const char *doc)
{
    char text[40];
    snprintf(text, sizeof text, value > 0xFFFF ? "%u'h%08" PRIX64 : "%u'd%" PRIu64, bits, value);
    header_define(header, name, text, doc);
}

static void add_field(struct header *header, const struct header_field *field, void *context)
{
    const struct isa_widths *widths = context;
    char range[24];
    snprintf(range, sizeof range, "%u:%u", field->lsb + field->bits - 1, field->lsb);
    header_define(header, header_name(header, field->prefix, field->name, NULL), range, field->doc);
    if (field->field->kind == ISA_CONST)
        define_literal(header, header_name(header, field->prefix, field->name, "value"), field->bits,
                       isa_const_value(field->field, *widths), NULL);
}

static void add_enum(struct header *header, const struct isa_enum *list, struct isa_widths widths)
{
    header_section(header, "Values", list->doc);
    for (const struct isa_value *v = list->values; v->name; v++)
        define_literal(header, header_name(header, list->name, v->name, NULL), isa_enum_bits(list, widths),
                       v->value, v->doc);
}

static void add_version(struct header *header)
{
    header_section(header, "Version of the instruction set", NULL);
    header_define_number(header, header_name(header, "isa", "major", NULL), ISA_MAJOR, NULL);
    header_define_number(header, header_name(header, "isa", "minor", NULL), ISA_MINOR, NULL);
    header_section(header, "What the words of a checked record add up to, by exclusive or", NULL);
    define_literal(header, header_name(header, "check_seed", NULL, NULL), 32, ISA_CHECK_SEED, NULL);
}

/* What modules hand to each other beside the encodings: one source for widths that many of them name. */
static void add_widths(struct header *header)
{
    static const struct {
        const char *name;
        unsigned bits;
        const char *doc;
    } widths[] = {
        {"place", 26, "An operation's place in its program, in records"},
        {"tag", 26 + 12, "An operation's tag: its place and the tokens that it signals"},
        {"packet_tag", 6, "The tag of a packet that a cluster has not finished"},
        {"buffer_operands", 24, "An instruction's operands, beside its addresses and entries"},
        {"buffer_extension", 26, "Its operands of an extension record, beside an address"},
        {"buffer_packet", 22, "A buffer's values for packets, beside two numbers of buffers"},
        {"buffer_sequence", 12, "A buffer's values for its sequence, beside an address"},
    };
    header_section(header, "Bits of the records that modules exchange", NULL);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        header_define_number(header, header_name(header, widths[i].name, "width", NULL), widths[i].bits,
                             widths[i].doc);
}

static void isa_header(struct strbuf *to, const struct emit_context *ctx)
{
    struct header header = {.language = HEADER_VERILOG, .to = to};
    struct isa_widths widths = {ctx->variant->data_width, ctx->variant->index_width};
    header_open(&header, ctx, "isa",
                "The encodings of docs/isa.md: where each field is, what each value is.");
    add_version(&header);
    header_section(&header, "Bits of a record of each kind", NULL);
    for (size_t i = 0; isa_families[i]; i++)
        header_define_number(&header, header_name(&header, isa_families[i]->name, "width", NULL),
                             isa_family_bits(isa_families[i], widths), isa_families[i]->title);
    add_widths(&header);
    for (size_t i = 0; isa_enums[i].name; i++)
        add_enum(&header, &isa_enums[i], widths);
    for (size_t i = 0; isa_families[i]; i++)
        header_add_family(&header, isa_families[i], widths, add_field, &widths);
    header_close(&header);
}

/* The bits of an offset in the register space. */
static unsigned offset_bits(void)
{
    unsigned bits = 0;
    while ((ISA_REGISTER_SPACE - 1) >> bits)
        bits++;
    return bits;
}

static void add_register(struct header *header, const struct isa_register *reg,
                         const struct emit_context *ctx)
{
    struct isa_widths none = isa_int8_widths;
    char offset[24], reset[24];
    snprintf(offset, sizeof offset, "%u'h%03X", offset_bits(), reg->offset);
    snprintf(reset, sizeof reset, "32'h%08" PRIX32, register_reset(reg, ctx));
    sb_add(header->to, "\n");
    header_define(header, header_name(header, "reg", reg->name, NULL), offset, reg->doc);
    header_define(header, header_name(header, "reset", reg->name, NULL), reset, NULL);
    header_add_register(header, reg, add_field, &none);
}

static void registers_header(struct strbuf *to, const struct emit_context *ctx)
{
    struct header header = {.language = HEADER_VERILOG, .to = to};
    header_open(
        &header, ctx, "registers",
        "The control registers of docs/registers.md: TULLE_REG_<register> is a byte offset,\n"
        "TULLE_REG_<register>_<field> a range of bits, TULLE_RESET_<register> the value after reset.");
    for (const struct isa_register *reg = isa_registers; reg->name; reg++)
        add_register(&header, reg, ctx);
    header_close(&header);
}

bool emit_isa_verilog(const struct emit_context *ctx)
{
    struct strbuf isa = {0}, registers = {0};
    isa_header(&isa, ctx);
    registers_header(&registers, ctx);
    bool ok = emit_file(ctx, "include/tulle_isa.vh", &isa);
    return emit_file(ctx, "include/tulle_registers.vh", &registers) && ok;
}
