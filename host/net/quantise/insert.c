/* SPDX-License-Identifier: Apache-2.0
 *
 * QuantizeLinear and DequantizeLinear into the graph: behind each tensor that gets
 * integers, and DequantizeLinear before weights and biases. A tensor keeps its name:
 * it then has what the integers stand for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/opset.h"
#include "host/net/quantise/quantiser.h"

static const struct shape scalar = {.rank = 0};

static void set_input(struct node *node, size_t i, struct tensor *t)
{
    node->inputs[i] = t;
    if (t)
        t->users++;
}

/* The constants of a group, which its first site has. */
static void make_code(struct edit *e, struct site *first)
{
    if (first->scale)
        return;
    const uint16_t zero = (uint16_t)first->code.zero; /* the low byte comes first */
    first->scale = edit_constant(e, first->tensor->name, NET_FLOAT, &scalar, &first->code.scale);
    first->zero = edit_constant(e, first->tensor->name, first->code.type, &scalar, &zero);
}

static struct node *scaling(struct edit *e, const struct node *behind, const char *type,
                            const struct site *first, struct tensor *from)
{
    struct node *node = edit_node_behind(e, behind, type, 3, from);
    if (!node)
        return NULL;
    set_input(node, 0, from);
    set_input(node, 1, first->scale);
    set_input(node, 2, first->zero);
    return node;
}

/* The tensor that the node before now gives, in place of the site's own. */
static struct tensor *raw_of(struct edit *e, struct tensor *t)
{
    struct tensor *raw = net_new_tensor(e->net, t->name);
    if (!raw || (t->shape && !net_shape(e->net, raw, t->shape))) {
        e->failed = true;
        return NULL;
    }
    raw->type = t->type;
    raw->origin = t->origin;
    raw->producer = t->producer;
    for (size_t i = 0; i < t->producer->output_count; i++)
        if (t->producer->outputs[i] == t)
            t->producer->outputs[i] = raw;
    return raw;
}

/* NAME.SUFFIX, where no other tensor has that name. */
static void name_after(struct edit *e, struct tensor *t, const char *name, const char *suffix)
{
    struct strbuf text = {0};
    sb_addf(&text, "%s.%s", name, suffix);
    const char *kept = arena_text(&e->net->arena, sb_text(&text), text.len);
    sb_free(&text);
    if (kept)
        net_rename(e->net, t, kept);
}

/* Whether a function only limits, to what the codes are limited to anyway. */
static bool is_in_codes(const struct node *node, const struct code *code)
{
    double low = is_op(node, "Relu") ? 0 : -INFINITY, high = INFINITY;
    if (!is_op(node, "Relu") && !is_op(node, "Clip"))
        return false;
    if ((input_of(node, 1) && !edit_number(input_of(node, 1), &low)) ||
        (input_of(node, 2) && !edit_number(input_of(node, 2), &high)))
        return false;
    return code_nearest(code, low) == code->low && code_nearest(code, high) == code->high;
}

/* Such a function goes, as other programs expect it. What it read, or NULL. */
static struct tensor *before_limits(struct edit *e, const struct quantiser *q, const struct site *s)
{
    struct node *node = s->tensor->producer;
    if (site_of(q, node->inputs[0]) || !is_in_codes(node, &q->sites[s->group].code))
        return NULL;
    edit_drop(e, node);
    return node->inputs[0];
}

