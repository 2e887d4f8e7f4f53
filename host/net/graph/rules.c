/* SPDX-License-Identifier: Apache-2.0
 *
 * What all rules use, and the rules for operators that work element by element,
 * reduce, or make tensors.
 */
#include <math.h>
#include <string.h>

#include "host/net/graph/derive.h"

/* ---- inputs -------------------------------------------------------------------------------------- */

bool has_input(const struct derive *d, size_t input)
{
    return input < d->node->input_count && d->node->inputs[input];
}

bool in_shape(const struct derive *d, size_t input, struct shape *shape)
{
    shape->rank = -1;
    if (has_input(d, input))
        *shape = net_shape_of(d->node->inputs[input]);
    return shape->rank >= 0;
}

const struct dim *derive_few(struct net *net, struct tensor *tensor, unsigned *count)
{
    struct value_reader reader = value_reader(tensor);
    const struct shape shape = net_shape_of(tensor);
    uint64_t bits;
    *count = tensor->few_count;
    if (tensor->few_known)
        return tensor->few;
    const struct dim elements = shape.rank < 0 ? dim_number(-1) : shape_elements(net, &shape);
    if (elements.term || elements.value < 0 || elements.value > DERIVE_FEW_MAX || !tensor->constant ||
        (tensor->type != NET_INT64 && tensor->type != NET_INT32))
        return NULL;
    struct dim *few = arena_take(&net->arena, (size_t)elements.value + 1, sizeof *few);
    if (!few)
        return NULL;
    for (int64_t i = 0; i < elements.value; i++) {
        if (!value_next(&reader, &bits))
            return NULL;
        few[i] = dim_number(value_integer(tensor->type, bits));
    }
    tensor->few = few;
    tensor->few_count = *count = (unsigned)elements.value;
    tensor->few_known = true;
    return few;
}

const struct dim *in_few(const struct derive *d, size_t input, unsigned *count)
{
    *count = 0;
    return has_input(d, input) ? derive_few(d->net, d->node->inputs[input], count) : NULL;
}

bool in_list(const struct derive *d, size_t input, const char *attribute, int64_t to[NET_RANK_MAX],
             unsigned *count)
{
    size_t given = 0;
    const int64_t *list = attribute ? node_integers(d->node, attribute, &given) : NULL;
    const struct dim *few = NULL;
    *count = (unsigned)given;
    if (!given && has_input(d, input)) {
        few = in_few(d, input, count);
        if (!few)
            return false;
    }
    if (*count > NET_RANK_MAX)
        return false;
    for (unsigned i = 0; i < *count; i++) {
        if (few && few[i].term)
            return false;
        to[i] = few ? few[i].value : list[i];
    }
    return true;
}

bool in_axis(const struct derive *d, int64_t axis, int rank, int *to)
{
    *to = (int)(axis < 0 ? axis + rank : axis);
    if (axis >= -rank && axis < rank)
        return true;
    return refuse(d, "axis %lld is not one of the %d dimensions", (long long)axis, rank);
}

/* ---- outputs ------------------------------------------------------------------------------------- */

bool refuse(const struct derive *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    node_verror(d->net, d->node, format, args);
    va_end(args);
    return false;
}

static bool contradiction(const struct derive *d, const struct tensor *t, const struct shape *shape)
{
    struct strbuf text = {0};
    sb_addf(&text, "its output ");
    sb_add_quoted(&text, t->name);
    sb_add(&text, " has the shape ");
    shape_print(&text, shape);
    sb_add(&text, ", but the file says ");
    shape_print(&text, t->shape);
    refuse(d, "%s", sb_text(&text));
    sb_free(&text);
    return false;
}

static bool sizes_fit(const struct derive *d, const struct shape *shape)
{
    int64_t elements = 1;
    for (int i = 0; i < shape->rank; i++) {
        const struct dim dim = shape->dim[i];
        if (dim.term)
            continue;
        if (dim.value < 0 || dim.value > NET_SIZE_MOST ||
            __builtin_mul_overflow(elements, dim.value, &elements) || elements > NET_SIZE_MOST) {
            struct strbuf text = {0};
            shape_print(&text, shape);
            refuse(d, "an output would have the shape %s", sb_text(&text));
            sb_free(&text);
            return false;
        }
    }
    return true;
}

