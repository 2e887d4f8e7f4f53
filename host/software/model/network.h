/* SPDX-License-Identifier: Apache-2.0
 *
 * A network while it becomes a model of software.
 */
#ifndef TULLE_HOST_SOFTWARE_MODEL_NETWORK_H
#define TULLE_HOST_SOFTWARE_MODEL_NETWORK_H

#include "host/software/model/model.h"

struct model_net {
    struct net *net;
    struct c_model *to;
    struct diag *diag;
    const char *path;
    software_look *look;
    const struct layers *layers;
    const struct software_outputs *more;
    const struct layer *list;
    bool *left; /* layers that are the caller's */
    int inputs, outputs;
};

const char *model_node_name(const struct node *node);
/* The number of a tensor of the network, which is that in the model as well. */
size_t model_number(const struct model_net *m, const struct tensor *t);
bool model_is_unsigned(enum net_type type);

/* Numbers inputs and outputs of the software, and finds the layers that are left to the caller (ends.c). */
bool model_find_ends(struct model_net *m, size_t count);

#endif
