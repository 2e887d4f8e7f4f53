/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs as C files that check themselves: functions of programs, their inputs, and what the
 * functional model gives.
 */
#ifndef TULLE_TESTS_HOST_SOFTWARE_WRITTEN_H
#define TULLE_TESTS_HOST_SOFTWARE_WRITTEN_H

#include "host/software/c.h"
#include "sim/model/job.h"

struct written {
    struct c_file file;
    struct strbuf calls; /* statements of main */
    unsigned count;
    char why[96]; /* why the last program was not written */
};

/* Adds a program whose data flow and results are there. `before` and `after`: its slots. */
bool written_put(struct written *to, struct flow *flow, const struct job *before, const struct job *after);
bool written_end(struct written *to, const char *path);

#endif