/* The shape that the file gives is kept where nothing better is known. */
bool set_shape(struct derive *d, size_t output, const struct shape *shape)
{
    struct tensor *t = output < d->node->output_count ? d->node->outputs[output] : NULL;
    struct shape merged = *shape;
    if (!t || shape->rank < 0)
        return true;
    if (!sizes_fit(d, shape))
        return false;
    if (t->shape && t->shape->rank != shape->rank)
        return contradiction(d, t, shape);
    for (int i = 0; t->shape && i < shape->rank; i++) {
        if (!shape->dim[i].term && !t->shape->dim[i].term && shape->dim[i].value != t->shape->dim[i].value)
            return contradiction(d, t, shape);
        if (shape->dim[i].term && !t->shape->dim[i].term)
            merged.dim[i] = t->shape->dim[i];
    }
    return net_shape(d->net, t, &merged);
}

bool set_type(struct derive *d, size_t output, int64_t type)
{
    struct tensor *t = output < d->node->output_count ? d->node->outputs[output] : NULL;
    if (!t)
        return true;
    if (type <= 0 || type >= NET_TYPES || !net_type_name((enum net_type)type)[1])
        return refuse(d, "type %lld of an output is not supported", (long long)type);
    if (!t->type)
        t->type = (enum net_type)type;
    if (t->type == (enum net_type)type || (t->quantisation && type == NET_FLOAT))
        return true;
    struct strbuf name = {0};
    sb_add_quoted(&name, t->name);
    refuse(d, "its output %s is %s, but the file says %s", sb_text(&name), net_type_name((enum net_type)type),
           net_type_name(t->type));
    sb_free(&name);
    return false;
}

bool set_few(struct derive *d, size_t output, const struct dim *values, unsigned count)
{
    struct tensor *t = output < d->node->output_count ? d->node->outputs[output] : NULL;
    struct dim *to = arena_take(d->arena, count + 1, sizeof *to);
    if (!t || !to || count > DERIVE_FEW_MAX)
        return true;
    if (count)
        memcpy(to, values, count * sizeof *to);
    t->few = to;
    t->few_count = count;
    t->few_known = true;
    return true;
}

struct dim unknown_dim(struct derive *d, size_t output, int axis)
{
    struct strbuf name = {0};
    const struct tensor *t = d->node->outputs[output];
    sb_addf(&name, "%s.%d", t ? t->name : "", axis);
    const char *text = arena_string(d->arena, &name);
    return text ? dim_named(d->arena, text) : dim_number(0);
}

/* ---- element by element -------------------------------------------------------------------------- */

bool rule_like_first(struct derive *d)
{
    struct shape s;
    if (!strcmp(d->node->type, "CastLike") && has_input(d, 1) && !set_type(d, 0, d->node->inputs[1]->type))
        return false;
    return !in_shape(d, 0, &s) || set_shape(d, 0, &s);
}

bool rule_same_each(struct derive *d)
{
    struct shape s;
    const bool known = in_shape(d, 0, &s);
    /* The mask of Dropout has numbers before operator set 10. */
    const enum net_type mask = d->net->opset >= 10 ? NET_BOOL : d->node->inputs[0]->type;
    for (size_t i = 0; i < d->node->output_count; i++)
        if ((known && !set_shape(d, i, &s)) || (i && mask && !set_type(d, i, mask)))
            return false;
    return true;
}

bool rule_same(struct derive *d)
{
    unsigned count;
    const struct dim *few = !strcmp(d->node->type, "Identity") ? in_few(d, 0, &count) : NULL;
    return rule_like_first(d) && (!few || set_few(d, 0, few, count));
}

bool rule_quantize(struct derive *d)
{
    const int64_t given = node_integer(d->node, "output_dtype");
    if (!has_input(d, 2) && !set_type(d, 0, given ? given : NET_UINT8))
        return false;
    return rule_like_first(d);
}

/* Before operator set 7, B lies at an axis of A. */
static void place_second(const struct derive *d, const struct shape *a, struct shape *b)
{
    const struct attribute *axis = node_attribute(d->node, "axis");
    const int64_t at = axis && axis->integers ? axis->integers[0] : a->rank - b->rank;
    if (!node_integer(d->node, "broadcast") || at < 0 || at + b->rank >= a->rank)
        return;
    for (; at + b->rank < a->rank; b->rank++)
        b->dim[b->rank] = dim_number(1);
}

bool merge_dim(const struct derive *d, struct dim *to, struct dim dim)
{
    if (dim_is(dim, 1) || dim_equal(*to, dim))
        return true;
    if (dim_is(*to, 1) || (to->term && !dim.term)) {
        *to = dim;
        return true;
    }
    return to->term || dim.term ||
           refuse(d, "sizes %lld and %lld of inputs do not go together", (long long)to->value,
                  (long long)dim.value);
}

