/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/goldens/tool/device.h"

#include <stdio.h>
#include <string.h>

#define WAIT 120000 /* ms */

struct tulle_device *device_open(const char *name, struct diag *diag)
{
    struct tulle_device *device = NULL;
    if (tulle_device_open(name, NULL, &device))
        diag_error(diag, (struct place){name, 0, 0}, "%s", tulle_message());
    return device;
}

/* What the device or its library does not have leaves the case out; everything else is an error. Nor are
 * there weights with a zero point that have no room for it. */
static bool went(struct golden *golden, enum tulle_status status, bool weights_have_zero)
{
    if (status == TULLE_UNSUPPORTED || (status == TULLE_INVALID_MATRIX && weights_have_zero))
        golden_leave_out(golden, tulle_message());
    else if (status)
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "%s", tulle_message());
    return !status;
}

static struct tulle_matrix matrix_of(struct golden *golden, const struct device_operand *operand)
{
    const struct numbers *n = operand->numbers;
    struct tulle_matrix matrix = {.size = sizeof matrix,
                                  .type = n->type == GOLDEN_INT8 ? TULLE_INT8 : TULLE_INT16,
                                  .rows = operand->rows,
                                  .columns = (int64_t)n->count / operand->rows};
    int64_t *room = golden_values(golden, n->count);
    for (size_t i = 0; room && i < n->count; i++)
        if (matrix.type == TULLE_INT8)
            ((int8_t *)room)[i] = (int8_t)n->values[i];
        else
            ((int16_t *)room)[i] = (int16_t)n->values[i];
    matrix.values = room;
    return matrix;
}

static void take_results(const struct answer *answer, const void *room)
{
    for (size_t i = 0; i < answer->expected.count; i++)
        answer->values[i] =
            answer->expected.type == GOLDEN_INT8 ? ((const int8_t *)room)[i] : ((const int16_t *)room)[i];
}

static bool is_activation(struct golden *golden, enum golden_type type)
{
    struct tulle_device_info info = {.size = sizeof info};
    if (!went(golden, tulle_device_describe(golden->device, &info), false))
        return false;
    if (info.data_bytes == (type == GOLDEN_INT8 ? 1 : 2))
        return true;
    golden_leave_out(golden, "activations of the device have another width");
    return false;
}

void device_run(struct golden *golden, struct tulle_operator_options *options,
                const struct device_operand *input, const struct device_operand *second, int64_t result_rows,
                struct answer *answer)
{
    struct tulle_operator *op = NULL;
    const struct numbers *n = input->numbers;
    options->size = sizeof *options;
    options->output_type = answer->expected.type == GOLDEN_INT8 ? TULLE_INT8 : TULLE_INT16;
    if (golden->diag->errors || (options->window && !is_activation(golden, n->type)) ||
        !went(golden, tulle_operator_create(golden->device, options, &op), options->matrix_zero))
        return;
    const struct tulle_matrix from = matrix_of(golden, input),
                              other = second ? matrix_of(golden, second) : (struct tulle_matrix){0};
    void *room = golden_values(golden, answer->expected.count);
    const struct tulle_output output = {.size = sizeof output,
                                        .type = options->output_type,
                                        .row_stride = (int64_t)answer->expected.count / result_rows,
                                        .column_stride = 1,
                                        .values = room};
    const struct tulle_operands operands = {
        .size = sizeof operands, .input = &from, .output = &output, .second = second ? &other : NULL};
    if (!golden->diag->errors && went(golden, tulle_run(op, &operands, WAIT, NULL), false))
        take_results(answer, room);
    tulle_operator_free(op);
}

struct tulle_epilogue device_epilogue(const struct num_step *step)
{
    return (struct tulle_epilogue){.size = sizeof(struct tulle_epilogue),
                                   .function = (enum tulle_function)step->function,
                                   .multiplier = step->multiplier,
                                   .shift = step->shift,
                                   .low = step->low,
                                   .high = step->high,
                                   .zero = step->zero,
                                   .rounding = (enum tulle_rounding)step->rounding};
}
