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
/* Another tensor; SIZE_MAX: out of memory. */
size_t model_tensor(struct c_model *m, const struct c_tensor *tensor);
/* The step that comes next, which is to be counted when it is there; NULL: out of memory. */
struct c_step *model_step(struct c_model *m);

/* What the stages of a sequence are of: tensors that the host gives and takes, in their order, and what the
 * functions are called. */
struct model_sequence {
    const size_t *tensor;
    /* The name of step `at` of the sequence, and a comment on it. */
    void (*describe)(void *context, size_t at, char name[sizeof(((struct c_step *)0)->name)],
                     struct strbuf *comment);
    void *context;
};
bool model_sequence(struct c_model *m, const struct sequence *sequence, const struct packed *packed,
                    const struct model_sequence *of, struct strbuf *why);
/* The function of a data flow, and the types of its operands. */
bool model_plain(struct c_model *m, const struct plain *plain, const char *comment, struct c_step *step,
                 struct strbuf *why);
/* The operator's function, and the types of its operands. `copies`: of channels of the input; may be NULL. */
bool model_function(struct c_model *m, const struct planned *op, const struct packed *packed,
                    const struct job_copies *copies, const char *comment, struct c_step *step,
                    struct strbuf *why);

#endif
