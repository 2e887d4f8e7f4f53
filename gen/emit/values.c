/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/values.h"

#include <assert.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/params.h"
#include "gen/variant/keys.h"

/* Partial sums and results travel as elements of 32 or 64 bits. */
static unsigned element_width(const struct variant *variant)
{
    return variant->acc_width <= 32 ? 32 : 64;
}

/* Beats in which a result of each PE goes to the collector. */
static unsigned result_beats(const struct variant *variant)
{
    return (variant->k * element_width(variant) + variant->collector_width - 1) / variant->collector_width;
}

/* Words between being read from the weight queue and reaching the load queue (rtl/tulle_index.v). */
static unsigned scan_stages(const struct variant *variant)
{
    return variant->scan == 4 ? 8 : 7;
}

/* Bits of the sum of as many products as the weight queue holds entries: no MAC has more. */
static unsigned sum_width(const struct variant *variant)
{
    unsigned width = 2 * variant->data_width + variant_bits_for(variant->weight_queue_depth);
    return width < variant->acc_width ? width : variant->acc_width;
}

/* What one counter can count in a cycle: weights looked at, or bytes read for all purposes. */
static unsigned add_width(const struct variant *variant)
{
    return variant_bits_for(variant->n * variant->m * variant->k * variant->scan + 1);
}

/* Whether stores can fill a beat of memory in less than two cycles, or have gathered some. */
static unsigned write_every_cycle(const struct variant *v)
{
    struct variant_derived d;
    variant_derive(v, &d);
    unsigned bytes = d.store_takes * d.store_lanes * (v->acc_width > 32 ? 8 : 4);
    return v->gather_lines || 2 * (bytes < 8 ? 8 : bytes) > d.memory_bytes;
}

static unsigned shift(unsigned count)
{
    return count == 1 ? 0 : variant_bits_for(count);
}

/* Numbers with a text are in include/tulle_params.vh, too. */

