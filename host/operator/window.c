/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the caller's description of a convolution or pool into the planner's,
 * with weights and images in its order.
 *
 * A kernel of one tap is a product with a dense row for each result of a
 * channel, and so is every convolution for which the device has no other plan.
 * Groups are kernels with more zeros. A pool is a depthwise convolution with
 * weights of 1.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/operator/operator.h"

#define SIZE_LIMIT INT32_MAX

/* ---- what the caller says ---------------------------------------------------------------------------- */

/* A size and what it is called. */
struct named {
    const char *name;
    int64_t value, least;
};

static enum tulle_status check_sizes(const struct named *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i].value < sizes[i].least || sizes[i].value > SIZE_LIMIT)
            return message_set(TULLE_INVALID_ARGUMENT, "the window: %s is %lld; %lld to %d are possible",
                               sizes[i].name, (long long)sizes[i].value, (long long)sizes[i].least,
                               SIZE_LIMIT);
    return TULLE_OK;
}

/* Their product, which has to be a size, too. */
static enum tulle_status check_product(const char *what, int64_t a, int64_t b, int64_t c)
{
    if (a * b <= SIZE_LIMIT && a * b * c <= SIZE_LIMIT)
        return TULLE_OK;
    return message_set(TULLE_INVALID_ARGUMENT, "the window: %lld x %lld x %lld %s are too many; at most %d",
                       (long long)a, (long long)b, (long long)c, what, SIZE_LIMIT);
}

static enum tulle_status check_layouts(const struct tulle_window *w)
{
    const enum tulle_layout layouts[] = {w->input_layout, w->output_layout, w->weights_layout};
    for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if ((unsigned)layouts[i] >= TULLE_LAYOUTS)
            return message_set(TULLE_INVALID_ARGUMENT, "the window: there is no layout %d", (int)layouts[i]);
    return TULLE_OK;
}

static int64_t or_one(int64_t value)
{
    return value ? value : 1;
}

static struct tulle_window with_defaults(const struct tulle_window *given)
{
    struct tulle_window w = *given;
    w.batch = or_one(w.batch);
    w.stride_y = or_one(w.stride_y);
    w.stride_x = or_one(w.stride_x);
    w.dilation_y = or_one(w.dilation_y);
    w.dilation_x = or_one(w.dilation_x);
    w.groups = or_one(w.groups);
    return w;
}

static enum tulle_status check_window(const struct tulle_window *w)
{
    const struct named sizes[] = {
        {"batch", w->batch, 1},
        {"height", w->height, 1},
        {"width", w->width, 1},
        {"channels", w->channels, 1},
        {"kernel_height", w->kernel_height, 1},
        {"kernel_width", w->kernel_width, 1},
        {"stride_y", w->stride_y, 1},
        {"stride_x", w->stride_x, 1},
        {"dilation_y", w->dilation_y, 1},
        {"dilation_x", w->dilation_x, 1},
        {"pad_top", w->pad_top, 0},
        {"pad_bottom", w->pad_bottom, 0},
        {"pad_left", w->pad_left, 0},
        {"pad_right", w->pad_right, 0},
        {"groups", w->groups, 1},
    };
    enum tulle_status status = check_sizes(sizes, sizeof sizes / sizeof *sizes);
    if (!status && w->reserved)
        status = message_set(TULLE_INVALID_ARGUMENT, "window: reserved is %d, not 0", w->reserved);
    if (!status)
        status = check_layouts(w);
    if (!status)
        status = check_product("pixels", w->batch, w->height, w->width);
    if (!status)
        status = check_product("weights of a result", w->kernel_height, w->kernel_width, w->channels);
    if (!status && w->channels % w->groups)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "the window: %lld channels cannot be divided into %lld groups",
                           (long long)w->channels, (long long)w->groups);
    return status;
}

/* ---- one direction ----------------------------------------------------------------------------------- */

