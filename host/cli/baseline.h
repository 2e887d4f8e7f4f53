/* SPDX-License-Identifier: Apache-2.0
 *
 * What a processor takes for the same product: a plain loop over CSR, and
 * SuiteSparse:GraphBLAS where its library is installed. Times are of the
 * machine that runs it.
 */
#ifndef TULLE_HOST_CLI_BASELINE_H
#define TULLE_HOST_CLI_BASELINE_H

#include "sim/bench/plan_run.h"

struct baselines {
    bool measured;            /* products only */
    double csr;               /* seconds, the quickest of several */
    double graphblas;         /* likewise; 0: not measured */
    const char *no_graphblas; /* why not */
};

/* Of a product that is planned; false when a result is wrong, or out of memory. */
bool baselines_measure(const struct plan_run *run, struct baselines *to, struct strbuf *why);

#endif
