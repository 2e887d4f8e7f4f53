/* SPDX-License-Identifier: Apache-2.0 */
/* value * multiplier / 2^shift, halves go to the even number. The value has 32 bits, the shift is at most 62.
 */
static int64_t scale_even(int64_t value, int32_t multiplier, unsigned shift)
{
    const int64_t product = value * multiplier;
    const int64_t odd = floor_shift(product, shift) & 1;
    return shift ? floor_shift(product + (INT64_C(1) << (shift - 1)) - (1 - odd), shift) : product;
}
