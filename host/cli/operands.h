/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a product as integers, read from files or generated, for the
 * device and for the plain computation.
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
    /* The sparse operand, with integers other than 0; with `transposed`, rows are its columns. `start` is
     * NULL when it was not asked for. */
    struct matrix sparse;
    bool transposed;
    double weights_scale, input_scale; /* value = scale x integer */
    double bias_scale;                 /* likewise, in the file; afterwards it is in units of the sums */
    struct dense input;                /* A, B or x */
    struct dense initial;              /* C0, or y0 */
    struct dense bias;
    struct dense second;        /* less its zero point; like the result, or one row of it */
    struct tulle_window window; /* batch 0: none, it is a product */
    bool input_unsigned;        /* it has no sign: the request or its file says so */
    int64_t lowest;             /* difference of the device, with which a maximum begins */
    int64_t input_zero;         /* zero point of the input, whose numbers are less it here */
    uint64_t window_macs;       /* of pools, and of convolutions with known weights */
};

/* The type of the input on a device whose numbers have so many bytes. */
enum tulle_type operands_input_type(const struct request *request, unsigned data_bytes);

/* Of the result's matrix. */
int64_t operands_result_rows(const struct operands *operands);
int64_t operands_result_columns(const struct operands *operands);

/* `info` describes the device; `loaded` is an operator that gives the sizes, or NULL; `sparse` asks for the
 * sparse operand. False with errors reported. */
bool operands_make(const struct request *request, const struct tulle_device_info *info,
                   const struct tulle_operator_info *loaded, bool sparse, struct progress *progress,
                   struct operands *to, struct diag *diag);
void given_free(struct operands *operands);

/* The output channels, and the one of a result. Each has a bias. */
int64_t operands_channels(const struct operands *operands);
int64_t given_output(const struct operands *operands, int64_t row, int64_t column);

/* Whether the rows of the sparse matrix are those of k. */
bool operands_k_is_row(const struct operands *operands);
/* The number of multiplications of two numbers other than 0. */
uint64_t operands_effective_macs(const struct operands *operands);

/* The density of the input; 1 when there is none. */
double operands_density(const struct operands *operands);

#endif
