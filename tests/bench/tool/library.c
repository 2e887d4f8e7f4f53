/* SPDX-License-Identifier: Apache-2.0
 *
 * The planner's frozen cases as an application runs them: through libtulle,
 * the OpenCL loader and the driver on a device, automatic plans. Cycles are
 * the device's own, from start to done; every result is compared. Also how
 * well cycles were predicted. With --creation operators are created and not
 * run: the processor time that this takes, which is mostly planning.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/options.h"
#include "host/measure/plan_cases.h"
#include "host/measure/plan_run.h"
#include "host/tulle.h"
#include "tests/bench/tool/misses.h"

#define MILLISECONDS 600000
#define CREATIONS 5 /* the fastest counts: others use the machine, too */

struct tool {
    const char *kind, *only; /* kind: "sim" or "model" */
    struct misses misses;
    bool creation;
    unsigned ran, missed, within_10, within_20;
};

struct outcome {
    struct tulle_operator_info info;
    struct tulle_counters counters;
    double roofline, creation;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool failed(const char *name, const char *what)
{
    fprintf(stderr, "%s: error: %s: %s\n", name, what, tulle_message());
    return false;
}

/* The planner's window as the library has it; images have their borders already. */
static struct tulle_window window_of(const struct plan_description *d)
{
    const struct plan_window *w = d->window;
    return (struct tulle_window){.size = sizeof(struct tulle_window),
                                 .batch = d->m,
                                 .height = w->height,
                                 .width = w->width,
                                 .channels = w->channels,
                                 .kernel_height = w->side_y,
                                 .kernel_width = w->side_x,
                                 .stride_y = w->stride_y,
                                 .stride_x = w->stride_x,
                                 .groups = w->depthwise ? w->channels : 1};
}

/* C = A S: the rows of `w` are the columns of S. Of vectors and images they are its rows. */
static bool create(struct tulle_device *device, const struct plan_description *d, double density,
                   struct tulle_operator **op, double *took)
{
    const struct sparse *w = d->weights;
    const bool by_rows = d->operator!= PLAN_SPMM;
    const struct tulle_window window = d->window ? window_of(d) : (struct tulle_window){0};
    int32_t *start = malloc(((size_t)w->rows + 1) * sizeof *start);
    if (!start)
        return false;
    for (uint32_t r = 0; r <= w->rows; r++)
        start[r] = (int32_t)w->start[r];
    const struct tulle_matrix matrix = {.size = sizeof matrix,
                                        .format = by_rows ? TULLE_CSR : TULLE_CSC,
                                        .type = TULLE_INT32,
                                        .rows = by_rows ? w->rows : w->columns,
                                        .columns = by_rows ? w->columns : w->rows,
                                        .entries = start[w->rows],
                                        .index_type = TULLE_INT32,
                                        .values = w->value,
                                        .starts = start,
                                        .indices = w->column};
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = d->window ? TULLE_CONVOLUTION
                                                                : by_rows ? TULLE_SPMV
                                                                          : TULLE_SPMM_RIGHT,
                                                   .matrix = &matrix,
                                                   .window = d->window ? &window : NULL,
                                                   .dense = d->window ? 0 : d->m,
                                                   .output_type = TULLE_INT32,
                                                   .input_density = density};
    const double before = seconds();
    bool ok = !tulle_operator_create(device, &options, op);
    *took = seconds() - before;
    free(start);
    return ok;
}

