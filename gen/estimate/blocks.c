/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts block RAMs and DSP blocks, memory by memory, from the modules in rtl/ and from the rules by which
 * Yosys maps memories.
 */
#include <string.h>

#include "gen/base/math.h"
#include "gen/emit/params.h"
#include "gen/estimate/estimate.h"

/* A memory of `depth` words of `width` bits, read in `pieces` of a word. `open`: Yosys chooses what it
 * becomes, which for small ones is LUT RAM. */
struct memory {
    unsigned width, pieces, depth, times;
    bool open;
};

/* A kind of block: the widest word, with and without the bits of parity, of which there are `depth`. */
struct block {
    unsigned width, plain, depth;
    double size;
};

static const struct block ramb18 = {36, 32, 512, 0.5}, ramb36 = {72, 64, 512, 1}, dp16kd = {36, 32, 512, 1};

/* Bits of a word that a block of this kind brings when there are to be so many words: half as many for
 * twice the words. Bytes below 8 bits have no parity, on either side. */
static unsigned bits_of(const struct block *block, const struct memory *m)
{
    unsigned width = block->width, plain = block->plain;
    for (unsigned depth = block->depth; depth < m->depth && plain > 1; depth *= 2) {
        plain /= 2;
        width = plain >= 8 ? width / 2 : plain;
    }
    return plain / m->pieces >= 8 ? width : plain;
}

static double blocks_of_whole(const struct block *block, const struct memory *m)
{
    const unsigned bits = bits_of(block, m), deepest = block->depth * block->plain;
    const unsigned ranks = math_divide_up(m->depth, deepest), side_by_side = math_divide_up(m->width, bits);
    return block->size * m->times * ranks * side_by_side;
}

/* Pieces may also be dealt out to several memories, with a choice between them behind. */
static double blocks_of(const struct block *block, const struct memory *m)
{
    double least = blocks_of_whole(block, m);
    for (unsigned parts = 2; parts <= m->pieces; parts *= 2) {
        const struct memory part = {m->width / parts, m->pieces / parts, m->depth, m->times * parts, m->open};
        const double blocks = blocks_of_whole(block, &part);
        least = blocks < least ? blocks : least;
    }
    return least;
}

/* Whether LUT RAM is cheaper to Yosys, as was found by trying: a RAM64M8 has seven bits of 64 words, a
 * RAM32M16 fourteen of 32. */
static bool is_lut_ram(const struct memory *m, double blocks)
{
    const unsigned bits = m->depth <= 32 ? 14 : 7;
    const unsigned cells =
        math_divide_up(m->width / m->pieces, bits) * m->pieces * math_divide_up(m->depth, 64);
    const double each = blocks / m->times;
    return m->open && cells < (each > 0.5 ? 18 * each : 12);
}

/* The same of ECP5, whose synthesis leaves every memory open: a TRELLIS_DPR16X4 has four bits of sixteen
 * words, and Yosys counts it as a 32nd of a block, a fifth more with what chooses between them. */
static bool is_ecp5_lut_ram(const struct memory *m)
{
    const unsigned cells = (m->width / m->pieces + 3) / 4 * m->pieces * ((m->depth + 15) / 16);
    const double blocks = m->width > dp16kd.width ? (double)m->width / dp16kd.width : 1;
    return cells * 5 < 128 * blocks;
}

/* The smaller of what the family has. A word that is read in more pieces than a block's has bits is not
 * there. */
static double count(const char *family, const struct memory *m)
{
    if (!m->times || m->depth * m->pieces <= 1)
        return 0;
    if (!strcmp(family, "ecp5"))
        return is_ecp5_lut_ram(m) ? 0 : blocks_of(&dp16kd, m);
    const double small = blocks_of(&ramb18, m), large = blocks_of(&ramb36, m);
    const double blocks = small < large ? small : large;
    return is_lut_ram(m, blocks) ? 0 : blocks;
}

/* sigmoid and tanh are one table. */
static bool has_curve(const struct variant *v)
{
    return v->functions & (1u << VARIANT_SIGMOID | 1u << VARIANT_TANH);
}

/* ---- a cluster ------------------------------------------------------------------------------------------
 */

/* rtl/tulle_scatter.v: lines of two rounds for each activation of a line. */
static struct memory scatter(const struct variant *v)
{
    const unsigned line = 8 * v->load_width / v->data_width;
    const unsigned each =
        v->k % line == 0 || line % v->k == 0 ? math_divide_up(v->k, line) : (v->k + line - 2) / line + 1;
    unsigned part = 1;
    while (part < each)
        part *= 2;
    return (struct memory){8 * v->load_width, line, 2 * part, v->scatter ? line : 0, false};
}

