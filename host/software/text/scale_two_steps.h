/* SPDX-License-Identifier: Apache-2.0 */
/* value * multiplier / 2^shift in two steps: halves go up at bit 31, and then away from zero. The value has
 * 32 bits, the shift is at most 62. */
static int64_t scale_two_steps(int64_t value, int32_t multiplier, unsigned shift)
{
    if (shift <= 31)
        return scale_up(value, multiplier, shift);
    const int64_t first = floor_shift(value * multiplier + (INT64_C(1) << 30), 31);
    return floor_shift(first + (INT64_C(1) << (shift - 32)) - (first < 0), shift - 31);
}
