/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of benches of pools, with random inputs.
 */
#ifndef TULLE_BENCH_PLACES_H
#define TULLE_BENCH_PLACES_H

#include "host/tulle.h"

enum { ENDS_MOST = 16 };

/* A place for a request, with values of its own. */
struct place {
    struct tulle_tensor in[ENDS_MOST], out[ENDS_MOST];
    const struct tulle_tensor *inputs[ENDS_MOST];
    struct tulle_tensor *outputs[ENDS_MOST];
    struct tulle_request *request;
};

/* Ends the program, with a message, after an error of `call`. */
void place_check(const char *call, enum tulle_status status);
/* Describes the pool, and makes values of a request of it. */
void place_fill(struct tulle_pool *pool, struct tulle_pool_info *info, struct place *place);

#endif
