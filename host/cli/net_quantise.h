/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net quantise`: a network of floats becomes one of integers, with files as
 * samples of its inputs.
 */
#ifndef TULLE_HOST_CLI_NET_QUANTISE_H
#define TULLE_HOST_CLI_NET_QUANTISE_H

#include "gen/base/options.h"
#include "host/net/feed/feed.h"
#include "host/net/quantise/quantise.h"

struct net_quantise_options {
    const char **files; /* [NAME=]FILE, or a folder of them */
    unsigned file_count;
    struct feed_options feed;
    struct quantise_options how;
    const char **wide; /* names, which how.wide is of */
    const char *output;
    unsigned threads; /* that share the work of a node */
    bool force, json, uncorrected;
    /* Options as they are given. */
    const char *ranges_text, *percent, *codes_text, *below, *share, *pattern, *channels;
    unsigned ranges, codes;
};

/* The network of integers as ONNX, and the report in `to`. `reference` is another reading of the network. */
bool net_quantise(struct net *net, struct net *reference, const struct net_quantise_options *options,
                  struct strbuf *onnx, struct strbuf *to, struct diag *diag);

/* ---- options (net_quantise_options.c) ------------------------------------------------------------ */

enum { NET_QUANTISE_ENTRIES = 14 };
/* Entries of a table of options, for --calibrate and how to quantise. How many. */
size_t net_quantise_entries(struct net_quantise_options *options,
                            struct option_entry to[NET_QUANTISE_ENTRIES]);
/* Whether any of them is given. */
bool net_quantise_given(const struct net_quantise_options *options);
/* Reports what does not go together, and fills in how they quantise. */
void net_quantise_check(struct net_quantise_options *options, struct diag *diag);

#endif
