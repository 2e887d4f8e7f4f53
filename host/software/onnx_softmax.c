/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx_writing.h"

static onnx_value times(const struct onnx_writing *w, onnx_value a, onnx_value b)
{
    const onnx_value v =
        onnx_floor_divide(w, onnx_two(w, "Add", onnx_two(w, "Mul", a, b), onnx_int64(w, INT64_C(1) << 30)),
                          onnx_int64(w, INT64_C(1) << 31));
    return onnx_limited_to(w, v, INT32_MIN, INT32_MAX);
}

static onnx_value powers(const struct onnx_writing *w, onnx_value exponent)
{
    int64_t list[63];
    const int64_t dims[] = {63};
    for (unsigned i = 0; i < 63; i++)
        list[i] = INT64_C(1) << i;
    return onnx_two(w, "Gather", onnx_constant(w->to, ONNX_INT64, list, dims, 1), exponent);
}

/* The reciprocal of sums, as share_of() of the C form; *headroom: by how much they are shorter than 32 bits.
 */
static onnx_value shares(const struct onnx_writing *w, onnx_value sum, onnx_value *headroom)
{
    const onnx_value bit = onnx_int64(w, INT64_C(1) << 31);
    *headroom = onnx_cast(w->to, onnx_two(w, "Less", sum, bit), ONNX_INT64);
    for (unsigned i = 1; i < 12; i++)
        *headroom = onnx_two(
            w, "Add", *headroom,
            onnx_cast(w->to, onnx_two(w, "Less", sum, onnx_int64(w, INT64_C(1) << (31 - i))), ONNX_INT64));
    onnx_value s = onnx_two(w, "Mul", sum, powers(w, *headroom));
    s = onnx_node(w->to, "Where", onnx_two(w, "Less", s, bit), onnx_two(w, "Add", s, bit), s, NULL, 0);
    const onnx_value half = onnx_two(w, "Div", s, onnx_int64(w, 2));
    onnx_value y = onnx_two(w, "Add", onnx_int64(w, 1515870810), times(w, half, onnx_int64(w, -1010580540)));
    for (unsigned i = 0; i < 3; i++) {
        const onnx_value rest = onnx_two(w, "Sub", onnx_int64(w, 1 << 29), times(w, half, y));
        y = onnx_two(w, "Add", y, onnx_two(w, "Mul", onnx_int64(w, 4), times(w, y, rest)));
    }
    return onnx_limited_to(w, onnx_two(w, "Mul", y, onnx_int64(w, 2)), INT32_MIN, INT32_MAX);
}

onnx_value onnx_softmax(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    const struct flow_finish *f = onnx_finish_at(w, 0);
    const int64_t dims[] = {256}, one[] = {1}, axis[] = {2}, half = INT64_C(1) << (8 * (1 << f->element) - 1);
    int64_t table[256];
    if (f->step.rounding != NUM_TWO_STEPS || f->step.shift < 32 || f->step.function != NUM_REQUANTISE)
        return onnx_fail(w, "softmax with another rounding");
    for (unsigned i = 0; i < 256; i++)
        table[i] = w->plain->flow.tables[f->table][i];
    const onnx_value base =
        onnx_two(w, "Add", onnx_places(w, FORM_BASE), onnx_int64(w, g->columns[0].first[FORM_BASE]));
    const onnx_value x =
        onnx_cast(w->to, onnx_elements_at(w, &g->from, onnx_two(w, "Add", base, onnx_taps(w))), ONNX_INT64);
    const onnx_value last = onnx_constant(w->to, ONNX_INT64, axis, one, 1);
    const onnx_value largest = onnx_node(w->to, "ReduceMax", x, 0, 0, "axes", axis[0]);
    const onnx_value e = onnx_two(w, "Gather", onnx_constant(w->to, ONNX_INT64, table, dims, 1),
                                  onnx_two(w, "Sub", largest, x));
    const onnx_value summands =
        onnx_two(w, "Div", onnx_two(w, "Add", e, onnx_int64(w, 2048)), onnx_int64(w, 4096));
    onnx_value headroom;
    const onnx_value sum = onnx_node(w->to, "ReduceSum", summands, last, 0, "keepdims", 1);
    const onnx_value share = shares(w, sum, &headroom);
    const onnx_value again = powers(
        w, onnx_two(w, "Min", onnx_two(w, "Sub", onnx_int64(w, (int64_t)f->step.shift + 12 - 31), headroom),
                    onnx_int64(w, 63 - 31)));
    onnx_value v = onnx_floor_divide(
        w, onnx_two(w, "Add", onnx_two(w, "Mul", e, share), onnx_int64(w, INT64_C(1) << 30)),
        onnx_int64(w, INT64_C(1) << 31));
    const onnx_value below = onnx_cast(w->to, onnx_two(w, "Less", v, onnx_int64(w, 0)), ONNX_INT64);
    v = onnx_two(w, "Add", v, onnx_two(w, "Sub", onnx_two(w, "Div", again, onnx_int64(w, 2)), below));
    v = onnx_two(w, "Add", onnx_floor_divide(w, v, again), onnx_int64(w, f->step.zero));
    v = onnx_limited_to(w, onnx_limited(w, v, onnx_int64(w, f->step.low), onnx_int64(w, f->step.high)), -half,
                        half - 1);
    if (f->no_sign)
        v = onnx_two(w, "Add", v, onnx_int64(w, half));
    return onnx_cast(w->to, v, onnx_type_of(1u << f->element, f->no_sign));
}
