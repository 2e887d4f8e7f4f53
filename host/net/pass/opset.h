/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph in a later operator set, where integer operators take all types.
 */
#ifndef TULLE_HOST_NET_OPSET_H
#define TULLE_HOST_NET_OPSET_H

#include "host/net/pass/edit.h"

enum { OPSET_RAISED = 13 };

/* Brings the graph to operator set 13 at least. False, with nothing changed: a node means something else
 * there, or the memory is full. */
bool opset_raise(struct edit *e);

#endif
