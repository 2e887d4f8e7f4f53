/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle inspect` of a compiled network (docs/compiled.md).
 */
#ifndef TULLE_HOST_CLI_INSPECT_NET_H
#define TULLE_HOST_CLI_INSPECT_NET_H

#include "host/net/compiled/compiled.h"

/* Checks the file and prints what is in it. False after an error. */
bool inspect_net(const char *path, bool json, struct strbuf *to, struct diag *diag);

#endif
