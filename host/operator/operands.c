/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts operands and results between the user's order and the device's.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/operator/operator.h"

/* ---- where things are in the user's arrays --------------------------------------------------------- */

/* Dense rows of so many numbers. They are those of images, one after another; a product has one image. */
struct shape {
    int64_t images, pixels, numbers;
    bool by_rows; /* a dense row is a row of the matrix; else each image has a row for each number */
};

/* Rows of the operands are dense rows. */
static bool has_dense_rows(const struct planned *op)
{
    return op->info.operation == TULLE_SPMM_RIGHT || planned_rests(op);
}

static struct shape input_shape(const struct planned *op)
{
    const struct tulle_window *w = &op->window.of;
    if (w->batch)
        return (struct shape){w->batch, w->height * w->width, w->channels, w->input_layout == TULLE_NHWC};
    return (struct shape){1, op->m, op->k, has_dense_rows(op)};
}

/* Of results and what they begin with. */
static struct shape result_shape(const struct planned *op)
{
    const struct window *w = &op->window;
    if (w->of.batch)
        return (struct shape){w->of.batch, (int64_t)w->out_height * w->out_width, op->n,
                              w->of.output_layout == TULLE_NHWC};
    return (struct shape){1, op->m, op->n, has_dense_rows(op)};
}

static int64_t rows_of(const struct shape *s)
{
    return s->images * (s->by_rows ? s->pixels : s->numbers);
}

static int64_t columns_of(const struct shape *s)
{
    return s->by_rows ? s->numbers : s->pixels;
}

static struct walk walk_of(const struct shape *s, int64_t row_stride, int64_t column_stride)
{
    if (!row_stride && !column_stride) {
        row_stride = columns_of(s);
        column_stride = 1;
    }
    return s->by_rows ? (struct walk){s->pixels, s->pixels * row_stride, row_stride, column_stride}
                      : (struct walk){s->pixels, s->numbers * row_stride, column_stride, row_stride};
}

struct walk operands_result_walk(const struct planned *op, int64_t row_stride, int64_t column_stride)
{
    const struct shape shape = result_shape(op);
    return walk_of(&shape, row_stride, column_stride);
}

struct walk operands_input_walk(const struct planned *op, int64_t row_stride, int64_t column_stride)
{
    const struct shape shape = input_shape(op);
    return walk_of(&shape, row_stride, column_stride);
}

uint64_t operands_input_shape(const struct planned *op, struct tulle_matrix *to)
{
    const struct shape shape = input_shape(op);
    *to = (struct tulle_matrix){.rows = rows_of(&shape),
                                .columns = columns_of(&shape),
                                .type = op->data_bytes == 1 ? TULLE_INT8 : TULLE_INT16};
    return (uint64_t)to->rows * (uint64_t)to->columns;
}

uint32_t operands_units(const struct planned *op, const struct tulle_matrix *input)
{
    const struct shape shape = input_shape(op);
    const int64_t all = op->window.of.batch ? shape.images : shape.pixels,
                  lines = !input                                 ? all
                          : op->window.of.batch || shape.by_rows ? input->rows
                                                                 : input->columns,
                  unit = (op->window.of.batch ? rows_of(&shape) : all) / all;
    const bool fewer = lines > 0 && lines < all * unit && lines % unit == 0;
    return (uint32_t)(fewer ? lines / unit : all);
}

/* ---- checks ------------------------------------------------------------------------------------------ */

static enum tulle_status check_shape(const struct shape *shape, const struct tulle_matrix *m,
                                     const char *name)
{
    const int64_t rows = rows_of(shape), columns = columns_of(shape);
    enum tulle_status status = matrix_check(m, name);
    if (status || (m->rows == rows && m->columns == columns))
        return status;
    return message_set(TULLE_INVALID_ARGUMENT, "%s: it is %lld x %lld, and the operator takes %lld x %lld",
                       name, (long long)m->rows, (long long)m->columns, (long long)rows, (long long)columns);
}

