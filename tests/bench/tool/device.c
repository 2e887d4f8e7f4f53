/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of tests/bench on the Verilated device: its cycles beside the
 * cycle model's, efficiency against the roofline, and how busy the memory port
 * is. Every byte of memory must be the functional model's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "host/measure/case_file.h"
#include "host/measure/measurement.h"
#include "tests/bench/tool/misses.h"
#include "tests/sim_board/tulle_sim/attempt.h"

#define NEAR 0.05 /* of the model's cycles */
#define VARIANTS_MAX 8
#define FILES_MAX 8

/* What serves all cases. */
struct bench {
    const char *build; /* folder of the build */
    const char *only, *variant, *known;
    struct misses misses;
    const char *file[FILES_MAX];
    size_t files;
    int64_t most; /* cycles of the model; 0: no bound */
    bool json;
    struct {
        const char *name;
        struct variant variant;
        struct strbuf board;
    } built[VARIANTS_MAX];
    size_t variants;
};

struct device_measured {
    const char *left_out; /* why nothing was measured */
    const char *refused;  /* why there is no job */
    uint64_t cycles, model_cycles;
    double roofline, efficiency, deviation;
    uint64_t reads, writes; /* beats on the port */
    double busy;            /* the port's busier direction, of the cycles from its first beat to its last */
    bool below, far;        /* the bar; from the model */
    enum miss miss;         /* of the bar */
    enum miss off;          /* of the model */
};

static void stop(const char *what, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "bench-device: %s: %s\n", what, why);
    exit(1);
}

/* ---- boards ---------------------------------------------------------------------------------- */

