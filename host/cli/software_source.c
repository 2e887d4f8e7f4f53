/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

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
    if (!place_open(device, NULL, (unsigned)seconds, &to->only, diag) ||
        !place_done(device, tulle_operator_load(to->only, file, &to->op), diag))
        return false;
    return !to->op->sequence ||
           diag_fail(diag, file, "it is a sequence of several operators, which has no software");
}

bool software_read(const struct software_source *s, struct c_model *model, struct diag *diag)
{
    if (s->compiled.net)
        return software_net(s->compiled.net, s->layers.layers, parts_of, model, diag);
    const struct software_parts parts = parts_of(s->op);
    return software_operator(s->file, parts.op, parts.packed, model, diag);
}

/* Numbers without a sign have the type of those with one. */
static enum tulle_type type_of(unsigned bytes)
{
    return bytes == 1 ? TULLE_INT8 : bytes == 2 ? TULLE_INT16 : bytes == 4 ? TULLE_INT32 : TULLE_INT64;
}

bool software_run(const struct software_source *s, const void *const in[], void *const out[],
                  struct diag *diag)
{
    const struct planned *of = &s->op->of;
    struct tulle_matrix input,
        second = {.size = sizeof second, .rows = of->joins_row ? 1 : of->m, .columns = of->n};
    operands_input_shape(of, &input);
    input.size = sizeof input;
    input.type = type_of(planned_input_bytes(of));
    input.values = in[0];
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

struct tensor *software_result(const struct software_source *s, const struct c_model *m, size_t step)
{
    if (m->tensors[m->steps[step].out].inner)
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
