/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "host/cli/cli.h"
#include "host/cli/progress.h"
#include "host/cli/report.h"
#include "host/cli/simulated.h"
#include "host/measure/bench_cases.h"

#define FILES_MAX 16

static const char help[] =
    "Usage: tulle bench [CASES.tsv...] [OPTION]...\n"
    "\n"
    "Runs benchmark cases with the planner's plans on the cycle model and on simulated devices, and\n"
    "reports their efficiency against the roofline. Every result is compared with a plain computation.\n"
    "\n"
    "      --set SET        built-in cases: generated (the default), frozen, or all\n"
    "      --on TARGET      model (the cycle model, the default), sim (simulated devices), or both; sim\n"
    "                       also runs the cycle model for the figures that a device does not count\n"
    "      --only TEXT      only cases whose names contain TEXT\n"
    "      --variant NAME   only cases for this variant\n"
    "      --most CYCLES    leave out cases whose roofline is higher\n"
    "      --with VARIANT   run the cases on this variant instead of their own, without their bars: a\n"
    "                       name, or a file from tulle-gen --print\n"
    "      --list           list the cases and their purpose, and run none\n"
    "      --cpu            also time a plain loop and, where installed, GraphBLAS on this computer\n"
    "      --against FILE   compare with recorded cycles; more than 2 % slower is a failure\n"
    "      --record FILE    record the cycles, replacing those of the same cases in FILE\n"
    "      --json           print one JSON object, which tulle report reads\n"
    "      --output FILE    write the table or the JSON object to FILE\n"
    "      --quiet          show no progress bar\n"
    "  -h, --help           this text\n"
    "\n"
    "A simulated device is found by the name of its variant, as sim:base is (TULLE_BOARDS);\n"
    "sim/board/build -o build/board/base base makes one. Cases with matrix files need TULLE_DATA,\n"
    "the folder of the files; without it they are left out and named.\n"
    "\n"
    "Exit status: 0 done, 1 a case is slower than recorded, below its bar or wrong, 2 wrong usage.\n";

enum { SET_GENERATED, SET_FROZEN, SET_ALL };
static const char *const sets[] = {
    [SET_GENERATED] = "generated", [SET_FROZEN] = "frozen", [SET_ALL] = "all", NULL};
enum { ON_MODEL, ON_SIM, ON_BOTH };
static const char *const targets[] = {[ON_MODEL] = "model", [ON_SIM] = "sim", [ON_BOTH] = "both", NULL};

struct bench {
    const char *file[FILES_MAX];
    const char *set_text, *on_text, *only, *variant, *with, *most_text, *against, *record_to, *output;
    unsigned set, on;
    int64_t most;
    bool cpu, list, json, quiet, asked;
    char with_name[VARIANT_NAME_MAX + 1]; /* the variant's, of `with` */
    struct bench_record record;
    struct bench_case *cases;
    size_t count;
    struct bench_tally tally;
    struct strbuf listed;
    struct progress progress;
    struct diag diag;
    bool counting; /* how many cases there will be */
    unsigned steps;
};

/* ---- a case ---------------------------------------------------------------------------------------------
 */

static struct bench_case *new_case(struct bench *b, const struct plan_case *c)
{
    struct bench_case *more = realloc(b->cases, (b->count + 1) * sizeof *more);
    if (!more) {
        diag_error(&b->diag, (struct place){0}, "out of memory");
        return NULL;
    }
    b->cases = more;
    b->cases[b->count] = (struct bench_case){0};
    bench_case_begin(c, b->with ? b->with_name : c->column[VARIANT], &b->cases[b->count]);
    return &b->cases[b->count++];
}

static void figures(const struct measure *m, enum bench_target target, const struct job_result *result,
                    struct bench_case *to)
{
    struct bench_run *run = &to->run[target];
    run->ran = true;
    run->result = *result;
    run->efficiency = m->run.roofline / (double)result->cycles;
    run->utilization = (double)m->run.macs / ((double)m->model.pes * (double)result->cycles);
}

static bool fail(struct bench *b, const struct plan_case *c, const char *why)
{
    diag_error(&b->diag, (struct place){0}, "%s: %s", c->column[NAME], why);
    return false;
}

static bool run_on_board(struct bench *b, const struct plan_case *c, struct measure *m)
{
    struct strbuf why = {0};
    const bool ok = simulated_board(m, NULL, NULL, &why);
    if (!ok)
        (void)fail(b, c, sb_text(&why));
    sb_free(&why);
    return ok;
}

