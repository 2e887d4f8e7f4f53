/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs and outputs of networks, and runs.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/net.h"
#include "host/net/cpu/cpu.h"

_Static_assert((int)TULLE_RANK_MAX == (int)NET_RANK_MAX, "dimensions of a tensor");

static const enum net_type types[TULLE_ELEMENTS] = {
    [TULLE_ELEMENT_NONE] = NET_NO_TYPE,    [TULLE_ELEMENT_BOOL] = NET_BOOL,
    [TULLE_ELEMENT_INT8] = NET_INT8,       [TULLE_ELEMENT_UINT8] = NET_UINT8,
    [TULLE_ELEMENT_INT16] = NET_INT16,     [TULLE_ELEMENT_UINT16] = NET_UINT16,
    [TULLE_ELEMENT_INT32] = NET_INT32,     [TULLE_ELEMENT_UINT32] = NET_UINT32,
    [TULLE_ELEMENT_INT64] = NET_INT64,     [TULLE_ELEMENT_UINT64] = NET_UINT64,
    [TULLE_ELEMENT_FLOAT16] = NET_FLOAT16, [TULLE_ELEMENT_BFLOAT16] = NET_BFLOAT16,
    [TULLE_ELEMENT_FLOAT32] = NET_FLOAT,   [TULLE_ELEMENT_FLOAT64] = NET_DOUBLE};

static enum tulle_element element_of(enum net_type type)
{
    for (unsigned i = 1; i < TULLE_ELEMENTS; i++)
        if (types[i] == type)
            return (enum tulle_element)i;
    return TULLE_ELEMENT_NONE;
}

/* ---- descriptions -------------------------------------------------------------------------------- */

static void describe(const struct tensor *t, size_t index, struct tulle_tensor *to)
{
    bool open = !t->shape;
    uint64_t count = 1;
    *to = (struct tulle_tensor){
        .size = sizeof *to, .name = t->name, .index = index, .type = element_of(t->type)};
    to->rank = t->shape ? (unsigned)t->shape->rank : 0;
    for (unsigned i = 0; i < to->rank; i++) {
        const struct dim dim = t->shape->dim[i];
        open = open || dim.term;
        to->dimensions[i] = dim.term ? -1 : dim.value;
        count *= (uint64_t)dim.value;
    }
    if (!open && count <= (uint64_t)NET_SIZE_MOST)
        to->bytes = (size_t)net_type_bytes(t->type, count);
    if (t->quantisation && t->quantisation->count == 1) {
        to->scale = (double)t->quantisation->scale[0];
        to->zero = t->quantisation->zero[0];
    }
}

static enum tulle_status give(const char *what, struct tensor *const *list, size_t count, size_t index,
                              struct tulle_tensor *to)
{
    struct tulle_tensor info;
    const enum tulle_status status = sized_check(SIZED_TENSOR, to);
    if (status)
        return status;
    if (index >= count)
        return message_set(TULLE_INVALID_ARGUMENT, "the network has no %s %zu; it has %zu", what, index,
                           count);
    describe(list[index], index, &info);
    sized_give(SIZED_TENSOR, &info, to);
    return TULLE_OK;
}

enum tulle_status tulle_net_input(const struct tulle_net *net, size_t index, struct tulle_tensor *tensor)
{
    if (!net || !tensor)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_input: %s is NULL", net ? "tensor" : "net");
    return give("input", net->net->inputs, net->net->input_count, index, tensor);
}

enum tulle_status tulle_net_output(const struct tulle_net *net, size_t index, struct tulle_tensor *tensor)
{
    if (!net || !tensor)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_output: %s is NULL", net ? "tensor" : "net");
    return give("output", net->net->outputs, net->net->output_count, index, tensor);
}

/* ---- the caller's tensors ------------------------------------------------------------------------ */

/* A tensor of the caller and the one of the network that it stands for. */
struct operand {
    const char *what; /* "input" or "output" */
    struct tulle_tensor given;
    struct tensor *tensor;
    struct tulle_tensor *to; /* of an output: what is filled */
};

