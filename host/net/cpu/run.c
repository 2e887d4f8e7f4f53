/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/exact.h"
#include "host/net/graph/function.h"
#include "host/net/graph/summary.h"

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
    struct node *nodes, **node; /* the list may be put into another order meanwhile */
    struct crew *crew;
    size_t memory;
    bool forgets, keeps;
    const struct offer *offer;
    const atomic_bool *stop; /* NULL: never */
};

static bool sizes_of(const struct tensor *t, struct view *v);

static bool save(struct run *run)
{
    const struct net *net = run->net;
    struct view view;
    for (size_t i = 0; i < net->tensor_count; i++)
        net->tensors[i]->sized = sizes_of(net->tensors[i], &view);
    run->memory = net->arena.used;
    run->tensors = calloc(net->tensor_count + 1, sizeof *run->tensors);
    run->nodes = calloc(net->node_count + 1, sizeof *run->nodes);
    run->node = calloc(net->node_count + 1, sizeof(struct node *));
    for (size_t i = 0; run->tensors && i < net->tensor_count; i++)
        run->tensors[i] = *net->tensors[i];
    for (size_t i = 0; run->nodes && run->node && i < net->node_count; i++) {
        run->node[i] = net->nodes[i];
        run->nodes[i] = *net->nodes[i];
    }
    return run->tensors && run->nodes && run->node;
}

static void restore(struct run *run)
{
    struct net *net = run->net;
    for (size_t i = 0; run->tensors && i < net->tensor_count; i++)
        *net->tensors[i] = run->tensors[i];
    for (size_t i = 0; run->nodes && run->node && i < net->node_count; i++) {
        run->nodes[i].settled = run->node[i]->settled;
        *run->node[i] = run->nodes[i];
    }
    arena_rewind(&net->arena, run->memory);
    free(run->tensors);
    free(run->node);
    free(run->nodes);
}

struct run *run_new(struct net *net, struct diag *diag)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (struct run){.net = net, .diag = diag};
    net->diag = diag;
    if (save(run)) {
        net->keep.most = net_kept_most(net);
        return run;
    }
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
        spare_give(&run->net->spare, h->data);
        free(h);
    }
    spare_trim(&run->net->spare);
    run->net->diag = NULL;
    crew_free(run->crew);
    free(run);
}

/* ---- values -------------------------------------------------------------------------------------- */

static bool no_memory(const struct run *run)
{
    diag_no_memory(run->diag, run->net->source[0].path);
    return false;
}

/* Makes the numbers the tensor's constant value; they are freed with the run. */
static bool hold(struct run *run, struct tensor *tensor, void *data, size_t bytes)
{
    struct held *h = calloc(1, sizeof *h);
    if (!h || !data) {
        free(h);
        spare_give(&run->net->spare, data);
        return no_memory(run);
    }
    *h = (struct held){run->held, data};
    run->held = h;
    tensor->values = (struct values){.at = data, .size = bytes};
    tensor->constant = tensor->held = true;
    tensor->few_known = false;
    return true;
}

bool run_threads(struct run *run, unsigned threads)
{
    crew_free(run->crew);
    run->crew = crew_new(threads);
    return run->crew || no_memory(run);
}

void run_offer(struct run *run, const struct offer *offer)
{
    run->offer = offer;
}

const struct offer *run_offered(const struct run *run)
{
    return run->offer;
}

void run_stop_at(struct run *run, const atomic_bool *stop)
{
    run->stop = stop;
}

void run_forget(struct run *run)
{
    run->forgets = true;
}

