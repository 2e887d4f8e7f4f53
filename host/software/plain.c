/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/plain.h"

#include <stdlib.h>

#include "host/software/plain_making.h"

/* The jobs of an operator: a part, and a block of dense rows each. */
struct making {
    const struct planned *op;
    const struct packed *packed;
    struct plain_making of;
};

void plain_free(struct plain *p)
{
    flow_free(&p->flow);
    free(p->input.image);
    free(p->second.image);
    *p = (struct plain){.out_bytes = 0};
}

static bool trace_part(struct making *m, const struct part *part)
{
    const struct plan *plan = &part->plan;
    struct trace_job job = plain_trace_job(m->op->variant, plan);
    job.job.slots[SLOT_PARTIAL].bytes = part->partial;
    job.job.slots[SLOT_PARTIAL].size = plan->partial_bytes;
    job.job.slots[SLOT_EXTRA].size = plan->operand_bytes;
    job.constant[SLOT_PARTIAL] = true;
    plain_part_free(&m->of);
    return trace_program(&job, &m->of.part, m->of.why) && plain_part_begin(&m->of);
}

/* Calls `take` for each job; the part's program is traced before. */
static bool each_step(struct making *m, bool (*take)(struct making *m, const struct plain_job *job))
{
    const uint32_t rows = m->packed->block * operator_unit(m->op), blocks = (m->op->m - 1) / rows + 1;
    bool ok = true;
    struct plain_job s = {.number = 0};
    for (uint32_t p = 0; ok && p < m->packed->parts; p++) {
        ok = (m->of.rows && m->packed->parts == 1) || trace_part(m, &m->packed->part[p]);
        for (uint32_t b = 0; ok && b < blocks; b++) {
            const uint32_t first = b * rows, left = m->op->m - first;
            const struct slice slice = (struct slice){.op = m->op,
                                                      .packed = m->packed,
                                                      .part = &m->packed->part[p],
                                                      .first = first,
                                                      .count = left < rows ? left : rows};
            ok = (places_input(&slice, &s.input) && places_second(&slice, &s.second) &&
                  places_output(&slice, &s.output)) ||
                 plain_fail(&m->of, "out of memory");
            ok = ok && take(m, &s);
            places_free(&s.input);
            places_free(&s.second);
            places_free(&s.output);
            s.number++;
        }
    }
    return ok;
}

static bool look(struct making *m, const struct plain_job *job)
{
    plain_look(&m->of, job);
    return true;
}

static bool take(struct making *m, const struct plain_job *job)
{
    return plain_take(&m->of, job);
}

static bool is_supported(struct making *m)
{
    if (m->op->has_initial)
        return plain_fail(&m->of, "initial sums that are operands");
    return true;
}

bool plain_operator(const struct planned *op, const struct packed *packed, struct plain *to,
                    struct strbuf *why)
{
    struct making m = {
        .op = op, .packed = packed, .of = {.to = to, .why = why, .element = op->element, .direct = true}};
    struct tulle_matrix shape;
    *to = (struct plain){.out_bytes = num_element_bytes((enum num_element)op->element)};
    to->flow.data_width = op->variant->data_width;
    to->out_elements = (uint64_t)op->m * op->n;
    to->input = (struct plain_operand){.bytes = planned_input_bytes(op),
                                       .elements = operands_input_shape(op, &shape)};
    if (op->join.join)
        to->second = (struct plain_operand){.bytes = 1u << op->join.element,
                                            .elements = op->joins_row ? op->n : to->out_elements};
    const bool ok = is_supported(&m) && each_step(&m, look) && each_step(&m, take);
    to->flow.size[SLOT_INPUT] =
        (m.of.direct ? to->input.elements : to->input.image_elements) * to->input.bytes;
    to->flow.size[SLOT_EXTRA] = to->second.elements * to->second.bytes;
    plain_making_free(&m.of);
    return ok && !why->len;
}
