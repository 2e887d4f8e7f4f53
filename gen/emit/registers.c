/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/registers.h"

#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/isa_header.h"
#include "gen/emit/params.h"

/* The characters TULL. */
#define DEVICE_MAGIC 0x4C4C5554u

/* ---- values after reset ---------------------------------------------------------------------- */

struct reset_value {
    const char *reg, *field;
    bool varies; /* from variant to variant */
    uint32_t value;
};

/* What is not 0 after reset. Without a variant, what varies is 0. */
static struct reset_value field_reset(const char *reg, const char *field, const struct emit_context *ctx)
{
    static const struct variant none;
    const struct variant *v = ctx ? ctx->variant : &none;
    uint64_t hash = ctx ? ctx->hash : 0;
    const struct reset_value values[] = {
        {"control", "ap_idle", false, 1},
        {"magic", "value", false, DEVICE_MAGIC},
        {"isa_version", "minor", false, ISA_MINOR},
        {"isa_version", "major", false, ISA_MAJOR},
        {"variant_low", "value", true, (uint32_t)hash},
        {"variant_high", "value", true, (uint32_t)(hash >> 32)},
        {"shape", "n", true, v->n},
        {"shape", "m", true, v->m},
        {"shape", "k", true, v->k},
        {"shape", "scan", true, v->scan},
        {"widths", "data", true, v->data_width},
        {"widths", "accumulator", true, v->acc_width},
        {"widths", "index", true, v->index_width},
        {"buses", "memory", true, v->memory_width},
        {"buses", "row_bus", true, v->row_bus_width},
        {"features", "functions", true, params_function_mask(v)},
        {"features", "balance", true, v->balance},
        {"features", "counters", true, v->counters},
        {"features", "memory_ports", true, v->memory_ports},
        {"features", "job_queue", true, v->job_queue},
    };
    for (size_t i = 0; field && i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].reg, reg) && !strcmp(values[i].field, field))
            return values[i];
    return (struct reset_value){reg, field, false, 0};
}

uint32_t register_reset(const struct isa_register *reg, const struct emit_context *ctx)
{
    uint32_t word = 0;
    unsigned lsb = 0;
    for (const struct isa_field *f = reg->fields; isa_is_field(f); lsb += (unsigned)f->bits, f++)
        word |= field_reset(reg->name, f->name, ctx).value << lsb;
    return word;
}

static bool register_varies(const struct isa_register *reg)
{
    for (const struct isa_field *f = reg->fields; isa_is_field(f); f++)
        if (field_reset(reg->name, f->name, NULL).varies)
            return true;
    return false;
}

/* ---- the document ---------------------------------------------------------------------------- */

static const char *const access_words[] = {
    [ISA_READ_ONLY] = "read",
    [ISA_READ_WRITE] = "read, write",
    [ISA_WRITE_ONE_CLEARS] = "write 1 clears",
    [ISA_WRITE_ONLY] = "write",
};

static bool is_word(const struct isa_register *reg)
{
    return reg->fields[0].bits == 32;
}

static void add_reset(struct strbuf *to, bool varies, uint32_t value, const struct emit_context *ctx)
{
    if (varies && !ctx)
        sb_add(to, "variant");
    else
        sb_addf(to, value > 0xFF ? "0x%08" PRIX32 : "%" PRIu32, value);
}

/* "Where in the program: byte offset in ..." A register of one field needs no table of fields. */
static void add_meaning(struct strbuf *to, const struct isa_register *reg)
{
    const char *word = is_word(reg) ? reg->fields[0].doc : "";
    size_t len = strlen(reg->doc);
    if (len && reg->doc[len - 1] == '.')
        len--;
    sb_addn(to, reg->doc, len);
    sb_add(to, *word && len ? ": " : "");
    sb_add(to, word);
}

static void add_overview(struct strbuf *to, const struct emit_context *ctx)
{
    sb_add(to, "| offset | register | access | after reset | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (const struct isa_register *reg = isa_registers; reg->name; reg++) {
        sb_addf(to, is_word(reg) ? "| 0x%03X | %s | %s | " : "| 0x%03X | [%s](#%s) | %s | ", reg->offset,
                reg->name, is_word(reg) ? access_words[reg->access] : reg->name, access_words[reg->access]);
        add_reset(to, register_varies(reg), register_reset(reg, ctx), ctx);
        sb_add(to, " | ");
        add_meaning(to, reg);
        sb_add(to, " |\n");
    }
}

static void add_bits(struct strbuf *to, unsigned lsb, unsigned bits)
{
    if (bits == 1)
        sb_addf(to, "| %u | ", lsb);
    else
        sb_addf(to, "| %u..%u | ", lsb + bits - 1, lsb);
}

static void add_fields(struct strbuf *to, const struct isa_register *reg, const struct emit_context *ctx)
{
    unsigned lsb = 0;
    sb_addf(to, "\n### %s\n\n0x%03X, %s. %s\n\n", reg->name, reg->offset, access_words[reg->access],
            reg->doc);
    sb_add(to, "| bits | field | after reset | meaning |\n| --- | --- | --- | --- |\n");
    for (const struct isa_field *f = reg->fields; isa_is_field(f); lsb += (unsigned)f->bits, f++) {
        struct reset_value reset = field_reset(reg->name, f->name, ctx);
        add_bits(to, lsb, (unsigned)f->bits);
        sb_addf(to, "%s | ", f->name ? f->name : "");
        add_reset(to, reset.varies, reset.value, ctx);
        sb_addf(to, " | %s |\n", f->name ? f->doc : "reserved");
    }
}

static void add_introduction(struct strbuf *to, const struct emit_context *ctx)
{
    if (ctx)
        sb_addf(to, "The control registers of the variant `%s`, on `s_axi_control`", ctx->variant->name);
    else
        sb_add(to, "The control registers of a Tulle device, on `s_axi_control`");
    sb_addf(to, " (AXI4-Lite, 32 bits, %u bytes).\n", ISA_REGISTER_SPACE);
    sb_add(to,
           "Up to the arguments the layout is what the Vitis flow expects of an RTL kernel with\n"
           "`ap_ctrl_chain`; any other host sees a plain register block. In variants with `job_queue` a host "
           "may\n"
           "write the arguments of the next job and start it when it has seen `ap_ready`, while a job runs\n"
           "(docs/isa.md of the source tree, \"Jobs\").\n\n"
           "- Bits count from 0, the least significant one. Reserved bits read 0 and should be written 0.\n"
           "- 64-bit values are two words, the low one first. Argument slots take 12 bytes each: the\n"
           "  third word is free.\n"
           "- Offsets that are not listed read 0, and writes to them do nothing.\n"
           "- Status codes and the places where errors are found are in docs/isa.md of the source tree.\n");
    if (!ctx)
        sb_add(to,
               "- \"variant\" marks values that a variant has of its own: `tulle-gen VARIANT -o DIR` writes\n"
               "  this document with them.\n");
}

void register_document(struct strbuf *to, const struct emit_context *ctx)
{
    emit_banner(to, ctx, "<!--", "The register map.");
    sb_add(to, "# Registers\n\n");
    add_introduction(to, ctx);
    sb_add(to, "\n## All registers\n\n");
    add_overview(to, ctx);
    sb_add(to, "\n## Registers with fields\n");
    for (const struct isa_register *reg = isa_registers; reg->name; reg++)
        if (!is_word(reg))
            add_fields(to, reg, ctx);
}

bool emit_register_map(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    register_document(&text, ctx);
    return emit_file(ctx, "docs/registers.md", &text);
}
