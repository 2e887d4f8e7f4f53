/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/stages.h"

#include <stdlib.h>
#include <string.h>

#include "host/software/plain_making.h"
#include "host/software/staging.h"

/* ---- over tensors ----------------------------------------------------------------------------------- */

static flow_ref moved(const struct stage_role *role, unsigned slot, flow_ref ref)
{
    return flow_space(ref) == FLOW_TEMPS || ref == FLOW_NONE
               ? ref
               : flow_ref_of(flow_kind_of(ref), slot, flow_offset(ref) - role->low);
}

/* The stage as the data flow of an operator, whose slots have what it reads and what it makes. */
static void move_results(struct staging *g)
{
    struct flow *f = g->flow;
    size_t kept = 0;
    for (size_t i = 0; i < f->result_count; i++) {
        struct flow_result *r = &f->results[i];
        if (!staging_needs(g, i))
            continue;
        const struct flow_row *row = &f->rows[r->row];
        const flow_ref first = row->count ? r->base + f->delta[row->first] : 0;
        r->base += row->count ? moved(&g->in, SLOT_INPUT, first) - first : 0;
        r->add = moved(&g->in, SLOT_INPUT, r->add);
        r->second = moved(&g->second, SLOT_EXTRA, r->second);
        r->to = moved(&g->out, SLOT_OUTPUT, r->to);
        f->results[kept++] = *r;
    }
    f->result_count = kept;
}

static bool operand_places(const struct staging *g, const struct stage_role *role, struct places *to)
{
    const struct stage_slot *s = &g->memory->slot[role->slot];
    if (!role->bytes) {
        *to = (struct places){.element = 1};
        return true;
    }
    if (!places_begin(to, role->bytes, role->end - role->low))
        return staging_fail(g, "out of memory");
    for (uint64_t i = 0; i < to->bytes / role->bytes; i++) {
        const uint64_t at = role->low + i * role->bytes;
        uint64_t value = PLAIN_CONSTANT;
        for (unsigned b = 0; b < role->bytes && s->owner[at] == OWNER_CONSTANT; b++)
            value |= (uint64_t)s->content[at + b] << (8 * b);
        to->of[i] = role->owner >= OWNER_TENSORS && s->owner[at] == role->owner ? s->element[at] : value;
    }
    places_find_runs(to);
    return true;
}

/* Results, and constants among what the host takes. */
static bool result_places(const struct staging *g, struct places *to)
{
    if (!places_begin(to, g->out.bytes, g->out.end - g->out.low) ||
        !(to->constant = malloc((2 * g->constant_count + 1) * sizeof *to->constant)))
        return staging_fail(g, "out of memory");
    for (uint64_t i = 0; i < to->bytes / to->element; i++) {
        uint64_t element;
        const flow_ref at = flow_ref_of(0, g->out.slot, g->out.low + i * to->element);
        to->of[i] = staging_element(g, at, &element) ? element : PLAIN_CONSTANT;
    }
    for (size_t i = 0; i < g->constant_count; i++) {
        const struct stage_constant *c = &g->constants[i];
        if (staging_wanted(g, c->to) != g->tensor + 1)
            continue;
        uint64_t value = 0;
        for (unsigned b = 0; b < to->element; b++)
            value |= (uint64_t)c->bytes[b] << (8 * b);
        to->constant[2 * to->constants] = g->memory->slot[SLOT_OUTPUT].wanted_element[flow_offset(c->to)];
        to->constant[2 * to->constants++ + 1] = value;
    }
    places_find_runs(to);
    return true;
}

/* A role's tensor, or none. */
static size_t tensor_of(const struct stage_role *role)
{
    return role->owner >= OWNER_TENSORS ? role->owner - OWNER_TENSORS : STAGES_NONE;
}

static struct plain_operand operand_of(const struct staging *g, const struct stage_role *role)
{
    const size_t tensor = tensor_of(role);
    return (struct plain_operand){.bytes = role->bytes,
                                  .elements = tensor != STAGES_NONE ? g->memory->tensor[tensor].elements : 0};
}

/* Counts what the stage makes: no element is made twice, by one stage or by two. */
static bool count_made(const struct staging *g, const struct flow *f, const struct places *output)
{
    struct stage_tensor *t = &g->memory->tensor[g->tensor];
    uint64_t results = 0;
    bool once = t->there || g->rank || (t->there = calloc(t->elements + 1, 1));
    if (!once)
        return staging_fail(g, "out of memory");
    for (size_t i = 0; i < f->result_count; i++) {
        const flow_ref to = f->results[i].to;
        if (flow_space(to) != SLOT_OUTPUT)
            continue;
        results++;
        if (!g->rank)
            once = once && !t->there[output->of[flow_offset(to) / output->element]]++;
    }
    for (uint64_t i = 0; i < output->constants; i++)
        once = once && t->there && !t->there[output->constant[2 * i]]++;
    once = once && (!g->rank || results + g->gaps == g->elements);
    t->count += results + output->constants + g->gaps;
    t->made++;
    return once || staging_fail(g, "a value that is made twice");
}

