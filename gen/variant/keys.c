/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/variant/keys.h"

#include <string.h>

#include "gen/base/near.h"

static const unsigned data_widths[] = {8, 16};
static const unsigned scans[] = {1, 2, 4};
static const unsigned load_widths[] = {4, 8, 16, 32};
static const unsigned bus_widths[] = {64, 128, 256, 512};
static const unsigned collector_widths[] = {128, 256, 512};
static const unsigned softmax_rows[] = {0, 64, 128, 256, 512, 1024, 2048, 4096};
static const unsigned local_sizes[] = {0,     1024,  2048,   4096,   8192,   16384,
                                       32768, 65536, 131072, 262144, 524288, 1048576};
static const unsigned store_groups[] = {1, 2, 4};
static const unsigned gather_lines[] = {0, 32, 64, 128, 256, 512, 1024};
static const unsigned channel_groups[] = {0, 16, 32, 64, 128, 256, 512, 1024};
static const char *const balances[] = {"none", "neighbour", "dispatch"};
static const char *const switches[] = {"off", "on"};
static const char *const functions[] = {"relu",       "leaky_relu", "clamp", "sigmoid", "tanh",
                                        "requantise", "sum",        "max",   "average", "user"};

#define COUNT(array) (sizeof(array) / sizeof *(array))
_Static_assert(COUNT(functions) == VARIANT_FUNCTIONS, "every function has a word");
_Static_assert(COUNT(balances) == VARIANT_BALANCE_DISPATCH + 1, "every balancing scheme has a word");

#define FIELD(field) .name = #field, .offset = offsetof(struct variant, field)
#define RANGE(low, high) .kind = KEY_RANGE, .min = (low), .max = (high)
#define POWER(low, high) .kind = KEY_POWER, .min = (low), .max = (high)
#define SET(array) .kind = KEY_SET, .numbers = (array), .count = COUNT(array)
#define WORD(array) .kind = KEY_WORD, .words = (array), .count = COUNT(array)
#define WORD_LIST(array) .kind = KEY_WORD_LIST, .words = (array), .count = COUNT(array)

/* The ranges already imply that a weight entry has at most 32 bits, that a row bus beat holds at least one
 * entry, that a load writes at least one activation a cycle, and that a collector's beat holds an
 * accumulator: a wider range here needs a rule in rules.c. */