/* Of a direction: from what the caller says to what the device has. */
struct line {
    int64_t size, before, after, kernel, stride, dilation; /* the caller's */
    int64_t results, step, length;                         /* pixels of the device: every `step`th */
    int64_t inner, inner_length;                           /* those that are no border */
};

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Of pixels that no tap meets nothing is brought: with a factor that stride and dilation share, which a
 * kernel of one tap always has, only every so many of them are met. */
static enum tulle_status fit_line(const char *name, struct line *l)
{
    const int64_t padded = l->size + l->before + l->after, reach = (l->kernel - 1) * l->dilation + 1;
    if (reach > padded)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "the window: the kernel reaches over %lld pixels of a %s of %lld with padding, so "
                           "there is no result",
                           (long long)reach, name, (long long)padded);
    l->results = (padded - reach) / l->stride + 1;
    l->dilation = l->kernel == 1 ? l->stride : l->dilation;
    l->step = common_divisor(l->stride, l->dilation);
    l->stride /= l->step;
    l->dilation /= l->step;
    l->length = (l->results - 1) * l->stride + (l->kernel - 1) * l->dilation + 1;
    l->inner = (l->before + l->step - 1) / l->step;
    l->inner_length = (l->before + l->size - 1) / l->step + 1 - l->inner;
    return check_sizes(&(const struct named){name, l->length, 1}, 1);
}

static enum tulle_status fit_lines(const struct tulle_window *w, struct line *y, struct line *x)
{
    *y = (struct line){.size = w->height,
                       .before = w->pad_top,
                       .after = w->pad_bottom,
                       .kernel = w->kernel_height,
                       .stride = w->stride_y,
                       .dilation = w->dilation_y};
    *x = (struct line){.size = w->width,
                       .before = w->pad_left,
                       .after = w->pad_right,
                       .kernel = w->kernel_width,
                       .stride = w->stride_x,
                       .dilation = w->dilation_x};
    enum tulle_status status = fit_line("height", y);
    return status ? status : fit_line("width", x);
}

enum tulle_status window_take(const struct tulle_window *given, struct window *to)
{
    const struct tulle_window w = with_defaults(given);
    struct line y, x;
    enum tulle_status status = check_window(&w);
    if (!status)
        status = fit_lines(&w, &y, &x);
    if (!status)
        status = check_product("results of a channel", w.batch, y.results, x.results);
    if (!status)
        status = check_product("pixels with their borders", w.batch, y.length, x.length);
    if (status)
        return status;
    *to = (struct window){.of = w,
                          .out_height = (uint32_t)y.results,
                          .out_width = (uint32_t)x.results,
                          .step_y = (uint32_t)y.step,
                          .step_x = (uint32_t)x.step,
                          .plan = {.height = (uint32_t)y.length,
                                   .width = (uint32_t)x.length,
                                   .channels = (uint32_t)w.channels,
                                   .side_y = (uint32_t)y.kernel,
                                   .side_x = (uint32_t)x.kernel,
                                   .stride_y = (uint32_t)y.stride,
                                   .stride_x = (uint32_t)x.stride,
                                   .dilation_y = (uint32_t)y.dilation,
                                   .dilation_x = (uint32_t)x.dilation,
                                   .inner = {.top = (uint32_t)y.inner,
                                             .left = (uint32_t)x.inner,
                                             .height = (uint32_t)y.inner_length,
                                             .width = (uint32_t)x.inner_length}}};
    return TULLE_OK;
}

bool window_slides(const struct window *w)
{
    return w->of.batch && w->kind != WINDOW_UNROLLED;
}

uint32_t window_taps(const struct window *w)
{
    return w->plan.side_y * w->plan.side_x;
}

const char *window_kind_name(const struct window *w)
{
    static const char *const names[WINDOW_KINDS] = {", depthwise", "", ", unrolled"};
    return w->of.batch && window_taps(w) > 1 ? names[w->kind] : "";
}

/* ---- weights ------------------------------------------------------------------------------------------- */

enum window_kind window_first_kind(const struct window *w, const struct variant *variant)
{
    if (window_taps(w) == 1)
        return WINDOW_UNROLLED;
    const bool each = w->of.channels > 1 && w->of.groups == w->of.channels;
    return w->plan.maximum || (variant->scatter && each) ? WINDOW_DEPTHWISE : WINDOW_SLIDING;
}

