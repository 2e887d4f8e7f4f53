/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan costs: the cycle model runs it, with activations that are all
 * there. Only the choice depends on it, no result.
 */
#include <stdlib.h>
#include <string.h>

#include "host/lib/library.h"
#include "sim/cycle/cycle.h"

static bool set_slot(struct job *job, unsigned slot, const void *bytes, uint64_t size, int fill)
{
    uint8_t *to = malloc(size + 1);
    job->slots[slot].bytes = to;
    job->slots[slot].size = size;
    if (!to)
        return false;
    if (bytes)
        memcpy(to, bytes, size);
    else
        memset(to, fill, size);
    return true;
}

static bool run(const struct variant *variant, const struct plan *plan, struct job *job, uint64_t *cycles)
{
    struct cycle_report report;
    const struct cycle_options options = cycle_defaults(variant);
    bool ok = set_slot(job, SLOT_PROGRAM, plan->program.text, plan->program.len, 0) &&
              set_slot(job, SLOT_STATUS, NULL, ISA_STATUS_BYTES, 0) &&
              set_slot(job, SLOT_WEIGHTS, plan->weights.text, plan->weights.len, 0) &&
              set_slot(job, SLOT_INPUT, NULL, plan->input_bytes, 1) &&
              set_slot(job, SLOT_OUTPUT, NULL, plan->output_bytes, 0) &&
              set_slot(job, SLOT_PARTIAL, NULL, plan->partial_bytes, 0) &&
              set_slot(job, SLOT_SCRATCH, NULL, plan->scratch_bytes, 0) &&
              cycle_run(variant, &options, job, &report);
    if (!ok)
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
    bool ok = run(cost->variant, plan, &job, cycles);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        free(job.slots[s].bytes);
    return ok;
}
