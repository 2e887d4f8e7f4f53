/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library's calls for networks share.
 */
#ifndef TULLE_HOST_LIB_NET_H
#define TULLE_HOST_LIB_NET_H

#include "gen/base/diag.h"
#include "host/lib/library.h"
#include "host/net/device/layers.h"
#include "host/net/graph/graph.h"
#include "host/net/marks/marks.h"

struct tulle_net {
    struct net *net;
    char *path;                      /* which messages name */
    struct layers *layers;           /* on a device; NULL: it has none */
    struct tulle_device_info device; /* of the layers */
    struct tulle_device **team;      /* of layers in pieces; NULL: they are on one device */
    unsigned threads;                /* of a run */
    const atomic_bool *stop;         /* ends a run; NULL: nothing does */
    bool compiled;                   /* from such a file: its operators stay as they are */
    struct marks *marks;
    char **marked; /* names of external outputs, in the order in which they were marked */
    size_t marked_count;
    /* Of a compiled network: what its file has for marks. */
    struct strbuf before; /* the graph that swallowed results are computed by; empty: the network's own */
    bool few;             /* only those that were marked when it was compiled can be */
    char **allowed;       /* these */
    size_t allowed_count;
    struct tulle_net_info info;
};

/* As tulle_net_load(); with `first`, a compiled network of the same file on the same device, operators are
 * those that it has, and another thread may run the new one. */
enum tulle_status net_load_again(const char *path, const struct tulle_net_options *options,
                                 struct tulle_net *first, struct tulle_net **to);
/* Gives the operators of `first`, which lasts as long. */
struct layers_maker net_again(struct tulle_net *first);

/* Sets the message to the errors without the word "error", as many whole lines as it has room for. Returns
 * the status. */
enum tulle_status net_message(enum tulle_status status, const struct diag *diag);

#endif
