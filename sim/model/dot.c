/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/dot.h"

#include <string.h>

void dot_portable(const uint16_t *position, const int16_t *value, size_t entries, const int16_t *table,
                  size_t stride, int32_t sums[DOT_ROWS])
{
    int32_t acc[DOT_ROWS] = {0};
    for (size_t e = 0; e < entries; e++) {
        const int16_t *row = table + position[e] * stride;
        for (unsigned r = 0; r < DOT_ROWS; r++)
            acc[r] += value[e] * row[r];
    }
    memcpy(sums, acc, sizeof acc);
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Entries are taken in pairs, so that one multiply-add instruction does two of them; the odd one is paired
 * with a zero weight. Unpacking within 128-bit halves leaves rows 0-3 and 8-11 in `even`, 4-7 and 12-15 in
 * `odd`. */
__attribute__((target("avx2"))) static void dot_avx2(const uint16_t *position, const int16_t *value,
                                                     size_t entries, const int16_t *table, size_t stride,
                                                     int32_t sums[DOT_ROWS])
{
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (size_t e = 0; e < entries; e += 2) {
        size_t second = e + 1 < entries ? e + 1 : e;
        uint32_t weights =
            (uint16_t)value[e] | (e + 1 < entries ? (uint32_t)(uint16_t)value[e + 1] << 16 : 0);
        __m256i a = _mm256_load_si256((const __m256i *)(table + position[e] * stride));
        __m256i b = _mm256_load_si256((const __m256i *)(table + position[second] * stride));
        __m256i w = _mm256_set1_epi32((int32_t)weights);
        even = _mm256_add_epi32(even, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
        odd = _mm256_add_epi32(odd, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
    }
    _mm256_storeu_si256((__m256i *)sums, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(sums + 8), _mm256_permute2x128_si256(even, odd, 0x31));
}

dot_function *dot_choose(void)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2 : dot_portable;
}
#else
dot_function *dot_choose(void)
{
    return dot_portable;
}
#endif
