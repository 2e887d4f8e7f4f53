/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/chart.h"

#include <stdlib.h>
#include <string.h>

#include "host/net/group/window.h"

enum { TABLE_BYTES = 9 /* of an output channel: bias, multiplier and shift */ };

/* A tensor, by its address. */
struct seen {
    const struct tensor *tensor;
    size_t value;
    bool fixed; /* a constant, or computed from constants alone */
};

struct charting {
    struct group_chart *chart;
    struct seen *seen;
    size_t count;
    bool failed; /* out of memory */
};

/* ---- tensors ---------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct seen *)a)->tensor,
                    y = (uintptr_t)((const struct seen *)b)->tensor;
    return (x > y) - (x < y);
}

static struct seen *look(const struct charting *c, const struct tensor *t)
{
    const struct seen wanted = {.tensor = t};
    return bsearch(&wanted, c->seen, c->count, sizeof wanted, by_address);
}

static bool is_fixed(const struct charting *c, const struct tensor *t)
{
    return !t || t->constant || look(c, t)->fixed;
}

static bool see_all(struct charting *c)
{
    const struct net *net = c->chart->net;
    c->seen = calloc(net->tensor_count + 1, sizeof *c->seen);
    for (size_t i = 0; c->seen && i < net->tensor_count; i++)
        c->seen[c->count++] = (struct seen){.tensor = net->tensors[i], .value = GROUP_NONE};
    if (c->seen)
        qsort(c->seen, c->count, sizeof *c->seen, by_address);
    return c->seen != NULL;
}

/* Images of TFLite have their channels last. */
static bool has_channels_last(const struct net *net)
{
    bool last = false;
    for (size_t i = 0; !last && i < net->node_count; i++)
        last = proto_is(node_text(net->nodes[i], "layout"), "NHWC");
    return last || (net->format && !strcmp(net->format, "TFLite"));
}

static bool has_sizes(const struct tensor *t)
{
    bool known = t->shape && t->shape->rank >= 0;
    for (int i = 0; known && i < t->shape->rank; i++)
        known = !t->shape->dim[i].term;
    return known;
}

static size_t add_value(struct charting *c, struct tensor *t, size_t made)
{
    struct group_chart *chart = c->chart;
    struct group_value *v = &chart->values[chart->value_count];
    *v = (struct group_value){.tensor = t, .made = made, .first = GROUP_NONE, .last = GROUP_NONE};
    v->wanted = t->output || t->kept || t->variable;
    for (int axis = 0; axis < GROUP_AXES; axis++)
        v->size[axis] = group_size(chart, t, axis);
    v->bytes = net_type_bytes(t->type, (uint64_t)shape_elements(chart->net, t->shape).value);
    look(c, t)->value = chart->value_count;
    return chart->value_count++;
}

/* ---- layers ------------------------------------------------------------------------------------------ */

/* The only reader of a node's result, which may be one layer with it. */
static struct node *follower(const struct charting *c, const struct node *node, size_t from)
{
    const struct net *net = c->chart->net;
    const struct tensor *t = node->outputs[0];
    if (t->users != 1 || t->output || t->kept || t->variable)
        return NULL;
    for (size_t i = from; i < net->node_count; i++)
        for (size_t k = 0; k < net->nodes[i]->input_count; k++)
            if (net->nodes[i]->inputs[k] == t)
                return net->nodes[i];
    return NULL;
}

static bool is_made(const struct charting *c, const struct tensor *t)
{
    const struct seen *seen = t ? look(c, t) : NULL;
    return !t || t->constant || seen->fixed || seen->value != GROUP_NONE;
}

/* Whether `next` computes each number of the layer's result anew, and has all else that it needs. */
static bool may_follow(const struct charting *c, const struct node *node, const struct node *next)
{
    bool may = group_is_each(c->chart, next);
    for (size_t i = 0; may && i < next->input_count; i++) {
        struct tensor *t = next->inputs[i];
        may = t == node->outputs[0] || is_made(c, t);
    }
    for (int axis = 0; may && axis < GROUP_AXES; axis++)
        may = group_size(c->chart, node->outputs[0], axis) == group_size(c->chart, next->outputs[0], axis);
    return may;
}

