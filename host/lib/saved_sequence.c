/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences in files. Steps between others leave nothing but their part of the
 * linked program: what runs of a sequence need of the host is at its edges.
 */
#include <stdlib.h>

#include "host/lib/saved.h"

enum { EDGES_MOST = 1 << 20 };

/* A step that takes what the host gives, or makes what the host takes. */
static bool is_edge(const struct sequence *s, size_t at)
{
    bool edge = s->step[at].x == SEQUENCE_HOST;
    for (size_t i = 0; !edge && i < s->values; i++)
        edge = s->value[i].wanted && s->value[i].made == at;
    return edge;
}

static size_t edges_before(const struct sequence *s, size_t at)
{
    size_t count = 0;
    for (size_t i = 0; i < at; i++)
        count += is_edge(s, i);
    return count;
}

/* The list of so many of `bytes` each: that which is there, or room for one that is read. */
static bool begin_list(struct archive *a, uint32_t *count, void **list, size_t bytes)
{
    *count = archive_word(a, *count, EDGES_MOST);
    if (a->to)
        return true;
    if (a->wrong || *count > a->size - a->at) {
        a->wrong = true;
        return false;
    }
    *list = calloc((size_t)*count + 1, bytes);
    a->memory |= !*list;
    a->wrong |= !*list;
    return *list;
}

/* ---- fields --------------------------------------------------------------------------------------- */

static void do_plan(struct archive *a, struct packed *packed)
{
    if (!a->to) {
        packed->part = calloc(1, sizeof *packed->part);
        a->memory |= !packed->part;
        a->wrong |= !packed->part;
    }
    if (a->wrong)
        return;
    packed->parts = packed->block = 1;
    struct plan *plan = &packed->part->plan;
    archive_text(a, &plan->program);
    archive_text(a, &plan->weights);
    plan->input_bytes = archive_size(a, plan->input_bytes);
    plan->output_bytes = archive_size(a, plan->output_bytes);
    plan->scratch_bytes = archive_size(a, plan->scratch_bytes);
}

static void do_border(struct archive *a, struct sequence_border *b)
{
    b->slot = (enum isa_slot)archive_word(a, b->slot, ISA_SLOTS - 1);
    b->base = archive_size(a, b->base);
    b->bytes = archive_size(a, b->bytes);
    b->activation = (int)archive_within(a, b->activation, INT16_MIN, UINT16_MAX);
}

static void do_borders(struct archive *a, struct sequence *s)
{
    uint32_t count = (uint32_t)s->borders;
    void *list = s->border;
    if (!begin_list(a, &count, &list, sizeof *s->border))
        return;
    s->border = list;
    s->borders = count;
    for (uint32_t i = 0; i < count; i++)
        do_border(a, &s->border[i]);
}

static void do_step(struct archive *a, const struct planned *base, struct sequence_step *step)
{
    step->x = archive_flag(a, step->x == SEQUENCE_HOST) ? SEQUENCE_HOST : 0;
    step->input_base = archive_size(a, step->input_base);
    if (!a->to)
        step->of = *base;
    saved_operator(a, &step->of);
    if (!a->wrong)
        saved_packed(a, &step->of, &step->packed);
}

static void do_steps(struct archive *a, const struct planned *base, struct sequence *s)
{
    uint32_t count = (uint32_t)edges_before(s, s->steps);
    void *list = s->step;
    if (!begin_list(a, &count, &list, sizeof *s->step))
        return;
    s->step = list;
    s->steps = a->to ? s->steps : count;
    for (size_t i = 0; i < s->steps && !a->wrong; i++) {
        struct sequence_step copy = s->step[i]; /* what is written is not changed */
        if (a->to && !is_edge(s, i))
            continue;
        do_step(a, base, a->to ? &copy : &s->step[i]);
    }
}

static void do_places(struct archive *a, struct sequence_value *v)
{
    int64_t *const sizes[] = {&v->images, &v->height, &v->width, &v->channels};
    struct plan_places *p = &v->places;
    uint64_t *const steps[] = {&p->first, &p->image, &p->line, &p->pixel, &p->plane};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = archive_within(a, *sizes[i], 1, INT32_MAX);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        *steps[i] = archive_size(a, *steps[i]);
    p->group = archive_word(a, p->group, UINT32_MAX);
    v->by_channel = archive_flag(a, v->by_channel);
    v->frame.top = archive_word(a, v->frame.top, INT32_MAX);
    v->frame.left = archive_word(a, v->frame.left, INT32_MAX);
}

