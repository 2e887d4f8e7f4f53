/* SPDX-License-Identifier: Apache-2.0
 *
 * How many activations of an input are zeros. Channels differ: PEs wait for the one whose channel has most
 * activations. So do pixels: clusters wait for the one whose tile has most.
 */
#include <stdlib.h>

#include "host/formats/random.h"
#include "host/operator/operator.h"

static void count_dense(const struct planned *op, const struct tulle_matrix *m, struct shares *s)
{
    const struct walk walk = operands_input_walk(op, m->row_stride, m->column_stride);
    const int64_t zero = planned_device_zero(op);
    for (size_t r = 0; r < s->rows; r++)
        for (size_t i = 0; i < s->numbers; i++) {
            const int64_t at = walk_row(&walk, (int64_t)r) + (int64_t)i * walk.by_number;
            const bool there = activation_at(m, at, op->input_unsigned) != zero;
            s->row[r] += (float)there;
            s->number[i] += (float)there;
        }
}

static void count_entries(const struct sparse *entries, struct shares *s)
{
    for (size_t r = 0; r < s->rows; r++)
        for (uint32_t e = entries->start[r]; e < entries->start[r + 1]; e++) {
            s->row[r]++;
            s->number[entries->column[e]]++;
        }
}

/* Multiples of the average count; returns the sum. */
static double relate(float *counts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)counts[i];
    for (size_t i = 0; sum > 0 && i < count; i++)
        counts[i] = (float)((double)counts[i] * (double)count / sum);
    return sum;
}

enum tulle_status shares_take(const struct planned *op, const struct run_input *input, struct shares *to)
{
    struct tulle_matrix shape;
    const uint64_t all = operands_input_shape(op, &shape);
    const size_t numbers = op->window.of.batch ? (size_t)op->window.of.channels : op->k, rows = all / numbers;
    *to = (struct shares){.rows = rows,
                          .numbers = numbers,
                          .row = calloc(rows + 1, sizeof *to->row),
                          .number = calloc(numbers + 1, sizeof *to->number)};
    if (!to->row || !to->number)
        return message_no_memory();
    if (input->dense)
        count_dense(op, input->dense, to);
    else
        count_entries(&input->entries, to);
    to->all = relate(to->row, rows) / (double)all;
    relate(to->number, numbers);
    return TULLE_OK;
}

void shares_free(struct shares *s)
{
    free(s->row);
    free(s->number);
    *s = (struct shares){.all = 0};
}

/* An operator may have more rows than the input that was counted. */
void shares_draw(const struct planned *op, const struct shares *s, uint8_t *to)
{
    struct tulle_matrix shape;
    const uint64_t rows = operands_input_shape(op, &shape) / s->numbers;
    const struct walk walk = operands_input_walk(op, 0, 0);
    const int zero = planned_device_zero(op);
    struct random random = {1};
    for (uint64_t r = 0; r < rows; r++) {
        const double row = 65536 * s->all * (double)s->row[r % s->rows];
        for (uint64_t i = 0; i < s->numbers; i++) {
            const int64_t at = walk_row(&walk, (int64_t)r) + (int64_t)i * walk.by_number;
            const bool there = random_below(&random, 65536) < row * (double)s->number[i];
            put_integer(to + at * op->data_bytes, op->data_bytes, zero ^ (int)there);
        }
    }
}
