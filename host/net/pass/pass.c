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
    {"channels", "channels that are constant or that nothing reads go", pass_channels},
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

/* The new nodes behind one, or before all (NULL). */
static size_t add_waiting(const struct edit *e, const struct node *behind, struct node **list, size_t count)
{
    for (size_t k = 0; k < e->waiting_count; k++)
        if (e->waiting[k].behind == behind && !e->waiting[k].node->gone)
            list[count++] = e->waiting[k].node;
    return count;
}

/* The list of nodes without those that are gone, and with the new ones, each behind its own. */
static bool order_nodes(struct edit *e)
{
    struct net *net = e->net;
    struct node **list =
        arena_take(&net->arena, net->node_count + e->waiting_count + 1, sizeof(struct node *));
    if (!list)
        return false;
    size_t count = add_waiting(e, NULL, list, 0);
    for (size_t i = 0; i < net->node_count; i++) {
        if (!net->nodes[i]->gone)
            list[count++] = net->nodes[i];
        count = add_waiting(e, net->nodes[i], list, count);
    }
    net->nodes = list;
    net->node_count = count;
    return true;
}

static bool tidy(struct edit *e)
{
    if (e->failed || !order_nodes(e))
        return false;
    net_recount(e->net);
    return derive_net(e->net);
}

bool pass_run_with(struct net *net, const struct pass *pass, void *context, size_t *changes,
                   struct diag *diag)
{
    struct edit e = {.net = net, .context = context};
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

bool pass_run(struct net *net, const struct pass *pass, size_t *changes, struct diag *diag)
{
    return pass_run_with(net, pass, NULL, changes, diag);
}

bool passes_settle(struct net *net, const char *const *names, struct diag *diag)
{
    size_t changes = 1;
    while (changes) {
        changes = 0;
        for (const struct pass *p = passes; p->name; p++) {
            size_t once = 0;
            bool wanted = !names;
            for (const char *const *name = names; name && *name; name++)
                wanted = wanted || !strcmp(*name, p->name);
            if (wanted && !pass_run(net, p, &once, diag))
                return false;
            changes += once;
        }
    }
    return true;
}