/* Every integer of a dense operand must have so many bits, of which one may be a sign. */
static enum tulle_status check_values(const struct shape *shape, const struct tulle_matrix *m,
                                      const char *name, unsigned bits, bool has_no_sign)
{
    const struct walk walk = walk_of(shape, m->row_stride, m->column_stride);
    if (m->type == TULLE_FLOAT32)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: it has floats; the device takes integers", name);
    if (8 * matrix_type_bytes(m->type) <= bits)
        return TULLE_OK;
    const int64_t half = INT64_C(1) << (bits - 1), low = has_no_sign ? 0 : -half;
    for (int64_t r = 0; r < shape->images * shape->pixels; r++)
        for (int64_t i = 0; i < shape->numbers; i++) {
            int64_t v = activation_at(m, walk_row(&walk, r) + i * walk.by_number, has_no_sign);
            if (v < low || v - half >= low + half)
                return message_set(TULLE_INVALID_MATRIX,
                                   "%s: value %lld of dense row %lld, place %lld, does not fit %u bits%s",
                                   name, (long long)v, (long long)r, (long long)i, bits,
                                   has_no_sign ? " without a sign" : "");
        }
    return TULLE_OK;
}

static enum tulle_status take_input(const struct planned *op, const struct tulle_matrix *m,
                                    struct run_input *input)
{
    const unsigned data_bytes = planned_input_bytes(op);
    const struct shape shape = input_shape(op);
    double scale;
    enum tulle_status status = check_shape(&shape, m, "the input");
    if (status)
        return status;
    if (m->format == TULLE_DENSE) {
        input->dense = m;
        return check_values(&shape, m, "the input", 8 * data_bytes, op->input_unsigned);
    }
    if (op->window.of.batch || planned_rests(op))
        return message_set(TULLE_INVALID_ARGUMENT, "the input: %s dense",
                           op->window.of.batch      ? "images are"
                           : planned_is_softmax(op) ? "rows of softmax are"
                                                    : "tensors that are joined are");
    const struct intake in = {.name = "the input",
                              .matrix = m,
                              .transposed = op->info.operation != TULLE_SPMM_RIGHT,
                              .data_bytes = data_bytes,
                              .has_no_sign = op->input_unsigned};
    return intake_matrix(&in, &input->entries, &scale);
}

/* By dense rows. */
static enum tulle_status copy_initial(const struct planned *op, const struct packed *packed,
                                      const struct tulle_matrix *m, struct run_input *input)
{
    const struct shape shape = result_shape(op);
    const struct walk walk = walk_of(&shape, m->row_stride, m->column_stride);
    const unsigned bits = op->variant->acc_width;
    input->initial = malloc((size_t)op->m * op->n * sizeof *input->initial);
    if (!input->initial)
        return message_no_memory();
    for (uint32_t r = 0; r < op->m; r++)
        for (uint32_t n = 0; n < op->n; n++) {
            int64_t v = element_at(m->values, m->type, walk_row(&walk, r) + n * walk.by_number);
            if (!op->wraps && bits < 64 &&
                llabs((long long)v) >= (INT64_C(1) << (bits - 1)) - packed->bound[n])
                return message_set(
                    TULLE_RANGE,
                    "the initial sums: with %lld of dense row %u, result %u may not fit the %u bits of the "
                    "accumulator; the operator was made without `wraps`",
                    (long long)v, r, n, bits);
            input->initial[(size_t)r * op->n + n] = v;
        }
    return TULLE_OK;
}

static enum tulle_status take_second(const struct planned *op, const struct tulle_matrix *m,
                                     struct run_input *input)
{
    struct shape shape = result_shape(op);
    if (!op->join.join || !m)
        return !op->join.join == !m ? TULLE_OK
                                    : message_set(TULLE_INVALID_ARGUMENT, "the second operand: %s",
                                                  m ? "the operator was made without one" : "it is NULL");
    if (op->joins_row)
        shape.pixels = 1;
    enum tulle_status status = check_shape(&shape, m, "the second operand");
    if (!status && m->format != TULLE_DENSE)
        status = message_set(TULLE_INVALID_ARGUMENT, "the second operand: it must be dense");
    input->second = m;
    return status
               ? status
               : check_values(&shape, m, "the second operand", 8u << op->join.element, op->join.has_no_sign);
}

void operands_free(struct run_input *input)
{
    sparse_free(&input->entries);
    free(input->initial);
    *input = (struct run_input){0};
}

enum tulle_status operands_check_dense(const struct planned *op, const struct tulle_matrix *m)
{
    struct run_input input = {.dense = NULL};
    const enum tulle_status status =
        m && m->format != TULLE_DENSE
            ? message_set(TULLE_INVALID_ARGUMENT, "the input: what a sequence reads is dense")
            : take_input(op, m, &input);
    operands_free(&input);
    return status;
}

