/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle software`: the C or ONNX of what a device computes.
 */
#ifndef TULLE_HOST_CLI_SOFTWARE_H
#define TULLE_HOST_CLI_SOFTWARE_H

#include "gen/base/diag.h"
#include "host/net/compiled/compiled.h"
#include "host/software/c_model.h"

/* Adds the function of a network's layers to the model; messages name the layer. To be freed in any case. */
bool software_net(struct net *net, const struct layers *layers, struct c_model *to, struct diag *diag);
/* Of one operator. */
bool software_operator(const char *path, const struct tulle_operator *op, struct c_model *to,
                       struct diag *diag);
void software_free(struct c_model *model);

#endif
