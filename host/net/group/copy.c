/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/copy.h"

#include <string.h>

#include "host/net/group/window.h"

/* The same network has everything that it has, but for shapes and who makes and reads it. */
static struct tensor *fill(struct copying *c, struct tensor *to, const struct tensor *of)
{
    if (!to) {
        c->failed = true;
        return NULL;
    }
    to->type = of->type;
    to->quantisation = of->quantisation;
    to->origin = of->origin;
    return to;
}

void copy_begin(struct copying *c)
{
    const struct net *net = c->chart->net;
    size_t length = 1;
    c->mark[0] = '@';
    for (size_t i = 0; i < net->tensor_count && length + 1 < sizeof c->mark; i++)
        while (strstr(net->tensors[i]->name, c->mark) && length + 1 < sizeof c->mark)
            c->mark[length++] = '@';
    c->failed |= length + 1 == sizeof c->mark;
}

/* A part of a tensor. */
static struct tensor *new_like(struct copying *c, const struct tensor *of)
{
    struct strbuf name = {0};
    sb_addf(&name, "%s%spart", of->name, c->mark);
    struct tensor *t = sb_ok(&name) ? net_new_tensor(c->net, sb_text(&name)) : NULL;
    sb_free(&name);
    return fill(c, t, of);
}

struct tensor *copy_tensor(struct copying *c, const struct tensor *of, const char *behind)
{
    struct strbuf name = {0};
    sb_addf(&name, "%s%s%s", of->name, *behind ? c->mark : "", behind);
    if (!sb_ok(&name)) {
        c->failed = true;
        sb_free(&name);
        return NULL;
    }
    struct tensor *t = net_find(c->net, sb_text(&name), name.len);
    if (!t && (t = fill(c, net_tensor(c->net, sb_text(&name), name.len), of)) && !*behind) {
        const struct shape shape = net_shape_of(of);
        c->failed |= !net_shape(c->net, t, &shape);
        t->values = of->values;
        t->constant = of->constant;
        t->variable = of->variable;
        t->kept = of->kept;
    }
    sb_free(&name);
    return t;
}

struct node *copy_node(struct copying *c, const struct node *of, const char *behind)
{
    struct node *node = net_node(c->net, of->type, of->input_count, of->output_count);
    struct strbuf name = {0};
    sb_addf(&name, "%s%s%s", of->name, *of->name && *behind ? c->mark : "", *of->name ? behind : "");
    char *text = arena_text(&c->net->arena, sb_text(&name), name.len);
    c->failed |= !node || !text || !sb_ok(&name);
    sb_free(&name);
    if (c->failed)
        return NULL;
    node->name = text;
    node->domain = of->domain;
    node->op = of->op;
    node->attributes = arena_take(&c->net->arena, of->attribute_count + 1, sizeof *node->attributes);
    c->failed |= !node->attributes;
    if (node->attributes && of->attribute_count)
        memcpy(node->attributes, of->attributes, of->attribute_count * sizeof *node->attributes);
    node->attribute_count = of->attribute_count;
    node->origin = of->origin;
    return node;
}

void copy_add(struct copying *c, struct node *node)
{
    c->failed |= !net_add_node(c->net, node);
    if (!c->failed)
        c->failed = !derive_node(c->net, node);
}

/* ---- cutting and joining ------------------------------------------------------------------------------- */

static struct node *plain_node(struct copying *c, const char *type, size_t inputs)
{
    struct node *node = net_node(c->net, type, inputs, 1);
    c->failed |= !node;
    if (node)
        node->op = operator_find("", type, c->net->opset);
    return node;
}

static bool is_all(const struct copying *c, const struct tensor *t, const int64_t begin[GROUP_AXES],
                   const int64_t end[GROUP_AXES])
{
    bool all = true;
    for (int axis = 0; axis < GROUP_AXES; axis++)
        all = all && begin[axis] == 0 && end[axis] == group_size(c->chart, t, axis);
    return all;
}

static bool has_numbers(const struct tensor *t, const int64_t values[GROUP_AXES])
{
    struct value_reader reader = value_reader(t);
    uint64_t bits;
    bool same = t->constant && t->type == NET_INT64;
    for (int i = 0; same && i < GROUP_AXES; i++)
        same = value_next(&reader, &bits) && value_integer(t->type, bits) == values[i];
    return same && !value_next(&reader, &bits);
}

/* Numbers that a Slice has as operands; those that are the same share a tensor. */
static struct tensor *numbers(struct copying *c, const int64_t values[GROUP_AXES])
{
    struct strbuf name = {0};
    sb_addf(&name, "slice%s%lld_%lld", c->mark, (long long)values[0], (long long)values[1]);
    struct tensor *t = sb_ok(&name) ? net_find(c->net, sb_text(&name), name.len) : NULL;
    if (!t || !has_numbers(t, values))
        t = sb_ok(&name) ? net_integers(c->net, sb_text(&name), values, GROUP_AXES) : NULL;
    c->failed |= !t;
    sb_free(&name);
    return t;
}

struct tensor *copy_slice(struct copying *c, struct tensor *from, const int64_t begin[GROUP_AXES],
                          const int64_t end[GROUP_AXES])
{
    const int64_t axes[GROUP_AXES] = {c->chart->axis[0], c->chart->axis[1]};
    if (c->failed || is_all(c, from, begin, end))
        return from;
    enum { SLICE_OPERANDS = 4 };
    struct node *node = plain_node(c, "Slice", SLICE_OPERANDS);
    struct tensor *t = new_like(c, from), *lists[] = {numbers(c, begin), numbers(c, end), numbers(c, axes)};
    if (c->failed)
        return NULL;
    node->inputs[0] = from;
    memcpy(node->inputs + 1, lists, sizeof lists);
    node->outputs[0] = t;
    copy_add(c, node);
    return t;
}

struct tensor *copy_join(struct copying *c, struct tensor *const *parts, size_t count, int axis,
                         const struct tensor *like, struct tensor *to)
{
    if (count == 1 && !to)
        return parts[0];
    struct node *node = c->failed ? NULL : plain_node(c, "Concat", count);
    struct tensor *t = c->failed ? NULL : to ? to : new_like(c, like);
    if (c->failed || !node_set_integer(c->net, node, "axis", c->chart->axis[axis])) {
        c->failed = true;
        return NULL;
    }
    memcpy(node->inputs, parts, count * sizeof(struct tensor *));
    node->outputs[0] = t;
    copy_add(c, node);
    return t;
}
