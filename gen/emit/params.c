/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits include/tulle_params.vh and tulle_params.h, which have every parameter of the variant and every
 * derived value.
 */
#include "gen/emit/params.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/header.h"
#include "gen/emit/values.h"
#include "gen/isa/codec.h"
#include "gen/variant/keys.h"

unsigned params_function_mask(const struct variant *variant)
{
    const struct variant_key *key = variant_key_find("functions");
    unsigned mask = 0;
    for (size_t i = 0; i < key->count; i++)
        if (variant_get(variant, key) >> i & 1)
            mask |= 1u << isa_find_value_named(isa_function_values, key->words[i])->value;
    return mask;
}

static void add_name(struct header *header, const struct variant *variant, const struct variant_key *key)
{
    char text[VARIANT_NAME_MAX + 3];
    snprintf(text, sizeof text, "\"%s\"", variant->name);
    header_define(header, header_name(header, key->name, NULL, NULL), text, key->text);
}

static void add_key(struct header *header, const struct variant *variant, const struct variant_key *key)
{
    if (key->section)
        header_section(header, key->section, NULL);
    if (key->kind == KEY_IDENTIFIER) {
        add_name(header, variant, key);
        return;
    }
    bool mask = key->kind == KEY_WORD_LIST;
    header_define_number(header, header_name(header, key->name, NULL, NULL),
                         mask ? params_function_mask(variant) : variant_get(variant, key),
                         mask ? "Functions of the special-function unit: bit f is the function number f"
                              : key->text);
    for (size_t i = 0; key->kind == KEY_WORD && i < key->count; i++)
        header_define_number(header, header_name(header, key->name, key->words[i], NULL), i, NULL);
}

static void add_hash(struct header *header, uint64_t hash)
{
    char text[32];
    snprintf(text, sizeof text, header->language == HEADER_C ? "0x%016" PRIX64 "ull" : "64'h%016" PRIX64,
             hash);
    header_section(header, "What identifies the variant: a hash of all parameters and the ISA version", NULL);
    header_define(header, header_name(header, "variant_hash", NULL, NULL), text, NULL);
}

/* What only the modules themselves need. */
static void add_inner_numbers(struct header *header, const struct emit_context *ctx)
{
    struct values_number number;
    header_section(header, "Inside the modules", NULL);
    for (size_t i = 0; values_number(ctx, i, &number); i++)
        if (number.text)
            header_define_number(header, header_name(header, number.name, NULL, NULL), number.number,
                                 number.text);
}

static void params_header(struct strbuf *to, const struct emit_context *ctx, enum header_language language)
{
    struct header header = {.language = language, .to = to};
    header_open(&header, ctx, "params", "The parameters of this variant, and what follows from them.");
    for (size_t i = 0; i < variant_key_count; i++)
        if (!variant_key_left_out(ctx->variant, &variant_keys[i]))
            add_key(&header, ctx->variant, &variant_keys[i]);
    header_section(&header, "Derived", NULL);
    for (size_t i = 0; i < variant_derived_count; i++)
        header_define_number(&header, header_name(&header, variant_derived_fields[i].name, NULL, NULL),
                             variant_derived_get(ctx->derived, &variant_derived_fields[i]),
                             variant_derived_fields[i].text);
    if (language == HEADER_VERILOG)
        add_inner_numbers(&header, ctx);
    add_hash(&header, ctx->hash);
    header_close(&header);
}

bool emit_params(const struct emit_context *ctx)
{
    struct strbuf verilog = {0}, c = {0};
    params_header(&verilog, ctx, HEADER_VERILOG);
    params_header(&c, ctx, HEADER_C);
    bool ok = emit_file(ctx, "include/tulle_params.vh", &verilog);
    return emit_file(ctx, "include/tulle_params.h", &c) && ok;
}

bool params_reduces(const struct variant *variant)
{
    return variant->functions & (1u << VARIANT_SUM | 1u << VARIANT_MAX | 1u << VARIANT_AVERAGE);
}

bool params_reduces_beside(const struct variant *variant)
{
    return params_reduces(variant) && variant->decoupled_reductions;
}

bool params_maximum(const struct variant *variant)
{
    return variant->functions >> VARIANT_MAX & 1;
}

bool params_ring(const struct variant *variant)
{
    return variant->balance == VARIANT_BALANCE_NEIGHBOUR && variant->k > 1;
}

unsigned params_banks(const struct variant *variant)
{
    unsigned wide =
        variant->memory_width > variant->row_bus_width ? variant->memory_width : variant->row_bus_width;
    return wide / 64;
}
