/* SPDX-License-Identifier: Apache-2.0
 *
 * What multiplies each channel of a convolution's result by a constant, or adds one,
 * goes into its weights and bias: BatchNormalization, Mul, Div, Add and Sub, also
 * several in a row. Weights are rounded to float once. Every weight, and so every
 * product, changes by at most 2^-24 of itself: results differ by at most 2^-23 of the
 * sum of their products' magnitudes, and by the roundings that are saved.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/list.h"

/* y = factor * x + sum, for each channel. */
struct affine {
    size_t channels;
    double *factor, *sum;
};

static bool make(struct edit *e, struct affine *a, size_t channels)
{
    *a =
        (struct affine){channels, calloc(channels + 1, sizeof(double)), calloc(channels + 1, sizeof(double))};
    e->failed |= !a->factor || !a->sum;
    for (size_t i = 0; !e->failed && i < channels; i++)
        a->factor[i] = 1;
    return !e->failed;
}

/* Whether a constant has a number for each channel, or one for all, when broadcast to the tensor. */
static bool is_for_channels(const struct tensor *t, const struct tensor *to, size_t channels)
{
    const int rank = t->shape ? t->shape->rank : -1, wanted = to->shape ? to->shape->rank : -1;
    if (rank < 0 || wanted < 2 || rank > wanted)
        return false;
    for (int i = 0; i < rank; i++) {
        const int axis = wanted - rank + i;
        if (!dim_is(t->shape->dim[i], 1) && (axis != 1 || !dim_is(t->shape->dim[i], (int64_t)channels)))
            return false;
    }
    return true;
}

/* The constant operand of an arithmetic node; `at`: which it is. To be freed. */
static double *constant_operand(struct edit *e, const struct node *node, size_t channels, size_t *at,
                                size_t *count)
{
    for (*at = 0; *at < 2; (*at)++)
        if (has_values(input_of(node, *at)) && !has_values(input_of(node, 1 - *at)) &&
            is_for_channels(input_of(node, *at), input_of(node, 1 - *at), channels))
            return edit_reals(e, node->inputs[*at], count);
    return NULL;
}

static bool add_arithmetic(struct edit *e, const struct node *node, struct affine *a)
{
    size_t at, count = 0;
    if (e->net->opset < 7 || node->input_count != 2)
        return false;
    const bool is_mul = is_op(node, "Mul"), is_div = is_op(node, "Div"), is_sub = is_op(node, "Sub");
    double *c = constant_operand(e, node, a->channels, &at, &count);
    bool ok = c && !(is_div && at == 0);
    for (size_t i = 0; ok && is_div && i < count; i++)
        ok = c[i] != 0;
    for (size_t i = 0; ok && i < a->channels; i++) {
        const double value = c[count > 1 ? i : 0];
        const double times = is_mul ? value : is_div ? 1 / value : is_sub && at == 0 ? -1 : 1;
        a->factor[i] *= times;
        a->sum[i] = a->sum[i] * times + (is_mul || is_div ? 0 : is_sub && at == 1 ? -value : value);
    }
    free(c);
    return ok;
}

static bool add_normalisation(struct edit *e, const struct node *node, struct affine *a)
{
    double *c[4];
    size_t count = 0;
    bool ok = node->output_count == 1 && !node_integer(node, "training_mode") &&
              (e->net->opset >= 9 || node_integer(node, "spatial")) &&
              (e->net->opset >= 7 || node_integer(node, "is_test"));
    for (size_t i = 0; i < 4; i++) {
        c[i] = edit_reals(e, input_of(node, i + 1), &count);
        ok = ok && c[i] && count == a->channels;
    }
    for (size_t i = 0; ok && i < a->channels; i++) {
        const double times = c[0][i] / sqrt(c[3][i] + node_real(node, "epsilon"));
        a->factor[i] *= times;
        a->sum[i] = (a->sum[i] - c[2][i]) * times + c[1][i];
        ok = isfinite(times);
    }
    for (size_t i = 0; i < 4; i++)
        free(c[i]);
    return ok;
}

