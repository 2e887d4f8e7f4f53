/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and pools of random shapes, and what happens to their
 * operators: new values, files, little memory, several runs.
 */
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"

#define INT16_DEVICE "model:tiny;set=data_width=16;set=acc_width=48"

#define MAX_DEVICE "model:deep"

#define ZERO_POINTS ";set=zero_points=on"
#define CHANNELS ";set=channel_groups=64"
#define JOINS ";set=roundings=on;set=joins=on"

/* A shape for the device: with a zero point where it has zero points, and numbers of channels where it has
 * those. */
static struct shape shape_for(const char *devices, enum tulle_operation operation, unsigned data_bytes,
                              uint64_t seed)
{
    struct random own = {seed};
    struct shape s = shape_make(operation, data_bytes, &own);
    if (strstr(devices, ZERO_POINTS))
        shape_zero_point(&s, &own);
    if (strstr(devices, CHANNELS))
        shape_channels(&s, &own);
    if (strstr(devices, JOINS))
        shape_second(&s, &own);
    return s;
}

static unsigned data_bytes_of(struct tulle_device *device)
{
    struct tulle_device_info info = {.size = sizeof info};
    done(tulle_device_describe(device, &info));
    return info.data_bytes;
}

/* How often windows were done in which way. */
struct ways {
    unsigned depthwise, unrolled, others;
};

static void count_way(struct tulle_operator *op, struct ways *ways)
{
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_operator_describe(op, &info));
    if (strstr(info.plan, ", depthwise"))
        ways->depthwise++;
    else if (strstr(info.plan, ", unrolled"))
        ways->unrolled++;
    else
        ways->others++;
}

static struct ways shapes(const char *devices, enum tulle_operation operation, unsigned count, uint64_t seed)
{
    struct tulle_device *device = open_device(devices, NULL, 0);
    const unsigned bytes = data_bytes_of(device);
    struct ways ways = {0};
    for (unsigned i = 0; i < FEWER_ROUNDS(count); i++) {
        struct shape s = shape_for(devices, operation, bytes, seed + i);
        struct tulle_operator *op = shape_operator(device, &s, seed + i);
        shape_run(device, op, &s, seed + i);
        count_way(op, &ways);
        tulle_operator_free(op);
        shape_free(&s);
    }
    tulle_device_close(device);
    return ways;
}

Test(host_lib_windows, convolutions_on_tiny)
{
    const bool slow = getenv("TULLE_LIB_TEST");
    const struct ways ways = shapes(tiny_device(), TULLE_CONVOLUTION, slow ? 40 : 1200, 10000);
    cr_assert(slow || (ways.depthwise > FEWER_ROUNDS(100) && ways.others > FEWER_ROUNDS(400) &&
                       (ways.unrolled || FEWER_ROUNDS(4) == 1)),
              "%u, %u, %u", ways.depthwise, ways.others, ways.unrolled);
}

Test(host_lib_windows, convolutions_on_odd)
{
    shapes("model:odd", TULLE_CONVOLUTION, 200, 20000);
}

Test(host_lib_windows, convolutions_on_base)
{
    shapes("model:base", TULLE_CONVOLUTION, 200, 30000);
}

Test(host_lib_windows, convolutions_of_16_bits)
{
    shapes(INT16_DEVICE, TULLE_CONVOLUTION, 200, 40000);
}

Test(host_lib_zero_points, convolutions)
{
    shapes("model:tiny" ZERO_POINTS, TULLE_CONVOLUTION, 300, 41000);
}

Test(host_lib_zero_points, convolutions_of_16_bits)
{
    shapes(INT16_DEVICE ZERO_POINTS, TULLE_CONVOLUTION, 100, 42000);
}

Test(host_lib_zero_points, averages)
{
    shapes("model:tiny" ZERO_POINTS, TULLE_AVERAGE_POOL, 100, 43000);
}

Test(host_lib_channels, convolutions)
{
    shapes("model:tiny" CHANNELS, TULLE_CONVOLUTION, 300, 44000);
}

Test(host_lib_joins, residuals)
{
    shapes("model:tiny" CHANNELS ZERO_POINTS JOINS, TULLE_CONVOLUTION, 600, 46000);
}

Test(host_lib_joins, residuals_on_base)
{
    shapes("model:base" CHANNELS ZERO_POINTS JOINS, TULLE_CONVOLUTION, 200, 47000);
}

Test(host_lib_channels, averages)
{
    shapes("model:tiny" CHANNELS, TULLE_AVERAGE_POOL, 200, 45000);
}

