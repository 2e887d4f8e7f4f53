/* SPDX-License-Identifier: Apache-2.0
 *
 * A variant is the set of parameters of one accelerator, held in a plain structure. This header declares the
 * sources of a variant (a built-in name, a YAML file, overrides, a random seed) and the forms in which it is
 * written. A variant that one of these functions returned is legal: every value is in its range, and every
 * rule between values holds.
 */
#ifndef TULLE_GEN_VARIANT_H
#define TULLE_GEN_VARIANT_H

#include <stdint.h>

#include "gen/base/diag.h"
#include "gen/base/strbuf.h"

#define VARIANT_NAME_MAX 31

/* Indices into the word lists of the key table: order matters. */
enum variant_balance { VARIANT_BALANCE_NONE, VARIANT_BALANCE_NEIGHBOUR, VARIANT_BALANCE_DISPATCH };

enum variant_function {
    VARIANT_RELU,
    VARIANT_LEAKY_RELU,
    VARIANT_CLAMP,
    VARIANT_SIGMOID,
    VARIANT_TANH,
    VARIANT_REQUANTISE,
    VARIANT_SUM,
    VARIANT_MAX,
    VARIANT_AVERAGE,
    VARIANT_USER,
    VARIANT_FUNCTIONS
};

/* The parameters. gen/variant/keys.c gives the meaning, the range and the unit of each. All but the name are
 * unsigned, so that the key table needs only an offset. */
struct variant {
    char name[VARIANT_NAME_MAX + 1];
    unsigned n, m, k;
    unsigned data_width, acc_width, index_width;
    unsigned scan, input_buffer_depth, load_width, activation_queue_depth;
    unsigned scatter; /* 0 or 1 */
    unsigned weight_queue_depth, segment_max;
    unsigned load_queue_depth, output_queue_depth, issue_queue_depth;
    unsigned instruction_buffers, instruction_depth, register_file_entries;
    unsigned balance;   /* enum variant_balance */
    unsigned functions; /* a set: bit f stands for enum variant_function f */
    unsigned row_bus_width, memory_width, memory_ports, outstanding_reads, unit_bytes, collector_width;
    unsigned result_queue_depth;
    unsigned program_buffer, command_queue_depth, tokens;
    unsigned counters;             /* 0 or 1 */
    unsigned host_port;            /* 0 or 1 */
    unsigned accumulators;         /* 0 or 1 */
    unsigned pe_operands;          /* 0 or 1 */
    unsigned scalar_unit;          /* 0 or 1 */
    unsigned decoupled_reductions; /* 0 or 1 */
    unsigned parallel_issue;       /* 0 or 1 */
    unsigned zero_points;          /* 0 or 1 */
    unsigned channel_groups;       /* 0: no table of channels */
    unsigned roundings;            /* 0 or 1 */
    unsigned lookup;               /* 0 or 1 */
    unsigned joins;                /* 0 or 1 */
    unsigned softmax;              /* 0: no softmax */
    unsigned long_jumps;           /* 0 or 1 */
    unsigned local_bytes;          /* 0: no activation bank */
    unsigned plain_weights;        /* 0 or 1 */
    unsigned gather_lines;         /* 0: results are not gathered */
    unsigned bitmap_weights;       /* 0 or 1 */
    unsigned job_queue;            /* 0 or 1 */
    unsigned packed_programs;      /* 0 or 1 */
    unsigned kept_weights;         /* 0 or 1 */
    unsigned store_groups;         /* 0: as 1; use store_takes of struct variant_derived */
};

/* Values that follow from the parameters. gen/variant/derive.c documents each. */
struct variant_derived {
    unsigned pes, pes_per_row;
    unsigned data_bytes, acc_bytes, entry_bits, gap_max;
    unsigned entries_per_beat, weight_beat_bytes, weight_beat_bus_beats;
    unsigned words_per_beat, beats_per_word, weight_words, segment_queue_depth, pace_words, pace_segments;
    unsigned bus_bytes, memory_bytes, collector_bytes, store_lanes, store_takes;
    unsigned input_lines, unit_lines, unit_half_lines, local_words, function_count;
    unsigned row_id_width, cluster_id_width, pe_id_width;
    unsigned input_addr_width, input_line_addr_width;
    unsigned activation_queue_addr_width, result_queue_addr_width;
    unsigned weight_queue_addr_width, segment_count_width, load_queue_addr_width;
    unsigned output_queue_addr_width, issue_queue_addr_width;
    unsigned buffer_id_width, instruction_addr_width, register_addr_width;
    unsigned unit_addr_width, read_id_width, program_addr_width, command_queue_addr_width, token_width;
    unsigned local_addr_width;
};

