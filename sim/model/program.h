/* SPDX-License-Identifier: Apache-2.0
 *
 * The command processor's view of a program: checks the header, walks the
 * operations, unrolls loops, and hands out operations with every address
 * resolved. Used by the functional and by the cycle model, so that both
 * refuse the same programs for the same reasons.
 */
#ifndef TULLE_SIM_PROGRAM_H
#define TULLE_SIM_PROGRAM_H

#include <stdbool.h>

#include "gen/isa/packed.h"
#include "gen/variant/variant.h"
#include "sim/model/channels.h"
#include "sim/model/job.h"

enum opcode { OP_END = 1, OP_LOAD, OP_DISTRIBUTE, OP_STORE, OP_ACCUMULATE, OP_LOOP, OP_ENDLOOP, OP_FENCE };

#define NO_TOKEN ISA_TOKENS

/* Runs of bytes in a slot, loop steps already added. */
struct pattern {
    unsigned slot;
    uint64_t offset;
    uint32_t length;
    unsigned runs, planes;
    int32_t run_pitch, plane_pitch;
};

struct operation {
    enum opcode code;
    uint64_t place;              /* byte offset in the program */
    unsigned wait[2], signal[2]; /* token or NO_TOKEN */
    uint16_t rows, clusters;
    struct pattern memory;
    uint32_t unit_address; /* bytes, modulo the storage unit */
    bool zero;             /* load */
    uint16_t fill;         /* the activation that a load of zeros writes */
    uint8_t command;       /* distribute */
    bool scatter, dispatch, plain, bitmap;
    uint16_t count;
    uint16_t segment, segments; /* of a plain packet: weights, or masks, of a segment, segments of each PE */
    bool interleave, no_sign;   /* store */
    unsigned element;           /* store, accumulate */
    struct channel_walk channels;               /* store */
    bool walks;                                 /* loops change the first group of channels */
    bool source, sum_clusters, sum_rows, final; /* accumulate */
    uint16_t group;                             /* of the table of channels */
    enum isa_column column;
    struct channel_use by_channel;
    enum isa_operand operand;
    enum isa_join join;
    bool alone, scale_first, fraction_15;
    uint16_t softmax; /* elements of a row; 0: none */
    unsigned function, result, rounding, shift;
    int32_t multiplier;
    int16_t low, high, zero_point, slope;
};

/* An operation's record, checked and decoded, before steps of loops are added. */
struct known_record {
    bool known;
    bool stepped; /* loops change the addresses */
    bool early;   /* it is packed, and whole lines of the program are behind it */
    struct operation op;
    int64_t offset_step[ISA_LOOP_LEVELS], unit_step[ISA_LOOP_LEVELS]; /* in bytes */
    int64_t group_step[ISA_LOOP_LEVELS];
    uint32_t level, iterations, body; /* of loops */
};

struct program {
    const uint8_t *bytes;
    uint64_t size;
    const struct variant *variant;
    uint32_t operations;
    uint64_t lines; /* 64 bytes each, of header and operations */
    bool packed;
    struct isa_unpacker unpacker; /* of a packed program */
    struct known_record *records; /* of each operation, or NULL: every visit decodes */
    uint8_t tokens[ISA_TOKENS];   /* initial counts */
    uint32_t expects, leaves;     /* numbers of what storage units hold, before and after the job */
    /* where the walk is */
    uint32_t next; /* position of the next operation; the first is 1 */
    unsigned depth;
    struct {
        unsigned level;
        uint32_t start, iterations;
    } loops[ISA_LOOP_LEVELS];
    uint32_t index[ISA_LOOP_LEVELS]; /* current pass of each level */
    uint64_t loops_walked;           /* begins and ends of loops that were passed */
};

/* Each returns JOB_OK or what is wrong; `result` gets code, queue and offset then. */
enum job_code program_open(struct program *program, const struct variant *variant, uint64_t hash,
                           const uint8_t *bytes, uint64_t size, struct job_result *result);

/* The next load, distribute, store, accumulate, fence or end. */
enum job_code program_next(struct program *program, struct operation *op, struct job_result *result);

/* Whether [offset, offset + length) of every run lies in a buffer of `size` bytes. */
bool program_pattern_fits(const struct pattern *pattern, uint64_t size);
uint64_t program_pattern_bytes(const struct pattern *pattern);

/* Bytes of a packet on the row bus: each of a plain one becomes an entry. */
static inline uint64_t program_packet_bytes(const struct operation *op)
{
    return program_pattern_bytes(&op->memory) << op->plain;
}

/* Byte offset of run `run` of plane `plane`; the pattern was checked against its slot. */
static inline uint64_t program_run_offset(const struct pattern *p, unsigned plane, unsigned run)
{
    return (uint64_t)((int64_t)p->offset + (int64_t)plane * p->plane_pitch + (int64_t)run * p->run_pitch);
}

/* Byte `index` of the activations that a load writes instead of zeros. */
static inline uint8_t program_fill_byte(const struct variant *variant, uint16_t fill, size_t index)
{
    return (uint8_t)(fill >> (variant->data_width == 8 ? 0 : index % 2 * 8));
}

#endif
