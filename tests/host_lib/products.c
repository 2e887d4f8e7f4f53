/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of all kinds of operators, against sums written out here and the
 * project's numerics.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/numerics/numerics.h"
#include "support.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_icd/support.h"

#define CHANNELS_MAX 60

struct trial {
    int8_t table[256];
    struct tulle_operator_options options;
    struct tulle_epilogue epilogue;
    struct sample sparse, dense;
    struct tulle_matrix matrix, input, initial;
    int32_t *bias, *sums;
    struct tulle_channels channels;
    int32_t multiplier[CHANNELS_MAX];
    uint8_t shift[CHANNELS_MAX];
    int16_t low[CHANNELS_MAX], high[CHANNELS_MAX];
    int64_t results, columns; /* of the result */
    int64_t row_stride, column_stride;
    bool begins;
};

/* tiny has the first three. */
static const enum tulle_function functions[] = {TULLE_NONE, TULLE_RELU, TULLE_REQUANTISE, TULLE_CLAMP};

static int8_t sparse_at(const struct trial *t, int64_t row, int64_t column)
{
    int8_t v = t->sparse.dense[row * t->sparse.columns + column];
    return v;
}

/* Entry (row, column) of the result, from the definition. */
/* Requantised in numbers without a sign; read back as one with it. */
static int64_t without_sign(const struct trial *t, const struct num_step *step, int64_t sum, int64_t channel)
{
    const bool own = t->options.channels && t->options.channels->low;
    const int64_t most = step->element == NUM_INT8 ? UINT8_MAX : UINT16_MAX;
    const int64_t low = own ? t->low[channel] : t->epilogue.low,
                  high = own ? t->high[channel] : t->epilogue.high;
    int64_t value = num_scale(sum, step->multiplier, step->shift, step->rounding) + t->epilogue.zero;
    value = value < low ? low : value > high ? high : value;
    value = value < 0 ? 0 : value > most ? most : value;
    if (t->epilogue.lookup)
        return t->epilogue.lookup[value];
    return value > most / 2 ? value - most - 1 : value;
}

static int64_t expected(const struct trial *t, int64_t row, int64_t column, unsigned accumulator)
{
    const struct tulle_operator_options *o = &t->options;
    const bool right = o->operation == TULLE_SPMM_RIGHT;
    const int64_t length = right ? t->sparse.rows : t->sparse.columns;
    int64_t sum = o->bias ? o->bias[right ? column : row] : 0;
    if (t->begins)
        sum += t->sums[row * t->columns + column];
    for (int64_t i = 0; i < length; i++) {
        int64_t w = right ? sparse_at(t, i, column) : sparse_at(t, row, i);
        const int8_t bits =
            t->dense.dense[right ? row * t->dense.columns + i : i * t->dense.columns + column];
        int64_t x = o->input_unsigned ? (uint8_t)bits : bits;
        if (t->input.format != TULLE_DENSE && !x)
            x = o->input_zero;
        sum += w * (x - o->input_zero);
    }
    const int64_t channel = right ? column : row;
    struct num_step step = {.function = (enum num_function)t->epilogue.function,
                            .element = (enum num_element)o->output_type,
                            .shift = t->epilogue.shift,
                            .multiplier = t->epilogue.multiplier,
                            .low = (int16_t)t->epilogue.low,
                            .high = (int16_t)t->epilogue.high,
                            .zero = (int16_t)t->epilogue.zero,
                            .rounding = (enum num_rounding)t->epilogue.rounding};
    const enum num_element element = step.element;
    step.lookup = t->epilogue.lookup;
    if (step.lookup)
        step.function = NUM_LOOKUP;
    uint8_t bytes[8];
    if (o->channels && o->channels->multiplier) {
        step.multiplier = t->multiplier[channel];
        step.shift = t->shift[channel];
    }
    if (o->output_unsigned)
        return without_sign(t, &step, num_wrap(sum, accumulator), channel);
    if (o->channels && o->channels->low) {
        step.low = t->low[channel];
        step.high = t->high[channel];
        step.element = NUM_INT64;
    }
    const int64_t value = num_apply(&step, num_wrap(sum, accumulator));
    num_put_elements(bytes, element, false, &value, 1);
    return num_get_element(bytes, element);
}

