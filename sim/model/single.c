/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/single.h"

#include "sim/model/notes.h"

enum job_code single_execute(struct cluster *c, unsigned buffer, uint8_t command,
                             const struct decoded_packet *packet, const struct stripes *stripes,
                             uint32_t address)
{
    const struct variant *v = c->variant;
    const struct sequence *s = &c->buffer[buffer];
    const uint32_t wrap = s->code[1].wrap;
    struct operands *operands = c->operands[buffer];
    const int32_t *input =
        address + packet->positions <= wrap ? cluster_input(c, 0) : notes_unrolled(c, wrap);
    int32_t sums[PES_MAX];
    enum job_code code = input && notes_look(c) ? JOB_OK : JOB_QUEUE_OVERFLOW;
    if (code)
        return code;
    for (uint32_t n = 0; !code && n < packet->key.segments; n++) {
        stripes_multiply(stripes, n, v->k, input + address, sums);
        cluster_close_all(c, s, &s->code[1], command, operands[1].result, sums, 1);
        for (unsigned i = 2; !code && command & COMMAND_SHIFT_OUT && i < s->instructions; i++)
            code = cluster_store_results(c, operands[i].result);
        for (unsigned i = 0; i < s->instructions; i++)
            operands_advance(&operands[i], &s->code[i], v->output_queue_depth);
    }
    c->effective_macs +=
        packet->multiplied - notes_without_effect(c, packet->uses, packet->positions, address, wrap);
    c->scanned += packet->entries;
    return code;
}
