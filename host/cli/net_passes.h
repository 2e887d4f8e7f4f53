/* SPDX-License-Identifier: Apache-2.0
 *
 * --passes and --dump-after of `tulle net`.
 */
#ifndef TULLE_HOST_CLI_NET_PASSES_H
#define TULLE_HOST_CLI_NET_PASSES_H

#include "host/net/graph/graph.h"

struct net_passes_options {
    const char *list;   /* names with commas, or "all" */
    const char **dumps; /* PASS=FILE */
    unsigned dump_count;
    bool force; /* files of dumps are replaced */
    bool json;  /* the report is the elements of a list */
};

/* Reports every name that is no pass. */
bool net_passes_check(const struct net_passes_options *options, struct diag *diag);
/* Runs the passes and appends what each has done. */
bool net_passes(struct net *net, const struct net_passes_options *options, struct strbuf *report,
                struct diag *diag);

/* Writes the network as ONNX, or what was written of it. */
bool net_save(const struct net *net, const char *path, bool force, struct diag *diag);
bool net_save_bytes(const struct strbuf *bytes, const char *path, bool force, struct diag *diag);

#endif
