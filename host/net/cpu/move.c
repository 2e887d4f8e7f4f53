/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that move elements, or make tensors.
 */
#include <string.h>

#include "host/net/cpu/kernel.h"

static void copy(const struct view *to, size_t at, const struct view *from, size_t place)
{
    const size_t bytes = type_bytes(to->type);
    memcpy((char *)to->data + at * bytes, (const char *)from->data + place * bytes, bytes);
}

/* The same elements in the same order. */
static bool same(const struct call *c)
{
    for (size_t i = 0; i < c->out[0]->count; i++)
        copy(c->out[0], i, c->in[0], i);
    return true;
}

static bool dropout(const struct call *c)
{
    if (c->inputs > 2 && c->in[2] && view_integer(c->in[2], 0))
        return kernel_fails(c, "training is not supported");
    for (size_t i = 0; c->outputs > 1 && c->out[1] && i < c->out[1]->count; i++)
        view_set_integer(c->out[1], i, 1);
    return same(c);
}

/* The numbers of a place in each dimension. */
static void places(const struct view *v, size_t at, int64_t to[NET_RANK_MAX])
{
    for (int i = v->rank; i--;) {
        to[i] = (int64_t)(at % (size_t)v->dim[i]);
        at /= (size_t)v->dim[i];
    }
}

static size_t place_of(const struct view *v, const int64_t at[NET_RANK_MAX])
{
    size_t place = 0;
    for (int i = 0; i < v->rank; i++)
        place = place * (size_t)v->dim[i] + (size_t)at[i];
    return place;
}

static int axis_of(const struct call *c, int rank)
{
    const int64_t axis = node_integer(c->node, "axis");
    return (int)(axis < 0 ? axis + rank : axis);
}

static bool transpose(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    size_t given;
    const int64_t *order = node_integers(c->node, "perm", &given);
    int64_t at[NET_RANK_MAX], from[NET_RANK_MAX];
    for (size_t i = 0; i < y->count; i++) {
        places(y, i, at);
        for (int k = 0; k < y->rank; k++)
            from[order ? order[k] : y->rank - 1 - k] = at[k];
        copy(y, i, x, place_of(x, from));
    }
    return true;
}

static bool concat(const struct call *c)
{
    const struct view *y = c->out[0];
    const int axis = axis_of(c, y->rank);
    int64_t at[NET_RANK_MAX], begin = 0;
    for (size_t k = 0; k < c->inputs; k++) {
        const struct view *x = c->more[k];
        for (size_t i = 0; i < x->count; i++) {
            places(x, i, at);
            at[axis] += begin;
            copy(y, place_of(y, at), x, i);
        }
        begin += x->dim[axis];
    }
    return true;
}

static bool split(const struct call *c)
{
    const struct view *x = c->in[0];
    const int axis = axis_of(c, x->rank);
    int64_t at[NET_RANK_MAX], begin = 0;
    for (size_t k = 0; k < c->outputs; k++) {
        const struct view *y = c->out[k];
        for (size_t i = 0; i < y->count; i++) {
            places(y, i, at);
            at[axis] += begin;
            copy(y, i, x, place_of(x, at));
        }
        begin += y->dim[axis];
    }
    return true;
}

/* Numbers of a list that is an input, or an attribute of earlier operator sets. */
static int64_t listed(const struct call *c, size_t input, const char *attribute, size_t i, int64_t fallback)
{
    size_t given;
    const int64_t *list = attribute ? node_integers(c->node, attribute, &given) : NULL;
    if (list)
        return i < given ? list[i] : fallback;
    return input < c->inputs && c->in[input] && i < c->in[input]->count ? view_integer(c->in[input], i)
                                                                        : fallback;
}

static bool slice(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    int64_t begin[NET_RANK_MAX] = {0}, step[NET_RANK_MAX] = {0}, at[NET_RANK_MAX] = {0};
    size_t given;
    const int64_t *list = node_integers(c->node, "starts", &given);
    const size_t count = list ? given : c->in[1]->count;
    for (int i = 0; i < x->rank; i++)
        step[i] = 1;
    for (size_t i = 0; i < count; i++) {
        int64_t axis = listed(c, 3, "axes", i, (int64_t)i), from = listed(c, 1, "starts", i, 0);
        axis = axis < 0 ? axis + x->rank : axis;
        step[axis] = listed(c, 4, NULL, i, 1);
        from = from < 0 ? from + x->dim[axis] : from;
        const int64_t most = step[axis] > 0 ? x->dim[axis] : x->dim[axis] - 1;
        begin[axis] = from < 0 ? 0 : from > most ? most : from;
    }
    for (size_t i = 0; i < y->count; i++) {
        places(y, i, at);
        for (int k = 0; k < y->rank; k++)
            at[k] = begin[k] + at[k] * step[k];
        copy(y, i, x, place_of(x, at));
    }
    return true;
}

