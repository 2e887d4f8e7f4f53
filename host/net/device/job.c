/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/device/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/float_step.h"

__attribute__((format(printf, 2, 3))) static bool leave(struct job *job, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(job->reason, sizeof job->reason, format, args);
    va_end(args);
    return false;
}

static bool no_memory(struct job *job)
{
    return leave(job, "out of memory");
}

static bool is_unsigned(enum net_type type)
{
    return type == NET_UINT8 || type == NET_UINT16;
}

static enum tulle_type type_of(enum net_type type)
{
    return type_bytes(type) == 1 ? TULLE_INT8 : TULLE_INT16;
}

static struct job_shape shape_of(const struct view *v, int64_t rows)
{
    return (struct job_shape){
        .type = type_of(v->type), .rows = rows, .columns = rows ? (int64_t)v->count / rows : 0};
}

static bool check_width(struct job *job, const struct view *x, unsigned data_bytes)
{
    return type_bytes(x->type) == data_bytes ||
           leave(job, "%s; activations of the device have another width", net_type_name(x->type));
}

/* ---- results ------------------------------------------------------------------------------------- */

void job_set_epilogue(struct job *job, const struct num_step *step)
{
    job->epilogue = (struct tulle_epilogue){.size = sizeof job->epilogue,
                                            .function = (enum tulle_function)step->function,
                                            .multiplier = step->multiplier,
                                            .shift = step->shift,
                                            .low = step->low,
                                            .high = step->high,
                                            .zero = step->zero,
                                            .rounding = (enum tulle_rounding)step->rounding};
    job->options.epilogue = &job->epilogue;
}

/* Scales that are not the same in all channels. */
static bool set_channels(struct job *job, const struct num_step *steps, int64_t count)
{
    bool same = true;
    job_set_epilogue(job, steps);
    for (int64_t c = 1; c < count; c++)
        same = same && steps[c].multiplier == steps->multiplier && steps[c].shift == steps->shift;
    if (same)
        return true;
    job->multipliers = calloc((size_t)count, sizeof *job->multipliers);
    job->shifts = calloc((size_t)count, sizeof *job->shifts);
    if (!job->multipliers || !job->shifts)
        return no_memory(job);
    for (int64_t c = 0; c < count; c++) {
        job->multipliers[c] = steps[c].multiplier;
        job->shifts[c] = (uint8_t)steps[c].shift;
    }
    job->channels = (struct tulle_channels){
        .size = sizeof job->channels, .multiplier = job->multipliers, .shift = job->shifts};
    job->options.channels = &job->channels;
    return true;
}

/* The device gives sums, and the host rounds them as the CPU does. */
static bool set_finish(struct job *job, const struct exact *e)
{
    const struct raster *to = &e->layer->slide.to;
    const size_t bytes = (size_t)to->channels * sizeof *job->finish.factors;
    job->finish = (struct job_finish){.factors = malloc(bytes + 1),
                                      .channels = to->channels,
                                      .pitch = to->channel,
                                      .step = *e->layer->steps};
    if (!job->finish.factors)
        return no_memory(job);
    memcpy(job->finish.factors, e->factors, bytes);
    job->options.output_type = TULLE_INT32;
    job->options.output_unsigned = 0;
    return true;
}

static void finish(const struct job_finish *f, const int32_t *sums, const struct view *y)
{
    for (size_t i = 0; i < y->count; i++) {
        const float factor = f->factors[(int64_t)i / f->pitch % f->channels];
        const double result = float_result(sums[i], factor) + f->step.zero;
        view_set_integer(y, i,
                         result < f->step.low    ? f->step.low
                         : result > f->step.high ? f->step.high
                                                 : (int64_t)result);
    }
}

static void set_types(struct job *job, const struct exact *e)
{
    job->options.output_type = type_of(e->y->type);
    job->options.input_unsigned = is_unsigned(e->x->type);
    job->options.output_unsigned = is_unsigned(e->y->type);
}

/* ---- windows ------------------------------------------------------------------------------------- */

