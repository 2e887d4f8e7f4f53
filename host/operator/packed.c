/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of a packed operator, and the sums that its jobs begin with.
 */
#include <stdlib.h>

#include "host/operator/operator.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t packed_blocks(uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

void packed_sizes(struct packed *packed)
{
    for (uint32_t i = 0; i < packed->parts; i++) {
        const struct plan *p = &packed->part[i].plan;
        packed->input_bytes = larger(packed->input_bytes, p->input_bytes);
        packed->output_bytes = larger(packed->output_bytes, p->output_bytes);
        packed->partial_bytes = larger(packed->partial_bytes, p->partial_bytes);
        packed->scratch_bytes = larger(packed->scratch_bytes, p->scratch_bytes);
        packed->operand_bytes = larger(packed->operand_bytes, p->operand_bytes);
        packed->program_bytes = larger(packed->program_bytes, p->program.len);
        packed->weights_bytes = larger(packed->weights_bytes, p->weights.len);
        packed->all_program_bytes += packed_blocks(p->program.len);
        packed->all_weights_bytes += packed_blocks(p->weights.len);
    }
}

enum tulle_status packed_partial(const struct planned *op, struct packed *packed)
{
    for (uint32_t i = 0; i < packed->parts; i++) {
        struct part *part = &packed->part[i];
        if (!part->plan.partial_bytes)
            continue;
        part->partial = calloc(1, part->plan.partial_bytes);
        if (!part->partial)
            return message_no_memory();
        operands_bias(op, packed, part, part->partial);
    }
    return TULLE_OK;
}
