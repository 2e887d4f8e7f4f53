/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs operators for floats: quantises inputs and turns sums back into floats.
 */
#include <math.h>
#include <stdlib.h>

#include "host/lib/float.h"

/* An input on its way to integers, in the order of its own form. */
struct integers {
    struct tulle_matrix matrix;
    int16_t *values;
    uint64_t clipped;
};

static enum tulle_status quantise_value(const struct tulle_float *f, const struct tulle_matrix *m, int64_t at,
                                        struct integers *to, int64_t place)
{
    const double value = matrix_float(m, at);
    if (!isfinite(value))
        return message_set(TULLE_INVALID_MATRIX, "the input: value %lld is not a finite number",
                           (long long)at);
    const bool within = fabs(value) <= f->info.range;
    to->clipped += !within;
    to->values[place] = (int16_t)(within      ? lrint(value / f->info.input_scale)
                                  : value < 0 ? -f->steps
                                              : f->steps);
    return TULLE_OK;
}

static enum tulle_status quantise_input(const struct tulle_float *f, const struct tulle_matrix *m,
                                        struct integers *to)
{
    enum tulle_status status = TULLE_OK;
    const bool dense = m->format == TULLE_DENSE;
    const int64_t count = dense ? m->rows * m->columns : m->entries;
    to->matrix = *m;
    to->matrix.type = TULLE_INT16;
    to->matrix.row_stride = to->matrix.column_stride = 0;
    to->matrix.values = to->values = malloc(((size_t)count + 1) * sizeof *to->values);
    if (!to->values)
        return message_no_memory();
    for (int64_t i = 0; !status && i < count; i++)
        status = quantise_value(f, m, dense ? matrix_place(m, i / m->columns, i % m->columns) : i, to, i);
    return status;
}

static float apply(const struct tulle_float *f, double value)
{
    switch (f->function) {
    case TULLE_RELU:
        return (float)fmax(value, 0);
    case TULLE_LEAKY_RELU:
        return (float)(value < 0 ? value * f->slope : value);
    case TULLE_CLAMP:
        return (float)fmin(fmax(value, f->low), f->high);
    default:
        return (float)value;
    }
}

static void put_results(const struct tulle_float *f, const struct planned *of,
                        const struct tulle_output *sums, const struct tulle_float_operands *o)
{
    const struct walk from = operands_result_walk(of, 0, 0),
                      to = operands_result_walk(of, o->row_stride, o->column_stride);
    for (uint32_t row = 0; row < of->m; row++)
        for (uint32_t n = 0; n < f->count; n++) {
            const int64_t sum =
                element_at(sums->values, sums->type, walk_row(&from, row) + n * from.by_number);
            const double value = (double)sum * f->scale[n] * f->info.input_scale + (f->bias ? f->bias[n] : 0);
            o->values[walk_row(&to, row) + n * to.by_number] = apply(f, value);
        }
}

/* `of` is the operator, with the input's dense rows. */
static enum tulle_status run(struct tulle_float *f, const struct planned *of,
                             const struct tulle_float_operands *o, const struct tulle_matrix *input,
                             unsigned milliseconds, struct tulle_counters *counters)
{
    const enum tulle_type type = f->op->of.info.output_type;
    struct tulle_output sums = {.size = sizeof sums,
                                .type = type,
                                .values = malloc(((size_t)of->m * f->count + 1) * matrix_type_bytes(type))};
    if (!sums.values)
        return message_no_memory();
    const struct tulle_operands operands = {.size = sizeof operands, .input = input, .output = &sums};
    enum tulle_status status = tulle_run(f->op, &operands, milliseconds, counters);
    if (!status)
        put_results(f, of, &sums, o);
    free(sums.values);
    return status;
}

enum tulle_status tulle_float_run(struct tulle_float *f, const struct tulle_float_operands *operands,
                                  unsigned milliseconds, uint64_t *clipped, struct tulle_counters *counters)
{
    struct integers integers = {0};
    struct tulle_float_operands o;
    struct tulle_matrix input;
    if (!f || !operands)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_float_run: op or operands is NULL");
    enum tulle_status status = sized_take(SIZED_FLOAT_OPERANDS, operands, &o);
    if (!status)
        status = sized_take(SIZED_MATRIX, o.input, &input);
    if (status)
        return status;
    const struct planned of = planned_fewer(&f->op->of, operands_units(&f->op->of, o.input ? &input : NULL));
    const struct tulle_output output = {.type = f->op->of.info.output_type,
                                        .row_stride = o.row_stride,
                                        .column_stride = o.column_stride,
                                        .values = o.values};
    status = operands_check_output(&of, &output);
    if (!status)
        status = operands_check_input(&of, o.input ? &input : NULL);
    if (!status)
        status = quantise_input(f, &input, &integers);
    if (!status)
        status = run(f, &of, &o, &integers.matrix, milliseconds, counters);
    if (!status && clipped)
        *clipped = integers.clipped;
    free(integers.values);
    return status;
}
