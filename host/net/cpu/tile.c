/* SPDX-License-Identifier: Apache-2.0
 *
 * Each loop is written once, with a fixed length, which compilers make vectors of; forms are this text
 * compiled for other instructions. The product of windows and weights is written anew for instructions that
 * multiply and add pairs, which compilers do not find.
 */
#include "host/net/cpu/tile.h"

#include <string.h>

#define BODY __attribute__((always_inline)) static inline

BODY void multiply_channels(const int16_t *window, const int16_t *weights, int64_t stride, int64_t count,
                            int32_t sums[TILE_CHANNELS])
{
    int32_t sum[TILE_CHANNELS] = {0};
    for (int64_t k = 0; k < count; k++, window += stride, weights += stride)
        for (int o = 0; o < TILE_CHANNELS; o++)
            sum[o] += (int32_t)window[o] * weights[o];
    memcpy(sums, sum, sizeof sum);
}

BODY void widen(const uint8_t *from, uint8_t flip, int32_t zero, int64_t count, int16_t *restrict to)
{
    for (; count >= TILE_CHANNELS; count -= TILE_CHANNELS, from += TILE_CHANNELS, to += TILE_CHANNELS)
        for (int i = 0; i < TILE_CHANNELS; i++)
            to[i] = (int16_t)((from[i] ^ flip) - zero);
    for (int64_t i = 0; i < count; i++)
        to[i] = (int16_t)((from[i] ^ flip) - zero);
}

enum { LIMITED = 64 };

BODY void limit(const uint8_t *from, uint8_t flip, uint8_t low, uint8_t high, int64_t count,
                uint8_t *restrict to)
{
#define LIMIT(length)                                            \
    for (int i = 0; i < (length); i++) {                         \
        const uint8_t byte = from[i] ^ flip;                     \
        const uint8_t least = byte < low ? low : byte;           \
        to[i] = (uint8_t)((least > high ? high : least) ^ flip); \
    }
    for (; count >= LIMITED; count -= LIMITED, from += LIMITED, to += LIMITED)
        LIMIT(LIMITED)
    LIMIT(count)
#undef LIMIT
}

/* num_apply() for 32 bits: a shift by 31, halves up, and another, halves away from zero. */
BODY void requantise(const struct tile_steps *steps, int64_t first, int places,
                     const int32_t sums[][TILE_CHANNELS], uint8_t *restrict to, int64_t stride)
{
    const int32_t *bias = steps->bias + first, *multiplier = steps->multiplier + first,
                  *shift = steps->shift + first;
    const int32_t low = steps->low - steps->zero, high = steps->high - steps->zero, zero = steps->zero;
    for (int p = 0; p < places; p++, to += stride) {
        int32_t value[TILE_CHANNELS];
        for (int o = 0; o < TILE_CHANNELS; o++) {
            const int64_t product = (int64_t)(sums[p][o] + bias[o]) * multiplier[o];
            value[o] = (int32_t)((uint64_t)(product + (INT64_C(1) << 30)) >> 31);
        }
        for (int o = 0; o < TILE_CHANNELS; o++) {
            const int32_t mask = (int32_t)((1U << shift[o]) - 1), rest = value[o] & mask,
                          most = (mask >> 1) + (value[o] < 0);
            value[o] = (value[o] >> shift[o]) + (rest > most);
        }
        for (int o = 0; o < TILE_CHANNELS; o++) {
            value[o] = value[o] < low ? low : value[o];
            value[o] = (value[o] > high ? high : value[o]) + zero;
        }
        for (int o = 0; o < TILE_CHANNELS; o++)
            to[o] = (uint8_t)value[o];
    }
}

