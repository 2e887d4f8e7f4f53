/* SPDX-License-Identifier: Apache-2.0
 *
 * A configured instruction buffer: the instructions, their operands and how
 * the operands change. Parsed from a configuration payload, which is checked
 * in full before anything is taken over.
 */
#ifndef TULLE_SIM_SEQUENCE_H
#define TULLE_SIM_SEQUENCE_H

#include <stdbool.h>

#include "sim/model/job.h"
#include "sim/numerics/numerics.h"

#include "gen/variant/variant.h"

enum instruction_opcode { I_MAC, I_LD, I_ST, I_SPU };
enum ld_target { LD_INPUT, LD_ACCUMULATOR, LD_WEIGHTS, LD_BUFFER };
enum weight_queue_state { QUEUE_SQ, QUEUE_RQ, QUEUE_SW };

#define SEQUENCE_MAX 32

/* Bits of an exec command. */
#define COMMAND_EXEC 0x80
#define COMMAND_SHIFT_OUT 0x40
#define COMMAND_LAST 0x20

struct instruction {
    enum instruction_opcode opcode;
    bool balance, chain, resume, keep;
    unsigned maximum; /* or not; of this width because instructions are compared byte by byte */
    unsigned acc;
    enum ld_target target;
    unsigned spu;         /* 0: a copy; else the number of its function record, from 1 */
    unsigned destination; /* scalar register, or 0 */
    unsigned base;        /* that was multiplied by the block and added */
    /* operands as configured: the base is already added to the address */
    uint32_t address, result;
    int32_t stride, pitch, result_stride;
    uint32_t inner, wrap; /* wrap: never 0 */
    /* of the extension record; 0 without one */
    unsigned scalar, result_scalar; /* registers added to address and result, or 0 */
    uint32_t pe_stride, outer;
    int32_t plane;
};

struct sequence {
    unsigned instructions, functions;
    enum weight_queue_state queue;
    bool update_pipeline, trigger, restart, after;
    unsigned defer; /* or not: sums are written with the last packet only */
    unsigned trigger_buffer, after_buffer;
    unsigned has_no_sign; /* or activations have one */
    int32_t zero;         /* what LDs of input subtract from activations */
    uint32_t block;
    uint32_t hold; /* iterations a segment serves, never 0 */
    struct instruction code[SEQUENCE_MAX];
    struct num_step table[ISA_FUNCTIONS];
};

/* MACs of the sequence, and whether it has an LD of weights. */
unsigned sequence_macs(const struct sequence *sequence);
bool sequence_loads_weights(const struct sequence *sequence);

/* Whether they do the same. */
bool sequence_same(const struct sequence *a, const struct sequence *b);

/* With `room` for so many instructions in the register file. */
enum job_code sequence_parse(struct sequence *sequence, const struct variant *variant, unsigned room,
                             const uint8_t *payload, size_t bytes);

/* Operands of one instruction while a sequence runs. */
struct operands {
    uint32_t address, result;
    uint32_t pass; /* iterations since pitch was last added */
    uint32_t turn; /* turns since plane was last added */
};
void operands_start(struct operands *operands, const struct instruction *instruction);
void operands_advance(struct operands *operands, const struct instruction *instruction,
                      uint32_t result_depth);

#endif