/* An index that may count from the end; false: outside. */
static bool index_at(const struct view *indices, size_t i, int64_t size, int64_t *to)
{
    *to = view_integer(indices, i);
    *to += *to < 0 ? size : 0;
    return *to >= 0 && *to < size;
}

static bool gather(const struct call *c)
{
    const struct view *x = c->in[0], *indices = c->in[1], *y = c->out[0];
    const int axis = axis_of(c, x->rank);
    size_t inner = 1;
    for (int i = axis + 1; i < x->rank; i++)
        inner *= (size_t)x->dim[i];
    for (size_t i = 0; i < y->count; i++) {
        const size_t outer = i / inner / indices->count;
        int64_t at;
        if (!index_at(indices, i / inner % indices->count, x->dim[axis], &at))
            return kernel_fails(c, "an index is out of range");
        copy(y, i, x, (outer * (size_t)x->dim[axis] + (size_t)at) * inner + i % inner);
    }
    return true;
}

static bool gather_elements(const struct call *c)
{
    const struct view *x = c->in[0], *indices = c->in[1];
    const int axis = axis_of(c, x->rank);
    int64_t at[NET_RANK_MAX];
    for (size_t i = 0; i < indices->count; i++) {
        places(indices, i, at);
        if (!index_at(indices, i, x->dim[axis], &at[axis]))
            return kernel_fails(c, "an index is out of range");
        copy(c->out[0], i, x, place_of(x, at));
    }
    return true;
}

static bool is_reduced(const struct call *c)
{
    return !proto_is(node_text(c->node, "reduction"), "none") && node_text(c->node, "reduction").length;
}

static void scatter_one(const struct call *c, size_t at, size_t from)
{
    const struct view *y = c->out[0], *updates = c->in[2];
    const bool sum = proto_is(node_text(c->node, "reduction"), "add");
    if (is_reduced(c)) {
        const double a = view_real(y, at), b = view_real(updates, from);
        view_set_real(y, at,
                      sum                                                ? a + b
                      : proto_is(node_text(c->node, "reduction"), "mul") ? a * b
                      : proto_is(node_text(c->node, "reduction"), "max") ? (a > b ? a : b)
                      : a < b                                            ? a
                                                                         : b);
    } else {
        copy(y, at, updates, from);
    }
}

static bool scatter_elements(const struct call *c)
{
    const struct view *x = c->in[0], *indices = c->in[1];
    const int axis = axis_of(c, x->rank);
    int64_t at[NET_RANK_MAX];
    same(c);
    for (size_t i = 0; i < indices->count; i++) {
        places(indices, i, at);
        if (!index_at(indices, i, x->dim[axis], &at[axis]))
            return kernel_fails(c, "an index is out of range");
        scatter_one(c, place_of(x, at), i);
    }
    return true;
}

/* The place that a row of indices names, and how many elements lie there. */
static bool nd_place(const struct view *x, const struct view *indices, size_t row, size_t batch,
                     int64_t batch_dims, size_t *place, size_t *inner)
{
    const int64_t depth = indices->dim[indices->rank - 1];
    *place = batch;
    *inner = 1;
    for (int64_t i = 0; i < depth; i++) {
        int64_t at;
        if (!index_at(indices, row * (size_t)depth + (size_t)i, x->dim[batch_dims + i], &at))
            return false;
        *place = *place * (size_t)x->dim[batch_dims + i] + (size_t)at;
    }
    for (int64_t i = batch_dims + depth; i < x->rank; i++)
        *inner *= (size_t)x->dim[i];
    *place *= *inner;
    return true;
}

static bool gather_nd(const struct call *c)
{
    const struct view *x = c->in[0], *indices = c->in[1], *y = c->out[0];
    const int64_t batch_dims = node_integer(c->node, "batch_dims");
    const size_t depth = (size_t)indices->dim[indices->rank - 1], rows = depth ? indices->count / depth : 0;
    size_t batches = 1, place, inner;
    for (int64_t i = 0; i < batch_dims; i++)
        batches *= (size_t)x->dim[i];
    for (size_t row = 0; row < rows; row++) {
        if (!nd_place(x, indices, row, row / (rows / batches), batch_dims, &place, &inner))
            return kernel_fails(c, "an index is out of range");
        for (size_t i = 0; i < inner; i++)
            copy(y, row * inner + i, x, place + i);
    }
    return true;
}

