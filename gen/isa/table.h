/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of encodings describes every value that travels between host, command processor and clusters. The
 * Verilog decode header, the C header, the assembler, the disassembler, the register map and docs/isa.md are
 * derived from it.
 *
 * A family is a set of formats of the same size that share a place, for example an instruction slot or an
 * operation slot. The constant fields of a value tell which format it has. A format lists its fields in order
 * and without gaps, so positions are computed and never written down. The list begins at the most significant
 * bit for families that are numbered from the left, and at the least significant bit for all others.
 */
#ifndef TULLE_GEN_ISA_TABLE_H
#define TULLE_GEN_ISA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_MAJOR 1
#define ISA_MINOR 2

/* Widths that depend on the variant: a field's width is `bits` plus one of these. */
enum isa_width {
    ISA_FIXED,
    ISA_DATA_WIDTH,  /* bits of a value */
    ISA_INDEX_WIDTH, /* bits of the index part of a weight entry, end flag included */
};

struct isa_widths {
    unsigned data;
    unsigned index;
};

enum isa_kind {
    ISA_UINT,
    ISA_SINT,     /* two's complement */
    ISA_FLAG,     /* one bit */
    ISA_ENUM,     /* one of `values`; everything else is refused */
    ISA_CONST,    /* always `min`; tells formats of a family apart. ISA_ALL_ONES: every bit set */
    ISA_RESERVED, /* written 0, refused when not 0 */
    ISA_CHECK,    /* makes the exclusive or of all 32-bit words what isa_check_word() says */
    ISA_NESTED,   /* holds a value of the family `nested` */
};

#define ISA_ALL_ONES UINT64_MAX

struct isa_value {
    uint64_t value;
    const char *name; /* NULL ends a list */
    const char *doc;
};

struct isa_family;

struct isa_field {
    const char *name; /* NULL for reserved bits */
    enum isa_kind kind;
    int bits;
    enum isa_width width;
    uint64_t min; /* UINT: smallest legal value; CONST: the value */
    uint64_t max; /* UINT: largest legal value; 0 means all that fit */
    const struct isa_value *values;
    const struct isa_family *nested;
    /* When set, the field exists only if the named ENUM or FLAG field has this value; otherwise it is
     * reserved. */
    const char *when_field;
    uint64_t when_value;
    const char *doc;
};

struct isa_format {
    const char *name;
    const char *title;
    const char *doc;
    const struct isa_field *fields; /* ends with bits == 0 */
};

struct isa_family {
    const char *name;
    const char *title;
    const char *doc;
    int bits;                         /* the sum of every format's fields; 0 when it depends on the variant */
    bool from_left;                   /* bit 1 is the most significant one */
    const struct isa_format *formats; /* ends with name == NULL */
};

/* What the exclusive or of all 32-bit words of a checked record must be: a
 * flipped word, a record that is all zero and a record in the wrong place are
 * all found. `index` is the record's position where it has one, else 0. */
#define ISA_CHECK_SEED 0x54554C4Cu
static inline uint32_t isa_check_word(uint32_t index)
{
    return ISA_CHECK_SEED ^ index;
}

/* Sizes that several formats share. */
#define ISA_OPERATION_BYTES 64
#define ISA_CONFIG_RECORD_BYTES 16
#define ISA_STATUS_BYTES 128
#define ISA_SLOTS 8 /* with a buffer of the host's: the activation bank has none */
#define ISA_TOKENS 32
#define ISA_LOOP_LEVELS 3
#define ISA_FUNCTIONS 3 /* function-table entries of an operator */

extern const struct isa_family isa_command, isa_instruction, isa_packet, isa_config, isa_weight, isa_program,
    isa_operation, isa_status;

/* All of them, in the order of the documentation; NULL ends the list. */
extern const struct isa_family *const isa_families[];

/* Named sets of values that formats and registers share, for headers and documentation. */
struct isa_enum {
    const char *name;
    const char *doc;
    const struct isa_value *values;
};
extern const struct isa_enum isa_enums[]; /* ends with name == NULL */

