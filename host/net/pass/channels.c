/* SPDX-License-Identifier: Apache-2.0
 *
 * Dead channels go: those that nothing reads, and those that are constant, whose part
 * of each sum behind them goes into its bias. Constants are what weights that are all
 * zero leave, behind functions and pools as well. All results stay the same to the
 * bit: sums of integers are exact, and of floats only constants that are 0 go. At
 * borders a constant meets padding, so it has to be the zero point there.
 *
 * Graphs of TFLite have their channels in the last dimension, others in the second one.
 * Channels belong together where functions, pools, depthwise layers, sums, Concat or
 * Flatten lie between their tensors: they go together, or stay.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/cpu.h"
#include "host/net/pass/list.h"
#include "host/net/pass/weights.h"

/* What a channel of a tensor is. */
struct channel {
    struct channel *parent; /* in the end the one that stands for all that belong together */
    double value;           /* of a constant one */
    bool constant, gone;
    bool needed; /* of the one that stands for all: by somebody */
};

/* A tensor. */
struct site {
    struct tensor *tensor;
    size_t channels; /* 0: not known */
    struct channel *channel;
};

struct sites {
    struct edit *e;
    struct site *list;
    struct site **sorted; /* by the addresses of their tensors */
    size_t count;
    bool valued; /* what constants are is known */
    bool last;   /* channels are the last dimension, as TFLite's */
};

/* Products of bytes, so many that their sum fits a bias. */
enum { TERMS_MOST = 1 << 14 };

/* A layer with weights of all input channels, or of one for each result; a node whose channels are those of
 * its operands; one that moves channels. */
enum role { ROLE_OTHER, ROLE_DENSE, ROLE_EACH, ROLE_ALONG, ROLE_FLATTEN, ROLE_CONCAT };

/* ---- sites --------------------------------------------------------------------------------------- */

static struct channel *root_of(struct channel *c)
{
    while (c->parent != c) {
        c->parent = c->parent->parent;
        c = c->parent;
    }
    return c;
}

static int by_tensor(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)(*(struct site *const *)a)->tensor,
                    y = (uintptr_t)(*(struct site *const *)b)->tensor;
    return (x > y) - (x < y);
}

static struct site *site_of(const struct sites *s, struct tensor *t)
{
    struct site wanted = {.tensor = t}, *key = &wanted,
                **found = bsearch(&key, s->sorted, s->count, sizeof(struct site *), by_tensor);
    return found ? *found : NULL;
}

static void free_sites(struct sites *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->list[i].channel);
    free(s->sorted);
    free(s->list);
}

static void keep_all(const struct site *site)
{
    for (size_t c = 0; c < site->channels; c++)
        root_of(&site->channel[c])->needed = true;
}

/* The dimension of channels. */
static int axis_of(const struct sites *s, const struct tensor *t)
{
    return s->last ? t->shape->rank - 1 : 1;
}

/* TFLite's layers of 16 bits have biases of 64, which stay as they are. */
static bool has_other_numbers(const struct sites *s, const struct tensor *t)
{
    const struct quantisation *q = t->quantisation;
    return q && (!s->last || q->count != 1 || net_type_bytes(t->type, 1) != 1);
}

static bool make_site(const struct sites *s, struct site *site, struct tensor *t)
{
    const bool known = t->shape && t->shape->rank > 1 && !t->shape->dim[axis_of(s, t)].term && !has_values(t);
    *site = (struct site){.tensor = t, .channels = known ? (size_t)t->shape->dim[axis_of(s, t)].value : 0};
    site->channel = calloc(site->channels + 1, sizeof *site->channel);
    if (!site->channel)
        return false;
    for (size_t c = 0; c < site->channels; c++)
        site->channel[c].parent = &site->channel[c];
    if (t->input || t->output || t->variable || has_other_numbers(s, t))
        keep_all(site);
    return true;
}

