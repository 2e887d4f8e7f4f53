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
    const struct layer *list;
    bool *left; /* layers that are the caller's */
    int inputs, outputs;
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

static bool take_tensors(struct making *m)
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
                                              .no_sign = is_unsigned(t->type),
                                              .input = C_NONE,
                                              .output = C_NONE,
                                              .from = C_NONE,
                                              .to = C_NONE,
                                              .same = i,
                                              .buffer = C_NONE};
        struct c_tensor *to = &m->to->tensors[i];
        for (int d = 0; t->shape && d < t->shape->rank && d < 8; d++)
            to->dims[to->rank++] = t->shape->dim[d].value;
    }
    return true;
}

/* ---- ends ------------------------------------------------------------------------------------------- */

static bool is_integer(const struct tensor *t)
{
    return is_unsigned(t->type) || t->type == NET_INT8 || t->type == NET_INT16 || t->type == NET_INT32 ||
           t->type == NET_INT64;
}

static void number_end(struct making *m, const struct tensor *t, bool input)
{
    struct c_tensor *to = &m->to->tensors[number_of(m, t)];
    if (input && to->input == C_NONE)
        to->from = to->input = m->inputs++;
    else if (!input && to->output == C_NONE)
        to->to = to->output = m->outputs++;
}

/* What a node takes that depends on inputs. */
struct taken {
    bool floats, integers, behind; /* behind: floats that are made of the network's integers */
};

static struct taken taken_by(const struct making *m, const struct node *node, const bool *behind)
{
    struct taken t = {.floats = false};
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *x = node->inputs[i];
        if (!x || x->constant)
            continue;
        t.integers |= is_integer(x);
        t.floats |= !is_integer(x);
        t.behind |= behind[number_of(m, x)];
    }
    return t;
}

/* A node on the CPU that takes or gives floats is left to the caller: what integers it makes are inputs, and
 * what it makes floats of are outputs. */
static bool leave(struct making *m, const struct layer *layer, bool *behind)
{
    const struct node *node = layer->node;
    const struct taken t = taken_by(m, node, behind);
    const bool gives = !is_integer(node->outputs[0]);
    if (!gives && !t.floats)
        return true;
    if (!gives && t.behind)
        return model_refuse(m->diag, m->path, node_name(node), "floats between layers");
    m->left[layer - m->list] = true;
    if (!gives)
        number_end(m, node->outputs[0], true);
    for (size_t i = 0; gives && i < node->input_count; i++)
        if (node->inputs[i] && !node->inputs[i]->constant && is_integer(node->inputs[i]))
            number_end(m, node->inputs[i], false);
    behind[number_of(m, node->outputs[0])] = gives && (t.integers || t.behind);
    return true;
}

/* Inputs and outputs of the software: those of the network that are integers, in their order, and then where
 * floats end and begin. */
static bool find_ends(struct making *m, size_t count)
{
    bool *behind = calloc(m->net->tensor_count + 1, sizeof *behind);
    bool ok = behind && (m->left = calloc(count + 1, sizeof *m->left));
    if (!ok)
        diag_no_memory(m->diag, m->path);
    for (size_t i = 0; i < m->net->input_count; i++)
        if (is_integer(m->net->inputs[i]))
            number_end(m, m->net->inputs[i], true);
    for (size_t i = 0; i < m->net->output_count; i++)
        if (is_integer(m->net->outputs[i]))
            number_end(m, m->net->outputs[i], false);
    for (size_t i = 0; ok && i < count; i++)
        if (!m->list[i].op && !m->list[i].part && m->list[i].folded_into == i)
            ok = leave(m, &m->list[i], behind);
    free(behind);
    return ok;
}

/* ---- layers ----------------------------------------------------------------------------------------- */

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

