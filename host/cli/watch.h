/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle devices --watch`: what the devices of all processes of this user do,
 * again and again.
 */
#ifndef TULLE_HOST_CLI_WATCH_H
#define TULLE_HOST_CLI_WATCH_H

#include "host/cli/cli.h"

struct watch_request {
    double seconds; /* between two samples */
    int64_t count;  /* of samples; 0: until the command is stopped */
    bool json;
};

/* Returns the exit status. */
int watch(const struct watch_request *request);

#endif