static bool make_sites(struct sites *s)
{
    const struct net *net = s->e->net;
    s->list = calloc(net->tensor_count + 1, sizeof *s->list);
    s->sorted = calloc(net->tensor_count + 1, sizeof(struct site *));
    s->e->failed |= !s->list || !s->sorted;
    while (!s->e->failed && s->count < net->tensor_count) {
        s->e->failed |= !make_site(s, &s->list[s->count], net->tensors[s->count]);
        s->sorted[s->count] = &s->list[s->count];
        s->count++;
    }
    if (!s->e->failed)
        qsort(s->sorted, s->count, sizeof(struct site *), by_tensor);
    return !s->e->failed;
}

static void tie(struct channel *a, struct channel *b)
{
    struct channel *to = root_of(a), *from = root_of(b);
    to->needed |= from->needed;
    from->parent = to;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static bool is_one_number(const struct tensor *t)
{
    double value;
    return !t || edit_number(t, &value);
}

/* Constant weights and biases. */
static enum role gemm_role(const struct node *node)
{
    const struct tensor *w = input_of(node, 1), *b = input_of(node, 2);
    const bool row = b && has_values(b) && b->shape &&
                     (b->shape->rank <= 1 || (b->shape->rank == 2 && dim_is(b->shape->dim[0], 1)));
    return has_values(w) && w->shape && w->shape->rank == 2 && !node_integer(node, "transA") && (!b || row)
               ? ROLE_DENSE
               : ROLE_OTHER;
}

static enum role convolution_role(const struct sites *s, const struct node *node)
{
    const struct places p = weights_places(node);
    const struct tensor *w = input_of(node, p.w), *x = input_of(node, 0), *b = input_of(node, p.bias);
    const int64_t groups = node_integer(node, "group");
    if (!has_values(w) || (b && !has_values(b)) || !w->shape || w->shape->rank < 3 || !x->shape ||
        x->shape->rank != w->shape->rank || !is_one_number(p.x_zero ? input_of(node, p.x_zero) : NULL) ||
        (p.w_zero && (!has_values(input_of(node, p.w_zero)) || !has_values(input_of(node, p.w_scale)))))
        return ROLE_OTHER;
    const bool each =
        dim_is(x->shape->dim[axis_of(s, x)], groups) && dim_is(w->shape->dim[p.outputs], groups);
    return p.inputs >= 0 && groups == 1 ? ROLE_DENSE : each ? ROLE_EACH : ROLE_OTHER;
}

/* The other operand of a node that joins two tensors; 0: it has none. */
static size_t other_operand(const struct node *node)
{
    const bool quantised = !strcmp(node->type, "QLinearAdd") || !strcmp(node->type, "QLinearMul");
    return quantised ? 3 : is_op(node, "Add") || is_op(node, "Sub") || is_op(node, "Mul") ? 1 : 0;
}

static bool same_sizes(const struct tensor *a, const struct tensor *b)
{
    bool same = a && b && a->shape && b->shape && a->shape->rank == b->shape->rank;
    for (int i = 0; same && i < a->shape->rank; i++)
        same = dim_equal(a->shape->dim[i], b->shape->dim[i]);
    return same;
}

/* Elements of a shape but for those along one dimension and the first; 0: not known. */
static int64_t others_of(const struct shape *shape, int axis)
{
    int64_t others = 1;
    for (int i = 1; i < shape->rank; i++)
        others *= i == axis ? 1 : shape->dim[i].term ? 0 : shape->dim[i].value;
    return others;
}

/* How many places of one input channel become channels; 0: it is no Flatten, or like one. */
static size_t flattened(const struct sites *s, const struct node *node)
{
    static const char *const types[] = {"Flatten", "Reshape", "Squeeze", "Unsqueeze"};
    const struct tensor *x = input_of(node, 0), *y = node->outputs[0];
    bool is = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is = is || is_op(node, types[i]);
    if (!is || !x->shape || !y->shape || x->shape->rank < 2 || y->shape->rank < 2 ||
        !dim_equal(x->shape->dim[0], y->shape->dim[0]) ||
        (is_op(node, "Reshape") && !has_values(input_of(node, 1))))
        return 0;
    const struct dim from = x->shape->dim[axis_of(s, x)], to = y->shape->dim[axis_of(s, y)];
    const int64_t places = others_of(x->shape, axis_of(s, x));
    return !from.term && others_of(y->shape, axis_of(s, y)) == 1 && dim_is(to, places * from.value)
               ? (size_t)places
               : 0;
}

/* Means of each channel. */
static bool keeps_channels(const struct sites *s, const struct node *node)
{
    const struct tensor *x = input_of(node, 0), *y = node->outputs[0], *list = input_of(node, 1);
    size_t count = 0;
    const int64_t *axes = node_integers(node, "axes", &count);
    struct value_reader reader;
    uint64_t bits;
    bool keeps = is_op(node, "ReduceMean") && x->shape && y->shape && y->shape->rank > 1 &&
                 (axes || (list && has_values(list))) && x->quantisation &&
                 dim_equal(x->shape->dim[axis_of(s, x)], y->shape->dim[axis_of(s, y)]);
    for (size_t i = 0; keeps && axes && i < count; i++)
        keeps = (axes[i] < 0 ? axes[i] + x->shape->rank : axes[i]) != axis_of(s, x);
    if (!keeps || axes)
        return keeps;
    for (reader = value_reader(list); keeps && value_next(&reader, &bits);) {
        const int64_t axis = value_integer(list->type, bits);
        keeps = (axis < 0 ? axis + x->shape->rank : axis) != axis_of(s, x);
    }
    return keeps;
}

static bool is_concat_of_channels(const struct sites *s, const struct node *node)
{
    const struct tensor *y = node->outputs[0];
    if (!is_op(node, "Concat") || !y->shape || y->shape->rank < 2)
        return false;
    const int64_t axis = node_integer(node, "axis");
    return (axis < 0 ? axis + y->shape->rank : axis) == axis_of(s, y);
}

/* What is in the order of dimensions that the graph has. */
static bool has_the_order(const struct sites *s, const struct node *node)
{
    return s->last ? !node_attribute(node, "layout") || proto_is(node_text(node, "layout"), "NHWC")
                   : !node_attribute(node, "layout") && !node_attribute(node, "weights_layout");
}

static enum role role_of(const struct sites *s, const struct node *node)
{
    static const char *const each[] = {
        "Relu",      "LeakyRelu",   "Sigmoid",  "Tanh",          "Elu",
        "HardSwish", "Identity",    "MaxPool",  "Clip",          "Max",
        "Min",       "AveragePool", "Softplus", "GlobalMaxPool", "GlobalAveragePool"};
    bool along = false;
    if (!has_the_order(s, node) || node->output_count != 1 || !node->input_count || !input_of(node, 0))
        return ROLE_OTHER;
    if (is_op(node, "Conv") || is_op(node, "QLinearConv"))
        return convolution_role(s, node);
    if (is_op(node, "Gemm"))
        return gemm_role(node);
    if (flattened(s, node))
        return ROLE_FLATTEN;
    if (is_concat_of_channels(s, node))
        return ROLE_CONCAT;
    if (keeps_channels(s, node))
        return ROLE_ALONG;
    if (other_operand(node))
        return same_sizes(input_of(node, 0), input_of(node, other_operand(node))) ? ROLE_ALONG : ROLE_OTHER;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        along = along || is_op(node, each[i]);
    for (size_t i = 1; i < node->input_count; i++)
        along = along && is_one_number(node->inputs[i]);
    return along ? ROLE_ALONG : ROLE_OTHER;
}

/* A node whose channels are those of its operands, moved or not: the channel of input `from` that channel c
 * of the result is. NULL: there is none, or it is not known. */
static struct channel *channel_behind(const struct sites *s, const struct node *node, enum role role,
                                      size_t c, bool second)
{
    const struct site *x;
    size_t from = second ? other_operand(node) : 0;
    if (role == ROLE_FLATTEN)
        c = s->last ? c % site_of(s, node->inputs[0])->channels : c / flattened(s, node);
    for (; role == ROLE_CONCAT && from < node->input_count; from++) {
        x = site_of(s, node->inputs[from]);
        if (c < x->channels)
            break;
        c -= x->channels;
    }
    x = from < node->input_count ? site_of(s, node->inputs[from]) : NULL;
    return x && c < x->channels ? &x->channel[c] : NULL;
}

static void tie_node(const struct sites *s, const struct node *node)
{
    const enum role role = role_of(s, node);
    const struct site *y = role == ROLE_OTHER ? NULL : site_of(s, node->outputs[0]);
    bool known = role == ROLE_DENSE || (y && y->channels);
    for (size_t c = 0; known && role != ROLE_DENSE && c < y->channels; c++) {
        struct channel *x = channel_behind(s, node, role, c, false),
                       *z = channel_behind(s, node, role, c, role == ROLE_ALONG);
        known = x && z;
        if (!known)
            break;
        tie(&y->channel[c], x);
        tie(&y->channel[c], z);
    }
    for (size_t i = 0; !known && i < node->input_count + node->output_count; i++) {
        struct tensor *t = i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        if (t)
            keep_all(site_of(s, t));
    }
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* Whether a part of the weights is 0: `step` numbers from one piece of so many to the next. */
static bool is_zero(const double *numbers, size_t pieces, size_t step, size_t length)
{
    for (size_t i = 0; i < pieces; i++)
        for (size_t k = 0; k < length; k++)
            if (numbers[i * step + k] != 0)
                return false;
    return true;
}

/* ---- constants ----------------------------------------------------------------------------------- */

static bool find_in_weights(const struct sites *s, const struct node *node, bool each)
{
    const struct site *x = site_of(s, node->inputs[0]), *y = site_of(s, node->outputs[0]);
    const bool padded = weights_meet_padding(node);
    struct weights w;
    bool any = false;
    if (!weights_read(s->e, node, &w))
        return false;
    for (size_t o = 0; o < w.outputs && o < y->channels; o++) {
        const size_t row = w.inputs * w.taps;
        const bool stays = each && o < x->channels && x->channel[o].constant;
        y->channel[o].constant =
            is_zero(w.numbers + o * row, 1, 0, row) ||
            (stays && (!padded || (s->valued && x->channel[o].value == weights_input_zero(node))));
        any |= y->channel[o].constant;
    }
    free(w.numbers);
    return any;
}

/* In the order of running. */
static bool find_constants(const struct sites *s)
{
    bool any = false;
    for (size_t i = 0; i < s->e->net->node_count; i++) {
        const struct node *node = s->e->net->nodes[i];
        const enum role role = role_of(s, node);
        if (role == ROLE_DENSE || role == ROLE_EACH)
            any |= find_in_weights(s, node, role == ROLE_EACH);
        if (role < ROLE_ALONG || (is_op(node, "AveragePool") && weights_meet_padding(node)))
            continue;
        const struct site *y = site_of(s, node->outputs[0]);
        for (size_t c = 0; c < y->channels; c++) {
            const struct channel *x = channel_behind(s, node, role, c, false),
                                 *z = channel_behind(s, node, role, c, role == ROLE_ALONG);
            y->channel[c].constant = x && z && x->constant && z->constant;
        }
    }
    return any;
}

static bool set_inputs(const struct sites *s, struct run *run)
{
    const struct net *net = s->e->net;
    bool ok = true;
    for (size_t i = 0; ok && i < net->input_count; i++) {
        struct view v = {.type = net->inputs[i]->type, .count = 1};
        const struct shape *shape = net->inputs[i]->shape;
        ok = shape != NULL;
        for (v.rank = 0; ok && v.rank < shape->rank; v.rank++) {
            v.dim[v.rank] = shape->dim[v.rank].value;
            ok = !shape->dim[v.rank].term;
            v.count *= (size_t)v.dim[v.rank];
        }
        v.data = ok ? calloc(v.count + 1, net_type_bytes(v.type, 1) + 1) : NULL;
        ok = v.data && run_set(run, net->inputs[i], &v);
        free(v.data);
    }
    return ok;
}

static double element(const struct view *v, size_t at)
{
    return v->type == NET_FLOAT  ? (double)((const float *)v->data)[at]
           : v->type == NET_INT8 ? ((const int8_t *)v->data)[at]
                                 : ((const uint8_t *)v->data)[at];
}

/* The numbers that constants have in any run. */
static bool find_values(struct sites *s)
{
    struct diag ignored = {0};
    struct run *run = run_new(s->e->net, &ignored);
    bool ok = run && set_inputs(s, run) && run_nodes(run);
    for (size_t i = 0; ok && i < s->count; i++) {
        const struct site *site = &s->list[i];
        struct view v;
        if (!site->channels || !run_get(run, site->tensor, &v) || v.count % site->channels ||
            (v.type != NET_FLOAT && v.type != NET_INT8 && v.type != NET_UINT8))
            continue;
        size_t pitch = 1;
        for (int k = axis_of(s, site->tensor) + 1; k < v.rank; k++)
            pitch *= (size_t)v.dim[k];
        for (size_t c = 0; c < site->channels && v.count; c++)
            site->channel[c].value = element(&v, c * pitch);
    }
    run_free(run);
    diag_free(&ignored);
    s->valued = ok;
    return ok;
}

/* ---- which go ------------------------------------------------------------------------------------ */

/* What a dense layer reads, and cannot have in its bias. */
static void find_needed(const struct sites *s, const struct node *node)
{
    const struct site *x = site_of(s, node->inputs[0]);
    const double zero = weights_input_zero(node);
    struct weights w;
    if (!weights_read(s->e, node, &w))
        return;
    const bool exact =
        x->tensor->type != NET_FLOAT && !weights_meet_padding(node) && w.inputs * w.taps <= TERMS_MOST;
    for (size_t c = 0; c < x->channels && c < w.inputs; c++)
        if (!(x->channel[c].constant && (exact || x->channel[c].value == zero)) &&
            !is_zero(w.numbers + c * w.taps, w.outputs, w.inputs * w.taps, w.taps))
            root_of(&x->channel[c])->needed = true;
    free(w.numbers);
}

static bool loses(const struct site *site)
{
    bool any = false;
    for (size_t c = 0; c < site->channels; c++)
        any |= site->channel[c].gone;
    return any;
}

/* One channel of each tensor stays, with those that belong to it. */
static void keep_one(const struct sites *s)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < s->count; i++) {
            const struct site *site = &s->list[i];
            bool any = !site->channels;
            for (size_t c = 0; c < site->channels; c++)
                any |= root_of(&site->channel[c])->needed;
            if (!any)
                root_of(&site->channel[0])->needed = again = true;
        }
    }
}

