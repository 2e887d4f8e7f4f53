/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of sums: the function of --relu, --scale, --zero, --low and
 * --high, whose numbers are the same for all output channels, or those of a
 * file for each; the table of --lookup; and how a second operand is joined.
 */
#ifndef TULLE_HOST_CLI_EPILOGUE_H
#define TULLE_HOST_CLI_EPILOGUE_H

#include "host/cli/request.h"

struct epilogue {
    struct tulle_epilogue all;
    /* Of each channel; NULL: as all. */
    int32_t *multiplier;
    uint8_t *shift;
    int16_t *low, *high;
    /* Without `columns`; a size of 0: none. With a residual the numbers of channels are those of the sums,
     * and `all` is of the joined results. */
    struct tulle_second second;
    int8_t table[256]; /* of `all.lookup`, which points to it */
};

struct epilogue_types {
    enum tulle_type results;
    bool no_sign;           /* the results have none */
    enum tulle_type second; /* of a second operand, if there is one */
};

/* False with an error reported; to be freed in any case, and not to be moved before that. */
bool epilogue_make(const struct request *request, int64_t channels, const struct epilogue_types *types,
                   struct epilogue *to, struct diag *diag);
void epilogue_free(struct epilogue *epilogue);

/* As the library takes it. */
struct tulle_channels epilogue_channels(const struct epilogue *epilogue);

#endif