/* What no node and no output needs any more. */
static void forget(struct run *run, struct tensor *t)
{
    if (!t->producer || !t->values.at || t->output || t->kept || t->variable)
        return;
    for (struct held **at = &run->held; *at; at = &(*at)->next) {
        struct held *h = *at;
        if (h->data != t->values.at)
            continue;
        *at = h->next;
        spare_give(&run->net->spare, h->data);
        free(h);
        t->values = (struct values){0};
        t->constant = t->held = false;
        return;
    }
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

static void *numbers(const struct run *run, size_t count, size_t bytes)
{
    return count < SIZE_MAX / 16 ? spare_take(&run->net->spare, count * bytes) : NULL;
}

/* Numbers that lie in a list, or at an odd address, are copied. */
static bool settle(struct run *run, struct tensor *t, const struct view *v)
{
    const size_t bytes = type_bytes(t->type);
    struct value_reader reader = value_reader(t);
    uint64_t bits;
    if (t->values.at && (uintptr_t)t->values.at % (bytes < 8 ? bytes : 8) == 0)
        return true;
    uint8_t *data = numbers(run, v->count, bytes);
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
    void *data = numbers(run, value->count, type_bytes(value->type));
    if (data && bytes)
        memcpy(data, value->data, bytes);
    if (!hold(run, input, data, bytes))
        return false;
    input->type = value->type;
    return net_shape(run->net, input, &shape);
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static const struct kernel *const lists[] = {
    elementwise_kernels, window_kernels,  convolve_kernels,  product_kernels, reduce_kernels, move_kernels,
    quantised_kernels,   runtime_kernels, recurrent_kernels, resize_kernels,  einsum_kernels, found_kernels};

/* For scaled tensors. */
static const struct kernel *const scaled_lists[] = {scaled_layer_kernels, scaled_map_kernels,
                                                    scaled_reduce_kernels, scaled_lstm_kernels,
                                                    scaled_resize_kernels};

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
    static const char *const chosen[] = {"MaxPool",   "GlobalMaxPool", "Max",    "Min",  "ReduceMax",
                                         "ReduceMin", "ArgMax",        "ArgMin", "Where"};
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
    const struct tensor *first = node->inputs[!strcmp(node->type, "Where")]; /* behind the condition */
    if (!kernel_of(node->type) || !keeps_numbers(node)) {
        node_error(run->net, node, "the operator cannot be run on the CPU with scaled values yet");
        return NULL;
    }
    for (size_t i = 0; first && i < node->input_count + node->output_count; i++) {
        const struct tensor *t =
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        if (t && t->quantisation && !same_scale(t, first)) {
            node_error(run->net, node, "\"%.60s\" and \"%.60s\" must have the same scale and type",
                       first->name, t->name);
            return NULL;
        }
    }
    return kernel_of(node->type);
}

/* Kernels that do not look at the order of an image's dimensions want channels behind the batch. */
static bool has_its_order(const struct node *node)
{
    static const char *const either[] = {"Conv", "MaxPool", "AveragePool", "DepthToSpace", "SpaceToDepth"};
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
    const bool known = node->op && node->output_count <= KERNEL_OPERANDS;
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

bool kernel_no_memory(const struct call *c)
{
    c->net->diag->no_memory = true;
    return kernel_fails(c, "out of memory");
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
    v->data = numbers(run, v->count, type_bytes(t->type));
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

/* Sizes of outputs that only the numbers of the inputs say. */
static bool find_sizes(const struct run *run, const struct node *node, struct call *c, struct view *out)
{
    const struct kernel *const list[] = {found_sizes};
    kernel_function *function = find(list, 1, node->type);
    if (!function)
        return true;
    for (size_t i = 0; i < node->output_count; i++)
        c->out[i] = node->outputs[i] ? &out[i] : NULL;
    bool ok = function(c);
    for (size_t i = 0; ok && i < node->output_count; i++) {
        if (!node->outputs[i])
            continue;
        struct shape shape = {.rank = out[i].rank};
        for (int k = 0; k < shape.rank; k++)
            shape.dim[k] = dim_number(out[i].dim[k]);
        ok = net_shape(run->net, node->outputs[i], &shape);
    }
    return ok;
}

/* Whether all that is derived follows from what was known before the run: numbers that runs compute, of types
 * that lists of sizes have, may say more. */
static bool is_settled(const struct node *node)
{
    bool settled = true;
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *t = node->inputs[i];
        const bool counts = t && (t->producer || t->input) && (t->type == NET_INT64 || t->type == NET_INT32);
        settled = settled && (!t || (t->sized && !counts));
    }
    for (size_t i = 0; i < node->output_count; i++)
        settled = settled && (!node->outputs[i] || node->outputs[i]->sized);
    return settled;
}

/* Types and shapes of the outputs. */
static bool derive(const struct run *run, struct node *node)
{
    const bool settled = is_settled(node);
    if (settled && node->settled)
        return true;
    node->settled = settled && derive_node(run->net, node);
    return settled ? node->settled : derive_node(run->net, node);
}

static bool run_node(struct run *run, struct node *node, struct view *views, const struct view **in)
{
    struct call c = {.net = run->net,
                     .node = node,
                     .inputs = node->input_count,
                     .outputs = node->output_count,
                     .more = in,
                     .crew = run->crew,
                     .keep = run->keeps ? &run->net->keep : NULL};
    struct view out[KERNEL_OPERANDS] = {{.rank = 0}};
    kernel_function *function = choose(run, node);
    if (!function)
        return false;
    if (!take_inputs(run, node, views, in) || !derive(run, node))
        return false;
    for (size_t i = 0; i < node->input_count && i < KERNEL_OPERANDS; i++)
        c.in[i] = in[i];
    if (!find_sizes(run, node, &c, out))
        return false;
    for (size_t i = 0; i < node->output_count; i++) {
        if (!node->outputs[i])
            continue;
        if (!make_output(run, node, node->outputs[i], &out[i]))
            return false;
        c.out[i] = &out[i];
    }
    const enum offered offered =
        run->offer ? run->offer->take(run->offer->context, &c, function) : OFFER_LEFT;
    if (offered == OFFER_FAILED || (offered == OFFER_LEFT && !function(&c)))
        return false;
    return apply_function(run, node, &out[0]);
}

/* ---- descriptions -------------------------------------------------------------------------------- */

/* Sizes of all operands, with values of constants alone. False: the reason is in `why`. */
static bool describe_operands(struct run *run, const struct node *node, struct view *views,
                              const struct view **in, struct strbuf *why)
{
    const unsigned computed = exact_computed(node);
    if (!computed)
        sb_add(why, "devices have no such operator");
    for (size_t i = 0; computed && i < node->input_count; i++) {
        struct tensor *t = node->inputs[i];
        in[i] = t ? &views[i] : NULL;
        if (!t || run_get(run, t, &views[i]))
            continue;
        if (!(computed >> i & 1))
            sb_addf(why, "its operand \"%.60s\" is computed", t->name);
        else if (!sizes_of(t, &views[i]))
            sb_addf(why, "the sizes of its operand \"%.60s\" are not known", t->name);
        else
            views[i].data = NULL;
        if (why->len)
            return false;
    }
    return computed != 0;
}

static bool describe(struct run *run, struct node *node, const struct call *inputs, struct strbuf *why)
{
    struct call c = *inputs;
    struct view out[KERNEL_OPERANDS] = {{.rank = 0}};
    for (size_t i = 0; i < node->output_count; i++) {
        c.out[i] = node->outputs[i] ? &out[i] : NULL;
        if (node->outputs[i] && !sizes_of(node->outputs[i], &out[i])) {
            sb_addf(why, "the sizes of its result \"%.60s\" are not known", node->outputs[i]->name);
            return false;
        }
    }
    kernel_function *function = choose(run, node);
    return function && function(&c);
}

/* The first message without its place and the node's name. */
static void add_reason(const struct diag *diag, const struct node *node, struct strbuf *why)
{
    const char *text = sb_text(&diag->text), *error = strstr(text, "error: ");
    struct strbuf name = {0};
    sb_addf(&name, "(%s): ", node->type);
    const char *named = strstr(text, sb_text(&name)), *at = named   ? named + name.len
                                                            : error ? error + strlen("error: ")
                                                                    : text;
    sb_addn(why, at, strcspn(at, "\n"));
    sb_free(&name);
}

bool run_describe(struct run *run, struct node *node, const struct taker *taker, struct strbuf *why)
{
    struct diag diag = {0}, *const before = run->diag;
    struct view *views = calloc(node->input_count + 1, sizeof *views);
    const struct view **in = calloc(node->input_count + 1, sizeof *in);
    bool ok = views && in;
    if (!ok)
        sb_add(why, "out of memory");
    run->diag = run->net->diag = &diag;
    ok = ok && derive(run, node) && describe_operands(run, node, views, in, why);
    struct call c = {.net = run->net,
                     .node = node,
                     .inputs = node->input_count,
                     .outputs = node->output_count,
                     .more = in,
                     .taker = taker};
    for (size_t i = 0; ok && i < node->input_count && i < KERNEL_OPERANDS; i++)
        c.in[i] = in[i];
    ok = ok && describe(run, node, &c, why);
    run->diag = run->net->diag = before;
    add_reason(&diag, node, why);
    diag_free(&diag);
    free(views);
    free(in);
    return ok;
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
    run->keeps = true;
    for (size_t i = 0; ok && i < run->net->node_count; i++) {
        struct node *node = run->net->nodes[i];
        if (run->stop && atomic_load(run->stop)) {
            node_error(run->net, node, "the run was cancelled before this node");
            return false;
        }
        ok = run_step(run, node);
        for (size_t k = 0; run->forgets && k < node->input_count; k++)
            if (node->inputs[k] && !--node->inputs[k]->users)
                forget(run, node->inputs[k]);
    }
    return ok;
}
