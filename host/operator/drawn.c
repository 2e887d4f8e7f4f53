/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws an operand of the density that the user expects and lays it out as a
 * run does. The cycle model is asked about plans with it.
 */
#include <stdlib.h>

#include "host/operator/operator.h"

static bool draw(struct drawn *drawn)
{
    const struct planned *op = drawn->op;
    if (drawn->dense.values)
        return true;
    const uint64_t size = operands_input_shape(op, &drawn->dense) * op->data_bytes;
    uint8_t *values = malloc(size + 1);
    if (!values)
        return false;
    if (op->shares)
        shares_draw(op, op->shares, values);
    else
        cost_draw(op->density, planned_device_zero(op), op->data_bytes, size, values);
    drawn->dense.values = values;
    return true;
}

bool drawn_input(void *of, const struct plan *plan, uint8_t *to)
{
    struct drawn *drawn = of;
    const struct part part = {.rows = drawn->op->n, .plan = *plan};
    const struct slice slice = {.op = drawn->op, .part = &part, .count = drawn->op->m};
    const struct run_input input = {.dense = &drawn->dense};
    if (!draw(drawn))
        return false;
    operands_input(&slice, &input, to);
    return true;
}

void drawn_free(struct drawn *drawn)
{
    free((void *)drawn->dense.values);
    drawn->dense.values = NULL;
}
