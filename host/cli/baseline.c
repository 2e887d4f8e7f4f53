/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "host/cli/graphblas.h"
#include "host/cli/progress.h"

#define REPEATS 5
#define ENOUGH_SECONDS 0.2 /* of repeats */

/* The kind of loop that one writes by hand: a row of weights at a time, for each row of activations. */
static void plain_loop(const struct plan_run *run, int32_t *to)
{
    const struct sparse *w = run->description->weights;
    for (uint32_t m = 0; m < run->rows; m++) {
        const int8_t *a = run->activations + (size_t)m * w->columns;
        for (uint32_t n = 0; n < w->rows; n++) {
            int32_t sum = 0;
            for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++)
                sum += a[w->column[e]] * w->value[e];
            to[(size_t)m * w->rows + n] = sum;
        }
    }
}

static bool right(const struct plan_run *run, const int32_t *results, const char *who, struct strbuf *why)
{
    const size_t bytes = (size_t)run->rows * run->description->weights->rows * sizeof *results;
    if (!memcmp(results, run->expected, bytes))
        return true;
    sb_addf(why, "%s: a result is not the plain computation's", who);
    return false;
}

static double time_plain_loop(const struct plan_run *run, int32_t *results)
{
    double best = 0, all = 0;
    for (unsigned i = 0; i < REPEATS && (!i || all < ENOUGH_SECONDS); i++) {
        const double begun = progress_clock();
        plain_loop(run, results);
        const double took = progress_clock() - begun;
        best = !i || took < best ? took : best;
        all += took;
    }
    return best;
}

bool baselines_measure(const struct plan_run *run, struct baselines *to, struct strbuf *why)
{
    *to = (struct baselines){0};
    if (run->description->window)
        return true;
    int32_t *results = malloc((size_t)run->rows * run->description->weights->rows * sizeof *results + 1);
    if (!results) {
        sb_add(why, "out of memory");
        return false;
    }
    to->csr = time_plain_loop(run, results);
    bool ok = right(run, results, "the plain loop", why);
    to->no_graphblas = graphblas_time(run, REPEATS, ENOUGH_SECONDS, results, &to->graphblas);
    if (ok && !to->no_graphblas)
        ok = right(run, results, "GraphBLAS", why);
    to->measured = ok;
    free(results);
    return ok;
}
