/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/floats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/narrow.h"

static const struct place nowhere = {0};

static bool no_memory(struct diag *diag)
{
    diag_error(diag, nowhere, "out of memory; give smaller sizes");
    return false;
}

/* ---- planning -------------------------------------------------------------------------------------- */

static bool create(struct product *p, const struct tulle_matrix *matrix, const float *bias,
                   const struct tulle_matrix *example, struct diag *diag)
{
    const struct operands *o = &p->operands;
    const struct tulle_plan_options plan_options = product_plan_options(p);
    const struct tulle_float_options options = {.size = sizeof options,
                                                .operation = o->operation,
                                                .matrix = matrix,
                                                .window = o->window.batch ? &o->window : NULL,
                                                .dense = product_dense(p),
                                                .bias = bias,
                                                .function = p->request->relu ? TULLE_RELU : TULLE_NONE,
                                                .example = example,
                                                .input_density = operands_density(o),
                                                .plan = &plan_options};
    return product_done(p, tulle_float_create(p->device, &options, &p->floats), diag) &&
           product_done(p, tulle_float_describe(p->floats, &p->float_info), diag) &&
           product_done(p, tulle_operator_describe(tulle_float_operator(p->floats), &p->plan), diag);
}

bool floats_plan(struct product *p, struct diag *diag)
{
    const struct operands *o = &p->operands;
    struct narrow_matrix matrix = {0}, example = {0};
    float *bias =
        o->bias.at ? narrow_values(o->bias.at, o->bias.rows * o->bias.columns, TULLE_FLOAT32) : NULL;
    bool ok = narrow_sparse(&o->sparse, o->transposed, TULLE_FLOAT32, &matrix) &&
              product_input(p, &example) && (bias || !o->bias.at);
    ok = ok ? create(p, &matrix.matrix, bias, &example.matrix, diag) : no_memory(diag);
    free(bias);
    narrow_free(&matrix);
    narrow_free(&example);
    return ok;
}

/* ---- running --------------------------------------------------------------------------------------- */

/* Results of another run must be the same. */
static bool keep(struct product *p, float *values, struct diag *diag)
{
    const bool same =
        !p->reals || !memcmp(values, p->reals, (size_t)product_result_count(p) * sizeof *values);
    if (!same)
        diag_error(diag, nowhere, "the results of two runs differ");
    free(p->reals);
    p->reals = values;
    return same;
}

bool floats_run(struct product *p, const struct tulle_matrix *input, struct diag *diag)
{
    struct tulle_counters counters = {.size = sizeof counters};
    const double begun = progress_clock();
    float *values = calloc((size_t)product_result_count(p) + 1, sizeof *values);
    if (!values)
        return no_memory(diag);
    const struct tulle_float_operands operands = {.size = sizeof operands,
                                                  .input = input,
                                                  .row_stride = operands_result_columns(&p->operands),
                                                  .column_stride = 1,
                                                  .values = values};
    const unsigned milliseconds = (unsigned)p->request->timeout.value * 1000;
    if (!product_done(p, tulle_float_run(p->floats, &operands, milliseconds, NULL, &counters), diag)) {
        free(values);
        return false;
    }
    product_took(p, &counters, progress_clock() - begun);
    return keep(p, values, diag);
}

void floats_free(struct product *p)
{
    tulle_float_free(p->floats);
    free(p->reals);
}

/* ---- errors ---------------------------------------------------------------------------------------- */

double floats_scale(const struct product *p)
{
    return p->operands.weights_scale * p->operands.input_scale;
}

/* Against the worst that was told of its channel. */
static bool compare(struct product *p, int64_t i, double wanted, double worst, struct diag *diag)
{
    const double error = fabs((double)p->reals[i] - wanted);
    const int64_t columns = operands_result_columns(&p->operands);
    p->largest_error = fmax(p->largest_error, error);
    p->mean_error += error * error;
    if (error <= worst)
        return true;
    diag_error(diag, nowhere,
               "wrong: row %lld, column %lld of the result is %g on the device and %g by a plain "
               "computation, which is "
               "further than the %g that errors can be",
               (long long)(i / columns), (long long)(i % columns), p->reals[i] * floats_scale(p),
               wanted * floats_scale(p), worst * floats_scale(p));
    return false;
}

bool floats_check(struct product *p, const uint64_t *sums, struct diag *diag)
{
    const int64_t count = product_result_count(p), columns = operands_result_columns(&p->operands);
    double *worst = calloc((size_t)p->plan.rows + (size_t)p->plan.columns, sizeof *worst);
    bool ok = worst ? product_done(p,
                                   tulle_float_errors(p->floats, NULL, worst,
                                                      (size_t)(p->plan.rows + p->plan.columns), NULL),
                                   diag)
                    : no_memory(diag);
    for (int64_t i = 0; ok && i < count; i++) {
        const double sum = (double)(int64_t)sums[i], wanted = p->request->relu ? fmax(sum, 0) : sum;
        ok = compare(p, i, wanted, worst[given_output(&p->operands, i / columns, i % columns)], diag);
    }
    p->mean_error = count ? sqrt(p->mean_error / (double)count) : 0;
    free(worst);
    return ok;
}