static bool choose(const struct sites *s)
{
    bool any = false;
    keep_one(s);
    for (size_t i = 0; i < s->count; i++) {
        const struct site *site = &s->list[i];
        for (size_t c = 0; c < site->channels; c++)
            site->channel[c].gone = !root_of(&site->channel[c])->needed;
        any |= loses(site);
    }
    return any;
}

/* ---- changes ------------------------------------------------------------------------------------- */

static void replace_input(struct edit *e, struct node *node, size_t at, struct tensor *by)
{
    e->failed |= !by;
    if (!by)
        return;
    node->inputs[at]->users--;
    node->inputs[at] = by;
    by->users++;
}

/* Scales without those of channels that are gone, where they are along that dimension. */
static bool shorten_scales(struct edit *e, struct tensor *t, int axis, const struct site *of)
{
    const struct quantisation *old = t->quantisation;
    if (!old || old->count != of->channels || (int)old->axis != axis || old->count == 1)
        return true;
    struct quantisation *q = arena_take(&e->net->arena, 1, sizeof *q);
    float *scale = arena_take(&e->net->arena, old->count, sizeof *scale);
    int32_t *zero = arena_take(&e->net->arena, old->count, sizeof *zero);
    if (!q || !scale || !zero)
        return false;
    *q = (struct quantisation){.axis = old->axis, .scale = scale, .zero = zero};
    for (size_t c = 0; c < of->channels; c++)
        if (!of->channel[c].gone) {
            scale[q->count] = old->scale[c];
            zero[q->count++] = old->zero[c];
        }
    t->quantisation = q;
    return true;
}

