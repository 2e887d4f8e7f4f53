/* SPDX-License-Identifier: Apache-2.0 */
/* value modulo 2^bits, as a number with a sign. */
static int64_t wrap(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return value & sign ? -(int64_t)(~value & (sign - 1)) - 1 : (int64_t)(value & (sign - 1));
}
