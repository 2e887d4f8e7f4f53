/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/staging.h"

#include <stdlib.h>
#include <string.h>

bool staging_fail(const struct staging *g, const char *why)
{
    if (!g->why->len)
        sb_add(g->why, why);
    return false;
}

/* ---- what results are made of ----------------------------------------------------------------------- */

static uint32_t owner_of(const struct staging *g, flow_ref ref)
{
    if (flow_space(ref) == FLOW_TEMPS) {
        const uint8_t state = g->temp_state[flow_offset(ref) / 8];
        return state == IS_CONSTANT ? OWNER_CONSTANT : state == IS_UNKNOWN ? OWNER_UNKNOWN : OWNER_TENSORS;
    }
    return stage_memory_owner(g->memory, &g->flow->kinds[flow_kind_of(ref)], ref);
}

static void look_at(const struct staging *g, flow_ref ref, enum result_state *state)
{
    const uint32_t owner = owner_of(g, ref);
    if (owner == OWNER_UNKNOWN)
        *state = IS_UNKNOWN;
    else if (owner != OWNER_CONSTANT && *state == IS_CONSTANT)
        *state = IS_VALUE;
}

/* `second`: the second operand; NULL: what memory has. */
static void compute(const struct staging *g, const struct flow_result *of, const uint8_t *second, uint8_t *to)
{
    uint8_t *spaces[FLOW_SPACES] = {NULL}, given = second ? *second : 0;
    struct flow_result r = *of;
    for (unsigned i = 0; i < JOB_SLOTS; i++)
        spaces[i] = g->memory->slot[i].content;
    spaces[FLOW_TEMPS] = g->temps;
    if (second) {
        spaces[flow_space(r.second)] = &given;
        r.second -= (flow_ref)flow_offset(r.second);
    }
    flow_compute(g->flow, spaces, &r, to);
}

/* Whether a result of constants is the same with every second operand: copies join with what their place had,
 * in numbers too small to be seen. Without a table the result goes up or down with the operand, so its ends
 * say it. */
static bool changes_nothing(const struct staging *g, const struct flow_result *r)
{
    const struct flow_finish *f = &g->flow->finishes[r->finish];
    const unsigned bytes = g->flow->kinds[flow_kind_of(r->second)].bytes;
    const bool table = f->step.function == NUM_LOOKUP || f->last.function == NUM_LOOKUP;
    const uint8_t ends[] = {0x80, 0xFF, 0x00, 0x7F}; /* without a sign 0x00 and 0xFF are */
    uint8_t first[8] = {0}, other[8] = {0};
    bool same = f->joins && bytes == 1 && !table && !g->flow->rows[r->row].count && r->add == FLOW_NONE;
    for (unsigned i = 0; same && i < sizeof ends; i++) {
        compute(g, r, &ends[i], i ? other : first);
        same = !i || !memcmp(first, other, sizeof first);
    }
    return same;
}

static enum result_state state_of(const struct staging *g, const struct flow_result *r)
{
    const struct flow_row *row = &g->flow->rows[r->row];
    enum result_state state = IS_CONSTANT;
    for (uint32_t i = 0; i < row->count && state != IS_UNKNOWN; i++)
        look_at(g, r->base + g->flow->delta[row->first + i], &state);
    if (r->add != FLOW_NONE && state != IS_UNKNOWN)
        look_at(g, r->add, &state);
    if (r->second != FLOW_NONE && state != IS_UNKNOWN && !(state == IS_CONSTANT && changes_nothing(g, r)))
        look_at(g, r->second, &state);
    return state;
}

unsigned staging_bytes(const struct staging *g, const struct flow_result *r)
{
    return num_element_bytes((enum num_element)g->flow->finishes[r->finish].element);
}