/* Groups are weights with holes where clusters do not scatter. */
Test(host_lib_windows, convolutions_without_scatter)
{
    const struct ways ways = shapes("model:tiny;set=scatter=off", TULLE_CONVOLUTION, 100, 50000);
    cr_assert_eq(ways.depthwise, 0u);
}

Test(host_lib_windows, averages_on_tiny)
{
    shapes(tiny_device(), TULLE_AVERAGE_POOL, getenv("TULLE_LIB_TEST") ? 20 : 200, 60000);
}

Test(host_lib_windows, averages_of_16_bits)
{
    shapes(INT16_DEVICE, TULLE_AVERAGE_POOL, 100, 70000);
}

/* At most one in 20 may be too large a window for the device. */
static void maxima(const char *devices, unsigned count, uint64_t seed)
{
    struct tulle_device *device = open_device(devices, NULL, 0);
    const unsigned bytes = data_bytes_of(device);
    unsigned refused = 0;
    for (unsigned i = 0; i < count; i++) {
        struct shape s = shape_for(devices, TULLE_MAX_POOL, bytes, seed + i);
        struct tulle_operator *op = shape_maximum(device, &s, seed + i);
        if (op)
            shape_run(device, op, &s, seed + i);
        refused += !op;
        tulle_operator_free(op);
        shape_free(&s);
    }
    cr_assert_leq(refused * 20, count, "%u of %u", refused, count);
    tulle_device_close(device);
}

Test(host_lib_windows, maxima_on_deep)
{
    maxima(MAX_DEVICE, 200, 80000);
}

Test(host_lib_zero_points, maxima)
{
    maxima(MAX_DEVICE ZERO_POINTS, 200, 81000);
}

Test(host_lib_channels, maxima)
{
    maxima(MAX_DEVICE CHANNELS, 200, 82000);
}

Test(host_lib_windows, maxima_on_odd)
{
    maxima("model:odd", 100, 90000);
}

Test(host_lib_windows, maxima_of_16_bits)
{
    maxima(MAX_DEVICE ";set=data_width=16;set=acc_width=48", 100, 95000);
}

/* ---- operators ------------------------------------------------------------------------------------- */

struct rig {
    struct tulle_device *device;
    struct shape shape;
    struct tulle_operator *op;
};

/* Before the operator is made. */
typedef void change_shape(struct shape *shape);

/* 3 x 3 over two images, and what the change makes of it. */
static struct rig rig_make(const char *devices, uint64_t memory, change_shape *change)
{
    struct random random = {14};
    struct rig r = {.device = open_device(devices, NULL, memory)};
    struct shape *s = &r.shape;
    s->options.size = sizeof s->options;
    s->epilogue.size = sizeof s->epilogue;
    s->plan.size = sizeof s->plan;
    s->options.operation = TULLE_CONVOLUTION;
    s->options.output_type = TULLE_INT32;
    s->window = (struct tulle_window){.size = sizeof(struct tulle_window),
                                      .batch = 2,
                                      .height = 9,
                                      .width = 7,
                                      .channels = 6,
                                      .kernel_height = 3,
                                      .kernel_width = 3,
                                      .stride_y = 1,
                                      .stride_x = 1,
                                      .dilation_y = 1,
                                      .dilation_x = 1,
                                      .pad_top = 1,
                                      .pad_bottom = 1,
                                      .pad_left = 1,
                                      .pad_right = 1,
                                      .groups = 1};
    s->results = 10;
    s->biased = true;
    if (change)
        change(s);
    shape_fill(s, data_bytes_of(r.device), &random);
    cr_assert_gt(s->weights.entries, 50);
    r.op = shape_operator(r.device, s, 0);
    return r;
}

static void rig_free(struct rig *r)
{
    tulle_operator_free(r->op);
    shape_free(&r->shape);
    tulle_device_close(r->device);
}

static void as_product(struct shape *s)
{
    s->window.kernel_height = s->window.kernel_width = 1;
    s->window.stride_y = 2;
}

static void in_groups(struct shape *s)
{
    s->window.groups = 2;
}

static void depthwise(struct shape *s)
{
    s->window.groups = 6;
    s->results = 12;
}

static void averages(struct shape *s)
{
    s->options.operation = TULLE_AVERAGE_POOL;
    s->options.output_type = TULLE_INT8;
    s->results = 6;
    s->biased = false;
}

