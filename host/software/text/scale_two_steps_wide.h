/* SPDX-License-Identifier: Apache-2.0 */
/* As scale_two_steps, of any value and with any shift; the result saturates. */
static int64_t scale_two_steps_wide(int64_t value, int32_t multiplier, unsigned shift)
{
    if (shift <= 31)
        return scale_up_wide(value, multiplier, shift);
    const struct wide first = wide_shift(wide_product(value, multiplier), 31, 0);
    return wide_saturate(wide_shift(first, shift - 31, first.high < 0));
}
