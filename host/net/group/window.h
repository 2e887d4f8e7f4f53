/* SPDX-License-Identifier: Apache-2.0
 *
 * What operators need of their operands for some rows or columns of their result.
 */
#ifndef TULLE_HOST_NET_GROUP_WINDOW_H
#define TULLE_HOST_NET_GROUP_WINDOW_H

#include "host/net/group/chart.h"

/* Of operand `input`, which is no constant, for the node's first result. `size`: rows and columns of an
 * image, or 1 and 1. */
void group_window_read(const struct group_chart *chart, const struct node *node, size_t input,
                       struct group_window window[GROUP_AXES]);
/* Whether the node computes each number of its result from the numbers at the same place alone. */
bool group_is_each(const struct group_chart *chart, const struct node *node);
/* The dimension of a tensor along an axis; 1: it is no image. */
int64_t group_size(const struct group_chart *chart, const struct tensor *tensor, int axis);
/* The index of the operand with the weights; 0: it has none. */
size_t group_weights_operand(const struct node *node);
/* Whether the node has padding at both ends of each axis as an attribute, so that a slice can have another
 * one. */
bool group_has_window(const struct node *node);

/* Operands 0 .. size - 1 that lie within begin .. end - 1, and the padding at both ends. */
struct group_span {
    int64_t begin, end, before, after;
};
/* What results begin .. end - 1, of which there is one at least, need of an operand with that size. */
struct group_span group_window_span(const struct group_window *window, int64_t size, int64_t begin,
                                    int64_t end);

#endif
