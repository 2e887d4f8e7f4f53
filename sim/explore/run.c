/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/explore/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/formats.h"
#include "host/formats/generate.h"
#include "host/formats/random.h"
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

static struct sparse sparse_new(uint32_t rows, uint32_t columns, uint64_t room)
{
    struct sparse s = {.rows = rows, .columns = columns};
    s.start = must(calloc((size_t)rows + 1, sizeof *s.start));
    s.column = must(malloc((room + 1) * sizeof *s.column));
    s.value = must(malloc((room + 1) * sizeof *s.value));
    return s;
}

struct sparse sparse_heavy(uint32_t rows, uint32_t columns, double density, unsigned pes, unsigned heavy,
                           double factor, uint64_t seed)
{
    struct sparse s = sparse_new(rows, columns, (uint64_t)rows * columns);
    struct random random = {seed};
    struct random_gap even = random_gap_of(density), more = random_gap_of(density * factor);
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows; r++) {
        const struct random_gap *gap = r % pes == heavy ? &more : &even;
        for (uint64_t c = random_place(&random, gap, 0, columns); c < columns;
             c = random_place(&random, gap, c + 1, columns)) {
            s.column[count] = (uint32_t)c;
            s.value[count++] = random_non_zero(&random);
        }
        s.start[r + 1] = count;
    }
    return s;
}

/* Integers that fit int8 keep their value; everything else, patterns included, gets one. Zeros are holes. */
static int32_t int8_value(const struct matrix *m, uint64_t entry, struct random *random)
{
    if (m->integer && m->integer[entry] >= INT8_MIN && m->integer[entry] <= INT8_MAX)
        return (int32_t)m->integer[entry];
    if (m->real && m->real[entry] == 0)
        return 0;
    return random_non_zero(random);
}

struct sparse sparse_from(const struct matrix *m)
{
    struct sparse s = sparse_new(m->rows, m->columns, matrix_entries(m));
    struct random random = {1};
    uint32_t count = 0;
    for (uint32_t r = 0; r < m->rows; r++) {
        for (uint64_t e = m->start[r]; e < m->start[r + 1]; e++) {
            s.column[count] = m->column[e];
            s.value[count] = int8_value(m, e, &random);
            count += s.value[count] != 0;
        }
        s.start[r + 1] = count;
    }
    return s;
}

static void or_exit(bool ok, struct diag *diag)
{
    if (ok)
        return;
    diag_report(diag, stderr);
    exit(1);
}

static struct sparse sparse_generated(const struct generate_shape *shape)
{
    struct matrix m = {0};
    struct diag diag = {0};
    or_exit(generate_matrix(shape, &m, &diag), &diag);
    struct sparse s = sparse_from(&m);
    matrix_free(&m);
    return s;
}

struct sparse sparse_random(uint32_t rows, uint32_t columns, double density, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){
        .kind = GENERATE_RANDOM, .rows = rows, .columns = columns, .density = density, .seed = seed});
}

struct sparse sparse_banded(uint32_t rows, uint32_t per_row, uint32_t half, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){.kind = GENERATE_BANDED,
                                                     .rows = rows,
                                                     .columns = rows,
                                                     .per_row = per_row,
                                                     .half_bandwidth = half,
                                                     .seed = seed});
}

struct sparse sparse_power_law(uint32_t nodes, uint64_t edges, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){
        .kind = GENERATE_POWER_LAW, .rows = nodes, .columns = nodes, .edges = edges, .seed = seed});
}

struct sparse sparse_block(uint32_t rows, uint32_t columns, uint32_t block, double density, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){.kind = GENERATE_BLOCK,
                                                     .rows = rows,
                                                     .columns = columns,
                                                     .block = block,
                                                     .density = density,
                                                     .seed = seed});
}

bool measured_activations(int8_t *to, uint64_t count, double density)
{
    return generate_activations(to, count, density, ACTIVATION_SEED);
}

