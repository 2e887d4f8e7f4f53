/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/pass/pass.h"

#include <stdlib.h>
#include <string.h>

#include "host/net/pass/edit.h"
#include "host/net/pass/list.h"

const struct pass passes[] = {
    {"identities", "nodes that give their input as it is go", pass_identities},
    {"integers", "integer-only exports in floats compute in integers", pass_integers},
    {"quantised", "quantised operands and results make integer operators", pass_quantised},
    {"constants", "nodes of constants become their results", pass_constants},
    {"scales", "batch normalisations, factors and sums of channels go into convolutions", pass_scales},
    {"pads", "padding goes into windows", pass_pads},
    {"functions", "activation functions go into the nodes before them", pass_functions},
    {"dead", "nodes that nothing reads go", pass_dead},
    {NULL, NULL, NULL},
};

const struct pass *pass_find(const char *name, size_t length)
{
    for (const struct pass *p = passes; p->name; p++)
        if (strlen(p->name) == length && !memcmp(p->name, name, length))
            return p;
    return NULL;
}

/* ---- tidying up ---------------------------------------------------------------------------------- */

/* The list of nodes without those that are gone, and with the new ones, each behind its own. */
static bool order_nodes(struct edit *e)
{
    struct net *net = e->net;
    size_t count = 0;
    struct node **list =
        arena_take(&net->arena, net->node_count + e->waiting_count + 1, sizeof(struct node *));
    if (!list)
        return false;
    for (size_t i = 0; i < net->node_count; i++) {
        if (!net->nodes[i]->gone)
            list[count++] = net->nodes[i];
        for (size_t k = 0; k < e->waiting_count; k++)
            if (e->waiting[k].behind == net->nodes[i] && !e->waiting[k].node->gone)
                list[count++] = e->waiting[k].node;
    }
    net->nodes = list;
    net->node_count = count;
    return true;
}

static void count_users(struct net *net)
{
    for (size_t i = 0; i < net->tensor_count; i++) {
        net->tensors[i]->users = 0;
        net->tensors[i]->producer = NULL;
    }
    for (size_t i = 0; i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        for (size_t k = 0; k < node->input_count; k++)
            if (node->inputs[k])
                node->inputs[k]->users++;
        for (size_t k = 0; k < node->output_count; k++)
            if (node->outputs[k])
                node->outputs[k]->producer = net->nodes[i];
    }
}

/* Tensors that no node has any more. Their names stay taken. */
static void drop_tensors(struct net *net)
{
    size_t count = 0;
    for (size_t i = 0; i < net->tensor_count; i++) {
        struct tensor *t = net->tensors[i];
        if (t->users || t->producer || t->input || t->output || t->variable)
            net->tensors[count++] = t;
    }
    net->tensor_count = count;
}

static bool tidy(struct edit *e)
{
    if (e->failed || !order_nodes(e))
        return false;
    count_users(e->net);
    drop_tensors(e->net);
    return derive_net(e->net);
}

bool pass_run(struct net *net, const struct pass *pass, size_t *changes, struct diag *diag)
{
    struct edit e = {.net = net};
    const size_t before = diag->errors;
    net->diag = diag;
    bool ok = pass->run(&e);
    net->diag = diag;
    ok = ok && (!e.changes || tidy(&e)) && !e.failed && !net->arena.full;
    free(e.waiting);
    *changes = e.changes;
    if (!ok && diag->errors == before)
        diag_error(diag, (struct place){.file = net->source[0].path},
                   "pass %s: the memory of the network is full", pass->name);
    net->diag = NULL;
    return ok;
}
