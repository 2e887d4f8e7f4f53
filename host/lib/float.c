/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes operators for floats: quantises the weights and estimates the errors
 * of results.
 *
 * Scales follow the largest magnitude, without zero points. So the integer for
 * 0 is 0: clusters skip zeros, padding is exact, and sums need no correction.
 */
#include <math.h>
#include <stdlib.h>

#include "host/lib/float.h"

/* What is known of inputs. */
struct inputs {
    double range, mean, mean_square;
};

/* ---- inputs ----------------------------------------------------------------------------------------- */

static enum tulle_status tell_not_finite(const char *name, int64_t at)
{
    return message_set(TULLE_INVALID_MATRIX, "%s: value %lld is not a finite number", name, (long long)at);
}

static enum tulle_status look_at(const struct tulle_matrix *m, struct inputs *inputs)
{
    const int64_t places = m->rows * m->columns, count = m->format == TULLE_DENSE ? places : m->entries;
    double sum = 0, squares = 0, most = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = m->format == TULLE_DENSE ? matrix_place(m, i / m->columns, i % m->columns) : i;
        const double value = matrix_float(m, at);
        if (!isfinite(value))
            return tell_not_finite("the example", at);
        sum += value;
        squares += value * value;
        most = fmax(most, fabs(value));
    }
    if (!places || most == 0)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "the example has only zeros, which do not show the range of inputs");
    *inputs = (struct inputs){most, sum / (double)places, squares / (double)places};
    return TULLE_OK;
}

/* Without an example anything in the range is as likely. */
static enum tulle_status find_inputs(const struct tulle_float_options *o, struct inputs *inputs)
{
    if (!(o->range >= 0) || !isfinite(o->range))
        return message_set(TULLE_INVALID_ARGUMENT, "range is %g; it is a finite number from 0 on", o->range);
    if (!o->example && o->range == 0)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "give range or example: the range of the inputs is not known");
    *inputs = (struct inputs){o->range, 0, (double)o->range * o->range / 3};
    if (!o->example)
        return TULLE_OK;
    enum tulle_status status = matrix_check(o->example, "the example");
    if (!status)
        status = look_at(o->example, inputs);
    if (!status && o->range > 0)
        inputs->range = o->range;
    return status;
}

/* ---- weights ---------------------------------------------------------------------------------------- */

/* What the errors of one result come from: with w and x of floats, w' and x' of integers,
 * w x - w' x' = w (x - x') + (w - w') x'. */
struct sums {
    double weights, weights_square;                       /* |w|, w^2 */
    double roundings, roundings_square, roundings_signed; /* of w - w' */
};

/* In the description squares are added up for their mean. */
static void find_errors(struct tulle_float *f, uint32_t n, const struct sums *s, const struct inputs *in)
{
    const double step = f->info.input_scale, spread = fmax(in->mean_square - in->mean * in->mean, 0),
                 bias = f->bias ? fabsf(f->bias[n]) : 0,
                 square = bias * bias + s->weights_square * in->mean_square; /* of a result, about */
    /* Rounding to nearest is wrong by half a step at most, and by step^2 / 12 in the mean of squares; floats
     * have a step of 2^-23 to 2^-24 of themselves. */
    f->expected[n] =
        sqrt(s->weights_square * step * step / 12 + spread * s->roundings_square +
             in->mean * in->mean * s->roundings_signed * s->roundings_signed + square * 0x1p-48 / 6);
    f->worst[n] =
        s->weights * step / 2 + s->roundings * in->range + (s->weights * in->range + bias) * 0x1p-23;
    f->info.expected_error += f->expected[n] * f->expected[n];
    f->info.worst_error = fmax(f->info.worst_error, f->worst[n]);
}

