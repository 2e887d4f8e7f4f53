/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/numerics/join.h"
#include "sim/numerics/numerics.h"

static int64_t below(struct random *random, unsigned limit)
{
    return (int64_t)random_below(random, limit);
}

static bool one_in(struct random *random, unsigned count)
{
    return below(random, count) == 0;
}

/* ---- the definition ---------------------------------------------------------------------------- */

/* What the bits of the images' number stand for. */
static int64_t activation(const struct shape *s, int8_t number)
{
    const int64_t value = s->step * number;
    return s->options.input_unsigned ? value & (s->activations ? UINT16_MAX : UINT8_MAX) : value;
}

static int64_t pixel_at(const struct shape *s, int64_t image, int64_t y, int64_t x, int64_t channel)
{
    const struct tulle_window *w = &s->window;
    if (y < 0 || y >= w->height || x < 0 || x >= w->width)
        return s->options.input_zero;
    if (w->input_layout == TULLE_NHWC)
        return activation(s,
                          s->images.dense[((image * w->height + y) * w->width + x) * w->channels + channel]);
    return activation(s, s->images.dense[((image * w->channels + channel) * w->height + y) * w->width + x]);
}

static int64_t weight_at(const struct shape *s, int64_t result, int64_t dy, int64_t dx, int64_t channel)
{
    const struct tulle_window *w = &s->window;
    const int64_t channels = w->channels / w->groups;
    const int64_t column = w->weights_layout == TULLE_NHWC
                               ? (dy * w->kernel_width + dx) * channels + channel
                               : (channel * w->kernel_height + dy) * w->kernel_width + dx;
    return s->weights.dense[result * s->weights.columns + column];
}

/* Channel `result` of the results belongs to a group, which has its own channels of the image. */
static int64_t convolved(const struct shape *s, int64_t image, int64_t y, int64_t x, int64_t result)
{
    const struct tulle_window *w = &s->window;
    const int64_t channels = w->channels / w->groups, group = result / (s->results / w->groups);
    int64_t sum = 0;
    for (int64_t dy = 0; dy < w->kernel_height; dy++)
        for (int64_t dx = 0; dx < w->kernel_width; dx++)
            for (int64_t c = 0; c < channels; c++)
                sum += weight_at(s, result, dy, dx, c) *
                       (pixel_at(s, image, y * w->stride_y + dy * w->dilation_y - w->pad_top,
                                 x * w->stride_x + dx * w->dilation_x - w->pad_left, group * channels + c) -
                        s->options.input_zero);
    return sum;
}

/* Pixels outside are in no maximum; what is left of none is the smallest number. */
static int64_t largest(const struct shape *s, int64_t image, int64_t y, int64_t x, int64_t channel)
{
    const struct tulle_window *w = &s->window;
    int64_t most = s->lowest;
    for (int64_t dy = 0; dy < w->kernel_height; dy++)
        for (int64_t dx = 0; dx < w->kernel_width; dx++) {
            const int64_t py = y * w->stride_y + dy * w->dilation_y - w->pad_top,
                          px = x * w->stride_x + dx * w->dilation_x - w->pad_left;
            const bool inside = py >= 0 && py < w->height && px >= 0 && px < w->width;
            const int64_t value = inside ? pixel_at(s, image, py, px, channel) : s->lowest;
            most = value > most ? value : most;
        }
    return most - s->options.input_zero;
}

static int64_t pooled(const struct shape *s, int64_t image, int64_t y, int64_t x, int64_t channel)
{
    const struct tulle_window *w = &s->window;
    int64_t sum = 0;
    for (int64_t dy = 0; dy < w->kernel_height; dy++)
        for (int64_t dx = 0; dx < w->kernel_width; dx++)
            sum += pixel_at(s, image, y * w->stride_y + dy * w->dilation_y - w->pad_top,
                            x * w->stride_x + dx * w->dilation_x - w->pad_left, channel) -
                   s->options.input_zero;
    return sum;
}

