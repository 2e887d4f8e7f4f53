/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators and networks become models of software: each layer's programs are read as data flow over tensors.
 */
#include <stdlib.h>
#include <string.h>

#include "host/cli/net_layers.h"
#include "host/cli/software.h"
#include "host/lib/library.h"
#include "host/software/onnx.h"

void software_free(struct c_model *m)
{
    free(m->tensors);
    free(m->steps);
    c_file_free(&m->file);
    *m = (struct c_model){.name = NULL};
}

static bool refuse(struct diag *diag, const char *path, const char *layer, const char *why)
{
    return diag_fail(diag, path, "%.60s: there is no software for it: %s", layer, why);
}

/* A tensor with copies of channels is an image of the one without them. */
static bool take_copies(const struct job_copies *c, struct plain *p)
{
    const int64_t wide = c->each + c->count, planes = c->last ? 1 : c->pixels;
    const uint64_t elements = p->input.elements;
    uint64_t *from = malloc((elements + 1) * sizeof *from), at = 0;
    if (!from)
        return false;
    for (uint64_t g = 0; at < elements; g++)
        for (int64_t k = 0; k < wide; k++)
            for (int64_t q = 0; q < planes; q++)
                from[at++] =
                    (uint64_t)(((int64_t)g * c->each + (k < c->each ? k : c->list[k - c->each])) * planes +
                               q);
    p->input.elements = elements / (uint64_t)wide * (uint64_t)c->each;
    if (!p->input.image) {
        p->input.image = from;
        p->input.image_elements = elements;
        return true;
    }
    for (uint64_t i = 0; i < p->input.image_elements; i++)
        if (!(p->input.image[i] & PLAIN_CONSTANT))
            p->input.image[i] = from[p->input.image[i]];
    free(from);
    return true;
}

static onnx_value *value_of(struct c_model *m, size_t tensor)
{
    return &m->tensors[m->tensors[tensor].same].value;
}

/* The operator as nodes of ONNX. Flat tensors have the types of the network there. */
static bool put_value(struct c_model *m, const struct c_step *step, const struct plain *plain,
                      const struct form *form, struct strbuf *why)
{
    const bool pair = step->second != SIZE_MAX;
    if (m->tensors[step->in].no_sign != c_reads_no_sign(form, SLOT_INPUT) ||
        (pair && m->tensors[step->second].no_sign != c_reads_no_sign(form, SLOT_EXTRA))) {
        sb_add(why, "an operand is read with another sign than it has");
        return false;
    }
    const onnx_value second = pair ? *value_of(m, step->second) : 0,
                     v = onnx_operator(m->onnx, plain, form, *value_of(m, step->in), second, why);
    *value_of(m, step->out) = v;
    return v;
}

/* Inputs become flat, and outputs get their dimensions again. */
static void put_inputs(struct c_model *m)
{
    const int64_t flat[] = {-1};
    for (size_t i = 0; m->onnx && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        char name[16];
        snprintf(name, sizeof name, "in_%d", t->input);
        if (t->input != C_NONE)
            *value_of(m, i) = onnx_listed(
                m->onnx, "Reshape",
                onnx_input(m->onnx, name, onnx_type_of(t->bytes, t->no_sign), t->dims, t->rank), flat, 1);
    }
}

static void put_outputs(struct c_model *m)
{
    for (size_t i = 0; m->onnx && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        char name[16];
        snprintf(name, sizeof name, "out_%d", t->output);
        if (t->output != C_NONE)
            onnx_output(m->onnx, onnx_listed(m->onnx, "Reshape", *value_of(m, i), t->dims, t->rank), name,
                        onnx_type_of(t->bytes, t->no_sign), t->dims, t->rank);
    }
}

/* The operator's function, and the types of its operands. `job` may be NULL. */
static bool put_function(struct c_model *m, const struct tulle_operator *op, const struct job *job,
                         const char *comment, struct c_step *step, struct strbuf *why)
{
    struct plain plain;
    struct form form = {.count = 0};
    bool ok = plain_operator(&op->of, &op->image->packed, &plain, why);
    if (ok && job && job->copies.count && !take_copies(&job->copies, &plain)) {
        sb_add(why, "out of memory");
        ok = false;
    }
    ok = ok && form_make(&plain.flow, &form, why);
    if (ok && m->onnx)
        ok = put_value(m, step, &plain, &form, why);
    else if (ok && !c_operator(&m->file, step->name, comment, &plain, &form)) {
        sb_add(why, sb_text(&m->file.why));
        ok = false;
    }
    if (ok) {
        step->in_no_sign = c_reads_no_sign(&form, SLOT_INPUT);
        step->second_no_sign = c_reads_no_sign(&form, SLOT_EXTRA);
        step->out_no_sign = c_gives_no_sign(&form);
    }
    form_free(&form);
    plain_free(&plain);
    return ok;
}

/* ---- operators ------------------------------------------------------------------------------------- */

bool software_operator(const char *path, const struct tulle_operator *op, struct c_model *m,
                       struct diag *diag)
{
    const struct planned *of = &op->of;
    struct tulle_matrix shape;
    struct strbuf why = {0};
    if (op->sequence)
        return diag_fail(diag, path, "it is a sequence of operators; save each of them by itself");
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
    put_inputs(m);
    const bool ok = put_function(m, op, NULL, "The operator.", &m->steps[0], &why) ||
                    refuse(diag, path, "the operator", sb_text(&why));
    if (ok)
        put_outputs(m);
    sb_free(&why);
    return ok;
}

/* ---- networks --------------------------------------------------------------------------------------- */

struct making {
    struct net *net;
    struct c_model *to;
    struct diag *diag;
    const char *path;
};

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
    sb_addf(to, "%s", net_layers_name(node));
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
    name_step(m, node, step);
    describe(node, &comment);
    step->in = number_of(m, first);
    step->second = layer->job->options.second ? number_of(m, second) : SIZE_MAX;
    step->out = number_of(m, node->outputs[0]);
    bool ok = layer->job->finish.factors == NULL ||
              refuse(m->diag, m->path, net_layers_name(node), "its sums become floats");
    ok = ok && (put_function(m->to, layer->op, layer->job, sb_text(&comment), step, &why) ||
                refuse(m->diag, m->path, net_layers_name(node), sb_text(&why)));
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
        *value_of(m->to, step->out) = onnx_bytes(m->to->onnx, bytes->table, m->to->tensors[step->out].no_sign,
                                                 *value_of(m->to, step->in));
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
        return refuse(m->diag, m->path, net_layers_name(node), "it is not on the device");
    return true;
}

static bool put_node(struct making *m, const struct layer *list, size_t at)
{
    const struct layer *layer = &list[at];
    const struct node *node = layer->node;
    if (layer->folded_into != at)
        join_tensors(m, number_of(m, node->outputs[0]), number_of(m, node->inputs[layer->operand]));
    else if (layer->op)
        return put_layer(m, layer);
    else
        return put_cpu_node(m, at);
    return true;
}

bool software_net(struct net *net, const struct layers *layers, struct c_model *to, struct diag *diag)
{
    struct making m = {.net = net, .to = to, .diag = diag, .path = net->source[0].path};
    size_t count;
    const struct layer *list = layers_list(layers, &count);
    bool ok = !layers_fused(layers) ||
              diag_fail(diag, m.path, "its neighbours are one job: compile the network with --mode layers");
    ok = ok && take_tensors(&m);
    if (ok)
        put_inputs(to);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_node(&m, list, i);
    if (ok)
        put_outputs(to);
    return ok;
}
