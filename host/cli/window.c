/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/window.h"

/* ---- options --------------------------------------------------------------------------------------- */

#define NUMBERS_MOST 2147483647.0

static const struct place nowhere = {0};

/* Of a direction: the first number, or the second where there is one. */
static int64_t of_direction(const struct request_sizes *s, unsigned direction, int64_t otherwise)
{
    return s->given ? s->value[direction < s->count ? direction : 0] : otherwise;
}

/* One for all sides, one up and down and one left and right, or one for each. */
static int64_t of_side(const struct request_sizes *s, unsigned side)
{
    return s->count == 4 ? s->value[side] : of_direction(s, side / 2, 0);
}

static struct tulle_window window_of(const struct request *r)
{
    return (struct tulle_window){.size = sizeof(struct tulle_window),
                                 .batch = r->batch.given ? r->batch.value : 1,
                                 .height = r->in.value[0],
                                 .width = r->in.value[1],
                                 .channels = r->in.value[2],
                                 .kernel_height = of_direction(&r->kernel, 0, 3),
                                 .kernel_width = of_direction(&r->kernel, 1, 3),
                                 .stride_y = of_direction(&r->stride, 0, 1),
                                 .stride_x = of_direction(&r->stride, 1, 1),
                                 .dilation_y = of_direction(&r->dilation, 0, 1),
                                 .dilation_x = of_direction(&r->dilation, 1, 1),
                                 .pad_top = of_side(&r->pad, 0),
                                 .pad_bottom = of_side(&r->pad, 1),
                                 .pad_left = of_side(&r->pad, 2),
                                 .pad_right = of_side(&r->pad, 3),
                                 .groups = r->groups.given ? r->groups.value
                                           : r->depthwise  ? r->in.value[2]
                                                           : 1,
                                 .input_layout = (enum tulle_layout)r->layout.value,
                                 .output_layout = (enum tulle_layout)r->layout.value,
                                 .weights_layout = (enum tulle_layout)r->weights_layout.value};
}

static int64_t reach(int64_t kernel, int64_t dilation)
{
    return (kernel - 1) * dilation + 1;
}

static void check_reach(const char *what, int64_t reaches, int64_t size, int64_t padding, struct diag *diag)
{
    const int64_t padded = size + padding;
    if (reaches > padded)
        diag_error(diag, nowhere,
                   "the kernel reaches over %lld pixels, and the image has a %s of %lld, %lld with --pad",
                   (long long)reaches, what, (long long)size, (long long)padded);
}

static void check_groups(const struct request *r, struct diag *diag)
{
    const int64_t groups = r->window.groups, channels = r->window.channels;
    if (channels % groups)
        diag_error(diag, nowhere, "--groups %lld: %lld channels are not a whole number in each",
                   (long long)groups, (long long)channels);
    else if (r->out_channels.given && r->out_channels.value % groups)
        diag_error(diag, nowhere, "--out-channels %lld: not a whole number in each of %lld groups",
                   (long long)r->out_channels.value, (long long)groups);
}

/* Numbers of images, weights and results, which are computed in 64 bits from here on. */
static void check_numbers(const struct request *r, struct diag *diag)
{
    const struct tulle_window *w = &r->window;
    const double images = (double)w->batch * (double)w->height * (double)w->width * (double)w->channels,
                 weights = (double)w->kernel_height * (double)w->kernel_width * (double)w->channels,
                 results = (double)w->batch * (double)window_out_height(w) * (double)window_out_width(w) *
                           (double)(r->out_channels.given ? r->out_channels.value : w->channels);
    if (images > NUMBERS_MOST || weights > NUMBERS_MOST || results > NUMBERS_MOST)
        diag_error(diag, nowhere,
                   "%.0f numbers in images, %.0f under a window, %.0f results: at most %.0f, please", images,
                   weights, results, NUMBERS_MOST);
}

