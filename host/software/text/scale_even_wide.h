/* SPDX-License-Identifier: Apache-2.0 */
/* As scale_even, of any value and with any shift; the result saturates. */
static int64_t scale_even_wide(int64_t value, int32_t multiplier, unsigned shift)
{
    const struct wide product = wide_product(value, multiplier);
    const uint64_t bit =
        shift < 32 ? (uint64_t)product.low >> shift : (uint64_t)floor_shift(product.high, shift - 32);
    return wide_saturate(wide_shift(product, shift, 1 - (unsigned)(bit & 1)));
}
