/* SPDX-License-Identifier: Apache-2.0
 *
 * A progress bar on standard error, shown on terminals only. It is drawn when
 * a step begins, and within a step at most ten times a second.
 */
#ifndef TULLE_HOST_CLI_PROGRESS_H
#define TULLE_HOST_CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool on;
    unsigned step, steps;
    const char *what;
    double begun, drawn; /* of the step and the bar, see progress_clock() */
};

/* Seconds of a monotonic clock. */
double progress_clock(void);

/* With `quiet` there is never a bar. */
struct progress progress_begin(unsigned steps, bool quiet);
/* `what` must outlive the step. */
void progress_step(struct progress *progress, const char *what);
/* `part` of the step is done; negative: unknown. */
void progress_tick(struct progress *progress, double part);
/* Removes the bar. */
void progress_end(struct progress *progress);

#endif
