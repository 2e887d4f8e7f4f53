/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/numerics/scale.h"

#include <math.h>

#define SHIFT_LEAST -31
#define SHIFT_MOST 30
#define EXP_FRACTION 26 /* bits of the argument of exp, of int8 */
#define EXP_WHOLE 31
#define EXP_RANGE 10 /* of the table of exp, of int16 */

void num_multiplier_of(double factor, int32_t *multiplier, int *shift)
{
    *shift = 0;
    const double mantissa = factor > 0 ? frexp(factor, shift) : 0;
    int64_t units = (int64_t)round(ldexp(mantissa, 31));
    if (units == INT64_C(1) << 31) {
        units /= 2;
        ++*shift;
    }
    if (units == 0 || *shift < SHIFT_LEAST) {
        units = 0;
        *shift = 0;
    }
    if (*shift > SHIFT_MOST) {
        units = INT32_MAX;
        *shift = SHIFT_MOST;
    }
    *multiplier = (int32_t)units;
}

void num_softmax_set_scale(struct num_softmax *softmax, double scale)
{
    const bool wide = softmax->input == NUM_INT16;
    int shift;
    num_multiplier_of(wide ? scale / (EXP_RANGE / 65535.0) : fmin(ldexp(scale, EXP_FRACTION), INT32_MAX),
                      &softmax->multiplier, &shift);
    softmax->shift = (unsigned)(31 - shift);
    softmax->least = wide ? INT32_MIN : -(int32_t)floor(ldexp(EXP_WHOLE, EXP_FRACTION - shift));
}
