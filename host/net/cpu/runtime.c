/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX Runtime's operators on quantised bytes (com.microsoft) that its quantiser makes
 * beside ONNX's own: averages, functions of one operand, and Concat. Operands have one
 * scale and one zero point each, behind them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/exact.h"
#include "host/net/cpu/float_step.h"

struct scaling {
    float scale;
    int32_t zero;
};

/* A scale and the zero point behind it, which may be left out. */
static struct scaling scaling_at(const struct call *c, const struct view *const *operands, size_t at)
{
    const struct view *zero = at + 1 < c->inputs ? operands[at + 1] : NULL;
    return (struct scaling){(float)view_real(operands[at], 0), zero ? (int32_t)view_integer(zero, 0) : 0};
}

/* Codes of a type, in the order of their values. */
static int64_t least_of(enum net_type type)
{
    return type == NET_INT8 ? INT8_MIN : 0;
}

/* Through the table of each code's byte. */
static void set_code(uint8_t table[256], enum net_type type, int64_t code, double result)
{
    const double least = (double)least_of(type), most = least + UINT8_MAX;
    table[(uint8_t)code] = (uint8_t)(int64_t)(result < least ? least : result > most ? most : result);
}

/* ---- functions ----------------------------------------------------------------------------------- */

typedef float real_function(const struct call *c, float x);

static float same_number(const struct call *c, float x)
{
    (void)c;
    return x;
}

static float leak(const struct call *c, float x)
{
    return x >= 0 ? x : (float)node_real(c->node, "alpha") * x;
}

static float sigmoid(const struct call *c, float x)
{
    (void)c;
    return (float)(1 / (1 + exp(-(double)x)));
}

/* The number of a code, through the function, in units of the result's scale. */
static void fill_table(const struct call *c, real_function *function, enum net_type type,
                       const struct scaling *x, const struct scaling *y, uint8_t table[256])
{
    for (int i = 0; i < 256; i++) {
        const int64_t code = least_of(type) + i;
        const float result = function(c, x->scale * (float)(code - x->zero)) / y->scale;
        set_code(table, type, code, nearbyint((double)result) + y->zero);
    }
}

static bool through_table(const struct call *c, real_function *function)
{
    const struct scaling x = scaling_at(c, c->in, 1), y = scaling_at(c, c->in, 3);
    uint8_t table[256];
    fill_table(c, function, c->in[0]->type, &x, &y, table);
    return exact_run(c, &(struct exact){.kind = EXACT_BYTES, .bytes = table, .x = c->in[0], .y = c->out[0]});
}

static bool leaky_relu(const struct call *c)
{
    return through_table(c, leak);
}

static bool curve(const struct call *c)
{
    return through_table(c, sigmoid);
}

/* ---- Concat -------------------------------------------------------------------------------------- */

enum { CONCAT_FIRST = 2, CONCAT_STEP = 3 };

/* An operand with the result's scale. False: no memory. */
static bool rescale(const struct call *c, size_t operand, const struct scaling *y, struct view *to)
{
    const struct scaling x = scaling_at(c, c->more, operand + 1);
    uint8_t table[256];
    *to = *c->more[operand];
    to->data = malloc(to->count + 1);
    fill_table(c, same_number, to->type, &x, y, table);
    if (to->data)
        scaled_bytes(table, c->more[operand], to);
    return to->data != NULL;
}

static bool join_views(const struct call *c, struct view *views, const struct view **in)
{
    const struct scaling y = scaling_at(c, c->more, 0);
    struct call plain = *c;
    plain.more = in;
    plain.inputs = 0;
    for (size_t i = CONCAT_FIRST; i < c->inputs; i += CONCAT_STEP) {
        const size_t k = plain.inputs++;
        if (c->more[i]->type != c->out[0]->type)
            return kernel_fails(c, "an input and the output have different types");
        if (!rescale(c, i, &y, &views[k]))
            return kernel_no_memory(c);
        in[k] = &views[k];
    }
    return kernel_of("Concat")(&plain);
}

static bool concat(const struct call *c)
{
    struct view *views = calloc(c->inputs + 1, sizeof *views);
    const struct view **in = calloc(c->inputs + 1, sizeof *in);
    const bool ok = views && in ? join_views(c, views, in) : kernel_no_memory(c);
    for (size_t i = 0; views && i < c->inputs; i++)
        free(views[i].data);
    free(views);
    free(in);
    return ok;
}

/* ---- averages ------------------------------------------------------------------------------------ */

/* What the sum of so many numbers less their zero point is multiplied by. */
static float mean_factor(const struct scaling *x, const struct scaling *y, int64_t count)
{
    return x->scale / (y->scale * (float)count);
}

/* Whether windows have no numbers outside the image. */
static bool lie_inside(const struct slide *s)
{
    bool inside = true;
    for (int i = 0; i < s->dims; i++)
        inside = inside && !s->pad[i] &&
                 (s->result[i] - 1) * s->stride[i] + (s->kernel[i] - 1) * s->dilation[i] < s->size[i];
    return inside;
}

/* Lists for each channel. */
struct equal_channels {
    struct num_step *steps;
    float *factors;
    int8_t *ones;
};

/* Windows of the same count are a depthwise convolution with weights of 1: with a multiplier that gives the
 * same results if there is one, else with the factor. */
