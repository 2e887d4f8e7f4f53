/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/early.h"

#define SHIFTS_MAX 256 /* that are tried */

struct search {
    const struct variant *variant;
    const bool *constant;
    struct early *early;
    unsigned most;                                       /* early loads */
    struct unit_span load[EARLY_LOOK], late[EARLY_LOOK]; /* early ones, before they move, and the others */
    unsigned loads, late_loads;
    unsigned count[ISA_TOKENS]; /* of tokens, from what is early alone */
    bool later[ISA_TOKENS];     /* an operation that is not early has the token */
};

/* ---- what waits for nothing ---------------------------------------------------------------------- */

static bool has_tokens(const struct search *s, const struct operation *op)
{
    const bool twice = op->wait[0] == op->wait[1];
    for (unsigned i = 0; i < 2; i++) {
        const unsigned wait = op->wait[i], signal = op->signal[i];
        if (wait != NO_TOKEN && (s->later[wait] || s->count[wait] < (twice ? 2 : 1)))
            return false;
        if (signal != NO_TOKEN && s->later[signal])
            return false;
    }
    return true;
}

/* A load that would write where one before it does. */
static bool overtakes(const struct search *s, struct unit_span span)
{
    const uint32_t size = s->variant->unit_bytes;
    for (unsigned i = 0; i < s->late_loads; i++) {
        const uint32_t there = s->late[i].from, forth = (there - span.from) & (size - 1),
                       back = (span.from - there) & (size - 1);
        if (forth < span.bytes || back < s->late[i].bytes)
            return true;
    }
    return false;
}

static bool can_be_early(const struct search *s, const struct operation *op)
{
    return op->code == OP_LOAD && s->loads < s->most && (op->zero || s->constant[op->memory.slot]) &&
           has_tokens(s, op) && !overtakes(s, use_span_of_load(op));
}

static void take(struct search *s, const struct operation *op, unsigned position)
{
    s->early->is[position] = true;
    s->early->count++;
    s->load[s->loads++] = use_span_of_load(op);
    for (unsigned i = 0; i < 2; i++) {
        if (op->wait[i] != NO_TOKEN)
            s->count[op->wait[i]]--;
        if (op->signal[i] != NO_TOKEN)
            s->count[op->signal[i]]++;
    }
}

static void leave(struct search *s, const struct operation *op)
{
    if (op->code == OP_LOAD)
        s->late[s->late_loads++] = use_span_of_load(op);
    for (unsigned i = 0; i < 2; i++) {
        if (op->wait[i] != NO_TOKEN)
            s->later[op->wait[i]] = true;
        if (op->signal[i] != NO_TOKEN)
            s->later[op->signal[i]] = true;
    }
}

/* The beginning of the program, up to its first loop. */
static void search(struct search *s, const struct plan *plan)
{
    struct program program;
    struct operation op;
    *s->early = (struct early){0};
    if (!use_open(plan, s->variant, &program))
        return;
    for (unsigned t = 0; t < ISA_TOKENS; t++)
        s->count[t] = program.tokens[t];
    for (unsigned i = 0; i < EARLY_LOOK && use_next(&program, &op) && !program.loops_walked; i++) {
        if (can_be_early(s, &op))
            take(s, &op, i);
        else
            leave(s, &op);
    }
}

/* ---- where early loads go ------------------------------------------------------------------------ */

static bool all_free(const struct search *s, const bool *before, uint32_t shift)
{
    const uint32_t size = s->variant->unit_bytes;
    for (unsigned i = 0; i < s->loads; i++) {
        const struct unit_span moved = {(s->load[i].from + shift) & (size - 1), s->load[i].bytes};
        if (!use_is_free(s->variant, moved, before))
            return false;
    }
    return true;
}

/* Whole beats of the memory and of the row bus, as places have them without a shift. */
static uint32_t shift_step(const struct variant *v)
{
    const uint32_t sizes[] = {v->memory_width / 8, v->row_bus_width / 8, v->unit_bytes / SHIFTS_MAX};
    uint32_t step = WRITER_CONFIG_ALIGN;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        step = sizes[i] > step ? sizes[i] : step;
    return step;
}

/* The smallest shift against the plan before, whose own places are moved. */
static bool find_room(const struct search *s, const bool *before, uint32_t shift)
{
    const uint32_t size = s->variant->unit_bytes, step = shift_step(s->variant);
    for (uint32_t by = 0; by < size; by += step) {
        if (!all_free(s, before, by))
            continue;
        s->early->shift = (shift + by) & (size - 1);
        return true;
    }
    return false;
}

void early_find(const struct plan *plan, const struct variant *v, const bool constant[ISA_SLOTS],
                const bool *before, uint32_t shift, struct early *early)
{
    for (unsigned most = EARLY_LOOK; most; most--) {
        struct search s = {.variant = v, .constant = constant, .most = most, .early = early};
        search(&s, plan);
        if (!s.loads || find_room(&s, before, shift))
            return;
        most = s.loads;
    }
    *early = (struct early){0};
}
