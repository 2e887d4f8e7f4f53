/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of a sum, as C: the functions, joins and narrowings of a finish. Numbers that differ from
 * column to column are arrays; what cannot happen to the numbers that there are is left out.
 */
#ifndef TULLE_HOST_SOFTWARE_C_FINISH_H
#define TULLE_HOST_SOFTWARE_C_FINISH_H

#include "host/software/c.h"

/* The numbers that a value can be. */
struct c_range {
    int64_t low, high;
};

struct c_finish {
    struct c_file *file;
    const char *name; /* of the function: NAME_finish */
    const struct flow *flow;
    const struct form_group *group;
    struct c_range sum; /* of the sum that it begins with */
    bool huge;          /* the sum is a number of 64 bits, modulo 2^64 */
    bool by_column;     /* set: the function takes the number of the column */
};

/* Writes the arrays and the function NAME_finish(sum[, second][, n]). */
bool c_finish(struct c_finish *finish);

#endif
