/* SPDX-License-Identifier: Apache-2.0
 *
 * A network becomes a model of software: each layer's programs are read as data flow over tensors.
 */
#include <stdlib.h>
#include <string.h>

#include "host/software/model/network.h"
#include "host/software/model/parts.h"
#include "host/software/onnx.h"

const char *model_node_name(const struct node *node)
{
    return *node->name ? node->name : node->outputs[0]->name;
}

size_t model_number(const struct model_net *m, const struct tensor *t)
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

bool model_is_unsigned(enum net_type type)
{
    return type == NET_UINT8 || type == NET_UINT16 || type == NET_UINT32 || type == NET_BOOL;
}

static bool take_tensors(struct model_net *m)
{
    const struct net *net = m->net;
    m->to->tensors = calloc(net->tensor_count + 1, sizeof *m->to->tensors);
    m->to->tensor_count = net->tensor_count;
    if (!m->to->tensors) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    for (size_t i = 0; i < net->tensor_count; i++) {
        const struct tensor *t = net->tensors[i];
        m->to->tensors[i] = (struct c_tensor){.name = t->name,
                                              .elements = elements_of(t),
                                              .bytes = net_type_bits(t->type) / 8,
                                              .no_sign = model_is_unsigned(t->type),
                                              .input = C_NONE,
                                              .output = C_NONE,
                                              .from = C_NONE,
                                              .to = C_NONE,
                                              .same = i,
                                              .buffer = C_NONE};
        struct c_tensor *to = &m->to->tensors[i];
        for (int d = 0; t->shape && d < t->shape->rank && d < C_RANK_MOST; d++)
            to->dims[to->rank++] = t->shape->dim[d].value;
    }
    return true;
}

/* ---- layers ----------------------------------------------------------------------------------------- */

/* Both values have the same memory; an output's goes first. */
static void join_tensors(struct model_net *m, size_t a, size_t b)
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
    sb_addf(to, "%s", model_node_name(node));
    for (char *at = strstr(to->text, "*/"); at; at = strstr(at, "*/"))
        *at = '.';
    sb_addf(to, ": %s to", node->type);
    for (int i = 0; y->shape && i < y->shape->rank; i++)
        sb_addf(to, "%s%lld", i ? " x " : " ", (long long)y->shape->dim[i].value);
}

