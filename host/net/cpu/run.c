/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/scaled.h"
#include "host/net/graph/function.h"

/* A value of a run. */
struct held {
    struct held *next;
    void *data;
};

/* A run adds shapes, values and counts to the graph; `tensors` and `nodes` are what it had before. */
struct run {
    struct net *net;
    struct diag *diag;
    struct held *held;
    struct tensor *tensors;
    struct node *nodes;
    size_t memory;
};

static bool save(struct run *run)
{
    const struct net *net = run->net;
    run->memory = net->arena.used;
    run->tensors = calloc(net->tensor_count + 1, sizeof *run->tensors);
    run->nodes = calloc(net->node_count + 1, sizeof *run->nodes);
    for (size_t i = 0; run->tensors && i < net->tensor_count; i++)
        run->tensors[i] = *net->tensors[i];
    for (size_t i = 0; run->nodes && i < net->node_count; i++)
        run->nodes[i] = *net->nodes[i];
    return run->tensors && run->nodes;
}

static void restore(struct run *run)
{
    struct net *net = run->net;
    for (size_t i = 0; run->tensors && i < net->tensor_count; i++)
        *net->tensors[i] = run->tensors[i];
    for (size_t i = 0; run->nodes && i < net->node_count; i++)
        *net->nodes[i] = run->nodes[i];
    arena_rewind(&net->arena, run->memory);
    free(run->tensors);
    free(run->nodes);
}

struct run *run_new(struct net *net, struct diag *diag)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (struct run){.net = net, .diag = diag};
    net->diag = diag;
    if (save(run))
        return run;
    run_free(run);
    return NULL;
}

void run_free(struct run *run)
{
    if (!run)
        return;
    restore(run);
    for (struct held *h = run->held, *next; h; h = next) {
        next = h->next;
        free(h->data);
        free(h);
    }
    run->net->diag = NULL;
    free(run);
}

/* ---- values -------------------------------------------------------------------------------------- */

static bool no_memory(const struct run *run)
{
    run->net->arena.full = true; /* for callers that answer with a status */
    diag_error(run->diag, (struct place){.file = run->net->source[0].path}, "out of memory");
    return false;
}

/* Makes the numbers the tensor's constant value; they are freed with the run. */
static bool hold(struct run *run, struct tensor *tensor, void *data, size_t bytes)
{
    struct held *h = calloc(1, sizeof *h);
    if (!h || !data) {
        free(h);
        free(data);
        return no_memory(run);
    }
    *h = (struct held){run->held, data};
    run->held = h;
    tensor->values = (struct values){.at = data, .size = bytes};
    tensor->constant = true;
    tensor->few_known = false;
    return true;
}

static bool sizes_of(const struct tensor *t, struct view *v)
{
    *v = (struct view){.type = t->type, .rank = t->shape ? t->shape->rank : -1, .count = 1};
    for (int i = 0; i < v->rank; i++) {
        if (t->shape->dim[i].term)
            return false;
        v->dim[i] = t->shape->dim[i].value;
        v->count *= (size_t)v->dim[i];
    }
    return v->rank >= 0 && net_type_bits(t->type) >= 8;
}

static void *numbers(size_t count, size_t bytes)
{
    return count < SIZE_MAX / 16 ? calloc(count + 1, bytes) : NULL;
}

/* Numbers that lie in a list, or at an odd address, are copied. */
static bool settle(struct run *run, struct tensor *t, const struct view *v)
{
    const size_t bytes = type_bytes(t->type);
    struct value_reader reader = value_reader(t);
    uint64_t bits;
    if (t->values.at && (uintptr_t)t->values.at % (bytes < 8 ? bytes : 8) == 0)
        return true;
    uint8_t *data = numbers(v->count, bytes);
    if (!data)
        return no_memory(run);
    if (t->values.at)
        memcpy(data, t->values.at, t->values.size);
    for (size_t i = 0; !t->values.at && i < v->count && value_next(&reader, &bits); i++)
        memcpy(data + i * bytes, &bits, bytes);
    return hold(run, t, data, v->count * bytes);
}