static bool describe_windows(const struct call *c, const struct slide *s, const struct equal_channels *l,
                             size_t weights)
{
    const struct scaling from = scaling_at(c, c->in, 1), to = scaling_at(c, c->in, 3);
    const float factor = mean_factor(&from, &to, s->taps);
    const struct view w = {
        .type = NET_INT8, .rank = 1, .dim = {(int64_t)weights}, .count = weights, .data = l->ones};
    struct num_step step = step_of(c->out[0]->type, to.zero);
    const bool same = float_step(&step, factor);
    memset(l->ones, 1, weights);
    for (int64_t i = 0; i < s->to.channels; i++) {
        l->steps[i] = step;
        l->factors[i] = factor;
    }
    const struct scaled_layer layer = {.slide = *s, .x_zero = from.zero, .steps = l->steps, .call = c};
    return exact_run(c, &(struct exact){.kind = EXACT_LAYER,
                                        .layer = &layer,
                                        .factors = same ? NULL : l->factors,
                                        .x = c->in[0],
                                        .w = &w,
                                        .y = c->out[0]});
}

static bool describe_average(const struct call *c, const struct slide *windows, bool all)
{
    struct slide s = *windows;
    const size_t channels = (size_t)s.to.channels, weights = channels * (size_t)s.taps;
    if (!all && !lie_inside(&s))
        return kernel_fails(c, "its windows have different counts of numbers");
    s.weights = (struct taps){s.taps, 0, 1};
    const struct equal_channels l = {calloc(channels + 1, sizeof *l.steps),
                                     calloc(channels + 1, sizeof *l.factors), malloc(weights + 1)};
    const bool ok =
        l.steps && l.factors && l.ones ? describe_windows(c, &s, &l, weights) : kernel_no_memory(c);
    free(l.steps);
    free(l.factors);
    free(l.ones);
    return ok;
}

/* A window over each image. */
static bool describe_image(const struct call *c)
{
    const bool last = node_integer(c->node, "channels_last") != 0;
    struct slide s = slide_of(c->node, c->in[0], NULL, c->out[0]);
    for (int i = 0; i < s.dims; i++)
        s.kernel[i] = s.size[i];
    slide_count(&s, last, false);
    return describe_average(c, &s, true);
}

static bool global_average(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct scaling from = scaling_at(c, c->in, 1), to = scaling_at(c, c->in, 3);
    const int64_t count = y->count ? (int64_t)(x->count / y->count) : 1;
    const float factor = mean_factor(&from, &to, count);
    struct view kept = *x;
    memcpy(kept.dim, y->dim, sizeof kept.dim);
    kept.count = y->count;
    if (c->taker) {
        struct num_step step = step_of(y->type, to.zero);
        if (!float_step(&step, factor))
            return describe_image(c);
        return exact_run(
            c, &(struct exact){
                   .kind = EXACT_TOTAL, .kept = &kept, .step = &step, .zero = from.zero, .x = x, .y = y});
    }
    const struct spread s = spread_of(&kept, x);
    int64_t *sums = calloc(y->count + 1, sizeof *sums);
    if (!sums)
        return kernel_no_memory(c);
    for (size_t i = 0; i < x->count; i++)
        sums[spread_at(&s, i)] += view_integer(x, i) - from.zero;
    for (size_t i = 0; i < y->count; i++)
        view_set_real(y, i, float_result(sums[i], factor) + to.zero);
    free(sums);
    return true;
}

/* Numbers that a window has, and their sum less the zero point. */
static int64_t sum_window(const struct slide *s, struct spot spot, const int64_t *places,
                          const struct view *x, int32_t zero, int64_t *count)
{
    int64_t sum = 0;
    *count = 0;
    for (int64_t tap = 0; tap < s->taps; tap++)
        if (places[tap] >= 0) {
            sum += view_integer(x, spot_source(s, spot, places[tap])) - zero;
            ++*count;
        }
    return sum;
}

static bool average_windows(const struct call *c, const struct slide *s, bool all)
{
    const struct view *y = c->out[0];
    const struct scaling from = scaling_at(c, c->in, 1), to = scaling_at(c, c->in, 3);
    int64_t *places = calloc((size_t)s->taps + 1, sizeof *places), count;
    if (!places)
        return kernel_no_memory(c);
    for (int64_t at = 0; at < s->results; at++) {
        slide_places(s, at, at ? places : NULL, places);
        for (int64_t i = at; i < (int64_t)y->count; i += s->results) {
            const struct spot spot = slide_spot(s, i);
            const int64_t sum = sum_window(s, spot, places, c->in[0], from.zero, &count);
            const float factor = mean_factor(&from, &to, all ? s->taps : count);
            view_set_real(y, spot_result(s, spot), float_result(sum, factor) + to.zero);
        }
    }
    free(places);
    return true;
}

static bool average(const struct call *c)
{
    const struct slide s = slide_of(c->node, c->in[0], NULL, c->out[0]);
    const bool all = node_integer(c->node, "count_include_pad") != 0;
    return c->taker ? describe_average(c, &s, all) : average_windows(c, &s, all);
}

const struct kernel runtime_kernels[] = {
    {"QLinearAveragePool", average},  {"QLinearConcat", concat}, {"QLinearGlobalAveragePool", global_average},
    {"QLinearLeakyRelu", leaky_relu}, {"QLinearSigmoid", curve}, {NULL, NULL},
};
