/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/lib/library.h"
#include "sim/numerics/scale.h"

enum tulle_status tulle_scale(double scale, int32_t *multiplier, unsigned *shift)
{
    if (!multiplier || !shift)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_scale: multiplier or shift is NULL");
    if (!isfinite(scale) || fabs(scale) >= 2147483647.0)
        return message_set(TULLE_INVALID_ARGUMENT, "a scale of %g; it must be below 2^31", scale);
    unsigned most = 0;
    while (most < 63 && fabs(ldexp(scale, (int)most + 1)) < 2147483647.0)
        most++;
    *shift = most;
    *multiplier = (int32_t)lrint(ldexp(scale, (int)most));
    return TULLE_OK;
}

static bool is_scale(double scale)
{
    return isfinite(scale) && scale > 0;
}

enum tulle_status tulle_join_scales(double first, double second, double output, struct tulle_second *to,
                                    struct tulle_epilogue *epilogue)
{
    if (!to || !epilogue)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_join_scales: second or epilogue is NULL");
    enum tulle_status status = sized_check(SIZED_SECOND, to);
    if (!status)
        status = sized_check(SIZED_EPILOGUE, epilogue);
    if (status)
        return status;
    if (!is_scale(first) || !is_scale(second) || !is_scale(output))
        return message_set(TULLE_INVALID_ARGUMENT, "scales of %g, %g and %g: they are above 0", first, second,
                           output);
    if (to->join == TULLE_JOIN_MULTIPLY)
        return tulle_scale(first * second / output, &epilogue->multiplier, &epilogue->shift);
    const bool short_fraction = to->type == TULLE_INT16;
    const double twice = 2 * fmax(first, second), less = fmin(first, second) / twice;
    if (less < ldexp(1, short_fraction ? -11 : -16))
        return message_set(TULLE_INVALID_ARGUMENT, "scales of %g and %g are too far apart to be joined",
                           first, second);
    to->scale_first = first < second;
    to->fraction_15 = short_fraction;
    status = tulle_scale(less, &to->multiplier, &to->shift);
    return status ? status
                  : tulle_scale(ldexp(twice / output, short_fraction ? -15 : -20), &epilogue->multiplier,
                                &epilogue->shift);
}

/* As TFLite: differences are scaled to 26 fraction bits, and what would leave 31 is below `least`. */
enum tulle_status tulle_softmax_scale(double input, double beta, struct tulle_softmax *to)
{
    enum { FRACTION = 26 };
    if (!to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_softmax_scale: softmax is NULL");
    const enum tulle_status status = sized_check(SIZED_SOFTMAX, to);
    if (status)
        return status;
    if (!is_scale(input) || !is_scale(beta) || !is_scale(input * beta) || ldexp(input * beta, FRACTION) <= 1)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "a scale of %g and a beta of %g: their product is above 2^-%d", input, beta,
                           FRACTION);
    struct num_softmax softmax = {.input = NUM_INT8};
    num_softmax_set_scale(&softmax, input * beta);
    to->multiplier = softmax.multiplier;
    to->shift = softmax.shift;
    to->least = softmax.least;
    return TULLE_OK;
}