static change_shape *const kinds[] = {NULL, as_product, in_groups, depthwise, averages};
#define KINDS (sizeof kinds / sizeof *kinds)

/* All values other ones, some of them 0, at the same places. */
static void change_values(struct sample *s)
{
    for (int64_t e = 0; e < s->entries; e++)
        s->value[e] = (int8_t)(e % 5 ? s->value[e] / 2 + 3 : 0);
    for (int64_t e = 0; e < s->entries; e++)
        s->dense[s->row[e] * s->columns + s->column[e]] = s->value[e];
}

static void updates(change_shape *change)
{
    struct rig r = rig_make(tiny_device(), 0, change);
    struct tulle_run *run = NULL;
    struct shape *s = &r.shape, before = *s;
    uint8_t *values = shape_room(s);
    struct tulle_output output;
    const struct tulle_operands operands = shape_operands(s, values, &output);
    struct tulle_matrix matrix = sample_view(&s->weights, TULLE_CSR), fewer = matrix;
    done(tulle_start(r.op, &operands, &run));
    before.weights.dense = malloc((size_t)(s->weights.rows * s->weights.columns));
    cr_assert(before.weights.dense);
    memcpy(before.weights.dense, s->weights.dense, (size_t)(s->weights.rows * s->weights.columns));
    change_values(&s->weights);
    fewer.rows--;
    fewer.entries = s->weights.start[fewer.rows];
    refuses(TULLE_INVALID_MATRIX, "", tulle_operator_update(r.op, &fewer));
    fewer = matrix;
    fewer.columns++;
    refuses(TULLE_INVALID_MATRIX, "columns, and a kernel has", tulle_operator_update(r.op, &fewer));
    done(tulle_operator_update(r.op, &matrix));
    shape_run(r.device, r.op, s, 0);
    /* What was started before has the values of then. */
    done(tulle_wait(run, WAIT, NULL));
    shape_compare(r.device, &before, values, 0);
    tulle_run_free(run);
    free(before.weights.dense);
    free(values);
    rig_free(&r);
}

Test(host_lib_windows, updates)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (kinds[i] != averages)
            updates(kinds[i]);
}

static void save_and_load(const char *devices, change_shape *change)
{
    struct rig r = rig_make(devices, 0, change);
    struct tulle_operator *loaded = NULL;
    struct tulle_operator_info a = {.size = sizeof a}, b = {.size = sizeof b};
    done(tulle_operator_save(r.op, "operator"));
    done(tulle_operator_load(r.device, "operator", &loaded));
    done(tulle_operator_describe(r.op, &a));
    done(tulle_operator_describe(loaded, &b));
    cr_assert_str_eq(a.plan, b.plan);
    cr_assert_eq(a.operation, b.operation);
    cr_assert_eq(a.rows, b.rows);
    cr_assert_eq(a.columns, b.columns);
    cr_assert_eq(a.dense, b.dense);
    cr_assert_eq(a.out_height, b.out_height);
    cr_assert_eq(a.out_width, b.out_width);
    cr_assert_eq(a.device_bytes, b.device_bytes);
    shape_run(r.device, loaded, &r.shape, 0);
    tulle_operator_free(loaded);
    rig_free(&r);
}

Test(host_lib_windows, files, .init = scratch_enter, .fini = scratch_leave)
{
    for (unsigned i = 0; i < KINDS; i++)
        save_and_load(tiny_device(), kinds[i]);
}

/* The border of a maximum depends on the sign. */
static void maxima_without_sign(struct shape *s)
{
    averages(s);
    s->options.operation = TULLE_MAX_POOL;
    s->options.input_unsigned = 1;
    s->options.input_zero = 200;
}

Test(host_lib_zero_points, files, .init = scratch_enter, .fini = scratch_leave)
{
    save_and_load(MAX_DEVICE ZERO_POINTS, maxima_without_sign);
}

Test(host_lib_windows, several_in_flight)
{
    enum { RUNS = 5 };
    struct rig r = rig_make(tiny_device(), 0, NULL);
    uint8_t *values[RUNS];
    struct tulle_run *run[RUNS];
    struct tulle_counters counters = {.size = sizeof counters};
    for (unsigned i = 0; i < RUNS; i++) {
        values[i] = shape_room(&r.shape);
        struct tulle_output output;
        const struct tulle_operands operands = shape_operands(&r.shape, values[i], &output);
        done(tulle_start(r.op, &operands, &run[i]));
    }
    for (unsigned i = RUNS; i-- > 0;) {
        done(tulle_wait(run[i], WAIT, &counters));
        shape_compare(r.device, &r.shape, values[i], i);
        cr_assert_gt(counters.effective_macs, 0u);
        tulle_run_free(run[i]);
        free(values[i]);
    }
    rig_free(&r);
}