/* The constant without the channels that are gone, along a dimension. */
static void shorten(struct edit *e, struct node *node, size_t input, int axis, const struct site *of)
{
    const struct tensor *t = input_of(node, input);
    size_t count, inner = 1, kept = 0;
    if (!t || t->shape->rank <= axis || !dim_is(t->shape->dim[axis], (int64_t)of->channels))
        return;
    struct shape shape = net_shape_of(t);
    for (int i = axis + 1; i < shape.rank; i++)
        inner *= (size_t)shape.dim[i].value;
    double *numbers = weights_numbers(e, t, &count);
    for (size_t i = 0; numbers && i < count; i++)
        if (!of->channel[i / inner % of->channels].gone)
            numbers[kept++] = numbers[i];
    shape.dim[axis] = dim_number(count ? (int64_t)(kept * of->channels / count) : 0);
    struct tensor *shorter = numbers ? weights_constant(e, t, &shape, numbers, kept) : NULL;
    if (!shorter || !shorten_scales(e, shorter, axis, of))
        e->failed = true;
    else
        replace_input(e, node, input, shorter);
    free(numbers);
}

/* A bias of scaled products has their scales. */
static bool scale_bias(struct edit *e, const struct node *node, struct tensor *bias)
{
    const struct quantisation *x = node->inputs[0]->quantisation,
                              *w = x ? node->inputs[1]->quantisation : NULL;
    if (!w)
        return true;
    struct quantisation *q = arena_take(&e->net->arena, 1, sizeof *q);
    float *scale = arena_take(&e->net->arena, w->count, sizeof *scale);
    int32_t *zero = arena_take(&e->net->arena, w->count, sizeof *zero);
    if (!q || !scale || !zero)
        return false;
    for (unsigned i = 0; i < w->count; i++) {
        scale[i] = x->scale[0] * w->scale[i];
        zero[i] = 0;
    }
    *q = (struct quantisation){.count = w->count, .scale = scale, .zero = zero};
    bias->quantisation = q;
    return true;
}

