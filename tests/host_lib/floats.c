/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators for floats against sums of doubles: no result is further away
 * than was told, and the mean of squares is what was told.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { HEIGHT = 7, WIDTH = 6, CHANNELS = 5 };

struct trial {
    struct tulle_float_options options;
    struct sample weights;
    float *entries, *dense; /* the weights, by entries and all */
    float *input, *bias;
    struct tulle_matrix matrix, input_matrix;
    int64_t m, n, k; /* dense rows, results of each, what is summed over */
};

static const struct tulle_plan_options quick = {.size = sizeof quick, .effort = 1};

static const struct tulle_window window = {.size = sizeof window,
                                           .height = HEIGHT,
                                           .width = WIDTH,
                                           .channels = CHANNELS,
                                           .kernel_height = 3,
                                           .kernel_width = 2,
                                           .stride_x = 2,
                                           .pad_top = 1,
                                           .pad_bottom = 1};

static bool one_in(struct random *random, unsigned count)
{
    return random_below(random, count) == 0;
}

static double uniform(struct random *random)
{
    return (double)(int64_t)random_below(random, 2000001) / 1000000 - 1;
}

static float *floats(int64_t count)
{
    float *to = calloc((size_t)count + 1, sizeof *to);
    cr_assert(to);
    return to;
}

/* Of very different sizes from result to result: one scale for all would not do. */
static void make_weights(struct trial *t, struct random *random)
{
    const bool right = t->options.operation == TULLE_SPMM_RIGHT;
    t->weights = sample_make(right ? t->k : t->n, right ? t->n : t->k, 0.5, random);
    const struct sample *s = &t->weights;
    t->entries = floats(s->entries);
    t->dense = floats(s->rows * s->columns);
    for (int64_t e = 0; e < s->entries; e++) {
        const int64_t result = right ? s->column[e] : s->row[e];
        t->entries[e] = (float)(uniform(random) * pow(10, (double)(result % 4) - 2));
        t->dense[s->row[e] * s->columns + s->column[e]] = t->entries[e];
    }
    t->matrix = sample_view(s, one_in(random, 3) ? TULLE_DENSE : one_in(random, 2) ? TULLE_CSR : TULLE_COO);
    t->matrix.type = TULLE_FLOAT32;
    t->matrix.values = t->matrix.format == TULLE_DENSE ? t->dense : t->entries;
}

static void make_input(struct trial *t, double range, struct random *random)
{
    const bool images = t->options.operation == TULLE_CONVOLUTION,
               right = t->options.operation == TULLE_SPMM_RIGHT;
    const int64_t rows = images  ? (int64_t)HEIGHT * WIDTH
                         : right ? t->m
                                 : t->k,
                  columns = images  ? CHANNELS
                            : right ? t->k
                                    : t->m;
    t->input = floats(rows * columns);
    for (int64_t i = 0; i < rows * columns; i++)
        t->input[i] = (float)(range * uniform(random));
    t->input_matrix = (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                            .type = TULLE_FLOAT32,
                                            .rows = rows,
                                            .columns = columns,
                                            .values = t->input};
}

static struct trial trial_make(enum tulle_operation operation, double range, struct random *random)
{
    struct trial t = {
        .options = {.size = sizeof t.options, .operation = operation, .range = (float)range, .plan = &quick}};
    const bool images = operation == TULLE_CONVOLUTION;
    t.n = 4 + (int64_t)random_below(random, 20);
    t.k = images ? 3 * 2 * CHANNELS : 5 + (int64_t)random_below(random, 40);
    t.m = images ? HEIGHT * (WIDTH / 2) : operation == TULLE_SPMV ? 1 : 1 + (int64_t)random_below(random, 9);
    t.options.dense = images ? 0 : t.m;
    t.options.window = images ? &window : NULL;
    make_weights(&t, random);
    make_input(&t, range, random);
    t.bias = floats(t.n);
    for (int64_t i = 0; i < t.n; i++)
        t.bias[i] = (float)uniform(random);
    t.options.bias = one_in(random, 2) ? t.bias : NULL;
    return t;
}

