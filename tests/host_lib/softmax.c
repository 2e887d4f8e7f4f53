/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax by the library, on the functional model: random rows against sim/numerics, scales that TFLite has,
 * and what is refused.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/numerics/softmax.h"
#include "support.h"
#include "tests/gen_base/scratch.h"

#define KEYS ";set=channel_groups=16;set=zero_points=on;set=roundings=on;set=joins=on;set=softmax=256"
#define DEVICE "model:tiny" KEYS

/* Rows of int8 with or without a sign. Strides leave gaps behind them. */
struct trial {
    struct tulle_operator_options options;
    struct tulle_softmax softmax;
    int64_t rows, columns, pitch;
    int8_t *numbers;
    struct tulle_matrix input;
};

static struct trial trial_make(struct random *dice, unsigned rows, unsigned columns)
{
    struct trial t = {.rows = random_range(dice, 1, rows), .columns = random_range(dice, 1, columns)};
    t.pitch = t.columns + random_range(dice, 0, 3);
    t.softmax = (struct tulle_softmax){.size = sizeof t.softmax, .columns = t.columns};
    done(tulle_softmax_scale(ldexp(1 + (double)random_below(dice, 1000) / 1000, -(int)random_below(dice, 9)),
                             1 + random_below(dice, 2), &t.softmax));
    t.options =
        (struct tulle_operator_options){.size = sizeof t.options,
                                        .operation = TULLE_SOFTMAX,
                                        .dense = t.rows,
                                        .output_type = random_chance(dice, 50) ? TULLE_INT8 : TULLE_INT16,
                                        .input_unsigned = random_chance(dice, 40),
                                        .output_unsigned = random_chance(dice, 40)};
    t.numbers = calloc((size_t)(t.rows * t.pitch), 1);
    cr_assert(t.numbers);
    for (int64_t i = 0; i < t.rows * t.pitch; i++)
        t.numbers[i] = (int8_t)((int)random_below(dice, 256) - 128);
    t.input = (struct tulle_matrix){.size = sizeof t.input,
                                    .type = TULLE_INT8,
                                    .rows = t.rows,
                                    .columns = t.columns,
                                    .row_stride = t.pitch,
                                    .column_stride = 1,
                                    .values = t.numbers};
    return t;
}

static void expected(const struct trial *t, int64_t row, int32_t *numbers)
{
    const bool narrow = t->options.output_type == TULLE_INT8;
    const struct num_softmax softmax = {.input = NUM_INT8,
                                        .result = narrow ? NUM_INT8 : NUM_INT16,
                                        .multiplier = t->softmax.multiplier,
                                        .shift = t->softmax.shift,
                                        .least = t->softmax.least};
    for (int64_t i = 0; i < t->columns; i++) {
        const int8_t stored = t->numbers[row * t->pitch + i];
        numbers[i] = t->options.input_unsigned ? (uint8_t)stored - 128 : stored;
    }
    num_softmax(&softmax, numbers, numbers, (size_t)t->columns);
    for (int64_t i = 0; t->options.output_unsigned && i < t->columns; i++)
        numbers[i] = narrow ? (int8_t)(numbers[i] + 128) : (int16_t)(numbers[i] + 32768);
}

static void run(struct tulle_operator *op, const struct trial *t)
{
    void *values = calloc((size_t)(t->rows * t->columns), 2);
    int32_t *wanted = calloc((size_t)t->columns, sizeof *wanted);
    const struct tulle_output output = {
        .size = sizeof output, .type = t->options.output_type, .values = values};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &t->input, .output = &output};
    done(tulle_run(op, &operands, WAIT, NULL));
    for (int64_t row = 0; row < t->rows; row++) {
        expected(t, row, wanted);
        for (int64_t i = 0; i < t->columns; i++) {
            const int64_t at = row * t->columns + i;
            const int32_t got = output.type == TULLE_INT8 ? ((int8_t *)values)[at] : ((int16_t *)values)[at];
            cr_assert_eq(got, wanted[i], "row %lld, column %lld: %d, not %d", (long long)row, (long long)i,
                         got, wanted[i]);
        }
    }
    free(wanted);
    free(values);
}

