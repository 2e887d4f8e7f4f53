/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of `tulle run --help` and `tulle explain --help`.
 */
#ifndef TULLE_HOST_CLI_REQUEST_HELP_H
#define TULLE_HOST_CLI_REQUEST_HELP_H

#include <stdbool.h>

void request_help(bool runs);

#endif
