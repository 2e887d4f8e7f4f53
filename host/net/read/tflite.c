/* SPDX-License-Identifier: Apache-2.0
 *
 * TFLite files, schema 3: a flatbuffer. Images stay in their order (NHWC), which
 * the attribute `layout` says; a function fused into an operator becomes a node
 * of its own, whose input has the output's quantisation, so that the integers
 * are the same.
 */
#include <string.h>

#include "host/net/read/flat.h"
#include "host/net/read/readers.h"
#include "host/net/read/tflite_schema.h"

enum { OPSET = 17, SCHEMA = 3 };

struct tflite {
    struct reading *r;
    struct net *net;
    struct flat flat;
    struct flat_table model;
    struct tensor **tensors;
    size_t tensor_count;
};

/* An operator of the file, as it becomes nodes. */
struct step {
    struct tflite *f;
    const char *name; /* TFLite's */
    const char *type; /* ONNX's, from the table */
    struct flat_table options;
    struct flat_vector inputs, outputs;
    struct origin origin;
};

bool tflite_is(const struct source *source)
{
    return source->size >= 8 && !memcmp(source->bytes + 4, "TFL3", 4);
}

static bool intact(const struct tflite *f)
{
    if (f->flat.bad)
        source_error(f->flat.source, f->flat.bad, f->r->diag,
                     "an offset leads out of the file: it is damaged or cut off");
    return !f->flat.bad;
}

/* ---- tensors ------------------------------------------------------------------------------------- */

static enum net_type type_of(int64_t type)
{
    static const enum net_type types[] = {NET_FLOAT,  NET_FLOAT16,    NET_INT32,  NET_UINT8,     NET_INT64,
                                          NET_STRING, NET_BOOL,       NET_INT16,  NET_COMPLEX64, NET_INT8,
                                          NET_DOUBLE, NET_COMPLEX128, NET_UINT64, NET_NO_TYPE,   NET_NO_TYPE,
                                          NET_UINT32, NET_UINT16,     NET_INT4};
    return type >= 0 && (size_t)type < sizeof types / sizeof *types ? types[type] : NET_NO_TYPE;
}

static bool take_shape(struct tflite *f, struct flat_table t, struct tensor *tensor, struct shape *shape)
{
    const struct flat_vector sizes = flat_vector(t, Tensor_shape, 4),
                             signature = flat_vector(t, Tensor_shape_signature, 4);
    if (sizes.count > NET_RANK_MAX || (signature.count && signature.count != sizes.count)) {
        origin_error(f->net, tensor->origin,
                     "tensor \"%.60s\" has more than %d dimensions, or a wrong signature", tensor->name,
                     NET_RANK_MAX);
        return false;
    }
    shape->rank = (int)sizes.count;
    for (int i = 0; i < shape->rank; i++) {
        char name[128];
        const int64_t size = flat_integer(sizes, (size_t)i, 4);
        const bool open = signature.count && flat_integer(signature, (size_t)i, 4) < 0;
        const int length = snprintf(name, sizeof name, "%.100s.%d", tensor->name, i);
        if (size < 0 && !open) {
            origin_error(f->net, tensor->origin, "tensor \"%.60s\" has a negative size", tensor->name);
            return false;
        }
        shape->dim[i] = open ? reading_dim(f->r, name, (size_t)length) : dim_number(size);
    }
    return true;
}

static bool take_quantisation(struct tflite *f, struct flat_table t, struct tensor *tensor)
{
    const struct flat_vector scales = flat_vector(t, QuantizationParameters_scale, 4),
                             zeros = flat_vector(t, QuantizationParameters_zero_point, 8);
    const int64_t axis = flat_number(t, QuantizationParameters_quantized_dimension, 4, 0);
    struct arena *arena = &f->net->arena;
    if (!scales.count)
        return true;
    if (flat_number(t, QuantizationParameters_details_type, 1, 0)) {
        origin_error(f->net, tensor->origin,
                     "tensor \"%.60s\" has a quantisation of its own kind; scales and zero points are read",
                     tensor->name);
        return false;
    }
    struct quantisation *q = arena_take(arena, 1, sizeof *q);
    float *scale = arena_take(arena, scales.count, sizeof *scale);
    int32_t *zero = arena_take(arena, scales.count, sizeof *zero);
    if (!q || !scale || !zero)
        return false;
    if ((zeros.count && zeros.count != scales.count && zeros.count != 1) || axis < 0 ||
        axis >= NET_RANK_MAX || scales.count > UINT32_MAX) {
        origin_error(f->net, tensor->origin, "tensor \"%.60s\" has %zu scales and %zu zero points",
                     tensor->name, scales.count, zeros.count);
        return false;
    }
    memcpy(scale, scales.at, scales.count * sizeof *scale);
    for (size_t i = 0; zeros.count && i < scales.count; i++)
        zero[i] = (int32_t)flat_integer(zeros, zeros.count == 1 ? 0 : i, 8);
    *q = (struct quantisation){(unsigned)scales.count, (unsigned)axis, scale, zero};
    tensor->quantisation = q;
    return true;
}

/* As many scales as the axis is long. */
static bool check_quantisation(const struct tflite *f, const struct tensor *tensor, const struct shape *shape)
{
    const struct quantisation *q = tensor->quantisation;
    if (!q || q->count == 1 || ((int)q->axis < shape->rank && dim_is(shape->dim[q->axis], q->count)))
        return true;
    origin_error(f->net, tensor->origin,
                 "tensor \"%.60s\" has %u scales, but not that many indices on axis %u", tensor->name,
                 q->count, q->axis);
    return false;
}

static bool take_values(struct tflite *f, struct flat_table t, struct tensor *tensor,
                        const struct shape *shape)
{
    const struct flat_vector buffers = flat_vector(f->model, Model_buffers, 4);
    const uint64_t index = (uint32_t)flat_number(t, Tensor_buffer, 4, 0);
    const struct flat_table buffer = index < buffers.count ? flat_element(&f->flat, buffers, (size_t)index)
                                                           : (struct flat_table){.flat = &f->flat};
    struct flat_vector data = flat_vector(buffer, Buffer_data, 1);
    const uint64_t offset = (uint64_t)flat_number(buffer, Buffer_offset, 8, 0),
                   size = (uint64_t)flat_number(buffer, Buffer_size, 8, 0);
    const struct source *source = f->flat.source;
    if (offset > 1 && size <= source->size && offset <= source->size - size)
        data = (struct flat_vector){source->bytes + offset, (size_t)size}; /* behind the flatbuffer */
    const struct dim elements = shape_elements(f->net, shape);
    if (!data.count || tensor->type == NET_STRING)
        return true;
    if (elements.term || elements.value < 0 || elements.value > NET_SIZE_MOST ||
        net_type_bytes(tensor->type, (uint64_t)elements.value) != data.count) {
        origin_error(f->net, tensor->origin,
                     "tensor \"%.60s\" has %zu bytes of values, which do not fit its type and shape",
                     tensor->name, data.count);
        return false;
    }
    tensor->constant = true;
    tensor->values = (struct values){.at = data.at, .size = data.count};
    return true;
}