static bool add_node(struct edit *e, const struct node *node, struct affine *a)
{
    if (is_op(node, "BatchNormalization"))
        return add_normalisation(e, node, a);
    if (is_op(node, "Mul") || is_op(node, "Div") || is_op(node, "Add") || is_op(node, "Sub"))
        return is_plain(node) && add_arithmetic(e, node, a);
    return false;
}

/* ---- into the convolution ------------------------------------------------------------------------ */

static bool put_weights(struct edit *e, struct node *conv, const struct affine *a, bool transposed)
{
    size_t count;
    const struct tensor *t = conv->inputs[1];
    double *w = edit_reals(e, t, &count);
    if (!w)
        return false;
    const size_t inputs = transposed ? (size_t)t->shape->dim[0].value : 1;
    const size_t each = inputs && a->channels ? count / inputs / a->channels : 0;
    for (size_t i = 0; each && i < count; i++)
        w[i] *= a->factor[i / each % a->channels];
    struct tensor *made = edit_floats(e, t->name, t->shape, w);
    free(w);
    if (made) {
        conv->inputs[1]->users--;
        conv->inputs[1] = made;
        made->users++;
    }
    return made != NULL;
}

static bool put_bias(struct edit *e, struct node *conv, const struct affine *a)
{
    struct tensor *old = input_of(conv, 2);
    size_t count;
    double *b = old ? edit_reals(e, old, &count) : calloc(a->channels + 1, sizeof *b);
    for (size_t i = 0; b && i < a->channels; i++)
        b[i] = b[i] * a->factor[i] + a->sum[i];
    const bool ok = edit_put_bias(e, conv, a->channels, b);
    free(b);
    return ok;
}

/* Channels of a convolution that can take factors; 0: none. */
static size_t channels_of(const struct node *conv)
{
    const bool transposed = is_op(conv, "ConvTranspose");
    const struct tensor *w = input_of(conv, 1), *b = input_of(conv, 2);
    if ((!transposed && !is_op(conv, "Conv")) || !is_plain(conv) || !has_values(w) || w->type != NET_FLOAT ||
        !w->shape || w->shape->rank < 2 || (transposed && node_integer(conv, "group") != 1) ||
        (b && (!has_values(b) || b->type != NET_FLOAT)) || conv->outputs[0]->quantisation)
        return 0;
    return (size_t)w->shape->dim[transposed].value;
}

/* As add_node(); what it was stays when the node is none. */
static bool try_node(struct edit *e, const struct node *node, struct affine *a)
{
    const size_t bytes = a->channels * sizeof(double);
    double *kept = malloc(2 * bytes + 1);
    e->failed |= !kept;
    if (!kept)
        return false;
    memcpy(kept, a->factor, bytes);
    memcpy(kept + a->channels, a->sum, bytes);
    const bool taken = !node->outputs[0]->quantisation && add_node(e, node, a);
    if (!taken) {
        memcpy(a->factor, kept, bytes);
        memcpy(a->sum, kept + a->channels, bytes);
    }
    free(kept);
    return taken;
}

static void fuse(struct edit *e, struct node *conv, struct affine *a)
{
    struct node *last = NULL, *next = sole_user(e, conv->outputs[0]);
    while (next && try_node(e, next, a)) {
        if (last)
            edit_drop(e, last);
        last = next;
        next = sole_user(e, last->outputs[0]);
    }
    if (last && put_weights(e, conv, a, is_op(conv, "ConvTranspose")) && put_bias(e, conv, a)) {
        edit_drop(e, last);
        conv->outputs[0] = last->outputs[0];
        e->changes++;
    }
}

bool pass_scales(struct edit *e)
{
    for (size_t i = 0; !e->failed && i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        struct affine a;
        const size_t channels = node->gone || !node->output_count ? 0 : channels_of(node);
        if (!channels)
            continue;
        if (make(e, &a, channels))
            fuse(e, node, &a);
        free(a.factor);
        free(a.sum);
    }
    return !e->failed;
}
