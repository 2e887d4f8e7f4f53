/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "host/cli/place.h"
#include "host/cli/software.h"
#include "host/lib/library.h"

enum { MILLISECONDS = 600000 };

static struct software_parts parts_of(const struct tulle_operator *op)
{
    return (struct software_parts){&op->of, &op->image->packed, op->sequence};
}

static bool open_network(const char *device, int64_t seconds, struct software_source *s, struct diag *diag)
{
    if (!compiled_read(s->file, &s->compiled, diag))
        return false;
    snprintf(s->device, sizeof s->device, "model:%s", s->compiled.variant);
    const struct net_layers_options options = {
        .device = device ? device : s->device, .quiet = true, .seconds = seconds, .compiled = &s->compiled};
    return net_layers_open(s->compiled.net, &options, &s->layers, diag);
}

bool software_open(const char *file, const char *device, int64_t seconds, struct software_source *to,
                   struct diag *diag)
{
    *to = (struct software_source){.file = file};
    if (compiled_is(file))
        return open_network(device, seconds, to, diag);
    return place_open(device, NULL, (unsigned)seconds, &to->only, diag) &&
           place_done(device, tulle_operator_load(to->only, file, &to->op), diag);
}

bool software_read(const struct software_source *s, const struct software_outputs *more,
                   struct c_model *model, struct diag *diag)
{
    if (s->compiled.net)
        return software_net(s->compiled.net, s->layers.layers, more, parts_of, model, diag);
    if (more->count || more->all)
        return diag_fail(diag, s->file, "external outputs are those of networks, and it is a saved operator");
    const struct software_parts parts = parts_of(s->op);
    return parts.sequence ? software_sequence(s->file, parts.sequence, parts.packed, model, diag)
                          : software_operator(s->file, parts.op, parts.packed, model, diag);
}

/* Numbers without a sign have the type of those with one. */
static enum tulle_type type_of(unsigned bytes)
{
    return bytes == 1 ? TULLE_INT8 : bytes == 2 ? TULLE_INT16 : bytes == 4 ? TULLE_INT32 : TULLE_INT64;
}

static struct tulle_matrix input_of(const struct planned *of, const void *values)
{
    struct tulle_matrix input;
    operands_input_shape(of, &input);
    input.size = sizeof input;
    input.type = type_of(planned_input_bytes(of));
    input.values = values;
    return input;
}

static bool run_sequence(const struct software_source *s, const void *const in[], void *const out[],
                         struct diag *diag)
{
    const struct sequence *q = s->op->sequence;
    struct tulle_matrix matrix[SOFTWARE_OPERANDS];
    struct tulle_output output[SOFTWARE_OPERANDS];
    const struct tulle_matrix *inputs[SOFTWARE_OPERANDS];
    const struct tulle_output *outputs[SOFTWARE_OPERANDS];
    size_t given = 0, taken = 0;
    for (size_t i = 0; i < q->steps; i++)
        if (q->step[i].x == SEQUENCE_HOST) {
            matrix[given] = input_of(&q->step[i].of, in[given]);
            inputs[given] = &matrix[given];
            given++;
        }
    for (size_t i = 0; i < q->values; i++)
        if (q->value[i].wanted) {
            output[taken] = (struct tulle_output){.size = sizeof *output,
                                                  .type = q->step[q->value[i].made].of.info.output_type,
                                                  .values = out[taken]};
            outputs[taken] = &output[taken];
            taken++;
        }
    struct tulle_run *run = NULL;
    enum tulle_status status = tulle_sequence_start(s->op, inputs, given, outputs, taken, &run);
    if (!status)
        status = tulle_wait(run, MILLISECONDS, NULL);
    tulle_run_free(run);
    return place_done(s->file, status, diag);
}

bool software_run(const struct software_source *s, const void *const in[], void *const out[],
                  struct diag *diag)
{
    if (s->op->sequence)
        return run_sequence(s, in, out, diag);
    const struct planned *of = &s->op->of;
    const struct tulle_matrix input = input_of(of, in[0]);
    struct tulle_matrix second = {.size = sizeof second, .rows = of->joins_row ? 1 : of->m, .columns = of->n};
    second.type = type_of(1u << of->join.element);
    second.values = of->join.join ? in[1] : NULL;
    const struct tulle_output output = {
        .size = sizeof output, .type = s->op->of.info.output_type, .values = out[0]};
    const struct tulle_operands operands = {.size = sizeof operands,
                                            .input = &input,
                                            .output = &output,
                                            .second = of->join.join ? &second : NULL};
    return place_done(s->file, tulle_run(s->op, &operands, MILLISECONDS, NULL), diag);
}

bool software_operands(const struct c_model *m, struct software_operands *to, struct diag *diag)
{
    bool ok = true;
    *to = (struct software_operands){.inputs = 0};
    for (size_t i = 0; ok && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        const size_t bytes = t->elements * t->bytes;
        if (t->input >= SOFTWARE_OPERANDS || t->output >= SOFTWARE_OPERANDS)
            return diag_fail(diag, NULL, "it has more than %d inputs or outputs", SOFTWARE_OPERANDS);
        if (t->input != C_NONE) {
            ok = (to->in[t->input] = calloc(1, bytes + 1)) != NULL;
            to->inputs += ok;
        }
        if (ok && t->output != C_NONE) {
            ok = (to->out[t->output] = calloc(1, bytes + 1)) != NULL;
            to->outputs += ok;
        }
    }
    if (!ok)
        diag_no_memory(diag, NULL);
    return ok;
}

void software_operands_free(struct software_operands *o)
{
    for (unsigned i = 0; i < SOFTWARE_OPERANDS; i++) {
        free(o->in[i]);
        free(o->out[i]);
    }
}

struct tensor *software_result(const struct software_source *s, const struct c_model *m, size_t step)
{
    if (!c_model_shows(m, &m->steps[step]))
        return NULL;
    struct tensor *t = s->compiled.net->tensors[m->steps[step].out];
    size_t count;
    const struct layer *list = layers_list(s->layers.layers, &count);
    for (size_t i = 0; i < count; i++)
        if (list[i].op && list[i].node->outputs[0] == t)
            return list[list[i].last].node->outputs[0];
    return t;
}

void software_close(struct software_source *s)
{
    net_layers_close(&s->layers);
    net_free(s->compiled.net);
    compiled_close(&s->compiled);
    tulle_operator_free(s->op);
    tulle_device_close(s->only);
}
