/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of sums: the function of --relu, --scale, --zero, --low and
 * --high, whose numbers are the same for all output channels, or those of a
 * file for each.
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
};

/* False with an error reported; to be freed in any case. */
bool epilogue_make(const struct request *request, int64_t channels, enum tulle_type results, bool no_sign,
                   struct epilogue *to, struct diag *diag);
void epilogue_free(struct epilogue *epilogue);

/* As the library takes it. */
struct tulle_channels epilogue_channels(const struct epilogue *epilogue);

#endif
