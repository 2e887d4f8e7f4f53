/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/trace.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "host/cli/cli.h"
#include "host/cli/report.h"
#include "host/measure/bench_cases.h"

static const char help[] =
    "Usage: tulle trace CASE [OPTION]...\n"
    "       tulle trace --op OP --weights WEIGHTS [OPTION]...\n"
    "\n"
    "Traces a job on the cycle model: the packets that clusters accept, the instructions that they issue\n"
    "and the multiplications of their PEs, each with its cycle. --vcd writes them for a\n"
    "waveform viewer, which can show them beside the device's own signals.\n"
    "\n"
    "CASE is a built-in case (tulle bench --list --set all), or one of --file.\n"
    "      --file FILE         take the case from FILE, with the columns of host/measure/plan-cases.tsv\n"
    "      --op OP             a single case: spmm, spmv, \"conv HEIGHT WIDTH CHANNELS SIDE STRIDE\", ...\n"
    "      --weights WEIGHTS   its weights: \"random ROWS COLUMNS DENSITY SEED\", \"file PATH\", ...\n"
    "      --rows N            rows of activations (1)\n"
    "      --activations D     density of the activations (1)\n"
    "      --variant NAME      the device's variant (base)\n"
    "Selection:\n"
    "      --packets, --instructions, --macs   only these kinds (all)\n"
    "      --row R, --cluster C, --pe P        only this row, this cluster of a row, this PE of a cluster\n"
    "      --from C, --to C                    only cycles from .. to - 1 since the start of the job\n"
    "Output:\n"
    "      --json              print a JSON object on each line\n"
    "  -o, --output FILE       write the lines to FILE\n"
    "      --vcd FILE          also write value changes for a waveform viewer\n"
    "      --waveform FILE     also write the device's own waveform (FST) of these cycles, with the times\n"
    "                          of --vcd; needs the simulated board of the variant, built with --trace\n"
    "  -h, --help              this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { ROW, CLUSTER, PE, FROM, TO, NUMBERS };

struct trace_request {
    const char *name, *file, *op, *weights, *rows, *activations, *variant, *output, *vcd, *waveform;
    const char *text[NUMBERS];
    int64_t number[NUMBERS];
    bool packets, instructions, macs, json, asked;
    bool found;
    struct diag diag;
};

static void fail(struct trace_request *r, const char *why)
{
    diag_error(&r->diag, (struct place){0}, "%s", why);
}

/* ---- the job ----------------------------------------------------------------------------------------------
 */

static struct trace_filter filter_of(const struct trace_request *r)
{
    const bool all = !r->packets && !r->instructions && !r->macs;
    return (struct trace_filter){.packets = all || r->packets,
                                 .instructions = all || r->instructions,
                                 .macs = all || r->macs,
                                 .row = r->text[ROW] ? (int)r->number[ROW] : -1,
                                 .cluster = r->text[CLUSTER] ? (int)r->number[CLUSTER] : -1,
                                 .pe = r->text[PE] ? (int)r->number[PE] : -1,
                                 .from = (uint64_t)r->number[FROM],
                                 .to = r->text[TO] ? (uint64_t)r->number[TO] : UINT64_MAX};
}

static bool check_place(struct trace_request *r, const struct variant *v)
{
    const unsigned most[] = {[ROW] = v->n, [CLUSTER] = v->m, [PE] = v->k};
    static const char *const names[] = {[ROW] = "row", [CLUSTER] = "cluster", [PE] = "pe"};
    for (unsigned i = ROW; i <= PE; i++)
        if (r->text[i] && r->number[i] >= most[i])
            diag_error(&r->diag, (struct place){0}, "--%s %s: %s has 0..%u", names[i], r->text[i], v->name,
                       most[i] - 1);
    return !r->diag.errors;
}

/* The job on the simulated board, with a waveform; `start` is its cycle 0 on the board's clock. */
static bool record_waveform(struct trace_request *r, const struct trace_filter *f, struct measure *m,
                            uint64_t *start)
{
    struct strbuf why = {0};
    const struct measure_window window = {.file = r->waveform, .from = f->from, .to = f->to};
    const bool ok = simulated_board(m, &window, start, &why);
    if (!ok)
        fail(r, sb_text(&why));
    sb_free(&why);
    return ok;
}

static bool write_traces(struct trace_request *r, const struct trace_filter *f, const struct measure *m,
                         uint64_t start)
{
    struct strbuf text = {0}, vcd = {0};
    struct trace trace = {.filter = f,
                          .variant = &m->setup.variant,
                          .json = r->json,
                          .text = &text,
                          .vcd = r->vcd ? &vcd : NULL,
                          .start = start};
    trace_begin(&trace);
    const struct cycle_probe probe = {.context = &trace, .event = trace_event};
    struct cycle_report report;
    plan_run_report(&m->run, &m->plan, &probe, &report);
    trace_end(&trace, report.result.cycles);
    cycle_report_free(&report);
    bool ok = r->output ? output_file(r->output, &text, &r->diag) : report_print(&text, &r->diag);
    ok = ok && (!r->vcd || output_file(r->vcd, &vcd, &r->diag));
    sb_free(&text);
    sb_free(&vcd);
    return ok;
}