static bool take_tensor(struct tflite *f, struct flat_table t, struct tensor **to)
{
    const struct proto_text name = flat_text(t, Tensor_name);
    struct arena *arena = &f->net->arena;
    struct shape shape;
    const char *copy = arena_text(arena, name.length ? name.at : "tensor", name.length ? name.length : 6);
    struct tensor *tensor = *to = copy ? net_new_tensor(f->net, copy) : NULL;
    if (!tensor)
        return false;
    tensor->origin = (struct origin){f->flat.source, f->flat.source->bytes + t.at, 0};
    tensor->type = type_of(flat_number(t, Tensor_type, 1, 0));
    tensor->variable = flat_number(t, Tensor_is_variable, 1, 0) != 0;
    if (flat_sub(t, Tensor_sparsity).at || !tensor->type) {
        origin_error(f->net, tensor->origin, "tensor \"%.60s\" is %s", tensor->name,
                     tensor->type ? "stored sparsely, which is not supported"
                                  : "of a type that is not supported");
        return false;
    }
    return take_shape(f, t, tensor, &shape) && net_shape(f->net, tensor, &shape) &&
           take_quantisation(f, flat_sub(t, Tensor_quantization), tensor) &&
           check_quantisation(f, tensor, &shape) && take_values(f, t, tensor, &shape);
}

/* ---- nodes --------------------------------------------------------------------------------------- */

/* NULL: left out, or none of that place. */
static struct tensor *in(const struct step *s, size_t i)
{
    const int64_t index = flat_integer(s->inputs, i, 4);
    return index >= 0 && (size_t)index < s->f->tensor_count ? s->f->tensors[index] : NULL;
}

static struct tensor *out(const struct step *s, size_t i)
{
    const int64_t index = flat_integer(s->outputs, i, 4);
    return index >= 0 && (size_t)index < s->f->tensor_count ? s->f->tensors[index] : NULL;
}

static bool refuse(const struct step *s, const char *what)
{
    const struct tensor *t = out(s, 0);
    origin_error(s->f->net, s->origin, "operator %s of \"%.60s\": %s", s->name, t ? t->name : "", what);
    return false;
}

static struct node *new_node(const struct step *s, const char *type, size_t inputs, size_t outputs)
{
    struct node *node = net_node(s->f->net, type, inputs, outputs);
    if (!node)
        return NULL;
    node->origin = s->origin;
    node->op = operator_find("", type, OPSET);
    for (size_t i = 0; i < inputs; i++)
        node->inputs[i] = in(s, i);
    for (size_t i = 0; i < outputs; i++)
        node->outputs[i] = out(s, i);
    return node;
}

static bool add(const struct step *s, struct node *node)
{
    if (!node)
        return false;
    if (node->output_count && node->outputs[0]) {
        node->name = node->outputs[0]->name;
        if (node->outputs[0]->producer || node->outputs[0]->constant)
            return refuse(s, "its output is computed twice");
    }
    return net_add_node(s->f->net, node);
}

/* A value of the same kind, for what lies between two nodes. */
static struct tensor *between(const struct step *s, const struct tensor *like, bool shaped)
{
    struct tensor *t = like ? net_new_tensor(s->f->net, like->name) : NULL;
    if (!t)
        return NULL;
    t->type = like->type;
    t->quantisation = like->quantisation;
    t->shape = shaped ? like->shape : NULL;
    t->origin = s->origin;
    return t;
}

static struct tensor *scalar(const struct step *s, const char *like, float value)
{
    static const struct shape none = {.rank = 0};
    struct tensor *t = net_floats(s->f->net, like, &value, 1);
    return t && net_shape(s->f->net, t, &none) ? t : NULL;
}

enum { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_RELU_N1_TO_1, ACTIVATION_RELU6, ACTIVATION_TANH };

static struct node *clip(const struct step *s, float low, float high)
{
    struct node *node = new_node(s, "Clip", 3, 1);
    if (!node)
        return NULL;
    node->inputs[1] = scalar(s, "low", low);
    node->inputs[2] = scalar(s, "high", high);
    return node->inputs[1] && node->inputs[2] ? node : NULL;
}

/* Adds a node, and behind it the function that is fused into it. */
static bool add_fused(const struct step *s, struct node *node, int64_t activation)
{
    struct node *function;
    if (!node || activation == ACTIVATION_NONE)
        return add(s, node);
    if (activation < 0 || activation > ACTIVATION_TANH)
        return refuse(s, "its fused function is not supported; there are RELU, RELU_N1_TO_1, RELU6 and TANH");
    struct tensor *result = node->outputs[0], *middle = between(s, result, true);
    node->outputs[0] = middle;
    if (!middle || !add(s, node))
        return false;
    function = activation == ACTIVATION_RELU           ? new_node(s, "Relu", 1, 1)
               : activation == ACTIVATION_RELU_N1_TO_1 ? clip(s, -1, 1)
               : activation == ACTIVATION_RELU6        ? clip(s, 0, 6)
                                                       : new_node(s, "Tanh", 1, 1);
    if (!function)
        return false;
    function->inputs[0] = middle;
    function->outputs[0] = result;
    return add(s, function);
}

/* ---- operators ----------------------------------------------------------------------------------- */

static bool convert_plain(const struct step *s)
{
    return add(s, new_node(s, s->type, s->inputs.count, s->outputs.count));
}

/* Add, Sub, Mul and Div: the fused function is the first field of each of their options. */
static bool convert_binary(const struct step *s)
{
    return add_fused(s, new_node(s, s->type, 2, 1),
                     flat_number(s->options, AddOptions_fused_activation_function, 1, 0));
}

static bool convert_relu(const struct step *s)
{
    return add(s, !strcmp(s->name, "RELU6") ? clip(s, 0, 6) : clip(s, -1, 1));
}

static bool set_window(const struct step *s, struct node *node, int64_t padding, int64_t y, int64_t x)
{
    struct net *net = s->f->net;
    return node && node_set_text(net, node, "layout", "NHWC") &&
           node_set_text(net, node, "auto_pad", padding == 0 ? "SAME_UPPER" : "VALID") &&
           node_set_integers(net, node, "strides", (const int64_t[]){y, x}, 2);
}

static bool set_dilations(const struct step *s, struct node *node, int64_t y, int64_t x)
{
    return (y == 1 && x == 1) || node_set_integers(s->f->net, node, "dilations", (const int64_t[]){y, x}, 2);
}

static bool convert_conv(const struct step *s)
{
    const struct flat_table o = s->options;
    struct tensor *image = in(s, 0), *weights = in(s, 1);
    struct node *node = new_node(s, "Conv", s->inputs.count, 1);
    if (!image || !weights || !image->shape || image->shape->rank != 4 || weights->shape->rank != 4)
        return refuse(s, "image and weights must have 4 dimensions");
    if (!set_window(s, node, flat_number(o, Conv2DOptions_padding, 1, 0),
                    flat_number(o, Conv2DOptions_stride_h, 4, 0),
                    flat_number(o, Conv2DOptions_stride_w, 4, 0)) ||
        !node_set_text(s->f->net, node, "weights_layout", "OHWI") ||
        !set_dilations(s, node, flat_number(o, Conv2DOptions_dilation_h_factor, 4, 1),
                       flat_number(o, Conv2DOptions_dilation_w_factor, 4, 1)))
        return false;
    const struct dim inputs = image->shape->dim[3], each = weights->shape->dim[3];
    if (!inputs.term && each.value > 0 && inputs.value != each.value &&
        !node_set_integer(s->f->net, node, "group", inputs.value / each.value))
        return false;
    return add_fused(s, node, flat_number(o, Conv2DOptions_fused_activation_function, 1, 0));
}

