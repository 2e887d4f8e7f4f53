/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/plain_narrow.h"

#include <stdlib.h>

/* Elements of a tensor from the first to the last; first > last: none. */
struct range {
    uint64_t first, last;
};

static void widen(struct range *r, uint64_t element)
{
    r->first = element < r->first ? element : r->first;
    r->last = element > r->last ? element : r->last;
}

static void take(struct range *r, flow_ref ref, unsigned space, unsigned bytes)
{
    if (ref != FLOW_NONE && flow_space(ref) == space)
        widen(r, flow_offset(ref) / bytes);
}

/* The least and the largest distance of each row. */
struct reach {
    int64_t low, high;
};

static struct reach *reaches(const struct flow *f)
{
    struct reach *list = calloc(f->row_count + 1, sizeof *list);
    for (size_t r = 0; list && r < f->row_count; r++) {
        const struct flow_row *row = &f->rows[r];
        const int64_t *delta = f->delta + row->first;
        list[r] = row->count ? (struct reach){delta[0], delta[0]} : (struct reach){0, 0};
        for (uint32_t i = 1; i < row->count; i++) {
            list[r].low = delta[i] < list[r].low ? delta[i] : list[r].low;
            list[r].high = delta[i] > list[r].high ? delta[i] : list[r].high;
        }
    }
    return list;
}

/* Bases count as well, since pointers go there. */
static bool find_input(const struct plain *p, struct range *in)
{
    const struct flow *f = &p->flow;
    struct reach *reach = p->input.image ? NULL : reaches(f);
    for (uint64_t i = 0; p->input.image && i < p->input.image_elements; i++)
        if (!(p->input.image[i] & PLAIN_CONSTANT))
            widen(in, p->input.image[i]);
    for (size_t i = 0; reach && i < f->result_count; i++) {
        const struct flow_result *r = &f->results[i];
        take(in, r->add, SLOT_INPUT, p->input.bytes);
        if (!f->rows[r->row].count)
            continue;
        if (flow_offset(r->base) / p->input.bytes < p->input.elements)
            take(in, r->base, SLOT_INPUT, p->input.bytes);
        take(in, r->base + reach[r->row].low, SLOT_INPUT, p->input.bytes);
        take(in, r->base + reach[r->row].high, SLOT_INPUT, p->input.bytes);
    }
    const bool ok = p->input.image || reach;
    free(reach);
    return ok;
}

/* A base may lie beside the operand. */
static flow_ref first_term(const struct flow *f, const struct flow_result *r)
{
    return r->base + f->delta[f->rows[r->row].first];
}

static void move(flow_ref *ref, unsigned space, uint64_t bytes)
{
    if (*ref != FLOW_NONE && flow_space(*ref) == space)
        *ref -= (flow_ref)bytes;
}

static uint64_t begin_of(struct range *r, uint64_t *elements)
{
    if (r->first > r->last)
        return 0;
    *elements = r->last - r->first + 1;
    return r->first;
}

bool plain_narrow(struct plain *p, struct plain_firsts *to)
{
    struct flow *f = &p->flow;
    struct range in = {UINT64_MAX, 0}, second = in, out = in;
    if (!find_input(p, &in))
        return false;
    for (size_t i = 0; i < f->result_count; i++) {
        take(&second, f->results[i].second, SLOT_EXTRA, p->second.bytes);
        take(&out, f->results[i].to, SLOT_OUTPUT, p->out_bytes);
    }
    to->in = begin_of(&in, &p->input.elements);
    to->second = begin_of(&second, &p->second.elements);
    to->out = begin_of(&out, &p->out_elements);
    for (uint64_t i = 0; p->input.image && i < p->input.image_elements; i++)
        p->input.image[i] -= p->input.image[i] & PLAIN_CONSTANT ? 0 : to->in;
    for (size_t i = 0; i < f->result_count; i++) {
        struct flow_result *r = &f->results[i];
        if (!p->input.image) {
            move(&r->add, SLOT_INPUT, to->in * p->input.bytes);
            if (f->rows[r->row].count && flow_space(first_term(f, r)) == SLOT_INPUT)
                r->base -= (flow_ref)(to->in * p->input.bytes);
        }
        move(&r->second, SLOT_EXTRA, to->second * p->second.bytes);
        move(&r->to, SLOT_OUTPUT, to->out * p->out_bytes);
    }
    if (!p->input.image)
        f->size[SLOT_INPUT] = p->input.elements * p->input.bytes;
    f->size[SLOT_EXTRA] = p->second.elements * p->second.bytes;
    return true;
}