/* The functions of a form but for the product. */
#define FORM(name, attributes)                                                                          \
    attributes static void multiply_channels_##name(const int16_t *window, const int16_t *weights,      \
                                                    int64_t stride, int64_t count,                      \
                                                    int32_t sums[TILE_CHANNELS])                        \
    {                                                                                                   \
        multiply_channels(window, weights, stride, count, sums);                                        \
    }                                                                                                   \
    attributes static void widen_##name(const uint8_t *from, uint8_t flip, int32_t zero, int64_t count, \
                                        int16_t *to)                                                    \
    {                                                                                                   \
        widen(from, flip, zero, count, to);                                                             \
    }                                                                                                   \
    attributes static void limit_##name(const uint8_t *from, uint8_t flip, uint8_t low, uint8_t high,   \
                                        int64_t count, uint8_t *to)                                     \
    {                                                                                                   \
        limit(from, flip, low, high, count, to);                                                        \
    }
#define REQUANTISE(name, attributes)                                                                    \
    attributes static void requantise_##name(const struct tile_steps *steps, int64_t first, int places, \
                                             const int32_t sums[][TILE_CHANNELS], uint8_t *to,          \
                                             int64_t stride)                                            \
    {                                                                                                   \
        requantise(steps, first, places, sums, to, stride);                                             \
    }
#define FUNCTIONS(name) \
    multiply_##name, multiply_channels_##name, widen_##name, limit_##name, requantise_##name

/* ---- plain --------------------------------------------------------------------------------------- */

FORM(plain, )
REQUANTISE(plain, )

static void multiply_plain(const int16_t *windows, int64_t stride, const int16_t *weights, int64_t pairs,
                           int32_t sums[TILE_PLACES][TILE_CHANNELS])
{
    for (int p = 0; p < TILE_PLACES; p++) {
        const int16_t *window = windows + p * stride, *w = weights;
        int32_t sum[TILE_CHANNELS] = {0};
        for (int64_t i = 0; i < pairs; i++, window += 2, w += 2 * TILE_CHANNELS)
            for (int o = 0; o < TILE_CHANNELS; o++)
                sum[o] += (int32_t)window[0] * w[2 * o] + (int32_t)window[1] * w[2 * o + 1];
        memcpy(sums[p], sum, sizeof sum);
    }
}

static bool always(void)
{
    return true;
}

/* ---- x86-64 -------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>

/* Two neighbours of a window, in every lane. */
BODY int32_t pair_of(const int16_t *window)
{
    int32_t pair;
    memcpy(&pair, window, sizeof pair);
    return pair;
}

#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define FOUR(X) X(0) X(1) X(2) X(3)
#define EIGHT(X) FOUR(X) X(4) X(5) X(6) X(7)

FORM(avx2, AVX2)
REQUANTISE(avx2, AVX2)