static bool convert_depthwise(const struct step *s)
{
    const struct flat_table o = s->options;
    const struct tensor *image = in(s, 0), *weights = in(s, 1);
    struct node *node = new_node(s, "Conv", s->inputs.count, 1);
    if (!image || !weights || !image->shape || image->shape->rank != 4 || weights->shape->rank != 4 ||
        image->shape->dim[3].term)
        return refuse(s,
                      "image and weights must have 4 dimensions, and the image a fixed number of channels");
    if (!set_window(s, node, flat_number(o, DepthwiseConv2DOptions_padding, 1, 0),
                    flat_number(o, DepthwiseConv2DOptions_stride_h, 4, 0),
                    flat_number(o, DepthwiseConv2DOptions_stride_w, 4, 0)) ||
        !node_set_text(s->f->net, node, "weights_layout", "1HWO") ||
        !node_set_integer(s->f->net, node, "group", image->shape->dim[3].value) ||
        !set_dilations(s, node, flat_number(o, DepthwiseConv2DOptions_dilation_h_factor, 4, 1),
                       flat_number(o, DepthwiseConv2DOptions_dilation_w_factor, 4, 1)))
        return false;
    return add_fused(s, node, flat_number(o, DepthwiseConv2DOptions_fused_activation_function, 1, 0));
}

/* A constant of 32-bit integers, as numbers; how many, or -1. */
static int constants(const struct step *s, size_t input, int64_t *to, int most)
{
    const struct tensor *t = in(s, input);
    int count = 0;
    uint64_t bits;
    if (!t || !t->constant || (t->type != NET_INT32 && t->type != NET_INT64))
        return -1;
    struct value_reader reader = value_reader(t);
    while (value_next(&reader, &bits)) {
        if (count == most)
            return -1;
        to[count++] = value_integer(t->type, bits);
    }
    return count;
}

/* Weights of TFLite's transposed convolution, [outputs][height][width][inputs], in the order of ONNX's: a
 * copy.
 */
static struct tensor *inputs_first(const struct step *s, struct tensor *w)
{
    const struct shape *from = w->shape;
    const struct shape to = {.rank = 4, .dim = {from->dim[3], from->dim[0], from->dim[1], from->dim[2]}};
    const size_t bytes = net_type_bits(w->type) / 8, inputs = (size_t)from->dim[3].value,
                 count = bytes ? w->values.size / bytes : 0;
    struct tensor *t = between(s, w, false);
    uint8_t *at = arena_take(&s->f->net->arena, count ? count : 1, bytes);
    struct quantisation *q = arena_take(&s->f->net->arena, 1, sizeof *q);
    if (!t || !at || !q || !net_shape(s->f->net, t, &to))
        return NULL;
    for (size_t i = 0; i < count; i++)
        memcpy(at + (i % inputs * (count / inputs) + i / inputs) * bytes, w->values.at + i * bytes, bytes);
    t->values = (struct values){.at = at, .size = w->values.size};
    t->constant = true;
    if (w->quantisation) {
        *q = *w->quantisation;
        q->axis = q->axis == 3 ? 0 : q->axis + 1;
        t->quantisation = q;
    }
    return t;
}

/* Adds a Transpose. */
static struct tensor *add_order(const struct step *s, struct tensor *x, const int64_t *order, size_t rank)
{
    struct node *node = new_node(s, "Transpose", 1, 1);
    struct tensor *to = between(s, x, false);
    if (!node || !to || !node_set_integers(s->f->net, node, "perm", order, rank))
        return NULL;
    node->inputs[0] = x;
    node->outputs[0] = to;
    return add(s, node) ? to : NULL;
}

/* The operands are sizes of the result, weights, image and bias. The image's channels go behind the batch. */
static bool convert_transposed_conv(const struct step *s)
{
    const struct flat_table o = s->options;
    struct net *net = s->f->net;
    struct tensor *w = in(s, 1), *x = in(s, 2), *y = out(s, 0);
    int64_t sizes[4];
    if (constants(s, 0, sizes, 4) != 4 || !w || !x || !w->values.at || w->shape->rank != 4)
        return refuse(s, "its sizes and its weights must be constants of 4 dimensions");
    struct node *node = new_node(s, "ConvTranspose", in(s, 3) ? 3 : 2, 1);
    struct tensor *middle = between(s, y, false);
    if (!node || !middle)
        return false;
    node->inputs[0] = add_order(s, x, (const int64_t[]){0, 3, 1, 2}, 4);
    node->inputs[1] = inputs_first(s, w);
    if (in(s, 3))
        node->inputs[2] = in(s, 3);
    node->outputs[0] = middle;
    const int64_t strides[] = {flat_number(o, TransposeConvOptions_stride_h, 4, 0),
                               flat_number(o, TransposeConvOptions_stride_w, 4, 0)};
    if (!node->inputs[0] || !node->inputs[1] || !node_set_text(net, node, "auto_pad", "SAME_UPPER") ||
        !node_set_integers(net, node, "strides", strides, 2) ||
        !node_set_integers(net, node, "output_shape", sizes + 1, 2) || !add(s, node))
        return false;
    struct node *back = new_node(s, "Transpose", 1, 1);
    if (!back || !node_set_integers(net, back, "perm", (const int64_t[]){0, 2, 3, 1}, 4))
        return false;
    back->inputs[0] = middle;
    return add_fused(s, back, flat_number(o, TransposeConvOptions_fused_activation_function, 1, 0));
}

static bool convert_pool(const struct step *s)
{
    const struct flat_table o = s->options;
    struct node *node = new_node(s, s->type, 1, 1);
    const int64_t kernel[] = {flat_number(o, Pool2DOptions_filter_height, 4, 0),
                              flat_number(o, Pool2DOptions_filter_width, 4, 0)};
    return set_window(s, node, flat_number(o, Pool2DOptions_padding, 1, 0),
                      flat_number(o, Pool2DOptions_stride_h, 4, 0),
                      flat_number(o, Pool2DOptions_stride_w, 4, 0)) &&
           node_set_integers(s->f->net, node, "kernel_shape", kernel, 2) &&
           add_fused(s, node, flat_number(o, Pool2DOptions_fused_activation_function, 1, 0));
}

/* The input as a matrix, whose rows are as long as those of the weights. */
static struct tensor *as_rows(const struct step *s, struct tensor *x, const struct tensor *weights)
{
    const int64_t shape[] = {-1, weights->shape->dim[1].term ? -1 : weights->shape->dim[1].value};
    struct node *node = new_node(s, "Reshape", 2, 1);
    if (x->shape && x->shape->rank == 2)
        return x;
    struct tensor *rows = between(s, x, false);
    if (!node || !rows)
        return NULL;
    node->inputs[0] = x;
    node->inputs[1] = net_integers(s->f->net, "rows", shape, 2);
    node->outputs[0] = rows;
    return node->inputs[1] && add(s, node) && derive_node(s->f->net, node) ? rows : NULL;
}

