/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/single.h"

#include <stdlib.h>

void single_free(struct single_zeros *zeros)
{
    free(zeros->at);
    *zeros = (struct single_zeros){0};
}

/* Most activations are not 0. */
static inline bool none_of_eight(const int32_t *a)
{
    return !(!a[0] | !a[1] | !a[2] | !a[3] | !a[4] | !a[5] | !a[6] | !a[7]);
}

static bool find_zeros(struct single_zeros *zeros, struct cluster *c)
{
    if (zeros->at && zeros->cluster == c && zeros->loads == c->loads)
        return true;
    if (!zeros->at)
        zeros->at = malloc((c->variant->input_buffer_depth + 1) * sizeof *zeros->at);
    if (!zeros->at)
        return false;
    const int32_t *input = cluster_input(c, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->written;) {
        if (c->written - i >= 8 && none_of_eight(input + i)) {
            i += 8;
            continue;
        }
        for (const uint32_t end = c->written - i < 8 ? c->written : i + 8; i < end; i++) {
            zeros->at[count] = (uint16_t)i;
            count += !input[i];
        }
    }
    zeros->cluster = c;
    zeros->count = count;
    zeros->loads = c->loads;
    return true;
}

static uint32_t first_from(const struct single_zeros *zeros, uint32_t address)
{
    uint32_t low = 0, high = zeros->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (zeros->at[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Weights of the packet that meet an activation of 0. */
static uint64_t without_effect(const struct single_zeros *zeros, const struct cluster *c,
                               const struct decoded_packet *packet, uint32_t address)
{
    const size_t end = address + packet->positions;
    uint64_t count = 0;
    for (uint32_t i = first_from(zeros, address); i < zeros->count && zeros->at[i] < end; i++)
        count += packet->uses[zeros->at[i] - address];
    for (size_t p = c->written > address ? c->written - address : 0; p < packet->positions; p++)
        count += packet->uses[p];
    return count;
}

enum job_code single_execute(struct cluster *c, const struct sequence *s, struct operands *operands,
                             uint8_t command, const struct decoded_packet *packet,
                             const struct stripes *stripes, uint32_t address, struct single_zeros *zeros)
{
    const struct variant *v = c->variant;
    const int32_t *input = cluster_input(c, 0) + address;
    int32_t sums[PES_MAX];
    enum job_code code = find_zeros(zeros, c) ? JOB_OK : JOB_QUEUE_OVERFLOW;
    if (code)
        return code;
    for (uint32_t n = 0; !code && n < packet->key.segments; n++) {
        stripes_multiply(stripes, n, v->k, input, sums);
        cluster_close_all(c, s, &s->code[1], command, operands[1].result, sums, 1);
        for (unsigned i = 2; !code && command & COMMAND_SHIFT_OUT && i < s->instructions; i++)
            code = cluster_store_results(c, operands[i].result);
        for (unsigned i = 0; i < s->instructions; i++)
            operands_advance(&operands[i], &s->code[i], v->output_queue_depth);
    }
    c->effective_macs += packet->entries - without_effect(zeros, c, packet, address);
    c->scanned += packet->entries;
    return code;
}