static void judge(const struct plan_case *c, struct bench *b, struct bench_case *to)
{
    const enum bench_target target = to->run[BENCH_SIM].ran ? BENCH_SIM : BENCH_MODEL;
    to->has_bar = strcmp(c->column[BAR], "-") != 0;
    to->bar = to->has_bar ? strtod(c->column[BAR], NULL) : 0;
    to->below = plan_case_below(c->column[BAR], to->run[target].efficiency);
    b->tally.bars += to->has_bar;
    b->tally.below += to->below;
    b->tally.measured++;
    bench_record_compare(&b->record, to, &b->tally);
    b->tally.known += to->below && to->run[target].recorded && to->run[target].change <= BENCH_MOST_SLOWER;
}

static void refuse(struct bench *b, const struct plan_case *c, const char *why, struct bench_case *to)
{
    b->tally.refused++;
    if (strcmp(c->column[BAR], "-") != 0) {
        b->tally.bars++;
        b->tally.below++;
    }
    bench_left_out_json("refused", why, to);
}

static bool complete(struct bench *b, const struct plan_case *c, struct measure *m, struct bench_case *to)
{
    struct baselines cpu = {0};
    struct strbuf why = {0};
    to->roofline = m->run.roofline;
    figures(m, BENCH_MODEL, &m->model.result, to);
    if (b->on != ON_MODEL && !run_on_board(b, c, m))
        return false;
    if (m->on_board)
        figures(m, BENCH_SIM, &m->board, to);
    if (b->cpu && !baselines_measure(&m->run, &cpu, &why))
        (void)fail(b, c, sb_text(&why));
    sb_free(&why);
    judge(c, b, to);
    bench_case_json(m, &cpu, to);
    return !b->diag.errors;
}

static bool left_out(struct bench *b, const struct plan_case *c)
{
    return (b->only && !strstr(c->column[NAME], b->only)) ||
           (b->variant && strcmp(c->column[VARIANT], b->variant) != 0);
}

/* False: the case is not understood. */
static bool measure_case(struct bench *b, const struct plan_case *c, struct bench_case *to)
{
    struct measure m;
    const bool understood = measure_prepare(c, &m);
    if (understood && b->most && m.run.roofline > (double)b->most) {
        b->tally.left_out++;
        bench_left_out_json("left_out", "left out: longer than --most", to);
    } else if (understood) {
        measure_model(&m);
        if (m.refused)
            refuse(b, c, m.refused, to);
        else
            (void)complete(b, c, &m, to);
    }
    measure_free(&m);
    return understood;
}

/* The case on the variant that is asked for, for which its bar was not set. */
static struct plan_case moved(const struct bench *b, const struct plan_case *c)
{
    struct plan_case there = *c;
    if (b->with) {
        there.column[VARIANT] = (char *)b->with;
        there.column[BAR] = (char *)"-";
    }
    return there;
}

/* True: the case is understood. */
static bool run_case(void *context, const struct plan_case *c)
{
    struct bench *b = context;
    if (b->diag.errors || left_out(b, c))
        return true;
    if (b->counting) {
        b->steps++;
        return true;
    }
    if (b->list)
        return bench_list_case(c, &b->listed);
    progress_step(&b->progress, "measuring");
    const struct plan_case there = moved(b, c);
    struct bench_case *to = new_case(b, &there);
    if (!to)
        return true;
    if (!plan_case_left_out(c))
        return measure_case(b, &there, to);
    b->tally.left_out++;
    bench_left_out_json("left_out", "left out: TULLE_DATA is not set", to);
    return true;
}

/* ---- all cases ------------------------------------------------------------------------------------------
 */

static bool each_case(struct bench *b)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < FILES_MAX && b->file[i]; i++)
        ok = plan_cases_each(b->file[i], NULL, run_case, b) == 0;
    for (size_t i = 0; ok && !b->file[0] && i < bench_cases_source_count; i++) {
        const bool frozen = !strcmp(bench_cases_sources[i].name, "plan");
        if (b->set == SET_ALL || frozen == (b->set == SET_FROZEN))
            ok = plan_cases_each_text(bench_cases_sources[i].label, bench_cases_sources[i].text, run_case, b);
    }
    return ok;
}