bool run_get(struct run *run, struct tensor *t, struct view *v)
{
    if (!t->constant || (!t->values.at && !t->values.list.at) || !sizes_of(t, v) || !settle(run, t, v))
        return false;
    v->data =
        (void *)(uintptr_t)t->values.at; /* NOLINT(performance-no-int-to-ptr): only outputs are written */
    return true;
}

bool run_set(struct run *run, struct tensor *input, const struct view *value)
{
    const size_t bytes = value->count * type_bytes(value->type);
    struct shape shape = {.rank = value->rank};
    for (int i = 0; i < value->rank; i++) {
        shape.dim[i] = dim_number(value->dim[i]);
        if (input->shape && (input->shape->rank != value->rank ||
                             (!input->shape->dim[i].term && input->shape->dim[i].value != value->dim[i]))) {
            origin_error(run->net, input->origin, "the value given for input \"%.60s\" has other dimensions",
                         input->name);
            return false;
        }
    }
    if (input->type && input->type != value->type) {
        origin_error(run->net, input->origin, "the value given for input \"%.60s\" is %s, not %s",
                     input->name, net_type_name(value->type), net_type_name(input->type));
        return false;
    }
    void *data = numbers(value->count, type_bytes(value->type));
    if (data && bytes)
        memcpy(data, value->data, bytes);
    if (!hold(run, input, data, bytes))
        return false;
    input->type = value->type;
    return net_shape(run->net, input, &shape);
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static const struct kernel *const lists[] = {elementwise_kernels, window_kernels,    convolve_kernels,
                                             product_kernels,     reduce_kernels,    move_kernels,
                                             quantised_kernels,   recurrent_kernels, resize_kernels};

/* For scaled tensors. */
static const struct kernel *const scaled_lists[] = {scaled_layer_kernels, scaled_map_kernels,
                                                    scaled_reduce_kernels, scaled_lstm_kernels};

static kernel_function *find(const struct kernel *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        for (const struct kernel *k = list[i]; k->name; k++)
            if (!strcmp(k->name, name))
                return k->function;
    return NULL;
}

kernel_function *kernel_of(const char *operator_name)
{
    return find(lists, sizeof lists / sizeof *lists, operator_name);
}

bool cpu_has(const char *operator_name)
{
    return kernel_of(operator_name) != NULL;
}

static bool any_scaled(struct tensor *const *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tensors[i] && tensors[i]->quantisation)
            return true;
    return false;
}

/* Whether the operator gives numbers of its inputs as they are: it moves them, or chooses the largest. */
static bool keeps_numbers(const struct node *node)
{
    static const char *const chosen[] = {"MaxPool", "GlobalMaxPool", "Max", "Min", "ReduceMax", "ReduceMin"};
    struct operator_slot slot;
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (!strcmp(chosen[i], node->type))
            return true;
    return operator_slot(node->op->inputs, 0, &slot) && proto_is(operator_type(node->op, slot.type), "any");
}

/* A node with scaled operands has a kernel of their own; or it keeps numbers, and then all scales are the
 * same. */
static kernel_function *scaled_kernel(const struct run *run, const struct node *node)
{
    kernel_function *function = find(scaled_lists, sizeof scaled_lists / sizeof *scaled_lists, node->type);
    if (function)
        return function;
    if (!kernel_of(node->type) || !keeps_numbers(node)) {
        node_error(run->net, node, "the operator cannot be run on the CPU with scaled values yet");
        return NULL;
    }
    for (size_t i = 0; i < node->input_count + node->output_count; i++) {
        const struct tensor *t =
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        if (t && t->quantisation && !same_scale(t, node->inputs[0])) {
            node_error(run->net, node, "\"%.60s\" and \"%.60s\" must have the same scale and type",
                       node->inputs[0]->name, t->name);
            return NULL;
        }
    }
    return kernel_of(node->type);
}

/* Kernels that do not look at the order of an image's dimensions want channels behind the batch. */
static bool has_its_order(const struct node *node)
{
    static const char *const either[] = {"Conv", "MaxPool", "AveragePool"};
    for (size_t i = 0; i < sizeof either / sizeof *either; i++)
        if (!strcmp(either[i], node->type))
            return true;
    return !proto_is(node_text(node, "layout"), "NHWC");
}

