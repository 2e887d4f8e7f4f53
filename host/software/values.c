/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/values.h"

#include <stdlib.h>
#include <string.h>

/* Room for so many elements at the pointer that is at `at`. */
static bool reserve(struct values *v, void *at, size_t *room, size_t wanted, size_t size)
{
    void *list;
    if (wanted <= *room)
        return true;
    memcpy(&list, at, sizeof list);
    list = realloc(list, (2 * wanted + 64) * size);
    v->flow->no_memory |= !list;
    if (!list)
        return false;
    memcpy(at, &list, sizeof list);
    *room = 2 * wanted + 64;
    return true;
}

bool values_refuse(struct values *v, const char *reason)
{
    if (!v->why->len)
        sb_add(v->why, reason);
    return false;
}

static uint32_t add(struct values *v, struct value value)
{
    if (!reserve(v, &v->list, &v->room, v->count + 1, sizeof *v->list))
        return VALUE_ZERO;
    v->list[v->count] = value;
    return (uint32_t)v->count++;
}

bool values_begin(struct values *v, struct flow *flow, unsigned acc_width, struct strbuf *why)
{
    *v = (struct values){.flow = flow, .acc_width = acc_width, .why = why};
    return values_restart(v);
}

bool values_restart(struct values *v)
{
    v->count = 0;
    add(v, (struct value){.kind = VALUE_CONSTANT});
    add(v, (struct value){.kind = VALUE_STALE});
    return !v->flow->no_memory;
}

static bool refuse_stale(struct values *v)
{
    return values_refuse(v, "numbers that the array keeps across a fence");
}

void values_free(struct values *v)
{
    free(v->list);
    free(v->source);
    free(v->weight);
    free(v->stack);
}

uint32_t value_constant(struct values *v, int64_t constant)
{
    constant = num_wrap(constant, v->acc_width);
    return constant ? add(v, (struct value){.kind = VALUE_CONSTANT, .at = constant}) : VALUE_ZERO;
}

uint32_t value_loaded(struct values *v, flow_ref element)
{
    return element & SOURCE_STALE ? VALUE_LEFT : add(v, (struct value){.kind = VALUE_LOADED, .at = element});
}

bool value_is_constant(const struct values *v, uint32_t value, int64_t *constant)
{
    *constant = v->list[value].at;
    return v->list[value].kind == VALUE_CONSTANT;
}

uint32_t value_sum(struct values *v, uint32_t a, uint32_t b)
{
    int64_t left, right;
    if (a == VALUE_ZERO || b == VALUE_ZERO)
        return a == VALUE_ZERO ? b : a;
    if (value_is_constant(v, a, &left) && value_is_constant(v, b, &right))
        return value_constant(v, (int64_t)((uint64_t)left + (uint64_t)right));
    return add(v, (struct value){.kind = VALUE_SUM, .a = a, .b = b});
}

uint32_t value_larger(struct values *v, uint32_t a, uint32_t b)
{
    int64_t left, right;
    if (value_is_constant(v, a, &left) && value_is_constant(v, b, &right))
        return left > right ? a : b;
    return add(v, (struct value){.kind = VALUE_LARGER, .a = a, .b = b});
}

uint32_t value_applied(struct values *v, const struct num_step *step, uint32_t of)
{
    int64_t constant;
    if (value_is_constant(v, of, &constant))
        return value_constant(v, num_apply(step, constant));
    const struct flow_finish finish = {
        .acc_width = v->acc_width, .final = 1, .step = *step, .element = NUM_INT64};
    return add(v, (struct value){.kind = VALUE_APPLIED, .a = of, .b = flow_finish(v->flow, &finish)});
}

/* ---- terms --------------------------------------------------------------------------------------- */

static bool put_term(struct values *v, int64_t source, int32_t weight)
{
    if (v->terms == v->term_room) {
        size_t room = v->term_room;
        if (!reserve(v, &v->source, &room, v->terms + 1, sizeof *v->source))
            return false;
        room = v->term_room;
        if (!reserve(v, &v->weight, &room, v->terms + 1, sizeof *v->weight))
            return false;
        v->term_room = room;
    }
    v->source[v->terms] = source;
    v->weight[v->terms++] = weight;
    return true;
}

struct term {
    int64_t source;
    int32_t weight;
};

static int by_source(const void *a, const void *b)
{
    const struct term *x = a, *y = b;
    return x->source < y->source ? -1 : x->source > y->source;
}

/* In the order of their sources; of sums, each source once. */
static bool sort_terms(struct values *v, bool sums)
{
    size_t n = 1;
    while (n < v->terms && v->source[n - 1] < v->source[n])
        n++;
    if (n >= v->terms)
        return true;
    struct term *list = malloc(v->terms * sizeof *list);
    v->flow->no_memory |= !list;
    if (!list)
        return false;
    for (size_t i = 0; i < v->terms; i++)
        list[i] = (struct term){v->source[i], v->weight[i]};
    qsort(list, v->terms, sizeof *list, by_source);
    n = 0;
    for (size_t i = 0; i < v->terms; i++) {
        if (n && v->source[n - 1] == list[i].source && (sums || v->weight[n - 1] == list[i].weight)) {
            v->weight[n - 1] += sums ? list[i].weight : 0;
            continue;
        }
        v->source[n] = list[i].source;
        v->weight[n++] = list[i].weight;
    }
    v->terms = n;
    free(list);
    return true;
}

