/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/joins.h"

/* The operand without a multiplier of its own has half of its scale, as the one of the larger scale in
 * TFLite. */
static struct num_operand halved(const struct num_operand *scaled)
{
    return (struct num_operand){.multiplier = 1 << 30, .left = scaled->left, .shift = 31};
}

int64_t joins_pair(const struct operand_scale *scale, const struct joining *how, const struct num_step *step,
                   int64_t first, int64_t second)
{
    struct num_join join = {.joining = (enum num_joining)(how->join - JOIN_ADD),
                            .a = scale->scale_first ? scale->scaled : halved(&scale->scaled),
                            .b = scale->scale_first ? halved(&scale->scaled) : scale->scaled,
                            .step = *step};
    join.a.zero = how->alone ? scale->first_zero : 0;
    join.b.zero = scale->second_zero;
    return num_join(&join, (int32_t)first, (int32_t)second);
}