static void make_epilogue(struct trial *t, unsigned kinds, struct random *random)
{
    struct tulle_operator_options *o = &t->options;
    o->output_type = (enum tulle_type)(unsigned)random_below(random, 4);
    t->epilogue.function = functions[random_below(random, kinds)];
    t->epilogue.multiplier = (int32_t)(unsigned)random_below(random, 4000) - 500;
    t->epilogue.shift = (unsigned)random_below(random, 20);
    t->epilogue.low = -(int)(unsigned)random_below(random, 128);
    t->epilogue.high = (int)(unsigned)random_below(random, 128);
    t->epilogue.zero = (int)(unsigned)random_below(random, 20) - 10;
    o->input_zero = (unsigned)random_below(random, 3) ? 0 : (int)(unsigned)random_below(random, 40) - 20;
    o->initial = (unsigned)random_below(random, 2) == 0;
    if ((unsigned)random_below(random, 2)) {
        o->bias = t->bias;
        for (int64_t i = 0; i < t->sparse.rows + t->sparse.columns; i++)
            t->bias[i] = (int32_t)(unsigned)random_below(random, 20000) - 10000;
    }
}

static void make_begin(struct trial *t, struct random *random)
{
    const bool right = t->options.operation == TULLE_SPMM_RIGHT;
    int64_t rows = right ? t->dense.rows : t->sparse.rows;
    t->columns = right ? t->sparse.columns : t->dense.columns;
    t->results = rows * t->columns;
    t->sums = calloc((size_t)t->results + 1, sizeof *t->sums);
    cr_assert(t->sums);
    t->begins = t->options.initial && (unsigned)random_below(random, 2);
    for (int64_t i = 0; i < t->results; i++)
        t->sums[i] = (int32_t)(unsigned)random_below(random, 100000) - 50000;
    t->initial = (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                       .type = TULLE_INT32,
                                       .rows = rows,
                                       .columns = t->columns,
                                       .values = t->sums};
    t->row_stride = (unsigned)random_below(random, 2) ? t->columns + (unsigned)random_below(random, 3) : 1;
    t->column_stride = t->row_stride == 1 ? rows + (unsigned)random_below(random, 3) : 1;
}

static struct trial trial_make(unsigned kinds, struct random *random)
{
    struct trial t = {.options.size = sizeof t.options,
                      .epilogue.size = sizeof t.epilogue,
                      .options.operation =
                          (enum tulle_operation)(unsigned)random_below(random, TULLE_SPMM_RIGHT + 1)};
    const bool right = t.options.operation == TULLE_SPMM_RIGHT, spmv = t.options.operation == TULLE_SPMV;
    t.sparse = sample_make(1 + (unsigned)random_below(random, 60), 1 + (unsigned)random_below(random, 60),
                           (unsigned)random_below(random, 11) / 10.0, random);
    int64_t m = spmv ? 1 : 1 + (unsigned)random_below(random, 12);
    t.dense = sample_make(right ? m : t.sparse.columns, right ? t.sparse.rows : m,
                          (unsigned)random_below(random, 11) / 10.0, random);
    t.matrix = sample_view(&t.sparse, (enum tulle_format)(unsigned)random_below(random, TULLE_FORMATS));
    t.input = sample_view(&t.dense, (enum tulle_format)(unsigned)random_below(random, TULLE_FORMATS));
    t.options.dense = m;
    t.bias = calloc((size_t)(t.sparse.rows + t.sparse.columns), sizeof *t.bias);
    cr_assert(t.bias);
    make_epilogue(&t, kinds, random);
    make_begin(&t, random);
    return t;
}

