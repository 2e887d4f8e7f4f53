/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/marks/marks.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/near.h"
#include "host/net/read/read.h"
#include "host/net/write/write.h"

/* A result that was swallowed: an output of the network that is none of its tensors. */
struct swallowed {
    struct tensor output;
    struct tensor *tensor; /* of the network that computes it */
};

struct marks {
    struct net *net;
    struct tensor **own; /* the network's outputs without marks */
    size_t own_count;
    struct tensor **outputs; /* with them; NULL: there are no marks */
    struct tensor **kept;    /* tensors of the network that runs keep for marks */
    size_t kept_count;
    struct net *side; /* computes what was swallowed; NULL: nothing was */
    struct run *run;  /* of `side` */
    struct swallowed *swallowed;
    size_t swallowed_count;
    char **texts; /* names of outputs that were swallowed at some time: they last as long as the network */
    size_t text_count;
};

/* ---- nothing is chosen --------------------------------------------------------------------------- */

/* Frees the values of what was swallowed. */
static void drop_values(struct marks *m)
{
    run_free(m->run);
    m->run = NULL;
    for (size_t i = 0; i < m->swallowed_count; i++) {
        struct tensor *t = &m->swallowed[i].output;
        t->values = (struct values){0};
        t->constant = t->held = false;
        t->shape = m->swallowed[i].tensor->shape;
    }
}

static void choose_none(struct marks *m)
{
    drop_values(m);
    for (size_t i = 0; i < m->kept_count; i++)
        m->kept[i]->kept = false;
    net_free(m->side);
    free(m->kept);
    free(m->swallowed);
    free(m->outputs);
    m->net->outputs = m->own;
    m->net->output_count = m->own_count;
    *m = (struct marks){.net = m->net,
                        .own = m->own,
                        .own_count = m->own_count,
                        .texts = m->texts,
                        .text_count = m->text_count};
}

struct marks *marks_new(struct net *net)
{
    struct marks *m = calloc(1, sizeof *m);
    if (m)
        *m = (struct marks){.net = net, .own = net->outputs, .own_count = net->output_count};
    return m;
}

void marks_free(struct marks *m)
{
    if (!m)
        return;
    choose_none(m);
    for (size_t i = 0; i < m->text_count; i++)
        free(m->texts[i]);
    free(m->texts);
    free(m);
}

/* ---- which results they are ---------------------------------------------------------------------- */

struct choosing {
    struct marks *marks;
    const struct marks_source *source;
    struct net *from; /* the network before its passes; NULL: it is the same */
    struct diag *diag;
    struct tensor **wanted; /* of `from`, or of the network: each once, without outputs */
    size_t count;
};

static bool fails(const struct choosing *c, const char *name, const char *what)
{
    return diag_fail(c->diag, c->marks->net->source[0].path, "external output \"%.60s\": %s", name, what);
}

static bool no_memory(const struct choosing *c)
{
    diag_no_memory(c->diag, c->marks->net->source[0].path);
    return false;
}

static bool same_shape(const struct tensor *a, const struct tensor *b)
{
    struct strbuf of_a = {0}, of_b = {0};
    if (a->shape)
        shape_print(&of_a, a->shape);
    if (b->shape)
        shape_print(&of_b, b->shape);
    const bool same = sb_ok(&of_a) && sb_ok(&of_b) && !strcmp(sb_text(&of_a), sb_text(&of_b));
    sb_free(&of_a);
    sb_free(&of_b);
    return same;
}

static bool same_numbers(const struct tensor *a, const struct tensor *b)
{
    const struct quantisation *p = a->quantisation, *q = b->quantisation;
    if (!p || !q || p == q)
        return p == q;
    return p->count == q->count && p->axis == q->axis &&
           !memcmp(p->scale, q->scale, p->count * sizeof *p->scale) &&
           !memcmp(p->zero, q->zero, p->count * sizeof *p->zero);
}

/* The tensor of the network that has the same value once its nodes have run; NULL: there is none. Passes keep
 * the value of a tensor that keeps its name, type and shape. */