static enum tulle_status refuse(const struct operand *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum tulle_status refuse(const struct operand *o, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    const enum tulle_status status =
        message_set(TULLE_INVALID_ARGUMENT, "%s \"%.60s\": %s", o->what, o->tensor->name, sb_text(&text));
    sb_free(&text);
    return status;
}

/* Which tensor of the list the caller means. */
static enum tulle_status find(struct operand *o, struct tensor *const *list, size_t count, size_t number,
                              const struct tulle_tensor *from)
{
    if (!from)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_run: %s %zu is NULL", o->what, number);
    const enum tulle_status status = sized_take(SIZED_TENSOR, from, &o->given);
    if (status)
        return status;
    for (size_t i = 0; o->given.name && i < count; i++)
        if (!strcmp(list[i]->name, o->given.name))
            o->tensor = list[i];
    if (!o->given.name && o->given.index < count)
        o->tensor = list[o->given.index];
    if (o->tensor)
        return TULLE_OK;
    return o->given.name ? message_set(TULLE_INVALID_ARGUMENT, "the network has no %s \"%.60s\"", o->what,
                                       o->given.name)
                         : message_set(TULLE_INVALID_ARGUMENT, "the network has no %s %zu; it has %zu",
                                       o->what, o->given.index, count);
}

/* Type and number of dimensions, where both are known. */
static enum tulle_status check_kind(const struct operand *o, enum net_type type, int rank)
{
    const struct tulle_tensor *g = &o->given;
    if ((unsigned)g->type >= TULLE_ELEMENTS || g->type == TULLE_ELEMENT_NONE)
        return refuse(o, "type is %d, which is none", (int)g->type);
    if (type && types[g->type] != type)
        return refuse(o, "type is that of %s; the network has %s", net_type_name(types[g->type]),
                      net_type_name(type));
    if (g->rank > TULLE_RANK_MAX)
        return refuse(o, "rank is %u; it is at most %d", g->rank, TULLE_RANK_MAX);
    if (rank >= 0 && g->rank != (unsigned)rank)
        return refuse(o, "rank is %u; the network has %d dimensions", g->rank, rank);
    return TULLE_OK;
}

static enum tulle_status check_room(const struct operand *o, size_t wanted)
{
    if (wanted && !o->given.values)
        return refuse(o, "values is NULL");
    if (o->given.bytes < wanted)
        return refuse(o, "bytes is %zu; the values take %zu", o->given.bytes, wanted);
    return TULLE_OK;
}

static enum tulle_status view_input(const struct operand *o, struct view *view)
{
    const struct shape *shape = o->tensor->shape;
    enum tulle_status status = check_kind(o, o->tensor->type, shape ? shape->rank : -1);
    if (status)
        return status;
    *view = (struct view){.type = types[o->given.type], .rank = (int)o->given.rank, .count = 1};
    for (int i = 0; i < view->rank; i++) {
        const int64_t size = view->dim[i] = o->given.dimensions[i];
        if (shape && !shape->dim[i].term && shape->dim[i].value != size)
            return refuse(o, "dimension %d is %" PRId64 "; the network has %" PRId64, i, size,
                          shape->dim[i].value);
        if (size < 0 || (size && view->count > (size_t)(NET_SIZE_MOST / size)))
            return refuse(o, "dimension %d is %" PRId64 ", which no input has", i, size);
        view->count *= (size_t)size;
    }
    view->data = o->given.values;
    return check_room(o, (size_t)net_type_bytes(view->type, view->count));
}

/* ---- runs ---------------------------------------------------------------------------------------- */

struct running {
    struct net *net;
    struct run *run;
    struct layers *layers;
    struct marks *marks;
    const atomic_bool *stop;
    unsigned threads;
    struct operand *outputs;
    size_t output_count;
    bool *seen; /* inputs, then outputs: given already */
};

static enum tulle_status failed(const struct running *r)
{
    if (r->stop && atomic_load(r->stop))
        return message_set(TULLE_CANCELLED, "the request was cancelled");
    const enum tulle_status status = r->layers ? layers_status(r->layers) : TULLE_OK;
    return r->net->arena.full ? message_no_memory()
                              : net_message(status ? status : TULLE_UNSUPPORTED, r->net->diag);
}

static bool again(struct tensor *const *list, const struct tensor *t, bool *seen)
{
    size_t i = 0;
    while (list[i] != t)
        i++;
    const bool before = seen[i];
    seen[i] = true;
    return before;
}

static enum tulle_status take_inputs(struct running *r, const struct tulle_tensor *const *inputs,
                                     size_t count)
{
    const struct net *net = r->net;
    for (size_t i = 0; i < count; i++) {
        struct operand o = {.what = "input"};
        struct view view;
        enum tulle_status status = find(&o, net->inputs, net->input_count, i, inputs[i]);
        if (!o.tensor)
            return status;
        if (again(net->inputs, o.tensor, r->seen))
            status = refuse(&o, "it is given twice");
        if (!status)
            status = view_input(&o, &view);
        if (status)
            return status;
        if (!run_set(r->run, o.tensor, &view))
            return failed(r);
    }
    for (size_t i = 0; i < net->input_count; i++)
        if (!r->seen[i])
            return message_set(TULLE_INVALID_ARGUMENT, "input \"%.60s\" has no value", net->inputs[i]->name);
    return TULLE_OK;
}

static enum tulle_status find_outputs(struct running *r, struct tulle_tensor *const *outputs)
{
    for (size_t i = 0; i < r->output_count; i++) {
        struct operand *o = &r->outputs[i];
        *o = (struct operand){.what = "output", .to = outputs[i]};
        const enum tulle_status status = find(o, r->net->outputs, r->net->output_count, i, outputs[i]);
        if (!o->tensor)
            return status;
        if (again(r->net->outputs, o->tensor, r->seen + r->net->input_count))
            return refuse(o, "it is given twice");
    }
    return TULLE_OK;
}

/* After the run. */
static enum tulle_status check_output(struct running *r, const struct operand *o, struct view *view)
{
    if (!run_get(r->run, o->tensor, view))
        return refuse(o, "it has no numbers");
    enum tulle_status status = check_kind(o, view->type, view->rank);
    for (int i = 0; !status && i < view->rank; i++)
        if (o->given.dimensions[i] != -1 && o->given.dimensions[i] != view->dim[i])
            status = refuse(o, "dimension %d is %" PRId64 "; the result has %" PRId64, i,
                            o->given.dimensions[i], view->dim[i]);
    return status ? status : check_room(o, (size_t)net_type_bytes(view->type, view->count));
}

static enum tulle_status give_outputs(struct running *r)
{
    struct view view;
    for (size_t i = 0; i < r->output_count; i++) {
        const enum tulle_status status = check_output(r, &r->outputs[i], &view);
        if (status)
            return status;
    }
    for (size_t i = 0; i < r->output_count; i++) {
        struct operand *o = &r->outputs[i];
        run_get(r->run, o->tensor, &view);
        if (view.count)
            memcpy(o->given.values, view.data, (size_t)net_type_bytes(view.type, view.count));
        memcpy(o->to->dimensions, view.dim, (size_t)view.rank * sizeof *view.dim);
    }
    return TULLE_OK;
}

static enum tulle_status perform(struct running *r, const struct tulle_tensor *const *inputs,
                                 size_t input_count, struct tulle_tensor *const *outputs)
{
    enum tulle_status status = find_outputs(r, outputs);
    if (!status)
        status = take_inputs(r, inputs, input_count);
    run_forget(r->run);
    run_stop_at(r->run, r->stop);
    if (r->layers)
        layers_offer(r->layers, r->run);
    if (!status && !run_threads(r->run, r->threads))
        status = message_no_memory();
    if (!status && !(run_nodes(r->run) && marks_compute(r->marks, r->run, r->threads, r->net->diag)))
        status = failed(r);
    return status ? status : give_outputs(r);
}

enum tulle_status tulle_net_run(struct tulle_net *net, const struct tulle_tensor *const *inputs,
                                size_t input_count, struct tulle_tensor *const *outputs, size_t output_count)
{
    struct diag diag = {0};
    if (!net || (!inputs && input_count) || (!outputs && output_count))
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_run: %s is NULL",
                           !net                     ? "net"
                           : input_count && !inputs ? "inputs"
                                                    : "outputs");
    if (input_count > net->net->input_count || output_count > net->net->output_count)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "tulle_net_run: %zu inputs and %zu outputs; the network has %zu and %zu",
                           input_count, output_count, net->net->input_count, net->net->output_count);
    struct running r = {.net = net->net,
                        .layers = net->layers,
                        .marks = net->marks,
                        .stop = net->stop,
                        .threads = net->threads,
                        .output_count = output_count};
    r.outputs = calloc(output_count + 1, sizeof *r.outputs);
    r.seen = calloc(net->net->input_count + net->net->output_count + 1, sizeof *r.seen);
    r.run = r.outputs && r.seen ? run_new(net->net, &diag) : NULL;
    const enum tulle_status status = r.run ? perform(&r, inputs, input_count, outputs) : message_no_memory();
    run_free(r.run);
    free(r.outputs);
    free(r.seen);
    diag_free(&diag);
    return status;
}
