/* SPDX-License-Identifier: Apache-2.0 */
#include "host/measure/plan_run.h"

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

/* What weight `column` of result n meets in row m. */
static size_t activation(const struct plan_description *d, uint32_t m, uint32_t n, uint32_t column)
{
    const struct plan_window *w = d->window;
    if (!w)
        return (size_t)m * d->weights->columns + column;
    const uint32_t channels = w->depthwise ? 1 : w->channels, tap = column / channels,
                   across = plan_window_out_width(w), down = plan_window_out_height(w);
    const uint32_t y = m / across % down * w->stride_y + tap / w->side_x * w->dilation_y,
                   x = m % across * w->stride_x + tap % w->side_x * w->dilation_x;
    return (((size_t)(m / across / down) * w->height + y) * w->width + x) * w->channels +
           (w->depthwise ? n : column % channels);
}

static void compute(struct plan_run *run)
{
    const struct sparse *w = run->description->weights;
    for (uint32_t m = 0; m < run->rows; m++)
        for (uint32_t n = 0; n < w->rows; n++) {
            int32_t sum = 0;
            for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++) {
                const int8_t a = run->activations[activation(run->description, m, n, w->column[e])];
                sum += a * w->value[e];
                run->macs += a != 0;
            }
            run->expected[(size_t)m * w->rows + n] = sum;
        }
}

void plan_run_begin(struct plan_run *run, const struct setup *setup, const struct plan_description *d,
                    double density)
{
    const struct sparse *w = d->weights;
    const struct plan_window *window = d->window;
    *run = (struct plan_run){.setup = setup, .description = d, .rows = d->m};
    run->rows *= window ? plan_window_out_height(window) * plan_window_out_width(window) : 1;
    const size_t inputs = (size_t)d->m *
                          (window ? (size_t)window->height * window->width * window->channels : w->columns),
                 outputs = (size_t)run->rows * w->rows;
    run->inputs = inputs;
    run->activations = must(malloc(inputs + 1));
    run->expected = must(malloc((outputs + 1) * sizeof *run->expected));
    measured_activations(run->activations, inputs, density);
    compute(run);
    run->limits = window ? limits_of(&setup->variant, run->macs, w->start[w->rows], inputs, outputs)
                         : limits_of_product(&setup->variant, run->macs, w, d->m);
    run->roofline = roofline(&run->limits);
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

static void set_rows(const struct plan_run *run, const struct plan *plan, uint8_t *to)
{
    const uint32_t columns = run->description->weights->columns;
    for (size_t i = 0; i < run->inputs; i++) {
        uint64_t at = plan_input_offset(plan, (uint32_t)(i / columns), (uint32_t)(i % columns));
        if (at != PLAN_NOWHERE)
            to[at] = (uint8_t)run->activations[i];
    }
    plan_repeat(plan, to);
}

static void set_images(const struct plan_run *run, const struct plan *plan, uint8_t *to)
{
    const struct plan_window *w = run->description->window;
    for (size_t i = 0; i < run->inputs / w->channels; i++) {
        const uint32_t x = (uint32_t)(i % w->width), y = (uint32_t)(i / w->width % w->height),
                       image = (uint32_t)(i / w->width / w->height);
        memcpy(to + plan_pixel_offset(plan, image, y, x), run->activations + i * w->channels, w->channels);
    }
}

void plan_run_job(const struct plan_run *run, const struct plan *plan, struct job *job)
{
    *job = (struct job){.number = 1};
    set_slot(job, SLOT_PROGRAM, plan->program.text, plan->program.len);
    set_slot(job, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    set_slot(job, SLOT_WEIGHTS, plan->weights.text, plan->weights.len);
    set_slot(job, SLOT_INPUT, NULL, plan->input_bytes);
    set_slot(job, SLOT_OUTPUT, NULL, plan->output_bytes);
    set_slot(job, SLOT_SCRATCH, NULL, plan->scratch_bytes);
    if (run->description->window)
        set_images(run, plan, job->slots[SLOT_INPUT].bytes);
    else
        set_rows(run, plan, job->slots[SLOT_INPUT].bytes);
}

void plan_run_compare(const struct plan_run *run, const struct plan *plan, const struct job *job)
{
    const struct sparse *w = run->description->weights;
    for (uint32_t m = 0; m < run->rows; m++)
        for (uint32_t n = 0; n < w->rows; n++) {
            int32_t expected = run->expected[(size_t)m * w->rows + n];
            int64_t got = plan_result(plan, job->slots[SLOT_OUTPUT].bytes, m, n, 0);
            if (got == expected)
                continue;
            fprintf(stderr, "plan: result [%u][%u] is %lld, not %d\n", m, n, (long long)got, expected);
            exit(1);
        }
}

void plan_run_job_free(struct job *job)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        free(job->slots[s].bytes);
}

void plan_run_report(const struct plan_run *run, const struct plan *plan, const struct cycle_probe *probe,
                     struct cycle_report *report)
{
    struct job job;
    struct cycle_options options = run->setup->options;
    options.probe = probe;
    plan_run_job(run, plan, &job);
    if (!cycle_run(&run->setup->variant, &options, &job, report))
        must(NULL);
    if (report->result.code != JOB_OK) {
        fprintf(stderr, "plan: the job ended with %s at %llu\n", job_code_name(report->result.code),
                (unsigned long long)report->result.offset);
        exit(1);
    }
    if (plan->summary.share <= 0) /* a part of the work has some results alone */
        plan_run_compare(run, plan, &job);
    plan_run_job_free(&job);
}

uint64_t plan_run_cycles(const struct plan_run *run, const struct plan *plan)
{
    struct cycle_report report;
    plan_run_report(run, plan, NULL, &report);
    const uint64_t cycles = report.result.cycles;
    cycle_report_free(&report);
    return cycles;
}

bool plan_run_cost(void *context, const struct plan *plan, struct plan_price *price)
{
    struct cycle_report report;
    plan_run_report(context, plan, NULL, &report);
    *price = (struct plan_price){.cycles = report.result.cycles,
                                 .bytes = report.result.bytes_read + report.result.bytes_written};
    cycle_report_free(&report);
    return true;
}

struct plan_measured plan_run_measure(const struct setup *setup, const struct plan_description *d,
                                      const struct plan_choice *choice, double density)
{
    struct plan_run run;
    struct plan plan = {0};
    struct plan_measured out = {.refused = plan_why(plan_make(d, choice, &plan))};
    const uint32_t nonzeros = d->weights->start[d->weights->rows];
    plan_run_begin(&run, setup, d, density);
    if (!out.refused) {
        out.cycles = plan_run_cycles(&run, &plan);
        out.efficiency = run.roofline / (double)out.cycles;
        out.bytes_per_nonzero = nonzeros ? (double)plan.weights.len / nonzeros : 0;
    }
    plan_run_end(&run);
    plan_free(&plan);
    return out;
}

uint64_t plan_run_empty(const struct setup *setup)
{
    struct writer writer;
    struct strbuf program = {0};
    struct cycle_report report;
    struct job job = {.number = 1};
    writer_begin(&writer, &setup->variant);
    writer_finish(&writer, 0, &program);
    writer_free(&writer);
    set_slot(&job, SLOT_PROGRAM, program.text, program.len);
    set_slot(&job, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    if (!cycle_run(&setup->variant, &setup->options, &job, &report))
        must(NULL);
    const uint64_t cycles = report.result.cycles;
    cycle_report_free(&report);
    plan_run_job_free(&job);
    sb_free(&program);
    return cycles;
}