/* No two results at one place. */
enum tulle_status operands_check_input(const struct planned *op, const struct tulle_matrix *m)
{
    const struct shape shape = input_shape(op);
    return check_shape(&shape, m, "the input");
}

/* The last result lies furthest, as no stride is negative. */
static enum tulle_status check_room(const struct tulle_output *out, int64_t rows, int64_t columns)
{
    const bool dense = !out->row_stride && !out->column_stride;
    const int64_t row_stride = dense ? columns : out->row_stride,
                  column_stride = dense ? 1 : out->column_stride;
    int64_t down, across;
    if (!out->room)
        return TULLE_OK;
    if (out->room > 0 && !__builtin_mul_overflow(rows - 1, row_stride, &down) &&
        !__builtin_mul_overflow(columns - 1, column_stride, &across) && down < out->room &&
        across < out->room - down)
        return TULLE_OK;
    return message_set(TULLE_INVALID_ARGUMENT,
                       "the output: %lld x %lld results do not fit its room of %lld elements",
                       (long long)rows, (long long)columns, (long long)out->room);
}

enum tulle_status operands_check_output(const struct planned *op, const struct tulle_output *out)
{
    const struct shape shape = result_shape(op);
    return operands_check_place(op, rows_of(&shape), columns_of(&shape), out);
}

enum tulle_status operands_check_place(const struct planned *op, int64_t rows, int64_t columns,
                                       const struct tulle_output *out)
{
    if (!out || !out->values)
        return message_set(TULLE_INVALID_ARGUMENT, "the output: %s is NULL", out ? "values" : "output");
    if (out->type != op->info.output_type)
        return message_set(TULLE_INVALID_ARGUMENT, "the output: its type is %s, the operator gives %s",
                           matrix_type_name(out->type), matrix_type_name(op->info.output_type));
    enum tulle_status status =
        matrix_check_strides(out->row_stride, out->column_stride, rows, columns, "the output");
    if (!status)
        status = check_room(out, rows, columns);
    if (status || (!out->row_stride && !out->column_stride))
        return status;
    if (rows > 1 && columns > 1 && out->row_stride / columns < out->column_stride &&
        out->column_stride / rows < out->row_stride)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "the output: with strides of %lld and %lld, %lld x %lld results "
                           "would overlap",
                           (long long)out->row_stride, (long long)out->column_stride, (long long)rows,
                           (long long)columns);
    return TULLE_OK;
}

enum tulle_status operands_take(const struct planned *op, const struct packed *packed,
                                const struct tulle_operands *o, struct run_input *input)
{
    const struct shape results = result_shape(op);
    *input = (struct run_input){0};
    enum tulle_status status = operands_check_output(op, o->output);
    if (status)
        return status;
    if (o->initial && !op->has_initial)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "the operator was made without `initial`, and there are initial sums");
    status = o->initial ? check_shape(&results, o->initial, "the initial sums") : TULLE_OK;
    if (!status && o->initial && o->initial->format != TULLE_DENSE)
        return message_set(TULLE_INVALID_ARGUMENT, "the initial sums: they must be dense");
    if (!status && o->initial)
        status = check_values(&results, o->initial, "the initial sums", op->variant->acc_width, false);
    if (!status && o->initial)
        status = copy_initial(op, packed, o->initial, input);
    if (!status)
        status = take_second(op, o->second, input);
    if (!status)
        status = take_input(op, o->input, input);
    if (status)
        operands_free(input);
    return status;
}

/* ---- to the device ------------------------------------------------------------------------------------- */

static void put_dense(const struct slice *s, const struct tulle_matrix *m, const struct walk *walk,
                      uint32_t row, uint8_t *to)
{
    const struct plan *plan = &s->part->plan;
    const unsigned bytes = s->op->data_bytes;
    const int64_t first = walk_row(walk, s->first + row);
    if (m->type == TULLE_INT8 && bytes == 1 && walk->by_number == 1 && !plan->layout.compact) {
        memcpy(to + plan_input_offset(plan, row, 0), (const int8_t *)m->values + first, s->op->k);
        return;
    }
    if (m->type == TULLE_INT8 && bytes == 1) {
        plan_put_bytes(plan, row, (const int8_t *)m->values + first, walk->by_number, s->op->k, to);
        return;
    }
    for (uint32_t k = 0; k < s->op->k; k++) {
        const uint64_t at = plan_input_offset(plan, row, k);
        if (at != PLAN_NOWHERE)
            put_integer(to + at, bytes, activation_at(m, first + k * walk->by_number, s->op->input_unsigned));
    }
}