/* A bias of zeros for a layer that has none. */
static bool give_bias(struct edit *e, struct node *node, const struct places *p)
{
    const size_t at = p->bias, channels = (size_t)node->inputs[p->w]->shape->dim[p->outputs].value;
    const struct shape shape = {.rank = 1, .dim = {dim_number((int64_t)channels)}};
    int32_t *zeros = calloc(channels + 1, sizeof *zeros);
    struct tensor **inputs = arena_take(&e->net->arena, at + 1, sizeof(struct tensor *)),
                  *bias = zeros ? edit_constant(e, node->inputs[p->w]->name, NET_INT32, &shape, zeros) : NULL;
    free(zeros);
    e->failed |= !inputs || !bias || !scale_bias(e, node, bias);
    if (e->failed)
        return false;
    memcpy(inputs, node->inputs, node->input_count * sizeof *inputs);
    inputs[at] = bias;
    bias->users++;
    node->inputs = inputs;
    node->input_count = at + 1;
    return true;
}

/* Adds what constants that go give to each sum. */
static void fold(struct edit *e, struct node *node, const struct site *x)
{
    const struct places p = weights_places(node);
    const double zero = weights_input_zero(node);
    struct weights w;
    size_t count;
    if (x->tensor->type == NET_FLOAT || (!input_of(node, p.bias) && !give_bias(e, node, &p)) ||
        !weights_read(e, node, &w))
        return;
    const struct tensor *old = node->inputs[p.bias];
    double *bias = weights_numbers(e, old, &count);
    for (size_t o = 0; !e->failed && o < count; o++)
        for (size_t i = 0; i < w.inputs * w.taps; i++)
            if (x->channel[i / w.taps].gone && x->channel[i / w.taps].constant)
                bias[o] += w.numbers[o * w.inputs * w.taps + i] * (x->channel[i / w.taps].value - zero);
    if (!e->failed)
        replace_input(e, node, p.bias, weights_constant(e, old, old->shape, bias, count));
    free(bias);
    free(w.numbers);
}