/* Results as the device gave them, compared. */
static bool run(struct tulle_operator *op, const struct plan_run *run, const char *name, struct outcome *o)
{
    const struct plan_description *d = run->description;
    const struct sparse *w = d->weights;
    const int64_t columns = d->operator== PLAN_SPMV ? 1 : d->window ? d->window->channels : w->columns;
    const size_t results = (size_t)run->rows * w->rows;
    int32_t *out = malloc((results + 1) * sizeof *out);
    const struct tulle_matrix input = {.size = sizeof input,
                                       .type = TULLE_INT8,
                                       .rows = (int64_t)run->inputs / columns,
                                       .columns = columns,
                                       .values = run->activations};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = out};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    bool ok = out && !tulle_run(op, &operands, MILLISECONDS, &o->counters);
    if (!ok)
        failed(name, "the run");
    for (size_t i = 0; ok && i < results; i++)
        if (out[i] != run->expected[i]) {
            fprintf(stderr, "%s: error: result %zu is %d, not %d\n", name, i, out[i], run->expected[i]);
            ok = false;
        }
    free(out);
    return ok && !tulle_operator_describe(op, &o->info);
}

static bool create_timed(struct tulle_device *device, const struct plan_description *d,
                         const struct plan_case *c, struct tulle_operator **op, struct outcome *o)
{
    return create(device, d, strtod(c->column[ACTIVATIONS], NULL), op, &o->creation) ||
           failed(c->column[NAME], "the operator");
}

static bool measure_on(struct tulle_device *device, const struct plan_case *c, const struct sparse *w,
                       struct outcome *o)
{
    const struct setup setup = setup_load(c->column[VARIANT], NULL);
    struct plan_description d;
    struct plan_window window;
    struct plan_run operands;
    struct tulle_operator *op = NULL;
    if (!plan_case_description(c, &setup.variant, w, &window, &d))
        return failed(c->column[NAME], "the operator");
    plan_run_begin(&operands, &setup, &d, strtod(c->column[ACTIVATIONS], NULL));
    o->roofline = operands.roofline;
    bool ok = create_timed(device, &d, c, &op, o) && run(op, &operands, c->column[NAME], o);
    tulle_operator_free(op);
    plan_run_end(&operands);
    return ok;
}

static bool create_only(struct tulle_device *device, const struct plan_case *c, const struct sparse *w,
                        struct outcome *o)
{
    const struct setup setup = setup_load(c->column[VARIANT], NULL);
    struct plan_description d;
    struct plan_window window;
    double best = HUGE_VAL;
    bool ok = plan_case_description(c, &setup.variant, w, &window, &d);
    for (unsigned i = 0; ok && i < CREATIONS; i++) {
        struct tulle_operator *op = NULL;
        ok = create_timed(device, &d, c, &op, o) && !tulle_operator_describe(op, &o->info);
        best = o->creation < best ? o->creation : best;
        tulle_operator_free(op);
    }
    o->creation = best;
    return ok;
}

static bool measure(const struct tool *tool, const struct plan_case *c, const struct sparse *w,
                    struct outcome *o)
{
    char name[TULLE_NAME_BYTES];
    struct tulle_device *device = NULL;
    snprintf(name, sizeof name, "%s:%s", tool->kind, c->column[VARIANT]);
    if (tulle_device_open(name, NULL, &device))
        return failed(c->column[NAME], name);
    bool ok = tool->creation ? create_only(device, c, w, o) : measure_on(device, c, w, o);
    tulle_device_close(device);
    return ok;
}

static void note(struct tool *tool, const struct plan_case *c, const struct sparse *w,
                 const struct outcome *o)
{
    const double cycles = (double)o->counters.cycles, predicted = (double)o->info.predicted_cycles;
    const double efficiency = cycles > 0 ? o->roofline / cycles : 0, entries = w->start[w->rows];
    const double bytes = entries > 0 ? (double)o->info.weights_bytes / entries : 0;
    const double off = cycles > 0 ? fabs(predicted - cycles) / cycles : 1;
    const bool bars = strcmp(c->column[BAR], "-") || strcmp(c->column[BYTES], "-");
    const enum miss slow = misses_judge(&tool->misses, c->column[NAME], "efficiency",
                                        plan_case_below(c->column[BAR], efficiency), efficiency),
                    large = misses_judge(&tool->misses, c->column[NAME], "bytes",
                                         plan_case_above(c->column[BYTES], bytes), bytes);
    const enum miss miss = miss_fails(large) || !slow ? large : slow;
    tool->ran++;
    tool->missed += miss_fails(miss);
    tool->within_10 += off <= 0.1;
    tool->within_20 += off <= 0.2;
    printf("| %s | %s | %s | %.0f | %.0f | %.0f | %.3f | %s | %.2f | %s | %.2f | %s |\n", c->column[NAME],
           c->column[VARIANT], o->info.plan, o->roofline, predicted, cycles, efficiency, c->column[BAR],
           bytes, c->column[BYTES], o->creation,
           miss   ? miss_words(miss)
           : bars ? "held"
                  : "");
    fflush(stdout);
}

