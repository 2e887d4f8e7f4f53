/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the places that the host computes for a saved operator lie within its slots.
 */
#include "host/lib/saved.h"

bool saved_fits(uint64_t at, uint64_t bytes, uint64_t room)
{
    return at <= room && bytes <= room - at;
}

/* Of the last row: those of the others come before them. */
static bool gathered_places_fit(const struct planned *op, const struct packed *packed, const struct part *p)
{
    const struct plan_layout *l = &p->plan.layout;
    for (uint32_t k = 0; l->compact && k < op->k; k++)
        if (l->compact[k] != UINT32_MAX && !saved_fits(plan_input_offset(&p->plan, packed->block - 1, k),
                                                       l->data_bytes, p->plan.input_bytes))
            return false;
    if (!saved_fits((uint64_t)l->repeats * l->repeat_pitch * l->data_bytes,
                    (uint64_t)l->repeated * l->data_bytes, p->plan.input_bytes))
        return false;
    for (uint32_t i = 0; i < l->more_count; i++)
        if (!l->more || l->more[2 * i] >= p->rows ||
            !saved_fits((uint64_t)(packed->block - 1) * p->plan.output_pitch +
                            (uint64_t)l->more[2 * i + 1] * l->element_bytes,
                        l->element_bytes, p->plan.output_bytes))
            return false;
    return true;
}

/* Divisors of plan_partial_offset; tiles ascend. */
static bool partial_sizes_fit(const struct plan_layout *l)
{
    if (l->tile_count && !l->tiles)
        return false;
    for (uint32_t t = 0; t < l->tile_count; t++)
        if (l->tiles[t] > l->tiles[t + 1])
            return false;
    return layout_gathers(l) || (l->pes && l->held && l->m_parts && l->n_parts);
}

/* Divisors of places in images, which products have not. */
static bool image_sizes_fit(const struct planned *op, struct plan_layout *l)
{
    uint32_t *sizes[SAVED_IMAGE_SIZES];
    bool any = false, all = l->segments && l->pes && l->n_parts && l->m_parts;
    saved_image_sizes(&l->window, sizes);
    for (unsigned i = 0; i < SAVED_IMAGE_SIZES; i++) {
        any |= *sizes[i] != 0;
        all &= *sizes[i] != 0;
    }
    return window_slides(&op->window) ? all && l->window.rows / l->window.apart_y >= l->window.tile_height &&
                                            l->window.columns / l->window.apart_x >= l->window.tile_width
                                      : !any;
}

/* An operator without weights has tensors one element behind another. */
static bool tensors_fit(const struct planned *op, const struct packed *packed, const struct part *p)
{
    const struct plan *plan = &p->plan;
    const uint64_t elements = (uint64_t)packed->block * planned_pitch(op), second = planned_is_softmax(op) ? 0
                                                                                    : planned_repeats_row(op)
                                                                                        ? op->n
                                                                                        : elements;
    return packed->parts == 1 && p->rows == op->n && !plan->partial_bytes && !plan->layout.compact &&
           plan->layout.element_bytes == num_element_bytes((enum num_element)op->element) &&
           saved_fits(0, elements * planned_input_bytes(op), plan->input_bytes) &&
           saved_fits(0, second << op->join.element, plan->operand_bytes) &&
           saved_fits(0, elements << op->element, plan->output_bytes);
}

/* Of the activations that the host writes. */
static bool inputs_fit(const struct planned *op, const struct packed *packed, const struct part *p)
{
    const struct plan *plan = &p->plan;
    const struct plan_layout *l = &plan->layout;
    const struct slice all = {
        .op = op, .packed = packed, .part = p, .count = packed->block * operator_unit(op)};
    if (!gathered_places_fit(op, packed, p))
        return false;
    if (op->window.of.batch)
        return window_places_fit(&all);
    for (uint32_t m = 0; !l->compact && m < all.count; m++)
        if (!saved_fits(plan_input_offset(plan, m, 0), (uint64_t)op->k * l->data_bytes, plan->input_bytes))
            return false;
    return true;
}

static bool place_fits(uint64_t at, uint64_t bytes, uint64_t room)
{
    return at == PLAN_NOWHERE || saved_fits(at, bytes, room);
}

/* Of result n of row m, and of what it begins with and is joined with. */
static bool result_fits(const struct planned *op, const struct plan *plan, uint32_t m, uint32_t n,
                        enum saved_sides sides)
{
    const struct plan_layout *l = &plan->layout;
    const bool operands = sides & SAVED_OPERANDS;
    return (!(sides & SAVED_RESULTS) ||
            place_fits(plan_output_offset(plan, m, n), l->element_bytes, plan->output_bytes)) &&
           (!operands || !op->adds ||
            place_fits(plan_partial_offset(plan, m, n), l->partial_bytes, plan->partial_bytes)) &&
           (!operands || !op->join.join ||
            place_fits(plan_operand_offset(plan, m, n), l->operand_bytes, plan->operand_bytes));
}

static bool results_fit(const struct planned *op, const struct packed *packed, const struct part *p,
                        enum saved_sides sides)
{
    const uint32_t rows = packed->block * operator_unit(op);
    for (uint32_t m = 0; m < rows; m++)
        for (uint32_t n = 0; n < p->rows; n++)
            if (!result_fits(op, &p->plan, m, n, sides))
                return false;
    return true;
}

/* Every place that host code computes for this part. */
static bool places_fit(const struct planned *op, const struct packed *packed, struct part *p,
                       enum saved_sides sides)
{
    struct plan *plan = &p->plan;
    const struct plan_layout *l = &plan->layout;
    const bool adds = plan->partial_bytes, joins = plan->operand_bytes;
    if (planned_rests(op))
        return tensors_fit(op, packed, p);
    if (joins != (op->join.join != 0) || (joins && l->operand_bytes != 1u << op->join.element))
        return false;
    if (l->data_bytes != op->data_bytes || !l->partial_bytes || adds != op->adds ||
        l->element_bytes != num_element_bytes((enum num_element)op->element))
        return false;
    if ((sides & SAVED_INPUT) && !inputs_fit(op, packed, p))
        return false;
    /* The host looks at no result that stays on the device, nor at the tiles in which it comes. */
    return sides == SAVED_INPUT || (image_sizes_fit(op, &plan->layout) &&
                                    (!(adds || joins || l->window.rows) || partial_sizes_fit(l)) &&
                                    results_fit(op, packed, p, sides));
}

bool saved_packed_is_sound(const struct planned *op, const struct packed *packed, enum saved_sides sides)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < packed->parts; i++) {
        if (packed->part[i].first != next || !packed->part[i].rows ||
            !places_fit(op, packed, &packed->part[i], sides))
            return false;
        next += packed->part[i].rows;
    }
    return next == op->n;
}
