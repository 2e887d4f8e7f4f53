/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules between keys. Each rule has the form left >= right, so that a message can show both sides and the
 * value of every key in it.
 */
#include "gen/variant/keys.h"

static struct rule_sides sides(unsigned left, unsigned right)
{
    return (struct rule_sides){left, right};
}

static struct rule_sides buses_take_memory(const struct variant *v)
{
    return sides(v->n * v->row_bus_width, v->memory_width * v->memory_ports);
}

static struct rule_sides accumulator_holds_product(const struct variant *v)
{
    return sides(v->acc_width, 2 * v->data_width + 4);
}

static struct rule_sides accumulator_holds_segment(const struct variant *v)
{
    return sides(v->acc_width, 2 * v->data_width + variant_bits_for(v->segment_max));
}

static struct rule_sides weights_are_prefetched(const struct variant *v)
{
    return sides(v->weight_queue_depth, 2 * v->segment_max);
}

static struct rule_sides weights_take_beats(const struct variant *v)
{
    return sides(v->weight_queue_depth, 2 * variant_entries_per_beat(v));
}

static struct rule_sides segment_fits_inputs(const struct variant *v)
{
    return sides(v->input_buffer_depth, v->segment_max);
}

static struct rule_sides blocks_are_lines(const struct variant *v)
{
    return sides(v->input_buffer_depth * v->data_width / 8, 16 * v->load_width);
}

static struct rule_sides bus_feeds_load(const struct variant *v)
{
    return sides(v->row_bus_width, 8 * v->load_width);
}

static struct rule_sides registers_hold_operands(const struct variant *v)
{
    return sides(v->register_file_entries, v->instruction_depth + 1);
}

static struct rule_sides half_holds_bus_beats(const struct variant *v)
{
    return sides(v->unit_bytes / 2, 16 * (v->row_bus_width / 8));
}

static struct rule_sides half_holds_memory_beats(const struct variant *v)
{
    return sides(v->unit_bytes / 2, 16 * (v->memory_width / 8));
}

static struct rule_sides neighbours_exist(const struct variant *v)
{
    return sides(v->k, v->balance == VARIANT_BALANCE_NEIGHBOUR ? 2 : 1);
}

static struct rule_sides choice_exists(const struct variant *v)
{
    return sides(v->m, v->balance == VARIANT_BALANCE_DISPATCH ? 2 : 1);
}

static struct rule_sides reductions_stop_for_others(const struct variant *v)
{
    return sides(v->scalar_unit ? 0 : 1, v->decoupled_reductions);
}

static struct rule_sides channels_scale(const struct variant *v)
{
    return sides(v->functions >> VARIANT_REQUANTISE & 1, v->channel_groups != 0);
}

static struct rule_sides tables_are_loaded(const struct variant *v)
{
    return sides(v->channel_groups, v->lookup);
}

static struct rule_sides joins_have_channels(const struct variant *v)
{
    return sides(v->channel_groups, v->joins);
}

static struct rule_sides joins_have_32_bits(const struct variant *v)
{
    return sides(v->acc_width, v->joins ? 32 : 0);
}

/* Operands come in aligned groups of K. */
static struct rule_sides joins_have_even_groups(const struct variant *v)
{
    return sides(!v->joins || !(v->k & (v->k - 1)), 1);
}

static struct rule_sides softmax_reads_operands(const struct variant *v)
{
    return sides(v->joins, v->softmax != 0);
}

static struct rule_sides bank_has_one_port(const struct variant *v)
{
    return sides(1, v->local_bytes ? v->memory_ports : 1);
}

static struct rule_sides plain_has_bytes(const struct variant *v)
{
    return sides(8, v->plain_weights ? v->data_width : 8);
}

static struct rule_sides plain_has_index_bytes(const struct variant *v)
{
    return sides(!v->plain_weights || v->index_width == 8, 1);
}

static struct rule_sides plain_fits_bus(const struct variant *v)
{
    return sides(v->row_bus_width, v->plain_weights ? v->k * (v->index_width + v->data_width) : 0);
}

static struct rule_sides bitmap_is_plain(const struct variant *v)
{
    return sides(v->plain_weights, v->bitmap_weights);
}

static struct rule_sides bitmap_segments_fit(const struct variant *v)
{
    return sides(v->input_buffer_depth,
                 v->bitmap_weights ? VARIANT_BITMAP_PLACES * variant_entries_per_beat(v) : 0);
}

/* What the store engine takes in a cycle are whole groups, which fit a beat as bytes. */
static struct rule_sides groups_are_whole(const struct variant *v)
{
    return sides(variant_store_lanes(v), variant_store_takes(v) > 1 ? v->k : 0);
}

