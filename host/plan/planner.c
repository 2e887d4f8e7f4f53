/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/planner.h"

#include "host/plan/product.h"

const char *plan_make(const struct plan_description *d, const struct plan_choice *choice, struct plan *plan)
{
    return plan_product(d, choice, plan);
}

uint64_t plan_input_offset(const struct plan *plan, uint32_t m, uint32_t k)
{
    return (uint64_t)m * plan->layout.input_pitch + (uint64_t)k * plan->layout.data_bytes;
}

uint64_t plan_output_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    if (l->place)
        return l->place[n] == UINT32_MAX ? PLAN_NOWHERE : (uint64_t)l->place[n] * l->element_bytes;
    return (uint64_t)m * plan->output_pitch + (uint64_t)n * l->element_bytes;
}

/* Partial sums are in the order in which their results come: of a pass, or of a tile and a pass, by segments,
 * rows held, and parts of the array. */
uint64_t plan_partial_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    if (l->place)
        return l->place[n] == UINT32_MAX ? PLAN_NOWHERE : (uint64_t)l->place[n] * l->partial_bytes;
    uint32_t group = n / l->pes, segment = group / l->n_parts, n_part = group % l->n_parts,
             m_part = m % l->m_parts, held = m / l->m_parts % l->held, pass = m / l->m_parts / l->held,
             first = 0, length = l->segments;
    for (uint32_t t = 0; t < l->tile_count && l->tiles[t] <= segment; t++) {
        first = l->tiles[t];
        length = l->tiles[t + 1] - first;
    }
    uint64_t streams = (uint64_t)l->m_parts * l->n_parts, each = l->held * streams; /* groups of a segment */
    uint64_t stream =
        l->n_first ? (uint64_t)n_part * l->m_parts + m_part : (uint64_t)m_part * l->n_parts + n_part;
    uint64_t groups = ((uint64_t)first * l->passes + (uint64_t)pass * length + (segment - first)) * each +
                      held * streams + stream;
    return (groups * l->pes + n % l->pes) * l->partial_bytes;
}

const char *plan_mapping_name(enum plan_mapping mapping)
{
    static const char *const names[PLAN_MAPPINGS] = {"is", "os", "ws"};
    return mapping < PLAN_MAPPINGS ? names[mapping] : "?";
}

const char *plan_split_name(struct plan_split split, char text[8])
{
    static const char letters[PLAN_AXES] = {'m', 'n', 'k'};
    text[0] = split.rows < PLAN_AXES ? letters[split.rows] : '?';
    text[1] = split.columns < PLAN_AXES ? letters[split.columns] : '?';
    text[2] = '\0';
    return text;
}