void window_set_kind(struct window *w, enum window_kind kind, uint32_t channels)
{
    const uint32_t own = (uint32_t)w->of.channels;
    w->kind = kind;
    w->plan.depthwise = kind == WINDOW_DEPTHWISE;
    w->copies = w->plan.depthwise ? channels / own : 1;
    w->plan.channels = own * w->copies;
    w->plan.groups = kind == WINDOW_SLIDING ? (uint32_t)w->of.groups : 0;
}

uint32_t window_columns(const struct window *w)
{
    return window_taps(w) * (w->plan.depthwise ? 1 : w->plan.channels);
}

/* The planner's column of the caller's, in row `row` of `rows`. */
static uint32_t column_of(const struct window *w, uint32_t rows, uint32_t row, uint32_t column)
{
    const uint32_t taps = window_taps(w), channels = (uint32_t)(w->of.channels / w->of.groups);
    const bool by_channel = w->of.weights_layout == TULLE_NCHW;
    const uint32_t tap = by_channel ? column % taps : column / channels,
                   channel = by_channel ? column / taps : column % channels,
                   group = row / (rows / (uint32_t)w->of.groups);
    return w->plan.depthwise ? tap : tap * w->plan.channels + group * channels + channel;
}

static enum tulle_status check_weights(const struct window *w, const struct sparse *m)
{
    const int64_t wanted = window_taps(w) * (w->of.channels / w->of.groups);
    if (m->columns != wanted)
        return message_set(
            TULLE_INVALID_MATRIX,
            "the sparse matrix: %u columns, and a kernel has %u x %u taps of %lld channels: %lld", m->columns,
            w->plan.side_y, w->plan.side_x, (long long)(w->of.channels / w->of.groups), (long long)wanted);
    if (!m->rows || m->rows % w->of.groups)
        return message_set(TULLE_INVALID_MATRIX,
                           "the sparse matrix: %u rows, one for each channel of the results, cannot be "
                           "divided into %lld groups",
                           m->rows, (long long)w->of.groups);
    return TULLE_OK;
}

enum tulle_status window_weights(const struct window *w, struct sparse *m)
{
    enum tulle_status status = check_weights(w, m);
    if (status)
        return status;
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint32_t e = m->start[r]; e < m->start[r + 1]; e++)
            m->column[e] = column_of(w, m->rows, r, m->column[e]);
    m->columns = window_columns(w);
    return intake_sort("the sparse matrix", m);
}

enum tulle_status window_ones(const struct window *w, struct sparse *to)
{
    const uint32_t rows = (uint32_t)w->of.channels, taps = window_taps(w);
    const size_t entries = (size_t)rows * taps;
    *to = (struct sparse){.rows = rows,
                          .columns = taps,
                          .start = malloc(((size_t)rows + 1) * sizeof *to->start),
                          .column = malloc((entries + 1) * sizeof *to->column),
                          .value = malloc((entries + 1) * sizeof *to->value)};
    if (!to->start || !to->column || !to->value) {
        sparse_free(to);
        return message_no_memory();
    }
    for (uint32_t r = 0; r <= rows; r++)
        to->start[r] = r * taps;
    for (size_t e = 0; e < entries; e++) {
        to->column[e] = (uint32_t)(e % taps);
        to->value[e] = 1 + w->doubles;
    }
    return TULLE_OK;
}

/* ---- pools --------------------------------------------------------------------------------------------- */

static enum tulle_status check_pool(const struct tulle_operator_options *o)
{
    const struct {
        const char *name;
        bool given;
    } never[] = {
        {"matrix", o->matrix},     {"bias", o->bias},       {"matrix_zero", o->matrix_zero},
        {"quantise", o->quantise}, {"initial", o->initial}, {"groups", o->window->groups > 1},
    };
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
        if (never[i].given)
            return message_set(TULLE_INVALID_ARGUMENT, "a pool has no %s", never[i].name);
    return TULLE_OK;
}

