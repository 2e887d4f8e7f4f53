/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_software/checked.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/trace.h"
#include "sim/model/model.h"

static uint8_t *copy_of(const uint8_t *bytes, uint64_t size)
{
    uint8_t *copy = calloc(1, size + 1);
    cr_assert(copy);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

size_t check_flow(const struct subject *s, uint64_t seed, uint8_t **given)
{
    struct job by_model = s->victim.slots.job, by_flow = by_model;
    struct trace_job job = {.variant = &s->victim.v, .job = by_model};
    struct job_result result;
    struct flow flow;
    struct strbuf why = {0};
    uint8_t *slots[ISA_SLOTS];
    struct model *model = model_new(&s->victim.v);
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        by_model.slots[i].bytes = copy_of(s->victim.slots.job.slots[i].bytes, by_model.slots[i].size);
        slots[i] = by_flow.slots[i].bytes =
            copy_of(s->victim.slots.job.slots[i].bytes, by_flow.slots[i].size);
    }
    job.constant[SLOT_PROGRAM] = job.constant[SLOT_WEIGHTS] = job.constant[SLOT_PARTIAL] = true;
    model_run(model, &by_model, &result);
    const bool traced = trace_program(&job, &flow, &why);
    cr_assert_eq(traced, !result.code, "seed %llu: %s", (unsigned long long)seed, sb_text(&why));
    if (traced) {
        cr_assert(flow_evaluate(&flow, slots));
        for (unsigned i = SLOT_OUTPUT; i <= SLOT_SCRATCH; i += SLOT_SCRATCH - SLOT_OUTPUT)
            cr_assert(!by_model.slots[i].size ||
                          !memcmp(by_model.slots[i].bytes, slots[i], by_model.slots[i].size),
                      "seed %llu: other bits", (unsigned long long)seed);
    } else
        cr_assert(strstr(sb_text(&why), job_code_name(result.code)), "seed %llu: %s",
                  (unsigned long long)seed, sb_text(&why));
    const size_t count = traced ? flow.result_count : 0;
    if (given) {
        *given = by_model.slots[s->victim.result_slot].bytes;
        by_model.slots[s->victim.result_slot].bytes = NULL;
    }
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        free(by_model.slots[i].bytes);
        free(slots[i]);
    }
    flow_free(&flow);
    sb_free(&why);
    model_free(model);
    return count;
}