/* Results in the order in which they are made. */
static void find_states(struct staging *g)
{
    for (size_t i = 0; i < g->flow->result_count; i++) {
        const struct flow_result *r = &g->flow->results[i];
        const bool is_temp = flow_space(r->to) == FLOW_TEMPS;
        g->state[i] = (uint8_t)state_of(g, r);
        if (is_temp)
            g->temp_state[flow_offset(r->to) / 8] = g->state[i];
        if (g->state[i] != IS_CONSTANT)
            continue;
        struct stage_constant *c = &g->constants[g->constant_count];
        *c = (struct stage_constant){.to = r->to, .count = staging_bytes(g, r)};
        compute(g, r, NULL, is_temp ? g->temps + flow_offset(r->to) : c->bytes);
        g->constant_count += !is_temp;
    }
}

/* A sum whose operands are all constants is a value if others with the same weights are: where a kernel has
 * few weights, some pixels at the border are such, and without them the places of the others are no loops. */
static bool find_gaps(struct staging *g)
{
    const struct flow *f = g->flow;
    uint8_t *has_value = calloc(f->row_count + 1, 1);
    size_t kept = 0, at = 0;
    if (!has_value)
        return staging_fail(g, "out of memory");
    for (size_t i = 0; i < f->result_count; i++)
        has_value[f->results[i].row] |= g->state[i] == IS_VALUE;
    for (size_t i = 0; i < f->result_count; i++) {
        const struct flow_result *r = &f->results[i];
        if (g->state[i] != IS_CONSTANT || flow_space(r->to) == FLOW_TEMPS)
            continue;
        if (has_value[r->row] && f->rows[r->row].count && r->add == FLOW_NONE && r->second == FLOW_NONE)
            g->state[i] = IS_VALUE;
        else
            g->constants[kept++] = g->constants[at];
        at++;
    }
    g->constant_count = kept;
    free(has_value);
    return true;
}

/* ---- its result ------------------------------------------------------------------------------------- */

bool staging_makes(const struct staging *g, const struct flow_result *r)
{
    return flow_space(r->to) == g->out.slot && staging_bytes(g, r) == g->out.bytes &&
           (g->flow->finishes[r->finish].final != 0) == g->final;
}

static const struct flow_result *last_result(const struct staging *g)
{
    for (size_t i = g->flow->result_count; i-- > 0;)
        if (flow_space(g->flow->results[i].to) != FLOW_TEMPS && g->state[i] == IS_VALUE)
            return &g->flow->results[i];
    return NULL;
}

uint32_t staging_wanted(const struct staging *g, flow_ref to)
{
    return flow_space(to) == SLOT_OUTPUT ? g->memory->slot[SLOT_OUTPUT].wanted[flow_offset(to)] : 0;
}

static void widen(struct stage_role *role, uint64_t at, unsigned bytes)
{
    role->low = at < role->low ? at : role->low;
    role->end = at + bytes > role->end ? at + bytes : role->end;
}

/* The set of so many elements as a tensor of its own. */
static bool add_set(struct staging *g, uint64_t places)
{
    struct stage_set *set = unions_add(g->unions, g->out.bytes, g->elements);
    for (uint64_t i = 0; set && i < places; i++)
        if (g->rank[i])
            set->at[g->rank[i] - 1] = flow_ref_of(0, g->out.slot, g->out.low + i * g->out.bytes);
    g->tensor = stage_memory_tensor(g->memory, g->out.bytes, g->elements);
    return (set && g->tensor != SIZE_MAX) || staging_fail(g, "out of memory");
}

/* The tensor of the same set, when it was found before, with the numbers that its elements have there. */
static bool find_set(struct staging *g, uint64_t places)
{
    struct stages_unions *u = g->unions;
    const struct stage_set *set = u->next < u->sets ? &u->set[u->next++] : NULL;
    if (!set || set->elements != g->elements)
        return staging_fail(g, "a program that is read in two ways");
    for (uint64_t i = 0; i < places; i++)
        if (g->rank[i])
            g->rank[i] = (uint32_t)set->number[g->rank[i] - 1] + 1;
    g->tensor = stage_memory_ends(g->memory) + set->tensor;
    return true;
}