static bool scatter_nd(const struct call *c)
{
    const struct view *x = c->in[0], *indices = c->in[1];
    const size_t depth = (size_t)indices->dim[indices->rank - 1], rows = depth ? indices->count / depth : 0;
    size_t place, inner;
    same(c);
    for (size_t row = 0; row < rows; row++) {
        if (!nd_place(x, indices, row, 0, 0, &place, &inner))
            return kernel_fails(c, "an index is out of range");
        for (size_t i = 0; i < inner; i++)
            scatter_one(c, place + i, row * inner + i);
    }
    return true;
}

static bool expand(const struct call *c)
{
    const struct spread s = spread_of(c->in[0], c->out[0]);
    for (size_t i = 0; i < c->out[0]->count; i++)
        copy(c->out[0], i, c->in[0], spread_at(&s, i));
    return true;
}

static bool tile(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    int64_t at[NET_RANK_MAX];
    for (size_t i = 0; i < y->count; i++) {
        places(y, i, at);
        for (int k = 0; k < x->rank; k++)
            at[k] %= x->dim[k];
        copy(y, i, x, place_of(x, at));
    }
    return true;
}

/* The place that a padded place repeats; -1: none. */
static int64_t mirrored(int64_t at, int64_t size, struct proto_text mode)
{
    if (at >= 0 && at < size)
        return at;
    if (proto_is(mode, "edge"))
        return at < 0 ? 0 : size - 1;
    if (proto_is(mode, "wrap"))
        return (at % size + size) % size;
    if (!proto_is(mode, "reflect"))
        return -1;
    const int64_t turn = size > 1 ? 2 * (size - 1) : 1;
    at = (at % turn + turn) % turn;
    return at < size ? at : turn - at;
}

static bool pad(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0], *value = c->inputs > 2 ? c->in[2] : NULL,
                      *axes = c->inputs > 3 ? c->in[3] : NULL;
    const struct proto_text mode = node_text(c->node, "mode");
    int64_t begin[NET_RANK_MAX] = {0}, at[NET_RANK_MAX];
    const size_t count = axes ? axes->count : (size_t)x->rank;
    for (size_t i = 0; i < count; i++) {
        const int64_t axis = axes ? view_integer(axes, i) : (int64_t)i;
        begin[axis < 0 ? axis + x->rank : axis] = listed(c, 1, c->net->opset < 2 ? "paddings" : "pads", i, 0);
    }
    for (size_t i = 0; i < y->count; i++) {
        bool inside = true;
        places(y, i, at);
        for (int k = 0; k < x->rank; k++) {
            at[k] = mirrored(at[k] - begin[k], x->dim[k], mode);
            inside = inside && at[k] >= 0;
        }
        if (inside)
            copy(y, i, x, place_of(x, at));
        else if (value)
            copy(y, i, value, 0);
        else
            view_set_real(y, i, node_real(c->node, "value"));
    }
    return true;
}

static bool shape(const struct call *c)
{
    int64_t from = node_integer(c->node, "start");
    from = from < 0 ? from + c->in[0]->rank : from;
    for (size_t i = 0; i < c->out[0]->count; i++)
        view_set_integer(c->out[0], i, c->in[0]->dim[(from < 0 ? 0 : from) + (int64_t)i]);
    return true;
}

static bool size(const struct call *c)
{
    view_set_integer(c->out[0], 0, (int64_t)c->in[0]->count);
    return true;
}

static bool constant_of_shape(const struct call *c)
{
    const struct attribute *value = node_attribute(c->node, "value");
    uint64_t bits = 0;
    if (value && value->tensor) {
        struct value_reader reader = value_reader(value->tensor);
        value_next(&reader, &bits);
    }
    for (size_t i = 0; i < c->out[0]->count; i++)
        memcpy((char *)c->out[0]->data + i * type_bytes(c->out[0]->type), &bits, type_bytes(c->out[0]->type));
    return true;
}

static bool range(const struct call *c)
{
    const struct view *y = c->out[0];
    for (size_t i = 0; i < y->count; i++) {
        if (is_real(y->type))
            view_set_real(y, i, view_real(c->in[0], 0) + (double)i * view_real(c->in[2], 0));
        else
            view_set_integer(y, i, view_integer(c->in[0], 0) + (int64_t)i * view_integer(c->in[2], 0));
    }
    return true;
}

