/* SPDX-License-Identifier: Apache-2.0
 *
 * What `tulle net info` prints.
 */
#ifndef TULLE_HOST_CLI_NET_SHOW_H
#define TULLE_HOST_CLI_NET_SHOW_H

#include "host/net/graph/graph.h"

void net_show(struct net *net, struct strbuf *to);
/* `passes`: the elements of a list, what each pass has done. */
void net_show_json(struct net *net, const char *passes, struct strbuf *to);

#endif
