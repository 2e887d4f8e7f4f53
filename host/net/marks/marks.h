/* SPDX-License-Identifier: Apache-2.0
 *
 * External outputs: results inside a network that are wanted as well. They come
 * behind the network's own outputs, by name, and change nothing else: the graph,
 * its layers on a device, and all other results stay as they are.
 *
 * A result that a run has anyway is kept for them. One that passes or layers of a
 * device have swallowed is computed for them alone, on the CPU, from the nearest
 * values that there are: by a small network of its own, which is a part of the
 * network as it was before its passes.
 */
#ifndef TULLE_HOST_NET_MARKS_H
#define TULLE_HOST_NET_MARKS_H

#include "host/net/cpu/cpu.h"

struct marks;

/* Of a network that will not change any more, which has no marks at first. NULL: out of memory. */
struct marks *marks_new(struct net *net);
void marks_free(struct marks *marks);

struct marks_source {
    /* Whether a result of a node has its own value after a run, as layers_give() says; NULL: all have. */
    bool (*gives)(const void *context, const struct tensor *tensor);
    const void *context;
    /* The graph before its passes, as net_write_graph() gives it, or the part of it that the results come
     * from; NULL: nothing has changed it. Needed for the call alone. */
    const void *graph;
    size_t size;
    bool few; /* only these names can be chosen */
    const char *const *allowed;
    size_t allowed_count;
};

/* Chooses these results and no others, by the names of tensors, or of nodes, whose first result it is then.
 * No run may exist. False after an error: no result is chosen. */
bool marks_choose(struct marks *marks, const char *const *names, size_t count,
                  const struct marks_source *source, struct diag *diag);

/* After the nodes of a run, which must still exist: all outputs of the network have their values then. */
bool marks_compute(struct marks *marks, struct run *run, unsigned threads, struct diag *diag);

/* Appends the network that computes what was swallowed, for a marks_source. Nothing: there is none. */
void marks_write(struct marks *marks, struct strbuf *to);

/* Writes the network's graph, of which marked results are no outputs. */
void marks_write_net(const struct marks *marks, struct strbuf *to);

/* What a file marks become outputs of the network itself, for those who only describe or write it. */
bool marks_to_outputs(struct net *net);

#endif
