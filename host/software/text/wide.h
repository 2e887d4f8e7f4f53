/* SPDX-License-Identifier: Apache-2.0 */
/* A product of up to 96 bits: high * 2^32 + low. */
struct wide {
    int64_t high;
    uint32_t low;
};

static struct wide wide_product(int64_t value, int32_t multiplier)
{
    const int64_t low = (int64_t)((uint64_t)value & UINT32_MAX) * multiplier;
    const struct wide product = {floor_shift(value, 32) * multiplier + floor_shift(low, 32),
                                 (uint32_t)((uint64_t)low & UINT32_MAX)};
    return product;
}

/* Divided by 2^shift with halves up, or down. */
static struct wide wide_shift(struct wide value, unsigned shift, unsigned down)
{
    if (!shift)
        return value;
    uint64_t half = (UINT64_C(1) << (shift - 1)) - down;
    const uint64_t low = value.low + (half & UINT32_MAX);
    value.low = (uint32_t)(low & UINT32_MAX);
    value.high += (int64_t)(half >> 32) + (int64_t)(low >> 32);
    if (shift >= 32) {
        const int64_t all = floor_shift(value.high, shift - 32);
        value.high = floor_shift(all, 32);
        value.low = (uint32_t)((uint64_t)all & UINT32_MAX);
    } else {
        const uint64_t carried = ((uint64_t)value.high << (32 - shift)) & UINT32_MAX;
        value.low = (uint32_t)(carried | value.low >> shift);
        value.high = floor_shift(value.high, shift);
    }
    return value;
}

static int64_t wide_saturate(struct wide value)
{
    if (value.high > INT32_MAX)
        return INT64_MAX;
    if (value.high < -INT64_C(2147483648))
        return INT64_MIN;
    return value.high * INT64_C(4294967296) + value.low;
}