/* Half of the places: their sums, the weights and a window fill the registers. */
AVX2 static void multiply_four(const int16_t *windows, int64_t stride, const int16_t *weights, int64_t pairs,
                               int32_t sums[TILE_PLACES / 2][TILE_CHANNELS])
{
#define ZERO(p) __m256i low##p = _mm256_setzero_si256(), high##p = low##p;
#define ADD(p)                                                              \
    {                                                                       \
        const __m256i x = _mm256_set1_epi32(pair_of(windows + (p)*stride)); \
        low##p = _mm256_add_epi32(low##p, _mm256_madd_epi16(x, w_low));     \
        high##p = _mm256_add_epi32(high##p, _mm256_madd_epi16(x, w_high));  \
    }
#define PUT(p)                                       \
    _mm256_storeu_si256((__m256i *)sums[p], low##p); \
    _mm256_storeu_si256((__m256i *)(sums[p] + 8), high##p);
    FOUR(ZERO)
    for (int64_t i = 0; i < pairs; i++, windows += 2, weights += 2 * TILE_CHANNELS) {
        const __m256i w_low = _mm256_loadu_si256((const __m256i *)weights),
                      w_high = _mm256_loadu_si256((const __m256i *)(weights + TILE_CHANNELS));
        FOUR(ADD)
    }
    FOUR(PUT)
#undef ZERO
#undef ADD
#undef PUT
}

AVX2 static void multiply_avx2(const int16_t *windows, int64_t stride, const int16_t *weights, int64_t pairs,
                               int32_t sums[TILE_PLACES][TILE_CHANNELS])
{
    multiply_four(windows, stride, weights, pairs, sums);
    multiply_four(windows + TILE_PLACES / 2 * stride, stride, weights, pairs, sums + TILE_PLACES / 2);
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

FORM(avx512vnni, VNNI)

VNNI static void multiply_avx512vnni(const int16_t *windows, int64_t stride, const int16_t *weights,
                                     int64_t pairs, int32_t sums[TILE_PLACES][TILE_CHANNELS])
{
#define ZERO(p) __m512i sum##p = _mm512_setzero_si512();
#define ADD(p) sum##p = _mm512_dpwssd_epi32(sum##p, _mm512_set1_epi32(pair_of(windows + (p)*stride)), w);
#define PUT(p) _mm512_storeu_si512(sums[p], sum##p);
    EIGHT(ZERO)
    for (int64_t i = 0; i < pairs; i++, windows += 2, weights += 2 * TILE_CHANNELS) {
        const __m512i w = _mm512_loadu_si512(weights);
        EIGHT(ADD)
    }
    EIGHT(PUT)
#undef ZERO
#undef ADD
#undef PUT
}

/* (sum + bias) * multiplier, shifted by 31: of even lanes, and of odd ones. */
VNNI BODY __m512i first_step(__m512i sum, __m512i multiplier)
{
    const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30);
    const __m512i even = _mm512_mul_epi32(sum, multiplier),
                  odd = _mm512_mul_epi32(_mm512_srli_epi64(sum, 32), _mm512_srli_epi64(multiplier, 32));
    return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(_mm512_add_epi64(even, half), 31),
                                   _mm512_slli_epi64(_mm512_add_epi64(odd, half), 1));
}

VNNI BODY __m512i second_step(__m512i value, __m512i shift, __m512i mask)
{
    const __m512i one = _mm512_set1_epi32(1),
                  most = _mm512_add_epi32(_mm512_srli_epi32(mask, 1), _mm512_srli_epi32(value, 31));
    const __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(value, mask), most);
    const __m512i result = _mm512_srav_epi32(value, shift);
    return _mm512_mask_add_epi32(result, up, result, one);
}

VNNI static void requantise_avx512vnni(const struct tile_steps *steps, int64_t first, int places,
                                       const int32_t sums[][TILE_CHANNELS], uint8_t *to, int64_t stride)
{
    const __m512i bias = _mm512_loadu_si512(steps->bias + first),
                  multiplier = _mm512_loadu_si512(steps->multiplier + first),
                  shift = _mm512_loadu_si512(steps->shift + first), one = _mm512_set1_epi32(1),
                  mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, shift), one),
                  low = _mm512_set1_epi32(steps->low - steps->zero),
                  high = _mm512_set1_epi32(steps->high - steps->zero), zero = _mm512_set1_epi32(steps->zero);
    for (int p = 0; p < places; p++, to += stride) {
        const __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums[p]), bias),
                      value = second_step(first_step(sum, multiplier), shift, mask),
                      limited = _mm512_min_epi32(_mm512_max_epi32(value, low), high);
        _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(_mm512_add_epi32(limited, zero)));
    }
}

static bool has_avx512vnni(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}
#endif

/* ---- all forms ----------------------------------------------------------------------------------- */

enum { FIRST_SHIFT = 31, SHIFT_MOST = 62 };

bool tile_step_fits(const struct num_step *step)
{
    return step->function == NUM_REQUANTISE && step->rounding == NUM_TWO_STEPS && step->multiplier >= 0 &&
           step->shift >= FIRST_SHIFT && step->shift <= SHIFT_MOST;
}

int32_t tile_shift(const struct num_step *step)
{
    return (int32_t)step->shift - FIRST_SHIFT;
}

const struct tile_form tile_forms[] = {
#if defined(__x86_64__)
    {"avx512vnni", has_avx512vnni, FUNCTIONS(avx512vnni)},
    {"avx2", has_avx2, FUNCTIONS(avx2)},
#endif
    {"plain", always, FUNCTIONS(plain)},
    {.name = NULL},
};

const struct tile_form *tile_form_best(void)
{
    const struct tile_form *form = tile_forms;
    while (!form->is_there())
        form++;
    return form;
}