static void trial_free(struct trial *t)
{
    sample_free(&t->sparse);
    sample_free(&t->dense);
    free(t->bias);
    free(t->sums);
}

static int64_t result_at(const struct trial *t, const void *values, int64_t row, int64_t column)
{
    static const unsigned bytes[] = {1, 2, 4, 8};
    int64_t at = row * t->row_stride + column * t->column_stride;
    return num_get_element((const uint8_t *)values + at * bytes[t->options.output_type],
                           (enum num_element)t->options.output_type);
}

static void compare(const struct trial *t, const void *values, uint64_t number, unsigned accumulator)
{
    for (int64_t i = 0; i < t->results; i++) {
        int64_t row = i / t->columns, column = i % t->columns;
        cr_assert_eq(result_at(t, values, row, column), expected(t, row, column, accumulator),
                     "trial %llu: result [%lld][%lld] is %lld, not %lld", (unsigned long long)number,
                     (long long)row, (long long)column, (long long)result_at(t, values, row, column),
                     (long long)expected(t, row, column, accumulator));
    }
}

/* Twice, so that what the first run left behind does not matter. */
static void trial_run_on(struct tulle_device *device, struct tulle_operator *op, const struct trial *t,
                         uint64_t number)
{
    struct tulle_device_info info = {.size = sizeof info};
    const size_t room = (size_t)(t->row_stride * t->column_stride * (t->results + 1) + t->results + 64) * 8;
    uint8_t *values = calloc(1, room);
    const struct tulle_output output = {.size = sizeof output,
                                        .type = t->options.output_type,
                                        .row_stride = t->row_stride,
                                        .column_stride = t->column_stride,
                                        .values = values};
    const struct tulle_operands operands = {.size = sizeof operands,
                                            .input = &t->input,
                                            .initial = t->begins ? &t->initial : NULL,
                                            .output = &output};
    cr_assert(values);
    done(tulle_device_describe(device, &info));
    for (unsigned i = 0; i < 2; i++) {
        memset(values, 0x5A, room);
        done(tulle_run(op, &operands, WAIT, NULL));
        compare(t, values, number, info.accumulator_bits);
    }
    free(values);
}

static void trial_run(struct tulle_device *device, struct trial *t, uint64_t number)
{
    struct tulle_operator *op = NULL;
    t->options.epilogue = &t->epilogue;
    t->options.matrix = &t->matrix;
    done(tulle_operator_create(device, &t->options, &op));
    trial_run_on(device, op, t, number);
    tulle_operator_free(op);
}

/* Any zero point, with or without a sign, where the device has zero points. */
static void choose_zero_point(const char *device_name, struct trial *t, struct random *random)
{
    if (!strstr(device_name, "zero_points=on"))
        return;
    t->options.input_unsigned = (int)random_below(random, 2);
    t->options.input_zero = (int)random_below(random, 256) - (t->options.input_unsigned ? 0 : 128);
    t->options.output_unsigned = t->epilogue.function == TULLE_REQUANTISE &&
                                 t->options.output_type <= TULLE_INT16 && random_chance(random, 60);
    if (t->options.output_unsigned) {
        const unsigned values = t->options.output_type == TULLE_INT8 ? UINT8_MAX + 1 : UINT16_MAX + 1;
        t->epilogue.zero = (int)random_below(random, values);
        t->epilogue.low = (int)random_below(random, values / 2);
        t->epilogue.high = t->epilogue.low + (int)random_below(random, values / 2);
    }
}

/* A table behind results of int8, where the device has one. */
static void choose_table(const char *device_name, struct trial *t, struct random *random)
{
    if (!strstr(device_name, "lookup=on") || t->epilogue.function != TULLE_REQUANTISE ||
        t->options.output_type != TULLE_INT8 || random_chance(random, 30))
        return;
    for (unsigned i = 0; i < sizeof t->table; i++)
        t->table[i] = (int8_t)((int)random_below(random, 256) - 128);
    t->epilogue.lookup = t->table;
}