static void trial_free(struct trial *t)
{
    sample_free(&t->weights);
    free(t->entries);
    free(t->dense);
    free(t->input);
    free(t->bias);
}

/* ---- the definition -------------------------------------------------------------------------------- */

static double pixel(const struct trial *t, int64_t y, int64_t x, int64_t channel)
{
    return y < 0 || y >= HEIGHT || x >= WIDTH ? 0 : t->input[(y * WIDTH + x) * CHANNELS + channel];
}

/* What weight j of a result of dense row m meets. */
static double input_at(const struct trial *t, int64_t m, int64_t j)
{
    const int64_t across = WIDTH / 2, tap = j / CHANNELS;
    if (t->options.operation == TULLE_CONVOLUTION)
        return pixel(t, m / across + tap / 2 - 1, m % across * 2 + tap % 2, j % CHANNELS);
    return t->input[t->options.operation == TULLE_SPMM_RIGHT ? m * t->k + j : j * t->m + m];
}

static double function_of(const struct tulle_float_options *o, double value)
{
    switch (o->function) {
    case TULLE_RELU:
        return value > 0 ? value : 0;
    case TULLE_LEAKY_RELU:
        return value > 0 ? value : value * o->slope;
    case TULLE_CLAMP:
        return value < o->low ? o->low : value > o->high ? o->high : value;
    default:
        return value;
    }
}

static double expected_of(const struct trial *t, int64_t m, int64_t n)
{
    double sum = t->options.bias ? t->bias[n] : 0;
    for (int64_t j = 0; j < t->k; j++)
        sum += input_at(t, m, j) *
               t->dense[t->options.operation == TULLE_SPMM_RIGHT ? j * t->n + n : n * t->k + j];
    return function_of(&t->options, sum);
}

/* Results have strides: a gap behind each. */
static float result_of(const struct trial *t, const float *values, int64_t m, int64_t n)
{
    const bool by_m = t->options.operation >= TULLE_SPMM_RIGHT;
    return values[2 * (by_m ? m * t->n + n : n * t->m + m)];
}

/* ---- on a device ------------------------------------------------------------------------------------ */

struct measured {
    double squares; /* of errors over what was expected of them */
    unsigned count;
};

/* Results, with their strides. */
static float *run(struct trial *t, struct tulle_float *op, uint64_t clipped_wanted)
{
    const bool by_m = t->options.operation >= TULLE_SPMM_RIGHT;
    const int64_t columns = by_m ? t->n : t->m;
    float *values = floats(2 * t->m * t->n);
    uint64_t clipped = 99;
    const struct tulle_float_operands operands = {.size = sizeof operands,
                                                  .input = &t->input_matrix,
                                                  .row_stride = 2 * columns,
                                                  .column_stride = 2,
                                                  .values = values};
    done(tulle_float_run(op, &operands, WAIT, &clipped, NULL));
    cr_assert_eq(clipped, clipped_wanted);
    return values;
}

/* The mean and the largest of all. */
static void check_description(const struct trial *t, const struct tulle_float *op, const double *expected,
                              const double *worst)
{
    struct tulle_float_info info = {.size = sizeof info};
    double squares = 0, most = 0;
    done(tulle_float_describe(op, &info));
    for (int64_t n = 0; n < t->n; n++) {
        squares += expected[n] * expected[n];
        most = fmax(most, worst[n]);
    }
    cr_assert_eq(info.worst_error, most);
    cr_assert_float_eq(info.expected_error, sqrt(squares / (double)t->n), 1e-9 * info.expected_error);
}

static void compare(struct trial *t, struct tulle_float *op, uint64_t number, struct measured *measured)
{
    float *values = run(t, op, 0);
    double *expected = calloc((size_t)t->n, sizeof *expected), *worst = calloc((size_t)t->n, sizeof *worst);
    size_t count = 0;
    cr_assert(expected && worst);
    done(tulle_float_errors(op, expected, worst, (size_t)t->n, &count));
    cr_assert_eq((int64_t)count, t->n);
    check_description(t, op, expected, worst);
    for (int64_t i = 0; i < t->m * t->n; i++) {
        const int64_t m = i / t->n, n = i % t->n;
        const double wanted = expected_of(t, m, n), error = fabs(result_of(t, values, m, n) - wanted);
        cr_assert_leq(error, worst[n] + 1e-12,
                      "trial %llu: result %lld of row %lld is %g from %g, more than %g",
                      (unsigned long long)number, (long long)n, (long long)m, error, wanted, worst[n]);
        cr_assert_leq(expected[n], worst[n] + 1e-12);
        if (expected[n] > 0) {
            measured->squares += error * error / (expected[n] * expected[n]);
            measured->count++;
        }
    }
    free(values);
    free(expected);
    free(worst);
}