static struct rule_sides groups_fit_beat(const struct variant *v)
{
    const unsigned bytes = v->memory_width / 8;
    return sides(bytes < 32 ? bytes : 32, variant_store_takes(v) > 1 ? variant_store_takes(v) * v->k : 0);
}

static struct rule_sides groups_have_banks(const struct variant *v)
{
    return sides(v->result_queue_depth, variant_store_takes(v) > 1 ? 2 * variant_store_takes(v) : 0);
}

static struct rule_sides softmax_rounds_twice(const struct variant *v)
{
    return sides(v->roundings, v->softmax != 0);
}

static struct rule_sides ports_have_rows(const struct variant *v)
{
    return sides(v->n, v->memory_ports);
}

const struct variant_rule variant_rules[] = {
    {"n * row_bus_width >= memory_width * memory_ports",
     {"n", "row_bus_width", "memory_width", "memory_ports"},
     buses_take_memory,
     "the row buses together must take what memory delivers",
     "raise n or row_bus_width, or lower memory_width or memory_ports"},
    {"memory_ports <= n",
     {"memory_ports", "n"},
     ports_have_rows,
     "row r is loaded through port r mod memory_ports, so further ports would be idle",
     "lower memory_ports or raise n"},
    {"acc_width >= 2 * data_width + 4",
     {"acc_width", "data_width"},
     accumulator_holds_product,
     "a sum of 16 products must fit an accumulator",
     "raise acc_width or lower data_width"},
    {"acc_width >= 2 * data_width + ceil(log2(segment_max))",
     {"acc_width", "data_width", "segment_max"},
     accumulator_holds_segment,
     "the sum over the longest segment must fit an accumulator",
     "raise acc_width, or lower data_width or segment_max"},
    {"weight_queue_depth >= 2 * segment_max",
     {"weight_queue_depth", "segment_max"},
     weights_are_prefetched,
     "the next segment's weights arrive while this one computes",
     "raise weight_queue_depth or lower segment_max"},
    {"weight_queue_depth >= 2 * floor(row_bus_width / (k * (index_width + data_width)))",
     {"weight_queue_depth", "row_bus_width", "k", "index_width", "data_width"},
     weights_take_beats,
     "a weight queue must hold two beats of the row bus",
     "raise weight_queue_depth or lower row_bus_width"},
    {"input_buffer_depth >= segment_max",
     {"input_buffer_depth", "segment_max"},
     segment_fits_inputs,
     "every weight of a segment needs an activation of its own",
     "raise input_buffer_depth or lower segment_max"},
    {"input_buffer_depth * data_width / 8 >= 16 * load_width",
     {"input_buffer_depth", "data_width", "load_width"},
     blocks_are_lines,
     "each of the 16 blocks that an instruction's base can name must hold a whole loaded line",
     "raise input_buffer_depth or lower load_width"},
    {"row_bus_width >= 8 * load_width",
     {"row_bus_width", "load_width"},
     bus_feeds_load,
     "the row bus must deliver what a load writes in a cycle",
     "raise row_bus_width or lower load_width"},
    {"register_file_entries >= instruction_depth + 1",
     {"register_file_entries", "instruction_depth"},
     registers_hold_operands,
     "a full instruction buffer must leave room for an instruction of another one",
     "raise register_file_entries or lower instruction_depth"},
    {"unit_bytes / 2 >= 16 * row_bus_width / 8",
     {"unit_bytes", "row_bus_width"},
     half_holds_bus_beats,
     "half of a storage unit must hold 16 beats of the row bus",
     "raise unit_bytes or lower row_bus_width"},
    {"unit_bytes / 2 >= 16 * memory_width / 8",
     {"unit_bytes", "memory_width"},
     half_holds_memory_beats,
     "half of a storage unit must hold a burst of 16 beats of memory",
     "raise unit_bytes or lower memory_width"},
    {"k >= 2 when balance is neighbour",
     {"k", "balance"},
     neighbours_exist,
     "a single PE has no neighbour to share work with",
     "raise k or set balance to none"},
    {"m >= 2 when balance is dispatch",
     {"m", "balance"},
     choice_exists,
     "with a single cluster a row there is nothing to choose from",
     "raise m or set balance to none"},
    {"scalar_unit is off when decoupled_reductions is on",
     {"scalar_unit", "decoupled_reductions"},
     reductions_stop_for_others,
     "the scalar unit's SPU instructions stop their sequence",
     "set one of the two to off"},
    {"requantise is a function when channel_groups is above 0",
     {"functions", "channel_groups"},
     channels_scale,
     "multipliers and shifts of channels are those of a function",
     "add requantise to functions, or set channel_groups to 0"},
    {"channel_groups is above 0 when lookup is on",
     {"lookup"}, /* a rule is left out when one of its keys is absent */
     tables_are_loaded,
     "the table comes the way of the table of channels",
     "raise channel_groups or set lookup to off"},
    {"channel_groups is above 0 when joins is on",
     {"joins"},
     joins_have_channels,
     "a result that is joined was scaled by the table of channels before",
     "raise channel_groups, or set joins to off"},
    {"acc_width >= 32 when joins is on",
     {"acc_width", "joins"},
     joins_have_32_bits,
     "operands have up to 32 bits when they are added",
     "raise acc_width, or set joins to off"},
    {"k is a power of two when joins is on",
     {"k", "joins"},
     joins_have_even_groups,
     "operands are read in aligned groups of K",
     "change k, or set joins to off"},
    {"joins is on when softmax is above 0",
     {"softmax"}, /* a rule is left out when one of its keys is absent */
     softmax_reads_operands,
     "rows are read as operands of joins are",
     "set joins to on, or softmax to 0"},
    {"roundings is on when softmax is above 0",
     {"softmax"},
     softmax_rounds_twice,
     "shares of networks are rounded in two steps",
     "set roundings to on, or softmax to 0"},
    {"memory_ports is 1 when local_bytes is above 0",
     {"memory_ports", "local_bytes"},
     bank_has_one_port,
     "the activation bank is one memory, of which one word is read in a cycle",
     "set memory_ports to 1, or local_bytes to 0"},
    {"data_width is 8 when plain_weights is on",
     {"data_width", "plain_weights"},
     plain_has_bytes,
     "a plain weight is a byte",
     "set data_width to 8, or plain_weights to off"},
    {"index_width is 8 when plain_weights is on",
     {"index_width", "plain_weights"},
     plain_has_index_bytes,
     "a plain weight becomes an entry of two bytes",
     "set index_width to 8, or plain_weights to off"},
    {"row_bus_width >= k * (index_width + data_width) when plain_weights is on",
     {"row_bus_width", "k", "index_width", "data_width", "plain_weights"},
     plain_fits_bus,
     "a beat of the row bus must hold an entry for each PE",
     "raise row_bus_width, lower k, or set plain_weights to off"},
    {"plain_weights is on when bitmap_weights is on",
     {"bitmap_weights"},
     bitmap_is_plain,
     "a bitmap packet is a plain one of masks and weights",
     "set plain_weights to on, or bitmap_weights to off"},
    {"input_buffer_depth >= 8 * entries_per_beat when bitmap_weights is on",
     {"input_buffer_depth", "row_bus_width", "k", "bitmap_weights"},
     bitmap_segments_fit,
     "a segment has as many masks of eight places as a beat has entries of a PE",
     "raise input_buffer_depth, lower row_bus_width, or set bitmap_weights to off"},
    {"min(collector_width, max(memory_width, 128)) / 32 >= k when store_groups is above 1",
     {"collector_width", "memory_width", "k", "store_groups"},
     groups_are_whole,
     "what the store engine takes in a cycle are whole groups",
     "raise collector_width or memory_width, lower k, or set store_groups to 1"},
    {"min(32, memory_width / 8) >= store_groups * k when store_groups is above 1",
     {"memory_width", "k", "store_groups"},
     groups_fit_beat,
     "the groups of a cycle must fit a beat of memory as bytes, and 32 lanes",
     "raise memory_width, or lower k or store_groups"},
    {"result_queue_depth >= 2 * store_groups when store_groups is above 1",
     {"result_queue_depth", "store_groups"},
     groups_have_banks,
     "each bank of a collector holds two groups of a cluster at least",
     "raise result_queue_depth or lower store_groups"},
};

const size_t variant_rule_count = sizeof variant_rules / sizeof *variant_rules;

bool variant_rule_holds(const struct variant_rule *rule, const struct variant *variant)
{
    struct rule_sides both = rule->sides(variant);
    return both.left >= both.right;
}

void variant_rule_report(const struct variant_rule *rule, const struct variant *variant, struct place at,
                         struct diag *diag)
{
    struct rule_sides both = rule->sides(variant);
    struct strbuf values = {0};
    for (size_t i = 0; rule->keys[i]; i++) {
        sb_addf(&values, "%s%s = ", i ? ", " : "", rule->keys[i]);
        variant_key_value(variant, variant_key_find(rule->keys[i]), ",", &values);
    }
    diag_error(diag, at, "%s does not hold, %u < %u (%s): %s; %s", rule->text, both.left, both.right,
               sb_text(&values), rule->why, rule->fix);
    sb_free(&values);
}