static struct tensor *there(const struct choosing *c, const struct tensor *t)
{
    struct tensor *same = c->from ? net_find(c->marks->net, t->name, strlen(t->name)) : (struct tensor *)t;
    if (!same || same->constant || same->variable || t->variable || same->type != t->type ||
        !same_shape(same, t) || !same_numbers(same, t))
        return NULL;
    return same->input ||
                   (same->producer && (!c->source->gives || c->source->gives(c->source->context, same)))
               ? same
               : NULL;
}

static bool is_own(const struct marks *m, const struct tensor *t)
{
    for (size_t i = 0; i < m->own_count; i++)
        if (!strcmp(m->own[i]->name, t->name))
            return true;
    return false;
}

/* The result of that name; a name of a node means its first one. */
static struct tensor *find_result(const struct net *net, const char *name)
{
    struct tensor *t = net_find(net, name, strlen(name));
    for (size_t i = 0; !t && i < net->node_count; i++)
        if (!strcmp(net->nodes[i]->name, name) && net->nodes[i]->output_count)
            t = net->nodes[i]->outputs[0];
    return t && t->producer && !t->constant ? t : NULL;
}

static bool refuse_name(const struct choosing *c, const char *name)
{
    const struct net *net = c->from ? c->from : c->marks->net;
    struct strbuf what = {0};
    struct near near = {.text = name};
    for (size_t i = 0; i < net->tensor_count; i++)
        if (net->tensors[i]->producer)
            near_try(&near, net->tensors[i]->name);
    sb_add(&what, net_find(net, name, strlen(name)) ? "it is no layer's result"
                                                    : "the network has no layer and no result of this name");
    if (near.best)
        sb_addf(&what, "; is it \"%.60s\"?", near.best);
    fails(c, name, sb_text(&what));
    sb_free(&what);
    return false;
}

static bool is_allowed(const struct marks_source *source, const char *name)
{
    bool allowed = !source->few;
    for (size_t i = 0; !allowed && i < source->allowed_count; i++)
        allowed = !strcmp(source->allowed[i], name);
    return allowed;
}

/* What is not in a part of the network before its passes is in the network itself. */
static bool take_name(struct choosing *c, const char *name)
{
    if (!is_allowed(c->source, name))
        return fails(c, name,
                     "it was not marked when the network was compiled; compile it with this mark, or with "
                     "--debug for any");
    struct tensor *t = c->from ? find_result(c->from, name) : NULL;
    t = t ? t : find_result(c->marks->net, name);
    if (!t)
        return refuse_name(c, name);
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->wanted[i]->name, t->name))
            return fails(c, name, "it is marked twice");
    c->wanted[c->count++] = t;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct tensor *const *p = a, *const *q = b;
    return strcmp((*p)->name, (*q)->name);
}

static bool take_names(struct choosing *c, const char *const *names, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!take_name(c, names[i]))
            return false;
    for (size_t i = 0; i < c->count; i++)
        if (!is_own(c->marks, c->wanted[i]))
            c->wanted[left++] = c->wanted[i];
    c->count = left;
    qsort(c->wanted, c->count, sizeof(struct tensor *), by_name);
    return true;
}

/* ---- the network that computes what was swallowed ------------------------------------------------ */

/* Reads the graph that it is a part of. */
static struct net *read_graph(const struct choosing *c, const void *graph, size_t size)
{
    struct strbuf own = {0};
    if (!graph) {
        marks_write_net(c->marks, &own);
        if (!sb_ok(&own)) {
            sb_free(&own);
            no_memory(c);
            return NULL;
        }
    }
    struct net *net = net_read_graph(c->marks->net->source[0].path, graph ? graph : sb_text(&own),
                                     graph ? size : own.len, c->diag);
    sb_free(&own);
    return net;
}

/* An input of a node that stays: it is computed here, too, or the network has it. In this network `kept`
 * means that it has been looked at. */
static bool take_input(const struct choosing *c, struct net *side, struct tensor *t)
{
    if (t->variable)
        return fails(c, t->name,
                     "it is a state from run to run, so what is computed from it cannot be an output");
    if (t->kept || (t->constant && !t->input))
        return true;
    t->kept = true;
    if (!t->input && !there(c, t))
        return true;
    return net_add_input(side, t) || no_memory(c);
}