/* Fewer images in a job, then fewer channels of results. */
static void many_images(struct shape *s)
{
    s->window.batch = 5;
    s->window.height = s->window.width = 20;
}

static void many_results(struct shape *s)
{
    s->window.batch = 3;
    s->results = 300;
}

/* Kernels of 1 x 1 with so few entries that results are gathered: activations that no entry meets have no
 * place on the device. */
enum { FEW_PIXELS = 4, FEW_CHANNELS = 64, FEW_RESULTS = 200, FEW_ENTRIES = FEW_RESULTS / 8 };

static void few_run(struct tulle_operator *op, const int8_t *images, const int32_t *column)
{
    int32_t results[FEW_PIXELS][FEW_RESULTS];
    const struct tulle_matrix input = {.size = sizeof input,
                                       .type = TULLE_INT8,
                                       .rows = FEW_PIXELS,
                                       .columns = FEW_CHANNELS,
                                       .values = images};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = results};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    done(tulle_run(op, &operands, WAIT, NULL));
    for (unsigned p = 0; p < FEW_PIXELS; p++)
        for (unsigned r = 0; r < FEW_RESULTS; r++) {
            const int32_t right = r % 8 ? 0 : images[p * FEW_CHANNELS + (unsigned)column[r / 8]] * 3;
            cr_assert_eq(results[p][r], right, "pixel %u, result %u: %d, not %d", p, r, results[p][r], right);
        }
}

Test(host_lib_windows, gathered, .init = scratch_enter, .fini = scratch_leave)
{
    struct random random = {3};
    int8_t images[FEW_PIXELS * FEW_CHANNELS], value[FEW_ENTRIES];
    int32_t start[FEW_RESULTS + 1] = {0}, column[FEW_ENTRIES];
    for (unsigned i = 0; i < sizeof images; i++)
        images[i] = (int8_t)random_next(&random);
    for (unsigned e = 0; e < FEW_ENTRIES; e++) {
        value[e] = 3;
        column[e] = (int32_t)(e * 13 % FEW_CHANNELS);
    }
    for (unsigned r = 0; r < FEW_RESULTS; r++)
        start[r + 1] = start[r] + !(r % 8);
    const struct tulle_matrix matrix = {.size = sizeof matrix,
                                        .format = TULLE_CSR,
                                        .type = TULLE_INT8,
                                        .index_type = TULLE_INT32,
                                        .rows = FEW_RESULTS,
                                        .columns = FEW_CHANNELS,
                                        .entries = FEW_ENTRIES,
                                        .values = value,
                                        .starts = start,
                                        .indices = column};
    const struct tulle_window window = {.size = sizeof window,
                                        .batch = 1,
                                        .height = 2,
                                        .width = 2,
                                        .channels = FEW_CHANNELS,
                                        .kernel_height = 1,
                                        .kernel_width = 1,
                                        .stride_y = 1,
                                        .stride_x = 1,
                                        .dilation_y = 1,
                                        .dilation_x = 1,
                                        .groups = 1};
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_CONVOLUTION,
                                                   .matrix = &matrix,
                                                   .window = &window,
                                                   .output_type = TULLE_INT32};
    struct tulle_operator_info info = {.size = sizeof info};
    struct tulle_operator *op, *loaded;
    struct tulle_device *device = open_device("model:base", NULL, 0);
    done(tulle_operator_create(device, &options, &op));
    done(tulle_operator_describe(op, &info));
    cr_assert(strstr(info.plan, "x stays"), "%s", info.plan);
    few_run(op, images, column);
    done(tulle_operator_save(op, "operator"));
    done(tulle_operator_load(device, "operator", &loaded));
    few_run(loaded, images, column);
    tulle_operator_free(loaded);
    tulle_operator_free(op);
    tulle_device_close(device);
}

static void many_channels(struct shape *s)
{
    s->window.batch = 2;
    s->window.channels = s->window.groups = 300;
    s->results = 600;
}

static void little_memory(uint64_t memory, change_shape *change, unsigned jobs)
{
    struct rig r = rig_make("model:tiny;memory=262144", memory, change);
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_operator_describe(r.op, &info));
    cr_assert_geq(info.jobs, jobs);
    cr_assert_leq(info.device_bytes, memory);
    shape_run(r.device, r.op, &r.shape, 0);
    rig_free(&r);
}

