/* SPDX-License-Identifier: Apache-2.0
 *
 * SuiteSparse:GraphBLAS, when its library is on the machine: it is loaded when
 * it is asked for, so that nothing depends on it.
 */
#ifndef TULLE_HOST_CLI_GRAPHBLAS_H
#define TULLE_HOST_CLI_GRAPHBLAS_H

#include "sim/bench/plan_run.h"

/* The product, up to `repeats` times or until `enough` seconds are over: seconds of the quickest, results in
 * `results`. NULL, or why there are none. */
const char *graphblas_time(const struct plan_run *run, unsigned repeats, double enough, int32_t *results,
                           double *seconds);

#endif
