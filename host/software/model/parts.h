/* SPDX-License-Identifier: Apache-2.0
 *
 * What the models of operators and of networks share.
 */
#ifndef TULLE_HOST_SOFTWARE_MODEL_PARTS_H
#define TULLE_HOST_SOFTWARE_MODEL_PARTS_H

#include "host/net/device/job.h"
#include "host/software/model/model.h"

/* Reports that there is no software for the layer; false. */
bool model_refuse(struct diag *diag, const char *path, const char *layer, const char *why);
/* The ONNX value that a tensor is. */
onnx_value *model_value(struct c_model *m, size_t tensor);
/* Inputs become flat, and outputs get their dimensions again. */
void model_inputs(struct c_model *m);
void model_outputs(struct c_model *m);
/* The operator's function, and the types of its operands. `copies`: of channels of the input; may be NULL. */
bool model_function(struct c_model *m, const struct planned *op, const struct packed *packed,
                    const struct job_copies *copies, const char *comment, struct c_step *step,
                    struct strbuf *why);

#endif
