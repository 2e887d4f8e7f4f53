/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bench/plan_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/model.h"

static void *must(void *memory)
{
    if (!memory) {
        fputs("plan: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void compute(struct plan_run *run)
{
    const struct sparse *w = run->description->weights;
    for (uint32_t m = 0; m < run->description->m; m++)
        for (uint32_t n = 0; n < w->rows; n++) {
            const int8_t *a = run->activations + (size_t)m * w->columns;
            int32_t sum = 0;
            for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++) {
                sum += a[w->column[e]] * w->value[e];
                run->macs += a[w->column[e]] != 0;
            }
            run->expected[(size_t)m * w->rows + n] = sum;
        }
}

void plan_run_begin(struct plan_run *run, const struct setup *setup, const struct plan_description *d,
                    double density)
{
    const struct sparse *w = d->weights;
    size_t inputs = (size_t)d->m * w->columns, outputs = (size_t)d->m * w->rows;
    *run = (struct plan_run){.setup = setup, .description = d};
    run->activations = must(malloc(inputs + 1));
    run->expected = must(malloc((outputs + 1) * sizeof *run->expected));
    measured_activations(run->activations, inputs, density);
    compute(run);
    run->roofline = roofline(&setup->variant, run->macs, w->start[w->rows], inputs, outputs);
}

void plan_run_end(struct plan_run *run)
{
    free(run->activations);
    free(run->expected);
}

static void set_slot(struct job *job, unsigned slot, const void *bytes, uint64_t size)
{
    job->slots[slot].bytes = must(malloc(size + 1));
    job->slots[slot].size = size;
    if (bytes)
        memcpy(job->slots[slot].bytes, bytes, size);
    else
        memset(job->slots[slot].bytes, 0, size);
}

static void set_slots(const struct plan_run *run, const struct plan *plan, struct job *job)
{
    const struct sparse *w = run->description->weights;
    *job = (struct job){.number = 1};
    set_slot(job, SLOT_PROGRAM, plan->program.text, plan->program.len);
    set_slot(job, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    set_slot(job, SLOT_WEIGHTS, plan->weights.text, plan->weights.len);
    set_slot(job, SLOT_INPUT, NULL, plan->input_bytes);
    set_slot(job, SLOT_OUTPUT, NULL, plan->output_bytes);
    set_slot(job, SLOT_SCRATCH, NULL, plan->scratch_bytes);
    for (uint32_t m = 0; m < run->description->m; m++)
        for (uint32_t k = 0; k < w->columns; k++) {
            uint64_t at = plan_input_offset(plan, m, k);
            if (at != PLAN_NOWHERE)
                job->slots[SLOT_INPUT].bytes[at] = (uint8_t)run->activations[(size_t)m * w->columns + k];
        }
}

static void compare(const struct plan_run *run, const struct plan *plan, const struct job *job)
{
    const struct sparse *w = run->description->weights;
    for (uint32_t m = 0; m < run->description->m; m++)
        for (uint32_t n = 0; n < w->rows; n++) {
            int32_t expected = run->expected[(size_t)m * w->rows + n];
            int64_t got = plan_result(plan, job->slots[SLOT_OUTPUT].bytes, m, n, 0);
            if (got == expected)
                continue;
            fprintf(stderr, "plan: result [%u][%u] is %lld, not %d\n", m, n, (long long)got, expected);
            exit(1);
        }
}

uint64_t plan_run_cycles(const struct plan_run *run, const struct plan *plan)
{
    struct job job;
    struct cycle_report report;
    set_slots(run, plan, &job);
    if (!cycle_run(&run->setup->variant, &run->setup->options, &job, &report))
        must(NULL);
    if (report.result.code != JOB_OK) {
        fprintf(stderr, "plan: the job ended with %s at %llu\n", job_code_name(report.result.code),
                (unsigned long long)report.result.offset);
        exit(1);
    }
    compare(run, plan, &job);
    uint64_t cycles = report.result.cycles;
    cycle_report_free(&report);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        free(job.slots[s].bytes);
    return cycles;
}

bool plan_run_cost(void *context, const struct plan *plan, uint64_t *cycles)
{
    *cycles = plan_run_cycles(context, plan);
    return true;
}
