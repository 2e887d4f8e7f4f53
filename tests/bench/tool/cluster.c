/* SPDX-License-Identifier: Apache-2.0
 *
 * Utilization of one Verilated cluster of 8 PEs on a 32-byte row bus, beside
 * what the cycle model says of the same packets, held against bars. Memory is
 * no limit here: packets are there at once, results are taken at once.
 *
 * Utilization is effective MACs / (PEs x cycles), from the first beat of the
 * first packet, configurations and activations included, to the last beat of
 * the last result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "sim/verilated/folder.h"
#include "tests/bench/tool/cluster.h"

#define NEAR 0.05     /* of the model's cycles */
#define NEAR_CASES 20 /* at least so many must be */
#define SCANS 5       /* 1, 2 and 4 are used */

/* What serves all cases. */
struct bench {
    const char *build; /* folder of the build */
    const char *cases, *only;
    bool model_only, json;
    struct {
        bool there;
        struct variant variant;
        const struct row_api *api;
    } row[SCANS][2]; /* by scan and balance */
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench-cluster: %s: %s\n", what, why);
    exit(1);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void load_variant(struct bench *bench, unsigned scan, bool neighbour)
{
    char set_scan[16];
    struct diag diag = {0};
    snprintf(set_scan, sizeof set_scan, "scan=%u", scan);
    const char *const sets[] = {"n=1", "m=1", "memory_width=256", set_scan,
                                neighbour ? "balance=neighbour" : "balance=none"};
    if (variant_load("base", sets, sizeof sets / sizeof *sets, &bench->row[scan][neighbour].variant, &diag))
        return;
    diag_report(&diag, stderr);
    exit(1);
}

static void build_row(struct bench *bench, unsigned scan, bool neighbour)
{
    struct strbuf folder = {0}, command = {0}, why = {0};
    struct variant built;
    sb_addf(&folder, "%s/verilated/bench-%u-%s", bench->build, scan, neighbour ? "neighbour" : "none");
    sb_addf(&command,
            "sim/verilated/build -o '%s' base --set n=1 --set m=1 --set memory_width=256 --set scan=%u "
            "--set balance=%s >&2",
            sb_text(&folder), scan, neighbour ? "neighbour" : "none");
    if (system(sb_text(&command)) != 0)
        stop(sb_text(&folder), "could not be built");
    if (!row_folder_load(sb_text(&folder), &built, &bench->row[scan][neighbour].api, &why))
        stop(sb_text(&folder), sb_text(&why));
    if (memcmp(&built, &bench->row[scan][neighbour].variant, sizeof built) != 0)
        stop(sb_text(&folder), "is of another variant");
    sb_free(&folder);
    sb_free(&command);
}

static void prepare(struct bench *bench, unsigned scan, bool neighbour)
{
    if (bench->row[scan][neighbour].there)
        return;
    load_variant(bench, scan, neighbour);
    if (!bench->model_only)
        build_row(bench, scan, neighbour);
    bench->row[scan][neighbour].there = true;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static uint64_t model_cycles(const struct variant *v, const struct packet_list *list, const char *name,
                             uint64_t *macs)
{
    struct cycle_options options = cycle_defaults(v);
    struct cluster_report report;
    if (!cluster_run(v, &options, list->packet, list->count, &report))
        stop(name, "out of memory");
    if (report.code)
        stop(name, "the cycle model ends with an error");
    *macs = report.effective_macs;
    return report.cycles;
}

/* Cycles of the Verilated row, whose results must be the functional model's. */
static uint64_t row_cycles(const struct row_api *api, const struct variant *v, const struct packet_list *list,
                           const char *name)
{
    struct row *row = api->create(1);
    struct outcome outcome = {0}, expected = {0};
    const struct surroundings calm = {.seed = 1};
    struct strbuf why = {0};
    if (!row || !play_packets(api, row, v, list, &calm, &outcome) || !model_packets(v, list, &expected))
        stop(name, "out of memory");
    if (!outcomes_agree(v, &outcome, &expected, &why))
        stop(name, sb_text(&why));
    uint64_t cycles = outcome.cycles;
    api->free(row);
    outcome_free(&outcome);
    outcome_free(&expected);
    return cycles;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static uint64_t cycles_of(struct bench *bench, const struct cluster_case *c, bool neighbour,
                          struct cluster_measured *m)
{
    struct packet_list list = {0};
    prepare(bench, c->scan, neighbour);
    const struct variant *v = &bench->row[c->scan][neighbour].variant;
    m->skipped = cluster_packets(c, v, &list);
    uint64_t cycles = 0;
    if (!m->skipped) {
        m->model_cycles = model_cycles(v, &list, c->name, &m->macs);
        cycles = bench->model_only ? m->model_cycles
                                   : row_cycles(bench->row[c->scan][neighbour].api, v, &list, c->name);
    }
    packet_list_free(&list);
    return cycles;
}

static struct cluster_measured measure(struct bench *bench, const struct cluster_case *c)
{
    struct cluster_measured m = {0};
    if (c->kind == CASE_FILE && !getenv("TULLE_DATA")) {
        m.skipped = "TULLE_DATA is not set";
        return m;
    }
    uint64_t unbalanced = c->kind == CASE_HEAVY && c->neighbour ? cycles_of(bench, c, false, &m) : 0;
    m.cycles = cycles_of(bench, c, c->neighbour, &m);
    if (m.skipped)
        return m;
    unsigned pes = bench->row[c->scan][c->neighbour].variant.k;
    m.utilization = ratio(m.macs, m.cycles * pes);
    m.model_utilization = ratio(m.macs, m.model_cycles * pes);
    m.deviation = ratio(m.cycles, m.model_cycles) - 1;
    m.faster = ratio(unbalanced, m.cycles);
    m.below = c->bar > 0 && (c->kind == CASE_HEAVY ? m.faster : m.utilization) < c->bar;
    return m;
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void print_head(const struct bench *bench)
{
    if (bench->json) {
        printf("{\"model_only\": %s, \"cases\": [", bench->model_only ? "true" : "false");
        return;
    }
    printf("%-34s %4s %-9s %9s %8s %8s %8s %8s %7s %6s\n", "case", "scan", "balance", "MACs", "cycles",
           "util.", "model", "dev.", "faster", "bar");
}

static void print_json(const struct cluster_case *c, const struct cluster_measured *m, bool first)
{
    struct strbuf text = {0};
    sb_addf(&text, "%s\n  {\"name\": ", first ? "" : ",");
    sb_add_json(&text, c->name);
    sb_addf(&text, ", \"scan\": %u, \"balance\": \"%s\"", c->scan, c->neighbour ? "neighbour" : "none");
    if (m->skipped) {
        sb_add(&text, ", \"skipped\": ");
        sb_add_json(&text, m->skipped);
    } else {
        sb_addf(&text,
                ", \"effective_macs\": %llu, \"cycles\": %llu, \"utilization\": %.4f, "
                "\"model_cycles\": %llu, \"model_utilization\": %.4f, \"deviation\": %.4f",
                (unsigned long long)m->macs, (unsigned long long)m->cycles, m->utilization,
                (unsigned long long)m->model_cycles, m->model_utilization, m->deviation);
        if (m->faster > 0)
            sb_addf(&text, ", \"faster\": %.3f", m->faster);
        if (c->bar > 0)
            sb_addf(&text, ", \"bar\": %.3f, \"met\": %s", c->bar, m->below ? "false" : "true");
    }
    printf("%s}", sb_text(&text));
    sb_free(&text);
}

static void print_row(const struct cluster_case *c, const struct cluster_measured *m)
{
    printf("%-34s %4u %-9s ", c->name, c->scan, c->neighbour ? "neighbour" : "none");
    if (m->skipped) {
        printf("skipped: %s\n", m->skipped);
        return;
    }
    printf("%9llu %8llu %8.3f %8.3f %+7.1f%% ", (unsigned long long)m->macs, (unsigned long long)m->cycles,
           m->utilization, m->model_utilization, 100 * m->deviation);
    if (m->faster > 0)
        printf("%7.2f ", m->faster);
    else
        printf("%7s ", "");
    if (c->bar > 0)
        printf("%6.2f%s", c->bar, m->below ? " NOT MET" : "");
    printf("\n");
}

struct tally {
    unsigned measured, skipped, bars, below, near;
};

static void count(struct tally *t, const struct cluster_case *c, const struct cluster_measured *m)
{
    t->skipped += m->skipped != NULL;
    if (m->skipped)
        return;
    t->measured++;
    t->bars += c->bar > 0;
    t->below += m->below;
    t->near += m->deviation <= NEAR && m->deviation >= -NEAR;
}

static bool print_end(const struct bench *bench, const struct tally *t)
{
    bool near = bench->model_only || bench->only || t->near >= NEAR_CASES;
    if (bench->json)
        printf("],\n \"measured\": %u, \"skipped\": %u, \"bars\": %u, \"below\": %u, \"near_model\": %u}\n",
               t->measured, t->skipped, t->bars, t->below, t->near);
    else
        printf("%u cases measured, %u skipped; %u of %u bars met; %u cases within %.0f %% of the cycle "
               "model%s\n",
               t->measured, t->skipped, t->bars - t->below, t->bars, t->near, 100 * NEAR,
               near ? "" : ", which is too few");
    return near && !t->below && t->measured;
}

static const char help[] = "usage: bench-cluster [--json] [--model] [--only TEXT] CASES.tsv\n"
                           "\n"
                           "Run in the source tree, with BUILD naming the folder of the build.\n"
                           "  --json       for programs\n"
                           "  --model      what the cycle model says, without a Verilated row\n"
                           "  --only TEXT  only cases whose name has TEXT in it; then nothing is asked of "
                           "the number near the model\n"
                           "Exit status 1 when a bar is not met or too few cases are near the model.\n";

static bool read_words(struct bench *bench, int words, char **word)
{
    struct diag diag = {0};
    const struct option_entry options[] = {{"--json", .flag = &bench->json},
                                           {"--model", .flag = &bench->model_only},
                                           {"--only", .value = &bench->only},
                                           {0}};
    options_read(words, word, options, &(struct option_rest){&bench->cases, 1, "file "}, &diag);
    return !diag_report(&diag, stderr) && bench->cases;
}

int main(int words, char **word)
{
    struct bench bench = {.build = getenv("BUILD") ? getenv("BUILD") : "build"};
    if (!read_words(&bench, words, word)) {
        fputs(help, stderr);
        return 2;
    }
    struct cluster_cases cases = cluster_cases_read(bench.cases);
    struct tally tally = {0};
    print_head(&bench);
    for (size_t i = 0; i < cases.count; i++) {
        const struct cluster_case *c = &cases.list[i];
        if (bench.only && !strstr(c->name, bench.only))
            continue;
        struct cluster_measured m = measure(&bench, c);
        if (bench.json)
            print_json(c, &m, !tally.measured && !tally.skipped);
        else
            print_row(c, &m);
        fflush(stdout);
        count(&tally, c, &m);
    }
    free(cases.list);
    return print_end(&bench, &tally) ? 0 : 1;
}