static double cluster_blocks(const struct variant *v, const char *family)
{
    const unsigned line = 8 * v->load_width / v->data_width, pieces = v->row_bus_width / (8 * v->load_width);
    const struct memory memories[] = {
        /* An input buffer's lines, one of mask for each activation: rtl/tulle_input_buffer.v. */
        {line * (v->data_width + 1), line, v->input_buffer_depth / line, v->scan * v->k, true},
        /* Words of scan entries, each with two bits more: rtl/tulle_weight_queue.v. */
        {v->scan * (2 + v->data_width + v->index_width), 1, v->weight_queue_depth / v->scan, v->k, true},
        {v->acc_width, 1, v->output_queue_depth, v->k, false},
        /* Beats with a flag in each piece: rtl/tulle_activation_queue.v, for activations and for packets. */
        {v->row_bus_width + pieces, pieces, v->activation_queue_depth, 1, false},
        {v->row_bus_width + 32, 1, 16, 1, false},
        scatter(v),
        {26, 1, 512, has_curve(v), false}, /* rtl/tulle_curve_table.v */
    };
    double blocks = 0;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        blocks += count(family, &memories[i]);
    return blocks;
}

/* ---- around the clusters --------------------------------------------------------------------------------
 */

/* Groups of K results, in parts as wide as the collector takes in a cycle: rtl/tulle_collector.v. */
static double collector_blocks(const struct variant *v, const char *family)
{
    const unsigned lanes = v->collector_width / (v->acc_width <= 32 ? 32 : 64),
                   takes = variant_store_takes(v);
    double blocks = 0;
    for (unsigned first = 0; first < v->k; first += lanes) {
        const unsigned here = v->k - first < lanes ? v->k - first : lanes;
        const struct memory part = {here * v->acc_width, 1, v->m * v->result_queue_depth / takes,
                                    v->n * takes, false};
        blocks += count(family, &part);
    }
    return blocks;
}

/* Four bursts of 1024 bytes, read in pieces: rtl/tulle_partial_reader.v. */
static struct memory partial_lines(const struct variant *v)
{
    const unsigned lanes = v->k < 2 ? v->k : 2, line = v->memory_width / 8;
    unsigned chunk = lanes * (v->acc_width > 32 ? 8 : 4);
    chunk = chunk < 8 ? 8 : chunk;
    chunk = line < chunk ? line : chunk;
    return (struct memory){v->memory_width, line / chunk, 4 * 1024 / line, 1, false};
}

/* The same of an operand of a join, read in pieces of two chunks or eight bytes: rtl/tulle_operand_reader.v.
 */
static struct memory operand_lines(const struct variant *v, const struct variant_derived *d)
{
    const unsigned line = v->memory_width / 8, piece = d->store_lanes < 4 ? 8 : 2 * d->store_lanes;
    return (struct memory){v->memory_width, line / piece, 4 * 1024 / line, 2 * v->joins, false};
}

/* rtl/tulle_channel_table.v: biases, multipliers, shifts and both limits, in chunks of the store engine's
 * lanes. */
static double channel_blocks(const struct variant *v, const struct variant_derived *d, const char *family)
{
    unsigned words = v->channel_groups;
    for (unsigned lanes = d->store_lanes; lanes < v->k; lanes *= 2)
        words *= 2;
    const struct memory memories[] = {{d->store_lanes * v->acc_width, 1, words, 1, false},
                                      {47, 1, words, d->store_lanes, false},
                                      {d->store_lanes * 6, 1, words, 1, false},
                                      {d->store_lanes * 16, 1, words, 2, false}};
    double blocks = 0;
    for (size_t i = 0; v->channel_groups && i < sizeof memories / sizeof *memories; i++)
        blocks += count(family, &memories[i]);
    return blocks;
}

/* Words of which bytes are written. A block has as many bytes of a word as half a RAMB36 has for so many
 * words. */
static struct memory byte_words(unsigned words, unsigned width)
{
    const unsigned bytes = words <= 512 ? 4 : words <= 1024 ? 2 : 1;
    return (struct memory){8 * bytes, 1, words, words ? width / (8 * bytes) : 0, false};
}

/* Such words, and twice the number of a job for each: rtl/tulle_bank.v. */
static double bank_blocks(const struct variant *v, const struct variant_derived *d, const char *family)
{
    const unsigned words = d->local_words;
    unsigned job = 1;
    if (!words)
        return 0;
    while (8u << (job - 1) < words)
        job++;
    const struct memory data = byte_words(words, v->memory_width), tags = {job, 1, words, 2, false};
    return count(family, &data) + count(family, &tags);
}