extern const struct isa_value isa_function_values[], isa_status_codes[], isa_slot_values[];

/* Lists that C code names as well as the table: X(number, name, NAME, text). */
// clang-format off
/* Slots with a buffer of the host's, which registers tell. */
#define ISA_ARGUMENT_LIST(X) \
    X(0, program, PROGRAM, "the program, with the configurations it carries; read only") \
    X(1, status, STATUS, "the status record; written by the device at the end of every job, by no operation") \
    X(2, weights, WEIGHTS, "packed weights; read only") \
    X(3, input, INPUT, "activations; read only") \
    X(4, output, OUTPUT, "results; read and written") \
    X(5, partial, PARTIAL, "bias or partial sums to continue from; read only") \
    X(6, scratch, SCRATCH, "intermediate results; read and written") \
    X(7, extra, EXTRA, "a second activation operand; read only")

#define ISA_SLOT_LIST(X) \
    ISA_ARGUMENT_LIST(X) \
    X(8, bank, BANK, "the activation bank, memory on chip; read and written; begins as zeros in every job; refused in variants without `local_bytes` (no_feature)")

#define ISA_COLUMN_LIST(X) \
    X(0, none, NONE, "what is read are partial sums, which are added to the results of stores") \
    X(1, bias, BIAS, "added to the sum before the function, modulo 2^acc_width") \
    X(2, shift, SHIFT, "right shift; multipliers that are loaded later take it along") \
    X(3, multiplier, MULTIPLIER, "multiplier, which takes the shift that the table holds") \
    X(4, low, LOW, "lower limit") \
    X(5, high, HIGH, "upper limit") \
    X(6, lookup, LOOKUP, "not of channels: the table of the function lookup, 256 entries from entry 0 on; `group` is 0") \
    X(7, exponential, EXPONENTIAL, "not of channels: the table of softmax, 256 entries from entry 0 on, that of the largest number; `group` is 0")

#define ISA_OPERAND_LIST(X) \
    X(0, none, NONE, "what is read is what `column` says") \
    X(1, first, FIRST, "the first operand of joins without sums; the accumulate changes nothing else") \
    X(2, second, SECOND, "the second operand of joins; the accumulate changes nothing else")

#define ISA_JOIN_LIST(X) \
    X(0, none, NONE, "results have one operand") \
    X(1, add, ADD, "the first operand plus the second") \
    X(2, subtract, SUBTRACT, "the first operand minus the second") \
    X(3, multiply, MULTIPLY, "the product of both")