/* The host's part of a layer whose sums it multiplies by floats. */
static bool put_float(struct making *m, const struct layer *layer, const char *comment, const char *sums,
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
static bool put_operator(struct making *m, const struct layer *layer, const char *comment,
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

static bool put_layer(struct making *m, const struct layer *layer)
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
    step->in = number_of(m, first);
    step->second = layer->job->options.second ? number_of(m, second) : SIZE_MAX;
    step->out = number_of(m, node->outputs[0]);
    const bool ok = put_operator(m, layer, sb_text(&comment), step, &why) ||
                    model_refuse(m->diag, m->path, node_name(node), sb_text(&why));
    m->to->step_count++;
    sb_free(&why);
    sb_free(&comment);
    return ok;
}

/* ---- parts of several layers ------------------------------------------------------------------------ */

struct describing {
    struct making *making;
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
                node_name(d->making->list[d->part.first].node));
        return;
    }
    for (; at < d->part.last && (!d->making->list[at].job || layer); at++)
        layer -= d->making->list[at].job != NULL;
    name_step(d->making, d->making->list[at].node, &step);
    memcpy(name, step.name, sizeof step.name);
    describe(d->making->list[at].node, comment);
}

/* The part's layers, which are one job. */
static bool put_part(struct making *m, const struct part *part)
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
        tensors[i] = number_of(m, layers_part_tensor(part, i));
    const bool ok = model_sequence(m->to, parts.sequence, parts.packed, &of, &why) ||
                    model_refuse(m->diag, m->path, node_name(m->list[p->first].node), sb_text(&why));
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

static bool put_bytes(struct making *m, const struct node *node, const struct bytes *bytes)
{
    struct c_step *step = model_step(m->to);
    struct strbuf comment = {0};
    if (!step) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
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
    return true;
}

struct naming {
    const struct making *making;
    const struct node *node;
};

static void name_move(void *context, struct c_step *step)
{
    const struct naming *n = context;
    name_step(n->making, n->node, step);
}

/* A node that only moves numbers. */
static bool put_move(struct making *m, struct node *node)
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
        in[i] = node->inputs[i] ? number_of(m, node->inputs[i]) : 0;
    const struct model_moves of = {in, number_of(m, node->outputs[0]), sb_text(&comment), name_move, &naming};
    const bool ok = model_move(m->to, m->net, node, &of, m->diag, &why) ||
                    model_refuse(m->diag, m->path, node_name(node), sb_text(&why));
    free(in);
    sb_free(&comment);
    sb_free(&why);
    return ok;
}

/* A node on the CPU: what changes bytes one by one, or nothing, or moves them. */
static bool put_cpu_node(struct making *m, size_t at)
{
    const struct node *node = m->net->nodes[at];
    const struct bytes bytes = bytes_of_node(m, at);
    if (bytes.there && !bytes.same)
        return put_bytes(m, node, &bytes);
    else if (bytes.same || moves_nothing(node))
        join_tensors(m, number_of(m, node->outputs[0]), number_of(m, node->inputs[0]));
    else if (model_moves(node) && m->to->tensors[number_of(m, node->outputs[0])].bytes)
        return put_move(m, m->net->nodes[at]);
    else
        return model_refuse(m->diag, m->path, node_name(node), "it is not on the device");
    return true;
}

static bool put_node(struct making *m, const struct layer *list, size_t at)
{
    const struct layer *layer = &list[at];
    const struct node *node = layer->node;
    if (m->left[at])
        return true;
    if (layer->folded_into != at)
        join_tensors(m, number_of(m, node->outputs[0]), number_of(m, node->inputs[layer->operand]));
    else if (layer->team)
        return model_refuse(m->diag, m->path, node_name(node), "it is cut into pieces on several devices");
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

bool software_net(struct net *net, const struct layers *layers, software_look *look, struct c_model *to,
                  struct diag *diag)
{
    struct making m = {.net = net, .to = to, .diag = diag, .path = net->source[0].path, .look = look};
    size_t count;
    m.list = layers_list(layers, &count);
    bool ok = take_tensors(&m) && find_ends(&m, count);
    if (ok)
        model_inputs(to);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_node(&m, m.list, i);
    if (ok)
        model_outputs(to);
    free(m.left);
    return ok;
}
