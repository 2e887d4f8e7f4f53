/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/summary.h"

#include <inttypes.h>

#include "gen/variant/keys.h"
#include "gen/version.h"

static void add_value(struct strbuf *to, const struct variant *variant, const char *key)
{
    variant_key_value(variant, variant_key_find(key), ", ", to);
}

static void add_balance(struct strbuf *to, const struct variant *variant)
{
    if (variant->balance == VARIANT_BALANCE_NONE)
        sb_add(to, "no");
    else
        add_value(to, variant, "balance");
    sb_add(to, " balancing");
}

void summary_one_line(struct strbuf *to, const struct variant *variant)
{
    sb_addf(to, "%u PEs, int%u, scan %u, ", variant->n * variant->m * variant->k, variant->data_width,
            variant->scan);
    add_balance(to, variant);
    sb_addf(to, ", row bus %u, memory %u", variant->row_bus_width, variant->memory_width);
}

/* ---- on-chip memory, in bits ----------------------------------------------------------------- */

/* Input buffer with its mask, a copy for each of scan, weight queue, load queue (a weight and an activation
 * each), output queue. */
static uint64_t pe_bits(const struct variant *v)
{
    uint64_t loads = (uint64_t)v->load_queue_depth * v->scan;
    return (uint64_t)v->scan * v->input_buffer_depth * (v->data_width + 1) +
           (uint64_t)v->weight_queue_depth * (v->data_width + v->index_width) + loads * 2 * v->data_width +
           (uint64_t)v->output_queue_depth * v->acc_width;
}

static uint64_t row_bits(const struct variant *v)
{
    return pe_bits(v) * v->k * v->m + (uint64_t)v->unit_bytes * 8;
}

/* In bytes, or KiB with one decimal, rounded. */
static void add_size(struct strbuf *to, uint64_t bits)
{
    uint64_t bytes = (bits + 7) / 8, tenths = (bytes * 10 + 512) / 1024;
    if (bytes < 1024)
        sb_addf(to, "%" PRIu64 " bytes", bytes);
    else
        sb_addf(to, "%" PRIu64 ".%" PRIu64 " KiB", tenths / 10, tenths % 10);
}

static void add_memory(struct strbuf *to, const struct variant *variant)
{
    sb_add(to, "on-chip memory  ");
    add_size(to, pe_bits(variant));
    sb_add(to, " a PE, ");
    add_size(to, pe_bits(variant) * variant->k);
    sb_add(to, " a cluster, ");
    add_size(to, row_bits(variant));
    sb_add(to, " a row with its storage unit, ");
    add_size(to, row_bits(variant) * variant->n);
    sb_add(to, " in all\n");
}

static void add_bandwidth(struct strbuf *to, const struct variant *v)
{
    sb_addf(to, "bytes a cycle   memory %u, row buses %u x %u, collectors %u x %u, loading a cluster %u\n",
            v->memory_ports * v->memory_width / 8, v->n, v->row_bus_width / 8, v->n, v->collector_width / 8,
            v->load_width);
}

void summary_write(struct strbuf *to, const struct variant *variant)
{
    sb_addf(to, "variant         %s\n", variant->name);
    sb_addf(to, "shape           %u x %u x %u (rows x clusters x PEs), %u PEs\n", variant->n, variant->m,
            variant->k, variant->n * variant->m * variant->k);
    sb_addf(to, "widths          %u-bit data, %u-bit accumulators, %u-bit indices\n", variant->data_width,
            variant->acc_width, variant->index_width);
    sb_addf(to, "PE              scan %u, segments up to %u entries, ", variant->scan, variant->segment_max);
    add_balance(to, variant);
    sb_add(to, "\nfunctions       ");
    if (variant->functions)
        add_value(to, variant, "functions");
    else
        sb_add(to, "none");
    sb_add(to, "\n");
    add_memory(to, variant);
    add_bandwidth(to, variant);
    sb_addf(to, "hash            %016" PRIx64 ", ISA " TULLE_ISA_VERSION "\n",
            variant_hash(variant, TULLE_ISA_VERSION));
}