static size_t prepare(struct bench *bench, const char *name)
{
    struct diag diag = {0};
    struct strbuf command = {0};
    size_t i = 0;
    while (i < bench->variants && strcmp(bench->built[i].name, name) != 0)
        i++;
    if (i < bench->variants)
        return i;
    if (i == VARIANTS_MAX)
        stop(name, "too many variants");
    if (!variant_load(name, NULL, 0, &bench->built[i].variant, &diag)) {
        diag_report(&diag, stderr);
        exit(1);
    }
    bench->built[i].name = name;
    sb_addf(&bench->built[i].board, "sim:%s/board/%s", bench->build, name);
    sb_addf(&command, "sim/board/build -o '%s/board/%s' '%s' >&2", bench->build, name, name);
    if (system(sb_text(&command)) != 0)
        stop(name, "the board could not be built");
    sb_free(&command);
    bench->variants++;
    return i;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static struct sim_options options_of(const struct one_case *c, const char *board)
{
    static const enum operator_kind operators[] = {[CASE_SPMM] = OPERATOR_SPMM,
                                                   [CASE_SPMV] = OPERATOR_SPMV,
                                                   [CASE_SPCONV] = OPERATOR_SPCONV,
                                                   [CASE_DEPTHWISE] = OPERATOR_DEPTHWISE,
                                                   [CASE_EMPTY] = OPERATOR_EMPTY};
    const bool product = c->operator== CASE_SPMM || c->operator== CASE_SPMV;
    return (struct sim_options){
        .operator= operators[c->operator], .board = board, .rows = c->rows, .shape = c->shape,
                             .plan = product ? "auto" : NULL, .act_density = c->density, .seed = 1,
                             .latency = 64, .events = 16, .to = INT64_MAX, .seconds = 3600, .jobs = 1 };
}

static double busy(const struct board_traffic *t)
{
    return t->beats ? (double)t->beats / (double)(t->last - t->first + 1) : 0;
}

static void run(const struct sim_options *o, const struct one_case *c, const struct problem *p,
                struct device_measured *m)
{
    struct attempt a;
    attempt_run(o, p, NULL, &a);
    if (!a.agrees)
        stop(c->name, sb_text(&a.why));
    m->cycles = a.result.cycles;
    m->roofline = p->roofline;
    m->efficiency = p->roofline / (double)m->cycles;
    m->deviation = (double)m->cycles / (double)m->model_cycles - 1;
    m->reads = a.read.beats;
    m->writes = a.written.beats;
    m->busy = busy(a.read.beats > a.written.beats ? &a.read : &a.written);
    m->below = c->has_bar && m->efficiency < c->bar;
    m->far = m->deviation > NEAR || m->deviation < -NEAR;
    attempt_free(&a);
}

static struct device_measured measure(struct bench *bench, const struct one_case *c)
{
    struct device_measured m = {0};
    struct operands operands = {.activation_seed = ACTIVATION_SEED};
    struct problem p;
    if (bench->variant && strcmp(bench->variant, c->variant) != 0)
        m.left_out = "of another variant than the one that is asked for";
    else
        m.left_out = case_weights(c, &operands.matrix);
    if (m.left_out) {
        misses_left_out(&bench->misses, c->name);
        return m;
    }
    size_t variant = prepare(bench, c->variant);
    struct sim_options o = options_of(c, sb_text(&bench->built[variant].board));
    m.refused = problem_make(&o, &bench->built[variant].variant, &operands, &p);
    m.model_cycles = p.cycles;
    m.below = m.refused && c->has_bar;
    if (!m.refused && bench->most && p.cycles > (uint64_t)bench->most)
        m.left_out = "longer than what is asked for";
    else if (!m.refused)
        run(&o, c, &p, &m);
    if (m.left_out) {
        misses_left_out(&bench->misses, c->name);
    } else {
        m.miss = misses_judge(&bench->misses, c->name, "efficiency", m.below, m.efficiency);
        m.off = misses_judge(&bench->misses, c->name, "model", m.far, 1 / (1 + m.deviation));
    }
    problem_free(&p);
    return m;
}

/* ---- reporting ------------------------------------------------------------------------------- */

struct tally {
    unsigned measured, left_out, refused, bars, below, near,
        failed; /* failed: bars, other than known misses */
    double furthest;
};

static void count(struct tally *t, const struct one_case *c, const struct device_measured *m)
{
    double distance = m->deviation < 0 ? -m->deviation : m->deviation;
    t->left_out += m->left_out != NULL;
    t->refused += m->refused != NULL;
    t->bars += c->has_bar && !m->left_out;
    t->below += m->below;
    t->failed += miss_fails(m->miss) || (m->off != MISS_NEW && miss_fails(m->off));
    if (m->left_out || m->refused)
        return;
    t->measured++;
    t->near += !m->far || m->off == MISS_KNOWN;
    t->furthest = distance > t->furthest ? distance : t->furthest;
}

static void print_head(const struct bench *bench)
{
    if (bench->json)
        printf("{\"cases\": [");
    else
        printf("%-18s %-6s %9s %9s %9s %7s %6s %5s %8s %8s %6s\n", "case", "on", "roofline", "cycles",
               "model", "dev.", "eff.", "bar", "read", "written", "busy");
}

static void print_json(const struct one_case *c, const struct device_measured *m, bool first)
{
    struct strbuf text = {0};
    sb_addf(&text, "%s\n  {\"name\": ", first ? "" : ",");
    sb_add_json(&text, c->name);
    sb_add(&text, ", \"variant\": ");
    sb_add_json(&text, c->variant);
    if (m->left_out || m->refused) {
        sb_addf(&text, ", \"%s\": ", m->left_out ? "left_out" : "refused");
        sb_add_json(&text, m->left_out ? m->left_out : m->refused);
    } else
        sb_addf(&text,
                ", \"roofline\": %.2f, \"cycles\": %llu, \"model_cycles\": %llu, \"deviation\": %.4f, "
                "\"efficiency\": %.4f, \"beats_read\": %llu, \"beats_written\": %llu, \"busy\": %.4f",
                m->roofline, (unsigned long long)m->cycles, (unsigned long long)m->model_cycles, m->deviation,
                m->efficiency, (unsigned long long)m->reads, (unsigned long long)m->writes, m->busy);
    if (c->has_bar && !m->left_out)
        sb_addf(&text, ", \"bar\": %.3f, \"met\": %s", c->bar, m->below ? "false" : "true");
    printf("%s}", sb_text(&text));
    sb_free(&text);
}

static void print_row(const struct one_case *c, const struct device_measured *m)
{
    printf("%-18s %-6s ", c->name, c->variant);
    if (m->left_out)
        printf("left out: %s\n", m->left_out);
    else if (m->refused)
        printf("refused: %s %s\n", m->refused, miss_words(m->miss));
    else {
        char bar[16] = "-";
        if (c->has_bar)
            snprintf(bar, sizeof bar, "%.2f", c->bar);
        printf("%9.0f %9llu %9llu %+6.1f%% %6.3f %5s %8llu %8llu %6.3f%s %s\n", m->roofline,
               (unsigned long long)m->cycles, (unsigned long long)m->model_cycles, 100 * m->deviation,
               m->efficiency, bar, (unsigned long long)m->reads, (unsigned long long)m->writes, m->busy,
               m->far ? " FAR FROM THE MODEL" : "", miss_words(m->far ? m->off : m->miss));
    }
}

static bool print_end(const struct bench *bench, const struct tally *t)
{
    if (bench->json)
        printf("],\n \"measured\": %u, \"left_out\": %u, \"refused\": %u, \"bars\": %u, \"below\": %u, "
               "\"near_model\": %u, \"furthest\": %.4f}\n",
               t->measured, t->left_out, t->refused, t->bars, t->below, t->near, t->furthest);
    else
        printf(
            "%u cases measured, %u left out, %u refused by the planner; %u of %u bars met; %u of %u within "
            "%.0f %% of the cycle model, the furthest %.1f %%\n",
            t->measured, t->left_out, t->refused, t->bars - t->below, t->bars, t->near, t->measured,
            100 * NEAR, 100 * t->furthest);
    const bool whole = !bench->only && !bench->variant && !bench->most;
    return !(whole && misses_unseen(&bench->misses, "bench-device")) && t->measured && !t->failed &&
           t->near == t->measured;
}

/* ---- main ------------------------------------------------------------------------------------ */

static const char help[] =
    "usage: bench-device [--json] [--only TEXT] [--variant NAME] [--most CYCLES] [--misses FILE] "
    "CASES.tsv...\n"
    "\n"
    "Run in the source tree, with BUILD naming the folder of the build.\n"
    "  --json          for programs\n"
    "  --only TEXT     only cases whose name has TEXT in it\n"
    "  --variant NAME  only cases on that variant: each takes a build of its own\n"
    "  --most CYCLES   leave out cases for which the cycle model takes more\n"
    "  --misses FILE   bars that are known to be missed, and by how much (tests/bench/known-misses.tsv)\n"
    "Cycles: from start to interrupt, with one beat a cycle each way and a latency of 64. busy: of the "
    "busier\n"
    "direction of the memory port, from its first beat of data to its last.\n"
    "Exit status 1 when bytes differ, and when a bar is not met or a case is not within 5 % of the cycle "
    "model,\n"
    "unless it is a known miss.\n";

static bool take_words(struct bench *bench, int words, char **word)
{
    const char *most = NULL;
    struct diag diag = {0};
    const struct option_entry options[] = {
        {"--json", .flag = &bench->json},
        {"--only", .value = &bench->only},
        {"--variant", .value = &bench->variant},
        {"--misses", .value = &bench->known},
        {"--most", .value = &most, .number = &bench->most, .max = INT64_MAX},
        {0}};
    options_read(words, word, options, &(struct option_rest){bench->file, FILES_MAX, NULL}, &diag);
    while (bench->files < FILES_MAX && bench->file[bench->files])
        bench->files++;
    return !diag_report(&diag, stderr) && bench->files &&
           misses_read(&bench->misses, bench->known, "bench-device");
}

static void run_file(struct bench *bench, const struct case_file *file, struct tally *tally)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct one_case *c = &file->list[i];
        if (bench->only && !strstr(c->name, bench->only))
            continue;
        bool first = !tally->measured && !tally->left_out && !tally->refused;
        struct device_measured m = measure(bench, c);
        if (bench->json)
            print_json(c, &m, first);
        else
            print_row(c, &m);
        fflush(stdout);
        count(tally, c, &m);
    }
}

int main(int words, char **word)
{
    struct bench bench = {.build = getenv("BUILD") ? getenv("BUILD") : "build"};
    struct case_file file[FILES_MAX];
    struct tally tally = {0};
    if (!take_words(&bench, words, word)) {
        fputs(help, stderr);
        return 2;
    }
    for (size_t i = 0; i < bench.files; i++)
        if (!case_file_read(bench.file[i], &file[i]))
            return 2;
    print_head(&bench);
    for (size_t i = 0; i < bench.files; i++)
        run_file(&bench, &file[i], &tally);
    for (size_t i = 0; i < bench.files; i++)
        case_file_free(&file[i]);
    for (size_t i = 0; i < bench.variants; i++)
        sb_free(&bench.built[i].board);
    return print_end(&bench, &tally) ? 0 : 1;
}
