/* SPDX-License-Identifier: Apache-2.0
 *
 * A network becomes a model of software: each layer's programs are read as data flow over tensors.
 */
#include <stdlib.h>
#include <string.h>

#include "host/software/model/parts.h"
#include "host/software/onnx.h"

struct making {
    struct net *net;
    struct c_model *to;
    struct diag *diag;
    const char *path;
    software_look *look;
};

static const char *node_name(const struct node *node)
{
    return *node->name ? node->name : node->outputs[0]->name;
}

static size_t number_of(const struct making *m, const struct tensor *t)
{
    size_t i = 0;
    while (i < m->net->tensor_count && m->net->tensors[i] != t)
        i++;
    return i;
}

static uint64_t elements_of(const struct tensor *t)
{
    uint64_t count = 1;
    for (int i = 0; t->shape && i < t->shape->rank; i++)
        count *= (uint64_t)t->shape->dim[i].value;
    return count;
}

static bool is_unsigned(enum net_type type)
{
    return type == NET_UINT8 || type == NET_UINT16 || type == NET_UINT32 || type == NET_BOOL;
}

static int place_in(struct tensor *const *list, size_t count, const struct tensor *t)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == t)
            return (int)i;
    return C_NONE;
}

static bool take_tensors(struct making *m)
{
    const struct net *net = m->net;
    m->to->tensors = calloc(net->tensor_count + 1, sizeof *m->to->tensors);
    m->to->steps = calloc(net->node_count + 1, sizeof *m->to->steps);
    m->to->tensor_count = net->tensor_count;
    if (!m->to->tensors || !m->to->steps) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    for (size_t i = 0; i < net->tensor_count; i++) {
        const struct tensor *t = net->tensors[i];
        m->to->tensors[i] = (struct c_tensor){.name = t->name,
                                              .elements = elements_of(t),
                                              .bytes = net_type_bits(t->type) / 8,
                                              .no_sign = is_unsigned(t->type),
                                              .input = place_in(net->inputs, net->input_count, t),
                                              .output = place_in(net->outputs, net->output_count, t),
                                              .same = i,
                                              .buffer = C_NONE};
        struct c_tensor *to = &m->to->tensors[i];
        for (int d = 0; t->shape && d < t->shape->rank && d < 8; d++)
            to->dims[to->rank++] = t->shape->dim[d].value;
        m->to->tensors[i].from = m->to->tensors[i].input;
        m->to->tensors[i].to = m->to->tensors[i].output;
    }
    return true;
}

/* Both values have the same memory; an output's goes first. */
static void join_tensors(struct making *m, size_t a, size_t b)
{
    struct c_tensor *t = m->to->tensors;
    const size_t from = t[a].same, to = t[b].same;
    for (size_t i = 0; i < m->to->tensor_count; i++)
        if (t[i].same == from)
            t[i].same = to;
    if (t[to].to == C_NONE && t[to].from == C_NONE)
        t[to].to = t[from].to;
    if (t[to].from == C_NONE)
        t[to].from = t[from].from;
    if (!t[to].value)
        t[to].value = t[from].value;
}

static bool moves_nothing(const struct node *node)
{
    static const char *const names[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(node->type, names[i]))
            return true;
    return false;
}

static void describe(const struct node *node, struct strbuf *to)
{
    const struct tensor *y = node->outputs[0];
    sb_addf(to, "%s", node_name(node));
    for (char *at = strstr(to->text, "*/"); at; at = strstr(at, "*/"))
        *at = '.';
    sb_addf(to, ": %s to", node->type);
    for (int i = 0; y->shape && i < y->shape->rank; i++)
        sb_addf(to, "%s%lld", i ? " x " : " ", (long long)y->shape->dim[i].value);
}

