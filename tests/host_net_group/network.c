/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net_group/network.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY (1U << 22)

unsigned drawn_networks(unsigned usual)
{
    const char *more = getenv("TULLE_GROUP_NETWORKS");
    return more ? (unsigned)strtoul(more, NULL, 10) : usual;
}

/* A value while the network grows. */
struct value {
    struct tensor *tensor;
    int64_t size[2], channels;
};

struct drawing {
    struct random *random;
    struct net *net;
    bool last; /* channels are the last dimension, and tensors are scaled */
    unsigned constants;
};

static int64_t pick(struct drawing *d, unsigned low, unsigned high)
{
    return (int64_t)random_range(d->random, low, high);
}

/* ---- tensors ---------------------------------------------------------------------------------------- */

static struct tensor *new_tensor(struct drawing *d, const char *like, enum net_type type, int rank,
                                 const int64_t *dims)
{
    struct tensor *t = net_new_tensor(d->net, like);
    struct shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++)
        shape.dim[i] = dim_number(dims[i]);
    cr_assert(t && net_shape(d->net, t, &shape));
    t->type = type;
    return t;
}

static void set_scale(struct drawing *d, struct tensor *t, float scale, int32_t zero)
{
    struct quantisation *q = arena_take(&d->net->arena, 1, sizeof *q);
    float *scales = arena_take(&d->net->arena, 1, sizeof *scales);
    int32_t *zeros = arena_take(&d->net->arena, 1, sizeof *zeros);
    cr_assert(q && scales && zeros);
    *scales = scale;
    *zeros = zero;
    *q = (struct quantisation){1, 0, scales, zeros};
    t->quantisation = q;
}

/* An image between layers. */
static struct value new_value(struct drawing *d, int64_t high, int64_t wide, int64_t channels)
{
    const int64_t last[] = {1, high, wide, channels}, first[] = {1, channels, high, wide};
    struct value v = {.size = {high, wide}, .channels = channels};
    v.tensor = new_tensor(d, "t", d->last ? NET_INT8 : NET_FLOAT, 4, d->last ? last : first);
    if (d->last)
        set_scale(d, v.tensor, 0.5F, (int32_t)pick(d, 0, 20) - 10);
    return v;
}

