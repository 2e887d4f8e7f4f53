/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/pe_together.h"

#include <string.h>

/* Probes are told of each PE, and a rule that moves work between PEs that are the same needs all of them. */
static bool may_be_together(const struct pe_array *pes)
{
    const struct cycle_options *o = pes->options;
    return !o->probe &&
           (o->balance == BALANCE_NONE || (o->balance == BALANCE_PROGRESS && o->balance_threshold));
}

static void add_counters(struct pe_counters *to, const struct pe_counters *from,
                         const struct pe_counters *base)
{
    to->busy += from->busy - base->busy;
    to->moved += from->moved - base->moved;
    to->stall_weights += from->stall_weights - base->stall_weights;
    to->stall_output += from->stall_output - base->stall_output;
    for (unsigned u = 0; u < CYCLE_USES; u++)
        to->idle[u] += from->idle[u] - base->idle[u];
}

void together_count(struct pe_array *pes)
{
    struct pe_together *t = &pes->together;
    for (unsigned p = 1; t->on && p < pes->variant->k; p++)
        add_counters(&pes->pe[p].counters, &pes->pe[0].counters, &t->base);
    t->base = pes->pe[0].counters;
}

/* The state of PE 0, with the PE's own queues, which hold the same. */
static void follow(struct pe *to, const struct pe *from)
{
    struct flow own[PE_FLOWS];
    const struct pe_counters counters = to->counters;
    memcpy(own, to->flow, sizeof own);
    *to = *from;
    for (unsigned f = 0; f < PE_FLOWS; f++) {
        own[f].begin = own[f].end - flow_count(&from->flow[f]);
        to->flow[f] = own[f];
    }
    to->counters = counters;
}

static void spread(struct pe_array *pes)
{
    together_count(pes);
    for (unsigned p = 1; p < pes->variant->k; p++)
        follow(&pes->pe[p], &pes->pe[0]);
}

/* Nothing is announced or under way. */
static bool is_at_rest(const struct pe_array *pes, const struct pe *pe)
{
    for (unsigned f = 0; f < PE_FLOWS; f++)
        if (flow_count(&pe->flow[f]))
            return false;
    return pe->closed == pes->issued && !pe->closing && !pe->foreign_count && !pe->flying && !pe->coming &&
           !pe->coming_back && !pe->loading && !pe->ends && !pe->bubble && !pe->arrived && !pe->head &&
           !pe->read && pe->stored == pe->announced_words;
}

/* What is left of the past in a PE at rest makes no difference. */
static void begin_anew(struct pe_array *pes, struct pe *pe)
{
    struct pe anew = {.counters = pe->counters,
                      .started = pes->issued,
                      .split = pes->issued,
                      .ended = pes->issued,
                      .summed = pes->issued,
                      .closed = pes->issued};
    memcpy(anew.flow, pe->flow, sizeof anew.flow);
    *pe = anew;
}

static bool join(struct pe_array *pes)
{
    for (unsigned p = 0; p < pes->variant->k; p++)
        if (!is_at_rest(pes, &pes->pe[p]))
            return false;
    for (unsigned p = 0; p < pes->variant->k; p++)
        begin_anew(pes, &pes->pe[p]);
    pes->together.base = pes->pe[0].counters;
    return true;
}

void together_announce(struct pe_array *pes)
{
    struct pe_together *t = &pes->together;
    if (t->told)
        return;
    if (t->on)
        spread(pes);
    else
        t->on = may_be_together(pes) && join(pes);
    t->told = true;
    for (unsigned f = 0; f < PE_FLOWS; f++)
        t->before[f] = flow_count(&pes->pe[0].flow[f]);
}

/* Whether the newest items of a queue are those of the other one. */
static bool brought_same(const struct flow *a, const struct flow *b, size_t before)
{
    const size_t count = flow_count(a), fresh = count - before;
    return count == flow_count(b) &&
           (!fresh || !memcmp((const char *)a->items + (a->end - fresh) * a->item,
                              (const char *)b->items + (b->end - fresh) * b->item, fresh * a->item));
}

void together_compare(struct pe_array *pes)
{
    struct pe_together *t = &pes->together;
    if (!t->told)
        return;
    t->told = false;
    for (unsigned p = 1; t->on && p < pes->variant->k; p++)
        for (unsigned f = 0; t->on && f < PE_FLOWS; f++)
            t->on = brought_same(&pes->pe[0].flow[f], &pes->pe[p].flow[f], t->before[f]);
}

void together_part(struct pe_array *pes)
{
    if (pes->together.on)
        spread(pes);
    pes->together.on = false;
}
