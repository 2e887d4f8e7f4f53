/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/numerics/gate.h"

#include "sim/numerics/gate_table.h"

enum { KNOTS = 256, PLACES = 12 };

/* x in units of 2^-12 / 3, of which a knot of the logistic function has 2^9. */
static int64_t argument(int32_t x, int power)
{
    const int left = PLACES + power;
    const int64_t thirds = 3 * (int64_t)x;
    return left >= 0 ? thirds * ((int64_t)1 << left) : num_scale(thirds, 1, (unsigned)-left, NUM_HALVES_UP);
}

/* Between two knots with so many places; behind the last one the value is the end's. */
static int64_t between(uint64_t at, unsigned places, int64_t end)
{
    const uint64_t knot = at >> places, rest = at & (((uint64_t)1 << places) - 1);
    if (knot >= KNOTS - 1)
        return end;
    return ((int64_t)gate_knots[knot] << places) + (int64_t)rest * (gate_knots[knot + 1] - gate_knots[knot]);
}

int32_t num_gate_sigmoid(int32_t x, int power)
{
    const int64_t at = argument(x, power);
    const int64_t value = between((uint64_t)(at < 0 ? -at : at), 9, INT64_C(0x7FFF) << 10);
    return (int32_t)((at < 0 ? (1 << 25) - value + (1 << 9) - 1 : value + (1 << 9)) >> 10);
}

int32_t num_gate_tanh(int32_t x, int power)
{
    const int64_t at = argument(x, power);
    const int64_t value = between((uint64_t)(at < 0 ? -at : at), 8, INT64_C(0xFFFF) << 8) - (1 << 23);
    return (int32_t)((at < 0 ? -value + (1 << 7) - 1 : value + (1 << 7)) >> 8);
}
