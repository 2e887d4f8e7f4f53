/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators of the cases on a device through libtulle, in place of plain loops: `goldens --device NAME`.
 */
#ifndef TULLE_TESTS_GOLDENS_DEVICE_H
#define TULLE_TESTS_GOLDENS_DEVICE_H

#include "host/tulle.h"
#include "tests/goldens/tool/golden.h"

/* Opens it; errors are reported. */
struct tulle_device *device_open(const char *name, struct diag *diag);

/* An operand of a run: so many numbers as rows of a matrix. */
struct device_operand {
    const struct numbers *numbers;
    int64_t rows;
};

/* Creates the operator and runs it; options without the output's type. `second` may be NULL. The case is left
 * out if the device does not have what it needs; the library's message is the reason. */
void device_run(struct golden *golden, struct tulle_operator_options *options,
                const struct device_operand *input, const struct device_operand *second, int64_t result_rows,
                struct answer *answer);

/* The function of a step. */
struct tulle_epilogue device_epilogue(const struct num_step *step);

#endif