Test(host_lib_windows, few_images_a_job)
{
    little_memory(140000, many_images, 3);
}

Test(host_lib_windows, few_results_a_job)
{
    little_memory(150000, many_results, 4);
}

Test(host_lib_windows, few_channels_a_job)
{
    little_memory(190000, many_channels, 3);
}

/* An image that does not fit: the pixels under some results at a time. */
static void large_image(struct shape *s)
{
    s->window.batch = 1;
    s->window.height = s->window.width = 150;
}

Test(host_lib_windows, part_of_an_image_a_job)
{
    struct rig r = rig_make("model:tiny;memory=262144", 140000, large_image);
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_operator_describe(r.op, &info));
    cr_assert(strstr(info.plan, ", unrolled"), "%s", info.plan);
    cr_assert_gt(info.jobs, 10u);
    shape_run(r.device, r.op, &r.shape, 0);
    rig_free(&r);
}

/* ---- predictions --------------------------------------------------------------------------------------- */

static uint64_t predicted(const struct tulle_window *window, const struct tulle_matrix *matrix)
{
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_CONVOLUTION,
                                                   .matrix = matrix,
                                                   .output_type = TULLE_INT32,
                                                   .window = window};
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    struct tulle_operator *op = NULL;
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_operator_create(device, &options, &op));
    done(tulle_operator_describe(op, &info));
    tulle_operator_free(op);
    tulle_device_close(device);
    return info.predicted_cycles;
}

/* A border of an image of 4x4 takes 28 of the 36 taps of each direction away, so 5/9 of the multiplications
 * are left; pixels of an image of 6x6 may be any number. */
Test(host_lib_windows, borders_take_no_time)
{
    int8_t values[16 * 9 * 16];
    memset(values, 1, sizeof values);
    const struct tulle_matrix matrix = {
        .size = sizeof matrix, .type = TULLE_INT8, .rows = 16, .columns = 9L * 16, .values = values};
    struct tulle_window window = {.size = sizeof window,
                                  .batch = 8,
                                  .height = 6,
                                  .width = 6,
                                  .channels = 16,
                                  .kernel_height = 3,
                                  .kernel_width = 3};
    const uint64_t numbers = predicted(&window, &matrix);
    window.height = window.width = 4;
    window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 1;
    const uint64_t borders = predicted(&window, &matrix);
    cr_assert_lt(10 * borders, 8 * numbers, "%llu of %llu cycles", (unsigned long long)borders,
                 (unsigned long long)numbers);
}

/* ---- what cannot be --------------------------------------------------------------------------------- */

struct mistake {
    struct tulle_device *device;
    struct tulle_operator_options options;
    struct tulle_window window;
    struct tulle_epilogue epilogue;
};

static void refuses_mistake(enum tulle_status status, const char *text, struct mistake m)
{
    struct tulle_operator *op = NULL;
    m.options.window = &m.window;
    m.options.epilogue = &m.epilogue;
    refuses(status, text, tulle_operator_create(m.device, &m.options, &op));
    cr_assert_null(op);
}

#define IS(status, text, change)                       \
    do {                                               \
        struct mistake m = usual;                      \
        struct tulle_operator_options *o = &m.options; \
        struct tulle_window *w = &m.window;            \
        struct tulle_epilogue *e = &m.epilogue;        \
        (void)o;                                       \
        (void)w;                                       \
        (void)e;                                       \
        change;                                        \
        refuses_mistake((status), (text), m);          \
    } while (0)

static const int8_t ones[4 * 9 * 6] = {1, 1, 1};

static struct mistake usual_mistake(const struct tulle_matrix *matrix)
{
    return (struct mistake){.device = open_device("model:tiny", NULL, 0),
                            .options = {.size = sizeof(struct tulle_operator_options),
                                        .operation = TULLE_CONVOLUTION,
                                        .matrix = matrix,
                                        .output_type = TULLE_INT32},
                            .epilogue.size = sizeof(struct tulle_epilogue),
                            .window = {.size = sizeof(struct tulle_window),
                                       .height = 5,
                                       .width = 6,
                                       .channels = 6,
                                       .kernel_height = 3,
                                       .kernel_width = 3}};
}

