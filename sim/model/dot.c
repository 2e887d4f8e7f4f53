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

struct sums {
    __m256i even, odd;
};

/* Two weights, in the halves of each 32-bit lane of `weights`, times two rows of the table: one multiply-add
 * instruction does both. Unpacking within 128-bit halves leaves rows 0-3 and 8-11 in `even`, 4-7 and 12-15 in
 * `odd`. */
__attribute__((target("avx2"), always_inline)) static inline void
add_pair(struct sums *sums, const int16_t *first, const int16_t *second, __m256i weights)
{
    __m256i a = _mm256_load_si256((const __m256i *)first), b = _mm256_load_si256((const __m256i *)second);
    sums->even = _mm256_add_epi32(sums->even, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
    sums->odd = _mm256_add_epi32(sums->odd, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
}

__attribute__((target("avx2"))) static void dot_avx2(const uint16_t *position, const int16_t *value,
                                                     size_t entries, const int16_t *table, size_t stride,
                                                     int32_t to[DOT_ROWS])
{
    struct sums sums = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    size_t e = 0;
    for (; e + 1 < entries; e += 2) {
        int32_t weights;
        memcpy(&weights, value + e, sizeof weights);
        add_pair(&sums, table + position[e] * stride, table + position[e + 1] * stride,
                 _mm256_set1_epi32(weights));
    }
    if (e < entries) /* the odd one is paired with a weight of 0 */
        add_pair(&sums, table + position[e] * stride, table, _mm256_set1_epi32((uint16_t)value[e]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permute2x128_si256(sums.even, sums.odd, 0x20));
    _mm256_storeu_si256((__m256i *)(to + 8), _mm256_permute2x128_si256(sums.even, sums.odd, 0x31));
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