static void shorten_layer(const struct sites *s, struct node *node, enum role role)
{
    const struct places p = weights_places(node);
    const struct site *x = site_of(s, node->inputs[0]), *y = site_of(s, node->outputs[0]);
    const struct tensor *bias = input_of(node, p.bias);
    if (role == ROLE_DENSE && loses(x)) {
        fold(s->e, node, x);
        shorten(s->e, node, p.w, p.inputs, x);
    }
    if (!loses(y))
        return;
    shorten(s->e, node, p.w, p.outputs, y);
    shorten(s->e, node, p.bias, bias && bias->shape->rank == 2, y);
    if (p.w_scale) {
        shorten(s->e, node, p.w_scale, 0, y);
        shorten(s->e, node, p.w_zero, 0, y);
    }
    if (role == ROLE_EACH)
        s->e->failed |=
            !node_set_integer(s->e->net, node, "group", node->inputs[p.w]->shape->dim[p.outputs].value);
}

static int64_t left_of(const struct site *site)
{
    int64_t left = 0;
    for (size_t c = 0; c < site->channels; c++)
        left += !site->channel[c].gone;
    return left;
}

/* A Reshape whose second size is a number has another one. */
static void shorten_sizes(const struct sites *s, struct node *node)
{
    const struct site *y = site_of(s, node->outputs[0]);
    const struct tensor *old = node->inputs[1];
    size_t count;
    double *numbers = weights_numbers(s->e, old, &count);
    int64_t *sizes = calloc(count + 1, sizeof *sizes);
    s->e->failed |= !sizes;
    for (size_t i = 0; !s->e->failed && i < count; i++)
        sizes[i] = (int)i == axis_of(s, y->tensor) && numbers[i] > 0 ? left_of(y) : (int64_t)numbers[i];
    if (!s->e->failed)
        replace_input(s->e, node, 1, edit_constant(s->e, old->name, NET_INT64, old->shape, sizes));
    free(sizes);
    free(numbers);
}