/* Every other operator is saved and loaded. */
static unsigned trials(const char *list, uint64_t memory, unsigned rows, unsigned columns, unsigned count)
{
    struct tulle_device *device = open_device(list, NULL, memory);
    unsigned jobs = 0;
    const char *const path = "operator";
    for (unsigned i = 0; i < count; i++) {
        struct random dice = {100 + i};
        struct trial t = trial_make(&dice, rows, columns);
        struct tulle_operator *op = NULL;
        struct tulle_operator_info about = {.size = sizeof about};
        t.options.softmax = &t.softmax;
        done(tulle_operator_create(device, &t.options, &op));
        if (i % 2) {
            done(tulle_operator_save(op, path));
            tulle_operator_free(op);
            done(tulle_operator_load(device, path, &op));
        }
        done(tulle_operator_describe(op, &about));
        cr_assert_str_eq(about.plan, "softmax");
        cr_assert_gt(about.predicted_cycles, 0u);
        jobs += about.jobs;
        run(op, &t);
        if (i % 2 == 0) { /* and then fewer rows */
            t.rows = t.input.rows = random_range(&dice, 1, (unsigned)t.rows);
            run(op, &t);
        }
        tulle_operator_free(op);
        free(t.numbers);
    }
    tulle_device_close(device);
    return jobs;
}

Test(host_lib_softmax, on_tiny, .init = scratch_enter, .fini = scratch_leave)
{
    cr_assert_eq(trials(DEVICE, 0, 20, 60, 100), 100u);
}

Test(host_lib_softmax, on_base, .init = scratch_enter, .fini = scratch_leave)
{
    trials("model:base" KEYS, 0, 10, 256, 50);
}

/* Rows that do not fit at once, in several jobs; many short ones, whose cycles are predicted all the same. */
Test(host_lib_softmax, in_parts, .init = scratch_enter, .fini = scratch_leave)
{
    cr_assert_gt(trials(DEVICE ";memory=262144", 150000, 40000, 4, 6), 6u);
}

/* Numbers that TFLite has for these scales: those of CMSIS-NN's test data. */
Test(host_lib_softmax, scales_are_those_of_tflite)
{
    struct tulle_softmax s = {.size = sizeof s};
    done(tulle_softmax_scale(1077952640.0 / ((double)(1 << 26) * (1 << 12)), 1, &s));
    cr_expect_eq(s.multiplier, 1077952640);
    cr_expect_eq(s.shift, 12u);
    cr_expect_eq(s.least, -3968);
    done(tulle_softmax_scale(100, 1, &s)); /* as good as the largest only */
    cr_expect_eq(s.multiplier, INT32_MAX);
    cr_expect_eq(s.shift, 1u);
    refuses(TULLE_INVALID_ARGUMENT, "a scale of 0", tulle_softmax_scale(0, 1, &s));
    refuses(TULLE_INVALID_ARGUMENT, "a beta of -1", tulle_softmax_scale(1, -1, &s));
    refuses(TULLE_INVALID_ARGUMENT, "softmax is NULL", tulle_softmax_scale(1, 1, NULL));
}

#define IS(status, text, change)                                                     \
    do {                                                                             \
        struct random dice = {7};                                                    \
        struct trial t = trial_make(&dice, 3, 20);                                   \
        struct tulle_operator *op = NULL;                                            \
        t.options.softmax = &t.softmax;                                              \
        change;                                                                      \
        refuses((status), (text), tulle_operator_create(refusing, &t.options, &op)); \
        free(t.numbers);                                                             \
    } while (0)

Test(host_lib_softmax, refusals)
{
    static const int32_t bias[1] = {0};
    static const struct tulle_plan_options plan = {.size = sizeof plan, .mapping = "os"};
    static const struct tulle_epilogue relu = {.size = sizeof relu, .function = TULLE_RELU};
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    struct tulle_device *refusing = open_device(DEVICE, NULL, 0);
    IS(wrong, "it is NULL, and TULLE_SOFTMAX has rows", t.options.softmax = NULL);
    IS(wrong, "only TULLE_SOFTMAX has one", t.options.operation = TULLE_SPMM_RIGHT);
    IS(wrong, "0 columns", t.softmax.columns = 0);
    IS(TULLE_UNSUPPORTED, "rows of 257 columns; variant tiny takes 256", t.softmax.columns = 257);
    IS(wrong, "multiplier is 0 or more", t.softmax.multiplier = -1);
    IS(wrong, "shift 0 to 63", t.softmax.shift = 64);
    IS(wrong, "struct tulle_softmax: size is 3", t.softmax.size = 3);
    IS(wrong, "reserved is 3", t.softmax.reserved = 3);
    IS(wrong, "has no epilogue", t.options.epilogue = &relu);
    IS(wrong, "has no matrix, bias", t.options.bias = bias);
    IS(wrong, "no mapping", t.options.plan = &plan);
    IS(wrong, "results are int8 or int16", t.options.output_type = TULLE_INT32;
       t.options.output_unsigned = 0);
    tulle_device_close(refusing);
}

Test(host_lib_softmax, needs_its_key)
{
    struct tulle_device *refusing =
        open_device("model:tiny;set=channel_groups=16;set=zero_points=on", NULL, 0);
    IS(TULLE_UNSUPPORTED, "made without softmax", (void)0);
    tulle_device_close(refusing);
}