struct sparse sparse_read(const char *path)
{
    struct matrix m = {0};
    struct diag diag = {0};
    or_exit(matrix_read(path, NULL, &m, &diag), &diag);
    struct sparse s = sparse_from(&m);
    matrix_free(&m);
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

struct limits limits_of(const struct variant *v, uint64_t macs, uint64_t nonzeros, uint64_t activations,
                        uint64_t results)
{
    const double port = v->memory_width / 8.0 * v->memory_ports, data = v->data_width / 8.0;
    return (struct limits){.compute = (double)macs / (v->n * v->m * v->k),
                           .read = ((double)nonzeros * (data + 1) + (double)activations * data) / port,
                           .write = (double)results * 4 / port};
}

double roofline(const struct variant *v, uint64_t macs, uint64_t nonzeros, uint64_t activations,
                uint64_t results)
{
    const struct limits l = limits_of(v, macs, nonzeros, activations, results);
    const double limit = l.compute > l.read ? l.compute : l.read;
    return limit > l.write ? limit : l.write;
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
        uint64_t macs = 0;
        buffers_init(&b, &plan);
        int8_t *a = (int8_t *)b.job.slots[SLOT_INPUT].bytes;
        measured_activations(a, (uint64_t)m * w->columns, density);
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
        uint64_t macs = 0;
        buffers_init(&b, &plan);
        int8_t *x = (int8_t *)b.job.slots[SLOT_INPUT].bytes;
        measured_activations(x, w->columns, 1);
        out = run(setup, &b);
        for (uint32_t r = 0; r < w->rows; r++)
            compare(plain_dot(w, r, x, &macs), b.job.slots[SLOT_OUTPUT].bytes + 4 * (size_t)r, r, 0);
        complete(&out, setup, &plan, w, macs, w->columns, w->rows);
        buffers_free(&b);
    }
    plan_free(&plan);
    return out;
}

bool convolution_read(const char *text, struct convolution *to)
{
    static const char separators[] = "xx,,,x";
    *to = (struct convolution){0};
    uint32_t *const numbers[] = {&to->height, &to->width,      &to->channels,   &to->side,
                                 &to->stride, &to->tile_width, &to->tile_height};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end = NULL;
        errno = 0;
        unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : UINT32_MAX;
        if (errno || number >= UINT32_MAX || *end != separators[i])
            return false;
        *numbers[i] = (uint32_t)number;
        text = end + 1;
    }
    return to->side && to->stride && to->side <= to->height && to->side <= to->width;
}

/* One result of a convolution, plainly. */
static int32_t plain_tap_sum(const struct sparse *w, uint32_t channel, const struct convolution *c,
                             const int8_t *corner, uint64_t *macs)
{
    int32_t sum = 0;
    uint32_t taps = c->side * (c->depthwise ? 1 : c->channels);
    for (uint32_t i = w->start[channel]; i < w->start[channel + 1]; i++) {
        uint32_t across = w->column[i] % taps;
        if (c->depthwise)
            across = across * c->channels + channel;
        int8_t a = corner[(size_t)(w->column[i] / taps) * c->width * c->channels + across];
        sum += a * w->value[i];
        *macs += a != 0;
    }
    return sum;
}

static uint64_t compare_spconv(const struct sparse *w, const struct convolution *c, const struct plan *plan,
                               const struct job *job)
{
    const int8_t *image = (const int8_t *)job->slots[SLOT_INPUT].bytes;
    uint32_t width = convolution_out_width(c), pixels = width * convolution_out_height(c);
    uint64_t macs = 0;
    for (uint32_t p = 0; p < pixels; p++) {
        size_t corner =
            ((size_t)(p / width) * c->stride * c->width + (size_t)(p % width) * c->stride) * c->channels;
        for (uint32_t n = 0; n < w->rows; n++)
            compare(plain_tap_sum(w, n, c, image + corner, &macs),
                    job->slots[SLOT_OUTPUT].bytes + (size_t)p * plan->output_pitch + 4 * (size_t)n, p, n);
    }
    return macs;
}

struct measurement measure_spconv(const struct setup *setup, const struct sparse *w,
                                  const struct convolution *shape, double density)
{
    struct plan plan = {0};
    struct measurement out = {.refused = plan_spconv(&setup->variant, w, shape, &plan)};
    if (!out.refused) {
        struct buffers b;
        uint64_t pixels = (uint64_t)convolution_out_height(shape) * convolution_out_width(shape);
        buffers_init(&b, &plan);
        measured_activations((int8_t *)b.job.slots[SLOT_INPUT].bytes, plan.input_bytes, density);
        out = run(setup, &b);
        uint64_t macs = compare_spconv(w, shape, &plan, &b.job);
        complete(&out, setup, &plan, w, macs, plan.input_bytes, pixels * w->rows);
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
