/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions of every kind, and fully connected layers, which are convolutions of one pixel.
 */
#include <string.h>

#include "tests/goldens/tool/cpu.h"
#include "tests/goldens/tool/operators.h"

struct layer {
    struct axis y, x;
    int64_t batches, in_channels, out_channels, filter_channels, outputs_of_group;
    int64_t input_offset, filter_offset; /* what is added to a number: its zero point, negated */
    bool depthwise, four_bits;
    enum sums sums;
    struct num_step step;
    struct numbers input, weights, bias, multipliers, shifts; /* bias.values: NULL without */
};

/* ---- what the case is -------------------------------------------------------------------------- */

static void read_window(const struct golden *golden, struct layer *layer)
{
    layer->y = (struct axis){.in = size_of(golden, "INPUT_H"),
                             .out = size_of(golden, "OUTPUT_H"),
                             .window = size_of(golden, "FILTER_Y"),
                             .stride = size_of(golden, "STRIDE_Y"),
                             .pad = golden_number(golden, "PAD_Y", 0, SIZE_MOST),
                             .dilation = size_of(golden, "DILATION_Y")};
    layer->x = (struct axis){.in = size_of(golden, "INPUT_W"),
                             .out = size_of(golden, "OUTPUT_W"),
                             .window = size_of(golden, "FILTER_X"),
                             .stride = size_of(golden, "STRIDE_X"),
                             .pad = golden_number(golden, "PAD_X", 0, SIZE_MOST),
                             .dilation = size_of(golden, "DILATION_X")};
    layer->batches = size_of(golden, "INPUT_BATCHES");
    layer->in_channels = size_of(golden, "IN_CH");
    layer->out_channels = size_of(golden, "OUT_CH");
}

/* One multiplier and shift for each output channel, or for all of them. */
static void read_scales(struct golden *golden, struct layer *layer)
{
    const size_t channels = (size_t)layer->out_channels;
    if (!golden_has(golden, "OUTPUT_MULTIPLIER")) {
        layer->multipliers = golden_tensor(golden, "output_mult output_multiplier", channels);
        layer->shifts = golden_tensor(golden, "output_shift", channels);
        return;
    }
    layer->multipliers.values = golden_values(golden, channels);
    layer->shifts.values = golden_values(golden, channels);
    for (size_t c = 0; c < channels && layer->multipliers.values && layer->shifts.values; c++) {
        layer->multipliers.values[c] = golden_number(golden, "OUTPUT_MULTIPLIER", 0, INT32_MAX);
        layer->shifts.values[c] = golden_number(golden, "OUTPUT_SHIFT", SHIFT_MIN, SHIFT_MAX);
    }
}

/* A sum that starts with one of these stays within 64 bits, however large the filter is. */
static void check_biases(const struct golden *golden, const struct layer *layer)
{
    const int64_t most = INT64_C(1) << 62;
    for (int64_t c = 0; layer->bias.values && c < layer->out_channels; c++)
        if (layer->bias.values[c] < -most || layer->bias.values[c] > most)
            diag_error(golden->diag, (struct place){golden->name, 0, 0},
                       "the bias of channel %lld is out of range", (long long)c);
}

static void check_scales(const struct golden *golden, const struct layer *layer)
{
    for (int64_t c = 0; c < layer->out_channels; c++) {
        const int64_t multiplier = layer->multipliers.values[c], shift = layer->shifts.values[c];
        if (multiplier < 0 || multiplier > INT32_MAX || shift < SHIFT_MIN || shift > SHIFT_MAX - 16)
            diag_error(golden->diag, (struct place){golden->name, 0, 0},
                       "multiplier %lld and shift %lld of channel %lld are out of range",
                       (long long)multiplier, (long long)shift, (long long)c);
    }
}

static void check_groups(const struct golden *golden, struct layer *layer)
{
    const int64_t groups = layer->in_channels / layer->filter_channels;
    if (layer->in_channels % layer->filter_channels || layer->out_channels % groups)
        diag_error(golden->diag, (struct place){golden->name, 0, 0},
                   "%lld input and %lld output channels are not groups of filters of %lld channels",
                   (long long)layer->in_channels, (long long)layer->out_channels,
                   (long long)layer->filter_channels);
    else
        layer->outputs_of_group = layer->out_channels / groups;
}

