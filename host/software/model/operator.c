/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/model/parts.h"

#include <stdlib.h>

bool software_operator(const char *path, const struct planned *of, const struct packed *packed,
                       struct c_model *m, struct diag *diag)
{
    struct tulle_matrix shape;
    struct strbuf why = {0};
    m->tensors = calloc(3, sizeof *m->tensors);
    m->steps = calloc(1, sizeof *m->steps);
    if (!m->tensors || !m->steps) {
        diag_no_memory(diag, path);
        return false;
    }
    m->tensor_count = of->join.join ? 3 : 2;
    m->step_count = 1;
    m->tensors[0] = (struct c_tensor){.name = "",
                                      .elements = operands_input_shape(of, &shape),
                                      .bytes = planned_input_bytes(of),
                                      .no_sign = of->input_unsigned,
                                      .input = 0,
                                      .output = C_NONE,
                                      .buffer = C_NONE};
    m->tensors[1] = (struct c_tensor){.name = "",
                                      .elements = (uint64_t)of->m * of->n,
                                      .bytes = num_element_bytes((enum num_element)of->element),
                                      .no_sign = of->output_unsigned,
                                      .input = C_NONE,
                                      .output = 0,
                                      .same = 1,
                                      .buffer = C_NONE};
    m->tensors[2] = (struct c_tensor){.name = "",
                                      .elements = of->joins_row ? of->n : (uint64_t)of->m * of->n,
                                      .bytes = 1u << of->join.element,
                                      .no_sign = of->join.has_no_sign,
                                      .input = 1,
                                      .output = C_NONE,
                                      .same = 2,
                                      .buffer = C_NONE};
    for (size_t i = 0; i < 3; i++) {
        m->tensors[i].from = m->tensors[i].input;
        m->tensors[i].to = m->tensors[i].output;
        m->tensors[i].dims[0] = (int64_t)m->tensors[i].elements;
        m->tensors[i].rank = 1;
    }
    m->steps[0] =
        (struct c_step){.name = "operator_1", .in = 0, .second = of->join.join ? 2 : SIZE_MAX, .out = 1};
    model_inputs(m);
    const bool ok = model_function(m, of, packed, NULL, "The operator.", &m->steps[0], &why) ||
                    model_refuse(diag, path, "the operator", sb_text(&why));
    if (ok)
        model_outputs(m);
    sb_free(&why);
    return ok;
}