static void name_step(const struct model_net *m, const struct node *node, struct c_step *step)
{
    char type[32];
    c_identifier(node->type, type, sizeof type);
    for (char *c = type; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    snprintf(step->name, sizeof step->name, "%s_%zu", type, m->to->step_count + 1);
}

/* The host's part of a layer whose sums it multiplies by floats. */
static bool put_float(struct model_net *m, const struct layer *layer, const char *comment, const char *sums,
                      struct c_step *step)
{
    const struct job_finish *finish = &layer->job->finish;
    const struct c_tensor *in = &m->to->tensors[step->in], *out = &m->to->tensors[step->out];
    step->out_no_sign = out->no_sign;
    const struct c_float what = {.name = step->name,
                                 .sums = sums,
                                 .comment = comment,
                                 .factors = finish->factors,
                                 .channels = finish->channels,
                                 .pitch = finish->pitch,
                                 .zero = finish->step.zero,
                                 .low = finish->step.low,
                                 .high = finish->step.high,
                                 .in_bytes = in->bytes,
                                 .out_bytes = out->bytes,
                                 .in_no_sign = step->in_no_sign,
                                 .out_no_sign = out->no_sign,
                                 .elements = out->elements};
    if (!m->to->onnx) {
        c_float(&m->to->file, &what);
        return true;
    }
    onnx_value *v = model_value(m->to, step->out);
    *v = onnx_float(m->to->onnx, &what, *v);
    return *v != 0;
}

/* The operator's function, and what the host does behind it. */
static bool put_operator(struct model_net *m, const struct layer *layer, const char *comment,
                         struct c_step *step, struct strbuf *why)
{
    const struct software_parts parts = m->look(layer->op);
    const struct job_copies *copies = &layer->job->copies;
    if (!layer->job->finish.factors)
        return model_function(m->to, parts.op, parts.packed, copies, comment, step, why);
    struct c_step sums = *step;
    snprintf(sums.name, sizeof sums.name, "%.50s_sums", step->name);
    if (!model_function(m->to, parts.op, parts.packed, copies, "The sums of the layer.", &sums, why))
        return false;
    step->in_no_sign = sums.in_no_sign;
    if (put_float(m, layer, comment, sums.name, step))
        return true;
    sb_add(why, "out of memory");
    return false;
}

static bool put_layer(struct model_net *m, const struct layer *layer)
{
    const struct node *node = layer->node;
    const size_t w = exact_second(node);
    struct c_step *step = model_step(m->to);
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
    if (!step) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    name_step(m, node, step);
    describe(node, &comment);
    step->in = model_number(m, first);
    step->second = layer->job->options.second ? model_number(m, second) : SIZE_MAX;
    step->out = model_number(m, node->outputs[0]);
    const bool ok = put_operator(m, layer, sb_text(&comment), step, &why) ||
                    model_refuse(m->diag, m->path, model_node_name(node), sb_text(&why));
    m->to->step_count++;
    sb_free(&why);
    sb_free(&comment);
    return ok;
}

/* ---- parts of several layers ------------------------------------------------------------------------ */

struct describing {
    struct model_net *making;
    struct layers_part part;
};

static size_t jobs_of(const struct describing *d)
{
    size_t jobs = 0;
    for (size_t at = d->part.first; at <= d->part.last; at++)
        jobs += d->making->list[at].job != NULL;
    return jobs;
}

static void describe_stage(void *context, size_t layer, size_t number, char *name, struct strbuf *comment)
{
    const struct describing *d = context;
    struct c_step step = {.name = ""};
    size_t at = d->part.first;
    if (layer == SIZE_MAX) {
        snprintf(name, sizeof step.name, "stage_%zu", number + 1);
        sb_addf(comment, "A stage of the program of %s and others.",
                model_node_name(d->making->list[d->part.first].node));
        return;
    }
    for (; at < d->part.last && (!d->making->list[at].job || layer); at++)
        layer -= d->making->list[at].job != NULL;
    name_step(d->making, d->making->list[at].node, &step);
    memcpy(name, step.name, sizeof step.name);
    describe(d->making->list[at].node, comment);
}

/* The part's layers, which are one job. */
static bool put_part(struct model_net *m, const struct part *part)
{
    struct describing describing = {m, layers_part(part)};
    const struct layers_part *p = &describing.part;
    const struct software_parts parts = m->look(p->op);
    const size_t count = p->inputs + p->outputs;
    struct strbuf why = {0};
    size_t *tensors = calloc(count + 1, sizeof *tensors);
    const struct model_sequence of = {.tensor = tensors,
                                      .layers = jobs_of(&describing),
                                      .describe = describe_stage,
                                      .context = &describing};
    if (!tensors) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        tensors[i] = model_number(m, layers_part_tensor(part, i));
    const bool ok = model_sequence(m->to, parts.sequence, parts.packed, &of, &why) ||
                    model_refuse(m->diag, m->path, model_node_name(m->list[p->first].node), sb_text(&why));
    free(tensors);
    sb_free(&why);
    return ok;
}

/* ---- nodes on the CPU ------------------------------------------------------------------------------- */

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

static struct bytes bytes_of_node(struct model_net *m, size_t at)
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

static bool put_bytes(struct model_net *m, const struct node *node, const struct bytes *bytes)
{
    struct c_step *step = model_step(m->to);
    struct strbuf comment = {0};
    if (!step) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    name_step(m, node, step);
    describe(node, &comment);
    step->in = model_number(m, node->inputs[0]);
    step->second = SIZE_MAX;
    step->out = model_number(m, node->outputs[0]);
    step->in_no_sign = step->out_no_sign = true;
    if (m->to->onnx)
        *model_value(m->to, step->out) = onnx_bytes(
            m->to->onnx, bytes->table, m->to->tensors[step->out].no_sign, *model_value(m->to, step->in));
    else
        c_bytes(&m->to->file, step->name, sb_text(&comment), bytes->table, elements_of(node->outputs[0]));
    m->to->step_count++;
    sb_free(&comment);
    return true;
}

struct naming {
    const struct model_net *making;
    const struct node *node;
};

static void name_move(void *context, struct c_step *step)
{
    const struct naming *n = context;
    name_step(n->making, n->node, step);
}

/* A node that only moves numbers. */
static bool put_move(struct model_net *m, struct node *node)
{
    struct strbuf comment = {0}, why = {0};
    size_t *in = calloc(node->input_count + 1, sizeof *in);
    struct naming naming = {m, node};
    if (!in) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    describe(node, &comment);
    for (size_t i = 0; i < node->input_count; i++)
        in[i] = node->inputs[i] ? model_number(m, node->inputs[i]) : 0;
    const struct model_moves of = {in, model_number(m, node->outputs[0]), sb_text(&comment), name_move,
                                   &naming};
    const bool ok = model_move(m->to, m->net, node, &of, m->diag, &why) ||
                    model_refuse(m->diag, m->path, model_node_name(node), sb_text(&why));
    free(in);
    sb_free(&comment);
    sb_free(&why);
    return ok;
}

/* A node on the CPU: what changes bytes one by one, or nothing, or moves them. */
static bool put_cpu_node(struct model_net *m, size_t at)
{
    const struct node *node = m->net->nodes[at];
    const struct bytes bytes = bytes_of_node(m, at);
    if (bytes.there && !bytes.same)
        return put_bytes(m, node, &bytes);
    else if (bytes.same || moves_nothing(node))
        join_tensors(m, model_number(m, node->outputs[0]), model_number(m, node->inputs[0]));
    else if (model_moves(node) && m->to->tensors[model_number(m, node->outputs[0])].bytes)
        return put_move(m, m->net->nodes[at]);
    else
        return model_refuse(m->diag, m->path, model_node_name(node), "it is not on the device");
    return true;
}

static bool put_node(struct model_net *m, const struct layer *list, size_t at)
{
    const struct layer *layer = &list[at];
    const struct node *node = layer->node;
    if (m->left[at])
        return true;
    if (layer->folded_into != at)
        join_tensors(m, model_number(m, node->outputs[0]), model_number(m, node->inputs[layer->operand]));
    else if (layer->team)
        return model_refuse(m->diag, m->path, model_node_name(node),
                            "it is cut into pieces on several devices");
    else if (layer->part && layers_part(layer->part).first == at)
        return put_part(m, layer->part);
    else if (layer->part && (layer->job || model_moves(node))) /* pieces of images are the part's */
        return true;
    else if (layer->op && layer->job)
        return put_layer(m, layer);
    else
        return put_cpu_node(m, at);
    return true;
}

bool software_net(struct net *net, const struct layers *layers, const struct software_outputs *more,
                  software_look *look, struct c_model *to, struct diag *diag)
{
    struct model_net m = {.net = net,
                          .to = to,
                          .diag = diag,
                          .path = net->source[0].path,
                          .look = look,
                          .layers = layers,
                          .more = more};
    size_t count;
    m.list = layers_list(layers, &count);
    bool ok = take_tensors(&m) && model_find_ends(&m, count);
    if (ok)
        model_inputs(to);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_node(&m, m.list, i);
    if (ok)
        model_outputs(to);
    free(m.left);
    return ok;
}
