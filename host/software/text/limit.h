/* SPDX-License-Identifier: Apache-2.0 */
static int64_t limit(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}