static bool write_all(struct bench *b)
{
    struct strbuf text = {0};
    if (b->list)
        sb_addf(&text, BENCH_LIST_HEAD "%s", sb_text(&b->listed));
    else if (b->json)
        bench_json(b->cases, b->count, &b->tally, b->against, &text);
    else
        bench_table(b->cases, b->count, &b->tally, &text);
    bool ok = b->output ? output_file(b->output, &text, &b->diag) : report_print(&text, &b->diag);
    sb_free(&text);
    return ok;
}

/* What makes it fail is said on standard error too: a table may be in a file. */
static bool verdict(struct bench *b)
{
    const struct bench_tally *t = &b->tally;
    if (!t->measured)
        diag_error(&b->diag, (struct place){0}, "no case was measured: %u left out, %u refused", t->left_out,
                   t->refused);
    if (t->slower)
        diag_error(&b->diag, (struct place){.file = b->against},
                   "%u of %u runs take over %g %% more cycles than recorded", t->slower, t->compared,
                   100 * BENCH_MOST_SLOWER);
    if (t->below > t->known)
        diag_error(&b->diag, (struct place){0},
                   "%u of %u cases are below their bars, and not recorded as such", t->below - t->known,
                   t->bars);
    return !b->diag.errors;
}

/* What --with names, before anything runs. */
static bool find_with(struct bench *b)
{
    struct variant v;
    if (!b->with)
        return true;
    const bool ok = variant_load(b->with, NULL, 0, &v, &b->diag);
    if (ok)
        snprintf(b->with_name, sizeof b->with_name, "%s", v.name);
    return ok;
}

static bool run_all(struct bench *b)
{
    b->counting = true;
    if (!find_with(b) || !bench_record_read(b->against, &b->record, &b->diag) || !each_case(b))
        return false;
    b->counting = false;
    if (!b->steps) {
        diag_error(&b->diag, (struct place){0},
                   "no case is left: --set, --only and --variant say which there may be");
        return false;
    }
    b->progress = progress_begin(b->steps, b->quiet || b->list);
    bool ok = each_case(b);
    progress_end(&b->progress);
    if (b->list)
        return ok && write_all(b);
    ok = ok && !b->diag.errors && write_all(b) &&
         (!b->record_to || bench_record_write(b->record_to, b->cases, b->count, &b->diag));
    return ok && verdict(b);
}

static void parse(int argc, char **argv, struct bench *b)
{
    const struct option_entry options[] = {
        {.name = "--set", .value = &b->set_text, .words = sets, .word = &b->set},
        {.name = "--on", .value = &b->on_text, .words = targets, .word = &b->on},
        {.name = "--only", .value = &b->only},
        {.name = "--variant", .value = &b->variant},
        {.name = "--most", .value = &b->most_text, .number = &b->most, .min = 1, .max = INT64_MAX},
        {.name = "--with", .value = &b->with},
        {.name = "--list", .flag = &b->list},
        {.name = "--cpu", .flag = &b->cpu},
        {.name = "--against", .value = &b->against},
        {.name = "--record", .value = &b->record_to},
        {.name = "--json", .flag = &b->json},
        {.name = "--output", .letter = "-o", .value = &b->output},
        {.name = "--quiet", .flag = &b->quiet},
        {.name = "--help", .letter = "-h", .flag = &b->asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){b->file, FILES_MAX, NULL}, &b->diag);
    if (b->set_text && b->file[0])
        diag_error(&b->diag, (struct place){0}, "--set names cases that the command carries, %s others",
                   b->file[0]);
    if (b->list && (b->with || b->cpu || b->json || b->most_text || b->against || b->record_to || b->on_text))
        diag_error(&b->diag, (struct place){0},
                   "--list runs nothing: it goes with --set, --only, --variant and --output");
}

int cli_bench(int argc, char **argv)
{
    struct bench b = {.asked = false};
    parse(argc, argv, &b);
    if (b.asked) {
        diag_free(&b.diag);
        fputs(help, stdout);
        return CLI_DONE;
    }
    if (b.diag.errors)
        return cli_usage("bench", &b.diag);
    const bool ok = run_all(&b);
    diag_report(&b.diag, stderr);
    for (size_t i = 0; i < b.count; i++) {
        sb_free(&b.cases[i].name);
        sb_free(&b.cases[i].op);
        sb_free(&b.cases[i].variant);
        sb_free(&b.cases[i].source);
        sb_free(&b.cases[i].left_out);
        sb_free(&b.cases[i].json);
    }
    free(b.cases);
    sb_free(&b.listed);
    bench_record_free(&b.record);
    return ok ? CLI_DONE : CLI_FAILED;
}
