/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx_writing.h"

onnx_value onnx_fail(const struct onnx_writing *w, const char *why)
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

onnx_value onnx_two(const struct onnx_writing *w, const char *op, onnx_value a, onnx_value b)
{
    return onnx_node(w->to, op, a, b, 0, NULL, 0);
}

onnx_value onnx_int64(const struct onnx_writing *w, int64_t value)
{
    return onnx_number(w->to, ONNX_INT64, value);
}

const struct flow_finish *onnx_finish_at(const struct onnx_writing *w, size_t column)
{
    return &w->plain->flow.finishes[w->group->columns[column].finish];
}

/* ---- integers --------------------------------------------------------------------------------------- */

/* Powers of two of a shift, or of its two steps. */
static int64_t first_of(int64_t shift)
{
    return INT64_C(1) << (shift > 31 ? 31 : shift);
}
static int64_t second_of(int64_t shift)
{
    return INT64_C(1) << (shift > 31 ? shift - 31 : 0);
}

/* a / b towards minus infinity; b is above 0. */
onnx_value onnx_floor_divide(const struct onnx_writing *w, onnx_value a, onnx_value b)
{
    return onnx_two(w, "Div", onnx_two(w, "Sub", a, onnx_two(w, "Mod", a, b)), b);
}

onnx_value onnx_limited(const struct onnx_writing *w, onnx_value v, onnx_value low, onnx_value high)
{
    const onnx_value below = onnx_two(w, "Less", v, low);
    return onnx_node(w->to, "Where", below, low, onnx_two(w, "Min", v, high), NULL, 0);
}

onnx_value onnx_limited_to(const struct onnx_writing *w, onnx_value v, int64_t low, int64_t high)
{
    return onnx_two(w, "Max", onnx_two(w, "Min", v, onnx_int64(w, high)), onnx_int64(w, low));
}

static onnx_value divisor(const struct onnx_writing *w, const int64_t *shifts, size_t count, unsigned which)
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

struct onnx_divisors onnx_divisors_of(const struct onnx_writing *w, const int64_t *shifts, size_t count,
                                      enum num_rounding rounding)
{
    static const bool used[][8] = {[NUM_HALVES_UP] = {true, true},
                                   [NUM_HALVES_TO_EVEN] = {true, true, true},
                                   [NUM_TWO_STEPS] = {false, false, false, true, true, true, true, true}};
    onnx_value v[8];
    for (unsigned i = 0; i < 8; i++)
        v[i] = used[rounding][i] ? divisor(w, shifts, count, i) : 0;
    return (struct onnx_divisors){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

onnx_value onnx_scaled(const struct onnx_writing *w, onnx_value v, onnx_value multiplier,
                       const struct onnx_divisors *d, enum num_rounding rounding)
{
    const onnx_value product = onnx_two(w, "Mul", v, multiplier);
    if (rounding == NUM_HALVES_UP)
        return onnx_floor_divide(w, onnx_two(w, "Add", product, d->half), d->all);
    if (rounding == NUM_HALVES_TO_EVEN) {
        const onnx_value even =
            onnx_two(w, "Sub", onnx_int64(w, 1),
                     onnx_two(w, "Mod", onnx_floor_divide(w, product, d->all), onnx_int64(w, 2)));
        const onnx_value half = onnx_two(w, "Sub", d->half, onnx_two(w, "Mul", even, d->is_there));
        return onnx_floor_divide(w, onnx_two(w, "Add", product, half), d->all);
    }
    const onnx_value first = onnx_floor_divide(w, onnx_two(w, "Add", product, d->first_half), d->first);
    const onnx_value below = onnx_cast(w->to, onnx_two(w, "Less", first, onnx_int64(w, 0)), ONNX_INT64);
    const onnx_value half = onnx_two(w, "Sub", d->second_half, onnx_two(w, "Mul", below, d->again));
    return onnx_floor_divide(w, onnx_two(w, "Add", first, half), d->second);
}