static bool merge(const struct derive *d, struct shape *to, const struct shape *with)
{
    struct shape longer = to->rank >= with->rank ? *to : *with;
    const struct shape *shorter = to->rank >= with->rank ? with : to;
    for (int i = 1; i <= shorter->rank; i++)
        if (!merge_dim(d, &longer.dim[longer.rank - i], shorter->dim[shorter->rank - i]))
            return false;
    *to = longer;
    return true;
}

bool rule_broadcast(struct derive *d)
{
    struct shape all = {.rank = 0}, one;
    for (size_t i = 0; i < d->node->input_count; i++) {
        if (!in_shape(d, i, &one))
            return true;
        if (i == 1)
            place_second(d, &all, &one);
        if (i ? !merge(d, &all, &one) : false)
            return false;
        if (!i)
            all = one;
    }
    return set_shape(d, 0, &all);
}

/* Each operand has a scale and a zero point. */
bool rule_qlinear_join(struct derive *d)
{
    struct shape a, b;
    return !in_shape(d, 0, &a) || !in_shape(d, 3, &b) || (merge(d, &a, &b) && set_shape(d, 0, &a));
}

bool rule_compare(struct derive *d)
{
    return set_type(d, 0, NET_BOOL) && rule_broadcast(d);
}

static struct dim compute(struct derive *d, struct dim a, struct dim b)
{
    const char *type = d->node->type;
    return !strcmp(type, "Add")   ? dim_add(d->arena, a, b)
           : !strcmp(type, "Sub") ? dim_sub(d->arena, a, b)
           : !strcmp(type, "Mul") ? dim_mul(d->arena, a, b)
                                  : dim_div(d->arena, a, b);
}

/* Sizes are computed in short lists of integers. */
bool rule_arithmetic(struct derive *d)
{
    unsigned p, q;
    const struct dim *a = in_few(d, 0, &p), *b = a ? in_few(d, 1, &q) : NULL;
    struct dim result[DERIVE_FEW_MAX];
    if (!rule_broadcast(d))
        return false;
    if (!a || !b || !p || !q || (p != q && p != 1 && q != 1))
        return true;
    const unsigned count = p > q ? p : q;
    for (unsigned i = 0; i < count; i++)
        result[i] = compute(d, a[p == 1 ? 0 : i], b[q == 1 ? 0 : i]);
    return set_few(d, 0, result, count);
}

bool rule_cast(struct derive *d)
{
    unsigned count;
    const struct dim *few = in_few(d, 0, &count);
    const struct attribute *to = node_attribute(d->node, "to");
    if (!to || !to->integers)
        return refuse(d, "attribute to is missing");
    if (!set_type(d, 0, to->integers[0]) || !rule_like_first(d))
        return false;
    return !few || (to->integers[0] != NET_INT64 && to->integers[0] != NET_INT32) ||
           set_few(d, 0, few, count);
}

/* ---- makers -------------------------------------------------------------------------------------- */

bool rule_shape_of(struct derive *d)
{
    struct shape s, list = {.rank = 1};
    if (!in_shape(d, 0, &s))
        return true;
    const struct attribute *end = node_attribute(d->node, "end");
    int64_t from = node_integer(d->node, "start"), to = end && end->integers ? end->integers[0] : s.rank;
    from = from < 0 ? from + s.rank : from;
    to = to < 0 ? to + s.rank : to;
    from = from < 0 ? 0 : from > s.rank ? s.rank : from;
    to = to > s.rank ? s.rank : to < from ? from : to;
    list.dim[0] = dim_number(to - from);
    return set_shape(d, 0, &list) && set_few(d, 0, s.dim + from, (unsigned)(to - from));
}

bool rule_size_of(struct derive *d)
{
    struct shape s, scalar = {.rank = 0};
    if (!set_shape(d, 0, &scalar) || !in_shape(d, 0, &s))
        return true;
    const struct dim count = shape_elements(d->net, &s);
    return set_few(d, 0, &count, 1);
}