/* NULL after an error. */
static kernel_function *choose(const struct run *run, const struct node *node)
{
    const bool scaled =
        any_scaled(node->inputs, node->input_count) || any_scaled(node->outputs, node->output_count);
    const bool known = node->op && (!*node->domain || !strcmp(node->domain, "tulle")) &&
                       node->output_count <= KERNEL_OPERANDS;
    if (known && !has_its_order(node)) {
        node_error(run->net, node, "channels at the end of an image cannot be run on the CPU yet");
        return NULL;
    }
    if (known && scaled)
        return scaled_kernel(run, node);
    kernel_function *function = known ? kernel_of(node->type) : NULL;
    if (!function)
        node_error(run->net, node, "the operator cannot be run on the CPU yet");
    return function;
}

bool kernel_fails(const struct call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    node_verror(c->net, c->node, format, args);
    va_end(args);
    return false;
}

/* Room for an output, once its shape is derived. */
static bool make_output(struct run *run, const struct node *node, struct tensor *t, struct view *v)
{
    if (!sizes_of(t, v)) {
        node_error(
            run->net, node,
            "the shape of its output \"%.60s\" is not known before it runs, which is not supported yet",
            t->name);
        return false;
    }
    v->data = numbers(v->count, type_bytes(t->type));
    return hold(run, t, v->data, v->count * type_bytes(t->type));
}

static bool take_inputs(struct run *run, const struct node *node, struct view *views, const struct view **in)
{
    for (size_t i = 0; i < node->input_count; i++) {
        in[i] = NULL;
        if (!node->inputs[i] || (node->inputs[i]->variable && !node->inputs[i]->constant))
            continue; /* a variable is zero at first, and its layer gives it the first value */
        if (!run_get(run, node->inputs[i], &views[i])) {
            node_error(run->net, node, "its input \"%.60s\" has no value", node->inputs[i]->name);
            return false;
        }
        in[i] = &views[i];
    }
    return true;
}

/* The function that a node has as an attribute, in the place of its result. */
static bool apply_function(const struct run *run, const struct node *node, struct view *out)
{
    struct function_node f;
    const struct view *in[] = {out, NULL, NULL};
    if (!function_of(run->net, node, &f))
        return true;
    const struct call c = {
        .net = run->net, .node = &f.node, .inputs = 1, .outputs = 1, .in = {out}, .out = {out}, .more = in};
    return kernel_of(f.node.type)(&c);
}

static bool run_node(struct run *run, struct node *node, struct view *views, const struct view **in)
{
    struct call c = {.net = run->net,
                     .node = node,
                     .inputs = node->input_count,
                     .outputs = node->output_count,
                     .more = in};
    struct view out[KERNEL_OPERANDS];
    kernel_function *function = choose(run, node);
    if (!function)
        return false;
    if (!take_inputs(run, node, views, in) || !derive_node(run->net, node))
        return false;
    for (size_t i = 0; i < node->input_count && i < KERNEL_OPERANDS; i++)
        c.in[i] = in[i];
    for (size_t i = 0; i < node->output_count; i++) {
        if (!node->outputs[i])
            continue;
        if (!make_output(run, node, node->outputs[i], &out[i]))
            return false;
        c.out[i] = &out[i];
    }
    return function(&c) && apply_function(run, node, &out[0]);
}

bool run_step(struct run *run, struct node *node)
{
    struct view *views = calloc(node->input_count + 1, sizeof *views);
    const struct view **in = calloc(node->input_count + 1, sizeof *in);
    bool ok = views && in;
    if (!ok)
        ok = no_memory(run);
    else if (strcmp(node->type, "Constant") != 0)
        ok = run_node(run, node, views, in);
    free(views);
    free(in);
    return ok;
}

bool run_nodes(struct run *run)
{
    bool ok = true;
    for (size_t i = 0; ok && i < run->net->node_count; i++)
        ok = run_step(run, run->net->nodes[i]);
    return ok;
}