static bool convert_connected(const struct step *s)
{
    const struct flat_table o = s->options;
    struct net *net = s->f->net;
    struct tensor *x = in(s, 0), *weights = in(s, 1), *result = out(s, 0);
    if (!x || !weights || !result || weights->shape->rank != 2 || !result->shape)
        return refuse(s, "its weights must have 2 dimensions");
    if (flat_number(o, FullyConnectedOptions_weights_format, 1, 0))
        return refuse(s, "its weights are shuffled, which is not supported");
    struct node *node = new_node(s, "Gemm", in(s, 2) ? 3 : 2, 1);
    if (!node || !node_set_integer(net, node, "transB", 1))
        return false;
    node->inputs[0] = as_rows(s, x, weights);
    if (!node->inputs[0])
        return false;
    if (result->shape->rank == 2)
        return add_fused(s, node, flat_number(o, FullyConnectedOptions_fused_activation_function, 1, 0));
    if (flat_number(o, FullyConnectedOptions_fused_activation_function, 1, 0))
        return refuse(s, "a fused function of a result with more than 2 dimensions is not supported");
    int64_t shape[NET_RANK_MAX];
    for (int i = 0; i < result->shape->rank; i++)
        shape[i] = result->shape->dim[i].term ? -1 : result->shape->dim[i].value;
    struct node *back = new_node(s, "Reshape", 2, 1);
    struct tensor *middle = between(s, result, false);
    if (!back || !middle)
        return false;
    node->outputs[0] = back->inputs[0] = middle;
    back->inputs[1] = net_integers(net, "shape", shape, (size_t)result->shape->rank);
    return back->inputs[1] && add(s, node) && add(s, back);
}

static bool convert_softmax(const struct step *s)
{
    if (!strcmp(s->type, "Softmax") && flat_real(s->options, SoftmaxOptions_beta, 0) != 1)
        return refuse(s, "beta must be 1");
    struct node *node = new_node(s, s->type, 1, 1);
    return node && node_set_integer(s->f->net, node, "axis", -1) && add(s, node);
}

static bool convert_concat(const struct step *s)
{
    struct node *node = new_node(s, "Concat", s->inputs.count, 1);
    return node &&
           node_set_integer(s->f->net, node, "axis",
                            flat_number(s->options, ConcatenationOptions_axis, 4, 0)) &&
           add_fused(s, node, flat_number(s->options, ConcatenationOptions_fused_activation_function, 1, 0));
}

static bool convert_reshape(const struct step *s)
{
    int64_t shape[NET_RANK_MAX];
    const struct flat_vector option = flat_vector(s->options, ReshapeOptions_new_shape, 4);
    int count = constants(s, 1, shape, NET_RANK_MAX);
    for (count = count < 0 && !in(s, 1) && option.count <= NET_RANK_MAX ? 0 : count;
         !in(s, 1) && (size_t)count < option.count; count++)
        shape[count] = flat_integer(option, (size_t)count, 4);
    if (count < 0)
        return refuse(s, "its shape must be a constant of integers");
    struct node *node = new_node(s, "Reshape", 2, 1);
    if (!node)
        return false;
    node->inputs[1] = net_integers(s->f->net, "shape", shape, (size_t)count);
    return node->inputs[1] && node_set_integer(s->f->net, node, "allowzero", 1) && add(s, node);
}

static bool convert_reduce(const struct step *s)
{
    int64_t axes[NET_RANK_MAX];
    struct net *net = s->f->net;
    const bool sum = !strcmp(s->type, "ReduceSum");
    const int count = constants(s, 1, axes, NET_RANK_MAX);
    struct node *node = new_node(s, s->type, sum ? 2 : 1, 1);
    if (count < 0)
        return refuse(s, "its axes must be a constant of integers");
    if (!node ||
        !node_set_integer(net, node, "keepdims", flat_number(s->options, ReducerOptions_keep_dims, 1, 0)))
        return false;
    if (!sum)
        return node_set_integers(net, node, "axes", axes, (size_t)count) && add(s, node);
    node->inputs[1] = net_integers(net, "axes", axes, (size_t)count);
    return node->inputs[1] && add(s, node);
}

static bool convert_transpose(const struct step *s)
{
    int64_t order[NET_RANK_MAX];
    const int count = constants(s, 1, order, NET_RANK_MAX);
    struct node *node = new_node(s, "Transpose", 1, 1);
    if (count < 0)
        return refuse(s, "its order must be a constant of integers");
    return node && node_set_integers(s->f->net, node, "perm", order, (size_t)count) && add(s, node);
}

/* The zero point of a scaled tensor, as a number of its type. */
static struct tensor *zero_point(const struct step *s, const struct tensor *t)
{
    static const struct shape none = {.rank = 0};
    struct tensor *zero = net_integers(s->f->net, "zero", (const int64_t[]){t->quantisation->zero[0]}, 1);
    if (!zero || !net_shape(s->f->net, zero, &none))
        return NULL;
    zero->type = t->type; /* little-endian: the first bytes are the number */
    zero->values.size = net_type_bits(t->type) / 8;
    return zero;
}

/* TFLite has [dimensions][2], ONNX all pads in front and then all behind. */
static bool convert_pad(const struct step *s)
{
    int64_t pairs[2 * NET_RANK_MAX], pads[2 * NET_RANK_MAX];
    const int count = constants(s, 1, pairs, 2 * NET_RANK_MAX);
    if (count < 0 || count % 2)
        return refuse(s, "its pads must be a constant of pairs of integers");
    for (int i = 0; i < count; i++)
        pads[i % 2 * (count / 2) + i / 2] = pairs[i];
    /* The padding of a scaled tensor is its zero point, unless a number is given. */
    struct tensor *x = in(s, 0);
    const bool scaled = x && x->quantisation && x->quantisation->count == 1 && !in(s, 2);
    struct node *node = new_node(s, "Pad", in(s, 2) || scaled ? 3 : 2, 1);
    if (!node)
        return false;
    node->inputs[1] = net_integers(s->f->net, "pads", pads, (size_t)count);
    if (scaled)
        node->inputs[2] = zero_point(s, x);
    if (scaled && node->inputs[2])
        node->inputs[2]->quantisation = x->quantisation;
    return node->inputs[1] && (!scaled || node->inputs[2]) && add(s, node);
}

/* Between real numbers and integers; integers that become others keep what they stand for. */
static bool convert_quantize(const struct step *s)
{
    struct tensor *x = in(s, 0), *y = out(s, 0);
    if (!x || !y)
        return refuse(s, "an operand is missing");
    const bool real = y->type == NET_FLOAT;
    const struct tensor *whole = real ? x : y;
    const struct quantisation *q = whole->quantisation;
    if (!q || q->count != 1)
        return refuse(s, "an operand has no scale, or several");
    if (x->type != NET_FLOAT && !real)
        return x->quantisation ? add(s, new_node(s, "Identity", 1, 1)) : refuse(s, "an operand has no scale");
    struct node *node = new_node(s, real ? "DequantizeLinear" : "QuantizeLinear", 3, 1);
    if (!node)
        return false;
    node->inputs[1] = scalar(s, "scale", q->scale[0]);
    node->inputs[2] = zero_point(s, whole);
    return node->inputs[1] && node->inputs[2] && add(s, node);
}