static bool one_hot(const struct call *c)
{
    const struct view *indices = c->in[0], *y = c->out[0];
    const int axis = axis_of(c, y->rank);
    int64_t at[NET_RANK_MAX], outer[NET_RANK_MAX];
    for (size_t i = 0; i < y->count; i++) {
        places(y, i, at);
        for (int k = 0; k < indices->rank; k++)
            outer[k] = at[k < axis ? k : k + 1];
        int64_t index = view_integer(indices, place_of(indices, outer));
        index += index < 0 ? y->dim[axis] : 0;
        copy(y, i, c->in[2], index == at[axis]);
    }
    return true;
}

static bool eye(const struct call *c)
{
    const struct view *y = c->out[0];
    const int64_t k = node_integer(c->node, "k");
    for (size_t i = 0; i < y->count; i++)
        view_set_real(y, i, (int64_t)i % y->dim[1] - (int64_t)i / y->dim[1] == k);
    return true;
}

static bool trilu(const struct call *c)
{
    const struct view *x = c->in[0];
    const int64_t k = c->inputs > 1 && c->in[1] ? view_integer(c->in[1], 0) : 0,
                  columns = x->rank ? x->dim[x->rank - 1] : 1, rows = x->rank > 1 ? x->dim[x->rank - 2] : 1;
    const bool upper = node_integer(c->node, "upper") != 0;
    for (size_t i = 0; i < x->count; i++) {
        const int64_t column = (int64_t)i % columns, row = (int64_t)i / columns % rows;
        if (upper ? column - row >= k : column - row <= k)
            copy(c->out[0], i, x, i);
        else
            view_set_integer(c->out[0], i, 0);
    }
    return true;
}

/* Blocks of an image and its channels change places. */
static bool blocks(const struct call *c)
{
    const bool to_depth = !strcmp(c->node->type, "SpaceToDepth"),
               last = proto_is(node_text(c->node, "layout"), "NHWC");
    const struct view *small = to_depth ? c->out[0] : c->in[0], *large = to_depth ? c->in[0] : c->out[0];
    const int channel = last ? 3 : 1, row = last ? 1 : 2, column = row + 1;
    const int64_t block = node_integer(c->node, "blocksize"), channels = large->dim[channel];
    const bool first = to_depth || proto_is(node_text(c->node, "mode"), "DCR");
    int64_t at[NET_RANK_MAX], to[NET_RANK_MAX];
    for (size_t i = 0; i < large->count; i++) {
        places(large, i, at);
        const int64_t within = at[row] % block * block + at[column] % block;
        to[0] = at[0];
        to[channel] = first ? within * channels + at[channel] : at[channel] * block * block + within;
        to[row] = at[row] / block;
        to[column] = at[column] / block;
        const size_t place = place_of(small, to);
        copy(c->out[0], to_depth ? place : i, c->in[0], to_depth ? i : place);
    }
    return true;
}

static bool reverse_sequence(const struct call *c)
{
    const struct view *x = c->in[0];
    const int batch = (int)node_integer(c->node, "batch_axis"),
              time = (int)node_integer(c->node, "time_axis");
    int64_t at[NET_RANK_MAX];
    for (size_t i = 0; i < x->count; i++) {
        places(x, i, at);
        const int64_t length = view_integer(c->in[1], (size_t)at[batch]);
        at[time] = at[time] < length ? length - 1 - at[time] : at[time];
        copy(c->out[0], i, x, place_of(x, at));
    }
    return true;
}

static bool feature_extractor(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const int64_t columns = x->dim[x->rank - 1], count = y->dim[y->rank - 1];
    for (size_t i = 0; i < y->count; i++) {
        int64_t at;
        if (!index_at(c->in[1], i % (size_t)count, columns, &at))
            return kernel_fails(c, "an index is out of range");
        copy(y, i, x, i / (size_t)count * (size_t)columns + (size_t)at);
    }
    return true;
}

const struct kernel move_kernels[] = {
    {"Identity", same},
    {"Reshape", same},
    {"Flatten", same},
    {"Squeeze", same},
    {"Unsqueeze", same},
    {"Dropout", dropout},
    {"Transpose", transpose},
    {"Concat", concat},
    {"Split", split},
    {"Slice", slice},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"Expand", expand},
    {"Tile", tile},
    {"Pad", pad},
    {"Shape", shape},
    {"Size", size},
    {"ConstantOfShape", constant_of_shape},
    {"Range", range},
    {"OneHot", one_hot},
    {"EyeLike", eye},
    {"Trilu", trilu},
    {"DepthToSpace", blocks},
    {"SpaceToDepth", blocks},
    {"ReverseSequence", reverse_sequence},
    {"ArrayFeatureExtractor", feature_extractor},
    {NULL, NULL},
};