const struct variant_key variant_keys[] = {
    {FIELD(name), .section = "Identity", .kind = KEY_IDENTIFIER, .max = VARIANT_NAME_MAX,
     .text = "Name of the variant, part of the names of what is generated"},

    {FIELD(n), .section = "Shape", RANGE(1, 16), .unit = "rows",
     .text = "Rows of the array; each has a storage unit, a distribution unit, a bus and a collector"},
    {FIELD(m), RANGE(1, 16), .unit = "clusters", .text = "Clusters of a row; each has a control unit"},
    {FIELD(k), RANGE(1, 16), .unit = "PEs", .text = "Processing elements of a cluster"},

    {FIELD(data_width), .section = "Numbers", SET(data_widths), .unit = "bits",
     .text = "Width of activations and weights, signed"},
    {FIELD(acc_width), RANGE(24, 64), .unit = "bits",
     .text = "Width of accumulators and partial sums; sums wrap modulo 2^acc_width"},
    {FIELD(index_width), RANGE(6, 16), .unit = "bits",
     .text = "Width of the index part of a weight entry: the gap and the end-of-segment flag"},

    {FIELD(scan), .section = "Processing element", SET(scans), .unit = "weights",
     .text = "Weights that a PE scans in a cycle"},
    {FIELD(input_buffer_depth), POWER(64, 65536), .unit = "activations",
     .text = "Depth of a PE's input buffer; it has a mask bit for each activation"},
    {FIELD(load_width), SET(load_widths), .unit = "bytes",
     .text = "Bytes written into the input buffers of a cluster in a cycle: a line"},
    {FIELD(activation_queue_depth), POWER(2, 1024), .unit = "beats",
     .text = "Row-bus beats of activations that a cluster queues before its input buffers"},
    {FIELD(scatter), WORD(switches),
     .text = "Whether clusters can scatter a packet, value i to PE i mod K; this takes a block RAM for each "
             "activation of a line"},
    {FIELD(weight_queue_depth), POWER(16, 4096), .unit = "entries", .text = "Depth of a PE's weight queue"},
    {FIELD(segment_max), RANGE(8, 2048), .unit = "entries",
     .text = "Longest segment, i.e. weights that one MAC runs over in one PE, that the other sizes must "
             "suffice for"},
    {FIELD(load_queue_depth), RANGE(2, 64), .unit = "groups",
     .text = "Depth of a PE's load queue; a group has up to scan pairs of non-zeros"},
    {FIELD(output_queue_depth), POWER(4, 4096), .unit = "accumulators",
     .text = "Depth of a PE's output queue, which also keeps partial sums between packets"},
    {FIELD(issue_queue_depth), RANGE(2, 16), .unit = "instructions",
     .text = "Issued MACs that a PE queues, so that PEs need not wait for each other at every segment"},

    {FIELD(instruction_buffers), .section = "Cluster control unit", RANGE(1, 32), .unit = "buffers",
     .text = "Instruction buffers of a cluster; one sequencer runs the sequences of all of them"},
    {FIELD(instruction_depth), RANGE(1, 32), .unit = "instructions",
     .text = "Depth of an instruction buffer"},
    {FIELD(register_file_entries), RANGE(4, 256), .unit = "entries",
     .text =
         "Register-file entries, each an instruction with its operands; all buffers of a cluster share them"},

    {FIELD(balance), .section = "Load balancing and functions", WORD(balances),
     .text = "Load balancing: none, work that moves between neighbouring PEs, or packets that go to the "
             "least loaded cluster"},
    {FIELD(functions), WORD_LIST(functions),
     .text = "Functions of the clusters and of the store engine; the order does not matter"},

    {FIELD(row_bus_width), .section = "Rows and memory", SET(bus_widths), .unit = "bits",
     .text = "Width of the bus from a row's distribution unit to its clusters"},
    {FIELD(memory_width), SET(bus_widths), .unit = "bits", .text = "Data width of a memory port (AXI4)"},
    {FIELD(memory_ports), RANGE(1, 4), .unit = "ports",
     .text = "Memory ports; row r is loaded through port r mod memory_ports"},
    {FIELD(outstanding_reads), RANGE(1, 256), .unit = "bursts",
     .text = "Reads in flight on a memory port; they hide the latency of the memory"},
    {FIELD(unit_bytes), POWER(1024, 1048576), .unit = "bytes",
     .text = "Size of a row's storage unit; plans load one part of it while packets are read from another"},
    {FIELD(collector_width), SET(collector_widths), .unit = "bits",
     .text = "Results that a row's collector takes in a cycle"},
    {FIELD(result_queue_depth), POWER(2, 64), .unit = "groups",
     .text = "Groups of K results that a collector queues for each cluster"},

    {FIELD(program_buffer), .section = "Command processor", POWER(8, 256), .unit = "macro-operations",
     .text = "Macro-operations held on chip: the longest loop body"},
    {FIELD(command_queue_depth), RANGE(2, 16), .unit = "macro-operations",
     .text = "Depth of each of the queues load, distribute, store and accumulate"},
    {FIELD(tokens), RANGE(4, 32), .unit = "tokens", .text = "Dependency tokens between the queues"},
    {FIELD(counters), WORD(switches), .text = "Whether there are performance counters"},

    {FIELD(host_port), .section = "Host", WORD(switches), .optional = true,
     .text = "Host port: an AXI4 master for the host's memory, a copy engine and the registers of a PCIe "
             "function"},

    {FIELD(accumulators), .section = "Instruction set", WORD(switches), .optional = true, .undrawn = true,
     .text = "Four accumulation buffers in each PE, which MACs name, and sums that are written with the last "
             "packet only"},
    {FIELD(pe_operands), WORD(switches), .optional = true, .undrawn = true,
     .text = "Operands for each PE: the address of a MAC may advance from PE to PE"},
    {FIELD(scalar_unit), WORD(switches), .optional = true, .undrawn = true,
     .text = "Scalar unit: scalar registers, operands with a second turn, and all forms of SPU instructions"},
    {FIELD(decoupled_reductions), WORD(switches), .optional = true, .undrawn = true,
     .text = "Reductions over the PEs that run beside MACs of other entries, in variants with sum, max or "
             "average"},
    {FIELD(parallel_issue), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "A second sequencer in each cluster, which issues LDs of activations in the same cycles as other "
         "instructions"},
    {FIELD(zero_points), WORD(switches), .optional = true, .undrawn = true,
     .text = "Zero points of activations, which LDs of activations subtract, and activations and results "
             "without a "
             "sign"},
    {FIELD(channel_groups), SET(channel_groups), .optional = true, .undrawn = true, .unit = "groups of K",
     .text =
         "Table of the store engine with bias, multiplier, shift and limits of output channels, in groups "
         "of K; 0: none"},
    {FIELD(roundings), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "Functions that round halves to even or in two steps, as quantised networks prescribe, besides up"},
    {FIELD(lookup), WORD(switches), .optional = true, .undrawn = true,
     .text = "A function of the store engine that is a table of 256 entries, for int8"},
    {FIELD(joins), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "Joins: stores add, subtract or multiply results and a second operand from memory, or two operands "
         "from memory"},
    {FIELD(softmax), SET(softmax_rows), .optional = true, .undrawn = true, .unit = "elements",
     .text =
         "Softmax of the store engine, of rows from memory that have at most so many int8 elements; 0: none"},
    {FIELD(long_jumps), WORD(switches), .optional = true, .undrawn = true,
     .text = "Entries of the weight stream that jump far, for matrices that are wide and nearly empty"},
    {FIELD(local_bytes), SET(local_sizes), .optional = true, .undrawn = true, .most = 4096, .unit = "bytes",
     .text =
         "Activation bank: memory on chip for what is between layers, which stores write, and loads, partial "
         "sums and operands read; 0: none"},
    {FIELD(plain_weights), WORD(switches), .optional = true, .undrawn = true,
     .text = "Plain packets: weights of dense segments that take a byte each in memory and storage units, "
             "and of which the distribution units make entries"},
    {FIELD(gather_lines), SET(gather_lines), .optional = true, .undrawn = true, .most = 256, .unit = "beats",
     .text =
         "Beats of memory on chip in which results of several runs that lie side by side wait until they are "
         "whole beats and bursts; 0: none"},
    {FIELD(bitmap_weights), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "Bitmap packets: pruned weights that take a byte each in memory and storage units, and a bit for "
         "each place, and of which the distribution units make entries"},
    {FIELD(job_queue), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "Queue of jobs: a job may be written while one runs, and begins by itself, before the end of that "
         "one where it can"},
    {FIELD(store_groups), SET(store_groups), .optional = true, .undrawn = true, .unit = "groups of K",
     .text = "Groups of results that the store engine takes, narrows and packs in a cycle; left out: 1"},
    {FIELD(packed_programs), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "Packed programs: operations that take a fifth of the room as differences to others before them"},
    {FIELD(kept_weights), WORD(switches), .optional = true, .undrawn = true,
     .text =
         "Kept weights: storage units hold over jobs what programs number, and programs may expect a number"},
};