/* A result of no activation, as of a channel without weights, is a constant for who reads it, but it has a
 * place among the others: else pixels would be at other distances where such channels are. */
static bool is_gap(const struct staging *g, size_t at)
{
    const struct flow_result *r = &g->flow->results[at];
    return g->state[at] == IS_CONSTANT && flow_space(r->to) != FLOW_TEMPS && staging_makes(g, r) &&
           !g->flow->rows[r->row].count && r->add == FLOW_NONE && r->second == FLOW_NONE;
}

enum { VALUE = 1, GAP }; /* what is at a place */

/* Elements of a tensor between stages have the order of their places. */
static bool rank_elements(struct staging *g)
{
    const uint64_t places = (g->out.end - g->out.low) / g->out.bytes;
    g->rank = calloc(places + 1, sizeof *g->rank);
    if (!g->rank)
        return staging_fail(g, "out of memory");
    for (size_t i = 0; i < g->flow->result_count; i++) {
        const struct flow_result *r = &g->flow->results[i];
        const bool gap = is_gap(g, i);
        if (!gap && (g->state[i] != IS_VALUE || !staging_makes(g, r)))
            continue;
        uint32_t *rank = &g->rank[(flow_offset(r->to) - g->out.low) / g->out.bytes];
        *rank = gap && *rank != VALUE ? GAP : VALUE;
    }
    for (uint64_t i = 0; i < places; i++)
        g->gaps += g->rank[i] == GAP;
    for (uint64_t i = 0; i < places; i++)
        if (g->rank[i])
            g->rank[i] = (uint32_t)++g->elements;
    return g->numbered ? find_set(g, places) : add_set(g, places);
}

/* All elements that the host takes, or those of a tensor between stages. */
static bool find_tensor(struct staging *g, const struct flow_result *last)
{
    uint32_t wanted = 0;
    g->out =
        (struct stage_role){.slot = flow_space(last->to), .bytes = staging_bytes(g, last), .low = UINT64_MAX};
    g->final = g->flow->finishes[last->finish].final != 0;
    for (size_t i = 0; i < g->flow->result_count; i++) {
        const struct flow_result *r = &g->flow->results[i];
        if (flow_space(r->to) == FLOW_TEMPS || !staging_makes(g, r))
            continue;
        widen(&g->out, flow_offset(r->to), g->out.bytes);
        const uint32_t at = staging_wanted(g, r->to);
        if (at && wanted && at != wanted)
            return staging_fail(g, "a stage that makes two values");
        wanted = at ? at : wanted;
    }
    if (!wanted)
        return rank_elements(g);
    g->tensor = wanted - 1;
    return true;
}

bool staging_element(const struct staging *g, flow_ref to, uint64_t *element)
{
    if (g->rank) {
        const uint32_t rank = g->rank[(flow_offset(to) - g->out.low) / g->out.bytes];
        *element = rank - 1;
        return rank;
    }
    *element = g->memory->slot[SLOT_OUTPUT].wanted_element[flow_offset(to)];
    return staging_wanted(g, to) == g->tensor + 1;
}

/* ---- its operands ----------------------------------------------------------------------------------- */

bool staging_is_inner(const struct staging *g, uint32_t owner)
{
    return owner >= OWNER_TENSORS + stage_memory_ends(g->memory);
}

/* What several stages have made is one tensor, unless it is the host's. */
static bool meet(struct staging *g, const struct stage_role *role, uint32_t owner)
{
    const size_t first = OWNER_TENSORS + stage_memory_ends(g->memory);
    if (g->numbered || !staging_is_inner(g, owner) || !staging_is_inner(g, role->owner))
        return staging_fail(g, STAGING_SEVERAL);
    return unions_join(g->unions, role->owner - first, owner - first) ||
           staging_fail(g, "an operand whose elements are of several sizes");
}

