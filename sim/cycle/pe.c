/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/pe.h"

#include <stdlib.h>
#include <string.h>

/* ---- growing queues -------------------------------------------------------------------------- */

static void *flow_push(struct flow *flow, size_t item, size_t count)
{
    if (flow->begin == flow->end)
        flow->begin = flow->end = 0;
    if (flow->end + count > flow->room) {
        size_t room = (flow->end + count) * 2;
        void *items = realloc(flow->items, room * item);
        if (!items)
            return NULL;
        flow->items = items;
        flow->room = room;
    }
    void *to = (char *)flow->items + flow->end * item;
    flow->end += count;
    return to;
}

static size_t flow_count(const struct flow *flow)
{
    return flow->end - flow->begin;
}

static const struct segment_work *segment_at(const struct pe *pe, size_t index)
{
    return (const struct segment_work *)pe->segments.items + pe->segments.begin + index;
}

void pes_free(struct pe_array *pes)
{
    for (unsigned p = 0; p < 16; p++) {
        free(pes->pe[p].segments.items);
        free(pes->pe[p].flags.items);
    }
}

bool pe_announce_segment(struct pe *pe, struct segment_work work)
{
    struct segment_work *to = flow_push(&pe->segments, sizeof *to, 1);
    if (to)
        *to = work;
    return to;
}

bool pe_announce_flags(struct pe *pe, const uint8_t *flags, size_t count)
{
    if (!count)
        return true;
    uint8_t *to = flow_push(&pe->flags, 1, count);
    if (to)
        memcpy(to, flags, count);
    return to;
}

/* ---- weights arriving ------------------------------------------------------------------------ */

bool pes_accept_beat(const struct pe_array *pes, unsigned entries_per_beat)
{
    for (unsigned p = 0; p < pes->variant->k; p++) {
        const struct pe *pe = &pes->pe[p];
        if (pe->arrived - pe->freed + entries_per_beat > pes->variant->weight_queue_depth)
            return false;
    }
    return true;
}

/* One place of the stream: an escape, an entry, or padding behind the last segment. */
static void take_slot(struct pe *pe)
{
    while (pe->arriving < flow_count(&pe->segments)) {
        const struct segment_work *work = segment_at(pe, pe->arriving);
        if (!work->resident && pe->arriving_slot < work->extra + work->entries) {
            if (pe->arriving_slot++ >= work->extra)
                pe->arrived++;
            return;
        }
        pe->arriving++;
        pe->arriving_slot = 0;
    }
}

void pes_take_beat(struct pe_array *pes, unsigned entries_per_beat)
{
    for (unsigned p = 0; p < pes->variant->k; p++)
        for (unsigned i = 0; i < entries_per_beat; i++)
            take_slot(&pes->pe[p]);
}

/* Entries of the segment being scanned that are in the queue. */
static uint32_t entries_present(const struct pe *pe, const struct segment_work *work)
{
    if (work->resident || pe->arriving > 0)
        return work->entries;
    return pe->arriving_slot > work->extra ? pe->arriving_slot - work->extra : 0;
}

/* An empty segment is there when its escape is. */
static bool segment_known(const struct pe *pe, const struct segment_work *work)
{
    return work->resident || pe->arriving > 0 || pe->arriving_slot == work->extra + work->entries;
}

/* ---- scan ------------------------------------------------------------------------------------ */

static void push_group(struct pe *pe, unsigned loads, bool ends)
{
    pe->first[(pe->first_head + pe->first_count++) % LOAD_QUEUE_MAX] =
        (struct load_group){.loads = (uint8_t)loads, .ends = ends};
}

static void finish_mac(struct pe_array *pes, struct pe *pe, const struct segment_work *work)
{
    pe->scanned = 0;
    pe->started++;
    pe->bubble = pes->options->mac_bubble;
    if (++pe->mac < work->macs)
        return;
    pe->mac = 0;
    if (!work->resident)
        pe->freed += work->entries;
    pe->segments.begin++;
    if (pe->arriving)
        pe->arriving--;
    else
        pe->arriving_slot = 0;
}

static void scan_step(struct pe_array *pes, struct pe *pe)
{
    const struct variant *v = pes->variant;
    if (pe->bubble) {
        pe->bubble--;
        return;
    }
    if (pe->started == pe->issued) {
        pe->stall_output++;
        return;
    }
    if (!flow_count(&pe->segments) || pe->first_count == v->load_queue_depth)
        return;
    struct segment_work work = *segment_at(pe, 0);
    uint32_t present = entries_present(pe, &work);
    if (present == pe->scanned && !(work.entries == pe->scanned && segment_known(pe, &work))) {
        pe->stall_weights++;
        return;
    }
    unsigned take = present - pe->scanned < v->scan ? present - pe->scanned : v->scan, loads = 0;
    const uint8_t *flags = (const uint8_t *)pe->flags.items + pe->flags.begin;
    for (unsigned i = 0; i < take; i++)
        loads += flags[i];
    pe->flags.begin += take;
    pe->scanned += take;
    bool ends = pe->scanned == work.entries && segment_known(pe, &work);
    if (loads || ends)
        push_group(pe, loads, ends);
    if (ends)
        finish_mac(pes, pe, &work);
}

