/* SPDX-License-Identifier: Apache-2.0
 *
 * A product on a device, through libtulle: opening, planning, running.
 */
#ifndef TULLE_HOST_CLI_PRODUCT_H
#define TULLE_HOST_CLI_PRODUCT_H

#include "host/cli/operands.h"

struct product {
    const struct request *request;
    struct progress progress;
    struct tulle_device *device;
    struct tulle_device_info info;
    struct tulle_operator *operator;
    struct tulle_operator_info plan;
    struct operands operands;
    /* As the library got them; what happens to a sum is in `epilogue` and `output_type`. */
    struct tulle_epilogue epilogue;
    enum tulle_type output_type;
    /* Of the run with the fewest cycles. */
    struct tulle_counters counters;
    double seconds; /* of the quickest */
    bool ran;
    int64_t *results; /* row by row, m x n */
};

/* Opens the device, makes the operands, plans or loads. Errors are reported; to be freed in any case. */
bool product_make(const struct request *request, struct product *product, struct diag *diag);
/* Runs as often as was asked for. */
bool product_run(struct product *product, struct diag *diag);
void product_free(struct product *product);

/* The sums and results that there are. */
int64_t product_results(const struct product *product);

#endif
