/* SPDX-License-Identifier: Apache-2.0 */
/* What makes shares of exponentials: a multiplier, and by how much the shift is larger. */
struct share {
    int32_t multiplier;
    unsigned shift;
};

static int32_t times(int32_t a, int32_t b)
{
    return (int32_t)limit(scale_up(a, b, 31), INT32_MIN, INT32_MAX);
}

static struct share share_of(uint32_t sum)
{
    unsigned headroom = 0;
    while (headroom < 12 && !(sum << headroom & UINT32_C(0x80000000)))
        headroom++;
    const int32_t half = (int32_t)((sum << headroom | UINT32_C(0x80000000)) >> 1);
    int32_t y = 1515870810 + times(half, -1010580540);
    for (int i = 0; i < 3; i++)
        y += 4 * times(y, 536870912 - times(half, y));
    const struct share share = {(int32_t)limit(2 * (int64_t)y, INT32_MIN, INT32_MAX), 12 - headroom};
    return share;
}
