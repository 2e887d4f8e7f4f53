/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx_writing.h"

#include <stdlib.h>

#define SUMS_MOST (INT64_C(1) << 30) /* of int32, with room for products */

/* Of products: results that others are made of are numbers of 64 bits. */
static enum onnx_type type_of(const struct form_group *g)
{
    return g->from.space == FLOW_TEMPS ? ONNX_INT64 : ONNX_INT32;
}

/* What of weights: they themselves, which are 0 at taps of other columns, or 1 for each that is there. */
enum of_weights { WEIGHTS, PRESENCE };

/* [columns, taps], or the other way round. */
static onnx_value weights(const struct onnx_writing *w, bool turned, enum of_weights what)
{
    const struct form_group *g = w->group;
    const struct flow *f = &w->plain->flow;
    const int64_t bytes = form_tap_bytes(g);
    const size_t all = g->column_count * g->tap_count;
    int64_t *list = calloc(all + 1, sizeof *list);
    const int64_t dims[] = {(int64_t)(turned ? g->tap_count : g->column_count),
                            (int64_t)(turned ? g->column_count : g->tap_count)};
    if (!list)
        return onnx_fail(w, "out of memory");
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0; i < row->count; i++) {
            const size_t t = form_tap_at(g, f->delta[row->first + i] / bytes - g->columns[c].shift);
            list[turned ? t * g->column_count + c : c * g->tap_count + t] =
                what == PRESENCE ? 1 : f->weight[row->first + i];
        }
    }
    const onnx_value v = onnx_constant(w->to, type_of(g), list, dims, 2);
    free(list);
    return v;
}
static bool same_base(const struct form_group *g)
{
    for (size_t c = 1; c < g->column_count; c++)
        if (g->columns[c].first[FORM_BASE] != g->columns[0].first[FORM_BASE])
            return false;
    return true;
}

static bool same_start(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    const struct flow_row *rows = w->plain->flow.rows;
    for (size_t c = 1; c < g->column_count; c++)
        if (rows[g->columns[c].row].start != rows[g->columns[0].row].start)
            return false;
    return true;
}

/* All columns multiply the same activations. */
static onnx_value product(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    const onnx_value base =
        onnx_two(w, "Add", onnx_places(w, FORM_BASE), onnx_int64(w, g->columns[0].first[FORM_BASE]));
    onnx_value x = onnx_elements_at(w, &g->from, onnx_two(w, "Add", base, onnx_taps(w)));
    x = onnx_two(w, "Sub", onnx_cast(w->to, x, ONNX_INT32),
                 onnx_number(w->to, ONNX_INT32, g->from.kind.zero));
    return onnx_two(w, "MatMul", x, weights(w, true, WEIGHTS));
}

static int64_t elements_of(const struct onnx_writing *w, const struct form_source *s)
{
    return s->space == FLOW_TEMPS ? (int64_t)w->plain->flow.temps
                                  : (int64_t)w->plain->flow.size[s->space] / s->kind.bytes;
}

/* Each column multiplies activations of its own, [batch, places, columns, taps]. */
static onnx_value products(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    const enum onnx_type type = type_of(g);
    const int64_t count = (int64_t)g->column_count, tap_count = (int64_t)g->tap_count, last[] = {3},
                  sums[] = {0, (int64_t)g->places, count}; /* 0: as it is */
    onnx_value place = onnx_two(w, "Add", onnx_places(w, FORM_BASE), onnx_columns(w, FORM_BASE));
    place = onnx_two(w, "Add", onnx_shaped(w, place, (int64_t)g->places, count, 1),
                     onnx_shaped(w, onnx_taps(w), 1, 1, tap_count));
    if (!g->inside) /* taps of other columns, with weights of 0 */
        place = onnx_limited_to(w, place, 0, elements_of(w, &g->from) - 1);
    onnx_value x = onnx_elements_at(w, &g->from, place);
    x = onnx_two(w, "Sub", onnx_cast(w->to, x, type), onnx_number(w->to, type, g->from.kind.zero));
    const onnx_value v =
        onnx_two(w, "Mul", x, onnx_shaped(w, weights(w, false, WEIGHTS), 1, count, tap_count));
    if (g->op == FLOW_SUM) {
        const int64_t dims[] = {1};
        return onnx_node(w->to, "ReduceSum", v, onnx_constant(w->to, ONNX_INT64, last, dims, 1), 0,
                         "keepdims", 0);
    }
    const onnx_value start = onnx_number(w->to, type, w->plain->flow.rows[g->columns[0].row].start),
                     none = onnx_number(w->to, type, 0);
    onnx_value counts = v;
    if (g->op != FLOW_MAX)
        counts = onnx_node(w->to, "Where", onnx_two(w, "Equal", x, none), start, counts, NULL, 0);
    if (!g->dense) { /* what others read is no candidate */
        const onnx_value there = onnx_shaped(w, weights(w, false, PRESENCE), 1, count, tap_count);
        counts = onnx_node(w->to, "Where", onnx_two(w, "Equal", there, none), start, counts, NULL, 0);
    }
    const onnx_value most = onnx_node(w->to, "ReduceMax", counts, 0, 0, "axes", 3);
    return onnx_two(w, "Max", onnx_listed(w->to, "Reshape", most, sums, 3), start);
}

/* Results of up to 48 bits, few enough that their sums fit 64. */
static bool results_fit(const struct flow *f, const struct form_group *g)
{
    bool fit = g->op == FLOW_SUM;
    for (size_t c = 0; fit && c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0; i < row->count; i++)
            fit = fit && f->weight[row->first + i] == 1;
        fit = fit && row->count < 4096;
    }
    return fit;
}

/* Whether sums fit 32 bits, as those of ONNX's products do. */
static bool sums_fit(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    const struct flow *f = &w->plain->flow;
    if (g->from.there && g->from.space == FLOW_TEMPS)
        return results_fit(f, g);
    const int64_t x = INT64_C(2) << (8 * (g->from.there ? g->from.kind.bytes : 1));
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        int64_t sum = llabs((long long)f->finishes[g->columns[c].finish].bias);
        for (uint32_t i = 0; i < row->count; i++)
            sum += llabs((long long)f->weight[row->first + i]) * x / 2;
        if (sum >= SUMS_MOST || f->finishes[g->columns[c].finish].acc_width < 32)
            return false;
    }
    return !g->from.there || g->from.kind.bytes <= 2;
}

onnx_value onnx_sums(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    if (!sums_fit(w))
        return onnx_fail(w, "sums that may not fit 32 bits");
    if (g->op != FLOW_SUM && !same_start(w))
        return onnx_fail(w, "maxima with several first candidates");
    if (!g->tap_count) { /* the bias alone */
        const onnx_value none = onnx_two(w, "Mul", onnx_places(w, FORM_BASE), onnx_int64(w, 0)),
                         v = onnx_node(w->to, "Gather", w->in, none, 0, "axis", 1);
        return onnx_two(w, "Mul", onnx_cast(w->to, v, ONNX_INT32), onnx_number(w->to, ONNX_INT32, 0));
    }
    return type_of(g) == ONNX_INT32 && g->op == FLOW_SUM && g->inside && same_base(g) ? product(w)
                                                                                      : products(w);
}