/* The bar is a time here. It fails nothing: the figures are those of a machine. */
static void note_creation(struct tool *tool, const struct plan_case *c, const struct outcome *o)
{
    tool->ran++;
    printf("| %s | %s | %s | %llu | %.3f | %s | %s |\n", c->column[NAME], c->column[VARIANT], o->info.plan,
           (unsigned long long)o->info.predicted_cycles, o->creation, c->column[BAR],
           plan_case_above(c->column[BAR], o->creation) ? "over" : "held");
    fflush(stdout);
}

static bool run_case(void *context, const struct plan_case *c)
{
    struct tool *tool = context;
    struct sparse w;
    struct outcome o = {.info.size = sizeof o.info, .counters.size = sizeof o.counters};
    if (plan_case_left_out(c)) {
        misses_left_out(&tool->misses, c->column[NAME]);
        printf("| %s | left out: TULLE_DATA is not set | | | | | | | | | | |\n", c->column[NAME]);
        return true;
    }
    if (!plan_case_weights(c, &w))
        return false;
    if (!measure(tool, c, &w, &o))
        tool->missed++;
    else if (tool->creation)
        note_creation(tool, c, &o);
    else
        note(tool, c, &w, &o);
    sparse_free(&w);
    return true;
}

static int run_creations(struct tool *tool, const char *file)
{
    puts("| case | variant | plan | predicted | creation, s | bar, s | |\n"
         "| --- | --- | --- | --- | --- | --- | --- |");
    return plan_cases_each(file, tool->only, run_case, tool);
}

static int run_cases(struct tool *tool, const char *file)
{
    puts("| case | variant | plan | roofline | predicted | cycles | efficiency | bar | bytes a non-zero | at "
         "most | "
         "creation, s | |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    const int status = plan_cases_each(file, tool->only, run_case, tool);
    if (tool->ran)
        printf("\nPredicted within 10 %%: %u of %u; within 20 %%: %u.\n", tool->within_10, tool->ran,
               tool->within_20);
    if (!status && tool->ran && !tool->only)
        tool->missed += misses_unseen(&tool->misses, "bench-library");
    return status;
}

int main(int argc, char **argv)
{
    const char *words[3] = {0}, *known = NULL;
    struct tool tool = {0};
    struct diag diag = {0};
    const struct option_entry options[] = {
        {"--misses", .value = &known}, {"--creation", .flag = &tool.creation}, {0}};
    options_read(argc, argv, options, &(struct option_rest){words, 3, NULL}, &diag);
    tool.kind = words[0];
    tool.only = words[2];
    if (diag_report(&diag, stderr) || !words[1] || (strcmp(tool.kind, "sim") && strcmp(tool.kind, "model"))) {
        fputs("usage: bench-library [--misses FILE] [--creation] sim|model FILE [CASE]\n", stderr);
        return 2;
    }
    if (!misses_read(&tool.misses, known, "bench-library"))
        return 2;
    const int status = tool.creation ? run_creations(&tool, words[1]) : run_cases(&tool, words[1]);
    if (!status && !tool.ran) {
        fputs("bench-library: error: no case ran\n", stderr);
        return 2;
    }
    return status ? status : tool.missed ? 1 : 0;
}
