/* SPDX-License-Identifier: Apache-2.0
 *
 * The equations of Einsum: which dimensions of the operands, and of the result, are the same index.
 */
#ifndef TULLE_HOST_NET_GRAPH_EINSUM_H
#define TULLE_HOST_NET_GRAPH_EINSUM_H

#include "host/net/graph/operators.h"

enum { EINSUM_OPERANDS = 8, EINSUM_LETTERS = 52, EINSUM_INDICES = EINSUM_LETTERS + NET_RANK_MAX };

/* The index of each dimension. Those from EINSUM_LETTERS on are what "..." stands for. */
struct einsum_term {
    int rank;
    int index[NET_RANK_MAX];
};

struct einsum {
    size_t count;
    struct einsum_term operands[EINSUM_OPERANDS], result;
};

/* Reads the equation for operands of these ranks. NULL, or what is wrong with it. */
const char *einsum_read(struct proto_text equation, const int *ranks, size_t count, struct einsum *to);

#endif
