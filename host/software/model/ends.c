/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the software of a network begins and ends: at its inputs and outputs, and where floats end and begin.
 */
#include <stdlib.h>
#include <string.h>

#include "host/software/model/network.h"
#include "host/software/model/parts.h"

static bool is_integer(const struct tensor *t)
{
    return model_is_unsigned(t->type) || t->type == NET_INT8 || t->type == NET_INT16 ||
           t->type == NET_INT32 || t->type == NET_INT64;
}

static void number_end(struct model_net *m, const struct tensor *t, bool input)
{
    struct c_tensor *to = &m->to->tensors[model_number(m, t)];
    if (input && to->input == C_NONE)
        to->from = to->input = m->inputs++;
    else if (!input && to->output == C_NONE)
        to->to = to->output = m->outputs++;
}

/* What a node takes that depends on inputs. */
struct taken {
    bool floats, integers, behind; /* behind: floats that are made of the network's integers */
};

static struct taken taken_by(const struct model_net *m, const struct node *node, const bool *behind)
{
    struct taken t = {.floats = false};
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *x = node->inputs[i];
        if (!x || x->constant)
            continue;
        t.integers |= is_integer(x);
        t.floats |= !is_integer(x);
        t.behind |= behind[model_number(m, x)];
    }
    return t;
}

/* A node on the CPU that takes or gives floats is left to the caller: what integers it makes are inputs, and
 * what it makes floats of are outputs. */
static bool leave(struct model_net *m, const struct layer *layer, bool *behind)
{
    const struct node *node = layer->node;
    const struct taken t = taken_by(m, node, behind);
    const bool gives = !is_integer(node->outputs[0]);
    if (!gives && !t.floats)
        return true;
    if (!gives && t.behind)
        return model_refuse(m->diag, m->path, model_node_name(node), "floats between layers");
    m->left[layer - m->list] = true;
    if (!gives)
        number_end(m, node->outputs[0], true);
    for (size_t i = 0; gives && i < node->input_count; i++)
        if (node->inputs[i] && !node->inputs[i]->constant && is_integer(node->inputs[i]))
            number_end(m, node->inputs[i], false);
    behind[model_number(m, node->outputs[0])] = gives && (t.integers || t.behind);
    return true;
}

/* ---- results inside ---------------------------------------------------------------------------------- */

static const struct tensor *find_result(const struct model_net *m, const char *name)
{
    for (size_t i = 0; i < m->net->tensor_count; i++)
        if (m->net->tensors[i]->producer && !strcmp(m->net->tensors[i]->name, name))
            return m->net->tensors[i];
    for (size_t i = 0; i < m->net->node_count; i++)
        if (!strcmp(m->net->nodes[i]->name, name))
            return m->net->nodes[i]->outputs[0];
    return NULL;
}

/* Why the software cannot give it; NULL: it can. */
static const char *why_not(const struct model_net *m, const struct tensor *t)
{
    size_t at = 0;
    while (m->list[at].node != t->producer)
        at++;
    return m->left[at]      ? "floats give it or take it, which are left to the caller"
           : !is_integer(t) ? "it has floats"
           : !layers_give(m->layers, t)
               ? "no program gives it: it is inside of a layer, or of layers that are "
                 "one job"
               : NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static bool take_named(struct model_net *m, const struct tensor **to, size_t *count)
{
    for (size_t i = 0; i < m->more->count; i++) {
        const struct tensor *t = find_result(m, m->more->names[i]);
        const char *why = t ? why_not(m, t) : "the network has no layer and no result of this name";
        if (why)
            return diag_fail(m->diag, m->path, "external output \"%.60s\": %s", m->more->names[i], why);
        to[(*count)++] = t;
    }
    return true;
}

/* The results that are wanted are outputs, too. One that is an output anyway stays where it is. */
static bool number_more(struct model_net *m)
{
    const struct tensor **list = calloc(m->net->tensor_count + m->more->count + 1, sizeof *list);
    size_t count = 0;
    if (!list) {
        diag_no_memory(m->diag, m->path);
        return false;
    }
    const bool ok = take_named(m, list, &count);
    for (size_t i = 0; ok && m->more->all && i < m->net->tensor_count; i++)
        if (m->net->tensors[i]->producer && !why_not(m, m->net->tensors[i]))
            list[count++] = m->net->tensors[i];
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; ok && i < count; i++)
        number_end(m, list[i], false);
    free(list);
    return ok;
}

/* Inputs and outputs of the software: those of the network that are integers, in their order, then where
 * floats end and begin, and results that are wanted as well. */
bool model_find_ends(struct model_net *m, size_t count)
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
    return ok && number_more(m);
}