static void name_step(const struct making *m, const struct node *node, struct c_step *step)
{
    char type[32];
    c_identifier(node->type, type, sizeof type);
    for (char *c = type; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    snprintf(step->name, sizeof step->name, "%s_%zu", type, m->to->step_count + 1);
}

static bool put_layer(struct making *m, const struct layer *layer)
{
    const struct node *node = layer->node;
    const size_t w = exact_second(node);
    struct c_step *step = &m->to->steps[m->to->step_count];
    struct strbuf why = {0}, comment = {0};
    const struct tensor *second = layer->second ? layer->second
                                  : w           ? node->inputs[w]
                                                : NULL,
                        *first = node->inputs[0];
    if (layer->job->turned) {
        const struct tensor *other = first;
        first = second;
        second = other;
    }
    const struct software_parts parts = m->look(layer->op);
    name_step(m, node, step);
    describe(node, &comment);
    step->in = number_of(m, first);
    step->second = layer->job->options.second ? number_of(m, second) : SIZE_MAX;
    step->out = number_of(m, node->outputs[0]);
    bool ok = layer->job->finish.factors == NULL ||
              model_refuse(m->diag, m->path, node_name(node), "its sums become floats");
    ok = ok &&
         (model_function(m->to, parts.op, parts.packed, &layer->job->copies, sb_text(&comment), step, &why) ||
          model_refuse(m->diag, m->path, node_name(node), sb_text(&why)));
    m->to->step_count++;
    sb_free(&why);
    sb_free(&comment);
    return ok;
}

/* What a node makes of each byte. */
struct bytes {
    bool there, same;
    uint8_t table[256];
};

static bool take_bytes(void *context, const struct exact *what)
{
    struct bytes *to = context;
    to->there = what->kind == EXACT_BYTES;
    to->same = to->there;
    for (unsigned i = 0; to->there && i < sizeof to->table; i++) {
        to->table[i] = what->bytes[i];
        to->same = to->same && what->bytes[i] == i;
    }
    return false;
}

static struct bytes bytes_of_node(struct making *m, size_t at)
{
    struct bytes bytes = {.there = false};
    struct strbuf why = {0};
    struct run *run = run_new(m->net, m->diag);
    if (run)
        run_describe(run, m->net->nodes[at], &(struct taker){&bytes, take_bytes}, &why);
    run_free(run);
    sb_free(&why);
    return bytes;
}

static void put_bytes(struct making *m, const struct node *node, const struct bytes *bytes)
{
    struct c_step *step = &m->to->steps[m->to->step_count];
    struct strbuf comment = {0};
    name_step(m, node, step);
    describe(node, &comment);
    step->in = number_of(m, node->inputs[0]);
    step->second = SIZE_MAX;
    step->out = number_of(m, node->outputs[0]);
    step->in_no_sign = step->out_no_sign = true;
    if (m->to->onnx)
        *model_value(m->to, step->out) = onnx_bytes(
            m->to->onnx, bytes->table, m->to->tensors[step->out].no_sign, *model_value(m->to, step->in));
    else
        c_bytes(&m->to->file, step->name, sb_text(&comment), bytes->table, elements_of(node->outputs[0]));
    m->to->step_count++;
    sb_free(&comment);
}

/* A node on the CPU: what changes bytes one by one, or nothing. */
static bool put_cpu_node(struct making *m, size_t at)
{
    const struct node *node = m->net->nodes[at];
    const struct bytes bytes = bytes_of_node(m, at);
    if (bytes.there && !bytes.same)
        put_bytes(m, node, &bytes);
    else if (bytes.same || moves_nothing(node))
        join_tensors(m, number_of(m, node->outputs[0]), number_of(m, node->inputs[0]));
    else
        return model_refuse(m->diag, m->path, node_name(node), "it is not on the device");
    return true;
}

static bool put_node(struct making *m, const struct layer *list, size_t at)
{
    const struct layer *layer = &list[at];
    const struct node *node = layer->node;
    if (layer->folded_into != at)
        join_tensors(m, number_of(m, node->outputs[0]), number_of(m, node->inputs[layer->operand]));
    else if (layer->part)
        return model_refuse(m->diag, m->path, node_name(node),
                            "it is in a part of several layers that are one job");
    else if (layer->op)
        return put_layer(m, layer);
    else
        return put_cpu_node(m, at);
    return true;
}

bool software_net(struct net *net, const struct layers *layers, software_look *look, struct c_model *to,
                  struct diag *diag)
{
    struct making m = {.net = net, .to = to, .diag = diag, .path = net->source[0].path, .look = look};
    size_t count;
    const struct layer *list = layers_list(layers, &count);
    bool ok = take_tensors(&m);
    if (ok)
        model_inputs(to);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_node(&m, list, i);
    if (ok)
        model_outputs(to);
    return ok;
}
