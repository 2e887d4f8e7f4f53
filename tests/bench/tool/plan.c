/* SPDX-License-Identifier: Apache-2.0
 *
 * The planner's choices on the frozen cases: efficiency against the roofline,
 * bytes a non-zero, and with --forced how far the choice is from the best of
 * all forced plans. Cycles are the cycle model's; every result is compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/options.h"
#include "host/measure/plan_cases.h"
#include "host/measure/plan_run.h"
#include "tests/bench/tool/misses.h"

struct tool {
    const char *only;
    bool json, forced, explain;
    struct misses misses;
    unsigned missed, compared, near, ran;
};

struct outcome {
    struct plan_alternatives alternatives;
    uint64_t cycles, best_forced;
    double roofline, efficiency, bytes, planning;
    double whole, in_bursts; /* shares of the bytes written: in whole beats, in long bursts */
    char name[32];
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* Cycles of the fastest of all alternatives. */
static uint64_t best_of_all(const struct plan_description *d, struct plan_run *run)
{
    struct plan_alternatives all;
    struct plan plan;
    uint64_t cycles = 0;
    if (!plan_choose(d, NULL, plan_run_cost, run, PLAN_ALTERNATIVES_MAX, &all, &plan))
        for (unsigned i = 0; i < all.count; i++)
            if (all.of[i].price.cycles && (!cycles || all.of[i].price.cycles < cycles))
                cycles = all.of[i].price.cycles;
    plan_free(&plan);
    return cycles;
}

static void describe_choice(const struct plan_choice *c, char name[32])
{
    static const char *const gathers[] = {"", "stay", "pages", "diagonal"};
    char split[8];
    if (c->gather)
        snprintf(name, 32, "%s %u", gathers[c->gather], c->packet_bytes);
    else
        snprintf(name, 32, "%s %s%s", plan_mapping_name(c->mapping), plan_split_name(c->split, split),
                 c->deals ? ", dealt" : "");
}

