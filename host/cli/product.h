/* SPDX-License-Identifier: Apache-2.0
 *
 * A product on a device through libtulle: opens the device, plans and runs.
 */
#ifndef TULLE_HOST_CLI_PRODUCT_H
#define TULLE_HOST_CLI_PRODUCT_H

#include "host/cli/epilogue.h"
#include "host/cli/narrow.h"
#include "host/cli/operands.h"

struct product {
    const struct request *request;
    struct progress progress;
    struct tulle_device *device;
    struct tulle_device_info info;
    struct tulle_operator *operator;
    struct tulle_softmax softmax;
    struct tulle_operator_info plan;
    struct operands operands;
    /* The epilogue and the type of the results, as the library got them. */
    struct epilogue epilogue;
    enum tulle_type output_type;
    bool output_unsigned;
    /* Of the run with the fewest cycles. */
    struct tulle_counters counters;
    double seconds; /* of the quickest */
    bool ran;
    int64_t repeated; /* runs that have ended, of --repeat */
    int64_t *results; /* row by row; NULL with floats */
    /* With --float; results are in units of floats_scale(), and so are errors. */
    struct tulle_float *floats;
    struct tulle_float_info float_info;
    float *reals;
    double largest_error, mean_error; /* measured by --check; the root of the mean square */
};

/* Opens the device, makes the operands, plans or loads. Errors are reported; to be freed in any case. */
bool product_make(const struct request *request, struct product *product, struct diag *diag);
/* Runs the product --repeat times. */
bool product_run(struct product *product, struct diag *diag);
void product_free(struct product *product);

/* False with the library's message when the call failed. */
bool product_done(const struct product *product, enum tulle_status status, struct diag *diag);
/* Fields of the library's options. */
int64_t product_dense(const struct product *product);
struct tulle_plan_options product_plan_options(const struct product *product);
/* The input as a matrix of the library; false when out of memory. */
bool product_input(const struct product *product, struct narrow_matrix *to);
/* Records the counters and the time of a run. */
void product_took(struct product *product, const struct tulle_counters *counters, double seconds);

/* The number of results. */
int64_t product_result_count(const struct product *product);

#endif