static double around_blocks(const struct variant *v, const char *family)
{
    struct variant_derived d;
    variant_derive(v, &d);
    unsigned command_depth = 1;
    while (command_depth < v->command_queue_depth + 1)
        command_depth *= 2;
    const unsigned banks = params_banks(v), lanes = d.store_takes * d.store_lanes;
    /* Of a load its fill, of a store its walk: rtl/tulle_command.v. */
    const unsigned more = v->channel_groups ? 64 : v->zero_points ? 16 : 0;
    const struct memory memories[] = {
        {64, 1, v->unit_bytes / 8 / banks, v->n * banks, false},               /* rtl/tulle_storage_unit.v */
        {v->memory_width, 1, v->program_buffer, 512 / v->memory_width, false}, /* rtl/tulle_command_fetch.v */
        {26 + 26 + 376 + more, 1, 4 * command_depth, 1, false}, /* rtl/tulle_command_queues.v */
        {1 + 48 + 64, 1, 4 * command_depth, 1, false},
        {8, 1, 64, 8, false}, /* arguments, twice: rtl/tulle_control.v */
        partial_lines(v),
        operand_lines(v, &d),
        {8, 1, 256, v->lookup * lanes, false}, /* rtl/tulle_lookup.v */
        {8 * d.store_lanes, 1, v->softmax / d.store_lanes, v->softmax ? 1 : 0,
         false}, /* rtl/tulle_softmax.v */
        {31, 1, 512, v->softmax ? d.store_lanes : 0, false},
        {26, 1, 512, has_curve(v) ? lanes : 0, false},      /* rtl/tulle_curve_table.v */
        {v->memory_width + 1, 1, 512, v->host_port, false}, /* what is copied: rtl/tulle_copy_move.v */
        {26, 1, 64, strcmp(family, "ecp5") != 0 ? 0 : v->n,
         false},                                      /* places: rtl/tulle_distribution_unit.v */
        byte_words(v->gather_lines, v->memory_width), /* rtl/tulle_store_gather.v */
    };
    double blocks = collector_blocks(v, family) + channel_blocks(v, &d, family) + bank_blocks(v, &d, family);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        blocks += count(family, &memories[i]);
    return blocks;
}

double estimate_block_rams(const struct variant *variant, const char *family, enum estimate_part part)
{
    return part == ESTIMATE_CLUSTER ? cluster_blocks(variant, family) : around_blocks(variant, family);
}

/* ---- DSP blocks -----------------------------------------------------------------------------------------
 */

/* Of a factor of 24 bits, which on ECP5 is two of 18. */
static unsigned factor_dsps(const char *family)
{
    return strcmp(family, "ecp5") != 0 ? 1 : 2;
}

/* Of a lane of the store engine: rtl/tulle_function_lanes.v. */
static unsigned lane_dsps(const struct variant *v, const char *family)
{
    const unsigned each = factor_dsps(family);
    const unsigned limbs = v->acc_width <= 35 ? 2 : v->acc_width <= 52 ? 3 : 4;
    const unsigned scaling =
        1u << VARIANT_REQUANTISE | 1u << VARIANT_AVERAGE | 1u << VARIANT_SIGMOID | 1u << VARIANT_TANH;
    if (v->functions & scaling)
        return 2 * limbs * each + has_curve(v);
    return v->functions & 1u << VARIANT_LEAKY_RELU ? 2 * each : 0;
}

/* Of a lane of joins: rtl/tulle_join_lanes.v. */
static unsigned join_dsps(const struct variant *v, const char *family)
{
    return v->joins ? 2 * factor_dsps(family) + 1 : 0;
}

/* Of a PE: its product, and on ECP5, for which Yosys takes a DSP block even for small products, the place of
 * one of four entries where an entry is no power of two (rtl/tulle_weight_queue.v). */
static unsigned pe_dsps(const struct variant *v, const struct variant_derived *d, const char *family)
{
    const bool is_power = !(d->entry_bits & (d->entry_bits - 1));
    return 1 + (!strcmp(family, "ecp5") && v->scan == 4 && !is_power);
}

/* Of the command processor's addresses; on ECP5 also where the place of an error is in the words of three
 * rows and more. Of the store engine: a product of softmax, and what rotates the results of eight lanes
 * (rtl/tulle_softmax.v, rtl/tulle_store_pack.v). */
static unsigned around_dsps(const struct variant *v, const struct variant_derived *d, const char *family)
{
    return 2 + (!strcmp(family, "ecp5") && v->n > 2) + (v->softmax ? 2 : 0) +
           (d->store_lanes == 8 && d->store_takes == 1 ? v->acc_width : 0);
}

unsigned estimate_dsps(const struct variant *variant, const char *family, enum estimate_part part)
{
    struct variant_derived d;
    variant_derive(variant, &d);
    return part == ESTIMATE_CLUSTER ? variant->k * pe_dsps(variant, &d, family) + has_curve(variant)
                                    : around_dsps(variant, &d, family) +
                                          d.store_takes * d.store_lanes * lane_dsps(variant, family) +
                                          d.store_lanes * join_dsps(variant, family);
}