/* ---- load queues and multiplier -------------------------------------------------------------- */

static struct load_group *first_group(struct pe *pe)
{
    return &pe->first[pe->first_head];
}

static void drop_group_if_empty(struct pe *pe)
{
    struct load_group *group = first_group(pe);
    if (group->loads || group->ends)
        return;
    pe->first_head = (pe->first_head + 1) % LOAD_QUEUE_MAX;
    pe->first_count--;
}

static bool second_has_room(const struct pe_array *pes, const struct pe *pe)
{
    return pe->second_count < pes->variant->mac_queue_depth;
}

/* One load, with the end of the MAC when it is the last of it. */
static void move_to_own(struct pe_array *pes, struct pe *pe)
{
    if (!pe->first_count || !second_has_room(pes, pe))
        return;
    struct load_group *group = first_group(pe);
    struct load_group out = {.loads = group->loads ? 1 : 0, .ends = group->loads <= 1 && group->ends};
    pe->second[(pe->second_head + pe->second_count++) % LOAD_QUEUE_MAX] = out;
    pe->second_loads += out.loads;
    group->loads -= out.loads;
    if (out.ends)
        group->ends = false;
    drop_group_if_empty(pe);
}

static bool wants_help(const struct pe_array *pes, const struct pe *pe, const struct pe *helper)
{
    unsigned threshold = pes->options->balance_threshold;
    switch (pes->options->balance) {
    case BALANCE_OCCUPANCY:
        return pe->second_count + pe->foreign >= helper->second_count + helper->foreign + threshold;
    case BALANCE_PROGRESS:
        return helper->done >= pe->done + threshold ||
               (helper->started == helper->issued && !helper->second_count && !helper->first_count);
    case BALANCE_NONE:
        break;
    }
    return false;
}

/* One load to the left neighbour, which multiplies it and gives the product back when the MAC closes. */
static void move_to_left(struct pe_array *pes, unsigned p)
{
    unsigned k = pes->variant->k;
    if (pes->options->balance == BALANCE_NONE || k < 2 || (p == 0 && !pes->options->ring))
        return;
    struct pe *pe = &pes->pe[p], *helper = &pes->pe[(p + k - 1) % k];
    if (!pe->first_count || helper->foreign == FOREIGN_QUEUE || !wants_help(pes, pe, helper))
        return;
    struct load_group *group = first_group(pe);
    /* The last load of a MAC stays: it carries the end. */
    if (group->loads < 1 || (group->loads == 1 && group->ends))
        return;
    group->loads--;
    helper->foreign++;
    pe->moved++;
    drop_group_if_empty(pe);
}

/* Work taken over comes first: the helper falls behind by it, and its own left neighbour helps it in turn, so
 * that the work of one heavy PE spreads over the ring. */
static void multiply_step(struct pe *pe)
{
    if (pe->foreign) {
        pe->foreign--;
        pe->busy++;
        return;
    }
    if (!pe->second_count)
        return;
    struct load_group *load = &pe->second[pe->second_head];
    pe->busy += load->loads;
    pe->second_loads -= load->loads;
    pe->done += load->ends;
    pe->second_head = (pe->second_head + 1) % LOAD_QUEUE_MAX;
    pe->second_count--;
}

void pes_step(struct pe_array *pes)
{
    unsigned k = pes->variant->k;
    for (unsigned p = 0; p < k; p++)
        multiply_step(&pes->pe[p]);
    for (unsigned p = 0; p < k; p++) {
        move_to_own(pes, &pes->pe[p]);
        move_to_left(pes, p);
    }
    for (unsigned p = 0; p < k; p++)
        scan_step(pes, &pes->pe[p]);
}

uint64_t pes_done(const struct pe_array *pes)
{
    uint64_t least = UINT64_MAX;
    for (unsigned p = 0; p < pes->variant->k; p++)
        least = pes->pe[p].done < least ? pes->pe[p].done : least;
    return least;
}

bool pes_idle(const struct pe_array *pes)
{
    for (unsigned p = 0; p < pes->variant->k; p++)
        if (pes->pe[p].done != pes->pe[p].issued || pes->pe[p].foreign)
            return false;
    return true;
}
