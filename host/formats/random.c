/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/random.h"

int8_t random_non_zero(struct random *random)
{
    const int value = (int)random_below(random, 255) - 128;
    return (int8_t)(value < 0 ? value : value + 1);
}

/* With q = 1 - density, a gap of g has probability q^g x density; the bits of such a number are independent,
 * bit b being 1 with probability p / (1 + p) where p = q^(2^b). Only operations that IEEE 754 defines to the
 * last bit are used, so that no mathematical library has a say. */
struct random_gap random_gap_of(double density)
{
    struct random_gap gap = {.bits = 0};
    double p = 1 - density;
    for (; gap.bits < 63 && p >= 1.0 / 18446744073709551616.0; gap.bits++) {
        gap.threshold[gap.bits] = (uint64_t)(p / (1 + p) * 18446744073709551616.0);
        p *= p;
    }
    return gap;
}

uint64_t random_place(struct random *random, const struct random_gap *gap, uint64_t from, uint64_t end)
{
    uint64_t places = 0;
    for (unsigned b = 0; b < gap->bits; b++)
        places |= (uint64_t)(random_next(random) < gap->threshold[b]) << b;
    return places < end - from ? from + places : end;
}
