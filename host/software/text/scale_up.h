/* SPDX-License-Identifier: Apache-2.0 */
/* value * multiplier / 2^shift, halves go up. The value has 32 bits, the shift is at most 62. */
static int64_t scale_up(int64_t value, int32_t multiplier, unsigned shift)
{
    return floor_shift(value * multiplier + (shift ? INT64_C(1) << (shift - 1) : 0), shift);
}