/* Which row and column of the result's matrix. */
static void place_of(const struct shape *s, int64_t image, int64_t pixel, int64_t result, int64_t *row,
                     int64_t *column)
{
    const bool last = s->window.output_layout == TULLE_NHWC;
    *row = last ? image * s->out_height * s->out_width + pixel : image * s->results + result;
    *column = last ? result : pixel;
}

static struct num_step step_of(const struct shape *s, int64_t result)
{
    const struct tulle_epilogue *e = &s->epilogue;
    const struct tulle_channels *c = &s->channels;
    /* Limits of channels are all that the function narrows to; the result is narrowed to its type later. */
    return (struct num_step){.function = (enum num_function)e->function,
                             .element = c->low ? NUM_INT64 : (enum num_element)s->options.output_type,
                             .shift = c->shift ? c->shift[result] : e->shift,
                             .multiplier = c->multiplier ? c->multiplier[result] : e->multiplier,
                             .low = c->low ? c->low[result] : (int16_t)e->low,
                             .high = c->high ? c->high[result] : (int16_t)e->high,
                             .zero = s->second.size ? 0 : (int16_t)e->zero,
                             .rounding = (enum num_rounding)e->rounding};
}

/* A result of the channel's function, with the second operand. */
static int64_t joined(const struct shape *s, int64_t first, int8_t second)
{
    const struct tulle_epilogue *e = &s->epilogue;
    const struct num_operand half = {.multiplier = 1 << 30, .left = 20, .shift = 31},
                             scaled = {
                                 .multiplier = s->second.multiplier, .left = 20, .shift = s->second.shift};
    struct num_join join = {.joining = (enum num_joining)(s->second.join - TULLE_JOIN_ADD),
                            .a = s->second.scale_first ? scaled : half,
                            .b = s->second.scale_first ? half : scaled,
                            .step = {.function = NUM_REQUANTISE,
                                     .element = (enum num_element)s->options.output_type,
                                     .shift = e->shift,
                                     .multiplier = e->multiplier,
                                     .low = (int16_t)e->low,
                                     .high = (int16_t)e->high,
                                     .zero = (int16_t)e->zero,
                                     .rounding = (enum num_rounding)e->rounding}};
    join.b.zero = s->second.zero;
    return num_join_apply(&join, (int32_t)first, s->second.has_no_sign ? (uint8_t)second : second);
}

/* Of an average: rounded once, after it was divided, and a limit is one of the rounded number. */
static struct num_step average_step(const struct shape *s, int64_t result)
{
    const struct tulle_epilogue *e = &s->epilogue;
    const bool scaled = e->function == TULLE_REQUANTISE, bounded = e->function == TULLE_CLAMP || scaled;
    struct num_step step = step_of(s, result);
    const double scale = scaled ? step.multiplier / pow(2, step.shift) : 1;
    step.function = NUM_REQUANTISE;
    done(tulle_scale(scale / (double)(s->window.kernel_height * s->window.kernel_width), &step.multiplier,
                     &step.shift));
    step.low = bounded ? step.low : e->function == TULLE_RELU ? 0 : INT16_MIN;
    step.high = bounded ? step.high : INT16_MAX;
    step.zero = scaled ? step.zero : 0;
    return step;
}

static int64_t expected(const struct shape *s, int64_t image, int64_t y, int64_t x, int64_t result,
                        unsigned accumulator)
{
    const enum tulle_operation operation = s->options.operation;
    const bool average = operation == TULLE_AVERAGE_POOL;
    const struct num_step step = average ? average_step(s, result) : step_of(s, result);
    const enum num_element element = (enum num_element)s->options.output_type;
    int64_t sum = average                       ? pooled(s, image, y, x, result)
                  : operation == TULLE_MAX_POOL ? largest(s, image, y, x, result)
                                                : convolved(s, image, y, x, result),
            row, column;
    uint8_t bytes[8];
    place_of(s, image, y * s->out_width + x, result, &row, &column);
    if (s->biased)
        sum += s->bias[result];
    if (s->begins)
        sum += s->sums[row * s->initial.columns + column];
    int64_t value = num_apply(&step, num_wrap(sum, accumulator));
    if (s->second.size)
        value = joined(s, value, ((const int8_t *)s->joined.values)[row * s->joined.columns + column]);
    num_put_elements(bytes, element, false, &value, 1);
    return num_get_element(bytes, element);
}

