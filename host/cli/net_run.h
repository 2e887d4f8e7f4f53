/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net run`: runs a network on the CPU with stored inputs, and compares
 * its outputs with stored ones.
 */
#ifndef TULLE_HOST_CLI_NET_RUN_H
#define TULLE_HOST_CLI_NET_RUN_H

#include "host/net/graph/graph.h"

/* A folder with input_0.pb, output_0.pb and so on, or one with such folders. Prints a line for each output.
 */
bool net_run(struct net *net, const char *folder, struct strbuf *to, struct diag *diag);

#endif
