/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "host/cli/bench.h"

#define CASE_WIDTH 24

static void add_run(const struct bench_run *run, struct strbuf *to)
{
    if (!run->ran) {
        sb_addf(to, "%9s %6s %6s %8s", "-", "-", "-", "");
        return;
    }
    sb_addf(to, "%9llu %6.3f %6.3f", (unsigned long long)run->result.cycles, run->efficiency,
            run->utilization);
    if (run->recorded)
        sb_addf(to, " %+7.1f%%", 100 * run->change);
    else
        sb_addf(to, " %8s", "");
}

static void add_case(const struct bench_case *c, struct strbuf *to)
{
    sb_addf(to, "%-*.*s %-9s %-6s ", CASE_WIDTH, CASE_WIDTH, sb_text(&c->name), sb_text(&c->op),
            sb_text(&c->variant));
    if (*sb_text(&c->left_out)) {
        sb_addf(to, "%s\n", sb_text(&c->left_out));
        return;
    }
    sb_addf(to, "%9.0f ", c->roofline);
    for (unsigned t = 0; t < BENCH_TARGETS; t++) {
        if (t)
            sb_add(to, " ");
        add_run(&c->run[t], to);
    }
    const struct job_result *r = &c->run[BENCH_MODEL].result;
    sb_addf(to, " %9llu %9llu", (unsigned long long)r->bytes_read, (unsigned long long)r->bytes_written);
    if (c->below)
        sb_addf(to, " BELOW ITS BAR OF %.2f", c->bar);
    for (unsigned t = 0; t < BENCH_TARGETS; t++)
        if (c->run[t].change > BENCH_MOST_SLOWER)
            sb_addf(to, " SLOWER ON %s", bench_target_names[t]);
    sb_add(to, "\n");
}

void bench_table(const struct bench_case *cases, size_t count, const struct bench_tally *t, struct strbuf *to)
{
    sb_addf(to, "%-*s %-9s %-6s %9s %9s %6s %6s %8s %9s %6s %6s %8s %9s %9s\n", CASE_WIDTH, "case", "op",
            "on", "roofline", "model", "eff.", "util.", "change", "sim", "eff.", "util.", "change", "read",
            "written");
    for (size_t i = 0; i < count; i++)
        add_case(&cases[i], to);
    sb_addf(to, "%u cases measured, %u left out, %u refused by the planner; %u of %u bars met", t->measured,
            t->left_out, t->refused, t->bars - t->below, t->bars);
    if (t->compared || t->unrecorded)
        sb_addf(to, "; beside the record %u slower by more than %g %%, %u quicker, %u not in it", t->slower,
                100 * BENCH_MOST_SLOWER, t->quicker, t->unrecorded);
    sb_add(to, "\n");
}