/* To the layer that was begun last. */
static void push_node(struct group_chart *chart, struct group_layer *layer, struct node *node)
{
    chart->order[chart->ordered++] = node;
    layer->node_count++;
}

static bool add_operand(struct charting *c, struct group_layer *layer, size_t node, size_t input)
{
    struct group_chart *chart = c->chart;
    const struct node *of = layer->nodes[node];
    struct group_operand *more = realloc(layer->operands, (layer->operand_count + 1) * sizeof *more);
    if (!more)
        return false;
    layer->operands = more;
    struct group_operand *o = &more[layer->operand_count++];
    *o = (struct group_operand){.value = look(c, of->inputs[input])->value, .node = node, .input = input};
    group_window_read(chart, of, input, o->window);
    struct group_value *v = &chart->values[o->value];
    const size_t at = (size_t)(layer - chart->layers);
    v->first = v->first == GROUP_NONE ? at : v->first;
    v->last = at;
    for (int axis = 0; axis < GROUP_AXES; axis++)
        layer->whole = layer->whole || (o->window[axis].reach == REACH_WHOLE && v->size[axis] > 1);
    return true;
}

/* Operands that are values, and bytes of those that are constants. */
static bool read_operands(struct charting *c, struct group_layer *layer, size_t at)
{
    const struct node *node = layer->nodes[at];
    const size_t weights = group_weights_operand(node);
    bool ok = true;
    for (size_t i = 0; ok && i < node->input_count; i++) {
        struct tensor *t = node->inputs[i];
        const bool inner = t && at && t == layer->nodes[at - 1]->outputs[0];
        if (!t || inner)
            continue;
        if (!is_fixed(c, t))
            ok = add_operand(c, layer, at, i);
        else if (weights && i == weights)
            layer->weights +=
                net_type_bytes(t->type, (uint64_t)shape_elements(c->chart->net, t->shape).value);
    }
    if (weights && node->outputs[0]->shape && node->outputs[0]->shape->rank > 0) {
        const struct shape *out = node->outputs[0]->shape;
        const int channel = out->rank == 4 && c->chart->axis[GROUP_ROWS] != 1 ? 1 : out->rank - 1;
        layer->weights += TABLE_BYTES * (uint64_t)out->dim[channel].value;
    }
    layer->multiplications += (uint64_t)node->multiplications.value;
    return ok;
}

static bool chart_layer(struct charting *c, struct node *node, size_t at, bool *taken)
{
    struct group_chart *chart = c->chart;
    const struct net *net = chart->net;
    struct group_layer *layer = &chart->layers[chart->layer_count++];
    bool ok = true;
    layer->nodes = chart->order + chart->ordered;
    push_node(chart, layer, node);
    layer->alone = node->output_count != 1;
    for (struct node *next = node; !layer->alone && next;) {
        next = follower(c, next, at + 1);
        if (!next || !may_follow(c, layer->nodes[layer->node_count - 1], next))
            break;
        push_node(chart, layer, next);
        for (size_t i = at; i < net->node_count; i++)
            taken[i] = taken[i] || net->nodes[i] == next;
    }
    for (size_t i = 0; ok && i < layer->node_count; i++)
        ok = read_operands(c, layer, i);
    const struct node *last = layer->nodes[layer->node_count - 1];
    layer->value = GROUP_NONE;
    for (size_t i = 0; ok && i < last->output_count; i++)
        if (last->outputs[i])
            layer->value = add_value(c, last->outputs[i], chart->layer_count - 1);
    return ok;
}

/* A node of constants alone comes before all layers. */
static bool is_constant_node(struct charting *c, const struct node *node)
{
    bool fixed = true;
    for (size_t i = 0; i < node->input_count; i++)
        fixed = fixed && is_fixed(c, node->inputs[i]);
    for (size_t i = 0; fixed && i < node->output_count; i++)
        if (node->outputs[i])
            look(c, node->outputs[i])->fixed = true;
    return fixed;
}

