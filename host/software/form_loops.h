/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of places become nests of loops: what comes again a constant step further on is a loop.
 */
#ifndef TULLE_HOST_SOFTWARE_FORM_LOOPS_H
#define TULLE_HOST_SOFTWARE_FORM_LOOPS_H

#include "host/software/form.h"

struct form_point {
    int64_t at[FORM_NUMBERS];
};

/* Adds the nests that the list consists of. False: out of memory. */
bool form_nests(const struct form_point *list, size_t count, struct form_nest **nests, size_t *nest_count);

#endif
