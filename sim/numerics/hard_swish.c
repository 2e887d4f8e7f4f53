/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/numerics/hard_swish.h"

#include "sim/numerics/join.h"

enum { FINE = 7 }; /* places that x gets, as many as 16 bits have room for */

static int64_t limited(int64_t value)
{
    return num_saturate(value, 16);
}

/* The leading half of the doubled product, rounded. */
static int64_t times(int64_t a, int16_t b)
{
    return limited(num_scale(a, b, 15, NUM_HALVES_UP));
}

/* min(max(x + 3, 0), 6) / 6 in units of 2^-15. */
static int64_t share(const struct num_hard_swish *how, int64_t fine)
{
    const int left = how->three_shift;
    int64_t value = fine;
    if (left > 1)
        value = limited(value * ((int64_t)1 << (left - 1)));
    value = times(value, how->three);
    if (left > 0)
        value = limited(value * 2);
    if (left < 0)
        value = num_mean(value, (int64_t)1 << -left);
    return (value + (1 << 15)) >> 1;
}

int32_t num_hard_swish(const struct num_hard_swish *how, int32_t x)
{
    const int64_t fine = ((int64_t)x - how->zero) * (1 << FINE);
    const int64_t product = share(how, fine) * times(fine, how->result) / (1 << 15); /* towards zero */
    const int64_t value = num_mean(product, (int64_t)1 << how->result_shift) + how->result_zero;
    return (int32_t)(value < how->low ? how->low : value > how->high ? how->high : value);
}
