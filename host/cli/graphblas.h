/* SPDX-License-Identifier: Apache-2.0
 *
 * SuiteSparse:GraphBLAS, which is loaded on demand where its library is
 * installed, so that nothing depends on it.
 */
#ifndef TULLE_HOST_CLI_GRAPHBLAS_H
#define TULLE_HOST_CLI_GRAPHBLAS_H

#include "host/measure/plan_run.h"

/* Runs the product up to `repeats` times or until `enough` seconds are over, and returns the shortest time
 * and the results. Returns NULL, or why there are none. */
const char *graphblas_time(const struct plan_run *run, unsigned repeats, double enough, int32_t *results,
                           double *seconds);

#endif
