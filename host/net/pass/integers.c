/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks that were exported with integers in floats: a convolution with whole
 * weights, a whole factor and sum for each channel, a quotient that is rounded down
 * (Div and Floor; or Cast to int64, Mul, Div), and a Clip to 0..255 become
 * ConvInteger and integer arithmetic, with uint8 between layers. The network's input
 * is taken for whole numbers from 0 to 255, as such exports mean it.
 *
 * All results stay the same to the bit as long as floats hold all sums exactly, which
 * is up to 2^24. Beyond that, floats are rounded and the integers are right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/list.h"
#include "host/net/pass/opset.h"

enum { CHAIN_MOST = 10 };

struct layer {
    struct node *conv, *clip;
    struct tensor *factor, *sum;          /* floats for each channel; NULL: none */
    struct tensor *more_factor, *divisor; /* for all; NULL: none */
    double low, high;
    struct node *chain[CHAIN_MOST]; /* from the clip on backwards */
    size_t count;
};

/* ---- recognising --------------------------------------------------------------------------------- */

/* Whole numbers of floats or int64, from low to high. */
static bool is_whole(struct edit *e, const struct tensor *t, double low, double high)
{
    size_t count = 0;
    uint64_t bits;
    bool ok = has_values(t);
    if (ok && t->type == NET_INT64) {
        struct value_reader reader = value_reader(t);
        while (value_next(&reader, &bits))
            ok = ok && (double)(int64_t)bits >= low && (double)(int64_t)bits <= high;
        return ok;
    }
    double *reals = edit_reals(e, t, &count);
    for (size_t i = 0; reals && i < count; i++)
        ok = ok && reals[i] >= low && reals[i] <= high && reals[i] == nearbyint(reals[i]);
    free(reals);
    return ok && reals;
}

#define WHOLE_MOST 9007199254740992.0 /* 2^53 */

/* Takes the node before, when it is of that type and feeds the chain alone. */
static struct node *step(struct layer *l, struct node *from, size_t input, const char *type)
{
    struct node *before = sole_producer(input_of(from, input));
    if (!is_op(before, type) || !is_plain(before) || l->count == CHAIN_MOST)
        return NULL;
    l->chain[l->count++] = before;
    return before;
}

/* A node with a whole constant operand; `from` goes on behind its other operand. */
static struct tensor *step_constant(struct edit *e, struct layer *l, struct node **from, size_t *input,
                                    const char *type, double low)
{
    struct node *node = sole_producer(input_of(*from, *input));
    if (!is_op(node, type) || node->input_count != 2 || l->count == CHAIN_MOST || !is_plain(node))
        return NULL;
    for (size_t at = 0; at < 2; at++) {
        if (!is_whole(e, node->inputs[at], low, WHOLE_MOST) || (!strcmp(type, "Div") && at == 0))
            continue;
        l->chain[l->count++] = node;
        *from = node;
        *input = 1 - at;
        return node->inputs[at];
    }
    return NULL;
}

static bool take_clip(struct layer *l, struct node *clip)
{
    l->low = -1;
    l->high = 256;
    if (!is_op(clip, "Clip") || clip->outputs[0]->type != NET_FLOAT)
        return false;
    if (node_attribute(clip, "min"))
        l->low = node_real(clip, "min");
    if (node_attribute(clip, "max"))
        l->high = node_real(clip, "max");
    if ((input_of(clip, 1) && !edit_number(input_of(clip, 1), &l->low)) ||
        (input_of(clip, 2) && !edit_number(input_of(clip, 2), &l->high)))
        return false;
    l->clip = clip;
    l->chain[l->count++] = clip;
    return l->low >= 0 && l->high <= 255 && l->low <= l->high && l->low == nearbyint(l->low) &&
           l->high == nearbyint(l->high);
}

