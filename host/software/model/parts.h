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
    size_t layers; /* of which stages are; 0: not known */
    /* The name of the stage of layer `at`, and a comment on it; SIZE_MAX: it is not known of which. */
    void (*describe)(void *context, size_t at, size_t number, char name[sizeof(((struct c_step *)0)->name)],
                     struct strbuf *comment);
    void *context;
};
bool model_sequence(struct c_model *m, const struct sequence *sequence, const struct packed *packed,
                    const struct model_sequence *of, struct strbuf *why);
/* The function of a data flow, and the types of its operands. */
bool model_plain(struct c_model *m, const struct plain *plain, const char *comment, struct c_step *step,
                 struct strbuf *why);
/* The same of what reads and makes parts of tensors. */
bool model_piece(struct c_model *m, struct plain *plain, const char *comment, struct c_step *step,
                 struct strbuf *why);
/* The operator's function, and the types of its operands. `copies`: of channels of the input; may be NULL. */
bool model_function(struct c_model *m, const struct planned *op, const struct packed *packed,
                    const struct job_copies *copies, const char *comment, struct c_step *step,
                    struct strbuf *why);

/* The same of a step that moves numbers: which one of `read` elements from the first on each result is, or
 * PLAIN_CONSTANT. False: out of memory. */
bool model_move_value(struct c_model *m, const struct c_step *step, const uint64_t *from, uint64_t elements,
                      uint64_t read);

/* Whether a node on the CPU only moves numbers of what it reads to its one result (moves.c). */
bool model_moves(const struct node *node);
/* Tensors of its operands and of its result, and names of its steps. */
struct model_moves {
    const size_t *in;
    size_t out;
    const char *comment;
    void (*name)(void *context, struct c_step *step);
    void *context;
};
/* Adds its steps: one for each operand. */
bool model_move(struct c_model *m, struct net *net, struct node *node, const struct model_moves *of,
                struct diag *diag, struct strbuf *why);

#endif