Test(host_lib_windows, refused)
{
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    const struct tulle_matrix matrix = {
        .size = sizeof matrix, .type = TULLE_INT8, .rows = 4, .columns = 54, .values = ones};
    const struct mistake usual = usual_mistake(&matrix);
    struct tulle_operator *op = NULL;
    IS(wrong, "batch is -1", w->batch = -1);
    IS(wrong, "height is 0", w->height = 0);
    IS(wrong, "width is 2147483648", w->width = INT64_C(1) << 31);
    IS(wrong, "channels is 0", w->channels = 0);
    IS(wrong, "kernel_height is 0", w->kernel_height = 0);
    IS(wrong, "kernel_width is -3", w->kernel_width = -3);
    IS(wrong, "stride_y is -1", w->stride_y = -1);
    IS(wrong, "dilation_x is -2", w->dilation_x = -2);
    IS(wrong, "pad_left is -1", w->pad_left = -1);
    IS(wrong, "there is no layout 2", w->output_layout = TULLE_LAYOUTS);
    IS(wrong, "pixels are too many", w->height = w->width = 1 << 20);
    IS(wrong, "borders are too many", w->pad_top = w->pad_left = 1 << 20;
       w->stride_y = w->stride_x = 1 << 10);
    IS(wrong, "weights of a result are too many", w->kernel_height = w->kernel_width = 1 << 16);
    IS(wrong, "6 channels cannot be divided into 4 groups", w->groups = 4);
    IS(wrong, "reaches over 7 pixels of a height of 5", w->dilation_y = 3);
    IS(wrong, "reaches over 7 pixels of a width of 6", w->kernel_width = 7);
    IS(TULLE_INVALID_MATRIX, "54 columns, and a kernel has 3 x 3 taps of 2 channels: 18", w->groups = 3);
    IS(TULLE_INVALID_MATRIX, "4 rows, one for each channel of the results", w->groups = 3;
       w->kernel_height = 9; w->pad_top = 9);
    IS(wrong, "dense is 1; the window", o->dense = 1);
    IS(wrong, "matrix", o->matrix = NULL);
    IS(wrong, "a pool has no matrix", o->operation = TULLE_AVERAGE_POOL);
    IS(wrong, "a pool has no bias", o->operation = TULLE_AVERAGE_POOL; o->matrix = NULL;
       o->bias = (const int32_t[6]){0});
    IS(wrong, "a pool has no groups", o->operation = TULLE_AVERAGE_POOL; o->matrix = NULL; w->groups = 2);
    IS(wrong, "a pool has no initial", o->operation = TULLE_AVERAGE_POOL; o->matrix = NULL; o->initial = 1);
    IS(wrong, "no function 44", o->operation = TULLE_AVERAGE_POOL; o->matrix = NULL;
       e->function = (enum tulle_function)44);
    IS(TULLE_UNSUPPORTED, "leaky", o->operation = TULLE_AVERAGE_POOL; o->matrix = NULL;
       e->function = TULLE_LEAKY_RELU);
    IS(TULLE_UNSUPPORTED, "exclude_padding", o->operation = TULLE_AVERAGE_POOL; o->matrix = NULL;
       w->exclude_padding = 1; w->pad_top = 1);
    IS(TULLE_UNSUPPORTED, "without the function max", o->operation = TULLE_MAX_POOL; o->matrix = NULL);
    struct tulle_operator_options without = usual.options;
    refuses(wrong, "window is NULL", tulle_operator_create(usual.device, &without, &op));
    without.operation = TULLE_SPMV;
    without.window = &usual.window;
    refuses(wrong, "window is given", tulle_operator_create(usual.device, &without, &op));
    tulle_device_close(usual.device);
}

Test(host_lib_windows, runs_refused)
{
    struct rig r = rig_make("model:tiny", 0, NULL);
    uint8_t *values = shape_room(&r.shape);
    struct tulle_output output;
    struct tulle_operands operands = shape_operands(&r.shape, values, &output);
    struct tulle_matrix input = r.shape.input;
    operands.input = &input;
    input.rows--;
    refuses(TULLE_INVALID_ARGUMENT, "takes 126 x 6", tulle_run(r.op, &operands, WAIT, NULL));
    input = sample_view(&r.shape.images, TULLE_CSR);
    refuses(TULLE_INVALID_ARGUMENT, "images are dense", tulle_run(r.op, &operands, WAIT, NULL));
    input = r.shape.input;
    output.row_stride = output.column_stride = 1;
    refuses(TULLE_INVALID_ARGUMENT, "126 x 10 results would overlap", tulle_run(r.op, &operands, WAIT, NULL));
    free(values);
    rig_free(&r);
}