/* Root of the mean square of errors over what was expected of each. */
static double trials(const char *devices, enum tulle_operation operation, enum tulle_function function,
                     unsigned count, uint64_t seed)
{
    struct tulle_device *device = open_device(devices, NULL, 0);
    struct measured measured = {0};
    for (unsigned i = 0; i < count; i++) {
        struct random own = {seed + i};
        struct trial t = trial_make(operation, i % 2 ? 3 : 0.01, &own);
        struct tulle_float *op = NULL;
        t.options.matrix = &t.matrix;
        t.options.function = function;
        t.options.slope = 0.25F;
        t.options.high = 0.006F;
        if (i % 3 == 0) { /* the range of what will come */
            t.options.range = 0;
            t.options.example = &t.input_matrix;
        }
        done(tulle_float_create(device, &t.options, &op));
        compare(&t, op, seed + i, &measured);
        tulle_float_free(op);
        trial_free(&t);
    }
    tulle_device_close(device);
    return sqrt(measured.squares / measured.count);
}

static void near_one(double ratio)
{
    cr_assert(ratio > 0.9 && ratio < 1.1, "errors are %g times what was told", ratio);
}

Test(host_lib_floats, vectors)
{
    near_one(trials(tiny_device(), TULLE_SPMV, TULLE_NONE, 120, 100));
}

Test(host_lib_floats, products)
{
    near_one(trials(tiny_device(), TULLE_SPMM_LEFT, TULLE_NONE, 60, 300));
    near_one(trials("model:tiny", TULLE_SPMM_RIGHT, TULLE_NONE, 60, 500));
}

/* What lies outside has no error. */
Test(host_lib_floats, convolutions)
{
    const double ratio = trials(tiny_device(), TULLE_CONVOLUTION, TULLE_NONE, 60, 700);
    cr_assert(ratio > 0.8 && ratio < 1.05, "errors are %g times what was told", ratio);
}

Test(host_lib_floats, functions)
{
    static const enum tulle_function functions[] = {TULLE_RELU, TULLE_LEAKY_RELU, TULLE_CLAMP};
    for (unsigned i = 0; i < 3; i++) {
        const double ratio = trials(tiny_device(), TULLE_SPMM_RIGHT, functions[i], 30, 900 + 100 * i);
        cr_assert(ratio > 0.1 && ratio < 1, "errors are %g times what was told", ratio);
    }
}

Test(host_lib_floats, of_16_bits)
{
    near_one(trials("model:tiny;set=data_width=16;set=acc_width=48", TULLE_SPMM_RIGHT, TULLE_NONE, 40, 1300));
}

/* ---- what goes wrong ---------------------------------------------------------------------------------- */

static struct trial usual_trial(void)
{
    struct random random = {8};
    struct trial t = trial_make(TULLE_SPMM_RIGHT, 1, &random);
    return t;
}

Test(host_lib_floats, clipped)
{
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    struct trial t = usual_trial();
    struct tulle_float *op = NULL;
    struct tulle_float_info info = {.size = sizeof info};
    t.options.matrix = &t.matrix;
    done(tulle_float_create(device, &t.options, &op));
    done(tulle_float_describe(op, &info));
    cr_assert_float_eq(info.input_scale, 1.0 / 127, 1e-9);
    cr_assert_float_eq(info.range, 1, 1e-9);
    cr_assert(info.expected_error > 0 && info.expected_error < info.worst_error);
    t.input[0] = 100;
    t.input[1] = -7;
    t.input[2] = 1;
    float *far = run(&t, op, 2);
    t.input[0] = 1; /* what they were brought to */
    t.input[1] = -1;
    float *near = run(&t, op, 0);
    cr_assert_eq(memcmp(far, near, (size_t)(2 * t.m * t.n) * sizeof *far), 0);
    free(far);
    free(near);
    tulle_float_free(op);
    trial_free(&t);
    tulle_device_close(device);
}

