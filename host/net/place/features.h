/* SPDX-License-Identifier: Apache-2.0
 *
 * What decides how long a node takes: its operator and type, and its size.
 */
#ifndef TULLE_HOST_NET_PLACE_FEATURES_H
#define TULLE_HOST_NET_PLACE_FEATURES_H

#include "host/net/graph/graph.h"

enum { PLACE_KEY_BYTES = 64 };

struct place_features {
    char key[PLACE_KEY_BYTES]; /* operator, kind and type, without a space: "Conv.depthwise.int8" */
    double work;               /* multiplications, or what else it does most often */
    double bytes;              /* of all operands and results */
};

/* False: the sizes of a tensor are not known. */
bool place_features(const struct node *node, struct place_features *to);
/* Bytes of the tensor's numbers; false: they are not known. */
bool place_bytes(const struct tensor *tensor, double *bytes);

#endif
