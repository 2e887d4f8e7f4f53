/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the simulated board of a case's variant by its name.
 */
#ifndef TULLE_HOST_CLI_SIMULATED_H
#define TULLE_HOST_CLI_SIMULATED_H

#include "host/measure/measure.h"

/* A waveform of cycles from .. to - 1 of a job. */
struct measure_window {
    const char *file;
    uint64_t from, to;
};

/* Runs the chosen plan on sim:VARIANT; `window` may be NULL. False with the reason. `start` may be NULL and
 * is set to cycle 0 of the job on the board's clock. */
bool simulated_board(struct measure *measure, const struct measure_window *window, uint64_t *start,
                     struct strbuf *why);

#endif