#define ISA_STATUS_LIST(X) \
    X(0, ok, OK, "the job finished") \
    X(1, running, RUNNING, "the job has not finished; never in a record") \
    X(2, bad_magic, BAD_MAGIC, "the program does not begin with the magic number") \
    X(3, bad_version, BAD_VERSION, "the program is for another major version of the instruction set, or for a newer minor one") \
    X(4, bad_check, BAD_CHECK, "a record of the program does not pass its check") \
    X(5, wrong_variant, WRONG_VARIANT, "the program was planned for another variant") \
    X(6, bad_opcode, BAD_OPCODE, "an operation with an opcode that is not defined") \
    X(7, bad_reserved, BAD_RESERVED, "reserved bits are not 0") \
    X(8, bad_field, BAD_FIELD, "a field outside its range or beyond the sizes of this variant; a second load in a sequence that loads weights; weights or sq in the middle of a round of rq") \
    X(9, bad_loop, BAD_LOOP, "loops not properly nested, too deep, empty, or longer than the program buffer; a ring of triggers") \
    X(10, bad_length, BAD_LENGTH, "the program is shorter than it says, or has no end") \
    X(11, deadlock, DEADLOCK, "every queue waits for a token and nothing is in flight") \
    X(12, token_overflow, TOKEN_OVERFLOW, "a token was signalled beyond its largest count") \
    X(13, stale_weights, STALE_WEIGHTS, "the storage units do not have the number that the program expects") \
    X(16, out_of_slot, OUT_OF_SLOT, "an address outside the slot's buffer") \
    X(17, not_writable, NOT_WRITABLE, "a store to a slot that operations may not write") \
    X(18, read_slave_error, READ_SLAVE_ERROR, "memory answered a read with SLVERR") \
    X(19, read_decode_error, READ_DECODE_ERROR, "memory answered a read with DECERR") \
    X(20, write_slave_error, WRITE_SLAVE_ERROR, "memory answered a write with SLVERR") \
    X(21, write_decode_error, WRITE_DECODE_ERROR, "memory answered a write with DECERR") \
    X(22, watchdog, WATCHDOG, "no progress within the watchdog's time") \
    X(23, aborted, ABORTED, "ended by a soft reset") \
    X(32, bad_command, BAD_COMMAND, "a command with reserved bits set, or a configuration without data") \
    X(33, bad_instruction, BAD_INSTRUCTION, "an instruction that is not defined or has reserved bits set") \
    X(34, config_version, CONFIG_VERSION, "a configuration for another version of the instruction set") \
    X(35, config_check, CONFIG_CHECK, "a configuration that does not pass its check") \
    X(36, config_length, CONFIG_LENGTH, "a configuration shorter or longer than its header says, or than a buffer holds") \
    X(37, not_configured, NOT_CONFIGURED, "an exec command for an instruction buffer that was never configured") \
    X(38, out_of_buffer, OUT_OF_BUFFER, "an address outside the input buffer or output queue") \
    X(39, queue_overflow, QUEUE_OVERFLOW, "a packet of weights that is not paced, a segment longer than the weight queue, or weights that are to stay and do not fit") \
    X(40, bad_escape, BAD_ESCAPE, "an escape of the weight stream that is not defined, or an end within a segment") \
    X(41, no_function, NO_FUNCTION, "a function that this variant does not have") \
    X(42, no_feature, NO_FEATURE, "a queue state, instruction, escape, rounding or way to send a packet that this variant does not have") \
    X(43, packet_length, PACKET_LENGTH, "a packet with more or fewer beats than its sequence consumes")
// clang-format on

enum isa_slot {
#define X(number, name, NAME, text) SLOT_##NAME = (number),
    ISA_SLOT_LIST(X)
#undef X
};

enum isa_column {
#define X(number, name, NAME, text) COLUMN_##NAME = (number),
    ISA_COLUMN_LIST(X)
#undef X
        ISA_COLUMNS
};

enum isa_operand {
#define X(number, name, NAME, text) OPERAND_##NAME = (number),
    ISA_OPERAND_LIST(X)
#undef X
};

enum isa_join {
#define X(number, name, NAME, text) JOIN_##NAME = (number),
    ISA_JOIN_LIST(X)
#undef X
};

/* The shift of a second operand: from 31 on, so many with 20 and with 15 fraction bits; and its smallest
 * multiplier. */
enum {
    ISA_OPERAND_SHIFT = 31,
    ISA_OPERAND_SHIFT_MAX_20 = 46,
    ISA_OPERAND_SHIFT_MAX_15 = 41,
    ISA_OPERAND_MULTIPLIER = 1 << 30
};

/* The control registers of s_axi_control: the layout Vitis expects of an RTL
 * kernel with ap_ctrl_chain, then identification, errors and counters. */
enum isa_access { ISA_READ_ONLY, ISA_READ_WRITE, ISA_WRITE_ONE_CLEARS, ISA_WRITE_ONLY };

struct isa_register {
    unsigned offset; /* bytes */
    const char *name;
    enum isa_access access;
    const struct isa_field *fields; /* from the least significant bit, 32 in all */
    const char *doc;
};
extern const struct isa_register isa_registers[]; /* ends with name == NULL */
#define ISA_REGISTER_SPACE 0x400

#endif
