/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx.h"

#include <stdlib.h>
#include <string.h>

#define SUMS_MOST (INT64_C(1) << 30) /* of int32, with room for products */

struct writing {
    struct onnx *to;
    const struct plain *plain;
    const struct form_group *group;
    onnx_value in, second;
    struct strbuf *why;
    int64_t *scratch; /* room for numbers of places, columns, or taps */
};

static onnx_value fail(const struct writing *w, const char *why)
{
    if (!w->why->len)
        sb_add(w->why, why);
    return 0;
}

enum onnx_type onnx_type_of(unsigned bytes, bool no_sign)
{
    return bytes == 1   ? no_sign ? ONNX_UINT8 : ONNX_INT8
           : bytes == 2 ? no_sign ? ONNX_UINT16 : ONNX_INT16
           : bytes == 4 ? ONNX_INT32
                        : ONNX_INT64;
}

static onnx_value two(const struct writing *w, const char *op, onnx_value a, onnx_value b)
{
    return onnx_node(w->to, op, a, b, 0, NULL, 0);
}

static onnx_value number(const struct writing *w, int64_t value)
{
    return onnx_number(w->to, ONNX_INT64, value);
}

/* ---- numbers of columns ----------------------------------------------------------------------------- */

static const struct flow_finish *finish_at(const struct writing *w, size_t column)
{
    return &w->plain->flow.finishes[w->group->columns[column].finish];
}

