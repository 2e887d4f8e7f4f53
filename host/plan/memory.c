/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/memory.h"

#include "gen/base/math.h"
#include "host/plan/use.h"

/* Beats of all runs of a pattern. */
static uint64_t beats_of(const struct pattern *p, uint64_t beat)
{
    uint64_t beats = 0;
    for (unsigned plane = 0; plane < p->planes; plane++)
        for (unsigned run = 0; run < p->runs; run++) {
            const uint64_t at = program_run_offset(p, plane, run);
            beats += math_divide_up(at + p->length, beat) - at / beat;
        }
    return beats;
}

struct memory_beats memory_beats(const struct variant *variant, const struct plan *plan,
                                 const bool near[ISA_SLOTS])
{
    const uint64_t beat = variant->memory_width / 8;
    struct memory_beats beats = {.read = math_divide_up(plan->program.len, beat)};
    struct program program;
    struct operation op;
    for (bool more = use_open(plan, variant, &program); more && use_next(&program, &op);) {
        if (near[op.memory.slot])
            continue;
        if ((op.code == OP_LOAD && !op.zero) || (op.code == OP_ACCUMULATE && op.source))
            beats.read += beats_of(&op.memory, beat);
        if (op.code == OP_STORE)
            beats.written += beats_of(&op.memory, beat);
    }
    return beats;
}

uint64_t memory_cycles(const struct variant *variant, unsigned beat_cycles, const struct memory_beats *beats)
{
    return (beats->read > beats->written ? beats->read : beats->written) * beat_cycles /
           variant->memory_ports;
}

uint64_t memory_cycles_of(const struct plan_description *d, const struct plan *plan)
{
    const struct plan_memory *m = &d->memory;
    if (m->beat_cycles <= 1)
        return 0;
    const bool near[ISA_SLOTS] = {[SLOT_INPUT] = m->input_near,
                                  [SLOT_OUTPUT] = m->output_near,
                                  [SLOT_EXTRA] = m->output_near,
                                  [SLOT_SCRATCH] = plan->scratch_bytes <= m->sums_near};
    const struct memory_beats beats = memory_beats(d->variant, plan, near);
    return memory_cycles(d->variant, m->beat_cycles, &beats);
}
