/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx_writing.h"

/* ---- numbers of columns ----------------------------------------------------------------------------- */

/* A number of each column, [1, columns]. */
static onnx_value by_column(const struct onnx_writing *w, int64_t (*of)(const struct flow_finish *))
{
    const int64_t dims[] = {1, (int64_t)w->group->column_count};
    for (size_t c = 0; c < w->group->column_count; c++)
        w->scratch[c] = of(onnx_finish_at(w, c));
    return onnx_constant(w->to, ONNX_INT64, w->scratch, dims, 2);
}

static int64_t bias_of(const struct flow_finish *f)
{
    return f->bias;
}
static int64_t multiplier_of(const struct flow_finish *f)
{
    return f->step.multiplier;
}
static int64_t low_of(const struct flow_finish *f)
{
    return f->step.low;
}
static int64_t high_of(const struct flow_finish *f)
{
    return f->step.high;
}
static int64_t shift_of(const struct flow_finish *f)
{
    return f->step.shift;
}

/* ---- finishes --------------------------------------------------------------------------------------- */

static onnx_value looked_up(const struct onnx_writing *w, onnx_value v)
{
    const int64_t dims[] = {256};
    int64_t table[256];
    for (unsigned i = 0; i < 256; i++)
        table[i] = (int8_t)w->plain->flow.tables[onnx_finish_at(w, 0)->table][i];
    v = onnx_two(w, "Mod", onnx_limited_to(w, v, INT8_MIN, INT8_MAX), onnx_int64(w, 256));
    return onnx_two(w, "Gather", onnx_constant(w->to, ONNX_INT64, table, dims, 1), v);
}

static onnx_value stepped(const struct onnx_writing *w, onnx_value v, const struct num_step *step, bool own)
{
    const size_t count = own ? w->group->column_count : 1;
    int64_t shift = step->shift;
    for (size_t c = 0; own && c < count; c++)
        w->scratch[c] = shift_of(onnx_finish_at(w, c));
    for (size_t c = 0; own && c < count; c++)
        shift = w->scratch[c] > shift ? w->scratch[c] : shift;
    if (num_scales(step->function) && shift > 62)
        return onnx_fail(w, "a shift of 63");
    if (num_scales(step->function)) {
        const struct onnx_divisors d = onnx_divisors_of(w, own ? w->scratch : &shift, count, step->rounding);
        v = onnx_scaled(w, v, own ? by_column(w, multiplier_of) : onnx_int64(w, step->multiplier), &d,
                        step->rounding);
        v = onnx_two(w, "Add", v, onnx_int64(w, step->zero));
    }
    if (step->function == NUM_RELU)
        v = onnx_two(w, "Max", v, onnx_int64(w, 0));
    else if (num_limits(step->function) || step->function == NUM_LOOKUP)
        v = onnx_limited(w, v, own ? by_column(w, low_of) : onnx_int64(w, step->low),
                         own ? by_column(w, high_of) : onnx_int64(w, step->high));
    else if (step->function != NUM_NONE && step->function != NUM_SUM && step->function != NUM_MAX)
        return onnx_fail(w, "a function that ONNX has not on integers");
    if (step->function == NUM_LOOKUP)
        v = looked_up(w, v);
    if (step->element <= NUM_INT16)
        v = onnx_limited_to(w, v, -(INT64_C(1) << (8 * (1 << step->element) - 1)),
                            (INT64_C(1) << (8 * (1 << step->element) - 1)) - 1);
    return v;
}

static onnx_value operand(const struct onnx_writing *w, onnx_value v, int64_t zero,
                          const struct num_operand *o, bool has_scale, enum num_rounding rounding)
{
    const int64_t shift = has_scale ? o->shift : 31;
    const struct onnx_divisors d = onnx_divisors_of(w, &shift, 1, rounding);
    v = onnx_two(w, "Mul", onnx_two(w, "Sub", v, onnx_int64(w, zero)), onnx_int64(w, INT64_C(1) << o->left));
    return onnx_scaled(w, v, onnx_int64(w, has_scale ? o->multiplier : 1 << 30), &d, rounding);
}

static onnx_value joined(const struct onnx_writing *w, onnx_value v, onnx_value second)
{
    const struct flow_finish *f = onnx_finish_at(w, 0);
    const int64_t first_zero = f->joining.alone ? f->scale.first_zero : 0;
    const enum num_rounding rounding = f->last.rounding == NUM_TWO_STEPS ? NUM_TWO_STEPS : NUM_HALVES_UP;
    if (f->joining.join == JOIN_MULTIPLY)
        return onnx_two(w, "Mul", onnx_two(w, "Sub", v, onnx_int64(w, first_zero)),
                        onnx_two(w, "Sub", second, onnx_int64(w, f->scale.second_zero)));
    if (w->group->second.kind.bytes > 1 || f->scale.scaled.shift > 62)
        return onnx_fail(w, "joins of 16 bits");
    v = operand(w, v, first_zero, &f->scale.scaled, f->scale.scale_first, rounding);
    second = operand(w, second, f->scale.second_zero, &f->scale.scaled, !f->scale.scale_first, rounding);
    return onnx_two(w, f->joining.join == JOIN_SUBTRACT ? "Sub" : "Add", v, second);
}

onnx_value onnx_finished(const struct onnx_writing *w, onnx_value v, onnx_value second)
{
    const struct flow_finish *f = onnx_finish_at(w, 0);
    const int64_t half = INT64_C(1) << (8 * (1 << f->element) - 1);
    v = onnx_two(w, "Add", onnx_cast(w->to, v, ONNX_INT64), by_column(w, bias_of));
    if (f->final && (f->own || !f->joins))
        v = stepped(w, v, &f->step, true);
    if (v && f->final && f->joins) {
        v = joined(w, v, second);
        v = v ? stepped(w, v, &f->last, false) : 0;
    }
    if (!v)
        return 0;
    if (f->element <= NUM_INT16)
        v = onnx_limited_to(w, v, -half, half - 1);
    if (f->no_sign)
        v = onnx_two(w, "Add", v, onnx_int64(w, half));
    return onnx_cast(
        w->to, v, w->group->to.space == FLOW_TEMPS ? ONNX_INT64 : onnx_type_of(1u << f->element, f->no_sign));
}