/* A number of each column, [1, columns]. */
static onnx_value by_column(const struct writing *w, int64_t (*of)(const struct flow_finish *))
{
    const int64_t dims[] = {1, (int64_t)w->group->column_count};
    for (size_t c = 0; c < w->group->column_count; c++)
        w->scratch[c] = of(finish_at(w, c));
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

/* Powers of two of a shift, or of its two steps. */
static int64_t first_of(int64_t shift)
{
    return INT64_C(1) << (shift > 31 ? 31 : shift);
}
static int64_t second_of(int64_t shift)
{
    return INT64_C(1) << (shift > 31 ? shift - 31 : 0);
}

/* ---- arithmetic ------------------------------------------------------------------------------------- */

/* a / b towards minus infinity; b is above 0. */
static onnx_value floor_divide(const struct writing *w, onnx_value a, onnx_value b)
{
    return two(w, "Div", two(w, "Sub", a, two(w, "Mod", a, b)), b);
}

static onnx_value limited(const struct writing *w, onnx_value v, onnx_value low, onnx_value high)
{
    const onnx_value below = two(w, "Less", v, low);
    return onnx_node(w->to, "Where", below, low, two(w, "Min", v, high), NULL, 0);
}

static onnx_value limited_to(const struct writing *w, onnx_value v, int64_t low, int64_t high)
{
    return two(w, "Max", two(w, "Min", v, number(w, high)), number(w, low));
}

/* What a scale needs of its shifts: divisors, their halves, and where a second step is. */
struct divisors {
    onnx_value all, half, is_there, first, first_half, second, second_half, again;
};

static onnx_value divisor(const struct writing *w, const int64_t *shifts, size_t count, unsigned which)
{
    const int64_t dims[] = {1, (int64_t)count};
    int64_t *list = w->scratch + w->group->column_count;
    for (size_t i = 0; i < count; i++) {
        const int64_t s = shifts[i], all = INT64_C(1) << s, first = first_of(s), second = second_of(s);
        const int64_t of[] = {all,
                              s ? all / 2 : 0,
                              s != 0,
                              first,
                              first > 1 ? first / 2 : 0,
                              second,
                              second > 1 ? second / 2 : 0,
                              second > 1};
        list[i] = of[which];
    }
    return onnx_constant(w->to, ONNX_INT64, list, dims, 2);
}

static struct divisors divisors_of(const struct writing *w, const int64_t *shifts, size_t count,
                                   enum num_rounding rounding)
{
    static const bool used[][8] = {[NUM_HALVES_UP] = {true, true},
                                   [NUM_HALVES_TO_EVEN] = {true, true, true},
                                   [NUM_TWO_STEPS] = {false, false, false, true, true, true, true, true}};
    onnx_value v[8];
    for (unsigned i = 0; i < 8; i++)
        v[i] = used[rounding][i] ? divisor(w, shifts, count, i) : 0;
    return (struct divisors){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

static onnx_value scaled(const struct writing *w, onnx_value v, onnx_value multiplier,
                         const struct divisors *d, enum num_rounding rounding)
{
    const onnx_value product = two(w, "Mul", v, multiplier);
    if (rounding == NUM_HALVES_UP)
        return floor_divide(w, two(w, "Add", product, d->half), d->all);
    if (rounding == NUM_HALVES_TO_EVEN) {
        const onnx_value even =
            two(w, "Sub", number(w, 1), two(w, "Mod", floor_divide(w, product, d->all), number(w, 2)));
        const onnx_value half = two(w, "Sub", d->half, two(w, "Mul", even, d->is_there));
        return floor_divide(w, two(w, "Add", product, half), d->all);
    }
    const onnx_value first = floor_divide(w, two(w, "Add", product, d->first_half), d->first);
    const onnx_value below = onnx_cast(w->to, two(w, "Less", first, number(w, 0)), ONNX_INT64);
    const onnx_value half = two(w, "Sub", d->second_half, two(w, "Mul", below, d->again));
    return floor_divide(w, two(w, "Add", first, half), d->second);
}

/* ---- finishes --------------------------------------------------------------------------------------- */

static onnx_value looked_up(const struct writing *w, onnx_value v)
{
    const int64_t dims[] = {256};
    int64_t table[256];
    for (unsigned i = 0; i < 256; i++)
        table[i] = (int8_t)w->plain->flow.tables[finish_at(w, 0)->table][i];
    v = two(w, "Mod", limited_to(w, v, INT8_MIN, INT8_MAX), number(w, 256));
    return two(w, "Gather", onnx_constant(w->to, ONNX_INT64, table, dims, 1), v);
}

static onnx_value stepped(const struct writing *w, onnx_value v, const struct num_step *step, bool own)
{
    const size_t count = own ? w->group->column_count : 1;
    int64_t shift = step->shift;
    for (size_t c = 0; own && c < count; c++)
        w->scratch[c] = shift_of(finish_at(w, c));
    for (size_t c = 0; own && c < count; c++)
        shift = w->scratch[c] > shift ? w->scratch[c] : shift;
    if (num_scales(step->function) && shift > 62)
        return fail(w, "a shift of 63");
    if (num_scales(step->function)) {
        const struct divisors d = divisors_of(w, own ? w->scratch : &shift, count, step->rounding);
        v = scaled(w, v, own ? by_column(w, multiplier_of) : number(w, step->multiplier), &d, step->rounding);
        v = two(w, "Add", v, number(w, step->zero));
    }
    if (step->function == NUM_RELU)
        v = two(w, "Max", v, number(w, 0));
    else if (num_limits(step->function) || step->function == NUM_LOOKUP)
        v = limited(w, v, own ? by_column(w, low_of) : number(w, step->low),
                    own ? by_column(w, high_of) : number(w, step->high));
    else if (step->function != NUM_NONE && step->function != NUM_SUM && step->function != NUM_MAX)
        return fail(w, "a function that ONNX has not on integers");
    if (step->function == NUM_LOOKUP)
        v = looked_up(w, v);
    if (step->element <= NUM_INT16)
        v = limited_to(w, v, -(INT64_C(1) << (8 * (1 << step->element) - 1)),
                       (INT64_C(1) << (8 * (1 << step->element) - 1)) - 1);
    return v;
}

static onnx_value operand(const struct writing *w, onnx_value v, int64_t zero, const struct num_operand *o,
                          bool has_scale, enum num_rounding rounding)
{
    const int64_t shift = has_scale ? o->shift : 31;
    const struct divisors d = divisors_of(w, &shift, 1, rounding);
    v = two(w, "Mul", two(w, "Sub", v, number(w, zero)), number(w, INT64_C(1) << o->left));
    return scaled(w, v, number(w, has_scale ? o->multiplier : 1 << 30), &d, rounding);
}

static onnx_value joined(const struct writing *w, onnx_value v, onnx_value second)
{
    const struct flow_finish *f = finish_at(w, 0);
    const int64_t first_zero = f->joining.alone ? f->scale.first_zero : 0;
    const enum num_rounding rounding = f->last.rounding == NUM_TWO_STEPS ? NUM_TWO_STEPS : NUM_HALVES_UP;
    if (f->joining.join == JOIN_MULTIPLY)
        return two(w, "Mul", two(w, "Sub", v, number(w, first_zero)),
                   two(w, "Sub", second, number(w, f->scale.second_zero)));
    if (w->group->second.kind.bytes > 1 || f->scale.scaled.shift > 62)
        return fail(w, "joins of 16 bits");
    v = operand(w, v, first_zero, &f->scale.scaled, f->scale.scale_first, rounding);
    second = operand(w, second, f->scale.second_zero, &f->scale.scaled, !f->scale.scale_first, rounding);
    return two(w, f->joining.join == JOIN_SUBTRACT ? "Sub" : "Add", v, second);
}

static onnx_value finished(const struct writing *w, onnx_value v, onnx_value second)
{
    const struct flow_finish *f = finish_at(w, 0);
    const int64_t half = INT64_C(1) << (8 * (1 << f->element) - 1);
    v = two(w, "Add", onnx_cast(w->to, v, ONNX_INT64), by_column(w, bias_of));
    if (f->final && (f->own || !f->joins))
        v = stepped(w, v, &f->step, true);
    if (v && f->final && f->joins) {
        v = joined(w, v, second);
        v = v ? stepped(w, v, &f->last, false) : 0;
    }
    if (!v)
        return 0;
    if (f->element <= NUM_INT16)
        v = limited_to(w, v, -half, half - 1);
    if (f->no_sign)
        v = two(w, "Add", v, number(w, half));
    return onnx_cast(w->to, v, onnx_type_of(1u << f->element, f->no_sign));
}

/* ---- operands --------------------------------------------------------------------------------------- */

/* A number of all places, in the order of their loops. */
static void list_places(const struct writing *w, enum form_number which)
{
    uint64_t at = 0;
    for (size_t i = 0; i < w->group->nest_count; i++) {
        const struct form_nest *nest = &w->group->nests[i];
        uint64_t size = 1;
        for (unsigned d = 0; d < nest->depth; d++)
            size *= nest->axis[d].count;
        for (uint64_t p = 0; p < size; p++, at++) {
            uint64_t left = p;
            w->scratch[at] = nest->first[which];
            for (unsigned d = 0; d < nest->depth; left /= nest->axis[d++].count)
                w->scratch[at] += (int64_t)(left % nest->axis[d].count) * nest->axis[d].step[which];
        }
    }
}

/* As [places, 1]. */
static onnx_value of_places(const struct writing *w, enum form_number which)
{
    const int64_t dims[] = {(int64_t)w->group->places, 1};
    list_places(w, which);
    return onnx_constant(w->to, ONNX_INT64, w->scratch, dims, 2);
}

static onnx_value of_columns(const struct writing *w, enum form_number which)
{
    const int64_t dims[] = {1, (int64_t)w->group->column_count};
    for (size_t c = 0; c < w->group->column_count; c++)
        w->scratch[c] = w->group->columns[c].first[which];
    return onnx_constant(w->to, ONNX_INT64, w->scratch, dims, 2);
}

static onnx_value source(const struct writing *w, const struct form_source *s)
{
    return s->space == SLOT_EXTRA ? w->second : w->in;
}

/* An element for each result, less its zero point. */
static onnx_value elements(const struct writing *w, const struct form_source *s, enum form_number which)
{
    const onnx_value places = two(w, "Add", of_places(w, which), of_columns(w, which));
    const onnx_value v = onnx_cast(w->to, two(w, "Gather", source(w, s), places), ONNX_INT64);
    return two(w, "Sub", v, number(w, s->kind.zero));
}

static bool same_base(const struct form_group *g)
{
    for (size_t c = 1; c < g->column_count; c++)
        if (g->columns[c].first[FORM_BASE] != g->columns[0].first[FORM_BASE])
            return false;
    return true;
}

static onnx_value shaped(const struct writing *w, onnx_value v, int64_t a, int64_t b, int64_t c)
{
    const int64_t shape[] = {a, b, c};
    return onnx_listed(w->to, "Reshape", v, shape, c ? 3 : 2);
}

static onnx_value taps(const struct writing *w)
{
    const int64_t dims[] = {1, (int64_t)w->group->tap_count};
    return onnx_constant(w->to, ONNX_INT64, w->group->taps, dims, 2);
}

/* Weights, [columns, taps], or the other way round. */
static onnx_value weights(const struct writing *w, bool turned)
{
    const struct form_group *g = w->group;
    const struct flow *f = &w->plain->flow;
    const int64_t bytes = g->from.kind.bytes;
    const size_t all = g->column_count * g->tap_count;
    int64_t *list = calloc(all + 1, sizeof *list);
    const int64_t dims[] = {(int64_t)(turned ? g->tap_count : g->column_count),
                            (int64_t)(turned ? g->column_count : g->tap_count)};
    if (!list)
        return fail(w, "out of memory");
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0, t = 0; i < row->count; i++) {
            while (g->taps[t] != f->delta[row->first + i] / bytes - g->columns[c].shift)
                t++;
            list[turned ? t * g->column_count + c : c * g->tap_count + t] = f->weight[row->first + i];
        }
    }
    const onnx_value v = onnx_constant(w->to, ONNX_INT32, list, dims, 2);
    free(list);
    return v;
}

/* ---- sums ------------------------------------------------------------------------------------------- */

/* All columns multiply the same activations. */
static onnx_value product(const struct writing *w)
{
    const struct form_group *g = w->group;
    const onnx_value base = two(w, "Add", of_places(w, FORM_BASE), number(w, g->columns[0].first[FORM_BASE]));
    onnx_value x = two(w, "Gather", source(w, &g->from), two(w, "Add", base, taps(w)));
    x = two(w, "Sub", onnx_cast(w->to, x, ONNX_INT32), onnx_number(w->to, ONNX_INT32, g->from.kind.zero));
    return two(w, "MatMul", x, weights(w, true));
}

/* Each column multiplies activations of its own, [places, columns, taps]. */
static onnx_value products(const struct writing *w)
{
    const struct form_group *g = w->group;
    const int64_t count = (int64_t)g->column_count, tap_count = (int64_t)g->tap_count, last[] = {2};
    onnx_value place = two(w, "Add", of_places(w, FORM_BASE), of_columns(w, FORM_BASE));
    place =
        two(w, "Add", shaped(w, place, (int64_t)g->places, count, 1), shaped(w, taps(w), 1, 1, tap_count));
    if (!g->inside) /* taps of other columns, with weights of 0 */
        place = limited_to(w, place, 0, (int64_t)w->plain->flow.size[g->from.space] / g->from.kind.bytes - 1);
    onnx_value x = two(w, "Gather", source(w, &g->from), place);
    x = two(w, "Sub", onnx_cast(w->to, x, ONNX_INT32), onnx_number(w->to, ONNX_INT32, g->from.kind.zero));
    const onnx_value v = two(w, "Mul", x, shaped(w, weights(w, false), 1, count, tap_count));
    if (g->op == FLOW_SUM) {
        const int64_t dims[] = {1};
        return onnx_node(w->to, "ReduceSum", v, onnx_constant(w->to, ONNX_INT64, last, dims, 1), 0,
                         "keepdims", 0);
    }
    const onnx_value start = onnx_number(w->to, ONNX_INT32, w->plain->flow.rows[g->columns[0].row].start);
    const onnx_value counts =
        g->op == FLOW_MAX ? v
                          : onnx_node(w->to, "Where", two(w, "Equal", x, onnx_number(w->to, ONNX_INT32, 0)),
                                      start, v, NULL, 0);
    const onnx_value most = onnx_node(w->to, "ReduceMax", counts, 0, 0, "axes", 2);
    return two(w, "Max", shaped(w, most, (int64_t)g->places, count, 0), start);
}

/* Whether sums fit 32 bits, as those of ONNX's products do. */
static bool sums_fit(const struct writing *w)
{
    const struct form_group *g = w->group;
    const struct flow *f = &w->plain->flow;
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

/* ---- softmax ---------------------------------------------------------------------------------------- */

static onnx_value times(const struct writing *w, onnx_value a, onnx_value b)
{
    const onnx_value v = floor_divide(w, two(w, "Add", two(w, "Mul", a, b), number(w, INT64_C(1) << 30)),
                                      number(w, INT64_C(1) << 31));
    return limited_to(w, v, INT32_MIN, INT32_MAX);
}

static onnx_value powers(const struct writing *w, onnx_value exponent)
{
    int64_t list[63];
    const int64_t dims[] = {63};
    for (unsigned i = 0; i < 63; i++)
        list[i] = INT64_C(1) << i;
    return two(w, "Gather", onnx_constant(w->to, ONNX_INT64, list, dims, 1), exponent);
}

/* The reciprocal of sums, as share_of() of the C form; *headroom: by how much they are shorter than 32 bits.
 */
static onnx_value shares(const struct writing *w, onnx_value sum, onnx_value *headroom)
{
    const onnx_value bit = number(w, INT64_C(1) << 31);
    *headroom = onnx_cast(w->to, two(w, "Less", sum, bit), ONNX_INT64);
    for (unsigned i = 1; i < 12; i++)
        *headroom = two(w, "Add", *headroom,
                        onnx_cast(w->to, two(w, "Less", sum, number(w, INT64_C(1) << (31 - i))), ONNX_INT64));
    onnx_value s = two(w, "Mul", sum, powers(w, *headroom));
    s = onnx_node(w->to, "Where", two(w, "Less", s, bit), two(w, "Add", s, bit), s, NULL, 0);
    const onnx_value half = two(w, "Div", s, number(w, 2));
    onnx_value y = two(w, "Add", number(w, 1515870810), times(w, half, number(w, -1010580540)));
    for (unsigned i = 0; i < 3; i++) {
        const onnx_value rest = two(w, "Sub", number(w, 1 << 29), times(w, half, y));
        y = two(w, "Add", y, two(w, "Mul", number(w, 4), times(w, y, rest)));
    }
    return limited_to(w, two(w, "Mul", y, number(w, 2)), INT32_MIN, INT32_MAX);
}

static onnx_value softmax(const struct writing *w)
{
    const struct form_group *g = w->group;
    const struct flow_finish *f = finish_at(w, 0);
    const int64_t dims[] = {256}, one[] = {1}, half = INT64_C(1) << (8 * (1 << f->element) - 1);
    int64_t table[256];
    if (f->step.rounding != NUM_TWO_STEPS || f->step.shift < 32 || f->step.function != NUM_REQUANTISE)
        return fail(w, "softmax with another rounding");
    for (unsigned i = 0; i < 256; i++)
        table[i] = w->plain->flow.tables[f->table][i];
    const onnx_value base = two(w, "Add", of_places(w, FORM_BASE), number(w, g->columns[0].first[FORM_BASE]));
    const onnx_value x =
        onnx_cast(w->to, two(w, "Gather", source(w, &g->from), two(w, "Add", base, taps(w))), ONNX_INT64);
    const onnx_value first = onnx_constant(w->to, ONNX_INT64, one, one, 1);
    const onnx_value largest = onnx_node(w->to, "ReduceMax", x, 0, 0, "axes", 1);
    const onnx_value e =
        two(w, "Gather", onnx_constant(w->to, ONNX_INT64, table, dims, 1), two(w, "Sub", largest, x));
    const onnx_value summands = two(w, "Div", two(w, "Add", e, number(w, 2048)), number(w, 4096));
    onnx_value headroom;
    const onnx_value sum = onnx_node(w->to, "ReduceSum", summands, first, 0, "keepdims", 1);
    const onnx_value share = shares(w, sum, &headroom);
    const onnx_value again =
        powers(w, two(w, "Min", two(w, "Sub", number(w, (int64_t)f->step.shift + 12 - 31), headroom),
                      number(w, 63 - 31)));
    onnx_value v = floor_divide(w, two(w, "Add", two(w, "Mul", e, share), number(w, INT64_C(1) << 30)),
                                number(w, INT64_C(1) << 31));
    const onnx_value below = onnx_cast(w->to, two(w, "Less", v, number(w, 0)), ONNX_INT64);
    v = two(w, "Add", v, two(w, "Sub", two(w, "Div", again, number(w, 2)), below));
    v = two(w, "Add", floor_divide(w, v, again), number(w, f->step.zero));
    v = limited_to(w, limited(w, v, number(w, f->step.low), number(w, f->step.high)), -half, half - 1);
    if (f->no_sign)
        v = two(w, "Add", v, number(w, half));
    return onnx_cast(w->to, v, onnx_type_of(1u << f->element, f->no_sign));
}

/* ---- groups ----------------------------------------------------------------------------------------- */

/* Where the group's results go, in their order. */
static void put_places(const struct writing *w, int64_t *from, int64_t first)
{
    const struct form_group *g = w->group;
    const uint64_t width = g->op == FLOW_SOFTMAX ? g->tap_count : g->column_count;
    list_places(w, FORM_TO);
    for (uint64_t p = 0; p < g->places; p++)
        for (uint64_t c = 0; c < width; c++) {
            const int64_t column = g->op == FLOW_SOFTMAX ? g->columns[0].first[FORM_TO] + (int64_t)c
                                                         : g->columns[c].first[FORM_TO];
            from[w->scratch[p] + column] = first + (int64_t)(p * width + c);
        }
}

static onnx_value group(const struct writing *w)
{
    const struct form_group *g = w->group;
    onnx_value v;
    if (g->op == FLOW_SOFTMAX)
        return softmax(w);
    if (!sums_fit(w))
        return fail(w, "sums that may not fit 32 bits");
    if (!g->tap_count)
        v = two(w, "Add", onnx_cast(w->to, of_places(w, FORM_BASE), ONNX_INT32),
                onnx_number(w->to, ONNX_INT32, 0));
    else
        v = g->op == FLOW_SUM && g->inside && same_base(g) ? product(w) : products(w);
    if (!g->tap_count)
        v = two(w, "Mul", v, onnx_number(w->to, ONNX_INT32, 0));
    if (g->add.there)
        v = two(w, "Add", onnx_cast(w->to, v, ONNX_INT64), elements(w, &g->add, FORM_ADD));
    return v ? finished(w, v, g->second.there ? elements(w, &g->second, FORM_SECOND) : 0) : 0;
}

/* The tensor with its border. */
static onnx_value image(const struct writing *w, onnx_value in, bool no_sign)
{
    const struct plain_operand *o = &w->plain->input;
    const int64_t dims[] = {(int64_t)o->image_elements}, one[] = {1};
    int64_t *list = malloc((o->image_elements + 1) * sizeof *list), border = 0;
    if (!list)
        return fail(w, "out of memory");
    for (uint64_t i = 0; i < o->image_elements; i++) {
        const bool constant = o->image[i] >> 63;
        border = constant ? (int64_t)(o->image[i] & ~PLAIN_CONSTANT) : border;
        list[i] = constant ? (int64_t)o->elements : (int64_t)o->image[i];
    }
    border = no_sign ? border : num_wrap(border, 8 * o->bytes);
    const onnx_value edge = onnx_constant(w->to, onnx_type_of(o->bytes, no_sign), &border, one, 1);
    const onnx_value v = two(w, "Gather", onnx_node(w->to, "Concat", in, edge, 0, "axis", 0),
                             onnx_constant(w->to, ONNX_INT64, list, dims, 1));
    free(list);
    return v;
}

static bool is_in_order(const int64_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (from[i] != (int64_t)i)
            return false;
    return true;
}

static bool reads_no_sign(const struct form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        if (form->groups[i].from.there && form->groups[i].from.space == SLOT_INPUT)
            return form->groups[i].from.kind.no_sign;
        if (form->groups[i].add.there && form->groups[i].add.space == SLOT_INPUT)
            return form->groups[i].add.kind.no_sign;
    }
    return false;
}

static onnx_value all_groups(struct writing *w, const struct form *form, int64_t *from)
{
    const int64_t flat[] = {-1};
    onnx_value all = 0;
    int64_t first = 0;
    for (size_t i = 0; i < form->count; i++) {
        w->group = &form->groups[i];
        onnx_value v = group(w);
        if (!v)
            return 0;
        put_places(w, from, first);
        v = onnx_listed(w->to, "Reshape", v, flat, 1);
        all = all ? onnx_node(w->to, "Concat", all, v, 0, "axis", 0) : v;
        first += (int64_t)(w->group->places *
                           (w->group->op == FLOW_SOFTMAX ? w->group->tap_count : w->group->column_count));
    }
    return all;
}

onnx_value onnx_operator(struct onnx *to, const struct plain *plain, const struct form *form, onnx_value in,
                         onnx_value second, struct strbuf *why)
{
    struct writing w = {.to = to, .plain = plain, .in = in, .second = second, .why = why};
    uint64_t room = plain->out_elements + 512;
    for (size_t i = 0; i < form->count; i++) {
        const struct form_group *g = &form->groups[i];
        room += g->places + 2 * g->column_count;
    }
    if (plain->flow.temps)
        return fail(&w, "results that others are made of");
    w.scratch = malloc(room * sizeof *w.scratch);
    int64_t *from = calloc(plain->out_elements + 1, sizeof *from);
    onnx_value v = w.scratch && from ? 1 : fail(&w, "out of memory");
    if (v && plain->input.image)
        w.in = image(&w, in, reads_no_sign(form));
    v = v ? all_groups(&w, form, from) : 0;
    if (v && !is_in_order(from, plain->out_elements)) {
        const int64_t dims[] = {(int64_t)plain->out_elements};
        v = two(&w, "Gather", v, onnx_constant(to, ONNX_INT64, from, dims, 1));
    }
    free(w.scratch);
    free(from);
    return v;
}

onnx_value onnx_bytes(struct onnx *to, const uint8_t table[256], bool no_sign, onnx_value in)
{
    const int64_t dims[] = {256};
    int64_t list[256];
    for (unsigned i = 0; i < 256; i++)
        list[i] = no_sign ? table[i] : (int8_t)table[i];
    const onnx_value place =
        onnx_node(to, "Mod", onnx_cast(to, in, ONNX_INT64), onnx_number(to, ONNX_INT64, 256), 0, NULL, 0);
    return onnx_node(to, "Gather", onnx_constant(to, onnx_type_of(1, no_sign), list, dims, 1), place, 0, NULL,
                     0);
}
