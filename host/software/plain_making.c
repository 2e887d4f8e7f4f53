/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/plain_making.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool plain_fail(struct plain_making *m, const char *why)
{
    if (!m->why->len)
        sb_add(m->why, why);
    return false;
}

void plain_part_free(struct plain_making *m)
{
    flow_free(&m->part);
    free(m->rows);
    free(m->finishes);
    m->rows = m->finishes = NULL;
}

void plain_making_free(struct plain_making *m)
{
    plain_part_free(m);
    free(m->delta);
    free(m->part_of);
}

struct trace_job plain_trace_job(const struct variant *variant, const struct plan *plan)
{
    struct trace_job job = {.variant = variant};
    job.job.slots[SLOT_PROGRAM].bytes = (uint8_t *)plan->program.text;
    job.job.slots[SLOT_PROGRAM].size = plan->program.len;
    job.job.slots[SLOT_WEIGHTS].bytes = (uint8_t *)plan->weights.text;
    job.job.slots[SLOT_WEIGHTS].size = plan->weights.len;
    job.job.slots[SLOT_INPUT].size = plan->input_bytes;
    job.job.slots[SLOT_OUTPUT].size = plan->output_bytes;
    job.job.slots[SLOT_SCRATCH].size = plan->scratch_bytes;
    job.constant[SLOT_PROGRAM] = job.constant[SLOT_WEIGHTS] = true;
    return job;
}

bool plain_part_begin(struct plain_making *m)
{
    m->rows = calloc(m->part.row_count + 1, sizeof *m->rows);
    m->finishes = calloc(m->part.finish_count + 1, sizeof *m->finishes);
    for (unsigned k = 0; k < m->part.kind_count; k++)
        m->kinds[k] = flow_kind(&m->to->flow, m->part.kinds[k]);
    return (m->rows && m->finishes) || plain_fail(m, "out of memory");
}

/* ---- results ---------------------------------------------------------------------------------------- */

static uint32_t finish_of(struct plain_making *m, uint32_t number)
{
    if (!m->finishes[number]) {
        struct flow_finish finish = m->part.finishes[number];
        if (m->part.table_count &&
            (finish.elements || finish.step.function == NUM_LOOKUP || finish.last.function == NUM_LOOKUP))
            finish.table = flow_table(&m->to->flow, m->part.tables[finish.table]);
        m->finishes[number] = flow_finish(&m->to->flow, &finish) + 1;
    }
    return m->finishes[number] - 1;
}

/* The place of an element of the part's data flow in that of the operator. False: it is none of a tensor. */
static bool translate(struct plain_making *m, const struct plain_job *s, flow_ref ref, flow_ref *to)
{
    const unsigned space = flow_space(ref), kind = m->kinds[flow_kind_of(ref)];
    const uint64_t offset = flow_offset(ref);
    const struct places *places = space == SLOT_EXTRA ? &s->second : &s->input;
    if (space == FLOW_TEMPS) {
        *to = flow_ref_of(kind, space, offset + m->temps * 8);
        return true;
    }
    if (space != SLOT_INPUT && space != SLOT_EXTRA)
        return plain_fail(m, "results that depend on what is in the device's memory before");
    if (space == SLOT_INPUT && !m->direct) {
        *to = flow_ref_of(kind, space, offset + (uint64_t)s->number * s->input.bytes);
        return true;
    }
    assert(places->of); /* the operand is there, since the program reads it */
    const uint64_t place = places->of[offset / places_element(places)];
    *to = flow_ref_of(kind, space, (place & ~PLAIN_CONSTANT) * places->element);
    return !(place & PLAIN_CONSTANT);
}

static uint32_t copy_row(struct plain_making *m, uint32_t number)
{
    const struct flow_row *r = &m->part.rows[number];
    if (!m->rows[number])
        m->rows[number] = flow_row(&m->to->flow, r->op, r->start, m->part.delta + r->first,
                                   m->part.weight + r->first, r->count) +
                          1;
    return m->rows[number] - 1;
}

/* Whether the places of the row's activations are as far from each other as in the device's memory. */
static bool row_is_shifted(const struct plain_making *m, const struct plain_job *s, const struct flow_row *r,
                           flow_ref base)
{
    const flow_ref low = base + m->part.delta[r->first], high = base + m->part.delta[r->first + r->count - 1];
    const struct places *p = &s->input;
    return flow_space(low) == SLOT_INPUT && flow_space(high) == SLOT_INPUT &&
           p->run[flow_offset(low) / places_element(p)] == p->run[flow_offset(high) / places_element(p)];
}

