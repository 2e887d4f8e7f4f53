/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/pass/edit.h"

#include <stdlib.h>
#include <string.h>

/* ---- questions ----------------------------------------------------------------------------------- */

bool is_op(const struct node *node, const char *type)
{
    return node && !node->gone && !*node->domain && !strcmp(node->type, type);
}

struct tensor *input_of(const struct node *node, size_t i)
{
    return i < node->input_count ? node->inputs[i] : NULL;
}

struct node *sole_producer(const struct tensor *t)
{
    return t && t->users == 1 && !t->output && t->producer && !t->producer->gone ? t->producer : NULL;
}

struct node *sole_user(const struct edit *e, const struct tensor *t)
{
    if (t->users != 1 || t->output)
        return NULL;
    for (size_t i = 0; i < e->net->node_count; i++)
        for (size_t k = 0; !e->net->nodes[i]->gone && k < e->net->nodes[i]->input_count; k++)
            if (e->net->nodes[i]->inputs[k] == t)
                return e->net->nodes[i];
    return NULL;
}

bool is_plain(const struct node *node)
{
    return !node_attribute(node, "layout") && !node_attribute(node, "weights_layout") &&
           !node_attribute(node, "function");
}

bool has_values(const struct tensor *t)
{
    return t && t->constant && (t->values.at || t->values.list.at);
}

bool edit_number(const struct tensor *t, double *value)
{
    uint64_t bits, more;
    if (!has_values(t))
        return false;
    struct value_reader reader = value_reader(t);
    if (!value_next(&reader, &bits) || value_next(&reader, &more))
        return false;
    *value = t->type == NET_FLOAT ? (double)value_real(t->type, bits) : (double)value_integer(t->type, bits);
    return t->type == NET_FLOAT ||
           (net_type_bits(t->type) >= 8 && net_type_bits(t->type) <= 64 && t->type != NET_DOUBLE &&
            t->type != NET_FLOAT16 && t->type != NET_BFLOAT16 && t->type != NET_COMPLEX64);
}

double *edit_reals(struct edit *e, const struct tensor *t, size_t *count)
{
    const struct dim elements = t && t->shape ? shape_elements(e->net, t->shape) : dim_number(-1);
    if (!has_values(t) || t->type != NET_FLOAT || elements.term || elements.value < 0)
        return NULL;
    double *reals = calloc((size_t)elements.value + 1, sizeof *reals);
    struct value_reader reader = value_reader(t);
    uint64_t bits;
    e->failed |= !reals;
    *count = (size_t)elements.value;
    for (size_t i = 0; reals && i < *count && value_next(&reader, &bits); i++)
        reals[i] = (double)value_real(t->type, bits);
    return reals;
}

/* ---- changes ------------------------------------------------------------------------------------- */

void edit_replace(struct edit *e, struct tensor *from, struct tensor *to)
{
    for (size_t i = 0; i < e->net->node_count + e->waiting_count; i++) {
        struct node *node =
            i < e->net->node_count ? e->net->nodes[i] : e->waiting[i - e->net->node_count].node;
        for (size_t k = 0; !node->gone && k < node->input_count; k++)
            if (node->inputs[k] == from) {
                node->inputs[k] = to;
                from->users--;
                to->users++;
            }
    }
}

void edit_drop(struct edit *e, struct node *node)
{
    (void)e;
    node->gone = true;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i])
            node->inputs[i]->users--;
}

/* The output's name may go, or the input's. */
bool edit_bypass(struct edit *e, struct node *node, struct tensor *input)
{
    struct tensor *output = node->outputs[0];
    struct node *maker = input->producer;
    if (!output->output && !output->variable) {
        edit_drop(e, node);
        edit_replace(e, output, input);
        e->changes++;
        return true;
    }
    if (!maker || maker->gone || input->output || input->constant || input->variable || output->variable)
        return false;
    edit_drop(e, node);
    edit_replace(e, input, output);
    for (size_t i = 0; i < maker->output_count; i++)
        if (maker->outputs[i] == input)
            maker->outputs[i] = output;
    output->producer = maker;
    e->changes++;
    return true;
}

struct node *edit_node_behind(struct edit *e, const struct node *behind, const char *type, size_t inputs,
                              struct tensor *like)
{
    struct node *node = net_node(e->net, type, inputs, 1);
    struct tensor *output = net_new_tensor(e->net, like->name);
    struct waiting *more = realloc(e->waiting, (e->waiting_count + 1) * sizeof *more);
    e->waiting = more ? more : e->waiting;
    e->failed |= !node || !output || !more;
    if (e->failed)
        return NULL;
    node->op = operator_find("", type, e->net->opset);
    if (behind) {
        node->origin = behind->origin;
        node->name = behind->name;
    }
    node->outputs[0] = output;
    output->producer = node;
    output->type = like->type;
    output->origin = like->origin;
    if (like->shape)
        e->failed |= !net_shape(e->net, output, like->shape);
    e->waiting[e->waiting_count++] = (struct waiting){node, behind};
    return node;
}

struct tensor *edit_constant(struct edit *e, const char *like, enum net_type type, const struct shape *shape,
                             const void *numbers)
{
    const struct dim count = shape_elements(e->net, shape);
    const size_t bytes = (size_t)net_type_bytes(type, (uint64_t)count.value);
    struct tensor *t = net_new_tensor(e->net, like);
    uint8_t *at = arena_take(&e->net->arena, bytes ? bytes : 1, 1);
    if (!t || !at || !net_shape(e->net, t, shape)) {
        e->failed = true;
        return NULL;
    }
    if (bytes)
        memcpy(at, numbers, bytes);
    t->type = type;
    t->constant = true;
    t->values = (struct values){.at = at, .size = bytes};
    return t;
}

struct tensor *edit_floats(struct edit *e, const char *like, const struct shape *shape, const double *numbers)
{
    const size_t count = (size_t)shape_elements(e->net, shape).value;
    float *floats = calloc(count + 1, sizeof *floats);
    if (!floats) {
        e->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)numbers[i];
    struct tensor *t = edit_constant(e, like, NET_FLOAT, shape, floats);
    free(floats);
    return t;
}

bool edit_put_bias(struct edit *e, struct node *layer, size_t channels, const double *bias)
{
    const struct shape shape = {.rank = 1, .dim = {dim_number((int64_t)channels)}};
    struct tensor *old = input_of(layer, 2),
                  *made =
                      bias ? edit_floats(e, old ? old->name : layer->inputs[1]->name, &shape, bias) : NULL,
                  **inputs = arena_take(&e->net->arena, 3, sizeof(struct tensor *));
    e->failed |= !made || !inputs;
    if (e->failed)
        return false;
    memcpy(inputs, layer->inputs, 2 * sizeof(struct tensor *));
    inputs[2] = made;
    layer->inputs = inputs;
    layer->input_count = 3;
    made->users++;
    if (old)
        old->users--;
    return true;
}
