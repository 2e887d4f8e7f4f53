/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of what jobs read is their program: the planner's choices for the
 * cases of tests/bench/program-cases.tsv, on the cycle model, every result
 * compared. The bar is for jobs of over 50,000 cycles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "host/measure/plan_cases.h"
#include "host/measure/plan_run.h"
#include "sim/model/program.h"
#include "tests/bench/tool/misses.h"

#define BAR_CYCLES 50000
#define BAR_PERCENT 2.0

struct tool {
    const char *only;
    struct misses misses;
    unsigned missed, ran;
};

struct outcome {
    struct plan_choice choice;
    uint64_t cycles, read, program;
    uint32_t operations;
    double percent;
};

/* NULL, or why there is no plan. */
static const char *measure(const struct plan_case *c, const struct sparse *w, struct outcome *out)
{
    const struct setup setup = setup_load(c->column[VARIANT], NULL);
    struct plan_alternatives *all = malloc(sizeof *all);
    struct plan_description d;
    struct plan_window window;
    struct plan_run run;
    struct plan plan = {0};
    struct cycle_report report;
    if (!all)
        return "out of memory";
    if (!plan_case_description(c, &setup.variant, w, &window, &d))
        return free(all), "the operator is not understood";
    plan_run_begin(&run, &setup, &d, strtod(c->column[ACTIVATIONS], NULL));
    const char *why = plan_why(plan_choose(&d, NULL, plan_run_cost, &run, 0, all, &plan));
    if (!why) {
        plan_run_report(&run, &plan, NULL, &report);
        struct program program;
        struct job_result opened;
        out->choice = all->of[all->best].choice;
        out->cycles = report.result.cycles;
        out->read = report.result.bytes_read;
        (void)program_open(&program, &setup.variant, 0, (const uint8_t *)plan.program.text, plan.program.len,
                           &opened);
        out->operations = program.operations;
        out->program = (uint64_t)(program.operations + 1) * ISA_OPERATION_BYTES;
        out->percent = 100.0 * (double)out->program / (double)out->read;
        cycle_report_free(&report);
    }
    plan_run_end(&run);
    plan_free(&plan);
    free(all);
    return why;
}

static bool run_case(void *context, const struct plan_case *c)
{
    struct tool *tool = context;
    struct sparse w;
    struct outcome o = {0};
    char name[32];
    if (plan_case_left_out(c))
        return true;
    if (!plan_case_weights(c, &w))
        return false;
    const char *why = measure(c, &w, &o);
    sparse_free(&w);
    if (why) {
        printf("| %s | %s | refused: %s | | | | | |\n", c->column[NAME], c->column[VARIANT], why);
        return true;
    }
    const bool long_enough = o.cycles > BAR_CYCLES;
    const enum miss miss = misses_judge(&tool->misses, c->column[NAME], "program",
                                        long_enough && o.percent >= BAR_PERCENT, o.percent);
    tool->missed += miss_fails(miss);
    tool->ran++;
    printf("| %s | %s | %s | %llu | %u | %llu | %.2f | %s |\n", c->column[NAME], c->column[VARIANT],
           plan_choice_name(&o.choice, name), (unsigned long long)o.cycles, o.operations,
           (unsigned long long)o.read, o.percent,
           miss          ? miss_words(miss)
           : long_enough ? "held"
                         : "");
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    struct tool tool = {0};
    const char *words[2] = {0}, *known = NULL;
    struct diag diag = {0};
    const struct option_entry options[] = {{"--misses", .value = &known}, {0}};
    options_read(argc, argv, options, &(struct option_rest){words, 2, NULL}, &diag);
    if (diag_report(&diag, stderr) || !words[0]) {
        fputs("usage: bench-program [--misses FILE] FILE [CASE]\n", stderr);
        return 2;
    }
    if (!misses_read(&tool.misses, known, "bench-program"))
        return 2;
    tool.only = words[1];
    printf("| case | variant | choice | cycles | operations | bytes read | of these program, %% | |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    int status = plan_cases_each(words[0], tool.only, run_case, &tool);
    if (!status && !tool.ran) {
        fprintf(stderr, "%s: error: no case ran\n", words[0]);
        status = 2;
    }
    if (!status && !tool.only)
        tool.missed += misses_unseen(&tool.misses, "bench-program");
    return fclose(stdout) ? 1 : status ? status : tool.missed ? 1 : 0;
}