/* Small numbers, so that few results are at the limits. */
static struct tensor *constant(struct drawing *d, enum net_type type, int rank, const int64_t *dims,
                               float scale)
{
    struct tensor *t = new_tensor(d, "c", type, rank, dims);
    size_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    const size_t bytes = (size_t)net_type_bytes(type, count);
    uint8_t *at = arena_take(&d->net->arena, bytes, 1);
    cr_assert(at);
    for (size_t i = 0; i < count; i++) {
        const int32_t number = (int32_t)pick(d, 0, 60) - 30;
        const float real = (float)number / 16;
        if (type == NET_INT8)
            at[i] = (uint8_t)number;
        else
            memcpy(at + 4 * i, type == NET_FLOAT ? (const void *)&real : &number, 4);
    }
    t->constant = true;
    t->values = (struct values){.at = at, .size = bytes};
    if (d->last)
        set_scale(d, t, scale, 0);
    return t;
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static struct node *begin(struct drawing *d, const char *type, size_t inputs, struct tensor *first)
{
    struct node *node = net_node(d->net, type, inputs, 1);
    cr_assert(node);
    node->op = operator_find("", type, d->net->opset);
    node->inputs[0] = first;
    return node;
}

static struct value end(struct drawing *d, struct node *node, struct value v)
{
    node->outputs[0] = v.tensor;
    cr_assert(net_add_node(d->net, node));
    return v;
}

static void set_layout(struct drawing *d, struct node *node)
{
    cr_assert(!d->last || node_set_text(d->net, node, "layout", "NHWC"));
}

struct window {
    int64_t kernel[2], stride[2], dilation[2], pads[4], result[2];
    bool same; /* as auto_pad says */
};

/* One that the image has room for; `keeps`: the result has the image's size. */
static struct window draw_window(struct drawing *d, const struct value *x, bool keeps)
{
    struct window w = {.same = keeps || random_chance(d->random, 30)};
    for (int i = 0; i < 2; i++) {
        w.kernel[i] = pick(d, 1, x->size[i] < 3 ? (unsigned)x->size[i] : 3);
        w.stride[i] = keeps || x->size[i] < 4 ? 1 : pick(d, 0, 2) ? 1 : pick(d, 1, 3);
        w.dilation[i] = x->size[i] > 4 && !pick(d, 0, 3) ? 2 : 1;
        const int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
        w.pads[i] = pick(d, 0, (unsigned)(reach - 1 > 2 ? 2 : reach - 1));
        w.pads[2 + i] = pick(d, 0, (unsigned)(reach - 1 > 2 ? 2 : reach - 1));
        const int64_t room = x->size[i] + w.pads[i] + w.pads[2 + i] - reach;
        w.result[i] = w.same ? (x->size[i] + w.stride[i] - 1) / w.stride[i] : room / w.stride[i] + 1;
    }
    return w;
}

static void set_window(struct drawing *d, struct node *node, const struct window *w, bool dilates)
{
    bool ok = node_set_integers(d->net, node, "kernel_shape", w->kernel, 2) &&
              node_set_integers(d->net, node, "strides", w->stride, 2);
    ok = ok && (!dilates || node_set_integers(d->net, node, "dilations", w->dilation, 2));
    ok = ok && (w->same ? node_set_text(d->net, node, "auto_pad", pick(d, 0, 1) ? "SAME_UPPER" : "SAME_LOWER")
                        : node_set_integers(d->net, node, "pads", w->pads, 4));
    cr_assert(ok);
    set_layout(d, node);
}

static struct value convolve(struct drawing *d, struct value x, bool keeps, int64_t channels)
{
    const struct window w = draw_window(d, &x, keeps);
    const bool each = channels == x.channels && pick(d, 0, 2) == 0;
    const int64_t in = each ? 1 : x.channels, ohwi[] = {channels, w.kernel[0], w.kernel[1], in},
                  oihw[] = {channels, in, w.kernel[0], w.kernel[1]}, bias[] = {channels};
    struct node *node = begin(d, "Conv", 3, x.tensor);
    set_window(d, node, &w, true);
    cr_assert(node_set_integer(d->net, node, "group", each ? channels : 1));
    cr_assert(!d->last || node_set_text(d->net, node, "weights_layout", "OHWI"));
    node->inputs[1] = constant(d, d->last ? NET_INT8 : NET_FLOAT, 4, d->last ? ohwi : oihw, 0.03125F);
    node->inputs[2] = constant(d, d->last ? NET_INT32 : NET_FLOAT, 1, bias, 0.5F * 0.03125F);
    return end(d, node, new_value(d, w.result[0], w.result[1], channels));
}

static struct value pool(struct drawing *d, struct value x)
{
    const bool most = pick(d, 0, 1);
    struct window w = draw_window(d, &x, false);
    for (int i = 0; i < 2; i++) {
        w.dilation[i] = 1;
        w.pads[i] = w.pads[2 + i] = w.kernel[i] > 1;
        if (!w.same)
            w.result[i] = (x.size[i] + w.pads[i] + w.pads[2 + i] - w.kernel[i]) / w.stride[i] + 1;
    }
    struct node *node = begin(d, most ? "MaxPool" : "AveragePool", 1, x.tensor);
    set_window(d, node, &w, false);
    struct value y = new_value(d, w.result[0], w.result[1], x.channels);
    if (d->last)
        y.tensor->quantisation = x.tensor->quantisation;
    return end(d, node, y);
}

static struct value relu(struct drawing *d, struct value x)
{
    struct value y = new_value(d, x.size[0], x.size[1], x.channels);
    if (d->last)
        y.tensor->quantisation = x.tensor->quantisation;
    return end(d, begin(d, "Relu", 1, x.tensor), y);
}

static struct value join(struct drawing *d, struct value a, struct value b, const char *type)
{
    const bool beside = !strcmp(type, "Concat");
    struct node *node = begin(d, type, 2, a.tensor);
    node->inputs[1] = b.tensor;
    cr_assert(!beside || node_set_integer(d->net, node, "axis", d->last ? 3 : 1));
    return end(d, node, new_value(d, a.size[0], a.size[1], a.channels + (beside ? b.channels : 0)));
}

/* ---- pieces ----------------------------------------------------------------------------------------- */

static struct value chain(struct drawing *d, struct value x)
{
    if (pick(d, 0, 3) == 0)
        return pool(d, x);
    x = convolve(d, x, false, pick(d, 1, 4));
    return pick(d, 0, 1) ? relu(d, x) : x;
}

static struct value residual(struct drawing *d, struct value x)
{
    struct value y = convolve(d, x, true, pick(d, 1, 4));
    y = pick(d, 0, 1) ? relu(d, y) : y;
    y = convolve(d, y, true, x.channels);
    return join(d, y, pick(d, 0, 2) ? x : convolve(d, x, true, x.channels), pick(d, 0, 2) ? "Add" : "Concat");
}

/* A second input, of the size of what there is. */
static struct value inverse(struct drawing *d, struct value x)
{
    struct value other = new_value(d, x.size[0], x.size[1], pick(d, 1, 3));
    cr_assert(net_add_input(d->net, other.tensor));
    const struct value a = convolve(d, x, true, x.channels), b = convolve(d, other, true, x.channels);
    return join(d, a, b, pick(d, 0, 1) ? "Add" : "Concat");
}

/* Channels are scaled by what the whole image says. */
static struct value squeeze(struct drawing *d, struct value x)
{
    const int64_t rows[] = {d->last ? 1 : 2, d->last ? 2 : 3};
    struct node *node = begin(d, "ReduceMean", 1, x.tensor);
    cr_assert(node_set_integers(d->net, node, "axes", rows, 2));
    struct value mean = end(d, node, new_value(d, 1, 1, x.channels));
    mean = convolve(d, mean, true, x.channels);
    return join(d, x, mean, "Mul");
}

static struct value draw_piece(struct drawing *d, struct value x, unsigned kinds)
{
    unsigned kind;
    do
        kind = (unsigned)pick(d, 0, DRAW_KINDS - 1);
    while (!(kinds >> kind & 1));
    switch (kind) {
    case DRAW_JOIN:
        return inverse(d, x);
    case DRAW_RESIDUAL:
        return residual(d, x);
    case DRAW_SQUEEZE:
        return squeeze(d, x);
    default:
        return chain(d, x);
    }
}

struct net *draw_network(struct random *random, unsigned pieces, unsigned kinds, unsigned size)
{
    struct drawing d = {.random = random, .net = net_new(MEMORY), .last = random_chance(random, 60)};
    struct diag diag = {0};
    cr_assert(d.net);
    d.net->opset = 13;
    d.net->format = d.last ? "TFLite" : "ONNX";
    d.net->name = "drawn";
    d.net->source[0].path = "drawn";
    struct value x =
        new_value(&d, pick(&d, size / 2 + 1, size), pick(&d, size / 2 + 1, size), pick(&d, 1, 3));
    cr_assert(net_add_input(d.net, x.tensor));
    for (unsigned i = 0; i < pieces; i++) {
        x = draw_piece(&d, x, kinds);
        if (i + 1 < pieces && random_chance(random, 15))
            cr_assert(net_add_output(d.net, x.tensor));
    }
    cr_assert(net_add_output(d.net, x.tensor));
    d.net->diag = &diag;
    cr_assert(derive_net(d.net), "%s", sb_text(&diag.text));
    d.net->diag = NULL;
    return d.net;
}

/* ---- runs ------------------------------------------------------------------------------------------ */

static void set_input(struct run *run, struct tensor *input, struct random *random, const struct diag *diag)
{
    struct view v = {.type = input->type, .rank = input->shape->rank, .count = 1};
    for (int k = 0; k < v.rank; k++) {
        v.dim[k] = input->shape->dim[k].value;
        v.count *= (size_t)v.dim[k];
    }
    float *numbers = calloc(v.count, sizeof *numbers);
    for (size_t i = 0; i < v.count; i++)
        if (v.type == NET_FLOAT)
            numbers[i] = ((float)random_range(random, 0, 4000) - 2000) / 1000;
        else
            ((int8_t *)numbers)[i] = (int8_t)random_next(random);
    v.data = numbers;
    cr_assert(run_set(run, input, &v), "%s", sb_text(&diag->text));
    free(numbers);
}

struct run *complete_run(struct net *net, uint64_t seed, struct diag *diag)
{
    struct random random = {seed};
    struct run *run = run_new(net, diag);
    for (size_t i = 0; i < net->input_count; i++)
        set_input(run, net->inputs[i], &random, diag);
    cr_assert(run_nodes(run), "%s", sb_text(&diag->text));
    return run;
}

struct drawn_outputs copy_outputs(struct run *run, const struct net *net)
{
    struct drawn_outputs to = {.count = net->output_count,
                               .view = calloc(net->output_count, sizeof *to.view)};
    for (size_t i = 0; i < to.count; i++) {
        struct view *v = &to.view[i];
        cr_assert(run_get(run, net->outputs[i], v));
        const size_t bytes = (size_t)net_type_bytes(v->type, v->count);
        void *copy = malloc(bytes + 1);
        memcpy(copy, v->data, bytes);
        v->data = copy;
    }
    return to;
}

struct drawn_outputs run_drawn(struct net *net, uint64_t seed)
{
    struct diag diag = {0};
    struct run *run = complete_run(net, seed, &diag);
    struct drawn_outputs to = copy_outputs(run, net);
    run_free(run);
    return to;
}

void free_drawn(struct drawn_outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        free(outputs->view[i].data);
    free(outputs->view);
}

bool same_drawn(const struct drawn_outputs *a, const struct drawn_outputs *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct view *x = &a->view[i], *y = &b->view[i];
        same = x->type == y->type && x->rank == y->rank &&
               !memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim) &&
               !memcmp(x->data, y->data, (size_t)net_type_bytes(x->type, x->count));
    }
    return same;
}