/* Nodes that the outputs need, in their order, with what the network has as inputs. */
static bool cut(const struct choosing *c, struct net *side)
{
    size_t first = side->node_count;
    for (size_t i = side->node_count; i--;) {
        struct node *node = side->nodes[i];
        bool needed = false;
        for (size_t k = 0; k < node->output_count; k++)
            needed = needed || (node->outputs[k] && node->outputs[k]->kept && !node->outputs[k]->input);
        for (size_t k = 0; needed && k < node->input_count; k++)
            if (node->inputs[k] && !take_input(c, side, node->inputs[k]))
                return false;
        if (needed)
            side->nodes[--first] = node;
    }
    side->nodes += first;
    side->node_count -= first;
    return true;
}

static bool make_side(struct choosing *c, struct net *side, struct tensor *const *outputs, size_t count)
{
    for (size_t i = 0; i < side->output_count; i++)
        side->outputs[i]->output = false;
    side->inputs = side->outputs = NULL;
    side->input_count = side->output_count = side->mark_count = 0;
    for (size_t i = 0; i < count; i++) {
        outputs[i]->kept = true;
        if (!net_add_output(side, outputs[i]))
            return no_memory(c);
    }
    if (!cut(c, side))
        return false;
    /* An input may have been one of the network that nothing here reads. */
    for (size_t i = 0; i < side->tensor_count; i++) {
        side->tensors[i]->input = side->tensors[i]->input && side->tensors[i]->kept;
        side->tensors[i]->kept = false;
    }
    net_recount(side);
    return true;
}

/* ---- choosing ------------------------------------------------------------------------------------ */

/* The results that the network has, or NULL for what was swallowed; how many of these there are. */
static size_t find_there(const struct choosing *c, struct tensor **home)
{
    size_t swallowed = 0;
    for (size_t i = 0; i < c->count; i++) {
        home[i] = there(c, c->wanted[i]);
        swallowed += !home[i];
    }
    return swallowed;
}

/* The same text, which lasts; NULL: out of memory. */
static const char *lasting(struct marks *m, const char *name)
{
    for (size_t i = 0; i < m->text_count; i++)
        if (!strcmp(m->texts[i], name))
            return m->texts[i];
    char **more = realloc(m->texts, (m->text_count + 1) * sizeof *more);
    m->texts = more ? more : m->texts;
    char *copy = more ? strdup(name) : NULL;
    if (copy)
        m->texts[m->text_count++] = copy;
    return copy;
}

/* The output of a result that was swallowed. */
static bool add_swallowed(const struct choosing *c, struct tensor *t)
{
    struct swallowed *s = &c->marks->swallowed[c->marks->swallowed_count++];
    s->tensor = t;
    s->output = *t;
    s->output.name = lasting(c->marks, t->name);
    s->output.producer = NULL;
    s->output.users = 0;
    s->output.output = true;
    return s->output.name || no_memory(c);
}

/* The network that computes what was swallowed, from the one that it is a part of. */
static bool swallow(struct choosing *c, struct net *whole, struct tensor *const *home, size_t count)
{
    struct marks *m = c->marks;
    struct tensor **outputs = calloc(count + 1, sizeof(struct tensor *));
    m->swallowed = calloc(count + 1, sizeof *m->swallowed);
    size_t found = 0;
    bool ok = (outputs && m->swallowed) || no_memory(c);
    for (size_t i = 0; ok && i < c->count; i++) {
        const char *name = c->wanted[i]->name;
        if (home[i])
            continue;
        struct tensor *t = net_find(whole, name, strlen(name));
        if (!t) {
            ok = fails(c, name, "the compiled network has nothing to compute it from; compile it again");
            continue;
        }
        outputs[found++] = t;
        ok = add_swallowed(c, t);
    }
    c->from = whole;
    ok = ok && make_side(c, whole, outputs, found);
    free(outputs);
    return ok;
}

static void keep(struct marks *m, struct tensor *t)
{
    t->kept = true;
    m->kept[m->kept_count++] = t;
}

