/* SPDX-License-Identifier: Apache-2.0
 *
 * A bar on standard error while something long goes on; nothing where that is
 * no terminal. It is drawn when a step begins, and within a step at most ten
 * times a second.
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

/* Seconds of a clock that only goes forward. */
double progress_clock(void);

/* `quiet`: no bar in any case. */
struct progress progress_begin(unsigned steps, bool quiet);
/* `what` must outlive the step. */
void progress_step(struct progress *progress, const char *what);
/* `part` of the step is done; negative: nobody knows. */
void progress_tick(struct progress *progress, double part);
/* Takes the bar away. */
void progress_end(struct progress *progress);

#endif