static void apply(const struct sites *s)
{
    for (size_t i = 0; !s->e->failed && i < s->e->net->node_count; i++) {
        struct node *node = s->e->net->nodes[i];
        const enum role role = role_of(s, node);
        if (role == ROLE_DENSE || role == ROLE_EACH)
            shorten_layer(s, node, role);
        else if (role == ROLE_FLATTEN && is_op(node, "Reshape") && loses(site_of(s, node->outputs[0])))
            shorten_sizes(s, node);
    }
    for (size_t i = 0; !s->e->failed && i < s->count; i++) {
        const struct site *site = &s->list[i];
        if (!loses(site))
            continue;
        struct shape shape = net_shape_of(site->tensor);
        shape.dim[axis_of(s, site->tensor)] = dim_number(left_of(site));
        s->e->failed |= !net_shape(s->e->net, site->tensor, &shape);
        s->e->changes++;
    }
}

/* Where padding is a constant's own value, what is known of values finds more constants. */
static void remove_channels(struct sites *s)
{
    const struct net *net = s->e->net;
    for (size_t i = 0; i < net->node_count; i++)
        tie_node(s, net->nodes[i]);
    if (find_constants(s) && !(find_values(s) && find_constants(s)))
        return;
    for (size_t i = 0; !s->e->failed && i < net->node_count; i++)
        if (role_of(s, net->nodes[i]) == ROLE_DENSE)
            find_needed(s, net->nodes[i]);
    if (!s->e->failed && choose(s))
        apply(s);
}

bool pass_channels(struct edit *e)
{
    struct sites s = {.e = e, .last = e->net->format && !strcmp(e->net->format, "TFLite")};
    if (make_sites(&s))
        remove_channels(&s);
    free_sites(&s);
    return !e->failed;
}
