/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "host/net/cpu/kernel.h"

size_t type_bytes(enum net_type type)
{
    return (net_type_bits(type) + 7) / 8;
}

bool is_real(enum net_type type)
{
    return type == NET_FLOAT || type == NET_DOUBLE || type == NET_FLOAT16 || type == NET_BFLOAT16;
}

/* ---- 16-bit floats ------------------------------------------------------------------------------- */

static double from_half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double mantissa = bits & 1023, sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return mantissa > 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

static uint16_t to_half(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    value = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    frexp(value, &exponent);
    const int least = exponent < -13 ? -14 : exponent - 1; /* denormal numbers have one exponent */
    const double units = nearbyint(ldexp(value, 10 - least));
    if (isinf(value) || units >= ldexp(1, 15 - least) * 2048)
        return (uint16_t)(sign | 0x7c00);
    const uint32_t bits = (uint32_t)units + (uint32_t)(least + 14) * 1024;
    return (uint16_t)(sign | (bits > 0x7c00 ? 0x7c00 : bits));
}

static double from_brain(uint16_t bits)
{
    return (double)value_real(NET_FLOAT, (uint64_t)bits << 16);
}

static uint16_t to_brain(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return isnan(value) ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- elements ------------------------------------------------------------------------------------ */

int64_t view_integer(const struct view *v, size_t at)
{
    switch (v->type) {
    case NET_INT8:
        return ((const int8_t *)v->data)[at];
    case NET_UINT8:
    case NET_BOOL:
        return ((const uint8_t *)v->data)[at];
    case NET_INT16:
        return ((const int16_t *)v->data)[at];
    case NET_UINT16:
        return ((const uint16_t *)v->data)[at];
    case NET_INT32:
        return ((const int32_t *)v->data)[at];
    case NET_UINT32:
        return ((const uint32_t *)v->data)[at];
    case NET_INT64:
    case NET_UINT64:
        return ((const int64_t *)v->data)[at];
    default:
        break;
    }
    const double value = view_real(v, at);
    return value != value ? 0 : value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : (int64_t)value;
}

double view_real(const struct view *v, size_t at)
{
    switch (v->type) {
    case NET_FLOAT:
        return (double)((const float *)v->data)[at];
    case NET_DOUBLE:
        return ((const double *)v->data)[at];
    case NET_FLOAT16:
        return from_half(((const uint16_t *)v->data)[at]);
    case NET_BFLOAT16:
        return from_brain(((const uint16_t *)v->data)[at]);
    case NET_UINT64:
        return (double)((const uint64_t *)v->data)[at];
    default:
        return (double)view_integer(v, at);
    }
}

void view_set_integer(const struct view *v, size_t at, int64_t value)
{
    switch (v->type) {
    case NET_INT8:
    case NET_UINT8:
        ((uint8_t *)v->data)[at] = (uint8_t)value;
        break;
    case NET_BOOL:
        ((uint8_t *)v->data)[at] = value != 0;
        break;
    case NET_INT16:
    case NET_UINT16:
        ((uint16_t *)v->data)[at] = (uint16_t)value;
        break;
    case NET_INT32:
    case NET_UINT32:
        ((uint32_t *)v->data)[at] = (uint32_t)value;
        break;
    case NET_INT64:
    case NET_UINT64:
        ((int64_t *)v->data)[at] = value;
        break;
    default:
        view_set_real(v, at, (double)value);
    }
}

static double bounded(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

void view_set_real(const struct view *v, size_t at, double value)
{
    const unsigned bits = net_type_bits(v->type);
    const bool has_sign =
        v->type == NET_INT8 || v->type == NET_INT16 || v->type == NET_INT32 || v->type == NET_INT64;
    switch (v->type) {
    case NET_FLOAT:
        ((float *)v->data)[at] = (float)value;
        break;
    case NET_DOUBLE:
        ((double *)v->data)[at] = value;
        break;
    case NET_FLOAT16:
        ((uint16_t *)v->data)[at] = to_half(value);
        break;
    case NET_BFLOAT16:
        ((uint16_t *)v->data)[at] = to_brain(value);
        break;
    case NET_BOOL:
        ((uint8_t *)v->data)[at] = value != 0;
        break;
    case NET_UINT64:
        ((uint64_t *)v->data)[at] = !(value > 0)                      ? 0
                                    : value >= 18446744073709551615.0 ? UINT64_MAX
                                                                      : (uint64_t)value;
        break;
    default:
        if (value != value)
            value = 0;
        if (v->type == NET_INT64 && value >= 9223372036854775807.0)
            view_set_integer(v, at, INT64_MAX);
        else
            view_set_integer(v, at,
                             (int64_t)(has_sign ? bounded(value, -ldexp(1, (int)bits - 1),
                                                          ldexp(1, (int)bits - 1) - (bits < 64))
                                                : bounded(value, 0, ldexp(1, (int)bits) - 1)));
    }
}

/* ---- broadcasting -------------------------------------------------------------------------------- */

struct spread spread_of(const struct view *from, const struct view *to)
{
    struct spread s = {.rank = to->rank};
    int64_t step = 1;
    for (int i = 1; i <= to->rank; i++) {
        const int64_t size = i <= from->rank ? from->dim[from->rank - i] : 1;
        s.dim[to->rank - i] = to->dim[to->rank - i];
        s.step[to->rank - i] = size == 1 ? 0 : step;
        step *= size;
    }
    return s;
}

size_t spread_at(const struct spread *s, size_t at)
{
    size_t place = 0;
    for (int i = s->rank; i--;) {
        place += (size_t)s->step[i] * (at % (size_t)s->dim[i]);
        at /= (size_t)s->dim[i];
    }
    return place;
}
