/* SPDX-License-Identifier: Apache-2.0
 *
 * What the device makes of the inputs of a test that generated C has in itself.
 */
#include <stdlib.h>

#include "host/cli/software.h"
#include "host/software/c_test.h"

static const struct c_tensor *find_input(const struct c_model *m, size_t number)
{
    size_t i = 0;
    while (i < m->tensor_count && m->tensors[i].input != (int)number)
        i++;
    return i < m->tensor_count ? &m->tensors[i] : NULL;
}

static void *room_for(const struct c_tensor *t)
{
    return calloc(1, t->elements * t->bytes + 1);
}

/* ---- operators -------------------------------------------------------------------------------------- */

static bool expect_operator(const struct software_source *s, struct c_model *m, struct diag *diag)
{
    struct software_operands o;
    uint64_t state = C_TEST_START;
    bool ok = software_operands(m, &o, diag);
    for (int i = 0; ok && i < o.inputs; i++)
        c_test_fill(find_input(m, (size_t)i), &state, o.in[i]);
    ok = ok && software_run(s, (const void *const *)o.in, o.out, diag);
    for (size_t i = 0; ok && i < m->step_count; i++) {
        const struct c_tensor *t = &m->tensors[m->steps[i].out];
        if (t->output != C_NONE && c_model_shows(m, &m->steps[i]))
            m->sum = c_test_add(m->sum, t, m->steps[i].out_no_sign, o.out[t->output]);
    }
    software_operands_free(&o);
    return ok;
}

/* ---- networks --------------------------------------------------------------------------------------- */

static size_t tensor_number(const struct net *net, const struct tensor *t)
{
    size_t i = 0;
    while (i < net->tensor_count && net->tensors[i] != t)
        i++;
    return i;
}

static bool set_inputs(const struct net *net, const struct c_model *m, struct run *run, struct diag *diag)
{
    uint64_t state = C_TEST_START;
    for (size_t i = 0; i < net->input_count; i++) {
        struct tensor *t = net->inputs[i];
        if (!find_input(m, i) || find_input(m, i) != &m->tensors[tensor_number(net, t)])
            return diag_fail(diag, net->source[0].path, "--self-test: its inputs are floats");
        struct view view = {.type = t->type, .rank = t->shape ? t->shape->rank : 0, .count = 1};
        for (int d = 0; d < view.rank; d++) {
            view.dim[d] = t->shape->dim[d].value;
            view.count *= (size_t)view.dim[d];
        }
        view.data = room_for(find_input(m, i));
        if (view.data)
            c_test_fill(find_input(m, i), &state, view.data);
        else
            diag_no_memory(diag, net->source[0].path);
        const bool ok = view.data && run_set(run, t, &view);
        free(view.data);
        if (!ok)
            return false;
    }
    return true;
}

static bool expect_network(const struct software_source *s, struct c_model *m, struct diag *diag)
{
    struct run *run = run_new(s->compiled.net, diag);
    bool ok = run && set_inputs(s->compiled.net, m, run, diag);
    if (ok) {
        layers_offer(s->layers.layers, run);
        ok = run_nodes(run);
    }
    for (size_t i = 0; ok && i < m->step_count; i++) {
        struct view view;
        if (!c_model_shows(m, &m->steps[i]))
            continue;
        ok = run_get(run, software_result(s, m, i), &view);
        if (ok)
            m->sum = c_test_add(m->sum, &m->tensors[m->steps[i].out], m->steps[i].out_no_sign, view.data);
    }
    run_free(run);
    return ok;
}

bool software_expect(const struct software_source *s, struct c_model *m, struct diag *diag)
{
    m->tested = true;
    m->sum = C_SUM_START;
    return s->compiled.net ? expect_network(s, m, diag) : expect_operator(s, m, diag);
}
