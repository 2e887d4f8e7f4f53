/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated board of a case's variant, found by its name.
 */
#ifndef TULLE_HOST_CLI_SIMULATED_H
#define TULLE_HOST_CLI_SIMULATED_H

#include "sim/bench/measure.h"

/* The waveform of a job: cycles from .. to - 1 of it. */
struct measure_window {
    const char *file;
    uint64_t from, to;
};

/* The chosen plan on sim:VARIANT; `window` may be NULL. False with the reason. `start`, which may be NULL:
 * cycle 0 of the job on the board's clock. */
bool measure_named_board(struct measure *measure, const struct measure_window *window, uint64_t *start,
                         struct strbuf *why);

#endif
