/* SPDX-License-Identifier: Apache-2.0 */
/* The logistic function of x / 2^12 in units of 2^-15; x has 16 bits. */
static int32_t sigmoid_of(int32_t x)
{
    const uint32_t magnitude = (uint32_t)(x < 0 ? -x : x), segment = magnitude >> 7,
                   fraction = magnitude & 127;
    const uint32_t rise = (uint32_t)(tanh_knots[segment + 1] - tanh_knots[segment]);
    const int32_t half = (int32_t)(((uint32_t)tanh_knots[segment] * 128 + rise * fraction + 128) >> 8);
    return x < 0 ? 16384 - half : 16384 + half;
}