/* ---- shapes ------------------------------------------------------------------------------------- */

/* Sizes of one direction for which there is a result. */
static void line_make(struct random *random, int64_t size, int64_t *kernel, int64_t *stride,
                      int64_t *dilation, int64_t *before, int64_t *after)
{
    for (;;) {
        *kernel = 1 + below(random, one_in(random, 5) ? 7 : 3);
        *stride = 1 + (one_in(random, 3) ? below(random, 5) : 0);
        *dilation = 1 + (one_in(random, 4) ? below(random, 3) : 0);
        *before = one_in(random, 2) ? below(random, (unsigned)(*kernel * *dilation) + 1) : 0;
        *after = one_in(random, 2) ? below(random, (unsigned)(*kernel * *dilation) + 1) : *before;
        if (size + *before + *after >= (*kernel - 1) * *dilation + 1)
            return;
    }
}

static void window_make(struct shape *s, struct random *random)
{
    struct tulle_window *w = &s->window;
    w->batch = 1 + (one_in(random, 3) ? below(random, 3) : 0);
    w->height = 1 + below(random, one_in(random, 4) ? 20 : 7);
    w->width = 1 + below(random, one_in(random, 4) ? 20 : 7);
    line_make(random, w->height, &w->kernel_height, &w->stride_y, &w->dilation_y, &w->pad_top,
              &w->pad_bottom);
    line_make(random, w->width, &w->kernel_width, &w->stride_x, &w->dilation_x, &w->pad_left, &w->pad_right);
    w->input_layout = (enum tulle_layout)below(random, TULLE_LAYOUTS);
    w->output_layout = (enum tulle_layout)below(random, TULLE_LAYOUTS);
    w->weights_layout = (enum tulle_layout)below(random, TULLE_LAYOUTS);
}

/* Ordinary ones, groups, depthwise ones with as many results a channel as a group has. */
static void channels_make(struct shape *s, struct random *random)
{
    struct tulle_window *w = &s->window;
    const int64_t kind = below(random, 4);
    w->groups = kind < 2 ? 1 : 1 + below(random, kind == 2 ? 4 : 19);
    w->channels = w->groups * (kind == 3 ? 1 : 1 + below(random, kind == 2 ? 5 : 20));
    s->results = w->groups * (1 + below(random, kind < 2 ? 20 : 3));
}

static void epilogue_make(struct shape *s, struct random *random)
{
    static const enum tulle_function functions[] = {TULLE_NONE, TULLE_RELU, TULLE_REQUANTISE};
    struct tulle_epilogue *e = &s->epilogue;
    e->function = functions[below(random, 3)];
    e->multiplier = (int32_t)below(random, 4000) - 500;
    e->shift = (unsigned)below(random, 20);
    e->low = -(int)below(random, 128);
    e->high = (int)below(random, 128);
    e->zero = (int)below(random, 20) - 10;
    s->options.output_type = (enum tulle_type)below(random, 4);
    s->options.input_zero = one_in(random, 3) ? (int)below(random, 40) - 20 : 0;
}

static void weights_make(struct shape *s, struct random *random)
{
    const struct tulle_window *w = &s->window;
    s->weights = sample_make(s->results, w->kernel_height * w->kernel_width * w->channels / w->groups,
                             (double)below(random, 11) / 10, random);
    s->matrix = sample_view(&s->weights, (enum tulle_format)below(random, TULLE_FORMATS));
}

static void bias_make(struct shape *s, struct random *random)
{
    s->bias = calloc((size_t)s->results, sizeof *s->bias);
    cr_assert(s->bias);
    for (int64_t i = 0; i < s->results; i++)
        s->bias[i] = (int32_t)below(random, 20000) - 10000;
}

