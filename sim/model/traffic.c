/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/traffic.h"

#include "sim/model/array.h"
#include "sim/model/model.h"
#include "sim/model/program.h"

/* The bank's bytes are none of memory. */
static uint64_t pattern_bytes(const struct pattern *p)
{
    return p->slot == SLOT_BANK ? 0 : program_pattern_bytes(p);
}

/* Of partial sums and operands all elements are read, and of a column of the table of channels whole groups
 * of K. */
static uint64_t bytes_of_accumulate(const struct variant *v, const struct operation *op)
{
    const uint64_t group = (uint64_t)v->k * num_element_bytes((enum num_element)op->element),
                   bytes = pattern_bytes(&op->memory);
    if (op->column)
        return bytes - bytes % group;
    return op->source || op->operand ? bytes : 0;
}

static void add(const struct variant *v, const struct operation *op, struct traffic *t)
{
    uint64_t read = 0;
    if (op->code == OP_LOAD && !op->zero)
        read = pattern_bytes(&op->memory) * (unsigned)__builtin_popcount(array_load_ports(v, op->rows));
    else if (op->code == OP_STORE)
        t->written += pattern_bytes(&op->memory);
    else if (op->code == OP_ACCUMULATE)
        read = bytes_of_accumulate(v, op);
    t->read += read;
    t->weights += op->memory.slot == SLOT_WEIGHTS ? read : 0;
    t->program += op->memory.slot == SLOT_PROGRAM ? read : 0;
}

bool traffic_of_program(const struct variant *variant, const uint8_t *program, uint64_t size,
                        struct traffic *traffic)
{
    struct program p;
    struct job_result result = {0};
    struct operation op = {0};
    enum job_code code = program_open(&p, variant, model_variant_hash(variant), program, size, &result);
    *traffic = (struct traffic){.written = ISA_STATUS_BYTES};
    if (!code)
        traffic->read = traffic->program = p.lines * ISA_OPERATION_BYTES;
    while (!code && op.code != OP_END) {
        code = program_next(&p, &op, &result);
        if (!code)
            add(variant, &op, traffic);
    }
    return !code;
}
