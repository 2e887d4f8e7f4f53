/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers: convolutions and matrix products whose weights are constant, with copies of
 * their weights that later steps may change.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/opset.h"
#include "host/net/quantise/quantiser.h"

bool quantiser_no_memory(const struct quantiser *q)
{
    diag_no_memory(q->diag, q->net->source[0].path);
    return false;
}

void quantiser_free(struct quantiser *q)
{
    for (size_t i = 0; i < q->layer_count; i++) {
        free(q->layers[i].full);
        free(q->layers[i].scale);
        free(q->layers[i].shift);
    }
    for (size_t i = 0; i < q->site_count; i++)
        free(q->sites[i].values.bins);
    free(q->layers);
    free(q->sites);
}

struct layer *layer_of(const struct quantiser *q, const struct node *node)
{
    for (size_t i = 0; i < q->layer_count; i++)
        if (q->layers[i].node == node)
            return &q->layers[i];
    return NULL;
}

size_t layer_output(const struct layer *l, size_t weight)
{
    return weight / l->inner % l->channels;
}

size_t layer_input(const struct layer *l, size_t weight)
{
    if (l->columns)
        return weight / l->channels;
    const size_t inside = l->inputs / l->groups, kernel = l->inner / inside;
    const size_t group = layer_output(l, weight) / (l->channels / l->groups);
    return group * inside + weight / kernel % inside;
}

struct node *reader_of(struct net *net, const struct tensor *t)
{
    const struct edit e = {.net = net};
    return sole_user(&e, t);
}

/* ---- which they are ------------------------------------------------------------------------------ */

static bool takes_real(const struct tensor *t)
{
    return t && !t->constant && t->type == NET_FLOAT && !t->quantisation;
}

static bool has_reals(const struct tensor *t)
{
    return t && has_values(t) && t->type == NET_FLOAT && t->shape && !t->quantisation;
}

/* Sizes of the weights, if the node is a layer. */
static bool take_sizes(const struct node *node, struct layer *l)
{
    const struct tensor *w = input_of(node, 1), *b = input_of(node, 2);
    const bool conv = is_op(node, "Conv"), gemm = is_op(node, "Gemm");
    if ((!conv && !gemm && !is_op(node, "MatMul")) || !is_plain(node) || !takes_real(input_of(node, 0)) ||
        !has_reals(w) || (conv ? w->shape->rank < 3 : w->shape->rank != 2))
        return false;
    if (gemm &&
        (node_integer(node, "transA") || node_real(node, "alpha") != 1 || node_real(node, "beta") != 1))
        return false;
    const bool rows = conv || (gemm && node_integer(node, "transB"));
    *l = (struct layer){.node = NULL, .count = 1, .inner = 1, .groups = 1};
    for (int i = 0; i < w->shape->rank; i++)
        l->count *= (size_t)w->shape->dim[i].value;
    l->channels = (size_t)w->shape->dim[!rows].value;
    l->groups = conv ? (size_t)node_integer(node, "group") : 1;
    l->inputs = (size_t)w->shape->dim[rows].value * l->groups;
    if (!l->count || !l->groups || l->channels % l->groups)
        return false;
    l->columns = !rows;
    l->inner = rows ? l->count / l->channels : 1;
    return !b || (has_reals(b) && b->shape->rank == 1 && dim_is(b->shape->dim[0], (int64_t)l->channels));
}

/* The numbers of a constant as one that the layer alone has. */
static struct tensor *copy(struct edit *e, struct node *node, size_t input, size_t count)
{
    struct tensor *from = node->inputs[input], *to = NULL;
    float *numbers = calloc(count + 1, sizeof *numbers);
    struct value_reader reader = value_reader(from);
    uint64_t bits;
    bool finite = true;
    e->failed |= !numbers;
    for (size_t i = 0; numbers && i < count && value_next(&reader, &bits); i++) {
        numbers[i] = value_real(from->type, bits);
        if (finite && !isfinite(numbers[i]))
            node_error(e->net, node, "element %zu of \"%.60s\" is not finite", i, from->name);
        finite = finite && isfinite(numbers[i]);
    }
    if (numbers && finite)
        to = edit_constant(e, from->name, NET_FLOAT, from->shape, numbers);
    free(numbers);
    if (to) {
        node->inputs[input]->users--;
        node->inputs[input] = to;
        to->users++;
    }
    return to;
}

static float *numbers_of(const struct tensor *t)
{
    return (float *)(uintptr_t)t->values.at; /* NOLINT(performance-no-int-to-ptr): they are the layer's own */
}

/* Zeros as the bias of a layer that has none, where biases are corrected. MatMul takes none. */
static bool make_bias(struct edit *e, struct node *node, size_t channels)
{
    double *zeros = calloc(channels + 1, sizeof *zeros);
    const bool ok = edit_put_bias(e, node, channels, zeros);
    free(zeros);
    return ok;
}

static bool add_layer(struct edit *e, struct quantiser *q, struct node *node, struct layer l)
{
    if (q->options->correct && !input_of(node, 2) && !is_op(node, "MatMul") &&
        !make_bias(e, node, l.channels))
        return false;
    l.node = node;
    l.scale = calloc(l.channels, sizeof *l.scale);
    l.shift = calloc(l.channels, sizeof *l.shift);
    struct layer *to = &q->layers[q->layer_count++];
    *to = l;
    e->failed |= !l.scale || !l.shift;
    to->weights = copy(e, node, 1, l.count);
    if (to->weights && input_of(node, 2))
        to->bias = copy(e, node, 2, l.channels);
    if (!to->weights || (input_of(node, 2) && !to->bias))
        return false;
    to->w = numbers_of(to->weights);
    to->b = to->bias ? numbers_of(to->bias) : NULL;
    return !e->failed;
}

