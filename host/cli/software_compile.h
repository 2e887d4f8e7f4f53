/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated C is compiled and loaded on the spot, for comparisons.
 */
#ifndef TULLE_HOST_CLI_SOFTWARE_COMPILE_H
#define TULLE_HOST_CLI_SOFTWARE_COMPILE_H

#include "host/software/model/model.h"

typedef int software_trace(const void *const in[], void *const out[],
                           void (*after)(void *context, int step, const void *result), void *context);

struct software_object {
    char folder[64];
    void *handle;
    software_trace *trace; /* NULL: there is no compiler that compiles it */
};

/* Compiles a traced model whose name is "model" with $CC, or cc. False after an error; to be freed in any
 * case. */
bool software_compile(struct c_model *model, struct software_object *to, struct diag *diag);
void software_object_free(struct software_object *object);

#endif
