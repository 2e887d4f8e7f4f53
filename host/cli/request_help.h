/* SPDX-License-Identifier: Apache-2.0
 *
 * The help texts of `tulle run` and `tulle explain`.
 */
#ifndef TULLE_HOST_CLI_REQUEST_HELP_H
#define TULLE_HOST_CLI_REQUEST_HELP_H

#include <stdbool.h>

void request_help(bool runs);

#endif
