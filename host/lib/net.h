/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library's calls for networks share.
 */
#ifndef TULLE_HOST_LIB_NET_H
#define TULLE_HOST_LIB_NET_H

#include "gen/base/diag.h"
#include "host/lib/library.h"
#include "host/net/graph/graph.h"

struct tulle_net {
    struct net *net;
    struct tulle_net_info info;
};

/* Sets the message to the errors without the word "error", as many whole lines as it has room for. Returns
 * the status. */
enum tulle_status net_message(enum tulle_status status, const struct diag *diag);

#endif
