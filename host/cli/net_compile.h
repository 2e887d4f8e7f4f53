/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle compile`: a network and the operators of its layers on a device in one
 * file.
 */
#ifndef TULLE_HOST_CLI_NET_COMPILE_H
#define TULLE_HOST_CLI_NET_COMPILE_H

#include "host/cli/net_run.h"

/* Writes the file to the options' output, and prints what is in it. With inputs the network runs once before,
 * so that layers are planned for the zeros of their activations. */
bool net_compile(struct net *net, const struct net_run_options *options, bool force, struct strbuf *to,
                 struct diag *diag);

#endif
