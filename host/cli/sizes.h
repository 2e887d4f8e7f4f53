/* SPDX-License-Identifier: Apache-2.0
 *
 * The sizes of a product, each from options, files or a default, all of which
 * have to agree.
 */
#ifndef TULLE_HOST_CLI_SIZES_H
#define TULLE_HOST_CLI_SIZES_H

#include <stdint.h>

#include "gen/base/diag.h"

struct size {
    const char *name; /* in messages */
    int64_t value;
    const char *source; /* who says so; NULL: nobody yet */
};

struct sizes {
    struct size m, k, n;
};

/* Reports an error when another source has said something else. */
void size_claim(struct size *size, int64_t value, const char *source, struct diag *diag);

/* For who has not been said. */
void size_default(struct size *size, int64_t value);

#endif
