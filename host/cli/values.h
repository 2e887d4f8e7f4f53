/* SPDX-License-Identifier: Apache-2.0
 *
 * Values as a device takes them: integers of so many bits.
 */
#ifndef TULLE_HOST_CLI_VALUES_H
#define TULLE_HOST_CLI_VALUES_H

#include "gen/base/diag.h"
#include "host/formats/matrix.h"

struct value_rules {
    unsigned bits;       /* what integers may have: 2 .. 64 */
    bool quantise;       /* what does not fit is scaled by the largest, to nearest; halves go away from 0 */
    bool random;         /* places without values get some, of int8 and not 0; otherwise 1 */
    uint64_t seed;       /* of those */
    const char *instead; /* what else to do, for the message about values that do not fit */
};

/* Makes the values integers and leaves out those that are 0. value = *scale x integer. False with an error
 * that names `path`. */
bool values_fit(struct matrix *m, const struct value_rules *rules, const char *path, double *scale,
                struct diag *diag);

#endif