static bool check_sizes(const struct net *net, struct diag *diag)
{
    for (size_t i = 0; i < net->tensor_count; i++)
        if (!has_sizes(net->tensors[i]))
            return diag_fail(
                diag, net->source[0].path,
                "layer groups need the sizes of all values, and \"%.60s\" has a dimension without one; "
                "--shape NAME=SIZE gives it",
                net->tensors[i]->name);
    return true;
}

static bool chart_all(struct charting *c)
{
    struct group_chart *chart = c->chart;
    struct net *net = chart->net;
    bool *taken = calloc(net->node_count + 1, sizeof *taken), ok = taken && see_all(c);
    for (size_t i = 0; ok && i < net->input_count; i++)
        if (!net->inputs[i]->constant)
            add_value(c, net->inputs[i], GROUP_NONE);
    for (size_t i = 0; ok && i < net->tensor_count; i++)
        if (net->tensors[i]->variable && !net->tensors[i]->producer &&
            look(c, net->tensors[i])->value == GROUP_NONE)
            add_value(c, net->tensors[i], GROUP_NONE);
    for (size_t i = 0; ok && i < net->node_count; i++) {
        taken[i] = is_constant_node(c, net->nodes[i]);
        if (taken[i])
            chart->fixed[chart->fixed_count++] = net->nodes[i];
    }
    for (size_t i = 0; ok && i < net->node_count; i++)
        if (!taken[i])
            ok = chart_layer(c, net->nodes[i], i, taken);
    free(taken);
    return ok;
}

bool group_chart_open(struct net *net, struct group_chart *chart, struct diag *diag)
{
    struct charting c = {.chart = chart};
    const bool last = has_channels_last(net);
    *chart = (struct group_chart){.net = net, .axis = {last ? 1 : 2, last ? 2 : 3}, .unit = 1};
    if (!check_sizes(net, diag))
        return false;
    chart->layers = calloc(net->node_count + 1, sizeof *chart->layers);
    chart->values = calloc(net->tensor_count + 1, sizeof *chart->values);
    chart->fixed = calloc(net->node_count + 1, sizeof(struct node *));
    chart->order = calloc(net->node_count + 1, sizeof(struct node *));
    const bool ok = chart->layers && chart->values && chart->fixed && chart->order && chart_all(&c);
    free(c.seen);
    if (!ok) {
        group_chart_close(chart);
        diag_no_memory(diag, net->source[0].path);
    }
    return ok;
}

void group_chart_close(struct group_chart *chart)
{
    for (size_t i = 0; chart->layers && i < chart->layer_count; i++)
        free(chart->layers[i].operands);
    free(chart->layers);
    free(chart->values);
    free(chart->fixed);
    free(chart->order);
    *chart = (struct group_chart){0};
}

/* ---- names ------------------------------------------------------------------------------------------- */

const char *group_layer_name(const struct group_layer *layer)
{
    const struct node *first = layer->nodes[0], *last = layer->nodes[layer->node_count - 1];
    return *first->name || !last->output_count ? first->name : last->outputs[0]->name;
}

static bool is_named(const char *text, const char *name, size_t length)
{
    return strlen(text) == length && !memcmp(text, name, length);
}

size_t group_layer_find(const struct group_chart *chart, const char *name, size_t length)
{
    for (size_t i = 0; i < chart->layer_count; i++)
        for (size_t k = 0; k < chart->layers[i].node_count; k++) {
            const struct node *node = chart->layers[i].nodes[k];
            if (is_named(node->name, name, length) ||
                (node->output_count && node->outputs[0] && is_named(node->outputs[0]->name, name, length)))
                return i;
        }
    return GROUP_NONE;
}

bool group_chart_want(struct group_chart *chart, const char *name)
{
    const size_t layer = group_layer_find(chart, name, strlen(name));
    const struct group_layer *of = layer == GROUP_NONE ? NULL : &chart->layers[layer];
    const struct node *last = of ? of->nodes[of->node_count - 1] : NULL;
    const bool is_last = last && last->output_count && last->outputs[0] && of->value != GROUP_NONE &&
                         (!strcmp(last->name, name) || !strcmp(last->outputs[0]->name, name));
    if (is_last)
        chart->values[of->value].wanted = true;
    return is_last;
}