static void results_make(struct shape *s, struct random *random)
{
    const bool last = s->window.output_layout == TULLE_NHWC;
    const int64_t pixels = s->out_height * s->out_width, images = s->window.batch;
    const int64_t rows = images * (last ? pixels : s->results), columns = last ? s->results : pixels;
    s->sums = calloc((size_t)(rows * columns), sizeof *s->sums);
    cr_assert(s->sums);
    for (int64_t i = 0; i < rows * columns; i++)
        s->sums[i] = (int32_t)below(random, 100000) - 50000;
    s->initial = (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                       .type = TULLE_INT32,
                                       .rows = rows,
                                       .columns = columns,
                                       .values = s->sums};
    s->row_stride = one_in(random, 2) ? columns + below(random, 3) : 1;
    s->column_stride = s->row_stride == 1 ? rows + below(random, 3) : 1;
}

static void images_make(struct shape *s, unsigned data_bytes, struct random *random)
{
    const struct tulle_window *w = &s->window;
    const bool last = w->input_layout == TULLE_NHWC;
    const int64_t pixels = w->height * w->width;
    s->images = sample_make(w->batch * (last ? pixels : w->channels), last ? w->channels : pixels,
                            (double)(1 + below(random, 10)) / 10, random);
    s->input = sample_view(&s->images, TULLE_DENSE);
    s->lowest = data_bytes == 1 ? INT8_MIN : INT16_MIN;
    s->step = data_bytes == 1 ? 1 : 1 + below(random, 250);
    if (data_bytes == 1)
        return;
    s->activations = calloc((size_t)(s->images.rows * s->images.columns), sizeof *s->activations);
    cr_assert(s->activations);
    for (int64_t i = 0; i < s->images.rows * s->images.columns; i++)
        s->activations[i] = (int16_t)(s->step * s->images.dense[i]);
    s->input.type = TULLE_INT16;
    s->input.values = s->activations;
}

void shape_fill(struct shape *s, unsigned data_bytes, struct random *random)
{
    const struct tulle_window *w = &s->window;
    s->out_height =
        (w->height + w->pad_top + w->pad_bottom - (w->kernel_height - 1) * w->dilation_y - 1) / w->stride_y +
        1;
    s->out_width =
        (w->width + w->pad_left + w->pad_right - (w->kernel_width - 1) * w->dilation_x - 1) / w->stride_x + 1;
    images_make(s, data_bytes, random);
    bias_make(s, random);
    weights_make(s, random);
    results_make(s, random);
}

struct shape shape_make(enum tulle_operation operation, unsigned data_bytes, struct random *random)
{
    struct shape s = {.options = {.size = sizeof s.options, .operation = operation},
                      .window.size = sizeof s.window,
                      .epilogue.size = sizeof s.epilogue,
                      .plan = {.size = sizeof s.plan, .effort = 1}};
    window_make(&s, random);
    channels_make(&s, random);
    epilogue_make(&s, random);
    if (operation == TULLE_CONVOLUTION) {
        s.options.initial = one_in(random, 3);
        s.begins = s.options.initial && one_in(random, 2);
        s.biased = one_in(random, 2);
    } else {
        s.results = s.window.channels;
        s.window.groups = 1;
    }
    shape_fill(&s, data_bytes, random);
    return s;
}

void shape_zero_point(struct shape *s, struct random *random)
{
    const unsigned values = s->activations ? UINT16_MAX + 1 : UINT8_MAX + 1;
    s->options.input_unsigned = one_in(random, 2);
    s->lowest = s->options.input_unsigned ? 0 : -(int64_t)(values / 2);
    s->options.input_zero = (int)(s->lowest + (one_in(random, 3) ? 0 : below(random, values)));
}

