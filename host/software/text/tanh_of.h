/* SPDX-License-Identifier: Apache-2.0 */
/* tanh of x / 2^12 in units of 2^-15; x has 16 bits. */
static int32_t tanh_of(int32_t x)
{
    const uint32_t magnitude = (uint32_t)(x < 0 ? -x : x), segment = magnitude >> 6,
                   fraction = magnitude & 63;
    int32_t y = tanh_knots[512];
    if (segment < 512) {
        const uint32_t rise = (uint32_t)(tanh_knots[segment + 1] - tanh_knots[segment]);
        y = (int32_t)(tanh_knots[segment] + ((rise * fraction + 32) >> 6));
    }
    return x < 0 ? -y : y;
}