bool rule_constant(struct derive *d)
{
    const struct attribute *a = d->node->attribute_count == 1 ? &d->node->attributes[0] : NULL;
    struct tensor *out = d->node->outputs[0];
    struct shape shape = {.rank = 0};
    if (!a)
        return refuse(d, "a constant has one attribute, the value");
    if (a->kind == ATTRIBUTE_TENSOR && a->tensor) {
        shape = net_shape_of(a->tensor);
        if (!set_type(d, 0, a->tensor->type) || !set_shape(d, 0, &shape))
            return false;
        out->values = a->tensor->values;
        out->constant = true;
        return true;
    }
    const bool list =
        a->kind == ATTRIBUTE_INTS || a->kind == ATTRIBUTE_FLOATS || a->kind == ATTRIBUTE_STRINGS;
    shape.rank = list;
    shape.dim[0] = dim_number((int64_t)a->count);
    out->constant = true;
    if (a->integers)
        out->values =
            (struct values){.at = (const uint8_t *)a->integers, .size = a->count * sizeof *a->integers};
    else if (a->reals)
        out->values = (struct values){.at = (const uint8_t *)a->reals, .size = a->count * sizeof *a->reals};
    return set_type(d, 0,
                    a->integers ? NET_INT64
                    : a->reals  ? NET_FLOAT
                                : NET_STRING) &&
           set_shape(d, 0, &shape);
}

bool shape_from_few(struct derive *d, size_t input, struct shape *shape)
{
    struct shape list;
    unsigned count;
    const struct dim *few = in_few(d, input, &count);
    if (!few && in_shape(d, input, &list) && list.rank == 1 && !list.dim[0].term &&
        list.dim[0].value <= NET_RANK_MAX)
        count = (unsigned)list.dim[0].value;
    else if (!few || count > NET_RANK_MAX)
        return false;
    shape->rank = (int)count;
    for (int i = 0; i < shape->rank; i++)
        shape->dim[i] = few ? few[i] : unknown_dim(d, 0, i);
    return true;
}

bool rule_constant_of_shape(struct derive *d)
{
    const struct attribute *value = node_attribute(d->node, "value");
    struct shape shape;
    const enum net_type type = value && value->tensor ? value->tensor->type : NET_FLOAT;
    if (!set_type(d, 0, type))
        return false;
    return !shape_from_few(d, 0, &shape) || set_shape(d, 0, &shape);
}

bool rule_eye_like(struct derive *d)
{
    const struct attribute *type = node_attribute(d->node, "dtype");
    if (!set_type(d, 0, type && type->integers ? type->integers[0] : (int64_t)d->node->inputs[0]->type))
        return false;
    return rule_like_first(d);
}

/* The first number of a constant of floats. */
static bool in_real(const struct derive *d, size_t input, double *to)
{
    uint64_t bits;
    const struct tensor *t = has_input(d, input) ? d->node->inputs[input] : NULL;
    if (!t || !t->constant || (t->type != NET_FLOAT && t->type != NET_DOUBLE))
        return false;
    struct value_reader reader = value_reader(t);
    if (!value_next(&reader, &bits))
        return false;
    *to = (double)value_real(t->type, bits);
    return true;
}

bool rule_range(struct derive *d)
{
    unsigned count[3];
    double from, to, step;
    struct shape shape = {.rank = 1};
    const struct dim *few[3];
    for (size_t i = 0; i < 3; i++)
        few[i] = in_few(d, i, &count[i]);
    shape.dim[0] = unknown_dim(d, 0, 0);
    if (in_real(d, 0, &from) && in_real(d, 1, &to) && in_real(d, 2, &step)) {
        const double steps = ceil((to - from) / step);
        if (steps < (double)NET_SIZE_MOST)
            shape.dim[0] = dim_number(steps > 0 ? (int64_t)steps : 0);
    }
    if (few[0] && few[1] && few[2] && count[0] == 1 && count[1] == 1 && count[2] == 1 && !few[2]->term &&
        few[2]->value > 0) {
        shape.dim[0] = dim_div_up(d->arena, dim_sub(d->arena, *few[1], *few[0]), few[2]->value);
        if (!shape.dim[0].term && shape.dim[0].value < 0)
            shape.dim[0] = dim_number(0);
    }
    return set_shape(d, 0, &shape);
}

bool rule_one_hot(struct derive *d)
{
    struct shape s;
    unsigned count;
    int axis;
    const struct dim *depth = in_few(d, 1, &count);
    if (!in_shape(d, 0, &s) || s.rank == NET_RANK_MAX)
        return true;
    if (!in_axis(d, node_integer(d->node, "axis"), s.rank + 1, &axis))
        return false;
    memmove(s.dim + axis + 1, s.dim + axis, (size_t)(s.rank - axis) * sizeof *s.dim);
    s.dim[axis] = depth && count == 1 ? *depth : unknown_dim(d, 0, axis);
    s.rank++;
    return set_shape(d, 0, &s);
}