const size_t variant_key_count = COUNT(variant_keys);
_Static_assert(COUNT(variant_keys) <= VARIANT_KEYS_MAX, "arrays by key are large enough");

const struct variant_key *variant_key_find(const char *name)
{
    for (size_t i = 0; i < variant_key_count; i++)
        if (!strcmp(variant_keys[i].name, name))
            return &variant_keys[i];
    return NULL;
}

bool variant_key_is_number(const struct variant_key *key)
{
    return key->kind == KEY_RANGE || key->kind == KEY_POWER || key->kind == KEY_SET;
}

bool variant_key_left_out(const struct variant *variant, const struct variant_key *key)
{
    return key->optional && !variant_get(variant, key);
}

unsigned variant_get(const struct variant *variant, const struct variant_key *key)
{
    unsigned value;
    memcpy(&value, (const char *)variant + key->offset, sizeof value);
    return value;
}

void variant_set(struct variant *variant, const struct variant_key *key, unsigned value)
{
    memcpy((char *)variant + key->offset, &value, sizeof value);
}

static void add_words(const struct variant_key *key, struct strbuf *to)
{
    for (size_t i = 0; i < key->count; i++)
        sb_addf(to, "%s%s", i ? ", " : "", key->words[i]);
}

void variant_key_allowed(const struct variant_key *key, struct strbuf *to)
{
    switch (key->kind) {
    case KEY_IDENTIFIER:
        sb_addf(to, "a lower-case letter, then lower-case letters, digits or underscores; at most %u",
                key->max);
        break;
    case KEY_RANGE:
        sb_addf(to, "%u..%u", key->min, key->max);
        break;
    case KEY_POWER:
        sb_addf(to, "a power of two, %u..%u", key->min, key->max);
        break;
    case KEY_SET:
        sb_add(to, "one of ");
        for (size_t i = 0; i < key->count; i++)
            sb_addf(to, "%s%u", i ? ", " : "", key->numbers[i]);
        break;
    case KEY_WORD:
        sb_add(to, "one of ");
        add_words(key, to);
        break;
    case KEY_WORD_LIST:
        sb_add(to, "a list of any of ");
        add_words(key, to);
        break;
    }
}

