/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits vendor/, the input for the flows of FPGA vendors: scripts that are the same for all variants, the
 * values that these scripts read, and for Vitis the description of the kernel and the connections of its
 * ports. A variant with a host port has two AXI4-Lite slaves. It is no kernel of Vitis, so it has neither.
 */
#include "gen/emit/vendor.h"

#include <string.h>

#include "gen/emit/emit.h"
#include "gen/isa/table.h"

/* Arguments begin here and end before identification: what the Vitis flow expects of an RTL kernel. */
#define ARGUMENTS_BEGIN 0x010
#define ARGUMENTS_END 0x100

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

/* ---- Vitis ------------------------------------------------------------------------------------------ */

/* Number `index` of the registers that are arguments; of two words, the first one. NULL behind the last. */
static const struct isa_register *argument(unsigned index)
{
    for (const struct isa_register *reg = isa_registers; reg->name; reg++)
        if (reg->offset >= ARGUMENTS_BEGIN && reg->offset < ARGUMENTS_END && !strstr(reg->name, "_high") &&
            index-- == 0)
            return reg;
    return NULL;
}

/* The length of the name without _low, of the first word of two; 0 of another register. */
static size_t low_of_two(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && !strcmp(name + len - 4, "_low") ? len - 4 : 0;
}

/* Buffers are pointers, whatever port they are read through: all ports reach all memory, and the first one
 * names where it is. Sizes and the job's number are scalars. */
static void add_attributes(struct strbuf *to, const struct isa_register *reg, unsigned id)
{
    static const char address[] = "address_";
    size_t len = low_of_two(reg->name);
    bool pointer = len && !strncmp(reg->name, address, strlen(address));
    const char *name = pointer ? reg->name + strlen(address) : reg->name;
    unsigned bytes = len ? 8 : 4;
    if (pointer)
        len -= strlen(address);
    sb_addf(to,
            "name=\"%.*s\" addressQualifier=\"%d\" id=\"%u\" port=\"%s\" size=\"0x%x\" offset=\"0x%03x\" "
            "hostOffset=\"0x0\" hostSize=\"0x%x\" type=\"%s\"",
            len ? (int)len : (int)strlen(name), name, pointer, id, pointer ? "m_axi_mem0" : "s_axi_control",
            bytes, reg->offset, bytes,
            pointer ? "void*"
            : len   ? "ulong"
                    : "uint");
}

static unsigned argument_count(void)
{
    unsigned count = 0;
    while (argument(count))
        count++;
    return count;
}

TEMPLATE_VALUE(add_arguments, "%u", argument_count())

static void add_argument(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    (void)ctx, (void)data;
    add_attributes(to, argument(index), index);
}

const struct template_value kernel_values[] = {
    {"arguments", add_arguments}, {"argument", add_argument}, {NULL, NULL}};

bool emit_vendor(const struct emit_context *ctx)
{
    return emit_scripts(ctx) && template_emit(ctx, "variant.tcl", NULL, "vendor/variant.tcl") &&
           (ctx->variant->host_port || (template_emit(ctx, "kernel.xml", NULL, "vendor/kernel.xml") &&
                                        template_emit(ctx, "link.cfg", NULL, "vendor/link.cfg")));
}
