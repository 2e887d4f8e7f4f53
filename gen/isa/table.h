/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of encodings: everything that travels between host, command
 * processor and clusters is described here, once. The Verilog decode header,
 * the C header, the assembler, the disassembler, the register map and
 * docs/isa.md are all derived from it.
 *
 * A family is a set of formats of the same size that share a place (an
 * instruction slot, an operation slot). Which format a value has is told by
 * its constant fields. Fields of a format are listed in order and without
 * gaps, so a position is never written down twice: from the most significant
 * bit for families numbered from the left, from the least significant bit for
 * all others.
 */
#ifndef TULLE_GEN_ISA_TABLE_H
#define TULLE_GEN_ISA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_MAJOR 1
#define ISA_MINOR 0

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
#define ISA_SLOTS 8
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
