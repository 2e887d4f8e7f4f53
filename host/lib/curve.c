/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/lib/library.h"

static double curve_at(enum tulle_curve curve, double x)
{
    switch (curve) {
    case TULLE_CURVE_SIGMOID:
        return 1 / (1 + exp(-x));
    case TULLE_CURVE_TANH:
        return tanh(x);
    case TULLE_CURVE_HARD_SWISH:
        return x * fmin(fmax(x + 3, 0), 6) / 6;
    case TULLE_CURVE_GELU:
        return x / 2 * (1 + erf(x / sqrt(2)));
    case TULLE_CURVE_ELU:
        return x < 0 ? expm1(x) : x;
    case TULLE_CURVES:
        break;
    }
    return x;
}

enum tulle_status tulle_curve_table(enum tulle_curve curve, const struct tulle_curve_scales *scales,
                                    int8_t table[256])
{
    if (!scales || !table)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_curve_table: scales or table is NULL");
    if ((unsigned)curve >= TULLE_CURVES)
        return message_set(TULLE_INVALID_ARGUMENT, "there is no curve %d", (int)curve);
    if (!(scales->input_scale > 0 && scales->input_scale <= 1e9 && scales->output_scale >= 1e-9 &&
          scales->output_scale <= 1e9))
        return message_set(TULLE_INVALID_ARGUMENT,
                           "scales of %g and %g: numbers above 0, up to 1e9, are possible",
                           scales->input_scale, scales->output_scale);
    if (scales->input_zero < INT8_MIN || scales->input_zero > INT8_MAX || scales->output_zero < INT8_MIN ||
        scales->output_zero > INT8_MAX)
        return message_set(TULLE_INVALID_ARGUMENT, "zero points of %d and %d: -128 to 127 are possible",
                           scales->input_zero, scales->output_zero);
    for (int v = INT8_MIN; v <= INT8_MAX; v++) {
        const double y = curve_at(curve, (v - scales->input_zero) * scales->input_scale);
        const double units = round(y / scales->output_scale) + scales->output_zero;
        table[(uint8_t)v] = (int8_t)fmin(fmax(units, INT8_MIN), INT8_MAX);
    }
    return TULLE_OK;
}