/* Some numbers of each channel's own, where the device has a table of them and the function a use. */
static void choose_channels(const char *device_name, struct trial *t, struct random *random)
{
    const bool scales = t->epilogue.function == TULLE_REQUANTISE && random_chance(random, 70),
               limits = (scales || t->epilogue.function == TULLE_CLAMP) && !t->epilogue.lookup &&
                        random_chance(random, 50);
    if (!strstr(device_name, "channel_groups=64"))
        return;
    t->channels = (struct tulle_channels){.size = sizeof t->channels,
                                          .multiplier = scales ? t->multiplier : NULL,
                                          .shift = scales ? t->shift : NULL,
                                          .low = limits ? t->low : NULL,
                                          .high = limits ? t->high : NULL};
    t->options.channels = &t->channels;
    for (unsigned i = 0; i < CHANNELS_MAX; i++) {
        t->multiplier[i] = (int32_t)random_below(random, 1 << 14) - (1 << 13);
        t->shift[i] = (uint8_t)random_below(random, 64);
        t->low[i] = (int16_t) - (int)random_below(random, 200);
        t->high[i] = (int16_t)((int)random_below(random, 512) - 256);
    }
}

static void trials_on(struct tulle_device *device, const char *device_name, unsigned kinds, unsigned count,
                      uint64_t seed)
{
    for (unsigned i = 0; i < FEWER_ROUNDS(count); i++) {
        struct random own = {seed + i};
        struct trial t = trial_make(kinds, &own);
        choose_zero_point(device_name, &t, &own);
        choose_table(device_name, &t, &own);
        choose_channels(device_name, &t, &own);
        trial_run(device, &t, seed + i);
        trial_free(&t);
    }
    tulle_device_close(device);
}

static void trials(const char *device_name, unsigned kinds, unsigned count, uint64_t seed)
{
    trials_on(open_device(device_name, NULL, 0), device_name, kinds, count, seed);
}

/* The first rows of an array do what the whole does, and so does an array that has no more; files are for
 * both. */
Test(host_lib, products_on_rows)
{
    static const char variant[] = "model:base;set=channel_groups=64;set=n=3";
    for (unsigned rows = 1; rows <= 2; rows++) {
        const struct tulle_device_options options = {.size = sizeof options, .rows = rows};
        struct tulle_device_info info = {.size = sizeof info};
        struct tulle_device *device;
        use_devices(variant);
        done(tulle_device_open(NULL, &options, &device));
        done(tulle_device_describe(device, &info));
        cr_assert_eq(info.rows, rows);
        trials_on(device, variant, 4, 40, 9000 + 1000 * rows);
    }
}

Test(host_lib, products_on_tiny)
{
    trials(tiny_device(), 3, getenv("TULLE_LIB_TEST") ? 60 : 200, 1000);
}

Test(host_lib, products_on_odd)
{
    trials("model:odd", 4, 60, 2000);
}

Test(host_lib, products_on_base)
{
    trials("model:base", 4, 30, 3000);
}

Test(host_lib_zero_points, products_on_tiny)
{
    trials("model:tiny;set=zero_points=on", 3, 200, 4000);
}

Test(host_lib_zero_points, products_on_base)
{
    trials("model:base;set=zero_points=on", 4, 30, 5000);
}

Test(host_lib_channels, products_on_tiny)
{
    trials("model:tiny;set=channel_groups=64", 3, 200, 6000);
}

Test(host_lib_channels, products_on_base)
{
    trials("model:base;set=channel_groups=64", 4, 60, 7000);
}

Test(host_lib_zero_points, tables_on_tiny)
{
    trials("model:tiny;set=zero_points=on;set=channel_groups=64;set=lookup=on", 3, 200, 8000);
}

/* Of some operators the table holds all channels; the biases of others are initial sums. */
Test(host_lib_channels, biases_with_a_small_table)
{
    trials("model:tiny;set=channel_groups=16", 3, 100, 8000);
}