/* Windows of one dimension are one pixel high. */
static bool set_window(struct job *job, const struct slide *s)
{
    const int x = s->dims - 1;
    if (s->dims > 2)
        return leave(job, "its windows have %d dimensions", s->dims);
    job->window = (struct tulle_window){.size = sizeof job->window,
                                        .batch = s->images,
                                        .channels = s->from.channels,
                                        .height = x > 0 ? s->size[0] : 1,
                                        .kernel_height = x > 0 ? s->kernel[0] : 1,
                                        .stride_y = x > 0 ? s->stride[0] : 1,
                                        .dilation_y = x > 0 ? s->dilation[0] : 1,
                                        .pad_top = x > 0 ? s->pad[0] : 0,
                                        .width = x >= 0 ? s->size[x] : 1,
                                        .kernel_width = x >= 0 ? s->kernel[x] : 1,
                                        .stride_x = x >= 0 ? s->stride[x] : 1,
                                        .dilation_x = x >= 0 ? s->dilation[x] : 1,
                                        .pad_left = x >= 0 ? s->pad[x] : 0};
    job->options.window = &job->window;
    return true;
}

/* What must lie behind the image so that there are just as many results: it can be negative, and windows end
 * before the image does. */
static int64_t behind(const struct slide *s, int i)
{
    const int64_t reach = (s->kernel[i] - 1) * s->dilation[i] + 1,
                  more = (s->result[i] - 1) * s->stride[i] + reach - s->pad[i] - s->size[i];
    return more > 0 ? more : 0;
}

static bool is_last(const struct raster *r)
{
    return r->channel == 1;
}

