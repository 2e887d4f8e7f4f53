/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest integer, halves go to the even number; the result saturates at 32 bits. */
static int64_t round_even(float value)
{
    if (value <= -2147483648.0f || value >= 2147483648.0f)
        return value < 0 ? INT32_MIN : INT32_MAX;
    const double exact = value;
    int64_t low = (int64_t)exact;
    if ((double)low > exact)
        low--;
    const double rest = exact - (double)low;
    return low + (rest > 0.5 || (rest == 0.5 && (low & 1)));
}