static bool find_layers(struct edit *e)
{
    struct quantiser *q = e->context;
    q->layers = calloc(e->net->node_count + 1, sizeof *q->layers);
    bool ok = q->layers != NULL;
    for (size_t i = 0; ok && i < e->net->node_count; i++) {
        struct layer l;
        if (take_sizes(e->net->nodes[i], &l))
            ok = add_layer(e, q, e->net->nodes[i], l);
    }
    e->changes = q->layer_count;
    return ok;
}

/* ---- the form that is quantised ------------------------------------------------------------------ */

static bool not_quantised(struct net *net)
{
    bool ok = true;
    for (size_t i = 0; ok && i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        ok = !strstr(node->type, "Quantize") && strncmp(node->type, "QLinear", strlen("QLinear")) != 0 &&
             !strstr(node->type, "Integer");
        for (size_t k = 0; ok && k < node->input_count; k++)
            ok = !node->inputs[k] || !node->inputs[k]->quantisation;
        if (!ok)
            node_error(net, node, "the network is quantised already; give the network of floats");
    }
    return ok;
}

/* The constant that a sum adds to each row of a product; NULL: it does not. */
static struct tensor *row_of(const struct node *sum, const struct tensor *product, const struct tensor *w)
{
    if (!is_op(sum, "Add") || !is_plain(sum))
        return NULL;
    struct tensor *t = sum->inputs[sum->inputs[0] == product];
    const struct shape *s = t ? t->shape : NULL;
    if (!has_reals(t) || !s || s->rank < 1 || s->rank > 2 ||
        !dim_equal(s->dim[s->rank - 1], w->shape->dim[1]) || (s->rank == 2 && !dim_is(s->dim[0], 1)))
        return NULL;
    return t;
}

/* A product of a matrix and constant weights, and a sum with a row, are a Gemm, which has one rounding less.
 */
static void join_bias(struct edit *e, struct node *product)
{
    const struct tensor *x = product->inputs[0], *w = product->inputs[1];
    struct node *sum = sole_user(e, product->outputs[0]);
    if (!is_plain(product) || !has_reals(w) || w->shape->rank != 2 || !takes_real(x) || !x->shape ||
        x->shape->rank != 2 || !sum)
        return;
    size_t count = 0;
    struct tensor *row = row_of(sum, product->outputs[0], w);
    const struct shape list = {.rank = 1, .dim = {w->shape->dim[1]}};
    double *numbers = row ? edit_reals(e, row, &count) : NULL;
    struct tensor *bias = numbers ? edit_floats(e, row->name, &list, numbers) : NULL;
    struct node *gemm = bias ? edit_node_behind(e, sum, "Gemm", 3, sum->outputs[0]) : NULL;
    free(numbers);
    if (!gemm)
        return;
    memcpy(gemm->inputs, product->inputs, 2 * sizeof(struct tensor *));
    gemm->inputs[2] = bias;
    gemm->name = product->name;
    gemm->outputs[0] = sum->outputs[0];
    edit_drop(e, sum);
    edit_drop(e, product);
    e->changes++;
}

static bool join_biases(struct edit *e)
{
    for (size_t i = 0; !e->failed && i < e->net->node_count; i++)
        if (is_op(e->net->nodes[i], "MatMul"))
            join_bias(e, e->net->nodes[i]);
    return !e->failed;
}

static bool raise_opset(struct edit *e)
{
    const unsigned before = e->net->opset;
    if (opset_raise(e, OPSET_RAISED))
        return true;
    diag_error(
        e->net->diag, (struct place){.file = e->net->source[0].path},
        "it has operator set %u, and one of its operators means something else in %d, which has scales "
        "for each channel; export it with that one",
        before, OPSET_RAISED);
    return false;
}

static bool no_layers(const struct quantiser *q)
{
    bool plain = true;
    for (size_t i = 0; i < q->net->node_count; i++)
        plain = plain && is_plain(q->net->nodes[i]);
    diag_error(q->diag, (struct place){.file = q->net->source[0].path},
               "it has no convolution or matrix product of floats with constant weights%s",
               plain ? "" : " in ONNX's form; write it as ONNX first, with tulle net convert");
    return false;
}

bool quantiser_layers(struct quantiser *q)
{
    static const char *const list[] = {"identities", "constants", "scales", "pads", "dead", NULL};
    const struct pass raise = {"quantise", NULL, raise_opset}, join = {"quantise", NULL, join_biases},
                      find = {"quantise", NULL, find_layers};
    size_t changes;
    q->net->diag = q->diag;
    if (!not_quantised(q->net) || !pass_run_with(q->net, &raise, q, &changes, q->diag) ||
        !passes_settle(q->net, list, q->diag) || !pass_run_with(q->net, &join, q, &changes, q->diag) ||
        !pass_run_with(q->net, &find, q, &changes, q->diag))
        return false;
    return q->layer_count || no_layers(q);
}