void window_read(struct request *r, struct diag *diag)
{
    if (!r->in.given)
        diag_error(diag, nowhere, "--in HxWxC: how large are the images?");
    if (diag->errors)
        return;
    r->window = window_of(r);
    r->window.round_away = r->rounding.value == REQUEST_ROUND_AWAY;
    const struct tulle_window *w = &r->window;
    check_reach("height", reach(w->kernel_height, w->dilation_y), w->height, w->pad_top + w->pad_bottom,
                diag);
    check_reach("width", reach(w->kernel_width, w->dilation_x), w->width, w->pad_left + w->pad_right, diag);
    check_groups(r, diag);
    if (!diag->errors)
        check_numbers(r, diag);
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

int64_t window_out_height(const struct tulle_window *w)
{
    return (w->height + w->pad_top + w->pad_bottom - reach(w->kernel_height, w->dilation_y)) / w->stride_y +
           1;
}

int64_t window_out_width(const struct tulle_window *w)
{
    return (w->width + w->pad_left + w->pad_right - reach(w->kernel_width, w->dilation_x)) / w->stride_x + 1;
}

int64_t given_weights(const struct tulle_window *w)
{
    return w->kernel_height * w->kernel_width * (w->channels / w->groups);
}

/* ---- the definition --------------------------------------------------------------------------------- */

/* A result: its image, place and channel. */
struct result {
    int64_t image, y, x, channel;
};

/* Which of its kernel's weights, counted over channels of the image. */
struct tap {
    int64_t dy, dx, channel;
};

static int64_t line_of(const struct tulle_window *w, const struct result *r, struct tap tap)
{
    return r->y * w->stride_y + tap.dy * w->dilation_y - w->pad_top;
}

static int64_t column_of(const struct tulle_window *w, const struct result *r, struct tap tap)
{
    return r->x * w->stride_x + tap.dx * w->dilation_x - w->pad_left;
}

static bool is_inside(const struct tulle_window *w, const struct result *r, struct tap tap)
{
    const int64_t y = line_of(w, r, tap), x = column_of(w, r, tap);
    return y >= 0 && y < w->height && x >= 0 && x < w->width;
}

/* Outside the image it is 0. */
static int64_t activation(const struct operands *o, const struct result *r, struct tap tap)
{
    const struct tulle_window *w = &o->window;
    const int64_t y = line_of(w, r, tap), x = column_of(w, r, tap);
    if (!is_inside(w, r, tap))
        return 0;
    return w->input_layout == TULLE_NHWC
               ? o->input.at[((r->image * w->height + y) * w->width + x) * w->channels + tap.channel]
               : o->input.at[((r->image * w->channels + tap.channel) * w->height + y) * w->width + x];
}

static struct tap tap_of(const struct tulle_window *w, int64_t column, int64_t group)
{
    const int64_t channels = w->channels / w->groups, taps = w->kernel_height * w->kernel_width;
    const int64_t tap = w->weights_layout == TULLE_NHWC ? column / channels : column % taps,
                  channel = w->weights_layout == TULLE_NHWC ? column % channels : column / taps;
    return (struct tap){tap / w->kernel_width, tap % w->kernel_width, group * channels + channel};
}

static uint64_t add(uint64_t *sum, int64_t weight, int64_t value)
{
    *sum += (uint64_t)weight * (uint64_t)value;
    return weight && value;
}

static uint64_t convolve(const struct operands *o, const struct result *r, uint64_t *sum)
{
    const struct matrix *m = &o->sparse;
    const int64_t group = r->channel / (o->size.n.value / o->window.groups);
    uint64_t pairs = 0;
    for (uint64_t i = m->start[r->channel]; i < m->start[r->channel + 1]; i++)
        pairs += add(sum, m->integer[i], activation(o, r, tap_of(&o->window, m->column[i], group)));
    return pairs;
}

/* Zeros count, what lies outside does not. */
static uint64_t largest(const struct operands *o, const struct result *r, uint64_t *most)
{
    int64_t found = o->lowest;
    uint64_t pixels = 0;
    for (int64_t dy = 0; dy < o->window.kernel_height; dy++)
        for (int64_t dx = 0; dx < o->window.kernel_width; dx++) {
            const struct tap tap = {dy, dx, r->channel};
            const int64_t value = is_inside(&o->window, r, tap) ? activation(o, r, tap) : o->lowest;
            pixels += is_inside(&o->window, r, tap);
            found = value > found ? value : found;
        }
    *most = (uint64_t)found;
    return pixels;
}

static uint64_t pool(const struct operands *o, const struct result *r, uint64_t *sum)
{
    uint64_t pairs = 0;
    for (int64_t dy = 0; dy < o->window.kernel_height; dy++)
        for (int64_t dx = 0; dx < o->window.kernel_width; dx++)
            pairs += add(sum, 1, activation(o, r, (struct tap){dy, dx, r->channel}));
    return pairs;
}

static uint64_t of_result(const struct operands *o, const struct result *r, uint64_t *sum)
{
    switch (o->operation) {
    case TULLE_MAX_POOL:
        return largest(o, r, sum);
    case TULLE_AVERAGE_POOL:
        return pool(o, r, sum);
    default:
        return convolve(o, r, sum);
    }
}

uint64_t window_sums(const struct operands *o, uint64_t *sums)
{
    const struct tulle_window *w = &o->window;
    const int64_t width = window_out_width(w), pixels = window_out_height(w) * width, n = o->size.n.value;
    const bool last = w->output_layout == TULLE_NHWC;
    uint64_t pairs = 0;
    for (int64_t i = 0; i < w->batch * pixels * n; i++) {
        const int64_t image = i / n / pixels, pixel = i / n % pixels;
        const struct result r = {image, pixel / width, pixel % width, i % n};
        uint64_t sum = 0;
        pairs += of_result(o, &r, &sum);
        if (sums)
            sums[last ? i : (image * n + r.channel) * pixels + pixel] += sum;
    }
    return pairs;
}
