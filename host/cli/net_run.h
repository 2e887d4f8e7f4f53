/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net run`: runs a network on the CPU, or its layers on a device, with values from files, writes its
 * results, and compares them with stored ones.
 */
#ifndef TULLE_HOST_CLI_NET_RUN_H
#define TULLE_HOST_CLI_NET_RUN_H

#include "host/cli/net_layers.h"
#include "host/net/feed/feed.h"

struct net_run_options {
    const char *test_data; /* a folder with input_0.pb, output_0.pb and so on, or one with such folders */
    const char **inputs;   /* [NAME=]FILE */
    unsigned input_count;
    struct feed_options feed;
    const char *output;           /* a file, whose name ends in .npy or .json, or a folder */
    int64_t top;                  /* so many best elements of the first output; 0: none */
    const char *labels;           /* a file with a line for each element */
    int64_t threads;              /* that share the work of a node */
    const char *layers, *goldens; /* folders with a .npy file for each tensor: to write, to compare with */
    struct net_layers_options on;
    bool explain, json; /* results are not told, but of the layers; without inputs nothing runs */
};

bool net_run(struct net *net, const struct net_run_options *options, struct strbuf *to, struct diag *diag);
/* The runs alone, with layers that are open. */
bool net_run_inputs(struct net *net, struct net_layers *on, const struct net_run_options *options,
                    struct strbuf *to, struct diag *diag);

/* Gives the run the options' inputs: each input has one then. */
bool net_run_give(struct net *net, struct run *run, const struct net_run_options *options, struct diag *diag);

/* ---- after a run (net_results.c) ----------------------------------------------------------------- */

/* Writes the outputs to the file or folder, or prints what they are. */
bool net_results_write(struct net *net, struct run *run, const char *path, struct diag *diag);
void net_results_print(struct net *net, struct run *run, struct strbuf *to);
bool net_results_top(struct net *net, struct run *run, const struct net_run_options *options,
                     struct strbuf *to, struct diag *diag);
/* Writes the value of every tensor that a node has made. */
bool net_layers_write(struct net *net, struct run *run, const char *folder, struct diag *diag);
/* Compares these with files, and names the first node whose result is another. */
bool net_layers_compare(struct net *net, struct run *run, const char *folder, struct strbuf *to,
                        struct diag *diag);

#endif
