/* SPDX-License-Identifier: Apache-2.0
 *
 * vendor/: what flows of FPGA vendors want of a variant: scripts that are the same for all, the values that
 * these read, and for Vitis the description of the kernel and where its ports go. A variant with a host port
 * has two AXI4-Lite slaves and is no kernel of Vitis, so it has neither.
 */
#include "gen/emit/vendor.h"

#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/summary.h"
#include "gen/isa/table.h"

/* Arguments begin here and end before identification: what the Vitis flow expects of an RTL kernel. */
#define ARGUMENTS_BEGIN 0x010
#define ARGUMENTS_END 0x100

/* A page, which is what tulle_top decodes. */
#define CONTROL_RANGE 0x1000

static bool emit_scripts(const struct emit_context *ctx)
{
    bool ok = true;
    for (size_t i = 0; ok && i < vendor_source_count; i++) {
        struct strbuf text = {0};
        sb_add(&text, vendor_sources[i].text);
        ok = emit_file(ctx, vendor_sources[i].label, &text);
    }
    return ok;
}

static bool emit_values(const struct emit_context *ctx)
{
    const struct variant *v = ctx->variant;
    struct strbuf text = {0};
    emit_banner(&text, ctx, "#", "What the scripts of this folder know of the variant.");
    sb_addf(&text, "set variant_name %s\nset variant_text {", v->name);
    summary_one_line(&text, v);
    sb_addf(&text, "}\nset variant_hash %016" PRIx64 "\n", ctx->hash);
    sb_addf(&text, "set memory_ports %u\nset memory_width %u\nset host_port %d\n", (unsigned)v->memory_ports,
            (unsigned)v->memory_width, v->host_port);
    return emit_file(ctx, "vendor/variant.tcl", &text);
}

/* ---- Vitis ------------------------------------------------------------------------------------------ */

static bool is_argument(const struct isa_register *reg)
{
    return reg->offset >= ARGUMENTS_BEGIN && reg->offset < ARGUMENTS_END;
}

/* The length of the name without _low, of the first word of two; 0 of another register. */
static size_t low_of_two(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && !strcmp(name + len - 4, "_low") ? len - 4 : 0;
}

/* Buffers are pointers, whatever port they are read through: all ports reach all memory, and the first one
 * names where it is. Sizes and the job's number are scalars. */
static void add_argument(struct strbuf *to, const struct isa_register *reg, unsigned id)
{
    static const char address[] = "address_";
    size_t len = low_of_two(reg->name);
    bool pointer = len && !strncmp(reg->name, address, strlen(address));
    const char *name = pointer ? reg->name + strlen(address) : reg->name;
    unsigned bytes = len ? 8 : 4;
    if (pointer)
        len -= strlen(address);
    sb_addf(to,
            "      <arg name=\"%.*s\" addressQualifier=\"%d\" id=\"%u\" port=\"%s\" size=\"0x%x\" "
            "offset=\"0x%03x\" "
            "hostOffset=\"0x0\" hostSize=\"0x%x\" type=\"%s\"/>\n",
            len ? (int)len : (int)strlen(name), name, pointer, id, pointer ? "m_axi_mem0" : "s_axi_control",
            bytes, reg->offset, bytes,
            pointer ? "void*"
            : len   ? "ulong"
                    : "uint");
}

static bool emit_kernel(const struct emit_context *ctx)
{
    const char *name = ctx->variant->name;
    struct strbuf text = {0};
    sb_add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    emit_banner(&text, ctx, "<!--",
                "The variant as a kernel of Vitis: package_kernel.tcl. Not yet run with the vendor's tools.");
    sb_addf(
        &text,
        "<root versionMajor=\"1\" versionMinor=\"6\">\n"
        "  <kernel name=\"tulle_%s\" language=\"ip_c\" vlnv=\"tulle:kernel:tulle_%s:1.0\" attributes=\"\" "
        "preferredWorkGroupSizeMultiple=\"0\" workGroupSize=\"1\" interrupt=\"true\" "
        "hwControlProtocol=\"ap_ctrl_chain\">\n    <ports>\n",
        name, name);
    sb_addf(&text,
            "      <port name=\"s_axi_control\" mode=\"slave\" range=\"0x%x\" dataWidth=\"32\" "
            "portType=\"addressable\" base=\"0x0\"/>\n",
            CONTROL_RANGE);
    for (unsigned i = 0; i < ctx->variant->memory_ports; i++)
        sb_addf(
            &text,
            "      <port name=\"m_axi_mem%u\" mode=\"master\" range=\"0xFFFFFFFFFFFFFFFF\" dataWidth=\"%u\" "
            "portType=\"addressable\" base=\"0x0\"/>\n",
            i, (unsigned)ctx->variant->memory_width);
    sb_add(&text, "    </ports>\n    <args>\n");
    unsigned id = 0;
    for (const struct isa_register *reg = isa_registers; reg->name; reg++)
        if (is_argument(reg) && !strstr(reg->name, "_high"))
            add_argument(&text, reg, id++);
    sb_add(&text, "    </args>\n  </kernel>\n</root>\n");
    return emit_file(ctx, "vendor/kernel.xml", &text);
}

static bool emit_link(const struct emit_context *ctx)
{
    const char *name = ctx->variant->name;
    struct strbuf text = {0};
    emit_banner(
        &text, ctx, "#",
        "v++ --link --config link.cfg: one device, all of whose ports reach the same memory: a bank of the\n"
        "platform, which has another name where it has HBM or PLRAM. Not yet run with the vendor's tools.");
    sb_addf(&text, "[connectivity]\nnk=tulle_%s:1:tulle_%s_1\n", name, name);
    for (unsigned i = 0; i < ctx->variant->memory_ports; i++)
        sb_addf(&text, "sp=tulle_%s_1.m_axi_mem%u:DDR[0]\n", name, i);
    return emit_file(ctx, "vendor/link.cfg", &text);
}

bool emit_vendor(const struct emit_context *ctx)
{
    return emit_scripts(ctx) && emit_values(ctx) &&
           (ctx->variant->host_port || (emit_kernel(ctx) && emit_link(ctx)));
}
