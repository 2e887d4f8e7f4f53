/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/explore/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/model.h"

static void *must(void *memory)
{
    if (!memory) {
        fputs("explore: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

struct setup setup_load(const char *name, const char *const *sets)
{
    struct setup setup;
    struct diag diag = {0};
    size_t count = 0;
    while (sets && sets[count])
        count++;
    if (!variant_load(name, sets, count, &setup.variant, &diag)) {
        diag_report(&diag, stderr);
        exit(1);
    }
    setup.options = cycle_defaults(&setup.variant);
    setup.options.limit = 100000000;
    return setup;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double next_unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) / 9007199254740992.0;
}

/* A non-zero int8. */
static int8_t next_value(uint64_t *state)
{
    int value = (int)(next_random(state) % 254) - 127;
    return (int8_t)(value >= 0 ? value + 1 : value);
}

static struct sparse sparse_new(uint32_t rows, uint32_t columns, uint64_t room)
{
    struct sparse s = {.rows = rows, .columns = columns};
    s.start = must(calloc((size_t)rows + 1, sizeof *s.start));
    s.column = must(malloc((room + 1) * sizeof *s.column));
    s.value = must(malloc((room + 1) * sizeof *s.value));
    return s;
}

static void sparse_push(struct sparse *s, uint32_t *count, uint32_t column, uint64_t *state)
{
    s->column[*count] = column;
    s->value[(*count)++] = next_value(state);
}

struct sparse sparse_heavy(uint32_t rows, uint32_t columns, double density, unsigned pes, unsigned heavy,
                           double factor, uint64_t seed)
{
    struct sparse s = sparse_new(rows, columns, (uint64_t)rows * columns);
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows; r++) {
        double p = r % pes == heavy ? density * factor : density;
        for (uint32_t c = 0; c < columns; c++)
            if (next_unit(&seed) < p)
                sparse_push(&s, &count, c, &seed);
        s.start[r + 1] = count;
    }
    return s;
}

struct sparse sparse_random(uint32_t rows, uint32_t columns, double density, uint64_t seed)
{
    return sparse_heavy(rows, columns, density, 1, 1, 1, seed);
}

struct sparse sparse_banded(uint32_t rows, uint32_t per_row, uint32_t half, uint64_t seed)
{
    struct sparse s = sparse_new(rows, rows, (uint64_t)rows * (2 * half + 1));
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t low = r > half ? r - half : 0, high = r + half < rows ? r + half : rows - 1;
        /* Selection sampling: exactly per_row columns where the band is whole. */
        uint32_t left = high - low + 1, want = per_row < left ? per_row : left;
        for (uint32_t c = low; want; c++, left--)
            if (next_unit(&seed) * left < want) {
                sparse_push(&s, &count, c, &seed);
                want--;
            }
        s.start[r + 1] = count;
    }
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

struct buffers {
    struct job job;
    uint8_t status[ISA_STATUS_BYTES];
};

static void buffers_init(struct buffers *b, const struct plan *plan)
{
    *b = (struct buffers){0};
    struct job *job = &b->job;
    job->slots[SLOT_PROGRAM].bytes = (uint8_t *)plan->program.text;
    job->slots[SLOT_PROGRAM].size = plan->program.len;
    job->slots[SLOT_STATUS].bytes = b->status;
    job->slots[SLOT_STATUS].size = sizeof b->status;
    job->slots[SLOT_WEIGHTS].bytes = (uint8_t *)plan->weights.text;
    job->slots[SLOT_WEIGHTS].size = plan->weights.len;
    job->slots[SLOT_INPUT].bytes = must(calloc(plan->input_bytes + 1, 1));
    job->slots[SLOT_INPUT].size = plan->input_bytes;
    job->slots[SLOT_OUTPUT].bytes = must(calloc(plan->output_bytes + 1, 1));
    job->slots[SLOT_OUTPUT].size = plan->output_bytes;
}

static void buffers_free(struct buffers *b)
{
    free(b->job.slots[SLOT_INPUT].bytes);
    free(b->job.slots[SLOT_OUTPUT].bytes);
}

/* The limits of the problem; bytes are those of the operands, however they are packed. */
static double roofline(const struct variant *v, uint64_t macs, uint64_t nonzeros, uint64_t activations,
                       uint64_t results)
{
    double port = v->memory_width / 8.0 * v->memory_ports, data = v->data_width / 8.0;
    double compute = (double)macs / (v->n * v->m * v->k);
    double read = ((double)nonzeros * (data + 1) + (double)activations * data) / port;
    double write = (double)results * 4 / port;
    double limit = compute > read ? compute : read;
    return limit > write ? limit : write;
}

/* Runs the plan on the cycle model and fills the measurement; results are in the output slot. */
static struct measurement run(const struct setup *setup, struct buffers *b)
{
    struct measurement out = {0};
    struct cycle_report report;
    if (!cycle_run(&setup->variant, &setup->options, &b->job, &report)) {
        fputs("explore: out of memory\n", stderr);
        exit(1);
    }
    if (report.result.code != JOB_OK) {
        fprintf(stderr, "explore: the job ended with %s at %llu\n", job_code_name(report.result.code),
                (unsigned long long)report.result.offset);
        exit(1);
    }
    out.result = report.result;
    out.cycles = report.result.cycles;
    out.effective_macs = report.result.effective_macs;
    out.utilization = (double)out.effective_macs / (double)report.pes / (double)out.cycles;
    cycle_report_free(&report);
    return out;
}

/* Row `row` of weights against activations, plainly. */
static int32_t plain_dot(const struct sparse *w, uint32_t row, const int8_t *activations, uint64_t *macs)
{
    int32_t sum = 0;
    for (uint32_t i = w->start[row]; i < w->start[row + 1]; i++) {
        sum += activations[w->column[i]] * w->value[i];
        *macs += activations[w->column[i]] != 0;
    }
    return sum;
}

static void compare(int32_t expected, const uint8_t *at, uint32_t row, uint32_t column)
{
    int32_t got;
    memcpy(&got, at, sizeof got);
    if (got == expected)
        return;
    fprintf(stderr, "explore: result [%u][%u] is %d, not %d\n", row, column, got, expected);
    exit(1);
}

static void complete(struct measurement *out, const struct setup *setup, const struct plan *plan,
                     const struct sparse *w, uint64_t macs, uint64_t activations, uint64_t results)
{
    out->nonzeros = w->start[w->rows];
    out->bytes_per_nonzero = out->nonzeros ? (double)plan->weights.len / (double)out->nonzeros : 0;
    out->roofline = roofline(&setup->variant, macs, out->nonzeros, activations, results);
    out->efficiency = out->roofline / (double)out->cycles;
}

struct measurement measure_spmm(const struct setup *setup, const struct sparse *w, uint32_t m, double density,
                                const struct plan_options *options)
{
    struct plan plan = {0};
    struct measurement out = {.refused = plan_spmm(&setup->variant, w, m, options, &plan)};
    if (!out.refused) {
        struct buffers b;
        uint64_t seed = 7, macs = 0;
        buffers_init(&b, &plan);
        int8_t *a = (int8_t *)b.job.slots[SLOT_INPUT].bytes;
        for (uint64_t i = 0; i < (uint64_t)m * w->columns; i++)
            a[i] = next_unit(&seed) < density ? next_value(&seed) : 0;
        out = run(setup, &b);
        for (uint32_t r = 0; r < m; r++)
            for (uint32_t c = 0; c < w->rows; c++)
                compare(plain_dot(w, c, a + (size_t)r * w->columns, &macs),
                        b.job.slots[SLOT_OUTPUT].bytes + (size_t)r * plan.output_pitch + 4 * (size_t)c, r, c);
        complete(&out, setup, &plan, w, macs, (uint64_t)m * w->columns, (uint64_t)m * w->rows);
        buffers_free(&b);
    }
    plan_free(&plan);
    return out;
}

struct measurement measure_spmv(const struct setup *setup, const struct sparse *w,
                                const struct plan_options *options)
{
    struct plan plan = {0};
    struct measurement out = {.refused = plan_spmv(&setup->variant, w, options, &plan)};
    if (!out.refused) {
        struct buffers b;
        uint64_t seed = 7, macs = 0;
        buffers_init(&b, &plan);
        int8_t *x = (int8_t *)b.job.slots[SLOT_INPUT].bytes;
        for (uint32_t i = 0; i < w->columns; i++)
            x[i] = next_value(&seed);
        out = run(setup, &b);
        for (uint32_t r = 0; r < w->rows; r++)
            compare(plain_dot(w, r, x, &macs), b.job.slots[SLOT_OUTPUT].bytes + 4 * (size_t)r, r, 0);
        complete(&out, setup, &plan, w, macs, w->columns, w->rows);
        buffers_free(&b);
    }
    plan_free(&plan);
    return out;
}

struct measurement measure_empty(const struct setup *setup)
{
    struct plan plan = {0};
    struct writer writer;
    struct buffers b;
    writer_begin(&writer, &setup->variant);
    writer_finish(&writer, 0, &plan.program);
    buffers_init(&b, &plan);
    struct measurement out = run(setup, &b);
    buffers_free(&b);
    writer_free(&writer);
    plan_free(&plan);
    return out;
}