static uint32_t row_of_terms(struct values *v, enum flow_op op, int64_t start, int64_t base)
{
    if (!sort_terms(v, op == FLOW_SUM))
        return 0;
    for (size_t i = 0; i < v->terms; i++)
        v->source[i] -= base;
    return flow_row(v->flow, op, start, v->source, v->weight, (uint32_t)v->terms);
}

/* ---- multiplications ------------------------------------------------------------------------------ */

/* Whether all activations count in a maximum, or none of the zeros does; what constants are is known. */
static bool counts_alike(struct values *v, unsigned *seen, int64_t source)
{
    *seen |= source & SOURCE_COUNTS ? 1 : 2;
    return *seen != 3 || values_refuse(v, "a maximum of activations of which some count although they are 0");
}

uint32_t value_dot(struct values *v, const uint16_t *position, const int16_t *weight, size_t count,
                   const int64_t *input, uint32_t address, uint32_t wrap, bool maximum)
{
    int64_t constant = maximum ? num_maximum_of_nothing(v->flow->data_width) : 0;
    unsigned seen = 0;
    v->terms = 0;
    for (size_t e = 0; e < count; e++) {
        uint32_t at = address + position[e];
        const int64_t source = input[at - (at >= wrap ? wrap : 0)];
        if (source & SOURCE_STALE && !weight[e] && !maximum)
            continue;
        if (source & SOURCE_STALE && !refuse_stale(v))
            return VALUE_ZERO;
        if (!(source & SOURCE_CONSTANT)) {
            if ((maximum && !counts_alike(v, &seen, source)) ||
                !put_term(v, source & ~SOURCE_COUNTS, weight[e]))
                return VALUE_ZERO;
            continue;
        }
        const int64_t product = (int64_t)weight[e] * (int32_t)(uint32_t)source;
        const bool counts = product || source & SOURCE_COUNTS || (uint32_t)source;
        if (!maximum)
            constant += product;
        else if (counts && product > constant)
            constant = product;
    }
    const int64_t first = input[address - (address >= wrap ? wrap : 0)];
    const int64_t base = !(first & (SOURCE_CONSTANT | SOURCE_STALE)) ? first & ~SOURCE_COUNTS
                         : v->terms                                  ? v->source[0]
                                                                     : 0;
    if (maximum) {
        const enum flow_op op = seen == 2 ? FLOW_MAX_NONZERO : FLOW_MAX;
        return add(
            v, (struct value){.kind = VALUE_MAXIMUM, .a = row_of_terms(v, op, constant, base), .at = base});
    }
    const uint32_t rest = value_constant(v, constant);
    if (!v->terms && !base)
        return rest;
    const uint32_t row = row_of_terms(v, FLOW_SUM, 0, base);
    return value_sum(v, add(v, (struct value){.kind = VALUE_DOT, .a = row, .at = base}), rest);
}

/* ---- results --------------------------------------------------------------------------------------- */

static bool push(struct values *v, uint32_t value)
{
    if (!reserve(v, &v->stack, &v->stack_room, v->depth + 1, sizeof *v->stack))
        return false;
    v->stack[v->depth++] = value;
    return true;
}

static flow_ref temp_ref(struct values *v, uint32_t temp)
{
    const unsigned kind = flow_kind(v->flow, (struct flow_kind){.bytes = 8});
    return flow_ref_of(kind, FLOW_TEMPS, (uint64_t)(temp - 1) * 8);
}

bool values_as_result(struct values *v, uint32_t value, flow_ref *ref)
{
    if (!v->list[value].temp) {
        /* A stack and terms of its own: those of the caller are in use. */
        struct values inner = *v;
        inner.stack = NULL;
        inner.source = NULL;
        inner.weight = NULL;
        inner.terms = inner.term_room = inner.depth = inner.stack_room = 0;
        struct flow_finish finish = {.acc_width = v->acc_width, .element = NUM_INT64};
        struct flow_result result = {.add = FLOW_NONE, .second = FLOW_NONE};
        const bool ok = values_resolve(&inner, &value, 1, &finish, &result);
        free(inner.stack);
        free(inner.source);
        free(inner.weight);
        v->list = inner.list;
        v->count = inner.count;
        v->room = inner.room;
        if (!ok)
            return false;
        result.finish = flow_finish(v->flow, &finish);
        v->list[value].temp = (uint32_t)++v->flow->temps;
        result.to = temp_ref(v, v->list[value].temp);
        flow_put(v->flow, &result);
    }
    *ref = temp_ref(v, v->list[value].temp);
    return true;
}

static bool copy_row(struct values *v, uint32_t row, int64_t base)
{
    const struct flow_row *r = &v->flow->rows[row];
    for (uint32_t i = 0; i < r->count; i++)
        if (!put_term(v, base + v->flow->delta[r->first + i], v->flow->weight[r->first + i]))
            return false;
    return true;
}

