/* SPDX-License-Identifier: Apache-2.0
 *
 * A Pad of height and width by what a window takes beyond the image goes into the
 * window: 0 for Conv and for AveragePool, which then counts it, minus infinity for
 * MaxPool, the zero point for QLinearConv and ConvInteger, and for Conv of scaled
 * tensors. All results stay the same to the bit.
 */
#include <math.h>
#include <string.h>

#include "host/net/cpu/scaled.h"
#include "host/net/pass/list.h"

enum { SPATIAL = NET_RANK_MAX - 2 };

/* What a Pad adds before and behind each dimension, of which the window's begin at `first`. False: not known,
 * not constant, or also to others. */
static bool pads_of(struct edit *e, const struct node *pad, int rank, int first, int64_t to[2 * NET_RANK_MAX])
{
    size_t count;
    unsigned few_count = 0;
    const int64_t *list = node_integers(pad, e->net->opset < 2 ? "paddings" : "pads", &count);
    const struct dim *few = input_of(pad, 1) ? derive_few(e->net, input_of(pad, 1), &few_count) : NULL;
    if (!proto_is(node_text(pad, "mode"), "constant") || input_of(pad, 3) || rank < 3 ||
        (few ? few_count : count) != 2 * (size_t)rank)
        return false;
    for (int i = 0; i < 2 * rank; i++) {
        if (few && few[i].term)
            return false;
        to[i] = few ? few[i].value : list[i];
        if (to[i] < 0 || (to[i] && (i % rank < first || i % rank >= first + rank - 2)))
            return false;
    }
    return true;
}

/* The number that a Pad writes. */
static bool value_of(const struct node *pad, double *value)
{
    const struct tensor *t = input_of(pad, 2);
    *value = node_real(pad, "value");
    return !t || edit_number(t, value);
}

/* The number that Conv takes beyond the image; a scaled image has one zero point, which the Pad keeps. */
static bool takes_zero(const struct node *pad, double value)
{
    const struct tensor *from = input_of(pad, 0), *to = pad->outputs[0];
    const struct quantisation *q = from->quantisation;
    if (!q || !to->quantisation)
        return !q && !to->quantisation && value == 0;
    return q->count == 1 && same_scale(from, to) && value == (double)q->zero[0];
}

/* Whether the window takes that number beyond the image. */
static bool takes(const struct node *window, const struct node *pad, double value)
{
    double zero = 0;
    size_t at = 0;
    if (is_op(window, "Conv"))
        return takes_zero(pad, value);
    if (!is_plain(window) || input_of(pad, 0)->quantisation)
        return false;
    if (is_op(window, "MaxPool"))
        return isinf(value) && value < 0 && window->outputs[0]->type == NET_FLOAT &&
               window->output_count == 1;
    if (is_op(window, "QLinearConv") || is_op(window, "ConvInteger"))
        at = 2;
    else
        return is_op(window, "AveragePool") && value == 0 && !node_integer(window, "ceil_mode");
    return (!input_of(window, at) || edit_number(input_of(window, at), &zero)) && value == zero;
}

static bool all_zero(const int64_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i])
            return false;
    return true;
}

static void fuse(struct edit *e, struct node *window)
{
    int64_t pads[2 * NET_RANK_MAX] = {0}, sum[2 * SPATIAL];
    size_t count;
    double value;
    struct node *pad = sole_producer(input_of(window, 0));
    const struct tensor *from = is_op(pad, "Pad") ? input_of(pad, 0) : NULL;
    const int rank = from && from->shape ? from->shape->rank : 0;
    const struct proto_text automatic = node_text(window, "auto_pad");
    const int64_t *own = node_integers(window, "pads", &count);
    const bool counts = is_op(window, "AveragePool");
    const size_t spatial = rank > 2 ? (size_t)rank - 2 : 0;
    const int first = proto_is(node_text(window, "layout"), "NHWC") ? 1 : 2;
    if (!rank || !(proto_is(automatic, "NOTSET") || proto_is(automatic, "VALID")) ||
        (own && count != 2 * spatial) || !value_of(pad, &value) || !takes(window, pad, value) ||
        !pads_of(e, pad, rank, first, pads))
        return;
    /* The window's own padding would count, too. */
    if (counts && own && !all_zero(own, count) && !node_integer(window, "count_include_pad"))
        return;
    if (counts && e->net->opset < 7)
        return;
    const bool has_own = own && proto_is(automatic, "NOTSET");
    for (size_t i = 0; i < spatial; i++) {
        sum[i] = pads[(size_t)first + i] + (has_own ? own[i] : 0);
        sum[spatial + i] = pads[(size_t)(rank + first) + i] + (has_own ? own[spatial + i] : 0);
    }
    e->failed |= !node_set_text(e->net, window, "auto_pad", "NOTSET") ||
                 !node_set_integers(e->net, window, "pads", sum, 2 * spatial) ||
                 (counts && !node_set_integer(e->net, window, "count_include_pad", 1));
    if (!e->failed)
        edit_bypass(e, pad, pad->inputs[0]);
}

bool pass_pads(struct edit *e)
{
    for (size_t i = 0; !e->failed && i < e->net->node_count; i++)
        if (!e->net->nodes[i]->gone && e->net->nodes[i]->input_count)
            fuse(e, e->net->nodes[i]);
    return !e->failed;
}