/* Of a PE. */
static size_t pe_numbers(const struct variant *v, struct values_number *to)
{
    const struct values_number all[] = {
        {"line_width", 8 * v->load_width, "Bits of a line of the input buffer"},
        {"line_values", 8 * v->load_width / v->data_width, "Activations in a line of the input buffer"},
        {"maximum", params_maximum(v), "1: MACs can keep the largest of their products"},
        {"maximum_width", params_maximum(v) ? 2 * v->data_width : 0, "Bits of such a product; 0 without"},
        {"word_width", v->scan * (v->data_width + v->index_width), "Bits of a word of weights"},
        {"word_address_width", variant_bits_for(v->weight_queue_depth / v->scan),
         "Bits of its address in the weight queue"},
        {"lane_width", variant_bits_for(v->scan), "Bits of the number of a weight in its word"},
        {"scan_stages", scan_stages(v), "Words between the weight queue and the load queue"},
        {"sum_width", sum_width(v), "Bits of the sum of the products of a MAC"},
        {"activation_width", v->data_width + v->zero_points,
         "Bits of an activation in a PE, without its zero point"},
        {"move_width", 2 * v->data_width + v->zero_points + 2,
         "Bits of a pair on its way to the left neighbour"},
        {"return_width", sum_width(v) + 1, "Bits of the sum that the neighbour sends back"},
        {"mac_slack", variant_mac_slack(v), "MACs that may still be issued when a PE has no more room"},
        {"macs", variant_macs(v), "MACs that a PE may have, issued and not closed"},
        {"long_jumps", v->long_jumps, "1: the weight stream has long jumps"},
        {"plain_weights", v->plain_weights,
         "1: packets of weights can be plain, and weights of 0 are not multiplied"},
        {"bitmap_masks", variant_bitmap_masks(v),
         "Most masks of a segment of a bitmap packet; 0: there are none"},
        {"ring", params_ring(v), "1: PEs multiply pairs of their right neighbour"},
        {"pe_counts_width", v->scan + 4, "Bits that a PE reports to be counted: see rtl/tulle_pe.v"},
    };
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Of clusters and rows. */
static size_t cluster_numbers(const struct variant *v, struct values_number *to)
{
    const unsigned pages = variant_register_pages(v, v->register_file_entries);
    const struct values_number all[] = {
        {"element_width", element_width(v), "Bits of a partial sum in a packet"},
        {"result_beats", result_beats(v), "Beats of a store: a result of each PE of a cluster"},
        {"register_entries", pages * variant_register_page(v),
         "Entries of the register file, in whole pages"},
        {"page_width", variant_bits_for(pages), "Bits of the number of a page of the register file"},
        {"page_shift", shift(variant_register_page(v)), "Log2 of the entries in a page"},
        {"function_mask", params_function_mask(v) | 1, "TULLE_FUNCTIONS and bit 0, for no function"},
        {"reduces", params_reduces(v) || v->scalar_unit, "1: clusters have SPU instructions"},
        {"reduces_beside", params_reduces_beside(v), "1: their reductions run beside MACs"},
        {"accumulators", v->accumulators, "1: PEs have accumulation buffers, which MACs name"},
        {"pe_operands", v->pe_operands, "1: the address of a MAC may advance from PE to PE"},
        {"scalar_unit", v->scalar_unit, "1: clusters have a scalar unit"},
        {"zero_points", v->zero_points, "1: activations have a zero point, and may have no sign"},
        {"table_groups", v->channel_groups, "Groups of K in the table of channels; 0: there is none"},
        {"joins", v->joins, "1: stores join results and operands from memory"},
        {"softmax", v->softmax, "Elements of the longest row whose softmax stores give; 0: there is none"},
        {"error_place_width", 11, "{tag of a packet, 1 in a PE, number of the PE}"},
        {"backlog_width", 6, "Bits of the number of packets that a cluster has not finished"},
        {"dispatch", v->balance == VARIANT_BALANCE_DISPATCH, "1: the distribution unit chooses the cluster"},
        {"count_width", add_width(v), "Bits of what is counted in a cycle"},
        {"busy_count_width", variant_bits_for(v->k + 1), "Bits of a number of PEs of a cluster"},
        {"scan_count_width", variant_bits_for(v->k * v->scan + 1),
         "Bits of a number of weights that a cluster looks at"},
        {"row_scan_count_width", variant_bits_for(v->m * v->k * v->scan + 1),
         "Bits of a number of weights that a row looks at"},
        {"roundings", v->roundings, "1: functions may round otherwise than up"},
        {"lookup", v->lookup, "1: the store engine has a function that is a table"},
        {"parallel", v->parallel_issue, NULL},
        {"room", pages / variant_register_pages(v, v->instruction_depth), NULL},
    };
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Of the device and its test bench. */
static size_t device_numbers(const struct variant *v, struct values_number *to)
{
    const struct values_number all[] = {
        {"pe_count_width", variant_bits_for(v->n * v->m * v->k + 1), "Bits of a number of PEs of the array"},
        {"row_count_width", variant_bits_for(v->n + 1), "Bits of a number of rows"},
        {"banks", params_banks(v), "Banks of a storage unit, 64 bits wide"},
        {"bank_address_width", variant_bits_for(v->unit_bytes / 8 / params_banks(v)),
         "Bits of the address of a bank"},
        {"beat_address_width", variant_bits_for(v->unit_bytes * 8 / v->row_bus_width),
         "Bits of the address of a beat of the row bus in a storage unit"},
        {"beat_shift", variant_bits_for(v->row_bus_width / 8), "Log2 of the bytes of a beat of the row bus"},
        {"partial_lanes", variant_partial_lanes(v), "Partial sums that are read from memory in a cycle"},
        {"packet_id_width", v->n <= 2 ? 2 : 3, "Bits of the number of a distribute operation under way"},
        {"write_every_cycle", write_every_cycle(v),
         "1: stores can offer beats of memory in cycles that follow each other"},
        {"memory_masters", v->memory_ports + v->host_port, NULL},
        {"timeout", 400000 + 10000 * v->n * v->m, NULL},
    };
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

enum { NUMBERS_MAX = 64 };

static size_t fill(const struct variant *v, struct values_number numbers[NUMBERS_MAX])
{
    size_t count = pe_numbers(v, numbers);
    count += cluster_numbers(v, numbers + count);
    count += device_numbers(v, numbers + count);
    assert(count <= NUMBERS_MAX);
    return count;
}

bool values_number(const struct emit_context *ctx, size_t index, struct values_number *number)
{
    struct values_number numbers[NUMBERS_MAX];
    size_t count = fill(ctx->variant, numbers);
    if (index < count)
        *number = numbers[index];
    return index < count;
}

static bool add_number(struct strbuf *to, unsigned number)
{
    sb_addf(to, "%u", number);
    return true;
}

static bool add_parameter(struct strbuf *to, const struct emit_context *ctx, const char *name)
{
    const struct variant_key *key = variant_key_find(name);
    if (!key)
        return false;
    if (key->kind == KEY_IDENTIFIER)
        sb_add(to, ctx->variant->name);
    else
        add_number(to, variant_get(ctx->variant, key));
    return true;
}

static bool add_derived(struct strbuf *to, const struct emit_context *ctx, const char *name)
{
    for (size_t i = 0; i < variant_derived_count; i++)
        if (!strcmp(variant_derived_fields[i].name, name))
            return add_number(to, variant_derived_get(ctx->derived, &variant_derived_fields[i]));
    return false;
}

static bool add_further(struct strbuf *to, const struct emit_context *ctx, const char *name)
{
    struct values_number numbers[NUMBERS_MAX];
    size_t count = fill(ctx->variant, numbers);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(numbers[i].name, name))
            return add_number(to, numbers[i].number);
    return false;
}

/* The line of a banner that says by which tool the file was made, and of what. */
static bool add_generated(struct strbuf *to, const struct emit_context *ctx, const char *name)
{
    bool wanted = !strcmp(name, "generated");
    if (wanted)
        emit_origin(to, ctx);
    return wanted;
}

bool values_add(struct strbuf *to, const struct emit_context *ctx, const char *name)
{
    return add_parameter(to, ctx, name) || add_derived(to, ctx, name) || add_further(to, ctx, name) ||
           add_generated(to, ctx, name);
}