/* Images, and how they lie. */
static bool set_images(struct job *job, const struct exact *e, const struct slide *s, unsigned data_bytes)
{
    const bool from_last = is_last(&s->from), to_last = is_last(&s->to);
    if (!check_width(job, e->x, data_bytes) || !set_window(job, s))
        return false;
    job->window.pad_bottom = s->dims > 1 ? behind(s, 0) : 0;
    job->window.pad_right = s->dims ? behind(s, s->dims - 1) : 0;
    job->window.input_layout = from_last ? TULLE_NHWC : TULLE_NCHW;
    job->window.output_layout = to_last ? TULLE_NHWC : TULLE_NCHW;
    job->x = shape_of(e->x, s->images * (from_last ? s->area : s->from.channels));
    job->y = shape_of(e->y, s->images * (to_last ? s->results : s->to.channels));
    return true;
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* The zero point that all channels share, if it is one of int8; else 0, and weights are stored less their
 * own.
 */
static int32_t common_zero(const struct scaled_layer *layer)
{
    const int32_t *zeros = layer->w_zero;
    for (int64_t o = 1; zeros && o < layer->slide.to.channels; o++)
        if (zeros[o] != zeros[0])
            return 0;
    return zeros && zeros[0] == (int8_t)zeros[0] ? zeros[0] : 0;
}

/* A weight less the zero point that the operator does not take away. */
static int64_t weight_at(const struct job *job, const struct exact *e, int64_t output, int64_t tap,
                         int64_t input)
{
    const struct taps *t = &e->layer->slide.weights;
    const int32_t zero = e->layer->w_zero ? e->layer->w_zero[output] : 0;
    return view_integer(e->w, (size_t)(output * t->output + input * t->input + tap * t->tap)) - zero +
           job->options.matrix_zero;
}

static int64_t within_byte(int64_t value)
{
    return value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value;
}

static bool fit(const struct job *job, const struct exact *e, int64_t input)
{
    const struct slide *s = &e->layer->slide;
    bool fit = true;
    for (int64_t o = 0; fit && o < s->to.channels; o++)
        for (int64_t tap = 0; fit && tap < s->taps; tap++) {
            const int64_t value = weight_at(job, e, o, tap, input) - job->options.matrix_zero;
            fit = value == within_byte(value);
        }
    return fit;
}

/* Input channels of a group with weights of more than 8 bits, which meet a copy of their activations: what a
 * byte of the weight leaves is the copy's. Weights have no zero point then. */
static bool set_copies(struct job *job, const struct exact *e)
{
    const struct slide *s = &e->layer->slide;
    struct job_copies *c = &job->copies;
    *c = (struct job_copies){.groups = s->groups, .each = s->each, .pixels = s->area};
    c->list = calloc((size_t)s->each + 1, sizeof *c->list);
    for (int64_t i = 0; c->list && i < s->each; i++)
        if (!fit(job, e, i))
            c->list[c->count++] = i;
    if (c->count)
        job->options.matrix_zero = 0;
    return c->list != NULL;
}

/* A row for each output channel, in the order (place in the window, channel), copies last. */
static bool set_weights(struct job *job, const struct exact *e, unsigned data_bytes)
{
    const struct slide *s = &e->layer->slide;
    job->options.matrix_zero = common_zero(e->layer);
    if (data_bytes == 1 && !set_copies(job, e))
        return no_memory(job);
    const struct job_copies *copies = &job->copies;
    const int64_t columns = s->taps * (s->each + copies->count);
    int16_t *to = calloc((size_t)(s->to.channels * columns) + 1, sizeof *to);
    job->weights = to;
    if (!to)
        return no_memory(job);
    for (int64_t row = 0; row < s->to.channels * s->taps; row++) {
        const int64_t o = row / s->taps, tap = row % s->taps;
        for (int64_t i = 0; i < s->each; i++) {
            const int64_t value = weight_at(job, e, o, tap, i);
            *to++ = (int16_t)(copies->count ? within_byte(value) : value);
        }
        for (int64_t k = 0; k < copies->count; k++) {
            const int64_t value = weight_at(job, e, o, tap, copies->list[k]);
            *to++ = (int16_t)(value - within_byte(value));
        }
    }
    job->matrix = (struct tulle_matrix){.size = sizeof job->matrix,
                                        .type = TULLE_INT16,
                                        .rows = s->to.channels,
                                        .columns = columns,
                                        .values = job->weights};
    job->options.matrix = &job->matrix;
    return true;
}

/* The input has copies of channels, and so has what it is for the library. */
static void widen_input(struct job *job, bool last)
{
    struct job_copies *c = &job->copies;
    const int64_t more = c->groups * c->count;
    c->last = last;
    job->window.channels += more;
    *(last ? &job->x.columns : &job->x.rows) =
        (last ? job->x.columns : job->x.rows) / (c->groups * c->each) * (c->groups * c->each + more);
}

static bool set_bias(struct job *job, const struct view *bias)
{
    if (!bias)
        return true;
    job->bias = calloc(bias->count + 1, sizeof *job->bias);
    if (!job->bias)
        return no_memory(job);
    for (size_t i = 0; i < bias->count; i++) {
        const int64_t value = view_integer(bias, i);
        if (value != (int32_t)value)
            return leave(job, "a bias of more than 32 bits");
        job->bias[i] = (int32_t)value;
    }
    job->options.bias = job->bias;
    return true;
}

/* C = A S, where the weights' rows are columns of S. */
static void set_product(struct job *job, const struct exact *e, int64_t rows)
{
    struct tulle_matrix *m = &job->matrix;
    const int64_t columns = m->columns;
    job->options.operation = TULLE_SPMM_RIGHT;
    job->options.dense = rows;
    m->columns = m->rows;
    m->rows = columns;
    m->row_stride = 1;
    m->column_stride = columns;
    job->x = shape_of(e->x, rows);
    job->y = shape_of(e->y, rows);
}

static bool make_layer(struct job *job, const struct exact *e, unsigned data_bytes)
{
    const struct slide *s = &e->layer->slide;
    if (!set_weights(job, e, data_bytes) || !set_bias(job, e->bias) ||
        !(e->factors ? set_finish(job, e) : set_channels(job, e->layer->steps, s->to.channels)))
        return false;
    job->options.input_zero = e->layer->x_zero;
    job->options.wraps = e->bias && e->bias->type == NET_INT64;
    job->options.operation = TULLE_CONVOLUTION;
    if (!s->dims)
        set_product(job, e, s->images);
    else if (!set_images(job, e, s, data_bytes))
        return false;
    job->window.groups = s->groups;
    if (job->copies.count)
        widen_input(job, !s->dims || is_last(&s->from));
    if (e->factors)
        job->y.type = TULLE_INT32;
    return true;
}

/* ---- sums of numbers ------------------------------------------------------------------------------ */

/* Dimensions that are added up stand together: in front of them are `outer` numbers, behind them `inner`. */
struct block {
    int64_t outer, length, inner;
};

static bool block_of(const struct view *x, const struct view *kept, struct block *b)
{
    int stage = 0;
    *b = (struct block){1, 1, 1};
    for (int i = 0; i < x->rank; i++) {
        const bool summed = kept->dim[i] != x->dim[i];
        if (x->dim[i] == 1)
            continue;
        if (summed && stage == 2)
            return false;
        stage = summed ? 1 : stage ? 2 : 0;
        *(summed ? &b->length : stage == 2 ? &b->inner : &b->outer) *= x->dim[i];
    }
    return true;
}

/* Weights of 1: with channels behind them a depthwise convolution, else a product with a vector. */
static bool make_total(struct job *job, const struct exact *e, unsigned data_bytes)
{
    struct block b;
    if (!block_of(e->x, e->kept, &b))
        return leave(job, "it adds up dimensions that do not stand together");
    if (!check_width(job, e->x, data_bytes))
        return false;
    int8_t *ones = malloc((size_t)(b.inner * b.length) + 1);
    job->weights = ones;
    if (!ones)
        return no_memory(job);
    memset(ones, 1, (size_t)(b.inner * b.length));
    job->matrix = (struct tulle_matrix){
        .size = sizeof job->matrix, .type = TULLE_INT8, .rows = b.inner, .columns = b.length, .values = ones};
    job->options.matrix = &job->matrix;
    job->options.input_zero = e->zero;
    job_set_epilogue(job, e->step);
    if (b.inner == 1) {
        set_product(job, e, b.outer);
        return true;
    }
    job->options.operation = TULLE_CONVOLUTION;
    job->window = (struct tulle_window){.size = sizeof job->window,
                                        .batch = b.outer,
                                        .height = b.length,
                                        .width = 1,
                                        .channels = b.inner,
                                        .kernel_height = b.length,
                                        .kernel_width = 1,
                                        .groups = b.inner};
    job->options.window = &job->window;
    job->x = shape_of(e->x, b.outer * b.length);
    job->y = shape_of(e->y, b.outer);
    return true;
}

/* ---- pools, and what has no weights ------------------------------------------------------------------ */

/* Numbers that stay what they are, within the limits of the step or of the type. */
static void set_limits(struct job *job, const struct exact *e)
{
    struct num_step same = e->step ? *e->step : step_of(e->y->type, 0);
    same.function = NUM_REQUANTISE;
    same.multiplier = 1;
    job_set_epilogue(job, &same);
}

static bool make_pool(struct job *job, const struct exact *e, unsigned data_bytes)
{
    const bool largest = e->kind == EXACT_LARGEST;
    if (!set_images(job, e, e->slide, data_bytes))
        return false;
    job->options.operation = largest ? TULLE_MAX_POOL : TULLE_AVERAGE_POOL;
    job->window.exclude_padding = job->window.round_away = !largest;
    if (largest)
        set_limits(job, e);
    else
        job_set_epilogue(job, e->step);
    return true;
}

/* Windows of one number that the table is applied to. */
static bool make_bytes(struct job *job, const struct exact *e, unsigned data_bytes)
{
    if (e->x->type != e->y->type)
        return leave(job, "its input is %s and its result %s", net_type_name(e->x->type),
                     net_type_name(e->y->type));
    if (!check_width(job, e->x, data_bytes))
        return false;
    set_limits(job, e);
    job->options.operation = TULLE_MAX_POOL;
    const int64_t channels = e->x->rank ? e->x->dim[e->x->rank - 1] : 1,
                  rows = channels ? (int64_t)e->x->count / channels : 0;
    job->window = (struct tulle_window){.size = sizeof job->window,
                                        .height = 1,
                                        .width = rows,
                                        .channels = channels,
                                        .kernel_height = 1,
                                        .kernel_width = 1};
    job->options.window = &job->window;
    job->x = shape_of(e->x, rows);
    job->y = shape_of(e->y, rows);
    return job_fold_bytes(job, e->bytes) || leave(job, "its table needs results of int8");
}

static bool make_softmax(struct job *job, const struct exact *e)
{
    const struct num_softmax *s = e->softmax;
    const int64_t columns = e->x->dim[e->x->rank - 1], rows = columns ? (int64_t)e->x->count / columns : 0;
    if (s->input != NUM_INT8)
        return leave(job, "a softmax of int16");
    job->softmax = (struct tulle_softmax){.size = sizeof job->softmax,
                                          .columns = columns,
                                          .multiplier = s->multiplier,
                                          .shift = s->shift,
                                          .least = s->least};
    job->options.operation = TULLE_SOFTMAX;
    job->options.softmax = &job->softmax;
    job->options.dense = rows;
    job->x = shape_of(e->x, rows);
    job->y = shape_of(e->y, rows);
    return true;
}

/* ---- two operands -------------------------------------------------------------------------------- */

/* An operand with half of its scale needs no multiplier. */
static bool is_half(const struct num_operand *operand)
{
    return operand->multiplier == 1 << 30 && operand->shift == 31;
}

bool job_set_second(struct job *job, const struct num_join *join, const struct num_operand *a,
                    const struct num_operand *b, const struct view *w)
{
    const bool scale_first = !is_half(a);
    const struct num_operand *scaled = scale_first ? a : b;
    if (join->joining != NUM_MULTIPLY &&
        ((scale_first && !is_half(b)) || (scaled->left != 15 && scaled->left != 20)))
        return leave(job, "both operands have scales of their own, or another number of fraction bits");
    job->second = (struct tulle_second){.size = sizeof job->second,
                                        .join = (enum tulle_join)(TULLE_JOIN_ADD + (int)join->joining),
                                        .type = type_of(w->type),
                                        .has_no_sign = is_unsigned(w->type),
                                        .zero = b->zero,
                                        .multiplier = scaled->multiplier,
                                        .shift = scaled->shift,
                                        .scale_first = scale_first,
                                        .fraction_15 = scaled->left == 15};
    job->options.second = &job->second;
    job_set_epilogue(job, &join->step);
    return true;
}

/* Whether the operand is the last dimension of the result, or all of it. */
static bool is_row_of(const struct view *v, const struct view *y)
{
    return v->count == y->count || (v->rank && y->rank && v->dim[v->rank - 1] == y->dim[y->rank - 1] &&
                                    v->count == (size_t)v->dim[v->rank - 1]);
}

static bool make_join(struct job *job, const struct exact *e)
{
    const struct num_join *join = e->join;
    job->turned = e->x->count < e->y->count && join->joining != NUM_SUBTRACT;
    const struct view *first = job->turned ? e->w : e->x, *second = job->turned ? e->x : e->w;
    if (first->count != e->y->count || !is_row_of(second, e->y))
        return leave(job, "its operands are repeated otherwise than in rows");
    const struct num_operand *a = job->turned ? &join->b : &join->a, *b = job->turned ? &join->a : &join->b;
    if (!job_set_second(job, join, a, b, second))
        return false;
    job->options.input_zero = a->zero;
    const bool row = second->count != e->y->count;
    const int64_t rows = row ? (int64_t)(e->y->count / second->count) : 1;
    job->options.operation = TULLE_ELEMENTWISE;
    job->options.dense = rows;
    job->second.columns = (int64_t)e->y->count / rows;
    job->second.is_row = row;
    job->x = shape_of(first, rows);
    job->w = shape_of(second, 1);
    job->y = shape_of(e->y, rows);
    return true;
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

bool job_make(struct job *job, const struct exact *e, unsigned data_bytes)
{
    *job = (struct job){.options.size = sizeof job->options};
    if (!e->y->count)
        return leave(job, "it has no numbers");
    set_types(job, e);
    if (e->kind == EXACT_LAYER && !e->w->data)
        return leave(job, "its weights are computed");
    switch (e->kind) {
    case EXACT_LAYER:
        return make_layer(job, e, data_bytes);
    case EXACT_JOIN:
        return make_join(job, e);
    case EXACT_BYTES:
        return make_bytes(job, e, data_bytes);
    case EXACT_TOTAL:
        return make_total(job, e, data_bytes);
    case EXACT_SOFTMAX:
        return make_softmax(job, e);
    default:
        return make_pool(job, e, data_bytes);
    }
}

void job_settle(struct job *job)
{
    free(job->weights);
    free(job->bias);
    free(job->multipliers);
    free(job->shifts);
    free(job->limits);
    job->weights = NULL;
    job->bias = job->multipliers = NULL;
    job->shifts = NULL;
    job->limits = NULL;
}

void job_free(struct job *job)
{
    job_settle(job);
    free(job->finish.factors);
    free(job->copies.list);
    *job = (struct job){.options.size = 0};
}

size_t job_element_bytes(enum tulle_type type)
{
    return type == TULLE_INT8 ? 1 : type == TULLE_INT16 ? 2 : 4;
}

uint64_t job_shape_bytes(const struct job_shape *shape)
{
    return (uint64_t)(shape->rows * shape->columns) * job_element_bytes(shape->type);
}

static const void *begin_of(const struct job_shape *shape, const void *values)
{
    return (const uint8_t *)values + (size_t)shape->at * job_element_bytes(shape->type);
}

static int64_t pitch_of(const struct job_shape *shape)
{
    return shape->pitch ? shape->pitch : shape->columns;
}

static struct tulle_matrix matrix_of(const struct job_shape *shape, const void *values)
{
    return (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                 .type = shape->type,
                                 .rows = shape->rows,
                                 .columns = shape->columns,
                                 .row_stride = pitch_of(shape),
                                 .column_stride = 1,
                                 .values = begin_of(shape, values)};
}

void job_operands(struct job_operands *to, const struct job *job, const void *x, const void *w, void *y)
{
    const bool pair = job->options.second != NULL;
    to->input = matrix_of(&job->x, job->turned ? w : x);
    to->second = pair ? matrix_of(&job->w, job->turned ? x : w) : (struct tulle_matrix){0};
    to->output = (struct tulle_output){.size = sizeof to->output,
                                       .type = job->y.type,
                                       .row_stride = pitch_of(&job->y),
                                       .column_stride = 1,
                                       .values = (void *)begin_of(&job->y, y),
                                       .room = (job->y.rows - 1) * pitch_of(&job->y) + job->y.columns};
    to->all = (struct tulle_operands){.size = sizeof to->all,
                                      .input = &to->input,
                                      .output = &to->output,
                                      .second = pair ? &to->second : NULL};
}

/* Images with copies of channels; NULL: no memory. */
static uint8_t *copy_channels(const struct job_copies *c, const struct view *x)
{
    const int64_t wide = c->each + c->count, planes = c->last ? 1 : c->pixels,
                  outer = (int64_t)x->count / (c->each * planes);
    const uint8_t *from = x->data;
    uint8_t *bytes = malloc((size_t)(outer * wide * planes) + 1), *to = bytes;
    for (int64_t g = 0; bytes && g < outer; g++, from += c->each * planes) {
        memcpy(to, from, (size_t)(c->each * planes));
        to += c->each * planes;
        for (int64_t k = 0; k < c->count; k++, to += planes)
            memcpy(to, from + c->list[k] * planes, (size_t)planes);
    }
    return bytes;
}

static enum tulle_status run_copies(const struct job *job, const struct view *x, const struct view *w,
                                    void *to, const struct job_runner *runner)
{
    const void *second = w ? w->data : NULL;
    if (!job->copies.count)
        return runner->run(runner->context, job, x->data, second, to);
    void *wide = copy_channels(&job->copies, x);
    const enum tulle_status status =
        wide ? runner->run(runner->context, job, wide, second, to) : TULLE_OUT_OF_MEMORY;
    free(wide);
    return status;
}

enum tulle_status job_run_with(const struct job *job, const struct view *x, const struct view *w,
                               const struct view *y, const struct job_runner *runner)
{
    if (!job->finish.factors)
        return run_copies(job, x, w, y->data, runner);
    int32_t *sums = malloc(y->count * sizeof *sums + 1);
    const enum tulle_status status = sums ? run_copies(job, x, w, sums, runner) : TULLE_OUT_OF_MEMORY;
    if (!status)
        finish(&job->finish, sums, y);
    free(sums);
    return status;
}

struct plain_run {
    struct tulle_operator *op;
    unsigned milliseconds;
    struct tulle_counters *counters;
};

static enum tulle_status run_plainly(void *context, const struct job *job, const void *x, const void *w,
                                     void *y)
{
    const struct plain_run *run = context;
    struct job_operands operands;
    job_operands(&operands, job, x, w, y);
    return tulle_run(run->op, &operands.all, run->milliseconds, run->counters);
}

enum tulle_status job_run(const struct job *job, struct tulle_operator *op, const struct view *x,
                          const struct view *w, const struct view *y, unsigned milliseconds,
                          struct tulle_counters *counters)
{
    struct plain_run run = {op, milliseconds, counters};
    return job_run_with(job, x, w, y, &(struct job_runner){&run, run_plainly});
}