bool rule_non_zero(struct derive *d)
{
    struct shape s, out = {.rank = 2};
    if (!in_shape(d, 0, &s))
        return true;
    out.dim[0] = dim_number(s.rank);
    out.dim[1] = unknown_dim(d, 0, 1);
    return set_shape(d, 0, &out);
}

/* ---- reductions and norms ------------------------------------------------------------------------ */

/* Takes the marked dimensions away, or makes them 1. */
static bool reduce(struct derive *d, size_t output, const struct shape *s, const bool *gone)
{
    struct shape out = {.rank = 0};
    const bool keep = node_integer(d->node, "keepdims") != 0;
    for (int i = 0; i < s->rank; i++)
        if (keep || !gone[i])
            out.dim[out.rank++] = gone[i] ? dim_number(1) : s->dim[i];
    return set_shape(d, output, &out);
}

bool rule_reduce(struct derive *d)
{
    struct shape s;
    int64_t axes[NET_RANK_MAX];
    unsigned count;
    bool gone[NET_RANK_MAX] = {false};
    int axis;
    if (!in_shape(d, 0, &s) || !in_list(d, 1, "axes", axes, &count))
        return true;
    for (unsigned i = 0; i < count; i++) {
        if (!in_axis(d, axes[i], s.rank, &axis))
            return false;
        gone[axis] = true;
    }
    for (int i = 0; !count && !node_integer(d->node, "noop_with_empty_axes") && i < s.rank; i++)
        gone[i] = true;
    return reduce(d, 0, &s, gone);
}

bool rule_reduce_index(struct derive *d)
{
    struct shape s;
    bool gone[NET_RANK_MAX] = {false};
    int axis;
    if (!in_shape(d, 0, &s))
        return true;
    if (!in_axis(d, node_integer(d->node, "axis"), s.rank, &axis))
        return false;
    gone[axis] = true;
    return reduce(d, 0, &s, gone);
}

bool rule_layer_norm(struct derive *d)
{
    struct shape s;
    int axis;
    if (!in_shape(d, 0, &s))
        return true;
    if (!in_axis(d, node_integer(d->node, "axis"), s.rank, &axis) || !set_shape(d, 0, &s))
        return false;
    for (int i = axis; i < s.rank; i++)
        s.dim[i] = dim_number(1);
    for (size_t i = 1; i < d->node->output_count; i++)
        if (!set_shape(d, i, &s) || !set_type(d, i, NET_FLOAT))
            return false;
    return true;
}

bool rule_batch_norm(struct derive *d)
{
    struct shape s, channels;
    if (!in_shape(d, 0, &s))
        return true;
    if (s.rank < 2 && (s.rank < 1 || node_integer(d->node, "spatial")))
        s.rank = s.rank; /* one dimension: a batch of single values */
    for (size_t i = 1; i < d->node->output_count; i++)
        if (in_shape(d, 3, &channels) && !set_shape(d, i, &channels))
            return false;
    return set_shape(d, 0, &s);
}

bool rule_top_k(struct derive *d)
{
    struct shape s;
    unsigned count;
    int axis;
    const struct dim *few = in_few(d, 1, &count);
    if (!in_shape(d, 0, &s))
        return true;
    if (!in_axis(d, node_integer(d->node, "axis"), s.rank, &axis))
        return false;
    s.dim[axis] = few && count == 1 ? *few
                  : has_input(d, 1) ? unknown_dim(d, 0, axis)
                                    : dim_number(node_integer(d->node, "k"));
    return set_shape(d, 0, &s) && set_shape(d, 1, &s);
}

bool rule_dynamic_quantize(struct derive *d)
{
    const struct shape scalar = {.rank = 0};
    return rule_like_first(d) && set_shape(d, 1, &scalar) && set_shape(d, 2, &scalar);
}

bool rule_det(struct derive *d)
{
    struct shape s;
    if (!in_shape(d, 0, &s))
        return true;
    if (s.rank < 2)
        return refuse(d, "a determinant is of matrices");
    s.rank -= 2;
    return set_shape(d, 0, &s);
}

bool rule_image_scaler(struct derive *d)
{
    return rule_like_first(d);
}

bool rule_feature_extractor(struct derive *d)
{
    struct shape s, y;
    if (!in_shape(d, 0, &s) || !in_shape(d, 1, &y))
        return true;
    if (!s.rank)
        return refuse(d, "input X has no dimension to choose from");
    s.dim[s.rank - 1] = shape_elements(d->net, &y);
    if (s.rank == 1) {
        s.dim[1] = s.dim[0];
        s.dim[0] = dim_number(1);
        s.rank = 2;
    }
    return set_shape(d, 0, &s);
}
