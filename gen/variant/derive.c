/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gen/base/math.h"
#include "gen/variant/keys.h"

unsigned variant_bits_for(unsigned values)
{
    unsigned bits = 1;
    while (bits < 32 && values > 1u << bits)
        bits++;
    return bits;
}

static unsigned words_in(unsigned set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

unsigned variant_entries_per_beat(const struct variant *v)
{
    unsigned lane_bits = v->k * (v->index_width + v->data_width); /* one entry for each PE */
    return v->row_bus_width >= lane_bits ? v->row_bus_width / lane_bits : 1;
}

unsigned variant_bitmap_masks(const struct variant *v)
{
    return v->bitmap_weights ? v->input_buffer_depth / VARIANT_BITMAP_PLACES : 0;
}

unsigned variant_register_page(const struct variant *v)
{
    return v->instruction_depth >= 4 ? 4 : v->instruction_depth >= 2 ? 2 : 1;
}

unsigned variant_register_pages(const struct variant *v, unsigned entries)
{
    return math_divide_up(entries, variant_register_page(v));
}

/* Cycles that a MAC takes to the PEs beyond the usual ones: stages of the sequencer (rtl/tulle_sequencer.v),
 * and stages that compute an address for each PE. */
static unsigned mac_stages(const struct variant *v)
{
    return 2 * v->scalar_unit + 2 * v->pe_operands;
}

unsigned variant_macs(const struct variant *v)
{
    return mac_stages(v) ? VARIANT_MACS_MAX : VARIANT_MACS_MAX / 2;
}

unsigned variant_mac_slack(const struct variant *v)
{
    return 3 + mac_stages(v);
}

/* 32 bits of the collectors' width each; no more than a beat of memory holds, nor than the groups of K have,
 * but four where K allows. A power of two. */
unsigned variant_store_lanes(const struct variant *v)
{
    unsigned lanes = v->collector_width / 32;
    while (lanes > 4 && lanes * 32 > v->memory_width)
        lanes /= 2;
    while (lanes >= 2 * v->k)
        lanes /= 2;
    return lanes;
}

unsigned variant_store_takes(const struct variant *v)
{
    return v->store_groups ? v->store_groups : 1;
}

unsigned variant_partial_lanes(const struct variant *v)
{
    return v->k < 2 ? v->k : 2;
}

static void derive_sizes(const struct variant *v, struct variant_derived *d)
{
    d->pes_per_row = v->m * v->k;
    d->pes = v->n * d->pes_per_row;
    d->data_bytes = v->data_width / 8;
    d->acc_bytes = math_divide_up(v->acc_width, 8);
    d->bus_bytes = v->row_bus_width / 8;
    d->memory_bytes = v->memory_width / 8;
    d->collector_bytes = v->collector_width / 8;
    d->store_lanes = variant_store_lanes(v);
    d->store_takes = variant_store_takes(v);
    d->input_lines = v->input_buffer_depth * d->data_bytes / v->load_width;
    d->unit_lines = v->unit_bytes / d->bus_bytes;
    d->unit_half_lines = d->unit_lines / 2;
    d->local_words = v->local_bytes / d->memory_bytes;
    d->function_count = words_in(v->functions);
}

static void derive_weights(const struct variant *v, struct variant_derived *d)
{
    d->entry_bits = v->index_width + v->data_width;
    d->gap_max = (1u << (v->index_width - 1)) - 2; /* all ones is an escape */
    unsigned lane_bits = v->k * d->entry_bits;     /* one entry for each PE */
    d->entries_per_beat = v->row_bus_width >= lane_bits ? v->row_bus_width / lane_bits : 1;
    d->weight_beat_bytes = math_divide_up(lane_bits * d->entries_per_beat, 8);
    d->weight_beat_bus_beats = math_divide_up(d->weight_beat_bytes, d->bus_bytes);
    d->words_per_beat = math_divide_up(d->entries_per_beat, v->scan);
    d->beats_per_word = v->scan > d->entries_per_beat ? v->scan / d->entries_per_beat : 1;
    d->weight_words = v->weight_queue_depth / v->scan;
    d->segment_queue_depth = d->weight_words < 16 ? 16 : d->weight_words > 64 ? 64 : d->weight_words;
    d->pace_words = d->weight_words - 1; /* the word in which the segment before ended may still be held */
    d->pace_segments = d->segment_queue_depth - v->scan;
}

static void derive_widths(const struct variant *v, struct variant_derived *d)
{
    d->row_id_width = variant_bits_for(v->n);
    d->cluster_id_width = variant_bits_for(v->m);
    d->pe_id_width = variant_bits_for(v->k);
    d->input_addr_width = variant_bits_for(v->input_buffer_depth);
    d->input_line_addr_width = variant_bits_for(d->input_lines);
    d->activation_queue_addr_width = variant_bits_for(v->activation_queue_depth);
    d->weight_queue_addr_width = variant_bits_for(v->weight_queue_depth);
    d->result_queue_addr_width = variant_bits_for(v->result_queue_depth);
    d->segment_count_width = variant_bits_for(v->segment_max + 1);
    d->load_queue_addr_width = variant_bits_for(v->load_queue_depth);
    d->output_queue_addr_width = variant_bits_for(v->output_queue_depth);
    d->issue_queue_addr_width = variant_bits_for(v->issue_queue_depth);
    d->buffer_id_width = variant_bits_for(v->instruction_buffers);
    d->instruction_addr_width = variant_bits_for(v->instruction_depth);
    d->register_addr_width = variant_bits_for(v->register_file_entries);
    d->unit_addr_width = variant_bits_for(d->unit_lines);
    d->read_id_width = variant_bits_for(v->outstanding_reads);
    d->program_addr_width = variant_bits_for(v->program_buffer);
    d->command_queue_addr_width = variant_bits_for(v->command_queue_depth);
    d->token_width = variant_bits_for(v->tokens);
    d->local_addr_width = variant_bits_for(d->local_words);
}

void variant_derive(const struct variant *variant, struct variant_derived *out)
{
    derive_sizes(variant, out);
    derive_weights(variant, out);
    derive_widths(variant, out);
}

#define FIELD(field) #field, offsetof(struct variant_derived, field)

const struct variant_derived_field variant_derived_fields[] = {
    {FIELD(pes), "Processing elements of the array: n * m * k"},
    {FIELD(pes_per_row), "Processing elements of a row: m * k"},
    {FIELD(data_bytes), "Bytes of an activation or weight"},
    {FIELD(acc_bytes), "Bytes of a spilled partial sum: acc_width rounded up to bytes"},
    {FIELD(entry_bits), "Bits of a weight entry: index_width + data_width"},
    {FIELD(gap_max), "Largest gap of a weight entry; a larger gap takes an escape"},
    {FIELD(entries_per_beat), "Weight entries for each PE in a weight beat, at least 1"},
    {FIELD(weight_beat_bytes), "Bytes of a weight beat: entries_per_beat entries for each of k PEs"},
    {FIELD(weight_beat_bus_beats), "Beats of the row bus that a weight beat takes"},
    {FIELD(words_per_beat), "Words of scan entries that a weight beat makes for each PE"},
    {FIELD(beats_per_word), "Weight beats that make a word of scan entries for each PE"},
    {FIELD(weight_words), "Words of scan entries that a weight queue holds"},
    {FIELD(segment_queue_depth), "Ends of segments that a weight queue holds"},
    {FIELD(pace_words), "Words that a paced packet may bring a PE before all PEs have their segment"},
    {FIELD(pace_segments),
     "Ends of segments that a paced packet may bring a PE before all PEs have their segment"},
    {FIELD(bus_bytes), "Bytes of a beat of the row bus, and of a line of a storage unit"},
    {FIELD(memory_bytes), "Bytes of a beat of a memory port"},
    {FIELD(collector_bytes), "Bytes that a row's collector takes in a cycle"},
    {FIELD(store_lanes),
     "Results of a group of K that the store engine takes through function and narrowing in a cycle"},
    {FIELD(store_takes), "Groups of K that it takes so in a cycle"},
    {FIELD(input_lines), "Lines of load_width bytes in a PE's input buffer"},
    {FIELD(unit_lines), "Lines of a storage unit"},
    {FIELD(unit_half_lines), "Lines of half a storage unit"},
    {FIELD(local_words), "Words of the activation bank, each a beat of the memory port; 0: there is none"},
    {FIELD(function_count), "Functions of the variant"},
    {FIELD(row_id_width), "Width of a row's number"},
    {FIELD(cluster_id_width), "Width of a cluster's number in its row"},
    {FIELD(pe_id_width), "Width of a PE's number in its cluster"},
    {FIELD(input_addr_width), "Address width of an input buffer, by activation"},
    {FIELD(input_line_addr_width), "Address width of an input buffer, by line"},
    {FIELD(activation_queue_addr_width), "Address width of a cluster's activation queue"},
    {FIELD(weight_queue_addr_width), "Address width of a weight queue"},
    {FIELD(result_queue_addr_width), "Address width of a collector's queue of results"},
    {FIELD(segment_count_width), "Width of a count of 0..segment_max entries"},
    {FIELD(load_queue_addr_width), "Address width of a load queue"},
    {FIELD(output_queue_addr_width), "Address width of an output queue"},
    {FIELD(issue_queue_addr_width), "Address width of an issue queue"},
    {FIELD(buffer_id_width), "Width of an instruction buffer's number"},
    {FIELD(instruction_addr_width), "Address width of an instruction buffer"},
    {FIELD(register_addr_width), "Address width of the register file"},
    {FIELD(unit_addr_width), "Address width of a storage unit, by line"},
    {FIELD(read_id_width), "Width of the number of a read in flight"},
    {FIELD(program_addr_width), "Address width of the program buffer"},
    {FIELD(command_queue_addr_width), "Address width of a macro-operation queue"},
    {FIELD(token_width), "Width of a token's number"},
    {FIELD(local_addr_width), "Address width of the activation bank, by word"},
};

const size_t variant_derived_count = sizeof variant_derived_fields / sizeof *variant_derived_fields;
_Static_assert(sizeof(struct variant_derived) ==
                   sizeof(unsigned) * (sizeof variant_derived_fields / sizeof *variant_derived_fields),
               "every derived value is documented");

unsigned variant_derived_get(const struct variant_derived *derived, const struct variant_derived_field *field)
{
    unsigned value;
    memcpy(&value, (const char *)derived + field->offset, sizeof value);
    return value;
}