/* That the host takes. `made`: among the steps in the file. */
static void do_value(struct archive *a, struct sequence_value *v)
{
    v->made = archive_word(a, (uint32_t)v->made, EDGES_MOST);
    v->base = archive_size(a, v->base);
    v->framed = archive_flag(a, v->framed);
    if (v->framed)
        do_places(a, v);
}

static void do_values(struct archive *a, struct sequence *s)
{
    uint32_t count = 0;
    void *list = s->value;
    for (size_t i = 0; i < s->values; i++)
        count += s->value[i].wanted;
    if (!begin_list(a, &count, &list, sizeof *s->value))
        return;
    s->value = list;
    s->values = a->to ? s->values : count;
    for (size_t i = 0; i < s->values; i++) {
        struct sequence_value copy = s->value[i];
        if (a->to && !copy.wanted)
            continue;
        copy.made = a->to ? edges_before(s, copy.made) : 0;
        do_value(a, a->to ? &copy : &s->value[i]);
        s->value[i].wanted = true;
    }
}

void saved_sequence(struct archive *a, const struct planned *base, struct sequence *s, struct packed *packed)
{
    s->predicted = archive_size(a, s->predicted);
    do_plan(a, packed);
    do_borders(a, s);
    do_steps(a, base, s);
    if (!a->wrong)
        do_values(a, s);
}

/* ---- places --------------------------------------------------------------------------------------- */

static bool border_is_sound(const struct sequence_border *b, const struct plan *plan)
{
    return (b->slot == SLOT_OUTPUT || b->slot == SLOT_SCRATCH) &&
           saved_fits(b->base, b->bytes, b->slot == SLOT_OUTPUT ? plan->output_bytes : plan->scratch_bytes);
}

/* It takes one job, which has all of its rows. */
static bool step_is_sound(const struct sequence_step *step, const struct plan *plan)
{
    const struct planned *op = &step->of;
    const struct packed *packed = &step->packed;
    const bool host = step->x == SEQUENCE_HOST;
    if (packed->parts != 1 || packed->block * operator_unit(op) != op->m ||
        packed->part->plan.layout.more_count || layout_gathers(&packed->part->plan.layout))
        return false;
    return !host || (!planned_is_pair(op) && saved_packed_is_sound(op, packed, SAVED_INPUT) &&
                     saved_fits(step->input_base, packed->part->plan.input_bytes, plan->input_bytes));
}

static bool value_is_sound(const struct sequence *s, const struct sequence_value *v, const struct plan *plan)
{
    const struct sequence_step *step = &s->step[v->made];
    const struct planned *op = &step->of;
    if (!v->framed)
        return !planned_is_pair(op) && saved_packed_is_sound(op, &step->packed, SAVED_RESULTS) &&
               saved_fits(v->base, step->packed.part->plan.output_bytes, plan->output_bytes);
    const uint64_t pixels = (uint64_t)v->height * (uint64_t)v->width;
    return pixels <= UINT32_MAX && pixels * (uint64_t)v->images <= UINT32_MAX &&
           pixels * (uint64_t)v->images * (uint64_t)v->channels >= (uint64_t)op->m * op->n &&
           sequence_value_fits(v, 1u << op->element, plan->output_bytes);
}

bool saved_sequence_is_sound(const struct sequence *s, const struct packed *packed)
{
    const struct plan *plan = &packed->part->plan;
    bool sound = s->steps && s->values;
    for (size_t i = 0; sound && i < s->borders; i++)
        sound = border_is_sound(&s->border[i], plan);
    for (size_t i = 0; sound && i < s->steps; i++)
        sound = step_is_sound(&s->step[i], plan);
    for (size_t i = 0; sound && i < s->values; i++)
        sound = s->value[i].made < s->steps && value_is_sound(s, &s->value[i], plan);
    return sound;
}