void shape_channels(struct shape *s, struct random *random)
{
    const size_t count = (size_t)s->results;
    const bool limits = one_in(random, 2);
    if (s->epilogue.function != TULLE_REQUANTISE)
        return;
    s->own = (struct shape_channel){.multiplier = calloc(count, sizeof *s->own.multiplier),
                                    .shift = calloc(count, sizeof *s->own.shift),
                                    .low = calloc(count, sizeof *s->own.low),
                                    .high = calloc(count, sizeof *s->own.high)};
    cr_assert(s->own.multiplier && s->own.shift && s->own.low && s->own.high);
    for (size_t i = 0; i < count; i++) {
        s->own.multiplier[i] = (int32_t)below(random, 4000) - 500;
        s->own.shift[i] = (uint8_t)below(random, 24);
        s->own.low[i] = (int16_t) - (int)below(random, 200);
        s->own.high[i] = (int16_t)((int)below(random, 500) - 200);
    }
    s->channels = (struct tulle_channels){.size = sizeof s->channels,
                                          .multiplier = s->own.multiplier,
                                          .shift = s->own.shift,
                                          .low = limits ? s->own.low : NULL,
                                          .high = limits ? s->own.high : NULL};
}

bool shape_second(struct shape *s, struct random *random)
{
    const int64_t count = s->initial.rows * s->initial.columns;
    int8_t *values;
    if (!s->channels.low)
        return false;
    values = calloc((size_t)count, sizeof *values);
    cr_assert(values);
    for (int64_t i = 0; i < count; i++)
        values[i] = (int8_t)(below(random, 256) - 128);
    s->joined = s->initial;
    s->joined.type = TULLE_INT8;
    s->joined.values = values;
    s->second = (struct tulle_second){.size = sizeof s->second,
                                      .join = (enum tulle_join)(TULLE_JOIN_ADD + below(random, 3)),
                                      .has_no_sign = one_in(random, 2),
                                      .scale_first = one_in(random, 2),
                                      .multiplier = (int32_t)((1u << 30) + below(random, 1u << 30)),
                                      .shift = 31 + (unsigned)below(random, 4)};
    s->second.zero = (int)below(random, 256) - (s->second.has_no_sign ? 0 : 128);
    s->epilogue.multiplier = (int32_t)((1u << 30) + below(random, 1u << 30));
    s->epilogue.shift = (s->second.join == TULLE_JOIN_MULTIPLY ? 35 : 48) + (unsigned)below(random, 4);
    s->epilogue.rounding = (enum tulle_rounding)below(random, TULLE_ROUNDINGS);
    s->options.output_type = (enum tulle_type)below(random, 2);
    return true;
}

void shape_free(struct shape *s)
{
    free((int8_t *)s->joined.values);
    free(s->own.multiplier);
    free(s->own.shift);
    free(s->own.low);
    free(s->own.high);
    sample_free(&s->weights);
    sample_free(&s->images);
    free(s->activations);
    free(s->bias);
    free(s->sums);
}

/* ---- on a device -------------------------------------------------------------------------------- */

static int64_t result_at(const struct shape *s, const uint8_t *values, int64_t row, int64_t column)
{
    const enum num_element element = (enum num_element)s->options.output_type;
    return num_get_element(
        values + (row * s->row_stride + column * s->column_stride) * num_element_bytes(element), element);
}

void shape_compare(struct tulle_device *device, const struct shape *s, const uint8_t *values, uint64_t number)
{
    struct tulle_device_info info = {.size = sizeof info};
    done(tulle_device_describe(device, &info));
    const int64_t size = s->out_height * s->out_width;
    for (int64_t i = 0; i < s->window.batch * size * s->results; i++) {
        const int64_t image = i / s->results / size, pixel = i / s->results % size, n = i % s->results;
        int64_t row, column;
        place_of(s, image, pixel, n, &row, &column);
        const int64_t got = result_at(s, values, row, column),
                      wanted = expected(s, image, pixel / s->out_width, pixel % s->out_width, n,
                                        info.accumulator_bits);
        cr_assert_eq(got, wanted, "shape %llu: image %lld, pixel %lld, channel %lld is %lld, not %lld",
                     (unsigned long long)number, (long long)image, (long long)pixel, (long long)n,
                     (long long)got, (long long)wanted);
    }
}