/* The quotient in floats, or in int64 between two casts. */
static bool take_quotient(struct edit *e, struct layer *l, struct node **from, size_t *input)
{
    struct node *node = step(l, *from, *input, "Floor");
    if (node) {
        *from = node;
        *input = 0;
        l->divisor = step_constant(e, l, from, input, "Div", 1);
        return l->divisor != NULL;
    }
    node = step(l, *from, *input, "Cast");
    if (!node || node->inputs[0]->type != NET_INT64)
        return false;
    *from = node;
    *input = 0;
    l->divisor = step_constant(e, l, from, input, "Div", 1);
    l->more_factor = l->divisor ? step_constant(e, l, from, input, "Mul", -WHOLE_MOST) : NULL;
    node = l->divisor ? step(l, *from, *input, "Cast") : NULL;
    if (!node || node->inputs[0]->type != NET_FLOAT)
        return false;
    *from = node;
    *input = 0;
    return true;
}

static bool recognise(struct edit *e, struct node *clip, struct layer *l)
{
    struct node *from = clip;
    size_t input = 0;
    *l = (struct layer){.conv = NULL};
    if (!take_clip(l, clip) || !take_quotient(e, l, &from, &input))
        return false;
    l->sum = step_constant(e, l, &from, &input, "Add", -WHOLE_MOST);
    l->factor = step_constant(e, l, &from, &input, "Mul", -WHOLE_MOST);
    l->conv = step(l, from, input, "Conv");
    return l->conv && is_whole(e, l->conv->inputs[1], -128, 127) &&
           (!input_of(l->conv, 2) || is_whole(e, l->conv->inputs[2], -WHOLE_MOST, WHOLE_MOST)) &&
           l->conv->outputs[0]->shape;
}

/* ---- integers ------------------------------------------------------------------------------------ */

/* A new node at the end of the chain, with one or two inputs. */
static struct tensor *put(struct edit *e, const struct node *behind, const char *type, enum net_type result,
                          struct tensor *like, struct tensor *a, struct tensor *b)
{
    struct node *node = a ? edit_node_behind(e, behind, type, b ? 2 : 1, like) : NULL;
    if (!node)
        return NULL;
    node->inputs[0] = a;
    a->users++;
    if (b) {
        node->inputs[1] = b;
        b->users++;
    }
    node->outputs[0]->type = result;
    if (!strcmp(type, "Cast"))
        e->failed |= !node_set_integer(e->net, node, "to", result);
    return node->outputs[0];
}

/* Whole floats as integers of a type, in a shape that broadcasts as before. */
static struct tensor *integers(struct edit *e, const struct tensor *t, enum net_type type,
                               const struct shape *shape)
{
    size_t count = 0;
    double *reals = edit_reals(e, t, &count);
    int64_t *wide = calloc(count + 1, sizeof *wide);
    int8_t *narrow = (int8_t *)wide;
    e->failed |= !reals || !wide;
    for (size_t i = 0; !e->failed && i < count; i++) {
        const int64_t value = (int64_t)reals[i];
        if (type == NET_INT8)
            narrow[i] = (int8_t)value;
        else
            wide[i] = value;
    }
    struct tensor *made = e->failed ? NULL : edit_constant(e, t->name, type, shape, wide);
    free(reals);
    free(wide);
    return made;
}

static struct tensor *whole(struct edit *e, struct tensor *t)
{
    return t->type == NET_INT64 ? t : integers(e, t, NET_INT64, t->shape);
}

static struct tensor *one_number(struct edit *e, const char *like, double value)
{
    const struct shape scalar = {.rank = 0};
    const int64_t number = (int64_t)value;
    return edit_constant(e, like, NET_INT64, &scalar, &number);
}

/* The uint8 that a float tensor stands for, when it is known to; NULL: it is not. */
static struct tensor *bytes_of(const struct tensor *t)
{
    const struct node *cast = t->producer;
    return is_op(cast, "Cast") && cast->inputs[0]->type == NET_UINT8 && t->type == NET_FLOAT ? cast->inputs[0]
                                                                                             : NULL;
}