void variant_key_value(const struct variant *variant, const struct variant_key *key, const char *separator,
                       struct strbuf *to)
{
    if (key->kind == KEY_IDENTIFIER) {
        sb_add(to, (const char *)variant + key->offset);
        return;
    }
    unsigned value = variant_get(variant, key), listed = 0;
    if (key->kind == KEY_WORD)
        sb_add(to, key->words[value]);
    else if (variant_key_is_number(key))
        sb_addf(to, "%u", value);
    for (size_t i = 0; key->kind == KEY_WORD_LIST && i < key->count; i++)
        if (value >> i & 1)
            sb_addf(to, "%s%s", listed++ ? separator : "", key->words[i]);
}

static bool parse_identifier(const struct variant_key *key, const char *text, struct variant *out)
{
    size_t len = strlen(text);
    if (len > key->max || strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") != len ||
        !(text[0] >= 'a' && text[0] <= 'z'))
        return false;
    memcpy((char *)out + key->offset, text, len + 1);
    return true;
}

/* Decimal only, and no leading zeros, which YAML 1.1 would take for octal. */
static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text) && (text[0] != '0' || !text[1]);
}

static bool parse_number(const char *text, unsigned *value)
{
    if (!is_number(text) || strlen(text) > 9)
        return false;
    for (*value = 0; *text; text++)
        *value = *value * 10 + (unsigned)(*text - '0');
    return true;
}

static bool in_set(const struct variant_key *key, unsigned value)
{
    for (size_t i = 0; i < key->count; i++)
        if (key->numbers[i] == value)
            return true;
    return false;
}

static bool number_allowed(const struct variant_key *key, unsigned value)
{
    if (key->kind == KEY_SET)
        return in_set(key, value);
    bool in_range = value >= key->min && value <= key->max;
    return in_range && (key->kind != KEY_POWER || (value & (value - 1)) == 0);
}

static bool parse_word(const struct variant_key *key, const char *text, unsigned *index)
{
    for (*index = 0; *index < key->count; ++*index)
        if (!strcmp(key->words[*index], text))
            return true;
    return false;
}

static void report_value(const struct variant_key *key, const char *text, struct place at, struct diag *diag)
{
    struct strbuf message = {0};
    bool number = is_number(text);
    sb_addf(&message, "key \"%s\": ", key->name);
    if (number && strlen(text) <= 20)
        sb_add(&message, text);
    else
        sb_add_quoted(&message, text);
    sb_add(&message, " is not allowed: ");
    variant_key_allowed(key, &message);
    if (!number && variant_key_is_number(key))
        sb_add(&message, ", in decimal and without leading zeros");
    bool words = key->kind == KEY_WORD || key->kind == KEY_WORD_LIST;
    const char *near = words ? near_word(text, key->words, key->count) : NULL;
    if (near)
        sb_addf(&message, "; did you mean \"%s\"?", near);
    diag_error(diag, at, "%s", sb_text(&message));
    sb_free(&message);
}

static bool add_to_list(const struct variant_key *key, unsigned index, struct place at, struct variant *out,
                        struct diag *diag)
{
    unsigned set = variant_get(out, key);
    if (set >> index & 1) {
        diag_error(diag, at, "key \"%s\": \"%s\" is listed twice", key->name, key->words[index]);
        return false;
    }
    variant_set(out, key, set | 1u << index);
    return true;
}

bool variant_key_parse(const struct variant_key *key, const char *text, struct place at, struct variant *out,
                       struct diag *diag)
{
    unsigned value = 0;
    bool ok;
    if (key->kind == KEY_IDENTIFIER)
        ok = parse_identifier(key, text, out);
    else if (variant_key_is_number(key))
        ok = parse_number(text, &value) && number_allowed(key, value);
    else
        ok = parse_word(key, text, &value);
    if (!ok)
        report_value(key, text, at, diag);
    else if (key->kind == KEY_WORD_LIST)
        ok = add_to_list(key, value, at, out, diag);
    else if (key->kind != KEY_IDENTIFIER)
        variant_set(out, key, value);
    return ok;
}