/* Entries that are not there are 0, which is stored as the zero point. */
static void put_entries(const struct slice *s, const struct sparse *m, uint32_t row, uint8_t *to)
{
    const struct plan *plan = &s->part->plan;
    const unsigned bytes = s->op->data_bytes;
    uint64_t at;
    for (uint32_t k = 0; s->op->input_zero && k < s->op->k; k++)
        if ((at = plan_input_offset(plan, row, k)) != PLAN_NOWHERE)
            put_integer(to + at, bytes, s->op->input_zero);
    for (uint32_t e = m->start[s->first + row]; e < m->start[s->first + row + 1]; e++)
        if ((at = plan_input_offset(plan, row, m->column[e])) != PLAN_NOWHERE)
            put_integer(to + at, bytes, m->value[e]);
}

/* Rows of a tensor one behind another, and zeros between and behind them. */
static void put_tensor(const struct slice *s, const struct tulle_matrix *m, const struct walk *walk,
                       bool has_no_sign, uint32_t rows, uint64_t room, uint8_t *to)
{
    const unsigned bytes = planned_input_bytes(s->op);
    const uint64_t pitch = (uint64_t)planned_pitch(s->op) * bytes;
    memset(to, 0, room);
    for (uint32_t row = 0; row < rows; row++, to += pitch) {
        const int64_t first = walk_row(walk, s->first + row);
        for (uint32_t n = 0; n < s->op->n; n++)
            put_integer(to + (uint64_t)n * bytes, bytes,
                        activation_at(m, first + n * walk->by_number, has_no_sign));
    }
}

void operands_fill(const struct planned *op, int activation, uint64_t size, uint8_t *to)
{
    const unsigned bytes = op->data_bytes;
    if (bytes == 1 || !activation) {
        memset(to, activation, size);
        return;
    }
    for (uint64_t at = 0; at + bytes <= size; at += bytes)
        put_integer(to + at, bytes, activation);
}

void operands_input(const struct slice *s, const struct run_input *input, uint8_t *to)
{
    const struct shape shape = input_shape(s->op);
    const struct tulle_matrix *dense = input->dense;
    const struct walk walk =
        dense ? walk_of(&shape, dense->row_stride, dense->column_stride) : (struct walk){0};
    if (s->op->window.of.batch) {
        window_input(s, dense, &walk, to);
        return;
    }
    if (planned_rests(s->op)) {
        put_tensor(s, dense, &walk, s->op->input_unsigned, s->count, s->part->plan.input_bytes, to);
        return;
    }
    operands_fill(s->op, planned_device_zero(s->op), s->part->plan.input_bytes, to);
    for (uint32_t row = 0; row < s->count; row++)
        if (dense)
            put_dense(s, dense, &walk, row, to);
        else
            put_entries(s, &input->entries, row, to);
    plan_repeat(&s->part->plan, to);
}

/* What result n of the operator begins with, modulo 2^64. */
static int64_t begin_at(const struct slice *s, const int64_t *initial, uint32_t row, uint32_t n)
{
    return (int64_t)((uint64_t)s->packed->bias[n] +
                     (initial ? (uint64_t)initial[(size_t)(s->first + row) * s->op->n + n] : 0));
}

void operands_partial(const struct slice *s, const int64_t *initial, uint8_t *to)
{
    const struct plan *plan = &s->part->plan;
    const unsigned width = s->op->variant->acc_width;
    memset(to, 0, plan->partial_bytes);
    for (uint32_t row = 0; row < s->count; row++)
        for (uint32_t n = 0; n < s->part->rows; n++) {
            uint64_t at = plan_partial_offset(plan, row, n);
            if (at != PLAN_NOWHERE)
                put_integer(to + at, plan->layout.partial_bytes,
                            num_wrap(begin_at(s, initial, row, s->part->first + n), width));
        }
}

