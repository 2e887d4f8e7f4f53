/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a product, from files or generated, as integers: what the
 * device gets, and what the plain computation works with.
 */
#ifndef TULLE_HOST_CLI_OPERANDS_H
#define TULLE_HOST_CLI_OPERANDS_H

#include "host/cli/progress.h"
#include "host/cli/request.h"
#include "host/cli/sizes.h"
#include "host/formats/matrix.h"

/* Row by row. */
struct dense {
    int64_t rows, columns;
    int64_t *at; /* NULL: there is none */
};

struct operands {
    enum tulle_operation operation;
    struct sizes size;
    /* The sparse one, of integers, none of them 0; with `transposed`, rows are its columns. Not there (start
     * NULL) when nobody asked for it. */
    struct matrix sparse;
    bool transposed;
    double weights_scale, input_scale; /* value = scale x integer */
    double bias_scale;                 /* likewise, in the file; afterwards it is in units of the sums */
    struct dense input;                /* A, B or x */
    struct dense initial;              /* C0, or y0 */
    struct dense bias;
    struct tulle_window window; /* batch 0: none, it is a product */
    int64_t lowest;             /* number that the device takes: what a maximum begins with */
    uint64_t window_macs;       /* of convolutions whose weights are there, and of pools */
};

/* Of the result's matrix. */
int64_t operands_result_rows(const struct operands *operands);
int64_t operands_result_columns(const struct operands *operands);

/* `info`: of the device; `loaded`: an operator whose sizes are taken, or NULL; `sparse`: whether that one is
 * wanted. False with errors reported. */
bool operands_make(const struct request *request, const struct tulle_device_info *info,
                   const struct tulle_operator_info *loaded, bool sparse, struct progress *progress,
                   struct operands *to, struct diag *diag);
void operands_free(struct operands *operands);

/* Which output a result is one of: those have a bias each. */
int64_t operands_output(const struct operands *operands, int64_t row, int64_t column);

/* Pairs of numbers, neither of them 0, that are multiplied. */
uint64_t operands_effective_macs(const struct operands *operands);

/* How much of the input is not 0; 1 when there is none. */
double operands_density(const struct operands *operands);

#endif
