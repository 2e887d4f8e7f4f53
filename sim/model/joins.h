/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins of the store engine (rtl/tulle_join_lanes.v): how a result and an operand, or two operands, become
 * one number (docs/numerics.md, "Two operands").
 */
#ifndef TULLE_SIM_JOINS_H
#define TULLE_SIM_JOINS_H

#include <stdbool.h>

#include "gen/isa/table.h"
#include "sim/numerics/join.h"

/* What accumulates with operands have set. */
struct operand_scale {
    struct num_operand scaled; /* left, multiplier and shift of the operand that is multiplied */
    bool scale_first;          /* it is the first one */
    int32_t first_zero, second_zero;
};

/* What an accumulate with `join` makes of results. */
struct joining {
    enum isa_join join;
    bool alone; /* the first operand is no result */
};

/* The acc of the step, which is that of the accumulate with `join`. */
int64_t joins_pair(const struct operand_scale *scale, const struct joining *how, const struct num_step *step,
                   int64_t first, int64_t second);

#endif
