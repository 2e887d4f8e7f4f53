/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the software of a network begins and ends: at its inputs and outputs, and where floats end and begin.
 */
#include <stdlib.h>

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

/* Inputs and outputs of the software: those of the network that are integers, in their order, and then where
 * floats end and begin. */
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
    return ok;
}
