/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/use.h"

#include <stdlib.h>

#include "host/plan/steps.h"

static uint32_t beat_bytes(const struct variant *v)
{
    return v->row_bus_width / 8;
}

static uint32_t beats_of(const struct variant *v)
{
    return v->unit_bytes / beat_bytes(v);
}

struct unit_span use_span_of_load(const struct operation *load)
{
    return (struct unit_span){load->unit_address, (uint32_t)program_pattern_bytes(&load->memory)};
}

/* The first beat of a span, and how many there are: at most all. */
static uint32_t beats_in(const struct variant *v, struct unit_span span, uint32_t *first)
{
    *first = span.from / beat_bytes(v);
    const uint64_t end = ((uint64_t)span.from + span.bytes + beat_bytes(v) - 1) / beat_bytes(v);
    return end - *first < beats_of(v) ? (uint32_t)(end - *first) : beats_of(v);
}

bool use_is_free(const struct variant *v, struct unit_span span, const bool *beats)
{
    uint32_t first;
    const uint32_t count = beats_in(v, span, &first);
    for (uint32_t i = 0; i < count; i++)
        if (beats[(first + i) % beats_of(v)])
            return false;
    return true;
}

static void mark(const struct variant *v, struct unit_span span, bool *beats)
{
    uint32_t first;
    const uint32_t count = beats_in(v, span, &first);
    for (uint32_t i = 0; i < count; i++)
        beats[(first + i) % beats_of(v)] = true;
}

static void mark_packet(const struct variant *v, const struct operation *op, bool *beats)
{
    const struct pattern *p = &op->memory;
    for (unsigned run = 0; run < p->runs; run++) {
        const uint64_t at = (uint64_t)((int64_t)op->unit_address + (int64_t)run * p->run_pitch);
        mark(v, (struct unit_span){(uint32_t)(at & (v->unit_bytes - 1)), p->length}, beats);
    }
}

static void count_packet(const struct variant *v, const struct operation *op, struct plan_use *use)
{
    const unsigned buffer = op->command % USE_BUFFERS;
    use->uneven[buffer] |= op->dispatch || op->rows != plan_all_rows(v);
    for (unsigned c = 0; c < v->m; c++)
        use->iterations[buffer][c] += op->clusters >> c & 1 ? op->count : 0;
}

bool use_open(const struct plan *plan, const struct variant *v, struct program *program)
{
    struct job_result result = {0};
    return !program_open(program, v, 0, (const uint8_t *)plan->program.text, plan->program.len, &result);
}

bool use_next(struct program *program, struct operation *op)
{
    struct job_result result = {0};
    return !program_next(program, op, &result) && op->code != OP_END;
}

enum plan_status use_of(const struct variant *v, const struct plan *plan, struct plan_use *use)
{
    struct program program;
    struct operation op;
    *use = (struct plan_use){.beats = calloc(beats_of(v), sizeof *use->beats)};
    if (!use->beats)
        return plan_no_memory();
    for (bool more = use_open(plan, v, &program); more && use_next(&program, &op);) {
        if (op.code == OP_LOAD)
            mark(v, use_span_of_load(&op), use->beats);
        if (op.code == OP_DISTRIBUTE)
            mark_packet(v, &op, use->beats);
        if (op.code == OP_DISTRIBUTE && op.command >= EXEC)
            count_packet(v, &op, use);
    }
    return PLAN_OK;
}

void use_free(struct plan_use *use)
{
    free(use->beats);
    *use = (struct plan_use){0};
}
