/* SPDX-License-Identifier: Apache-2.0
 *
 * Activation functions that stand in a node as an attribute: "function" is the
 * operator's name, and "function_numbers" are alpha and beta, or the limits of Clip; one that is not
 * given is not finite.
 */
#ifndef TULLE_HOST_NET_FUNCTION_H
#define TULLE_HOST_NET_FUNCTION_H

#include "host/net/graph/graph.h"

enum { FUNCTION_NUMBERS = 2 };

/* Whether the operator is one of these functions. */
bool function_known(const char *type);

/* The function as a node without inputs and outputs, whose attributes are borrowed. */
struct function_node {
    struct node node;
    struct attribute attributes[FUNCTION_NUMBERS];
};
/* False: the node has no function. */
bool function_of(const struct net *net, const struct node *node, struct function_node *to);

#endif