/* From floats to integers, in place. */
static enum tulle_status quantise_row(struct tulle_float *f, struct sparse *w, uint32_t n,
                                      const struct inputs *in)
{
    struct sums sums = {0};
    float most = 0;
    for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++) {
        const float value = fabsf(float_of_bits(w->value[e]));
        if (!isfinite(value))
            return message_set(TULLE_INVALID_MATRIX,
                               "the sparse matrix: a value of result %u is not a finite number", n);
        most = value > most ? value : most;
    }
    f->scale[n] = most > 0 ? (double)most / f->steps : 1;
    for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++) {
        const double value = float_of_bits(w->value[e]);
        w->value[e] = (int32_t)lrint(value / f->scale[n]);
        const double rounding = value - w->value[e] * f->scale[n];
        sums.weights += fabs(value);
        sums.weights_square += value * value;
        sums.roundings += fabs(rounding);
        sums.roundings_square += rounding * rounding;
        sums.roundings_signed += rounding;
    }
    find_errors(f, n, &sums, in);
    return TULLE_OK;
}

static bool allocate(struct tulle_float *f, uint32_t count)
{
    f->count = count;
    f->scale = malloc(((size_t)count + 1) * sizeof *f->scale);
    f->expected = malloc(((size_t)count + 1) * sizeof *f->expected);
    f->worst = malloc(((size_t)count + 1) * sizeof *f->worst);
    return f->scale && f->expected && f->worst;
}

static enum tulle_status copy_bias(struct tulle_float *f, const float *bias)
{
    if (!bias)
        return TULLE_OK;
    f->bias = malloc(((size_t)f->count + 1) * sizeof *f->bias);
    if (!f->bias)
        return message_no_memory();
    for (uint32_t n = 0; n < f->count; n++) {
        if (!isfinite(bias[n]))
            return tell_not_finite("the bias", n);
        f->bias[n] = bias[n];
    }
    return TULLE_OK;
}

static enum tulle_status quantise(struct tulle_float *f, const struct tulle_float_options *o,
                                  struct sparse *w, const struct inputs *in)
{
    enum tulle_status status = allocate(f, w->rows) ? copy_bias(f, o->bias) : message_no_memory();
    for (uint32_t n = 0; !status && n < w->rows; n++)
        status = quantise_row(f, w, n, in);
    f->info.expected_error = w->rows ? sqrt(f->info.expected_error / w->rows) : 0;
    return status;
}

/* ---- creation ---------------------------------------------------------------------------------------- */

static enum tulle_status check_options(const struct tulle_float_options *o)
{
    if ((unsigned)o->operation > TULLE_CONVOLUTION)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "floats are for products and convolutions, not for operation %d",
                           (int)o->operation);
    switch (o->function) {
    case TULLE_NONE:
    case TULLE_RELU:
        return TULLE_OK;
    case TULLE_LEAKY_RELU:
        return o->slope >= 0 && o->slope <= 1
                   ? TULLE_OK
                   : message_set(TULLE_INVALID_ARGUMENT, "slope is %g; a leaky ReLU has one from 0 to 1",
                                 o->slope);
    case TULLE_CLAMP:
        return o->low <= o->high
                   ? TULLE_OK
                   : message_set(TULLE_INVALID_ARGUMENT, "low is %g and high %g: nothing is between them",
                                 o->low, o->high);
    default:
        return message_set(TULLE_INVALID_ARGUMENT,
                           "floats have no function %d, only none, ReLU, leaky ReLU and clamp",
                           (int)o->function);
    }
}

static enum tulle_status create_operator(struct tulle_float *f, struct tulle_device *device,
                                         const struct tulle_float_options *o, const struct sparse *w)
{
    const bool right = o->operation == TULLE_SPMM_RIGHT;
    const struct tulle_matrix integers = {.size = sizeof integers,
                                          .format = right ? TULLE_CSC : TULLE_CSR,
                                          .type = TULLE_INT32,
                                          .rows = right ? w->columns : w->rows,
                                          .columns = right ? w->rows : w->columns,
                                          .entries = w->start[w->rows],
                                          .index_type = TULLE_INT32,
                                          .values = w->value,
                                          .starts = w->start,
                                          .indices = w->column};
    const struct tulle_operator_options options = {
        .size = sizeof options,
        .operation = o->operation,
        .matrix = &integers,
        .window = o->window,
        .dense = o->dense,
        .output_type = device->info.accumulator_bits > 32 ? TULLE_INT64 : TULLE_INT32,
        .input_density = o->input_density,
        .plan = o->plan};
    return tulle_operator_create(device, &options, &f->op);
}