/* Takes the flow over. */
static bool make_plain(struct staging *g, const struct plain_job *job, struct plain *to)
{
    struct plain_making m = {.to = to,
                             .why = g->why,
                             .element = (unsigned)__builtin_ctz(g->out.bytes),
                             .direct = true,
                             .part = *g->flow};
    *g->flow = (struct flow){.kind_count = 0};
    *to = (struct plain){.out_bytes = g->out.bytes,
                         .out_elements = g->memory->tensor[g->tensor].elements,
                         .input = operand_of(g, &g->in),
                         .second = operand_of(g, &g->second)};
    to->flow.data_width = m.part.data_width;
    bool ok = plain_part_begin(&m) && count_made(g, &m.part, &job->output);
    if (ok) {
        plain_look(&m, job);
        ok = plain_take(&m, job);
    }
    to->flow.size[SLOT_INPUT] = (m.direct ? to->input.elements : to->input.image_elements) * to->input.bytes;
    to->flow.size[SLOT_EXTRA] = to->second.elements * to->second.bytes;
    plain_making_free(&m);
    return ok && !g->why->len;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void write_results(const struct staging *g)
{
    for (size_t i = 0; i < g->flow->result_count; i++) {
        const struct flow_result *r = &g->flow->results[i];
        uint64_t element = 0;
        if (flow_space(r->to) == FLOW_TEMPS || g->state[i] == IS_CONSTANT)
            continue;
        const bool is_element =
            g->state[i] == IS_VALUE && staging_makes(g, r) && staging_element(g, r->to, &element);
        stage_memory_write(g->memory, r->to, staging_bytes(g, r),
                           is_element ? OWNER_TENSORS + (uint32_t)g->tensor : OWNER_UNKNOWN, element, NULL);
    }
}

/* Those of a tensor that the host takes are its elements. */
static void write_constants(const struct staging *g)
{
    for (size_t i = 0; i < g->constant_count; i++) {
        const struct stage_constant *c = &g->constants[i];
        const bool is_element = g->out.bytes && staging_wanted(g, c->to) == g->tensor + 1;
        const uint64_t element =
            is_element ? g->memory->slot[SLOT_OUTPUT].wanted_element[flow_offset(c->to)] : 0;
        stage_memory_write(g->memory, c->to, c->count,
                           is_element ? OWNER_TENSORS + (uint32_t)g->tensor : OWNER_CONSTANT, element,
                           c->bytes);
    }
}

/* ---- stages ----------------------------------------------------------------------------------------- */

struct reading {
    stages_take *take;
    void *context;
    struct stage_memory memory;
    struct stages_unions unions;
    bool may_copy, numbered;
    bool pieces;           /* several stages make one tensor */
    size_t stages, copies; /* so far */
    size_t all_stages, all_copies;
};

/* What the stage leaves in memory, and its data flow, which goes to the caller. */
static bool hand_over(struct reading *of, struct staging *g)
{
    const struct stage_tensor *to = &of->memory.tensor[g->tensor];
    struct stage stage = {.in = tensor_of(&g->in),
                          .second = tensor_of(&g->second),
                          .out = g->tensor,
                          .number = of->stages,
                          .number_with_copies = of->stages + of->copies,
                          .stages = of->all_stages,
                          .copies = of->all_copies,
                          .pieces = of->pieces,
                          .last = to->made + 1 == to->makers};
    struct plain_job job = {.number = 0};
    bool ok = operand_places(g, &g->in, &job.input) && operand_places(g, &g->second, &job.second) &&
              result_places(g, &job.output);
    if (ok && stage.in == STAGES_NONE)
        ok = staging_fail(g, "results that have no first operand");
    if (ok) {
        write_results(g);
        write_constants(g);
        move_results(g);
        ok = make_plain(g, &job, &stage.plain) && of->take(of->context, &stage, g->why);
        plain_free(&stage.plain);
    }
    places_free(&job.input);
    places_free(&job.second);
    places_free(&job.output);
    return ok;
}

/* What a stage leaves in memory, when the tensors are only looked for. */
static bool look_at(struct reading *of, struct staging *g)
{
    write_results(g);
    write_constants(g);
    of->memory.tensor[g->tensor].makers++;
    return true;
}

static bool take_stage(void *context, struct flow *flow, struct strbuf *why)
{
    struct reading *r = context;
    struct staging g = {.memory = &r->memory,
                        .unions = &r->unions,
                        .numbered = r->numbered,
                        .may_copy = r->may_copy,
                        .flow = flow,
                        .why = why};
    bool ok = staging_find(&g);
    if (ok && g.copies) {
        ok = staging_move(&g);
        write_constants(&g);
        r->copies++;
    } else if (ok && g.out.bytes) {
        ok = r->numbered ? hand_over(r, &g) : look_at(r, &g);
        r->stages++;
    } else if (ok) {
        write_results(&g);
        write_constants(&g);
    }
    staging_free(&g);
    return ok;
}

static bool is_constant(void *context, unsigned slot, uint64_t offset, uint8_t *byte)
{
    const struct reading *r = context;
    const struct stage_slot *s = &r->memory.slot[slot];
    const bool constant = offset < s->size && s->owner && s->owner[offset] == OWNER_CONSTANT;
    if (constant)
        *byte = s->content[offset];
    return constant;
}

static bool all_are_made(const struct stage_memory *m)
{
    bool all = true;
    for (size_t i = 0; i < m->tensors; i++)
        all = all && (i < m->inputs || m->tensor[i].count == m->tensor[i].elements);
    return all;
}

/* ---- programs --------------------------------------------------------------------------------------- */

static bool begin(struct reading *r, const struct sequence *s, const struct packed *packed,
                  struct strbuf *why)
{
    r->stages = r->copies = 0;
    return stage_memory_begin(&r->memory, s, packed) || (sb_add(why, "out of memory"), false);
}

static bool read_program(struct reading *r, const struct sequence *s, const struct packed *packed,
                         struct strbuf *why)
{
    const struct trace_job job = plain_trace_job(s->variant, &packed->part->plan);
    const struct trace_stages to = {.context = r, .take = take_stage, .constant = is_constant};
    return trace_stages(&job, &to, why);
}

/* Which tensors the stages make: of what they move, and where that cannot be, without. */
static bool look(struct reading *r, const struct sequence *s, const struct packed *packed, struct strbuf *why)
{
    bool ok = begin(r, s, packed, why) && read_program(r, s, packed, why);
    if (!ok && r->may_copy && !strcmp(sb_text(why), STAGING_SEVERAL)) {
        stage_memory_free(&r->memory);
        unions_free(&r->unions);
        sb_free(why);
        *why = (struct strbuf){0};
        r->may_copy = false;
        ok = begin(r, s, packed, why) && read_program(r, s, packed, why);
    }
    return ok;
}

/* Memory as the first run finds it again, with the tensors that were found. */
static bool begin_again(struct reading *r, const struct sequence *s, const struct packed *packed,
                        struct strbuf *why)
{
    const size_t ends = stage_memory_ends(&r->memory);
    struct stages_unions *u = &r->unions;
    size_t *makers = calloc(ends + 1, sizeof *makers);
    bool ok = makers && unions_number(u);
    r->all_stages = r->stages;
    r->all_copies = r->copies;
    r->numbered = true;
    for (size_t i = 0; makers && i < ends; i++)
        makers[i] = r->memory.tensor[i].makers;
    stage_memory_free(&r->memory);
    ok = begin(r, s, packed, why) && ok;
    for (size_t i = 0; ok && i < u->tensors; i++)
        ok = stage_memory_tensor(&r->memory, u->tensor[i].bytes, u->tensor[i].elements) != SIZE_MAX;
    for (size_t i = 0; ok && i < r->memory.tensors; i++) {
        struct stage_tensor *t = &r->memory.tensor[i];
        t->makers = i < ends ? makers[i] : u->tensor[i - ends].makers;
        r->pieces = r->pieces || t->makers > 1;
    }
    free(makers);
    if (!ok && !why->len)
        sb_add(why, "out of memory");
    return ok;
}

bool stages_read(const struct sequence *s, const struct packed *packed, stages_take *take, void *context,
                 struct strbuf *why)
{
    struct reading r = {.take = take, .context = context, .may_copy = true};
    bool ok = look(&r, s, packed, why) && begin_again(&r, s, packed, why) && read_program(&r, s, packed, why);
    if (ok && !all_are_made(&r.memory)) {
        sb_add(why, "results that are constants");
        ok = false;
    }
    stage_memory_free(&r.memory);
    unions_free(&r.unions);
    return ok;
}