struct tulle_operands shape_operands(const struct shape *s, void *values, struct tulle_output *output)
{
    *output = (struct tulle_output){.size = sizeof *output,
                                    .type = s->options.output_type,
                                    .row_stride = s->row_stride,
                                    .column_stride = s->column_stride,
                                    .values = values};
    return (struct tulle_operands){.size = sizeof(struct tulle_operands),
                                   .input = &s->input,
                                   .initial = s->begins ? &s->initial : NULL,
                                   .output = output,
                                   .second = s->second.size ? &s->joined : NULL};
}

#define UNTOUCHED 0x5A

static size_t room_bytes(const struct shape *s)
{
    return (size_t)(s->row_stride * s->initial.rows + s->column_stride * s->initial.columns) * 8;
}

uint8_t *shape_room(const struct shape *s)
{
    const size_t bytes = room_bytes(s);
    uint8_t *room = malloc(bytes);
    cr_assert(room);
    return memset(room, UNTOUCHED, bytes);
}

/* Nothing is written behind the last result. */
static void expect_the_rest_untouched(const struct shape *s, const uint8_t *values)
{
    static const size_t bytes[] = {1, 2, 4, 8}; /* of int8 to int64 */
    const int64_t last = s->row_stride * (s->initial.rows - 1) + s->column_stride * (s->initial.columns - 1);
    for (size_t i = (size_t)(last + 1) * bytes[s->options.output_type]; i < room_bytes(s); i++)
        cr_assert_eq(values[i], UNTOUCHED, "byte %zu, behind the last result, is written", i);
}

void shape_run(struct tulle_device *device, struct tulle_operator *op, const struct shape *s, uint64_t number)
{
    uint8_t *values = shape_room(s);
    struct tulle_output output;
    const struct tulle_operands operands = shape_operands(s, values, &output);
    done(tulle_run(op, &operands, WAIT, NULL));
    shape_compare(device, s, values, number);
    expect_the_rest_untouched(s, values);
    free(values);
}

/* 0 says the same. */
static void leave_out_ones(struct tulle_window *w)
{
    int64_t *const sizes[] = {&w->batch,      &w->stride_y,   &w->stride_x,
                              &w->dilation_y, &w->dilation_x, &w->groups};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = *sizes[i] == 1 ? 0 : *sizes[i];
}

static enum tulle_status create(struct tulle_device *device, struct shape *s, uint64_t number,
                                struct tulle_operator **op)
{
    struct tulle_window window = s->window;
    if (number % 2)
        leave_out_ones(&window);
    s->options.window = &window;
    s->options.epilogue = &s->epilogue;
    s->options.plan = &s->plan;
    s->options.matrix = s->options.operation == TULLE_CONVOLUTION ? &s->matrix : NULL;
    s->options.bias = s->biased ? s->bias : NULL;
    s->options.channels = s->channels.size ? &s->channels : NULL;
    s->options.second = s->second.size ? &s->second : NULL;
    return tulle_operator_create(device, &s->options, op);
}

static void check_description(const struct tulle_operator *op, const struct shape *s)
{
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_operator_describe(op, &info));
    cr_assert_eq(info.out_height, s->out_height);
    cr_assert_eq(info.out_width, s->out_width);
    cr_assert_eq(info.dense, s->window.batch * s->out_height * s->out_width);
    cr_assert_eq(info.rows, s->results);
}

struct tulle_operator *shape_operator(struct tulle_device *device, struct shape *s, uint64_t number)
{
    struct tulle_operator *op = NULL;
    cr_assert_eq(create(device, s, number, &op), TULLE_OK, "shape %llu: %s", (unsigned long long)number,
                 tulle_message());
    check_description(op, s);
    return op;
}

struct tulle_operator *shape_maximum(struct tulle_device *device, struct shape *s, uint64_t number)
{
    struct tulle_operator *op = NULL;
    if (create(device, s, number, &op) == TULLE_UNSUPPORTED && strstr(tulle_message(), "no tile fits"))
        return NULL;
    cr_assert(op, "shape %llu: %s", (unsigned long long)number, tulle_message());
    check_description(op, s);
    return op;
}
