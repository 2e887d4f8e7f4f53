/* SPDX-License-Identifier: Apache-2.0 */
/* value / 2^shift, towards minus infinity. */
static int64_t floor_shift(int64_t value, unsigned shift)
{
    return value < 0 ? -1 - ((-1 - value) >> shift) : value >> shift;
}