static void refuses_options(struct tulle_device *device, enum tulle_status status, const char *text,
                            struct tulle_float_options options)
{
    struct tulle_float *op = NULL;
    refuses(status, text, tulle_float_create(device, &options, &op));
    cr_assert_null(op);
}

#define IS(status, text, change)                      \
    do {                                              \
        struct tulle_float_options o = t.options;     \
        change;                                       \
        refuses_options(device, (status), (text), o); \
    } while (0)

Test(host_lib_floats, refused)
{
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    struct trial t = usual_trial();
    struct tulle_float *op = NULL;
    size_t count = 0;
    t.options.matrix = &t.matrix;
    t.options.bias = t.bias;
    const struct tulle_matrix zeros = {.size = sizeof zeros,
                                       .format = TULLE_CSR,
                                       .type = TULLE_FLOAT32,
                                       .rows = 1,
                                       .columns = 4,
                                       .index_type = TULLE_INT32,
                                       .starts = (const int32_t[]){0, 0}};
    IS(wrong, "not for operation 5", o.operation = TULLE_AVERAGE_POOL);
    IS(wrong, "range is -1", o.range = -1);
    IS(wrong, "range is nan", o.range = NAN);
    IS(wrong, "the range of the inputs is not known", o.range = 0);
    IS(wrong, "only zeros", o.example = &zeros);
    IS(wrong, "slope is 2", o.function = TULLE_LEAKY_RELU; o.slope = 2);
    IS(wrong, "nothing is between", o.function = TULLE_CLAMP; o.low = 1);
    IS(wrong, "no function 4", o.function = TULLE_SIGMOID);
    IS(wrong, "window is given", o.window = &window);
    IS(wrong, "there is none", o.matrix = NULL);
    t.bias[1] = INFINITY;
    IS(TULLE_INVALID_MATRIX, "the bias: value 1 is not", (void)o);
    t.bias[1] = 0;
    t.entries[0] = NAN;
    t.matrix = sample_view(&t.weights, TULLE_CSR);
    t.matrix.type = TULLE_FLOAT32;
    t.matrix.values = t.entries;
    IS(TULLE_INVALID_MATRIX, "is not a finite number", (void)o);
    t.entries[0] = 1;
    done(tulle_float_create(device, &t.options, &op));
    cr_assert(tulle_float_operator(op) && !tulle_float_operator(NULL));
    float *values = floats(t.m * t.n);
    struct tulle_float_operands operands = {
        .size = sizeof operands, .input = &t.input_matrix, .values = values};
    t.input[3] = NAN;
    refuses(TULLE_INVALID_MATRIX, "the input: value 3 is not",
            tulle_float_run(op, &operands, WAIT, NULL, NULL));
    t.input[3] = 0;
    t.input_matrix.rows++;
    refuses(wrong, "and the operator takes", tulle_float_run(op, &operands, WAIT, NULL, NULL));
    t.input_matrix.rows--;
    operands.row_stride = operands.column_stride = 1;
    refuses(wrong, "would overlap", tulle_float_run(op, &operands, WAIT, NULL, NULL));
    operands.values = NULL;
    refuses(wrong, "values is NULL", tulle_float_run(op, &operands, WAIT, NULL, NULL));
    refuses(wrong, "NULL", tulle_float_run(NULL, &operands, WAIT, NULL, NULL));
    refuses(wrong, "NULL", tulle_float_describe(op, NULL));
    refuses(wrong, "NULL", tulle_float_errors(NULL, NULL, NULL, 0, &count));
    refuses(wrong, "NULL", tulle_float_create(NULL, &t.options, &op));
    tulle_float_free(NULL);
    tulle_float_free(op);
    free(values);
    trial_free(&t);
    tulle_device_close(device);
}