static const char *kind(const struct layer *layer)
{
    if (layer->input.type == GOLDEN_INT8)
        return layer->four_bits ? "int8 x int4" : "int8";
    return layer->sums == SUMS_64 ? "int16 x int8, 64" : "int16 x int8, 32";
}

static void read_tensors(struct golden *golden, struct layer *layer, struct answer *answer)
{
    static const char *const weights = "weights input_weights", *const biases = "biases bias input_bias";
    const int64_t pixels = layer->y.in * layer->x.in, results = layer->y.out * layer->x.out;
    const int64_t window = layer->y.window * layer->x.window;
    const size_t count =
        (size_t)(layer->out_channels * window * (layer->depthwise ? 1 : layer->filter_channels));
    layer->input = golden_input(golden, "input", (size_t)(layer->batches * pixels * layer->in_channels));
    layer->weights =
        layer->four_bits ? golden_halves(golden, weights, count) : golden_tensor(golden, weights, count);
    if (golden_has_tensor(golden, biases))
        layer->bias = golden_tensor(golden, biases, (size_t)layer->out_channels);
    read_scales(golden, layer);
    golden_expect(golden, answer, (size_t)(layer->batches * results * layer->out_channels));
}

static void read_layer(struct golden *golden, struct layer *layer, struct answer *answer)
{
    layer->four_bits = strstr(golden->name, "int4");
    read_tensors(golden, layer, answer);
    layer->input_offset = golden_number(golden, "INPUT_OFFSET", INT16_MIN, INT16_MAX);
    layer->filter_offset = golden_number_or(golden, "FILTER_OFFSET", INT16_MIN, INT16_MAX, 0);
    layer->step = result_step(golden, answer->expected.type);
    layer->sums = layer->bias.values && layer->bias.type == GOLDEN_INT64 ? SUMS_64 : SUMS_32;
    answer->type = kind(layer);
}

/* ---- what it gives ----------------------------------------------------------------------------- */

static int64_t weight_at(const struct layer *layer, int64_t out, int64_t y, int64_t x, int64_t channel)
{
    const int64_t place = y * layer->x.window + x;
    const int64_t window = layer->y.window * layer->x.window;
    return layer->depthwise
               ? layer->weights.values[place * layer->out_channels + out]
               : layer->weights.values[(out * window + place) * layer->filter_channels + channel];
}

/* The products of one place of the window. Padding is the zero point, which gives nothing. */
static int64_t products(const struct layer *layer, const int64_t *pixel, int64_t out, int64_t y, int64_t x)
{
    const int64_t first = out / layer->outputs_of_group * layer->filter_channels;
    int64_t sum = 0;
    for (int64_t c = 0; c < layer->filter_channels; c++)
        sum += (pixel[first + c] + layer->input_offset) *
               (weight_at(layer, out, y, x, c) + layer->filter_offset);
    return sum;
}

static int64_t sum_at(const struct layer *layer, int64_t batch, int64_t out_y, int64_t out_x, int64_t out)
{
    int64_t sum = layer->bias.values ? layer->bias.values[out] : 0;
    for (int64_t y = 0; y < layer->y.window; y++)
        for (int64_t x = 0; x < layer->x.window; x++) {
            const int64_t in_y = axis_place(&layer->y, out_y, y), in_x = axis_place(&layer->x, out_x, x);
            if (in_y < 0 || in_x < 0)
                continue;
            const int64_t pixel = (batch * layer->y.in + in_y) * layer->x.in + in_x;
            sum += products(layer, layer->input.values + pixel * layer->in_channels, out, y, x);
        }
    return sum;
}

static void compute(const struct golden *golden, const struct layer *layer, int64_t *result)
{
    struct num_step step = layer->step;
    const int64_t pixels = layer->batches * layer->y.out * layer->x.out;
    for (int64_t p = 0; p < pixels; p++)
        for (int64_t c = 0; c < layer->out_channels; c++) {
            const int64_t row = p / layer->x.out;
            requantise(&step, golden, layer->sums, layer->multipliers.values[c], layer->shifts.values[c]);
            *result++ =
                num_apply(&step, sum_at(layer, row / layer->y.out, row % layer->y.out, p % layer->x.out, c));
        }
}

/* ---- by kernels or a device --------------------------------------------------------------------- */

