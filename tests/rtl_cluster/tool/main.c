/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verilated/folder.h"
#include "tests/rtl_cluster/tool/cluster_test.h"

static const char usage[] =
    "usage: cluster-test FOLDER KIND [--seeds FIRST COUNT] [--no-stalls] [--trace FILE.fst]\n"
    "\n"
    "FOLDER is what sim/verilated/build made. KIND:\n"
    "  stores   partial sums in, entries out, in random order\n"
    "  reductions  entries over the PEs, in random order\n"
    "  buffers  MACs on accumulation buffers, in variants that have them\n"
    "  beside   reductions between MACs and stores of the same few entries\n"
    "  pace     groups of MACs that are added up over the PEs, in the cycles of the cycle model\n"
    "  loads    loads of activations beside and within runs, in random order\n"
    "  masks    the same zeros under several zero points, in the same cycles\n"
    "  tiles    random operators that use what the instruction set has\n"
    "  plans    SpMM and SpMV of random matrices, as the planner cuts them\n"
    "  extensions  extension records, scalar registers and SPU instructions, in random order\n"
    "  refusals  configurations with extension records, most of which must be refused, one for each seed\n"
    "  measure  cycles with and without extension records, and of LDs beside MACs, of the row and the cycle "
    "model, one case for each seed\n"
    "  errors   packets that must be refused, one for each seed\n";

struct kind {
    const char *name;
    bool (*run)(struct bench *bench, uint64_t seed, struct strbuf *why);
};

static const struct kind kinds[] = {{"stores", case_stores},    {"reductions", case_reduction},
                                    {"beside", case_beside},    {"pace", case_pace},
                                    {"buffers", case_buffers},  {"tiles", case_tile},
                                    {"loads", case_loads},      {"masks", case_mask},
                                    {"plans", case_plan},       {"extensions", case_extension},
                                    {"refusals", case_refusal}, {"measure", case_measure},
                                    {"errors", case_error}};

static int wrong(void)
{
    fputs(usage, stderr);
    return 2;
}

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

static unsigned run(struct bench *bench, const struct kind *kind, uint64_t first, uint64_t count)
{
    unsigned failures = 0;
    for (uint64_t seed = first; seed < first + count && failures < 5; seed++) {
        struct strbuf why = {0};
        if (!kind->run(bench, seed, &why)) {
            failures++;
            fprintf(stderr, "FAIL: %s %s, seed %llu: %s\n  reproduce: cluster-test %s %s --seeds %llu 1%s\n",
                    bench->variant.name, kind->name, (unsigned long long)seed, sb_text(&why), bench->folder,
                    kind->name, (unsigned long long)seed, bench->stalls ? "" : " --no-stalls");
        }
        sb_free(&why);
    }
    return failures;
}

int main(int count, char **words)
{
    struct bench bench = {.stalls = true};
    uint64_t first = 1, seeds = 100;
    struct strbuf why = {0};
    const struct kind *kind = count > 2 ? kind_of(words[2]) : NULL;
    if (!kind)
        return wrong();
    if (kind->run == case_error)
        seeds = case_error_count();
    if (kind->run == case_refusal)
        seeds = case_refusal_count();
    if (kind->run == case_measure)
        seeds = case_measure_count();
    for (int i = 3; i < count; i++) {
        if (!strcmp(words[i], "--no-stalls"))
            bench.stalls = false;
        else if (!strcmp(words[i], "--trace") && i + 1 < count)
            bench.trace = words[++i];
        else if (!strcmp(words[i], "--seeds") && i + 2 < count) {
            first = strtoull(words[++i], NULL, 0);
            seeds = strtoull(words[++i], NULL, 0);
        } else
            return wrong();
    }
    bench.folder = words[1];
    if (!row_folder_load(bench.folder, &bench.variant, &bench.api, &why)) {
        fprintf(stderr, "cluster-test: %s\n", sb_text(&why));
        return 1;
    }
    unsigned failures = run(&bench, kind, first, seeds);
    bench.api->free(bench.row);
    printf("%s %s: %u compared, %u skipped, %u failed\n", bench.variant.name, kind->name, bench.compared,
           bench.skipped, failures);
    return failures || !bench.compared;
}
