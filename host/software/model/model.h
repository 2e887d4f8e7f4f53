/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators and networks become models of software, and these become files.
 */
#ifndef TULLE_HOST_SOFTWARE_MODEL_H
#define TULLE_HOST_SOFTWARE_MODEL_H

#include "gen/base/diag.h"
#include "host/net/device/layers.h"
#include "host/operator/sequence.h"
#include "host/software/c_model.h"

/* What the library has planned and packed for one of its operators. */
struct software_parts {
    const struct planned *op;
    const struct packed *packed;
    const struct sequence *sequence; /* NULL: it is one operator */
};
typedef struct software_parts software_look(const struct tulle_operator *op);

/* Results inside a network that are outputs as well, behind its own and by name: of tensors, or of nodes,
 * whose first result it is. */
struct software_outputs {
    const char *const *names;
    size_t count;
    bool all; /* every result that programs, or nodes on the CPU, give */
};

/* Adds the function of a network's layers to the model; messages name the layer. To be freed in any case. */
bool software_net(struct net *net, const struct layers *layers, const struct software_outputs *more,
                  software_look *look, struct c_model *to, struct diag *diag);
/* Of one operator. */
bool software_operator(const char *path, const struct planned *op, const struct packed *packed,
                       struct c_model *to, struct diag *diag);
/* Of a sequence of operators: inputs are what the host gives, outputs what it takes, in their order. */
bool software_sequence(const char *path, const struct sequence *sequence, const struct packed *packed,
                       struct c_model *to, struct diag *diag);
void software_free(struct c_model *model);

/* ---- files (files.c) -------------------------------------------------------------------------------- */

enum { SOFTWARE_NAME = 128 };

/* What is to be written, and the model that it is made of. */
struct software_files {
    const char *path;    /* ends with .c or .onnx */
    const char *weights; /* C: the file with the weights; NULL: they are arrays */
    char name[SOFTWARE_NAME], title[SOFTWARE_NAME + 80];
    struct onnx onnx;
    struct c_model model;
    size_t bytes; /* of the file, when it is written */
};

/* Whether software can have that name. */
bool software_is_path(const char *path);
bool software_is_c(const char *path);
void software_begin(struct software_files *files, const char *path, const char *weights);
/* `put` writes one file. The header is beside the C, with the name that the C includes. */
typedef bool software_put(void *context, const char *path, const struct strbuf *bytes, struct diag *diag);
bool software_write(struct software_files *files, software_put *put, void *context, struct diag *diag);
void software_end(struct software_files *files);

#endif
