/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of nodes and tensors in another network, and the nodes that cut and join them.
 * A failure is remembered, so that one question at the end suffices.
 */
#ifndef TULLE_HOST_NET_GROUP_COPY_H
#define TULLE_HOST_NET_GROUP_COPY_H

#include "host/net/group/chart.h"

struct copying {
    const struct group_chart *chart;
    struct net *net; /* the new one */
    bool failed;     /* its memory is full, or an error was reported */
    char mark[16];   /* what names of copies have, and no name of the chart's network */
};

/* Chooses the mark. */
void copy_begin(struct copying *c);

/* The tensor of that name with the mark and the text behind it, made as a copy when it is new; without
 * them if the text is empty. NULL: failed. */
struct tensor *copy_tensor(struct copying *c, const struct tensor *of, const char *behind);
/* Without its operands and results. */
struct node *copy_node(struct copying *c, const struct node *of, const char *behind);
/* Puts it behind all others, and finds types and shapes of its results. */
void copy_add(struct copying *c, struct node *node);

/* Rows begin[0] .. end[0] - 1 and columns begin[1] .. end[1] - 1 of an image; the tensor itself when that is
 * all of it. */
struct tensor *copy_slice(struct copying *c, struct tensor *from, const int64_t begin[GROUP_AXES],
                          const int64_t end[GROUP_AXES]);
/* Tensors one behind the other along an axis; the first one when there is only one. `to` NULL: a new tensor
 * like `like`. */
struct tensor *copy_join(struct copying *c, struct tensor *const *parts, size_t count, int axis,
                         const struct tensor *like, struct tensor *to);

#endif