/* False: the case is not understood. */
static bool trace_case(struct trace_request *r, const struct plan_case *c)
{
    const struct trace_filter filter = filter_of(r);
    struct measure m;
    uint64_t start = 0;
    const bool understood = measure_prepare(c, &m);
    if (understood && check_place(r, &m.setup.variant)) {
        measure_model(&m);
        if (m.refused)
            fail(r, m.refused);
        else if (!r->waveform || record_waveform(r, &filter, &m, &start))
            (void)write_traces(r, &filter, &m, start);
    }
    measure_free(&m);
    return understood;
}

/* ---- which one --------------------------------------------------------------------------------------------
 */

static bool trace_named(void *context, const struct plan_case *c)
{
    struct trace_request *r = context;
    if (r->found || r->diag.errors || strcmp(c->column[NAME], r->name) != 0)
        return true;
    r->found = true;
    if (!plan_case_left_out(c))
        return trace_case(r, c);
    fail(r, "this case has a file, and TULLE_DATA does not say where; it is the folder that has it");
    return true;
}

static bool trace_by_name(struct trace_request *r)
{
    bool ok = true;
    if (r->file)
        ok = plan_cases_each(r->file, NULL, trace_named, r) == 0;
    for (size_t i = 0; ok && !r->file && i < bench_cases_source_count; i++)
        ok = plan_cases_each_text(bench_cases_sources[i].label, bench_cases_sources[i].text, trace_named, r);
    if (ok && !r->found)
        diag_error(&r->diag, (struct place){.file = r->file}, "there is no case %s", r->name);
    return ok && !r->diag.errors;
}

static bool trace_given(struct trace_request *r)
{
    struct plan_case c = {.column = {[NAME] = (char *)"job",
                                     [OP] = (char *)r->op,
                                     [VARIANT] = (char *)(r->variant ? r->variant : "base"),
                                     [WEIGHTS] = (char *)r->weights,
                                     [ROWS] = (char *)(r->rows ? r->rows : "1"),
                                     [ACTIVATIONS] = (char *)(r->activations ? r->activations : "1"),
                                     [BAR] = (char *)"-",
                                     [BYTES] = (char *)"-",
                                     [CHOICE] = (char *)"no"}};
    if (plan_case_left_out(&c))
        fail(r, "--weights file: TULLE_DATA does not say which folder has it");
    else if (!trace_case(r, &c))
        fail(r, "--op and --weights do not say a product or a convolution: see docs/bench.md, cases");
    return !r->diag.errors;
}

static void check(struct trace_request *r)
{
    if (r->name && (r->op || r->weights))
        fail(r, "a case by its name, or one by --op and --weights: one of them, please");
    else if (!r->name && !(r->op && r->weights))
        fail(r, "which case? give its name, or --op and --weights");
    if (r->text[TO] && r->number[TO] <= r->number[FROM])
        fail(r, "--to: behind --from, please");
}

static void parse(int argc, char **argv, struct trace_request *r)
{
    int64_t rows;
    double density;
    const struct option_entry options[] = {
        {.name = "--file", .value = &r->file},
        {.name = "--op", .value = &r->op},
        {.name = "--weights", .value = &r->weights},
        {.name = "--rows", .value = &r->rows, .number = &rows, .min = 1, .max = UINT32_MAX},
        {.name = "--activations", .value = &r->activations, .real = &density, .low = 0, .high = 1},
        {.name = "--variant", .value = &r->variant},
        {.name = "--row", .value = &r->text[ROW], .number = &r->number[ROW], .max = 15},
        {.name = "--cluster", .value = &r->text[CLUSTER], .number = &r->number[CLUSTER], .max = 15},
        {.name = "--pe", .value = &r->text[PE], .number = &r->number[PE], .max = 15},
        {.name = "--from", .value = &r->text[FROM], .number = &r->number[FROM], .max = INT64_MAX},
        {.name = "--to", .value = &r->text[TO], .number = &r->number[TO], .max = INT64_MAX},
        {.name = "--packets", .flag = &r->packets},
        {.name = "--instructions", .flag = &r->instructions},
        {.name = "--macs", .flag = &r->macs},
        {.name = "--json", .flag = &r->json},
        {.name = "--output", .letter = "-o", .value = &r->output},
        {.name = "--vcd", .value = &r->vcd},
        {.name = "--waveform", .value = &r->waveform},
        {.name = "--help", .letter = "-h", .flag = &r->asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&r->name, 1, NULL}, &r->diag);
    if (!r->asked)
        check(r);
}

int cli_trace(int argc, char **argv)
{
    struct trace_request r = {.asked = false};
    parse(argc, argv, &r);
    if (r.asked) {
        diag_free(&r.diag);
        fputs(help, stdout);
        return CLI_DONE;
    }
    if (r.diag.errors)
        return cli_usage("trace", &r.diag);
    const bool ok = r.name ? trace_by_name(&r) : trace_given(&r);
    diag_report(&r.diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}
