/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph in a later operator set, where integer operators take all types.
 */
#ifndef TULLE_HOST_NET_OPSET_H
#define TULLE_HOST_NET_OPSET_H

#include "host/net/pass/edit.h"

enum { OPSET_RAISED = 13, OPSET_WIDE = 21 }; /* WIDE: scales integers of 16 bits */

/* Brings the graph to that operator set at least. False, with nothing changed: a node means something else
 * there, or the memory is full. */
bool opset_raise(struct edit *e, unsigned to);

#endif
