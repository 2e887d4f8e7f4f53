/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks and scales values to the integers of a device.
 */
#ifndef TULLE_HOST_CLI_VALUES_H
#define TULLE_HOST_CLI_VALUES_H

#include "gen/base/diag.h"
#include "host/formats/matrix.h"

struct value_rules {
    unsigned bits;    /* bits of an integer: 2 .. 64 */
    bool has_no_sign; /* integers */
    bool quantise;    /* scale values that do not fit by the largest; round to nearest, halves away from 0 */
    bool random;      /* entries without a value get random int8 values other than 0; otherwise 1 */
    uint64_t seed;    /* of random values */
    bool *lacks_sign; /* set where numbers of uint8 fit without a sign only; NULL: they must fit */
    const char *instead; /* advice for the message about values that do not fit */
};

/* Converts the values to integers and drops zeros; value = *scale x integer. False with an error that names
 * `path`. */
bool values_fit(struct matrix *m, const struct value_rules *rules, const char *path, double *scale,
                struct diag *diag);

#endif
