/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/measure/measurement.h"
#include "tests/bench/tool/cluster_spmm.h"

#define SPMM_ROWS 16
#define SPMM_COLUMNS 128
#define SPMM_K 512
/* Two blocks of k: with one, the weight queues hold no more than two segments at half density; with four,
 * many words are only part of a segment. */
#define SPMM_HELD 4
#define SPMM_BLOCK 256
#define BAND_ROWS 4096
#define PACKET_BYTES 2048
#define SEED 1

static struct sparse weights_of(const struct cluster_case *c, const struct variant *v)
{
    if (c->kind == CASE_HEAVY)
        return sparse_heavy(SPMM_COLUMNS, SPMM_K, c->weights, v->k, c->heavy, 4, SEED);
    if (c->kind == CASE_BAND)
        return sparse_banded(BAND_ROWS, c->per_row, c->per_row * 3 / 2, SEED);
    if (c->kind == CASE_SPMM)
        return sparse_random(SPMM_COLUMNS, SPMM_K, c->weights, SEED);
    struct strbuf path = {0};
    sb_addf(&path, "%s/%s", getenv("TULLE_DATA"), c->path);
    struct sparse read = sparse_read(sb_text(&path));
    sb_free(&path);
    return read;
}

static void set_slot(struct job *job, unsigned slot, void *bytes, uint64_t size)
{
    job->slots[slot].bytes = bytes;
    job->slots[slot].size = size;
}

/* ---- planned --------------------------------------------------------------------------------- */

static const char *take_apart(const struct variant *v, struct plan *plan, double activations,
                              struct packet_list *list)
{
    struct job job = {.number = 1};
    struct row_program program = {0};
    uint8_t *input = calloc(plan->input_bytes + 1, 1), *output = calloc(plan->output_bytes + 1, 1);
    const char *why = "out of memory";
    if (input && output && measured_activations((int8_t *)input, plan->input_bytes, activations)) {
        set_slot(&job, SLOT_PROGRAM, plan->program.text, plan->program.len);
        set_slot(&job, SLOT_WEIGHTS, plan->weights.text, plan->weights.len);
        set_slot(&job, SLOT_INPUT, input, plan->input_bytes);
        set_slot(&job, SLOT_OUTPUT, output, plan->output_bytes);
        why = row_program_read(&program, v, &job);
    }
    if (!why) {
        *list = program.row[0];
        program.row[0] = (struct packet_list){0};
    }
    row_program_free(&program);
    free(input);
    free(output);
    return why;
}

static const char *planned(const struct cluster_case *c, const struct variant *v, const struct sparse *w,
                           struct packet_list *list)
{
    struct plan plan = {0};
    const bool band = c->kind == CASE_BAND;
    const struct plan_description d = {.variant = v,
                                       .operator= band ? PLAN_SPMV : PLAN_SPMM,
                                       .weights = w,
                                       .m = band ? 1 : SPMM_ROWS,
                                       .element = 2};
    const struct plan_choice choice = {.gather = band ? PLAN_GATHER_DIAGONAL : PLAN_GATHER_NONE,
                                       .rows_held = band ? 0 : SPMM_HELD};
    const char *why = plan_why(plan_make(&d, &choice, &plan));
    if (!why)
        why = take_apart(v, &plan, c->activations, list);
    plan_free(&plan);
    return why;
}

/* ---- cut here -------------------------------------------------------------------------------- */

/* The functional model must find in the packets what a plain computation finds in the operands. */
static const char *check(const struct cluster_spmm *s, const struct packet_list *list)
{
    struct outcome outcome = {0};
    const char *why = "out of memory";
    if (model_packets(s->variant, list, &outcome))
        why = outcome.code                                 ? "the model refuses the packets"
              : cluster_spmm_right(s, &outcome.results[0]) ? NULL
                                                           : "the packets give wrong results";
    outcome_free(&outcome);
    return why;
}

static const char *cut(const struct cluster_case *c, const struct variant *v, const struct sparse *w,
                       struct packet_list *list)
{
    size_t count = (size_t)SPMM_ROWS * w->columns;
    int8_t *activations = malloc(count);
    const char *why = "out of memory";
    if (activations && measured_activations(activations, count, c->activations)) {
        const struct cluster_spmm s = {.variant = v,
                                       .weights = w,
                                       .activations = activations,
                                       .rows = SPMM_ROWS,
                                       .held = SPMM_HELD,
                                       .block = SPMM_BLOCK,
                                       .packet_bytes = PACKET_BYTES};
        why = cluster_spmm_packets(&s, list);
        why = why ? why : check(&s, list);
    }
    free(activations);
    return why;
}

const char *cluster_packets(const struct cluster_case *c, const struct variant *v, struct packet_list *list)
{
    struct sparse w = weights_of(c, v);
    const char *why =
        c->kind == CASE_SPMM || c->kind == CASE_HEAVY ? cut(c, v, &w, list) : planned(c, v, &w, list);
    sparse_free(&w);
    return why;
}
