/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tests/rtl_cluster/tool/cluster_test.h"

static struct surroundings random_surroundings(const struct bench *bench, uint64_t seed)
{
    static const unsigned stalls[] = {0, 0, 10, 50, 90};
    struct random dice = {seed ^ UINT64_C(0x5741544348)};
    struct surroundings around = {.seed = seed};
    if (bench->stalls) {
        around.packet_stall = stalls[random_below(&dice, 5)];
        around.result_stall = stalls[random_below(&dice, 5)];
    }
    return around;
}

bool bench_fresh_row(struct bench *bench, uint64_t seed)
{
    if (bench->row && !*bench->api->violation(bench->row)) {
        bench->api->reset(bench->row);
        return true;
    }
    bench->api->free(bench->row);
    bench->row = bench->api->create(seed);
    return bench->row && (!bench->trace || bench->api->trace(bench->row, bench->trace));
}

static bool play_and_compare(struct bench *bench, const struct packet_list *list, uint64_t seed,
                             struct outcome *row, struct outcome *model, struct strbuf *why)
{
    const struct surroundings around = random_surroundings(bench, seed);
    if (!bench_fresh_row(bench, seed)) {
        sb_add(why, "no row, or no waveform: it is built with --trace");
        return false;
    }
    if (!play_packets(bench->api, bench->row, &bench->variant, list, &around, row) ||
        !model_packets(&bench->variant, list, model)) {
        sb_add(why, "out of memory");
        return false;
    }
    bench->compared++;
    return outcomes_agree(&bench->variant, row, model, why);
}

bool bench_packets(struct bench *bench, const struct packet_list *list, uint64_t seed, enum job_code *code,
                   struct strbuf *why)
{
    struct outcome row = {0}, model = {0};
    bool ok = play_and_compare(bench, list, seed, &row, &model, why);
    *code = model.code;
    outcome_free(&row);
    outcome_free(&model);
    return ok;
}

/* The output slot as the stores write it from what the rows gave, against the functional model's. */
static bool images_agree(struct bench *bench, const struct row_program *program, const struct job *job,
                         const struct cluster_results *results, struct strbuf *why)
{
    uint64_t size = job->slots[SLOT_OUTPUT].size;
    uint8_t *image = malloc(size + 1), *before = malloc(size + 1);
    struct model *model = model_new(&bench->variant);
    struct job_result result = {.code = JOB_OK};
    bool ok = image && before && model;
    if (ok) {
        memcpy(before, job->slots[SLOT_OUTPUT].bytes, size);
        model_run(model, job, &result);
        memcpy(image, job->slots[SLOT_OUTPUT].bytes, size);
        memcpy(job->slots[SLOT_OUTPUT].bytes, before, size);
        const char *refused = row_program_store(program, &bench->variant, results, job);
        ok = result.code == JOB_OK && !refused && !memcmp(image, job->slots[SLOT_OUTPUT].bytes, size);
        if (!ok)
            sb_add(why, result.code ? job_code_name(result.code) : refused ? refused : "the images differ");
    }
    model_free(model);
    free(image);
    free(before);
    return ok;
}

static bool play_rows(struct bench *bench, const struct row_program *program, const struct job *job,
                      uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct cluster_results *results = calloc((size_t)v->n * v->m, sizeof *results);
    bool ok = results;
    for (unsigned r = 0; ok && r < v->n; r++) {
        struct outcome row = {0}, model = {0};
        if (program->row[r].count)
            ok = play_and_compare(bench, &program->row[r], seed + r, &row, &model, why);
        for (unsigned c = 0; ok && c < v->m; c++)
            ok = cluster_results_add(&results[r * v->m + c], row.results[c].value, row.results[c].count);
        outcome_free(&row);
        outcome_free(&model);
    }
    if (ok && !program->collects && job->slots[SLOT_OUTPUT].size)
        ok = images_agree(bench, program, job, results, why);
    for (unsigned i = 0; results && i < v->n * v->m; i++)
        free(results[i].value);
    free(results);
    return ok;
}

bool bench_job(struct bench *bench, const struct job *job, uint64_t seed, struct strbuf *why)
{
    struct row_program program = {0};
    const char *refused = row_program_read(&program, &bench->variant, job);
    bool ok = !refused;
    if (refused)
        sb_add(why, refused);
    else
        ok = play_rows(bench, &program, job, seed, why);
    row_program_free(&program);
    return ok;
}