/* Row and base over the operator's tensors. */
static bool put_row(struct plain_making *m, const struct plain_job *s, const struct flow_result *from,
                    struct flow_result *to)
{
    const struct flow_row *r = &m->part.rows[from->row];
    flow_ref base;
    to->base = 0;
    if (!r->count) {
        to->row = copy_row(m, from->row);
        return true;
    }
    const flow_ref first = from->base + m->part.delta[r->first];
    if (!translate(m, s, first, &base))
        return plain_fail(m, "an operand that is read beside its elements");
    if (!m->direct || row_is_shifted(m, s, r, from->base)) {
        to->row = copy_row(m, from->row);
        to->base = base - m->part.delta[r->first];
        return true;
    }
    if (m->delta_room < r->count) {
        free(m->delta);
        m->delta_room = r->count;
        m->delta = malloc(m->delta_room * sizeof *m->delta);
        if (!m->delta)
            return plain_fail(m, "out of memory");
    }
    /* The base is the same for all rows that begin there, if it can be. */
    flow_ref begin = from->base;
    if (flow_space(begin) == flow_space(first) && translate(m, s, begin, &begin))
        base = begin;
    for (uint32_t i = 0; i < r->count; i++) {
        flow_ref ref;
        if (!translate(m, s, from->base + m->part.delta[r->first + i], &ref))
            return plain_fail(m, "an operand that is read beside its elements");
        m->delta[i] = ref - base;
    }
    to->base = base;
    to->row = flow_row(&m->to->flow, r->op, r->start, m->delta, m->part.weight + r->first, r->count);
    return true;
}

/* ---- rows in parts ---------------------------------------------------------------------------------- */

static flow_ref part_ref(const struct plain_making *m, uint64_t number)
{
    return flow_ref_of(flow_kind(&m->to->flow, (struct flow_kind){.bytes = 8}), FLOW_TEMPS, 8 * (number - 1));
}

/* Parts of a row are temporary results beside each other. */
static bool number_parts(struct plain_making *m, const struct plain_job *s)
{
    const struct places *o = &s->output;
    free(m->part_of);
    m->part_of = NULL;
    if (!o->more_count)
        return true;
    m->part_of = calloc(o->bytes / places_element(o) + 1, sizeof *m->part_of);
    if (!m->part_of)
        return plain_fail(m, "out of memory");
    for (uint64_t i = 0; i < o->more_count; i++) {
        if (!m->part_of[o->more[i].first])
            m->part_of[o->more[i].first] = ++m->to->flow.temps;
        m->part_of[o->more[i].part] = ++m->to->flow.temps;
    }
    return true;
}

/* The sums of rows in parts, which wrap as the host's do. */
static bool add_parts(struct plain_making *m, const struct plain_job *s)
{
    struct flow *f = &m->to->flow;
    const struct places *o = &s->output;
    const struct flow_finish finish = {.acc_width = 64, .element = m->element};
    int64_t *delta = malloc((o->more_count + 1) * sizeof *delta);
    int32_t *ones = malloc((o->more_count + 1) * sizeof *ones);
    for (uint64_t i = 0; delta && i <= o->more_count; i++)
        delta[i] = 8 * (int64_t)i;
    for (uint64_t i = 0; ones && i <= o->more_count; i++)
        ones[i] = 1;
    for (uint64_t i = 0, end; delta && ones && i < o->more_count; i = end) {
        const uint64_t first = o->more[i].first, place = o->of[first];
        for (end = i; end < o->more_count && o->more[end].first == first;)
            end++;
        if (place & PLAIN_CONSTANT)
            continue;
        const struct flow_result r = {.to = flow_ref_of(flow_kind(f, (struct flow_kind){.bytes = o->element}),
                                                        SLOT_OUTPUT, place * o->element),
                                      .base = part_ref(m, m->part_of[first]),
                                      .row = flow_row(f, FLOW_SUM, 0, delta, ones, (uint32_t)(end - i + 1)),
                                      .finish = flow_finish(f, &finish),
                                      .add = FLOW_NONE,
                                      .second = FLOW_NONE};
        flow_put(f, &r);
    }
    const bool ok = delta && ones && !f->no_memory;
    free(delta);
    free(ones);
    return ok || plain_fail(m, "out of memory");
}

/* ---- results ---------------------------------------------------------------------------------------- */