/* Numbers for each channel with as many dimensions as the result has. */
static struct tensor *bias_of(struct edit *e, const struct layer *l)
{
    const struct tensor *bias = l->conv->inputs[2];
    struct shape shape = {.rank = l->conv->outputs[0]->shape->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == 1 ? bias->shape->dim[0] : dim_number(1);
    return integers(e, bias, NET_INT64, &shape);
}

/* The float tensor `to` becomes a cast of `from`, made behind a node. */
static void give_float(struct edit *e, const struct node *behind, struct tensor *from, struct tensor *to)
{
    struct tensor *cast = put(e, behind, "Cast", NET_FLOAT, to, from, NULL);
    if (!cast)
        return;
    struct node *node = cast->producer;
    node->outputs[0] = to;
    to->producer = node;
}

static void convert(struct edit *e, const struct layer *l)
{
    const struct node *at = l->clip;
    struct tensor *like = l->clip->outputs[0], *x = l->conv->inputs[0], *t = bytes_of(x);
    struct tensor *sums = l->conv->outputs[0];
    if (!t)
        t = put(e, at, "Cast", NET_UINT8, x, x, NULL);
    t = put(e, at, "ConvInteger", NET_INT32, sums, t,
            integers(e, l->conv->inputs[1], NET_INT8, l->conv->inputs[1]->shape));
    if (!t)
        return;
    t->producer->attributes = l->conv->attributes;
    t->producer->attribute_count = l->conv->attribute_count;
    t = put(e, at, "Cast", NET_INT64, sums, t, NULL);
    if (input_of(l->conv, 2))
        t = put(e, at, "Add", NET_INT64, sums, t, bias_of(e, l));
    if (l->factor)
        t = put(e, at, "Mul", NET_INT64, sums, t, whole(e, l->factor));
    if (l->sum)
        t = put(e, at, "Add", NET_INT64, sums, t, whole(e, l->sum));
    if (l->more_factor)
        t = put(e, at, "Mul", NET_INT64, sums, t, l->more_factor);
    /* The quotient of integers is rounded towards 0. It differs for negative numbers alone, which are
     * limited. */
    t = put(e, at, "Div", NET_INT64, sums, t, whole(e, l->divisor));
    t = put(e, at, "Max", NET_INT64, like, t, one_number(e, like->name, l->low));
    t = put(e, at, "Min", NET_INT64, like, t, one_number(e, like->name, l->high));
    t = put(e, at, "Cast", NET_UINT8, like, t, NULL);
    if (t && !e->failed)
        give_float(e, at, t, like);
    for (size_t i = 0; i < l->count; i++)
        edit_drop(e, l->chain[i]);
    e->changes++;
}

/* The largest of integers is that of the floats; beyond the image there is 0, which no uint8 is below. */
static void pool(struct edit *e, struct node *node)
{
    struct tensor *to = node->outputs[0], *from = bytes_of(node->inputs[0]);
    struct tensor *result = from ? put(e, node, "MaxPool", NET_UINT8, to, from, NULL) : NULL;
    if (!result)
        return;
    result->producer->attributes = node->attributes;
    result->producer->attribute_count = node->attribute_count;
    give_float(e, node, result, to);
    edit_drop(e, node);
    e->changes++;
}

bool pass_integers(struct edit *e)
{
    struct layer l;
    bool raised = false;
    for (size_t i = 0; !e->failed && i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        if (!node->gone && is_op(node, "MaxPool") && node->output_count == 1 && is_plain(node) && raised)
            pool(e, node);
        if (node->gone || !is_op(node, "Clip") || !recognise(e, node, &l) ||
            (!bytes_of(l.conv->inputs[0]) && !l.conv->inputs[0]->input))
            continue;
        if (!raised && !opset_raise(e, OPSET_RAISED))
            return !e->failed;
        raised = true;
        if (recognise(e, node, &l))
            convert(e, &l);
    }
    return !e->failed;
}