/* NULL, or why there is no plan. */
static const char *measure(const struct tool *tool, const struct plan_case *c, const struct sparse *w,
                           struct outcome *out)
{
    struct setup setup = setup_load(c->column[VARIANT], NULL);
    struct plan_description d;
    struct plan_window window;
    struct plan_run run;
    struct plan plan, again = {0};
    if (!plan_case_description(c, &setup.variant, w, &window, &d))
        return "the operator is not understood";
    plan_run_begin(&run, &setup, &d, strtod(c->column[ACTIVATIONS], NULL));
    const char *why = plan_why(plan_choose(&d, NULL, plan_run_cost, &run, 0, &out->alternatives, &plan));
    if (!why) {
        const struct plan_alternative *best = &out->alternatives.of[out->alternatives.best];
        double start = seconds();
        why = plan_why(plan_make(&d, &best->choice, &again));
        out->planning = seconds() - start;
        struct cycle_report report;
        plan_run_report(&run, &plan, NULL, &report);
        out->cycles = report.result.cycles;
        out->whole = report.stored ? (double)report.stored_whole / (double)report.stored : 0;
        out->in_bursts = report.stored ? (double)report.stored_long / (double)report.stored : 0;
        cycle_report_free(&report);
        out->roofline = run.roofline;
        out->efficiency = run.roofline / (double)out->cycles;
        out->bytes = w->start[w->rows] ? (double)plan.weights.len / (double)w->start[w->rows] : 0;
        describe_choice(&best->choice, out->name);
        if (tool->forced && !strcmp(c->column[CHOICE], "yes"))
            out->best_forced = best_of_all(&d, &run);
    }
    plan_run_end(&run);
    plan_free(&plan);
    plan_free(&again);
    return why;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_json(const struct tool *tool, const struct plan_case *c, const struct outcome *o,
                       enum miss miss)
{
    printf("%s\n  {\"case\": \"%s\", \"variant\": \"%s\", \"choice\": \"%s\", \"roofline\": %.2f, "
           "\"cycles\": %llu, "
           "\"efficiency\": %.4f, \"bar\": \"%s\", \"bytes\": %.3f, \"bytes_bar\": \"%s\", "
           "\"planning_seconds\": %.4f, "
           "\"written_whole\": %.4f, \"written_long\": %.4f, \"best_forced\": %llu, \"held\": %s}",
           tool->ran > 1 ? "," : "", c->column[NAME], c->column[VARIANT], o->name, o->roofline,
           (unsigned long long)o->cycles, o->efficiency, c->column[BAR], o->bytes, c->column[BYTES],
           o->planning, o->whole, o->in_bursts, (unsigned long long)o->best_forced, miss ? "false" : "true");
}

static void print_row(const struct plan_case *c, const struct outcome *o, enum miss miss)
{
    bool bars = strcmp(c->column[BAR], "-") || strcmp(c->column[BYTES], "-");
    printf("| %s | %s | %s | %.0f | %llu | %.3f | %s | %.2f | %s | %.3f | ", c->column[NAME],
           c->column[VARIANT], o->name, o->roofline, (unsigned long long)o->cycles, o->efficiency,
           c->column[BAR], o->bytes, c->column[BYTES], o->planning);
    if (o->best_forced)
        printf("%.3f", (double)o->cycles / (double)o->best_forced);
    printf(" | %s |\n", miss ? miss_words(miss) : bars ? "held" : "");
}

static void print_explanation(const struct outcome *o)
{
    struct strbuf text = {0};
    plan_explain(&o->alternatives, 0, &text);
    printf("\n%s\n", sb_text(&text));
    sb_free(&text);
}

static void print_refused(struct tool *tool, const struct plan_case *c, const char *why)
{
    const bool bar = strcmp(c->column[BAR], "-");
    const enum miss miss = misses_judge(&tool->misses, c->column[NAME], "efficiency", bar, 0);
    tool->missed += miss_fails(miss);
    if (!tool->json)
        printf("| %s | %s | refused: %s | | | | %s | | %s | | | %s |\n", c->column[NAME], c->column[VARIANT],
               why, c->column[BAR], c->column[BYTES], miss_words(miss));
}

/* Of its two figures, the one that is worse. */
static enum miss judge(struct tool *tool, const struct plan_case *c, const struct outcome *o)
{
    const enum miss efficiency = misses_judge(&tool->misses, c->column[NAME], "efficiency",
                                              plan_case_below(c->column[BAR], o->efficiency), o->efficiency),
                    bytes = misses_judge(&tool->misses, c->column[NAME], "bytes",
                                         plan_case_above(c->column[BYTES], o->bytes), o->bytes);
    tool->missed += miss_fails(efficiency) || miss_fails(bytes);
    return miss_fails(bytes) || !efficiency ? bytes : efficiency;
}

static bool run_case(void *context, const struct plan_case *c)
{
    struct tool *tool = context;
    struct sparse w;
    struct outcome o = {0};
    if (plan_case_left_out(c)) {
        misses_left_out(&tool->misses, c->column[NAME]);
        if (!tool->json)
            printf("| %s | left out: TULLE_DATA is not set | | | | | | | | | | |\n", c->column[NAME]);
        return true;
    }
    if (!plan_case_weights(c, &w))
        return false;
    const char *why = measure(tool, c, &w, &o);
    sparse_free(&w);
    if (why) {
        print_refused(tool, c, why);
        return true;
    }
    const enum miss miss = judge(tool, c, &o);
    tool->ran++;
    tool->compared += o.best_forced > 0;
    tool->near += o.best_forced && o.cycles * 100 <= o.best_forced * 105;
    if (tool->json)
        print_json(tool, c, &o, miss);
    else
        print_row(c, &o, miss);
    if (tool->explain)
        print_explanation(&o);
    fflush(stdout);
    return true;
}

static int run_file(struct tool *tool, const char *file)
{
    printf(tool->json ? "["
                      : "| case | variant | choice | roofline | cycles | efficiency | bar | bytes a non-zero "
                        "| at most | "
                        "planning, s | over the best forced | |\n"
                        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    int status = plan_cases_each(file, tool->only, run_case, tool);
    if (tool->json)
        printf("\n]\n");
    else if (tool->compared)
        printf("\nWithin 5 %% of the best forced plan: %u of %u.\n", tool->near, tool->compared);
    if (!status && !tool->ran) {
        fprintf(stderr, "%s: error: no case ran\n", file);
        status = 2;
    }
    if (!status && !tool->only)
        tool->missed += misses_unseen(&tool->misses, "bench-plan");
    return status ? status : tool->missed ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct tool tool = {0};
    const char *words[2] = {0}, *known = NULL;
    struct diag diag = {0};
    const struct option_entry options[] = {{"--json", .flag = &tool.json},
                                           {"--forced", .flag = &tool.forced},
                                           {"--explain", .flag = &tool.explain},
                                           {"--misses", .value = &known},
                                           {0}};
    options_read(argc, argv, options, &(struct option_rest){words, 2, NULL}, &diag);
    if (diag_report(&diag, stderr) || !words[0] || (tool.json && tool.explain)) {
        fputs("usage: bench-plan [--json] [--forced] [--explain] [--misses FILE] FILE [CASE]\n", stderr);
        return 2;
    }
    if (!misses_read(&tool.misses, known, "bench-plan"))
        return 2;
    tool.only = words[1];
    int status = run_file(&tool, words[0]);
    return fclose(stdout) ? 1 : status;
}
