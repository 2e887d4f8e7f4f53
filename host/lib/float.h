/* SPDX-License-Identifier: Apache-2.0
 *
 * The structure that the creation and the runs of operators for floats share.
 */
#ifndef TULLE_HOST_LIB_FLOAT_H
#define TULLE_HOST_LIB_FLOAT_H

#include "host/lib/library.h"

struct tulle_float {
    struct tulle_operator *op; /* of integers; gives sums */
    int steps;                 /* integers are -steps .. steps */
    uint32_t count;            /* results of a dense row, which the following have one for each */
    double *scale;             /* of weights: value = scale * integer */
    double *expected, *worst;  /* errors */
    float *bias;               /* or NULL */
    enum tulle_function function;
    float low, high, slope;
    struct tulle_float_info info;
};

#endif