static bool convert_blocks(const struct step *s)
{
    struct node *node = new_node(s, s->type, 1, 1);
    return node && node_set_text(s->f->net, node, "layout", "NHWC") &&
           node_set_integer(s->f->net, node, "blocksize",
                            flat_number(s->options, DepthToSpaceOptions_block_size, 4, 0)) &&
           add(s, node);
}

static bool convert_leaky(const struct step *s)
{
    struct node *node = new_node(s, "LeakyRelu", 1, 1);
    return node &&
           node_set_real(s->f->net, node, "alpha",
                         (double)flat_real(s->options, LeakyReluOptions_alpha, 0)) &&
           add(s, node);
}

static bool convert_gather(const struct step *s)
{
    struct node *node = new_node(s, "Gather", 2, 1);
    if (flat_number(s->options, GatherOptions_batch_dims, 4, 0))
        return refuse(s, "batch_dims must be 0");
    return node &&
           node_set_integer(s->f->net, node, "axis", flat_number(s->options, GatherOptions_axis, 4, 0)) &&
           add(s, node);
}

static bool convert_squeeze(const struct step *s)
{
    const struct flat_vector dims = flat_vector(s->options, SqueezeOptions_squeeze_dims, 4);
    int64_t axes[NET_RANK_MAX];
    struct node *node = new_node(s, "Squeeze", dims.count ? 2 : 1, 1);
    for (size_t i = 0; i < dims.count && i < NET_RANK_MAX; i++)
        axes[i] = flat_integer(dims, i, 4);
    if (!node || dims.count > NET_RANK_MAX)
        return false;
    if (dims.count)
        node->inputs[1] = net_integers(s->f->net, "axes", axes, dims.count);
    return (!dims.count || node->inputs[1]) && add(s, node);
}

static bool convert_expand_dims(const struct step *s)
{
    int64_t axis;
    struct node *node = new_node(s, "Unsqueeze", 2, 1);
    if (constants(s, 1, &axis, 1) != 1)
        return refuse(s, "its axis must be a constant");
    if (!node)
        return false;
    node->inputs[1] = net_integers(s->f->net, "axes", &axis, 1);
    return node->inputs[1] && add(s, node);
}

/* The axis is its first input. */
static bool convert_split(const struct step *s)
{
    int64_t axis;
    struct node *node = new_node(s, "Split", 1, s->outputs.count);
    if (constants(s, 0, &axis, 1) != 1 || !in(s, 1))
        return refuse(s, "its axis must be a constant");
    if (!node || !node_set_integer(s->f->net, node, "axis", axis))
        return false;
    node->inputs[0] = in(s, 1);
    return add(s, node);
}

/* Sizes are its second input; one of -1 is the rest. */
static bool convert_split_v(const struct step *s)
{
    int64_t axis, sizes[64], rest;
    const struct tensor *x = in(s, 0);
    const int count = constants(s, 1, sizes, 64);
    if (constants(s, 2, &axis, 1) != 1 || count < 0 || !x || !x->shape || axis < -x->shape->rank ||
        axis >= x->shape->rank || x->shape->dim[axis < 0 ? axis + x->shape->rank : axis].term)
        return refuse(s, "its axis and sizes must be constants, of a dimension of fixed size");
    rest = x->shape->dim[axis < 0 ? axis + x->shape->rank : axis].value;
    for (int i = 0; i < count; i++)
        rest -= sizes[i] > 0 && sizes[i] <= NET_SIZE_MOST ? sizes[i] : 0;
    for (int i = 0; i < count; i++)
        sizes[i] = sizes[i] == -1 ? rest : sizes[i];
    struct node *node = new_node(s, "Split", 2, s->outputs.count);
    if (!node || !node_set_integer(s->f->net, node, "axis", axis))
        return false;
    node->inputs[1] = net_integers(s->f->net, "sizes", sizes, (size_t)count);
    return node->inputs[1] && add(s, node);
}

/* A node with a list of integers as its second input. */
static struct node *with_list(const struct step *s, const char *type, struct tensor *x, const char *name,
                              const int64_t *list, size_t count)
{
    struct node *node = new_node(s, type, 2, 1);
    if (!node)
        return NULL;
    node->inputs[0] = x;
    node->inputs[1] = net_integers(s->f->net, name, list, count);
    return node->inputs[1] ? node : NULL;
}

/* Inputs get the new axis, and are joined along it. */
static bool convert_pack(const struct step *s)
{
    const int64_t axis = flat_number(s->options, PackOptions_axis, 4, 0);
    struct node *join = new_node(s, "Concat", s->inputs.count, 1);
    if (!join || !node_set_integer(s->f->net, join, "axis", axis))
        return false;
    for (size_t i = 0; i < s->inputs.count; i++) {
        struct tensor *x = in(s, i), *wider = x ? between(s, x, false) : NULL;
        struct node *node = wider ? with_list(s, "Unsqueeze", x, "axes", &axis, 1) : NULL;
        if (!node)
            return !x ? refuse(s, "an input is missing") : false;
        node->outputs[0] = join->inputs[i] = wider;
        if (!add(s, node))
            return false;
    }
    return add(s, join);
}

/* The input is cut along the axis, which then goes. */
static bool convert_unpack(const struct step *s)
{
    const int64_t axis = flat_number(s->options, UnpackOptions_axis, 4, 0);
    struct node *cut = new_node(s, "Split", 1, s->outputs.count);
    if (!cut || !node_set_integer(s->f->net, cut, "axis", axis))
        return false;
    for (size_t i = 0; i < s->outputs.count; i++) {
        if (!out(s, i))
            return refuse(s, "an output is missing");
        cut->outputs[i] = between(s, out(s, i), false);
        if (!cut->outputs[i])
            return false;
    }
    if (!add(s, cut))
        return false;
    for (size_t i = 0; i < s->outputs.count; i++) {
        struct node *node = with_list(s, "Squeeze", cut->outputs[i], "axes", &axis, 1);
        if (!node)
            return false;
        node->outputs[0] = out(s, i);
        if (!add(s, node))
            return false;
    }
    return true;
}

/* Adds a Slice over the first axes, and behind it, when some of them go, a Squeeze. */
static bool add_slice(const struct step *s, const int64_t *starts, const int64_t *ends, const int64_t *steps,
                      size_t count, const int64_t *gone, size_t gone_count)
{
    struct net *net = s->f->net;
    int64_t axes[NET_RANK_MAX];
    struct node *node = new_node(s, "Slice", 5, 1), *squeeze;
    if (!node)
        return false;
    for (size_t i = 0; i < count; i++)
        axes[i] = (int64_t)i;
    const int64_t *const lists[] = {starts, ends, axes, steps};
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    for (size_t i = 0; i < 4; i++)
        node->inputs[i + 1] = net_integers(net, names[i], lists[i], count);
    if (!node->inputs[1] || !node->inputs[2] || !node->inputs[3] || !node->inputs[4])
        return false;
    if (!gone_count)
        return add(s, node);
    node->outputs[0] = out(s, 0) ? between(s, out(s, 0), false) : NULL;
    if (!node->outputs[0] || !add(s, node))
        return false;
    squeeze = with_list(s, "Squeeze", node->outputs[0], "axes", gone, gone_count);
    return squeeze && add(s, squeeze);
}