static void set_axis(struct slide *slide, int i, const struct axis *axis)
{
    slide->size[i] = axis->in;
    slide->result[i] = axis->out;
    slide->kernel[i] = axis->window;
    slide->stride[i] = axis->stride;
    slide->dilation[i] = axis->dilation;
    slide->pad[i] = axis->pad;
}

static struct slide slide_of_layer(const struct layer *layer)
{
    struct slide slide = {.dims = 2,
                          .images = layer->batches,
                          .each = layer->filter_channels,
                          .groups = layer->in_channels / layer->filter_channels};
    set_axis(&slide, 0, &layer->y);
    set_axis(&slide, 1, &layer->x);
    slide.from.channels = layer->in_channels;
    slide.to.channels = layer->out_channels;
    slide_count(&slide, true, layer->depthwise);
    return slide;
}

static void compute_exactly(struct golden *golden, const struct layer *layer, struct answer *answer)
{
    const size_t channels = (size_t)layer->out_channels;
    struct num_step *steps = (struct num_step *)golden_values(golden, channels * sizeof *steps);
    int32_t *zeros = (int32_t *)golden_values(golden, channels);
    const struct view x = cpu_view(golden, layer->input.type, layer->input.values, layer->input.count),
                      w = cpu_view(golden, GOLDEN_INT8, layer->weights.values, layer->weights.count),
                      b = cpu_view(golden, layer->bias.type, layer->bias.values, layer->bias.count),
                      y = cpu_view(golden, answer->expected.type, NULL, answer->expected.count);
    for (size_t c = 0; steps && zeros && c < channels; c++) {
        steps[c] = layer->step;
        requantise(&steps[c], golden, layer->sums, layer->multipliers.values[c], layer->shifts.values[c]);
        zeros[c] = (int32_t)-layer->filter_offset;
    }
    const struct scaled_layer scaled = {slide_of_layer(layer),
                                        (int32_t)-layer->input_offset,
                                        layer->filter_offset ? zeros : NULL,
                                        steps,
                                        NULL,
                                        NULL};
    exact_answer(golden,
                 &(struct exact){.kind = EXACT_LAYER,
                                 .layer = &scaled,
                                 .x = &x,
                                 .w = &w,
                                 .bias = layer->bias.values ? &b : NULL,
                                 .y = &y},
                 answer);
}

static void judge(struct golden *golden, struct layer *layer, struct answer *answer)
{
    check_groups(golden, layer);
    read_layer(golden, layer, answer);
    if (!golden->diag->errors) {
        check_scales(golden, layer);
        check_biases(golden, layer);
    }
    if (!golden->diag->errors && (golden->device || golden->cpu))
        compute_exactly(golden, layer, answer);
    else if (!golden->diag->errors)
        compute(golden, layer, answer->values);
}

void convolution(struct golden *golden, struct answer *answer)
{
    struct layer layer = {0};
    read_window(golden, &layer);
    layer.filter_channels = golden_number_or(golden, "FILTER_CH", 1, SIZE_MOST, layer.in_channels);
    judge(golden, &layer, answer);
}

void depthwise_convolution(struct golden *golden, struct answer *answer)
{
    struct layer layer = {.depthwise = true, .filter_channels = 1};
    read_window(golden, &layer);
    judge(golden, &layer, answer);
}

void transposed_convolution(struct golden *golden, struct answer *answer)
{
    struct layer layer = {0};
    read_window(golden, &layer);
    layer.filter_channels = layer.in_channels;
    layer.y.transposed = layer.x.transposed = true;
    judge(golden, &layer, answer);
}

void fully_connected(struct golden *golden, struct answer *answer)
{
    const struct axis one = {.in = 1, .out = 1, .window = 1, .stride = 1, .dilation = 1};
    struct layer layer = {.y = one, .x = one};
    layer.batches = size_of(golden, "INPUT_BATCHES");
    /* The keys of a network have the channels the other way round. */
    const bool turned = !golden_has(golden, "ACCUMULATION_DEPTH");
    layer.in_channels = layer.filter_channels = size_of(golden, turned ? "OUT_CH" : "ACCUMULATION_DEPTH");
    layer.out_channels = size_of(golden, turned ? "IN_CH" : "OUT_CH");
    judge(golden, &layer, answer);
}
