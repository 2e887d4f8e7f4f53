/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of numbers become shares of one.
 */
#include "tests/goldens/tool/cpu.h"
#include "tests/goldens/tool/operators.h"

static const char *kind(const struct num_softmax *softmax)
{
    if (softmax->input == NUM_INT16)
        return "int16";
    return softmax->result == NUM_INT8 ? "int8" : "int8 to int16";
}

static void take_exactly(struct golden *golden, const struct num_softmax *softmax,
                         const struct numbers *input, size_t row, struct answer *answer)
{
    struct view x = cpu_view(golden, input->type, input->values, input->count);
    const struct view y = cpu_view(golden, answer->expected.type, NULL, answer->expected.count);
    if (golden->diag->errors)
        return;
    x.rank = 2;
    x.dim[0] = (int64_t)(input->count / row);
    x.dim[1] = (int64_t)row;
    exact_answer(golden, &(struct exact){.kind = EXACT_SOFTMAX, .softmax = softmax, .x = &x, .y = &y},
                 answer);
}

static void take_row(const struct num_softmax *softmax, const int64_t *from, int64_t *to, size_t count)
{
    int32_t row[NUM_SOFTMAX_MOST] = {0};
    for (size_t i = 0; i < count; i++)
        row[i] = (int32_t)from[i];
    num_softmax(softmax, row, row, count);
    for (size_t i = 0; i < count; i++)
        to[i] = row[i];
}

void softmax(struct golden *golden, struct answer *answer)
{
    const size_t rows = (size_t)size_of(golden, "NUM_ROWS");
    const size_t count = (size_t)golden_number(golden, "ROW_SIZE", 1, NUM_SOFTMAX_MOST);
    const struct numbers input = golden_input(golden, "input", rows * count);
    golden_expect(golden, answer, rows * count);
    const struct num_softmax softmax = {
        .input = input.type == GOLDEN_INT8 ? NUM_INT8 : NUM_INT16,
        .result = answer->expected.type == GOLDEN_INT8 ? NUM_INT8 : NUM_INT16,
        .multiplier = (int32_t)golden_number(golden, golden_key(golden, "INPUT_MULT", "MULT"), 0, INT32_MAX),
        .shift = (unsigned)(31 - golden_number(golden, golden_key(golden, "INPUT_LEFT_SHIFT", "SHIFT"),
                                               SHIFT_MIN, SHIFT_MAX)),
        .least = (int32_t)golden_number_or(golden, "DIFF_MIN", INT32_MIN, 0, INT32_MIN)};
    answer->type = kind(&softmax);
    if ((golden->device || golden->cpu) && !golden->diag->errors) {
        take_exactly(golden, &softmax, &input, count, answer);
        return;
    }
    for (size_t r = 0; r < rows && !golden->diag->errors; r++)
        take_row(&softmax, input.values + r * count, answer->values + r * count, count);
}