static bool convert_slice(const struct step *s)
{
    int64_t starts[NET_RANK_MAX], ends[NET_RANK_MAX], steps[NET_RANK_MAX];
    const int count = constants(s, 1, starts, NET_RANK_MAX);
    if (count < 0 || constants(s, 2, ends, NET_RANK_MAX) != count)
        return refuse(s, "its places and sizes must be constants of integers");
    for (int i = 0; i < count; i++) {
        if (starts[i] < 0 || starts[i] > NET_SIZE_MOST || ends[i] < -1 || ends[i] > NET_SIZE_MOST)
            return refuse(s, "a place or a size of it is negative");
        ends[i] = ends[i] < 0 ? INT64_MAX : starts[i] + ends[i];
        steps[i] = 1;
    }
    return add_slice(s, starts, ends, steps, (size_t)count, NULL, 0);
}

static bool convert_strided_slice(const struct step *s)
{
    const struct flat_table o = s->options;
    int64_t starts[NET_RANK_MAX], ends[NET_RANK_MAX], steps[NET_RANK_MAX], gone[NET_RANK_MAX];
    size_t gone_count = 0;
    const int count = constants(s, 1, starts, NET_RANK_MAX);
    const int64_t open = flat_number(o, StridedSliceOptions_begin_mask, 4, 0),
                  endless = flat_number(o, StridedSliceOptions_end_mask, 4, 0),
                  one = flat_number(o, StridedSliceOptions_shrink_axis_mask, 4, 0);
    if (count < 0 || constants(s, 2, ends, NET_RANK_MAX) != count ||
        constants(s, 3, steps, NET_RANK_MAX) != count)
        return refuse(s, "its begin, end and strides must be constants of integers");
    if (flat_number(o, StridedSliceOptions_ellipsis_mask, 4, 0) ||
        flat_number(o, StridedSliceOptions_new_axis_mask, 4, 0) ||
        flat_number(o, StridedSliceOptions_offset, 1, 0))
        return refuse(s, "ellipsis_mask, new_axis_mask and offset are not supported");
    for (int i = 0; i < count; i++) {
        const bool back = steps[i] < 0;
        if (open >> i & 1)
            starts[i] = back ? INT64_MAX : 0;
        if (endless >> i & 1)
            ends[i] = back ? INT64_MIN : INT64_MAX;
        if (!(one >> i & 1))
            continue;
        if (open >> i & 1)
            starts[i] = 0;
        ends[i] = starts[i] == -1 || starts[i] == INT64_MAX ? INT64_MAX : starts[i] + 1;
        steps[i] = 1;
        gone[gone_count++] = i;
    }
    return add_slice(s, starts, ends, steps, (size_t)count, gone, gone_count);
}

/* The two last dimensions change places. */
static struct tensor *turned(const struct step *s, struct tensor *x)
{
    int64_t order[NET_RANK_MAX];
    const int rank = x->shape->rank;
    for (int i = 0; i < rank; i++)
        order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    return add_order(s, x, order, (size_t)rank);
}

static bool convert_batch_matmul(const struct step *s)
{
    static const enum tflite_field turns[] = {BatchMatMulOptions_adj_x, BatchMatMulOptions_adj_y};
    struct node *node = new_node(s, "MatMul", 2, 1);
    for (size_t i = 0; node && i < 2; i++) {
        const struct tensor *t = in(s, i);
        if (!t || !t->shape || t->shape->rank < 2)
            return refuse(s, "its inputs must have 2 dimensions or more");
        if (!flat_number(s->options, turns[i], 1, 0))
            continue;
        node->inputs[i] = turned(s, in(s, i));
        if (!node->inputs[i])
            return false;
    }
    return add(s, node);
}

/* Sizes of all dimensions, from those of height and width. */
static bool convert_resize(const struct step *s)
{
    const struct flat_table o = s->options;
    struct net *net = s->f->net;
    const bool nearest = !strcmp(s->name, "RESIZE_NEAREST_NEIGHBOR");
    const bool corners = flat_number(o,
                                     nearest ? (int)ResizeNearestNeighborOptions_align_corners
                                             : (int)ResizeBilinearOptions_align_corners,
                                     1, 0),
               half = flat_number(o,
                                  nearest ? (int)ResizeNearestNeighborOptions_half_pixel_centers
                                          : (int)ResizeBilinearOptions_half_pixel_centers,
                                  1, 0);
    const struct tensor *x = in(s, 0);
    int64_t sides[2], sizes[4];
    if (!x || !x->shape || x->shape->rank != 4 || x->shape->dim[0].term || x->shape->dim[3].term ||
        constants(s, 1, sides, 2) != 2)
        return refuse(s, "its sizes must be constants, and batch and channels of the image fixed numbers");
    if (corners && half)
        return refuse(s, "align_corners goes without half_pixel_centers");
    for (int i = 0; i < 4; i++)
        sizes[i] = i == 1 || i == 2 ? sides[i - 1] : x->shape->dim[i].value;
    struct node *node = new_node(s, "Resize", 4, 1);
    if (!node)
        return false;
    node->inputs[1] = node->inputs[2] = NULL;
    node->inputs[3] = net_integers(net, "sizes", sizes, 4);
    return node->inputs[3] && node_set_text(net, node, "mode", nearest ? "nearest" : "linear") &&
           node_set_text(net, node, "coordinate_transformation_mode",
                         corners ? "align_corners"
                         : half  ? "half_pixel"
                                 : "asymmetric") &&
           node_set_text(net, node, "nearest_mode", corners || half ? "round_prefer_ceil" : "floor") &&
           add(s, node);
}

/* Places of the largest or least, as int64 in ONNX. */
static bool convert_arg(const struct step *s)
{
    int64_t axis;
    struct tensor *y = out(s, 0);
    struct node *node = new_node(s, s->type, 1, 1), *cast;
    if (constants(s, 1, &axis, 1) != 1)
        return refuse(s, "its axis must be a constant");
    if (!node || !node_set_integer(s->f->net, node, "axis", axis) ||
        !node_set_integer(s->f->net, node, "keepdims", 0))
        return false;
    if (y->type == NET_INT64)
        return add(s, node);
    node->outputs[0] = between(s, y, true);
    cast = new_node(s, "Cast", 1, 1);
    if (!node->outputs[0] || !cast || !add(s, node))
        return false;
    node->outputs[0]->type = NET_INT64;
    cast->inputs[0] = node->outputs[0];
    return node_set_integer(s->f->net, cast, "to", y->type) && add(s, cast);
}

static bool is_scaled(const struct step *s)
{
    for (size_t i = 0; i < s->inputs.count; i++)
        if (in(s, i) && in(s, i)->quantisation)
            return true;
    return out(s, 0)->quantisation != NULL;
}

