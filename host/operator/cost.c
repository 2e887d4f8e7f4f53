/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the cost of a plan with the cycle model, for activations of the
 * density that the user expects. Only the choice of the plan depends on it,
 * never a result.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/formats/random.h"
#include "host/operator/operator.h"
#include "sim/cycle/cycle.h"

static bool set_slot(struct job *job, unsigned slot, uint64_t size)
{
    job->slots[slot].bytes = calloc(size + 1, 1);
    job->slots[slot].size = size;
    return job->slots[slot].bytes;
}

/* What a job only reads stays the plan's. */
static void lend_slot(struct job *job, unsigned slot, const struct strbuf *bytes)
{
    job->slots[slot].bytes = (uint8_t *)bytes->text;
    job->slots[slot].size = bytes->len;
}

void cost_draw(double density, int zero, unsigned bytes, uint64_t size, uint8_t *to)
{
    const uint64_t threshold = (uint64_t)(density * 65536);
    struct random random = {1};
    for (uint64_t i = 0; i + bytes <= size; i += bytes)
        put_integer(to + i, bytes, zero ^ (random_below(&random, 65536) < threshold));
}

static bool fill_input(const struct cost *cost, const struct plan *plan, struct job *job)
{
    uint8_t *to = job->slots[SLOT_INPUT].bytes;
    if (cost->input && !plan->layout.needed)
        return cost->input(cost->of, plan, to);
    cost_draw(cost->density, cost->zero, cost->variant->data_width / 8, job->slots[SLOT_INPUT].size, to);
    return true;
}

static uint64_t macs_of(const struct cost *cost, const struct plan *plan)
{
    const double share = plan->summary.share;
    return share > 0 ? (uint64_t)((double)cost->macs * share) : cost->macs;
}

/* A plan that takes longer than this is none to choose, and one that never ends is found out: eight times
 * what the multiplications and the memory port take at least, and something for a start. */
static uint64_t longest(const struct cost *cost, const struct plan *plan)
{
    struct variant_derived derived;
    variant_derive(cost->variant, &derived);
    const uint64_t bytes = plan->weights.len + plan->input_bytes + plan->output_bytes + plan->partial_bytes +
                           plan->scratch_bytes + plan->operand_bytes;
    return 8 * (macs_of(cost, plan) / derived.pes + bytes / derived.memory_bytes) + 20000;
}

/* Of a bank it is some cycles, and of memory, where weights are, 64: with this one the sums of the steps of
 * keyword spotting, ResNet-8 and an autoencoder are 0.93 to 1.01 of what their sequences take. */
#define NEAR_LATENCY 20

static struct cycle_options options_of(const struct variant *variant, bool near)
{
    struct cycle_options options = cycle_defaults(variant);
    options.latency = near ? NEAR_LATENCY : options.latency;
    return options;
}

static bool run(const struct cost *cost, const struct plan *plan, struct job *job, struct plan_price *price)
{
    struct cycle_report report;
    const struct variant *variant = cost->variant;
    struct cycle_options options = options_of(variant, cost->near);
    options.limit = longest(cost, plan);
    lend_slot(job, SLOT_PROGRAM, &plan->program);
    lend_slot(job, SLOT_WEIGHTS, &plan->weights);
    bool ok =
        set_slot(job, SLOT_STATUS, ISA_STATUS_BYTES) && set_slot(job, SLOT_INPUT, plan->input_bytes) &&
        set_slot(job, SLOT_OUTPUT, plan->output_bytes) && set_slot(job, SLOT_PARTIAL, plan->partial_bytes) &&
        set_slot(job, SLOT_SCRATCH, plan->scratch_bytes) && set_slot(job, SLOT_EXTRA, plan->operand_bytes);
    ok = ok && fill_input(cost, plan, job);
    if (!ok || !cycle_run(variant, &options, job, &report))
        return false;
    *price = (struct plan_price){.cycles = report.result.cycles,
                                 .bytes = report.result.bytes_read + report.result.bytes_written};
    ok = report.result.code == JOB_OK;
    cycle_report_free(&report);
    return ok;
}

bool cost_of_plan(void *context, const struct plan *plan, struct plan_price *price)
{
    const struct cost *cost = context;
    struct job job = {.number = 1};
    if (macs_of(cost, plan) > cost->most_macs) {
        *price = (struct plan_price){.cycles = COST_NOT_ASKED};
        return true;
    }
    bool ok = run(cost, plan, &job, price);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        if (s != SLOT_PROGRAM && s != SLOT_WEIGHTS)
            free(job.slots[s].bytes);
    return ok;
}

/* A job of nothing but fences. */
static bool run_fences(const struct variant *variant, unsigned fences, uint64_t *cycles)
{
    const struct cycle_options options = options_of(variant, variant->local_bytes);
    struct strbuf program = {0};
    struct writer writer;
    struct cycle_report report;
    struct job job = {.number = 1};
    writer_begin(&writer, variant);
    for (unsigned i = 0; i < fences; i++)
        writer_op(&writer, "fence", NULL);
    bool ok = writer_finish(&writer, 0, &program) && set_slot(&job, SLOT_STATUS, ISA_STATUS_BYTES);
    lend_slot(&job, SLOT_PROGRAM, &program);
    ok = ok && cycle_run(variant, &options, &job, &report);
    if (ok) {
        *cycles = report.result.cycles;
        cycle_report_free(&report);
    }
    free(job.slots[SLOT_STATUS].bytes);
    writer_free(&writer);
    sb_free(&program);
    return ok;
}

bool cost_of_joint(const struct variant *variant, uint64_t *cycles)
{
    uint64_t job, fenced;
    const bool ok = run_fences(variant, 0, &job) && run_fences(variant, 1, &fenced);
    if (ok)
        *cycles = 2 * job - fenced;
    return ok;
}