static enum tulle_status make(struct tulle_float *f, struct tulle_device *device,
                              const struct tulle_float_options *o)
{
    struct inputs inputs = {0};
    struct sparse weights;
    double ignored;
    const struct intake in = {.name = "the sparse matrix",
                              .matrix = o->matrix,
                              .transposed = o->operation == TULLE_SPMM_RIGHT,
                              .data_bytes = device->info.data_bytes,
                              .floats = true};
    enum tulle_status status = find_inputs(o, &inputs);
    if (!status)
        status = intake_matrix(&in, &weights, &ignored);
    if (status)
        return status;
    f->steps = (1 << (8 * device->info.data_bytes - 1)) - 1;
    f->info.range = (float)inputs.range;
    f->info.input_scale = inputs.range / f->steps;
    f->function = o->function;
    f->low = o->low;
    f->high = o->high;
    f->slope = o->slope;
    status = quantise(f, o, &weights, &inputs);
    if (!status)
        status = create_operator(f, device, o, &weights);
    sparse_free(&weights);
    return status;
}

/* The caller's options in structures of this version. What the integer operator gets too, it takes itself. */
struct request {
    struct tulle_float_options options;
    struct tulle_matrix matrix, example;
};

static enum tulle_status take_request(const struct tulle_float_options *given, struct request *to)
{
    struct tulle_float_options *o = &to->options;
    enum tulle_status status = sized_take(SIZED_FLOAT_OPTIONS, given, o);
    if (!status)
        status = sized_take(SIZED_MATRIX, o->matrix, &to->matrix);
    if (!status)
        status = sized_take(SIZED_MATRIX, o->example, &to->example);
    o->matrix = o->matrix ? &to->matrix : NULL;
    o->example = o->example ? &to->example : NULL;
    return status;
}

enum tulle_status tulle_float_create(struct tulle_device *device, const struct tulle_float_options *options,
                                     struct tulle_float **to)
{
    if (!device || !options || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_float_create: device, options or op is NULL");
    struct request request;
    enum tulle_status status = take_request(options, &request);
    if (!status)
        status = check_options(&request.options);
    if (status)
        return status;
    struct tulle_float *f = calloc(1, sizeof *f);
    if (!f)
        return message_no_memory();
    status = make(f, device, &request.options);
    if (status)
        tulle_float_free(f);
    else
        *to = f;
    return status;
}

void tulle_float_free(struct tulle_float *f)
{
    if (!f)
        return;
    tulle_operator_free(f->op);
    free(f->scale);
    free(f->bias);
    free(f->expected);
    free(f->worst);
    free(f);
}

/* ---- what is told ------------------------------------------------------------------------------------- */

enum tulle_status tulle_float_describe(const struct tulle_float *f, struct tulle_float_info *info)
{
    if (!f || !info)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_float_describe: op or info is NULL");
    enum tulle_status status = sized_check(SIZED_FLOAT_INFO, info);
    if (!status)
        sized_give(SIZED_FLOAT_INFO, &f->info, info);
    return status;
}

enum tulle_status tulle_float_errors(const struct tulle_float *f, double *expected, double *worst,
                                     size_t room, size_t *count)
{
    if (!f)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_float_errors: op is NULL");
    const size_t copied = room < f->count ? room : f->count;
    if (expected)
        memcpy(expected, f->expected, copied * sizeof *expected);
    if (worst)
        memcpy(worst, f->worst, copied * sizeof *worst);
    if (count)
        *count = f->count;
    return TULLE_OK;
}

const struct tulle_operator *tulle_float_operator(const struct tulle_float *f)
{
    return f ? f->op : NULL;
}