void operands_second(const struct slice *s, const struct tulle_matrix *second, uint8_t *to)
{
    const struct planned *op = s->op;
    const struct plan *plan = &s->part->plan;
    const unsigned bytes = 1u << op->join.element;
    struct walk walk = operands_result_walk(op, second->row_stride, second->column_stride);
    if (op->joins_row)
        walk.by_pixel = 0;
    if (planned_is_pair(op)) {
        put_tensor(s, second, &walk, op->join.has_no_sign, planned_repeats_row(op) ? 1 : s->count,
                   plan->operand_bytes, to);
        return;
    }
    memset(to, 0, plan->operand_bytes);
    for (uint32_t row = 0; row < s->count; row++)
        for (uint32_t n = 0; n < s->part->rows; n++) {
            const uint64_t at = plan_operand_offset(plan, row, n);
            if (at != PLAN_NOWHERE)
                put_integer(
                    to + at, bytes,
                    activation_at(second,
                                  walk_row(&walk, s->first + row) + (s->part->first + n) * walk.by_number,
                                  op->join.has_no_sign));
        }
}

void operands_bias(const struct planned *op, const struct packed *packed, const struct part *part,
                   uint8_t *to)
{
    const struct slice all = {
        .op = op, .packed = packed, .part = part, .count = packed->block * operator_unit(op)};
    operands_partial(&all, NULL, to);
}

/* ---- and back --------------------------------------------------------------------------------------------
 */

/* To the place `at` and each `step` places on. */
static void put_results(const struct tulle_output *out, int64_t at, int64_t step, const int64_t *values,
                        uint32_t count)
{
    switch (out->type) {
    case TULLE_INT8:
        for (uint32_t n = 0; n < count; n++)
            ((int8_t *)out->values)[at + n * step] = (int8_t)values[n];
        break;
    case TULLE_INT16:
        for (uint32_t n = 0; n < count; n++)
            ((int16_t *)out->values)[at + n * step] = (int16_t)values[n];
        break;
    case TULLE_INT32:
        for (uint32_t n = 0; n < count; n++)
            ((int32_t *)out->values)[at + n * step] = (int32_t)values[n];
        break;
    default:
        for (uint32_t n = 0; n < count; n++)
            ((int64_t *)out->values)[at + n * step] = values[n];
        break;
    }
}

/* Most of them begin alike. */
static void finish_without_place(const struct slice *s, const int64_t *initial, uint32_t row, int64_t *values)
{
    bool finished = false;
    int64_t begin = 0, result = 0;
    for (uint32_t n = 0; n < s->part->rows; n++) {
        if (plan_has_place(&s->part->plan, n))
            continue;
        const int64_t own = begin_at(s, initial, row, s->part->first + n);
        result = finished && own == begin ? result : operator_finish(s->op, own);
        finished = true;
        begin = own;
        values[n] = result;
    }
}

/* A dense row of results. Those that no weight contributes to may have no place: they are what they begin
 * with, and the function of it. */
static void get_row(const struct slice *s, const uint8_t *from, const int64_t *initial, uint32_t row,
                    int64_t *values)
{
    const struct plan *plan = &s->part->plan;
    const enum num_element element = (enum num_element)s->op->element;
    if (plan->layout.place || plan->layout.compact)
        finish_without_place(s, initial, row, values);
    if (planned_rests(s->op))
        for (uint32_t n = 0; n < s->op->n; n++)
            values[n] = num_get_element(
                from + ((uint64_t)row * planned_pitch(s->op) + n) * plan->layout.element_bytes, element);
    else if (layout_gathers(&plan->layout))
        plan_results(plan, from, row, values, s->part->rows);
    else
        for (uint32_t n = 0, beside; n < s->part->rows; n += beside) {
            const uint64_t at = plan_output_offset(plan, row, n);
            const uint32_t left = s->part->rows - n;
            beside = plan_outputs_beside(plan, n);
            beside = beside < left ? beside : left;
            for (uint32_t i = 0; i < beside && at != PLAN_NOWHERE; i++)
                values[n + i] = num_get_element(from + at + (size_t)i * plan->layout.element_bytes, element);
        }
}

void operands_output(const struct slice *s, const uint8_t *from, const int64_t *initial,
                     const struct tulle_output *out, int64_t *values)
{
    const struct walk walk = operands_result_walk(s->op, out->row_stride, out->column_stride);
    assert(s->part->plan.layout.element_bytes == num_element_bytes((enum num_element)s->op->element));
    for (uint32_t row = 0; row < s->count; row++) {
        get_row(s, from, initial, row, values);
        put_results(out, walk_row(&walk, s->first + row) + s->part->first * walk.by_number, walk.by_number,
                    values, s->part->rows);
    }
}
