/* SPDX-License-Identifier: Apache-2.0
 *
 * `--external-output`, `--debug`: results inside a network that are outputs as well (host/net/marks).
 */
#ifndef TULLE_HOST_CLI_NET_MARKS_H
#define TULLE_HOST_CLI_NET_MARKS_H

#include "host/net/compiled/compiled.h"

struct net_marks {
    const char **given; /* of the command line */
    unsigned given_count;
    bool debug;   /* any result can be marked later */
    char **names; /* those of the file, then these */
    size_t count;
    struct strbuf before; /* the graph before its passes; empty: as it is */
};

/* Takes the names. `compiled`: that the network is from, with a path; else NULL. False: out of memory. */
bool net_marks_take(struct net_marks *marks, const struct net *net, const struct compiled *compiled);
/* Keeps the graph that passes will change. False: out of memory. */
bool net_marks_keep(struct net_marks *marks, const struct net *net);
void net_marks_free(struct net_marks *marks);

#endif
