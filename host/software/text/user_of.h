/* SPDX-License-Identifier: Apache-2.0 */
/* The example of a function of one's own: hard swish of a sum with 12 fraction bits. */
static int32_t user_of(int64_t sum)
{
    const int64_t x = limit(sum, -32768, 32767), gate = limit(x + 12288, 0, 24576);
    return (int32_t)floor_shift(x * gate * 43691 + (1 << 29), 30);
}