static void insert_site(struct edit *e, struct quantiser *q, struct site *s)
{
    struct site *first = &q->sites[s->group];
    struct tensor *t = s->tensor;
    const struct node *behind = t->producer;
    make_code(e, first);
    struct tensor *raw = e->failed ? NULL : behind ? before_limits(e, q, s) : t;
    raw = raw || e->failed ? raw : raw_of(e, t);
    struct node *quantise = raw ? scaling(e, behind, "QuantizeLinear", first, raw) : NULL;
    if (!quantise)
        return;
    s->integers = quantise->outputs[0];
    s->integers->type = first->code.type;
    name_after(e, s->integers, t->name, net_type_name(first->code.type));
    struct node *back = scaling(e, behind, "DequantizeLinear", first, s->integers);
    if (!back)
        return;
    back->outputs[0]->type = NET_FLOAT;
    if (behind) {
        back->outputs[0] = t;
        t->producer = back;
        return;
    }
    edit_replace(e, t, back->outputs[0]);
    set_input(quantise, 0, t);
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* A constant of codes with the scales; returns what a DequantizeLinear makes of it. */
static struct tensor *dequantised(struct edit *e, const struct tensor *like, enum net_type type,
                                  const void *codes, const float *scales, size_t count, int64_t axis)
{
    const struct shape list = {.rank = 1, .dim = {dim_number((int64_t)count)}};
    const struct shape *each = count > 1 ? &list : &scalar;
    void *zeros = calloc(count + 1, sizeof(int32_t));
    struct tensor *integers = edit_constant(e, like->name, type, like->shape, codes),
                  *scale = edit_constant(e, like->name, NET_FLOAT, each, scales),
                  *zero = zeros ? edit_constant(e, like->name, type, each, zeros) : NULL;
    struct node *node =
        integers && scale && zero ? edit_node_behind(e, NULL, "DequantizeLinear", 3, integers) : NULL;
    free(zeros);
    if (!node)
        return NULL;
    node->outputs[0]->type = NET_FLOAT;
    set_input(node, 0, integers);
    set_input(node, 1, scale);
    set_input(node, 2, zero);
    e->failed |= count > 1 && !node_set_integer(e->net, node, "axis", axis);
    return node->outputs[0];
}

static bool insert_weights(struct edit *e, const struct layer *l)
{
    int8_t *codes = malloc(l->count + 1);
    for (size_t i = 0; codes && i < l->count; i++)
        codes[i] = (int8_t)weight_code(l, i);
    struct tensor *t =
        codes ? dequantised(e, l->weights, NET_INT8, codes, l->scale, l->scales, l->columns) : NULL;
    free(codes);
    if (t) {
        l->weights->users--;
        set_input(l->node, 1, t);
    }
    return t != NULL;
}

static bool insert_bias(struct edit *e, const struct quantiser *q, const struct layer *l)
{
    const float input_scale = q->sites[l->in].code.scale;
    if (!l->bias)
        return true;
    int32_t *codes = calloc(l->channels + 1, sizeof *codes);
    float *scales = calloc(l->channels + 1, sizeof *scales);
    for (size_t c = 0; codes && scales && c < l->channels; c++) {
        codes[c] = bias_code(l, c, input_scale);
        scales[c] = bias_scale(l, c, input_scale);
    }
    struct tensor *t =
        codes && scales ? dequantised(e, l->bias, NET_INT32, codes, scales, l->scales, 0) : NULL;
    free(codes);
    free(scales);
    if (t) {
        l->bias->users--;
        set_input(l->node, 2, t);
    }
    return t != NULL;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static bool raise_for_wide(struct edit *e, const struct quantiser *q)
{
    bool wide = false;
    for (size_t i = 0; i < q->site_count; i++)
        wide |= q->sites[i].wide;
    if (!wide || opset_raise(e, OPSET_WIDE))
        return true;
    diag_error(q->diag, (struct place){.file = e->net->source[0].path},
               "one of its operators means something else in operator set %d, which has integers of 16 bits",
               OPSET_WIDE);
    return false;
}

static bool insert(struct edit *e)
{
    struct quantiser *q = e->context;
    bool ok = raise_for_wide(e, q);
    for (size_t i = 0; ok && i < q->layer_count; i++)
        ok = insert_weights(e, &q->layers[i]) && insert_bias(e, q, &q->layers[i]);
    for (size_t i = 0; ok && !e->failed && i < q->site_count; i++)
        insert_site(e, q, &q->sites[i]);
    e->changes++;
    return ok && !e->failed;
}

bool quantiser_insert(struct quantiser *q)
{
    const struct pass pass = {"quantise", NULL, insert};
    size_t changes;
    return pass_run_with(q->net, &pass, q, &changes, q->diag);
}