/* The largest of values: rows are taken together where they are of one kind. */
static bool resolve_maximum(struct values *v, uint32_t value, struct flow_result *to)
{
    enum flow_op op = FLOW_OPS;
    int64_t start = INT64_MIN, base = FLOW_NONE;
    v->terms = v->depth = 0;
    if (!push(v, value))
        return false;
    while (v->depth) {
        const struct value of = v->list[v->stack[--v->depth]];
        const enum flow_op own = of.kind == VALUE_MAXIMUM ? v->flow->rows[of.a].op : FLOW_MAX;
        flow_ref ref = 0;
        if (of.kind == VALUE_LARGER) {
            if (!push(v, of.b) || !push(v, of.a))
                return false;
        } else if (of.kind == VALUE_CONSTANT) {
            start = of.at > start ? of.at : start;
        } else if (of.kind == VALUE_MAXIMUM && (op == FLOW_OPS || op == own)) {
            op = own;
            start = v->flow->rows[of.a].start > start ? v->flow->rows[of.a].start : start;
            base = base == FLOW_NONE ? of.at : base;
            if (!copy_row(v, of.a, of.at))
                return false;
        } else {
            if ((op != FLOW_OPS && op != FLOW_MAX) || !values_as_result(v, v->stack[v->depth], &ref))
                return values_refuse(v, "a maximum of sums and of activations that are not zeros");
            op = FLOW_MAX;
            base = base == FLOW_NONE ? ref : base;
            if (!put_term(v, ref, 1))
                return false;
        }
    }
    to->base = base == FLOW_NONE ? 0 : base;
    to->row = row_of_terms(v, op == FLOW_OPS ? FLOW_MAX : op, start, to->base);
    return !v->flow->no_memory;
}

/* A sum while its parts are found. */
struct parts {
    uint32_t row;
    int64_t base, constant;
    bool whole; /* `row` is all there is so far */
    bool any;
    flow_ref add;
};

static bool put_ref(struct values *v, struct parts *p, flow_ref ref)
{
    if (p->whole && p->any && !copy_row(v, p->row, p->base))
        return false;
    p->whole = false;
    p->base = p->any ? p->base : ref;
    p->any = true;
    return put_term(v, ref, 1);
}

static bool put_part(struct values *v, struct parts *p, uint32_t value)
{
    const struct value of = v->list[value];
    flow_ref ref;
    switch (of.kind) {
    case VALUE_STALE:
        return refuse_stale(v);
    case VALUE_SUM:
        return push(v, of.b) && push(v, of.a);
    case VALUE_CONSTANT:
        p->constant = (int64_t)((uint64_t)p->constant + (uint64_t)of.at);
        return true;
    case VALUE_LOADED:
        if (p->add != FLOW_NONE)
            return put_ref(v, p, of.at);
        p->add = of.at;
        return true;
    case VALUE_DOT:
        if (!p->any) {
            *p = (struct parts){.row = of.a,
                                .base = of.at,
                                .constant = p->constant,
                                .whole = true,
                                .any = true,
                                .add = p->add};
            return true;
        }
        if (p->whole && !copy_row(v, p->row, p->base))
            return false;
        p->whole = false;
        return copy_row(v, of.a, of.at);
    default:
        return values_as_result(v, value, &ref) && put_ref(v, p, ref);
    }
}

static bool resolve_sum(struct values *v, const uint32_t *of, size_t count, struct flow_finish *finish,
                        struct flow_result *to)
{
    struct parts p = {.add = FLOW_NONE};
    v->terms = v->depth = 0;
    for (size_t i = count; i-- > 0;)
        if (!push(v, of[i]))
            return false;
    while (v->depth)
        if (!put_part(v, &p, v->stack[--v->depth]))
            return false;
    to->add = p.add;
    to->base = p.base;
    finish->bias = num_wrap((int64_t)((uint64_t)finish->bias + (uint64_t)p.constant), v->acc_width);
    to->row = p.any && p.whole ? p.row : row_of_terms(v, FLOW_SUM, 0, p.base);
    return !v->flow->no_memory;
}

bool values_resolve(struct values *v, const uint32_t *of, size_t count, struct flow_finish *finish,
                    struct flow_result *to)
{
    uint32_t only = VALUE_ZERO, some = 0;
    for (size_t i = 0; i < count; i++)
        if (of[i] != VALUE_ZERO) {
            only = of[i];
            some++;
        }
    const struct value *one = &v->list[only];
    if (some == 1 && one->kind == VALUE_APPLIED && !finish->final && !finish->bias &&
        finish->element == NUM_INT64) {
        *finish = v->flow->finishes[one->b];
        return values_resolve(v, &one->a, 1, finish, to);
    }
    if (some == 1 && (one->kind == VALUE_MAXIMUM || one->kind == VALUE_LARGER))
        return resolve_maximum(v, only, to);
    return resolve_sum(v, of, count, finish, to);
}
