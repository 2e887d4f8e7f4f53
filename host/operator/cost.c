/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the cost of a plan with the cycle model, for activations of the
 * density that the user expects. Only the choice of the plan depends on it,
 * never a result.
 */
#include <stdlib.h>
#include <string.h>

#include "host/formats/random.h"
#include "host/operator/operator.h"
#include "sim/cycle/cycle.h"

static bool set_slot(struct job *job, unsigned slot, const void *bytes, uint64_t size)
{
    uint8_t *to = malloc(size + 1);
    job->slots[slot].bytes = to;
    job->slots[slot].size = size;
    if (!to)
        return false;
    if (bytes)
        memcpy(to, bytes, size);
    else
        memset(to, 0, size);
    return true;
}

/* One next to the zero point in as many elements as are taken to be no zeros, here and there. */
static void fill_input(const struct cost *cost, struct job *job)
{
    const uint64_t threshold = (uint64_t)(cost->density * 65536);
    const unsigned bytes = cost->variant->data_width / 8;
    struct random random = {1};
    for (uint64_t i = 0; i + bytes <= job->slots[SLOT_INPUT].size; i += bytes)
        put_integer(job->slots[SLOT_INPUT].bytes + i, bytes,
                    cost->zero ^ (random_below(&random, 65536) < threshold));
}

/* A plan that takes longer than this is none to choose, and one that never ends is found out: eight times
 * what the multiplications and the memory port take at least, and something for a start. */
static uint64_t longest(const struct cost *cost, const struct plan *plan)
{
    struct variant_derived derived;
    variant_derive(cost->variant, &derived);
    const uint64_t bytes = plan->weights.len + plan->input_bytes + plan->output_bytes + plan->partial_bytes +
                           plan->scratch_bytes + plan->operand_bytes;
    return 8 * (cost->macs / derived.pes + bytes / derived.memory_bytes) + 20000;
}

static bool run(const struct cost *cost, const struct plan *plan, struct job *job, uint64_t *cycles)
{
    struct cycle_report report;
    const struct variant *variant = cost->variant;
    struct cycle_options options = cycle_defaults(variant);
    options.limit = longest(cost, plan);
    bool ok = set_slot(job, SLOT_PROGRAM, plan->program.text, plan->program.len) &&
              set_slot(job, SLOT_STATUS, NULL, ISA_STATUS_BYTES) &&
              set_slot(job, SLOT_WEIGHTS, plan->weights.text, plan->weights.len) &&
              set_slot(job, SLOT_INPUT, NULL, plan->input_bytes) &&
              set_slot(job, SLOT_OUTPUT, NULL, plan->output_bytes) &&
              set_slot(job, SLOT_PARTIAL, NULL, plan->partial_bytes) &&
              set_slot(job, SLOT_SCRATCH, NULL, plan->scratch_bytes) &&
              set_slot(job, SLOT_EXTRA, NULL, plan->operand_bytes);
    if (ok)
        fill_input(cost, job);
    if (!ok || !cycle_run(variant, &options, job, &report))
        return false;
    *cycles = report.result.cycles;
    ok = report.result.code == JOB_OK;
    cycle_report_free(&report);
    return ok;
}

bool cost_cycles(void *context, const struct plan *plan, uint64_t *cycles)
{
    const struct cost *cost = context;
    struct job job = {.number = 1};
    if (cost->macs > cost->most_macs) {
        *cycles = 1;
        return true;
    }
    bool ok = run(cost, plan, &job, cycles);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        free(job.slots[s].bytes);
    return ok;
}
