/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax against the real function, its tables against their formula, and rows that TFLite computed.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "gen/base/random.h"
#include "sim/numerics/scale.h"
#include "sim/numerics/softmax_tables.h"

#define ROUNDS 20000
#define ROW 40

/* ---- the tables -------------------------------------------------------------------------------- */

static long double reciprocal(long double x)
{
    return 1 / (1 + x);
}

/* docs/numerics.md: roundl takes halves away from zero. */
static void is_made_as_documented(const int16_t *knots, long double (*function)(long double),
                                  long double from, long double to)
{
    const long double step = (to - from) / 512;
    for (unsigned i = 0; i < 512; i++) {
        const long double x = from + i * step, here = roundl(32768 * function(x));
        const long double line = roundl((here + 32768 * function(x + step)) / 2);
        const long double curve = roundl(32768 * function(x + step / 2));
        cr_assert_eq(knots[i], (int16_t)fminl(32767, here - roundl((line - curve) / 2)), "entry %u", i);
    }
    cr_assert_eq(knots[512], (int16_t)fminl(32767, roundl(32768 * function(to))));
}

Test(softmax, tables_are_made_as_documented)
{
    is_made_as_documented(exp_knots, expl, -10, 0);
    is_made_as_documented(reciprocal_knots, reciprocal, 0, 1);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* What the argument of exp is divided by: 2^26 for polynomials, 65535 stands for 10 in the table. */
static long double unit(const struct num_softmax *softmax)
{
    return softmax->input == NUM_INT8 ? 1.0L / (1 << 26) : 10.0L / 65535;
}

/* The real softmax of a row, in units of the result's last place. */
static void real_row(const struct num_softmax *softmax, const int32_t *from, long double *to, unsigned count)
{
    static const long double scales[][2] = {{256, 128}, {65536, 32768}, {32768, 0}};
    const unsigned kind = softmax->input == NUM_INT16 ? 2 : softmax->result == NUM_INT16;
    const long double factor =
        unit(softmax) * (long double)softmax->multiplier / powl(2, (long double)softmax->shift);
    long double sum = 0;
    int32_t largest = from[0];
    for (unsigned i = 0; i < count; i++)
        largest = from[i] > largest ? from[i] : largest;
    for (unsigned i = 0; i < count; i++)
        sum += to[i] = expl((from[i] - largest) * factor);
    for (unsigned i = 0; i < count; i++)
        to[i] = to[i] / sum * scales[kind][0] - scales[kind][1];
}

static void random_row(struct random *from, const struct num_softmax *softmax, int32_t *row, unsigned count)
{
    const unsigned bits = softmax->input == NUM_INT8 ? 8 : 16;
    const unsigned range =
        random_chance(from, 50) ? (1u << bits) - 1 : random_range(from, 0, (1u << bits) - 1);
    for (unsigned i = 0; i < count; i++)
        row[i] = (int32_t)random_range(from, 0, range) - (1 << (bits - 1));
}

/* Shares in the order of the numbers, and within `most` last places of the real ones, saturated. */
static void is_near(struct num_softmax softmax, unsigned shift, long double most)
{
    struct random from = {30 + softmax.input + 2 * softmax.result};
    const int32_t top = softmax.result == NUM_INT8 ? 127 : 32767;
    long double worst = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int32_t row[ROW], shares[ROW];
        long double real[ROW];
        const unsigned count = random_range(&from, 1, ROW);
        softmax.shift = random_range(&from, shift - 4, shift + 2);
        softmax.multiplier = (int32_t)random_range(&from, 1u << 30, INT32_MAX);
        random_row(&from, &softmax, row, count);
        num_softmax(&softmax, row, shares, count);
        real_row(&softmax, row, real, count);
        for (unsigned i = 0; i < count; i++) {
            const long double error = fabsl(shares[i] - fminl(top, real[i]));
            worst = fmaxl(worst, error);
            cr_assert_leq(error, most, "round %u: %d for %Lf", round, shares[i], real[i]);
            cr_assert(row[i] < row[0] ? shares[i] <= shares[0] : shares[i] >= shares[0], "round %u", round);
        }
    }
    cr_log_info("softmax of int%d to int%d: at most %Lf ulp from the real one", 8 << softmax.input,
                8 << softmax.result, worst);
}

Test(softmax, int8_is_near_the_real_function)
{
    is_near((struct num_softmax){.input = NUM_INT8, .result = NUM_INT8, .least = -255}, 9, 0.51L);
}

Test(softmax, int8_to_int16_is_near_the_real_function)
{
    is_near((struct num_softmax){.input = NUM_INT8, .result = NUM_INT16, .least = -255}, 9, 0.85L);
}

Test(softmax, int16_is_near_the_real_function)
{
    is_near((struct num_softmax){.input = NUM_INT16, .result = NUM_INT16}, 31, 80);
}

/* ---- rows of TFLite, from the test data of CMSIS-NN (Apache-2.0) ------------------------------- */

static void gives(const struct num_softmax *softmax, const int32_t *row, const int32_t *expected,
                  unsigned count)
{
    int32_t shares[ROW];
    num_softmax(softmax, row, shares, count);
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(shares[i], expected[i], "%u: %d, not %d", i, shares[i], expected[i]);
}

Test(softmax, gives_what_tflite_gives)
{
    gives(
        &(struct num_softmax){
            .input = NUM_INT8, .result = NUM_INT8, .multiplier = 1077952640, .shift = 12, .least = -3968},
        (int32_t[]){101, 49, 6, -34, -75}, (int32_t[]){-57, -70, -79, -86, -92}, 5);
    gives(
        &(struct num_softmax){
            .input = NUM_INT8, .result = NUM_INT16, .multiplier = 1078071151, .shift = 12, .least = -3968},
        (int32_t[]){-44, 37, -39, 46, 20, 56, 17, -69, -73, 25, -124, 125},
        (int32_t[]){-28290, -26615, -28201, -26394, -27012, -26139, -27079, -28708, -28771, -26898, -29496,
                    -24079},
        12);
    gives(
        &(struct num_softmax){.input = NUM_INT16, .result = NUM_INT16, .multiplier = 1718013132, .shift = 33},
        (int32_t[]){-9644, -28042, -8526, 29765, -5843, -5893, -21496, 20033, 23677, 18875},
        (int32_t[]){1986, 1133, 2055, 6611, 2230, 2227, 1383, 4912, 5490, 4742}, 10);
}

/* By hand, after TFLite's definition; the last one is beyond its range. */
Test(softmax, scales)
{
    static const struct {
        double scale;
        int32_t multiplier;
        unsigned shift;
        int32_t least;
    } cases[] = {{0.0625, 1 << 30, 8, -248},
                 {0.09375, 3 << 29, 8, -248},
                 {1, 1 << 30, 4, -15},
                 {16, INT32_MAX, 1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct num_softmax of = {.input = NUM_INT8};
        num_softmax_set_scale(&of, cases[i].scale);
        cr_assert(of.multiplier == cases[i].multiplier && of.shift == cases[i].shift &&
                      of.least == cases[i].least,
                  "%g: %d, %u, %d", cases[i].scale, of.multiplier, of.shift, of.least);
    }
    struct num_softmax wide = {.input = NUM_INT16};
    num_softmax_set_scale(&wide, 10 / 65535.0);
    cr_assert(wide.multiplier == 1 << 30 && wide.shift == 30 && wide.least == INT32_MIN);
}
