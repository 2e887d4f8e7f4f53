/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of second operands, which are joined with results or with another
 * operand, and of tables of functions.
 */
#ifndef TULLE_HOST_CLI_REQUEST_JOIN_H
#define TULLE_HOST_CLI_REQUEST_JOIN_H

#include "host/cli/request.h"

/* Sets `join` by the operator's name, or by --residual. */
void request_take_join(struct request *request, const char *word);

/* What does not go together is reported. */
void request_check_join(const struct request *request, struct diag *diag);
void request_check_lookup(const struct request *request, struct diag *diag);

#endif