/* VARIANT as a user writes it: a path when it ends in .yaml or .yml or holds a '/', else the name of a
 * built-in variant. `sets` are "key=value" overrides (lists: "functions=relu,max"). False, with every
 * problem reported, when the result is not a legal variant; *out is then unspecified. */
bool variant_load(const char *variant, const char *const *sets, size_t set_count, struct variant *out,
                  struct diag *diag);
bool variant_load_file(const char *path, const char *const *sets, size_t set_count, struct variant *out,
                       struct diag *diag);
bool variant_load_named(const char *name, const char *const *sets, size_t set_count, struct variant *out,
                        struct diag *diag);
/* The same from text in memory; `label` stands for the file in messages. */
bool variant_load_text(const char *label, const struct strbuf *text, const char *const *sets,
                       size_t set_count, struct variant *out, struct diag *diag);

/* The built-in variants, in alphabetical order; NULL after the last. */
const char *variant_named(size_t index);

/* A legal variant with n * m * k <= 64: the same for a seed on every machine, degenerate sizes included. */
void variant_random(uint64_t seed, struct variant *out);
/* The same with a bias to corners: 1 or 16 of rows, clusters or PEs, and most keys at an end of their range.
 */
void variant_corner(uint64_t seed, struct variant *out);

void variant_derive(const struct variant *variant, struct variant_derived *out);

/* Entries of each PE in a beat of weights. Reads only k, index_width, data_width and row_bus_width, so it
 * also works before the variant is legal. */
unsigned variant_entries_per_beat(const struct variant *variant);

#define VARIANT_BITMAP_PLACES 8 /* places of a mask of a bitmap packet */

/* Masks for all places of an input buffer: a segment has no more. 0: the variant has no bitmap packets. */
unsigned variant_bitmap_masks(const struct variant *variant);

/* The instruction buffers of a cluster share its register file in pages. These functions return the entries
 * of one page and the number of pages that hold `entries` (rtl/tulle_instruction_store.v). */
unsigned variant_register_page(const struct variant *variant);
unsigned variant_register_pages(const struct variant *variant, unsigned entries);

/* MACs that a PE may have, issued and not closed (rtl/tulle_issue_ring.v). */
unsigned variant_macs(const struct variant *variant);
#define VARIANT_MACS_MAX 32
/* Partial sums that are read from memory in a cycle. */
unsigned variant_partial_lanes(const struct variant *variant);
/* As the derived values of these names, which do not depend on others. */
unsigned variant_store_lanes(const struct variant *variant);
unsigned variant_store_takes(const struct variant *variant);
/* MACs that may still be issued when a PE has no more room: cycles until the sequencer learns of it. */
unsigned variant_mac_slack(const struct variant *variant);

/* The hash that identifies the hardware of a variant: FNV-1a (64 bits) over the lines "key=value\n" of every
 * key in table order, then "isa_version=<isa_version>\n". The value of a list is its words in table order,
 * joined by commas. */
uint64_t variant_hash(const struct variant *variant, const char *isa_version);
void variant_write_canonical(const struct variant *variant, const char *isa_version, struct strbuf *to);

/* A complete, commented variant file: loading it gives the same variant. */
void variant_write_yaml(const struct variant *variant, struct strbuf *to);
/* Every parameter, every derived value, the ISA version and the hash. */
void variant_write_json(const struct variant *variant, const char *isa_version, struct strbuf *to);
/* Every key, rule and derived value, for readers; also valid Markdown (docs/variants.md). */
void variant_list_keys(struct strbuf *to);

#endif
