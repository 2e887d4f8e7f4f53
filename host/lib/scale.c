/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/lib/library.h"

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