static bool give_outputs(const struct choosing *c, struct tensor *const *home)
{
    struct marks *m = c->marks;
    const size_t inputs = m->side ? m->side->input_count : 0;
    struct swallowed *next = m->swallowed;
    m->outputs = calloc(m->own_count + c->count + 1, sizeof(struct tensor *));
    m->kept = calloc(c->count + inputs + 1, sizeof(struct tensor *));
    if (!m->outputs || !m->kept)
        return no_memory(c);
    if (m->own_count)
        memcpy(m->outputs, m->own, m->own_count * sizeof(struct tensor *));
    for (size_t i = 0; i < c->count; i++) {
        if (home[i])
            keep(m, home[i]);
        m->outputs[m->own_count + i] = home[i] ? home[i] : &next++->output;
    }
    for (size_t i = 0; i < inputs; i++)
        keep(m, net_find(m->net, m->side->inputs[i]->name, strlen(m->side->inputs[i]->name)));
    m->net->outputs = m->outputs;
    m->net->output_count = m->own_count + c->count;
    return true;
}

static bool choose(struct choosing *c, const char *const *names, size_t count)
{
    struct marks *m = c->marks;
    struct net *whole = NULL;
    if (c->source->graph) {
        whole = c->from = read_graph(c, c->source->graph, c->source->size);
        if (!whole)
            return false;
    }
    struct tensor **home = calloc(count + 1, sizeof(struct tensor *));
    bool ok = (home || no_memory(c)) && take_names(c, names, count);
    const size_t swallowed = ok ? find_there(c, home) : 0;
    if (swallowed) {
        whole = whole ? whole : read_graph(c, NULL, 0);
        ok = whole && swallow(c, whole, home, swallowed);
    }
    if (swallowed && ok)
        m->side = whole;
    ok = ok && give_outputs(c, home);
    if (whole != m->side)
        net_free(whole);
    free(home);
    return ok;
}

bool marks_choose(struct marks *m, const char *const *names, size_t count, const struct marks_source *source,
                  struct diag *diag)
{
    struct choosing c = {.marks = m, .source = source, .diag = diag};
    choose_none(m);
    if (!count)
        return true;
    c.wanted = calloc(count, sizeof(struct tensor *));
    const bool ok = c.wanted ? choose(&c, names, count) : no_memory(&c);
    free(c.wanted);
    if (!ok)
        choose_none(m);
    return ok;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

static bool give_inputs(const struct marks *m, struct run *run)
{
    struct view value;
    for (size_t i = 0; i < m->side->input_count; i++) {
        struct tensor *to = m->side->inputs[i];
        if (!run_get(run, net_find(m->net, to->name, strlen(to->name)), &value) ||
            !run_set(m->run, to, &value))
            return false;
    }
    return true;
}

bool marks_compute(struct marks *m, struct run *run, unsigned threads, struct diag *diag)
{
    struct view value;
    drop_values(m);
    if (!m->side)
        return true;
    m->run = run_new(m->side, diag);
    if (!m->run || !run_threads(m->run, threads)) {
        diag_no_memory(diag, m->net->source[0].path);
        return false;
    }
    run_forget(m->run);
    if (!give_inputs(m, run) || !run_nodes(m->run))
        return false;
    for (size_t i = 0; i < m->swallowed_count; i++) {
        struct swallowed *s = &m->swallowed[i];
        if (!run_get(m->run, s->tensor, &value))
            return diag_fail(diag, m->net->source[0].path, "external output \"%.60s\" has no value",
                             s->tensor->name);
        s->output.shape = s->tensor->shape;
        s->output.values =
            (struct values){.at = value.data, .size = (size_t)net_type_bytes(value.type, value.count)};
        s->output.constant = s->output.held = true;
    }
    return true;
}

/* ---- files --------------------------------------------------------------------------------------- */

void marks_write(struct marks *m, struct strbuf *to)
{
    drop_values(m);
    if (m->side)
        net_write_graph(m->side, to);
}

void marks_write_net(const struct marks *m, struct strbuf *to)
{
    struct net net = *m->net;
    net.outputs = m->own;
    net.output_count = m->own_count;
    net_write_graph(&net, to);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool marks_to_outputs(struct net *net)
{
    if (net->mark_count)
        qsort(net->marks, net->mark_count, sizeof *net->marks, by_text);
    for (size_t i = 0; i < net->mark_count; i++) {
        struct tensor *t = net_find(net, net->marks[i], strlen(net->marks[i]));
        if (!t->output && !net_add_output(net, t))
            return false;
    }
    return true;
}
