/* SPDX-License-Identifier: Apache-2.0
 *
 * The function with the name `user`, which is yours to replace (docs/functions.md, "Your own function"). An
 * example: hard swish, x (x + 3) / 6 between -3 and 3, 0 below and x above, of a sum with 12 fraction bits
 * that is limited to 16 bits first. rtl/tulle_user_function.v gives the same bits.
 */
#include "sim/numerics/numerics.h"

#define THREE 12288
#define SIX 24576
#define SIXTH 43691 /* 2^30 / SIX */

int32_t num_user(const struct num_step *step, int64_t acc)
{
    (void)step; /* the example looks at nothing of the record */
    int64_t x = num_saturate(acc, 16), gate = x + THREE;
    gate = gate < 0 ? 0 : gate > SIX ? SIX : gate;
    return (int32_t)((x * gate * SIXTH + (1 << 29)) >> 30);
}
