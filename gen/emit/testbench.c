/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits tb/: the test bench, its device and the script that runs it, from the templates tulle_tb.v,
 * tulle_packet_top.v and run.sh. This file computes the lists that tulle_tb.v repeats lines for.
 */
#include "gen/emit/testbench.h"

#include <inttypes.h>

#include "gen/emit/emit.h"
#include "gen/emit/params.h"
#include "gen/emit/registers.h"
#include "gen/isa/codec.h"

/* ---- payloads -------------------------------------------------------------------------------- */

static const struct testbench_payloads *payloads(const void *data)
{
    return data;
}

static const struct testbench_payload *payload(const void *data, unsigned index)
{
    return &payloads(data)->items[index];
}

TEMPLATE_VALUE(add_payloads, "%u", payloads(data)->count)
TEMPLATE_VALUE(add_payload_name, "%s", payload(data, index)->name)
TEMPLATE_VALUE(add_payload_doc, "%s", payload(data, index)->doc)
TEMPLATE_VALUE(add_payload_first, "%u", payload(data, index)->first)
TEMPLATE_VALUE(add_payload_records, "%u", payload(data, index)->records)
TEMPLATE_VALUE(add_payload_end, "%u", payload(data, index)->first + payload(data, index)->records)

/* Record number `index` of all payloads. */
static const uint8_t *record(const void *data, unsigned index)
{
    const struct testbench_payload *p = payload(data, 0);
    while (index >= p->first + p->records)
        p++;
    return p->bytes + (index - p->first) * ISA_CONFIG_RECORD_BYTES;
}

TEMPLATE_VALUE(add_records, "%u", payloads(data)->records)
TEMPLATE_VALUE(add_record_high, "%016" PRIX64, isa_get_bits(record(data, index), 64, 64))
TEMPLATE_VALUE(add_record_low, "%016" PRIX64, isa_get_bits(record(data, index), 0, 64))

static void add_record_kind(struct strbuf *to, const struct emit_context *ctx, const void *data,
                            unsigned index)
{
    struct strbuf why = {0};
    const struct isa_format *format = isa_classify(&isa_config, record(data, index), isa_int8_widths, &why);
    (void)ctx;
    sb_free(&why);
    sb_add(to, format ? format->title : "no record");
}

/* ---- registers ------------------------------------------------------------------------------- */

static unsigned register_count(void)
{
    unsigned count = 0;
    while (isa_registers[count].name)
        count++;
    return count;
}

TEMPLATE_VALUE(add_registers, "%u", register_count())
TEMPLATE_VALUE(add_register_reset, "%08" PRIX32, register_reset(&isa_registers[index], ctx))

static void add_register_name(struct strbuf *to, const struct emit_context *ctx, const void *data,
                              unsigned index)
{
    (void)ctx, (void)data;
    for (const char *c = isa_registers[index].name; *c; c++)
        sb_addf(to, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

/* Whether the instruction set has a function that the variant does not have. */
static bool misses_function(const struct variant *variant)
{
    unsigned mask = params_function_mask(variant);
    for (const struct isa_value *f = isa_function_values; f->name; f++)
        if (f->value && !(mask >> f->value & 1))
            return true;
    return false;
}

TEMPLATE_VALUE(add_missing_function, "%d", misses_function(ctx->variant))
TEMPLATE_VALUE(add_other_buffer, "%u", testbench_other_buffer(ctx->variant))

/* ---- files ----------------------------------------------------------------------------------- */

const struct template_value testbench_values[] = {
    {"payloads", add_payloads},
    {"payload_name", add_payload_name},
    {"payload_doc", add_payload_doc},
    {"payload_first", add_payload_first},
    {"payload_end", add_payload_end},
    {"payload_records", add_payload_records},
    {"records", add_records},
    {"record_high", add_record_high},
    {"record_low", add_record_low},
    {"record_kind", add_record_kind},
    {"registers", add_registers},
    {"register_name", add_register_name},
    {"register_reset", add_register_reset},
    {"missing_function", add_missing_function},
    {"other_buffer", add_other_buffer},
    {NULL, NULL},
};

bool emit_testbench(const struct emit_context *ctx)
{
    struct testbench_payloads payloads;
    testbench_payloads_make(&payloads, ctx->variant);
    return template_emit(ctx, "tulle_packet_top.v", NULL, "tb/tulle_packet_top.v") &&
           template_emit(ctx, "tulle_tb.v", &payloads, "tb/tulle_tb.v") &&
           template_emit(ctx, "run.sh", NULL, "tb/run.sh");
}