static bool convert_cast(const struct step *s)
{
    struct node *node = new_node(s, "Cast", 1, 1);
    if (is_scaled(s))
        return refuse(s, "an operand has a scale, which is not supported");
    return node && node_set_integer(s->f->net, node, "to", out(s, 0)->type) && add(s, node);
}

/* Adds a node whose result another one takes in both operands, or in its only one. */
static bool add_two(const struct step *s, struct node *first, const char *type, size_t inputs)
{
    struct tensor *y = out(s, 0), *middle = between(s, y, true);
    struct node *second = new_node(s, type, inputs, 1);
    if (is_scaled(s))
        return refuse(s, "an operand has a scale, which is not supported");
    if (!first || !second || !middle)
        return false;
    first->outputs[0] = middle;
    for (size_t i = 0; i < inputs; i++)
        second->inputs[i] = middle;
    return add(s, first) && add(s, second);
}

/* SQUARED_DIFFERENCE is (a - b)^2, RSQRT is 1 / sqrt, NOT_EQUAL is not equal. */
static bool convert_two(const struct step *s)
{
    const bool difference = !strcmp(s->name, "SQUARED_DIFFERENCE"), root = !strcmp(s->name, "RSQRT");
    return add_two(s, new_node(s, s->type, root ? 1 : 2, 1),
                   difference ? "Mul"
                   : root     ? "Reciprocal"
                              : "Not",
                   difference ? 2 : 1);
}

/* In its first form a list of conditions is for rows, which ONNX has not. */
static bool convert_select(const struct step *s)
{
    const struct tensor *condition = in(s, 0), *x = in(s, 1);
    if (!condition || !x || (condition->shape->rank && condition->shape->rank != x->shape->rank))
        return refuse(s, "its condition must have as many dimensions as its operands");
    return convert_plain(s);
}

static bool convert_square(const struct step *s)
{
    struct node *node = new_node(s, "Mul", 2, 1);
    if (!node)
        return false;
    node->inputs[1] = in(s, 0);
    return add(s, node);
}

/* TILE and BROADCAST_TO: numbers are given in 32 bits. */
static bool convert_listed(const struct step *s)
{
    int64_t list[NET_RANK_MAX];
    const int count = constants(s, 1, list, NET_RANK_MAX);
    if (count < 0)
        return refuse(s, "its sizes must be a constant of integers");
    struct node *node = with_list(s, s->type, in(s, 0), "sizes", list, (size_t)count);
    return node && add(s, node);
}

static bool convert_l2_norm(const struct step *s)
{
    struct node *node = new_node(s, "LpNormalization", 1, 1);
    return add_fused(s, node, flat_number(s->options, L2NormOptions_fused_activation_function, 1, 0));
}

static bool convert_lstm(const struct step *s)
{
    struct node *node = new_node(s, "UnidirectionalSequenceLSTM", s->inputs.count, 1);
    struct net *net = s->f->net;
    const struct flat_table o = s->options;
    if (!node)
        return false;
    node->domain = "tulle";
    node->op = operator_find("tulle", node->type, 1);
    if (flat_number(o, UnidirectionalSequenceLSTMOptions_fused_activation_function, 1, 0) != ACTIVATION_TANH)
        return refuse(s, "its function must be TANH");
    return node_set_real(net, node, "cell_clip",
                         (double)flat_real(o, UnidirectionalSequenceLSTMOptions_cell_clip, 0)) &&
           node_set_real(net, node, "projection_clip",
                         (double)flat_real(o, UnidirectionalSequenceLSTMOptions_proj_clip, 0)) &&
           node_set_integer(net, node, "time_major",
                            flat_number(o, UnidirectionalSequenceLSTMOptions_time_major, 1, 0)) &&
           add(s, node);
}

static const struct conversion {
    enum tflite_operator code;
    const char *type;
    bool (*convert)(const struct step *s);
} conversions[] = {
    {TFLITE_ABS, "Abs", convert_plain},
    {TFLITE_ADD, "Add", convert_binary},
    {TFLITE_ADD_N, "Sum", convert_plain},
    {TFLITE_ARG_MAX, "ArgMax", convert_arg},
    {TFLITE_ARG_MIN, "ArgMin", convert_arg},
    {TFLITE_AVERAGE_POOL_2D, "AveragePool", convert_pool},
    {TFLITE_BATCH_MATMUL, "MatMul", convert_batch_matmul},
    {TFLITE_BROADCAST_TO, "Expand", convert_listed},
    {TFLITE_CAST, "Cast", convert_cast},
    {TFLITE_CEIL, "Ceil", convert_plain},
    {TFLITE_CONCATENATION, "Concat", convert_concat},
    {TFLITE_CONV_2D, "Conv", convert_conv},
    {TFLITE_COS, "Cos", convert_plain},
    {TFLITE_DEPTHWISE_CONV_2D, "Conv", convert_depthwise},
    {TFLITE_DEPTH_TO_SPACE, "DepthToSpace", convert_blocks},
    {TFLITE_DEQUANTIZE, "DequantizeLinear", convert_quantize},
    {TFLITE_DIV, "Div", convert_binary},
    {TFLITE_ELU, "Elu", convert_plain},
    {TFLITE_EQUAL, "Equal", convert_plain},
    {TFLITE_EXP, "Exp", convert_plain},
    {TFLITE_EXPAND_DIMS, "Unsqueeze", convert_expand_dims},
    {TFLITE_FLOOR, "Floor", convert_plain},
    {TFLITE_FULLY_CONNECTED, "Gemm", convert_connected},
    {TFLITE_GATHER, "Gather", convert_gather},
    {TFLITE_GREATER, "Greater", convert_plain},
    {TFLITE_GREATER_EQUAL, "GreaterOrEqual", convert_plain},
    {TFLITE_HARD_SWISH, "HardSwish", convert_plain},
    {TFLITE_L2_NORMALIZATION, "LpNormalization", convert_l2_norm},
    {TFLITE_LEAKY_RELU, "LeakyRelu", convert_leaky},
    {TFLITE_LESS, "Less", convert_plain},
    {TFLITE_LESS_EQUAL, "LessOrEqual", convert_plain},
    {TFLITE_LOG, "Log", convert_plain},
    {TFLITE_LOGICAL_AND, "And", convert_plain},
    {TFLITE_LOGICAL_NOT, "Not", convert_plain},
    {TFLITE_LOGICAL_OR, "Or", convert_plain},
    {TFLITE_LOGISTIC, "Sigmoid", convert_plain},
    {TFLITE_LOG_SOFTMAX, "LogSoftmax", convert_softmax},
    {TFLITE_MAXIMUM, "Max", convert_plain},
    {TFLITE_MAX_POOL_2D, "MaxPool", convert_pool},
    {TFLITE_MEAN, "ReduceMean", convert_reduce},
    {TFLITE_MINIMUM, "Min", convert_plain},
    {TFLITE_MUL, "Mul", convert_binary},
    {TFLITE_NEG, "Neg", convert_plain},
    {TFLITE_NOT_EQUAL, "Equal", convert_two},
    {TFLITE_PACK, "Concat", convert_pack},
    {TFLITE_PAD, "Pad", convert_pad},
    {TFLITE_PADV2, "Pad", convert_pad},
    {TFLITE_PRELU, "PRelu", convert_plain},
    {TFLITE_QUANTIZE, "QuantizeLinear", convert_quantize},
    {TFLITE_REDUCE_MAX, "ReduceMax", convert_reduce},
    {TFLITE_REDUCE_MIN, "ReduceMin", convert_reduce},
    {TFLITE_REDUCE_PROD, "ReduceProd", convert_reduce},
    {TFLITE_RELU, "Relu", convert_plain},
    {TFLITE_RELU6, "Clip", convert_relu},
    {TFLITE_RELU_N1_TO_1, "Clip", convert_relu},
    {TFLITE_RESHAPE, "Reshape", convert_reshape},
    {TFLITE_RESIZE_BILINEAR, "Resize", convert_resize},
    {TFLITE_RESIZE_NEAREST_NEIGHBOR, "Resize", convert_resize},
    {TFLITE_ROUND, "Round", convert_plain},
    {TFLITE_RSQRT, "Sqrt", convert_two},
    {TFLITE_SELECT, "Where", convert_select},
    {TFLITE_SELECT_V2, "Where", convert_plain},
    {TFLITE_SIN, "Sin", convert_plain},
    {TFLITE_SLICE, "Slice", convert_slice},
    {TFLITE_SOFTMAX, "Softmax", convert_softmax},
    {TFLITE_SPACE_TO_DEPTH, "SpaceToDepth", convert_blocks},
    {TFLITE_SPLIT, "Split", convert_split},
    {TFLITE_SPLIT_V, "Split", convert_split_v},
    {TFLITE_SQRT, "Sqrt", convert_plain},
    {TFLITE_SQUARE, "Mul", convert_square},
    {TFLITE_SQUARED_DIFFERENCE, "Sub", convert_two},
    {TFLITE_SQUEEZE, "Squeeze", convert_squeeze},
    {TFLITE_STRIDED_SLICE, "Slice", convert_strided_slice},
    {TFLITE_SUB, "Sub", convert_binary},
    {TFLITE_SUM, "ReduceSum", convert_reduce},
    {TFLITE_TANH, "Tanh", convert_plain},
    {TFLITE_TILE, "Tile", convert_listed},
    {TFLITE_TRANSPOSE, "Transpose", convert_transpose},
    {TFLITE_TRANSPOSE_CONV, "ConvTranspose", convert_transposed_conv},
    {TFLITE_UNIDIRECTIONAL_SEQUENCE_LSTM, "UnidirectionalSequenceLSTM", convert_lstm},
    {TFLITE_UNPACK, "Split", convert_unpack},
};

