/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages that only move numbers, such as rows that a slice keeps from the one before: elements then lie at
 * other places, and nothing is computed.
 */
#include <stdlib.h>
#include <string.h>

#include "host/software/staging.h"

/* The element that a result would be a copy of; FLOW_NONE: it is made of others. */
static flow_ref source_of(const struct staging *g, const struct flow_result *r)
{
    const struct flow_row *row = &g->flow->rows[r->row];
    if (row->op != FLOW_SUM || row->count + (r->add != FLOW_NONE) != 1)
        return FLOW_NONE;
    const flow_ref from = row->count ? r->base + g->flow->delta[row->first] : r->add;
    const bool same = r->second == FLOW_NONE || (flow_space(r->second) == flow_space(from) &&
                                                 flow_offset(r->second) == flow_offset(from));
    return same && flow_space(from) != FLOW_TEMPS &&
                   g->flow->kinds[flow_kind_of(from)].bytes == staging_bytes(g, r)
               ? from
               : FLOW_NONE;
}

/* Whether each number becomes itself. */
static bool keeps_numbers(const struct staging *g, const struct flow_result *of, flow_ref from)
{
    const unsigned bytes = staging_bytes(g, of), space = flow_space(from);
    uint8_t number[8] = {0}, result[8] = {0};
    uint8_t *spaces[FLOW_SPACES] = {NULL};
    struct flow_result r = *of;
    r.base -= (flow_ref)flow_offset(from);
    r.add -= r.add != FLOW_NONE ? (flow_ref)flow_offset(from) : 0;
    r.second -= r.second != FLOW_NONE ? (flow_ref)flow_offset(from) : 0;
    spaces[space] = number;
    for (uint32_t v = 0; bytes <= 2 && v < UINT32_C(1) << (8 * bytes); v++) {
        for (unsigned b = 0; b < bytes; b++)
            number[b] = (uint8_t)(v >> (8 * b));
        flow_compute(g->flow, spaces, &r, result);
        if (memcmp(number, result, bytes) != 0)
            return false;
    }
    return bytes <= 2;
}

/* Results that the same row and finish make of elements of one kind are all copies, or none is. */
static bool is_alike(const struct staging *g, const struct flow_result *a, const struct flow_result *b)
{
    return a->row == b->row && a->finish == b->finish &&
           (a->second == FLOW_NONE) == (b->second == FLOW_NONE) &&
           flow_kind_of(source_of(g, a)) == flow_kind_of(source_of(g, b)) &&
           (a->second == FLOW_NONE || flow_kind_of(a->second) == flow_kind_of(b->second));
}

bool staging_copies(const struct staging *g)
{
    const struct flow_result *last = NULL;
    for (size_t i = 0; i < g->flow->result_count; i++) {
        const struct flow_result *r = &g->flow->results[i];
        if (flow_space(r->to) == FLOW_TEMPS || staging_wanted(g, r->to))
            return false;
        if (g->state[i] != IS_VALUE)
            continue;
        const flow_ref from = source_of(g, r);
        if (from == FLOW_NONE || !((last && is_alike(g, last, r)) || keeps_numbers(g, r, from)))
            return false;
        last = r;
    }
    return last;
}

struct moved {
    uint32_t owner, element;
};

bool staging_move(const struct staging *g)
{
    const struct flow *f = g->flow;
    struct moved *moved = malloc((f->result_count + 1) * sizeof *moved);
    for (size_t i = 0; moved && i < f->result_count; i++) {
        const flow_ref from = source_of(g, &f->results[i]);
        moved[i] = (struct moved){.owner = OWNER_UNKNOWN};
        if (g->state[i] == IS_VALUE)
            moved[i] = (struct moved){stage_memory_owner(g->memory, &f->kinds[flow_kind_of(from)], from),
                                      g->memory->slot[flow_space(from)].element[flow_offset(from)]};
    }
    for (size_t i = 0; moved && i < f->result_count; i++)
        if (g->state[i] != IS_CONSTANT)
            stage_memory_write(g->memory, f->results[i].to, staging_bytes(g, &f->results[i]), moved[i].owner,
                               moved[i].element, NULL);
    free(moved);
    return moved || staging_fail(g, "out of memory");
}
