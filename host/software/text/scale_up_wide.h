/* SPDX-License-Identifier: Apache-2.0 */
/* As scale_up, of any value and with any shift; the result saturates. */
static int64_t scale_up_wide(int64_t value, int32_t multiplier, unsigned shift)
{
    return wide_saturate(wide_shift(wide_product(value, multiplier), shift, 0));
}
