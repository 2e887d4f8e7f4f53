/* SPDX-License-Identifier: Apache-2.0
 *
 * The sizes of a product. Each comes from options, files or a default, and all
 * sources must agree.
 */
#ifndef TULLE_HOST_CLI_SIZES_H
#define TULLE_HOST_CLI_SIZES_H

#include <stdint.h>

#include "gen/base/diag.h"

struct size {
    const char *name; /* in messages */
    int64_t value;
    const char *source; /* the option or file that gave the size; NULL: none yet */
};

struct sizes {
    struct size m, k, n;
};

/* Sets the size, and reports an error when another source gave a different one. */
void sizes_claim(struct size *size, int64_t value, const char *source, struct diag *diag);

/* Sets the size when no source has given it. */
void sizes_default(struct size *size, int64_t value);

#endif
