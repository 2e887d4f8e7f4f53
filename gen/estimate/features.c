/* SPDX-License-Identifier: Apache-2.0
 *
 * The features of the fit of LUTs and flip-flops: numbers of the variant with which parts of the Verilog
 * grow.
 */
#include "gen/emit/params.h"
#include "gen/estimate/estimate.h"

#define FEATURE(name, value)                                                     \
    static double name(const struct variant *v, const struct variant_derived *d) \
    {                                                                            \
        (void)v;                                                                 \
        (void)d;                                                                 \
        return (double)(value);                                                  \
    }

static bool has(const struct variant *v, enum variant_function function)
{
    return v->functions >> function & 1;
}

static bool has_curve(const struct variant *v)
{
    return has(v, VARIANT_SIGMOID) || has(v, VARIANT_TANH);
}

/* Lanes of the store engine multiply for these. */
static bool multiplies(const struct variant *v)
{
    return has_curve(v) || has(v, VARIANT_LEAKY_RELU) || has(v, VARIANT_REQUANTISE) ||
           has(v, VARIANT_AVERAGE);
}

FEATURE(one, 1)
FEATURE(pes, v->k)
FEATURE(pe_scan, v->k * v->scan)
FEATURE(pe_pairs, v->k * v->scan * (v->scan - 1))
FEATURE(pe_sum, v->k * v->acc_width)
FEATURE(pe_entries, v->k * v->scan * d->entry_bits)
FEATURE(pe_ring, params_ring(v) ? v->k *(2 * v->data_width + 2) : 0)
FEATURE(pe_reduce, params_reduces(v) ? v->k * v->acc_width : 0)
FEATURE(pe_maximum, params_maximum(v) ? v->k * v->acc_width : 0)
FEATURE(bus, v->row_bus_width)
FEATURE(load, 8 * v->load_width)
FEATURE(beat_entries, d->entries_per_beat * v->k * d->entry_bits)
FEATURE(curve, has_curve(v) ? v->acc_width : 0)

FEATURE(rows, v->n)
FEATURE(clusters, v->n * v->m)
FEATURE(row_bus, v->n * v->row_bus_width)
FEATURE(row_banks, v->n *params_banks(v) * 64)
FEATURE(memory, v->memory_width)
FEATURE(more_ports, v->memory_ports - 1)
FEATURE(group, v->k * v->acc_width)
FEATURE(lanes, d->store_takes * d->store_lanes)
FEATURE(lane_products, multiplies(v) ? d->store_takes * d->store_lanes * v->acc_width : 0)
FEATURE(lane_curve, has_curve(v) ? d->store_takes * d->store_lanes : 0)
FEATURE(dispatched, v->balance == VARIANT_BALANCE_DISPATCH ? v->n * v->m : 0)
FEATURE(counted, v->counters)
FEATURE(host, v->host_port)
FEATURE(host_memory, v->host_port * v->memory_width)

/* clang-format off */
#define ENTRY(name) {#name, name}
/* clang-format on */

static const struct estimate_feature cluster[] = {
    ENTRY(one),        ENTRY(pes),          ENTRY(pe_scan),   ENTRY(pe_pairs),   ENTRY(pe_sum),
    ENTRY(pe_entries), ENTRY(pe_ring),      ENTRY(pe_reduce), ENTRY(pe_maximum), ENTRY(bus),
    ENTRY(load),       ENTRY(beat_entries), ENTRY(curve),     {NULL, NULL}};
static const struct estimate_feature around[] = {
    ENTRY(one),       ENTRY(rows),          ENTRY(clusters),    ENTRY(row_bus),
    ENTRY(row_banks), ENTRY(memory),        ENTRY(more_ports),  ENTRY(group),
    ENTRY(lanes),     ENTRY(lane_products), ENTRY(lane_curve),  ENTRY(dispatched),
    ENTRY(counted),   ENTRY(host),          ENTRY(host_memory), {NULL, NULL}};

const struct estimate_feature *const estimate_features[ESTIMATE_DEVICE] = {
    [ESTIMATE_CLUSTER] = cluster, [ESTIMATE_AROUND] = around};
