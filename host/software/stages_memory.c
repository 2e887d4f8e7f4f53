/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/stages_memory.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/room.h"
#include "host/software/places.h"
#include "host/software/plain.h"

static bool begin_slot(struct stage_slot *s, uint64_t size, uint32_t owner)
{
    *s = (struct stage_slot){.size = size,
                             .content = calloc(size + 1, 1),
                             .owner = calloc(size + 1, sizeof *s->owner),
                             .element = calloc(size + 1, sizeof *s->element)};
    for (uint64_t i = 0; s->owner && i < size; i++)
        s->owner[i] = owner;
    return s->content && s->owner && s->element;
}

/* What the host puts there before the first run: constants, in a slot that has any border. */
static bool begin_written(struct stage_slot *s, uint64_t size, const struct strbuf *initial)
{
    const bool is_constant = initial->len == size;
    if (!begin_slot(s, size, is_constant ? OWNER_CONSTANT : OWNER_UNKNOWN))
        return false;
    if (is_constant && size)
        memcpy(s->content, initial->text, size);
    return true;
}

size_t stage_memory_tensor(struct stage_memory *m, unsigned bytes, uint64_t elements)
{
    struct stage_tensor *list = room_for_one(m->tensor, m->tensors, &m->room, 16, sizeof *list);
    if (!list)
        return SIZE_MAX;
    m->tensor = list;
    m->tensor[m->tensors] = (struct stage_tensor){.bytes = bytes, .elements = elements};
    return m->tensors++;
}

static struct slice slice_of(const struct sequence_step *step)
{
    return (struct slice){
        .op = &step->of, .packed = &step->packed, .part = step->packed.part, .count = step->of.m};
}

/* An operand of the host's, where the step finds it. */
static bool take_input(struct stage_memory *m, const struct sequence_step *step)
{
    struct tulle_matrix shape;
    struct places p = {.element = 1};
    const struct slice slice = slice_of(step);
    const size_t tensor =
        stage_memory_tensor(m, planned_input_bytes(&step->of), operands_input_shape(&step->of, &shape));
    const bool ok = tensor != SIZE_MAX && places_input(&slice, &p);
    for (uint64_t i = 0; ok && i < p.bytes / p.element; i++) {
        const uint64_t place = p.of[i], at = step->input_base + i * p.element;
        uint8_t bytes[8];
        for (unsigned b = 0; b < p.element; b++)
            bytes[b] = (uint8_t)(place >> (8 * b));
        stage_memory_write(m, (flow_ref)flow_ref_of(0, SLOT_INPUT, at), p.element,
                           place & PLAIN_CONSTANT ? OWNER_CONSTANT : OWNER_TENSORS + (uint32_t)tensor, place,
                           bytes);
    }
    places_free(&p);
    return ok;
}

static bool take_wanted(struct stage_memory *m, const struct sequence *s, const struct sequence_value *v)
{
    struct stage_slot *slot = &m->slot[SLOT_OUTPUT];
    struct places p = {.element = 1};
    const size_t tensor = stage_memory_tensor(
        m, num_element_bytes((enum num_element)s->step[v->made].of.element), sequence_elements(s, v));
    const bool ok = tensor != SIZE_MAX && places_value(s, v, slot->size, &p);
    for (uint64_t i = 0; ok && i < p.bytes / p.element; i++)
        if (!(p.of[i] & PLAIN_CONSTANT)) {
            slot->wanted[i * p.element] = (uint32_t)tensor + 1;
            slot->wanted_element[i * p.element] = (uint32_t)p.of[i];
        }
    places_free(&p);
    return ok;
}

bool stage_memory_begin(struct stage_memory *m, const struct sequence *s, const struct packed *packed)
{
    const struct plan *plan = &packed->part->plan;
    struct stage_slot *out = &m->slot[SLOT_OUTPUT];
    *m = (struct stage_memory){.tensors = 0};
    bool ok = begin_slot(&m->slot[SLOT_INPUT], plan->input_bytes, OWNER_UNKNOWN) &&
              begin_written(out, plan->output_bytes, &s->initial[SLOT_OUTPUT]) &&
              begin_written(&m->slot[SLOT_SCRATCH], plan->scratch_bytes, &s->initial[SLOT_SCRATCH]) &&
              begin_slot(&m->slot[SLOT_BANK], s->variant->local_bytes, OWNER_CONSTANT) &&
              (out->wanted = calloc(out->size + 1, sizeof *out->wanted)) &&
              (out->wanted_element = calloc(out->size + 1, sizeof *out->wanted_element));
    for (size_t i = 0; ok && i < s->steps; i++)
        ok = s->step[i].x != SEQUENCE_HOST || take_input(m, &s->step[i]);
    m->inputs = m->tensors;
    for (size_t i = 0; ok && i < s->values; i++)
        ok = !s->value[i].wanted || take_wanted(m, s, &s->value[i]);
    m->outputs = m->tensors - m->inputs;
    return ok;
}

void stage_memory_free(struct stage_memory *m)
{
    for (unsigned i = 0; i < JOB_SLOTS; i++) {
        free(m->slot[i].content);
        free(m->slot[i].owner);
        free(m->slot[i].element);
        free(m->slot[i].wanted);
        free(m->slot[i].wanted_element);
    }
    for (size_t i = 0; i < m->tensors; i++)
        free(m->tensor[i].there);
    free(m->tensor);
    *m = (struct stage_memory){.tensors = 0};
}

/* All bytes of a constant; of a tensor the element must be read as it is. */
uint32_t stage_memory_owner(const struct stage_memory *m, const struct flow_kind *kind, flow_ref ref)
{
    const struct stage_slot *s = &m->slot[flow_space(ref)];
    const uint64_t at = flow_offset(ref);
    if (at + kind->bytes > s->size)
        return OWNER_UNKNOWN;
    const uint32_t owner = s->owner[at];
    for (unsigned i = 1; owner == OWNER_CONSTANT && i < kind->bytes; i++)
        if (s->owner[at + i] != OWNER_CONSTANT)
            return OWNER_UNKNOWN;
    return owner >= OWNER_TENSORS && m->tensor[owner - OWNER_TENSORS].bytes != kind->bytes ? OWNER_UNKNOWN
                                                                                           : owner;
}

void stage_memory_write(struct stage_memory *m, flow_ref to, unsigned bytes, uint32_t owner, uint64_t element,
                        const uint8_t *constants)
{
    struct stage_slot *s = &m->slot[flow_space(to)];
    const uint64_t at = flow_offset(to);
    for (unsigned i = 0; i < bytes; i++) {
        s->owner[at + i] = i && owner != OWNER_CONSTANT ? OWNER_UNKNOWN : owner;
        if (owner == OWNER_CONSTANT)
            s->content[at + i] = constants[i];
    }
    s->element[at] = (uint32_t)element;
}
