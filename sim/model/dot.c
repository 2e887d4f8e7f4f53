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

int32_t dot_one_portable(const uint16_t *position, const int16_t *value, size_t entries, const int32_t *input,
                         uint64_t *nonzero)
{
    int32_t sum = 0;
    uint32_t counts = 0;
    for (size_t e = 0; e < entries; e++) {
        const int32_t activation = input[position[e]];
        sum += value[e] * activation;
        counts += activation != 0;
    }
    *nonzero += counts;
    return sum;
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

__attribute__((target("avx2"))) static int32_t sum_of(__m256i v)
{
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

/* Eight entries at once; what is left of them as without vectors. */
__attribute__((target("avx2"))) static int32_t dot_one_avx2(const uint16_t *position, const int16_t *value,
                                                            size_t entries, const int32_t *input,
                                                            uint64_t *nonzero)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i sums = zero, zeros = zero; /* zeros: less one for each */
    size_t e = 0;
    for (; e + 8 <= entries; e += 8) {
        const __m256i at = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(position + e))),
                      weights = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(value + e))),
                      activations = _mm256_i32gather_epi32(input, at, sizeof *input);
        sums = _mm256_add_epi32(sums, _mm256_mullo_epi32(weights, activations));
        zeros = _mm256_add_epi32(zeros, _mm256_cmpeq_epi32(activations, zero));
    }
    *nonzero += e - (uint64_t) - (int64_t)sum_of(zeros);
    return sum_of(sums) + dot_one_portable(position + e, value + e, entries - e, input, nonzero);
}

dot_function *dot_choose(void)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2 : dot_portable;
}

dot_one_function *dot_one_choose(void)
{
    return __builtin_cpu_supports("avx2") ? dot_one_avx2 : dot_one_portable;
}
#else
dot_function *dot_choose(void)
{
    return dot_portable;
}

dot_one_function *dot_one_choose(void)
{
    return dot_one_portable;
}
#endif
