/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the same product on the processor: a plain loop over CSR, and
 * SuiteSparse:GraphBLAS where its library is installed.
 */
#ifndef TULLE_HOST_CLI_BASELINE_H
#define TULLE_HOST_CLI_BASELINE_H

#include "host/measure/plan_run.h"

struct baselines {
    bool measured;            /* products only */
    double csr;               /* seconds, the quickest of several */
    double graphblas;         /* likewise; 0: not measured */
    const char *no_graphblas; /* why not */
};

/* Times a planned product; false when a result is wrong, or out of memory. */
bool baselines_measure(const struct plan_run *run, struct baselines *to, struct strbuf *why);

#endif