static bool is_padded(const struct tulle_window *w)
{
    return w->pad_top || w->pad_bottom || w->pad_left || w->pad_right;
}

/* The same of sums as `e` is of averages. */
static enum tulle_status divide(struct tulle_epilogue *e, int64_t taps)
{
    double scale = 1;
    switch (e->function) {
    case TULLE_NONE:
    case TULLE_RELU:
        e->low = e->function == TULLE_RELU ? 0 : INT16_MIN;
        e->high = INT16_MAX;
        /* fallthrough */
    case TULLE_CLAMP:
        e->function = TULLE_REQUANTISE;
        e->zero = 0;
        break;
    case TULLE_REQUANTISE:
    case TULLE_SIGMOID:
    case TULLE_TANH:
        scale = ldexp(e->multiplier, -(int)e->shift);
        break;
    case TULLE_LEAKY_RELU:
        return message_set(TULLE_UNSUPPORTED, "the epilogue: the device has no leaky ReLU for averages");
    default: /* there is no such function, which is told for all operators */
        return TULLE_OK;
    }
    return tulle_scale(scale / (double)taps, &e->multiplier, &e->shift);
}

#define TAPS_MOST (1u << 16) /* so that the products below have 64 bits */

/* Whether a multiplier of 31 bits, and in two steps the first one, turn no other sum into a half or take it
 * past one. Sums are at most `taps` times `largest`. The nearest sums to a half that are none are 1 / (2
 * taps) away from it with an odd number of taps, which has no halves, and 1 / taps with an even one; the
 * first of two steps keeps shift - 31 places. */
static bool means_are_exact(uint64_t taps, uint64_t largest, unsigned shift)
{
    if (taps % 2)
        return taps * largest < UINT64_C(1) << 30;
    const uint64_t places = UINT64_C(1) << (shift - 31);
    return 2 * places > taps && (2 * places - taps) << 30 > taps * places * largest;
}

/* The mean with halves away from zero. With an odd number of taps there are no halves. Two steps take them
 * away from zero, if the first one is exact for halves; a power of two has a multiplier of 2^30, which takes
 * a place too many, so that its sums are doubled. */
static enum tulle_status round_away(const struct tulle_operator_options *o, unsigned data_bytes,
                                    const struct tulle_epilogue *given, struct tulle_epilogue *e,
                                    struct window *w)
{
    const uint64_t taps = window_taps(w), largest = UINT64_C(1) << (8 * data_bytes);
    const bool scaled =
        given->function != TULLE_NONE && given->function != TULLE_RELU && given->function != TULLE_CLAMP;
    if (scaled || given->rounding || (o->channels && o->channels->multiplier))
        return message_set(TULLE_INVALID_ARGUMENT,
                           "round_away: an average is limited at most, and has no other rounding");
    w->doubles = taps > 1 && !(taps & (taps - 1));
    e->shift += w->doubles;
    e->rounding = taps % 2 ? TULLE_ROUND_UP : TULLE_ROUND_TWO_STEPS;
    if (w->doubles || (taps <= TAPS_MOST && means_are_exact(taps, largest, e->shift)))
        return TULLE_OK;
    return message_set(TULLE_UNSUPPORTED,
                       "round_away: the device's average of %llu numbers is not always the nearest",
                       (unsigned long long)taps);
}

enum tulle_status window_pool(const struct tulle_operator_options *o, unsigned data_bytes,
                              struct tulle_epilogue *epilogue, struct window *w)
{
    const struct tulle_epilogue given = *epilogue;
    enum tulle_status status = check_pool(o);
    if (status)
        return status;
    w->of.groups = w->of.channels;
    if (o->operation == TULLE_MAX_POOL) {
        w->plan.maximum = true;
        return TULLE_OK;
    }
    if (w->of.exclude_padding && is_padded(&w->of))
        return message_set(TULLE_UNSUPPORTED, "exclude_padding: the device divides all averages by the same "
                                              "number, so padding is not supported");
    status = divide(epilogue, window_taps(w));
    return !status && w->of.round_away ? round_away(o, data_bytes, &given, epilogue, w) : status;
}