static bool put_result(struct plain_making *m, const struct plain_job *s, const struct flow_result *from)
{
    struct flow_result to = {.add = FLOW_NONE, .second = FLOW_NONE, .place = from->place};
    const unsigned space = flow_space(from->to);
    if (space == SLOT_SCRATCH)
        return true; /* what was read again is a temporary result */
    if (space == SLOT_OUTPUT && m->part_of &&
        m->part_of[flow_offset(from->to) / places_element(&s->output)]) {
        to.to = part_ref(m, m->part_of[flow_offset(from->to) / places_element(&s->output)]);
    } else if (space == SLOT_OUTPUT) {
        const uint64_t place = s->output.of[flow_offset(from->to) / places_element(&s->output)];
        if (place & PLAIN_CONSTANT)
            return true;
        to.to = flow_ref_of(m->kinds[flow_kind_of(from->to)], space, place * s->output.element);
    } else if (!translate(m, s, from->to, &to.to))
        return false;
    if (from->add != FLOW_NONE && !translate(m, s, from->add, &to.add))
        return plain_fail(m, "an operand that is read beside its elements");
    if (from->second != FLOW_NONE && !translate(m, s, from->second, &to.second))
        return plain_fail(m, "a second operand that is read beside its elements");
    to.finish = finish_of(m, from->finish);
    if (!put_row(m, s, from, &to))
        return false;
    flow_put(&m->to->flow, &to);
    return !m->to->flow.no_memory || plain_fail(m, "out of memory");
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

/* Whether results are made of what is no element: borders, and what fills blocks. */
void plain_look(struct plain_making *m, const struct plain_job *s)
{
    const struct places *p = &s->input;
    for (size_t i = 0; m->direct && i < m->part.result_count; i++) {
        const struct flow_result *r = &m->part.results[i];
        const struct flow_row *row = &m->part.rows[r->row];
        const bool wanted = flow_space(r->to) != SLOT_OUTPUT ||
                            !(s->output.of[flow_offset(r->to) / places_element(&s->output)] & PLAIN_CONSTANT);
        if (!wanted || !row->count || row_is_shifted(m, s, row, r->base))
            continue;
        for (uint32_t t = 0; m->direct && t < row->count; t++) {
            const flow_ref ref = r->base + m->part.delta[row->first + t];
            m->direct = flow_space(ref) != SLOT_INPUT ||
                        !(p->of[flow_offset(ref) / places_element(p)] & PLAIN_CONSTANT);
        }
    }
}

static bool take_image(struct plain_making *m, const struct plain_job *s)
{
    struct plain_operand *o = &m->to->input;
    const uint64_t elements = s->input.bytes / places_element(&s->input), before = s->number * elements;
    uint64_t *image = realloc(o->image, (before + elements + 1) * sizeof *image);
    if (!image)
        return plain_fail(m, "out of memory");
    o->image = image;
    memcpy(image + before, s->input.of, elements * sizeof *image);
    o->image_elements = before + elements;
    return true;
}

/* A result that no weight contributes to. */
static void put_constant(struct plain_making *m, uint64_t element, uint64_t value)
{
    struct flow *f = &m->to->flow;
    const unsigned bytes = m->to->out_bytes;
    const struct flow_finish finish = {
        .bias = num_wrap((int64_t)value, 8 * bytes), .acc_width = 64, .element = m->element};
    const unsigned kind = flow_kind(f, (struct flow_kind){.bytes = bytes});
    const struct flow_result r = {.to = flow_ref_of(kind, SLOT_OUTPUT, element * bytes),
                                  .row = flow_row(f, FLOW_SUM, 0, NULL, NULL, 0),
                                  .finish = flow_finish(f, &finish),
                                  .add = FLOW_NONE,
                                  .second = FLOW_NONE};
    flow_put(f, &r);
}

bool plain_take(struct plain_making *m, const struct plain_job *s)
{
    bool ok = m->direct || take_image(m, s);
    m->temps = m->to->flow.temps;
    m->to->flow.temps += m->part.temps;
    ok = ok && number_parts(m, s);
    for (size_t i = 0; ok && i < m->part.result_count; i++)
        ok = put_result(m, s, &m->part.results[i]);
    ok = ok && add_parts(m, s);
    for (uint64_t i = 0; ok && i < s->output.constants; i++)
        put_constant(m, s->output.constant[2 * i], s->output.constant[2 * i + 1]);
    return ok;
}
