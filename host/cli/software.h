/* SPDX-License-Identifier: Apache-2.0
 *
 * What `tulle software` and `tulle net verify` are given: a compiled network or a saved operator, on its
 * device.
 */
#ifndef TULLE_HOST_CLI_SOFTWARE_H
#define TULLE_HOST_CLI_SOFTWARE_H

#include "host/cli/net_layers.h"
#include "host/software/model/model.h"

struct software_source {
    const char *file;
    struct compiled compiled;  /* of a network; `net` is NULL: it is an operator */
    struct net_layers layers;  /* of the network */
    struct tulle_device *only; /* the operator's */
    struct tulle_operator *op;
    char device[80]; /* that the file is for, when none is given */
};

/* Opens the file on a device, or on the functional model when it is NULL; jobs may take so many seconds.
 * False after an error. To be closed in any case. */
bool software_open(const char *file, const char *device, int64_t seconds, struct software_source *to,
                   struct diag *diag);
/* Fills the model, which needs the source until it is written. */
bool software_read(const struct software_source *source, const struct software_outputs *more,
                   struct c_model *model, struct diag *diag);
/* Zeros for what an operator's model reads and makes. */
enum { SOFTWARE_OPERANDS = 64 };
struct software_operands {
    void *in[SOFTWARE_OPERANDS], *out[SOFTWARE_OPERANDS];
    int inputs, outputs;
};
/* To be freed in any case. */
bool software_operands(const struct c_model *model, struct software_operands *to, struct diag *diag);
void software_operands_free(struct software_operands *operands);
/* Runs an operator, or a sequence, on its device; arrays are as the model's inputs and outputs. */
bool software_run(const struct software_source *source, const void *const in[], void *const out[],
                  struct diag *diag);
/* The tensor that has what a step of a network gives: that of the last node within its operator. NULL: it is
 * between layers of a part, and the host does not take it. */
struct tensor *software_result(const struct software_source *source, const struct c_model *model,
                               size_t step);
/* Runs it on its device with the inputs of a test in the file, which the model gets. */
bool software_expect(const struct software_source *source, struct c_model *model, struct diag *diag);
void software_close(struct software_source *source);

#endif