static const char *operator_name(int64_t code)
{
    static const struct {
        int64_t number;
        const char *name;
    } names[] = {
#define X(name, number) {number, #name},
        TFLITE_OPERATORS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == code)
            return names[i].name;
    return "unknown";
}

/* Its nodes, or one node that stands for what is not supported. */
static bool take_operator(struct tflite *f, struct flat_table t)
{
    const struct flat_vector codes = flat_vector(f->model, Model_operator_codes, 4);
    const struct flat_table code =
        flat_element(&f->flat, codes, (size_t)(uint32_t)flat_number(t, Operator_opcode_index, 4, 0));
    const int64_t early = flat_number(code, OperatorCode_deprecated_builtin_code, 1, 0),
                  late = flat_number(code, OperatorCode_builtin_code, 4, 0);
    const int64_t number = early > late ? early : late;
    struct step s = {.f = f,
                     .name = operator_name(number),
                     .options = flat_sub(t, Operator_builtin_options),
                     .inputs = flat_vector(t, Operator_inputs, 4),
                     .outputs = flat_vector(t, Operator_outputs, 4),
                     .origin = {f->flat.source, f->flat.source->bytes + t.at, 0}};
    if (!intact(f))
        return false;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (conversions[i].code == number && out(&s, 0)) {
            s.type = conversions[i].type;
            return conversions[i].convert(&s) && intact(f);
        }
    struct node *node = new_node(&s, s.name, s.inputs.count, s.outputs.count);
    if (!node)
        return false;
    node->op = NULL;
    node->domain = "TFLite";
    const struct proto_text custom = flat_text(code, OperatorCode_custom_code);
    if (number == TFLITE_CUSTOM && custom.length)
        node->type = arena_text(&f->net->arena, custom.at, custom.length);
    return node->type && net_add_node(f->net, node);
}

/* ---- the graph ----------------------------------------------------------------------------------- */

static bool take_tensors(struct tflite *f, struct flat_table graph)
{
    const struct flat_vector list = flat_vector(graph, SubGraph_tensors, 4);
    f->tensors = arena_take(&f->net->arena, list.count, sizeof(struct tensor *));
    if (!f->tensors)
        return false;
    for (; f->tensor_count < list.count; f->tensor_count++)
        if (!take_tensor(f, flat_element(&f->flat, list, f->tensor_count), &f->tensors[f->tensor_count]) ||
            !intact(f))
            return false;
    return true;
}

static bool take_ends(struct tflite *f, struct flat_table graph, bool outputs)
{
    const struct flat_vector list = flat_vector(graph, outputs ? SubGraph_outputs : SubGraph_inputs, 4);
    if (!intact(f))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const int64_t index = flat_integer(list, i, 4);
        if (index < 0 || (size_t)index >= f->tensor_count) {
            source_error(f->flat.source, list.at + 4 * i, f->r->diag, "there is no tensor %lld",
                         (long long)index);
            return false;
        }
        struct tensor *t = f->tensors[index];
        const struct shape shape = net_shape_of(t);
        if ((!outputs && t->input) || (outputs && t->output))
            continue;
        if (outputs ? !net_add_output(f->net, t) : !reading_input(f->r, t, &shape))
            return false;
    }
    if (list.count || !outputs)
        return true;
    source_error(f->flat.source, NULL, f->r->diag, "the network has no outputs");
    return false;
}

static bool take_graph(struct tflite *f)
{
    const struct flat_vector graphs = flat_vector(f->model, Model_subgraphs, 4);
    const struct flat_table graph = flat_element(&f->flat, graphs, 0);
    const struct flat_vector list = flat_vector(graph, SubGraph_operators, 4);
    const struct proto_text name = flat_text(graph, SubGraph_name);
    f->net->name = arena_text(&f->net->arena, name.length ? name.at : "main", name.length ? name.length : 4);
    if (!f->net->name || !take_tensors(f, graph) || !take_ends(f, graph, false))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!take_operator(f, flat_element(&f->flat, list, i)) || !intact(f))
            return false;
    return take_ends(f, graph, true) && intact(f);
}

bool tflite_read(struct reading *r)
{
    struct tflite f = {.r = r, .net = r->net, .flat = {.source = &r->net->source[0]}};
    r->net->format = "TFLite";
    r->net->opset = OPSET;
    f.model = flat_root(&f.flat);
    const int64_t version = flat_number(f.model, Model_version, 4, 0);
    if (!intact(&f))
        return false;
    if (version != SCHEMA) {
        diag_error(r->diag, (struct place){.file = f.flat.source->path},
                   "schema %lld of TFLite; schema %d is read", (long long)version, SCHEMA);
        return false;
    }
    return take_graph(&f);
}