static bool take_ref(struct staging *g, struct stage_role *role, flow_ref ref)
{
    const unsigned bytes = g->flow->kinds[flow_kind_of(ref)].bytes;
    const uint32_t owner = owner_of(g, ref);
    if (flow_space(ref) == FLOW_TEMPS)
        return true;
    if (!role->bytes)
        *role = (struct stage_role){.slot = flow_space(ref), .bytes = bytes, .low = UINT64_MAX};
    if (role->slot != flow_space(ref) || role->bytes != bytes)
        return staging_fail(g, "an operand that lies in several places");
    if (owner != OWNER_CONSTANT && role->owner != OWNER_CONSTANT && role->owner != owner &&
        !meet(g, role, owner))
        return false;
    role->owner = role->owner == OWNER_CONSTANT ? owner : role->owner;
    widen(role, flow_offset(ref), bytes);
    return true;
}

static bool take_row(struct staging *g, const struct flow_result *r)
{
    const struct flow_row *row = &g->flow->rows[r->row];
    const unsigned space = row->count ? flow_space(r->base + g->flow->delta[row->first]) : FLOW_TEMPS;
    for (uint32_t i = 0; i < row->count; i++) {
        const flow_ref ref = r->base + g->flow->delta[row->first + i];
        if (flow_space(ref) != space)
            return staging_fail(g, "sums of what lies in several places");
        if (!take_ref(g, &g->in, ref))
            return false;
    }
    if (space != FLOW_TEMPS && flow_space(r->base) == space &&
        flow_offset(r->base) + g->in.bytes <= g->memory->slot[space].size)
        widen(&g->in, flow_offset(r->base), g->in.bytes);
    return true;
}

/* Whether the result is needed when the stage is over. */
static bool is_kept(const struct staging *g, size_t at)
{
    const struct flow_result *r = &g->flow->results[at];
    uint64_t element;
    if (g->state[at] != IS_VALUE)
        return false;
    return flow_space(r->to) == FLOW_TEMPS || (staging_makes(g, r) && staging_element(g, r->to, &element));
}

/* A constant that a value is made of stays, if it is a temporary result. */
bool staging_needs(const struct staging *g, size_t at)
{
    return is_kept(g, at) ||
           (g->state[at] == IS_CONSTANT && flow_space(g->flow->results[at].to) == FLOW_TEMPS);
}

static bool find_operands(struct staging *g)
{
    for (size_t i = 0; i < g->flow->result_count; i++) {
        const struct flow_result *r = &g->flow->results[i];
        if (staging_needs(g, i) &&
            (!take_row(g, r) || (r->add != FLOW_NONE && !take_ref(g, &g->in, r->add)) ||
             (r->second != FLOW_NONE && !take_ref(g, &g->second, r->second))))
            return false;
    }
    return true;
}

bool staging_find(struct staging *g)
{
    const struct flow *f = g->flow;
    g->state = calloc(f->result_count + 1, 1);
    g->temp_state = calloc(f->temps + 1, 1);
    g->temps = calloc(f->temps + 1, 8);
    g->constants = calloc(f->result_count + 1, sizeof *g->constants);
    if (!g->state || !g->temp_state || !g->temps || !g->constants)
        return staging_fail(g, "out of memory");
    find_states(g);
    if (!find_gaps(g))
        return false;
    for (size_t i = 0; i < f->result_count; i++)
        if (g->state[i] == IS_UNKNOWN && staging_wanted(g, f->results[i].to))
            return staging_fail(g, "results that depend on what is in the device's memory before");
    const struct flow_result *last = last_result(g);
    g->copies = g->may_copy && staging_copies(g);
    return !last || g->copies || (find_tensor(g, last) && find_operands(g));
}

void staging_free(struct staging *g)
{
    free(g->state);
    free(g->temp_state);
    free(g->temps);
    free(g->constants);
    free(g->rank);
}