/* An input of nothing but zero points, which the device skips, as it skips what lies behind the input. */
Test(host_lib_zero_points, take_no_multiplications)
{
    struct tulle_device *device = open_device("model:tiny;set=zero_points=on", NULL, 0);
    struct random random = {79};
    struct trial t = trial_make(3, &random);
    struct tulle_operator *op = NULL;
    struct tulle_counters counters = {.size = sizeof counters};
    int8_t *input = malloc((size_t)(t.dense.rows * t.dense.columns));
    int64_t *values = calloc((size_t)t.results, sizeof *values);
    cr_assert(input && values);
    memset(input, -128, (size_t)(t.dense.rows * t.dense.columns));
    t.options.matrix = &t.matrix;
    t.options.output_type = TULLE_INT64;
    t.options.input_zero = -128;
    t.options.initial = 0;
    t.options.bias = NULL;
    t.input = sample_view(&t.dense, TULLE_DENSE);
    t.input.values = input;
    done(tulle_operator_create(device, &t.options, &op));
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT64, .values = values};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &t.input, .output = &output};
    done(tulle_run(op, &operands, WAIT, &counters));
    cr_assert_gt(counters.scanned, 0u);
    cr_assert_eq(counters.effective_macs, 0u);
    for (int64_t i = 0; i < t.results; i++)
        cr_assert_eq(values[i], 0);
    tulle_operator_free(op);
    free(input);
    free(values);
    trial_free(&t);
    tulle_device_close(device);
}

/* Of several tiles and passes. */
static void trial_large(struct trial *t)
{
    struct random random = {77};
    *t = (struct trial){.epilogue.size = sizeof t->epilogue,
                        .options = {.size = sizeof t->options,
                                    .operation = TULLE_SPMM_RIGHT,
                                    .output_type = TULLE_INT32,
                                    .dense = 48}};
    t->sparse = sample_make(400, 700, 0.3, &random);
    t->dense = sample_make(48, 400, 0.7, &random);
    t->matrix = sample_view(&t->sparse, TULLE_CSR);
    t->input = sample_view(&t->dense, TULLE_DENSE);
    t->options.matrix = &t->matrix;
    t->columns = t->row_stride = 700;
    t->column_stride = 1;
    t->results = INT64_C(48) * 700;
}

/* Initial sums lie as the layout says, which a file has, too: tile by tile and pass by pass. */
Test(host_lib, files_of_many_tiles, .init = scratch_enter, .fini = scratch_leave)
{
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    struct random random = {78};
    struct trial t;
    struct tulle_operator *op = NULL, *loaded = NULL;
    const struct tulle_plan_options plan = {.size = sizeof plan, .mapping = "ws"};
    trial_large(&t);
    t.options.plan = &plan;
    t.options.initial = 1;
    make_begin(&t, &random);
    t.begins = true;
    done(tulle_operator_create(device, &t.options, &op));
    done(tulle_operator_save(op, "operator"));
    done(tulle_operator_load(device, "operator", &loaded));
    trial_run_on(device, loaded, &t, 0);
    tulle_operator_free(loaded);
    tulle_operator_free(op);
    trial_free(&t);
    tulle_device_close(device);
}

/* Memory for a few rows: several jobs, programs and weights sent with each. */
Test(host_lib, products_on_little_memory)
{
    struct tulle_device *device = open_device("model:tiny;memory=262144", NULL, 150000);
    struct trial t;
    struct tulle_operator *op = NULL;
    struct tulle_operator_info info = {.size = sizeof info};
    trial_large(&t);
    done(tulle_operator_create(device, &t.options, &op));
    done(tulle_operator_describe(op, &info));
    cr_assert_gt(info.jobs, 1u);
    cr_assert(info.streamed);
    cr_assert_leq(info.device_bytes, 150000u);
    tulle_operator_free(op);
    trial_run(device, &t, 0);
    trial_free(&t);
    tulle_device_close(device);
}
