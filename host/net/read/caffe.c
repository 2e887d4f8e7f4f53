/* SPDX-License-Identifier: Apache-2.0
 *
 * Caffe networks: layers in a prototxt, and their weights in a caffemodel, which
 * may be missing. Layers of both generations have the same parameters, which
 * are looked up by name. Layers that work in place give their result a name of
 * its own.
 */
#include <math.h>
#include <string.h>

#include "host/net/read/readers.h"

enum { OPSET = 17 };

struct layer {
    struct reading *r;
    struct net *net;
    struct proto m, blobs; /* the layer, and the same layer in the caffemodel */
    const char *name, *type;
    struct tensor **bottoms;
    size_t bottom_count, top_count;
    struct origin origin;
};

/* The value that a blob's name stands for at this place of the file. */
struct blob {
    const char *name;
    struct tensor *tensor;
};

struct caffe {
    struct reading *r;
    struct net *net;
    struct proto model, weights;
    struct blob **blobs;
    size_t blob_count;
    struct tensor **labels; /* results of data layers, which are inputs when something reads them */
    size_t label_count;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct layer *l, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    sb_addf(&text, "layer \"%.60s\" (%.60s): ", l->name, l->type);
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    origin_error(l->net, l->origin, "%s", sb_text(&text));
    sb_free(&text);
    return false;
}

static const char *keep(struct net *net, struct proto_text text)
{
    const char *end = memchr(text.at, 0, text.length);
    return arena_text(&net->arena, text.at, end ? (size_t)(end - text.at) : text.length);
}

/* ---- nodes of a layer ---------------------------------------------------------------------------- */

/* A node with the name of the layer; its first input is the first bottom. */
static struct node *new_node(const struct layer *l, const char *type, size_t inputs)
{
    struct node *node = net_node(l->net, type, inputs, 1);
    if (!node)
        return NULL;
    node->name = l->name;
    node->origin = l->origin;
    node->op = operator_find("", type, OPSET);
    node->inputs[0] = l->bottoms[0];
    return node;
}

/* A name below the layer's own, which is its result's; NULL: the memory is full. */
static const char *name_below(const struct layer *l, const char *what)
{
    struct strbuf name = {0};
    sb_addf(&name, "%s.%s", l->name, what);
    return arena_string(&l->net->arena, &name);
}

/* Adds a node and derives its result, which the next one may ask for. The last one gets the layer's name
 * later. */
static struct tensor *add(const struct layer *l, struct node *node)
{
    if (!node)
        return NULL;
    const char *text = name_below(l, node->type);
    for (size_t i = 0; text && i < node->output_count; i++)
        node->outputs[i] = net_new_tensor(l->net, text);
    for (size_t i = 0; i < node->output_count; i++) {
        if (!node->outputs[i])
            return NULL;
        node->outputs[i]->origin = l->origin;
    }
    return net_add_node(l->net, node) && derive_node(l->net, node) ? node->outputs[0] : NULL;
}

/* Of a constant that the file does not name. */
static const char *constant_name(const struct layer *l)
{
    const char *name = name_below(l, "constant");
    return name ? name : "";
}

static struct tensor *constant(const struct layer *l, float value)
{
    static const struct shape none = {.rank = 0};
    struct tensor *t = net_floats(l->net, constant_name(l), &value, 1);
    return t && net_shape(l->net, t, &none) ? t : NULL;
}

/* x op value */
static struct tensor *with_number(const struct layer *l, const char *type, struct tensor *x, float value)
{
    struct node *node = x ? new_node(l, type, 2) : NULL;
    if (!node)
        return NULL;
    node->inputs[0] = x;
    node->inputs[1] = constant(l, value);
    return node->inputs[1] ? add(l, node) : NULL;
}

static struct tensor *with_tensor(const struct layer *l, const char *type, struct tensor *x, struct tensor *y)
{
    struct node *node = x && y ? new_node(l, type, 2) : NULL;
    if (!node)
        return NULL;
    node->inputs[0] = x;
    node->inputs[1] = y;
    return add(l, node);
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* The sizes of a blob of either generation. */
static bool blob_shape(const struct layer *l, struct proto blob, struct shape *shape)
{
    static const char *const legacy[] = {"num", "channels", "height", "width"};
    const bool is_new = proto_has(blob, "shape");
    struct proto_numbers dims = proto_numbers(proto_sub(blob, "shape"), "dim");
    uint64_t bits, elements = 1;
    shape->rank = 0;
    while (is_new && proto_number(&dims, &bits) && shape->rank < NET_RANK_MAX)
        shape->dim[shape->rank++] = dim_number((int64_t)bits);
    for (size_t i = 0; !is_new && i < 4; i++)
        shape->dim[shape->rank++] = dim_number(proto_integer(blob, legacy[i]));
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i].value < 0 || shape->dim[i].value > NET_SIZE_MOST ||
            __builtin_mul_overflow(elements, (uint64_t)shape->dim[i].value, &elements) ||
            elements > (uint64_t)NET_SIZE_MOST)
            return refuse(l, "a blob of its weights has sizes out of range");
    return true;
}

static bool take_values(const struct layer *l, struct proto blob, struct tensor *t, uint64_t elements)
{
    const bool is_double = !proto_has(blob, "data") && proto_has(blob, "double_data");
    const char *field = is_double ? "double_data" : "data";
    struct proto_item piece;
    if (proto_number_count(blob, field) != elements)
        return refuse(l, "a blob of its weights has another number of values than its sizes say");
    if (is_double)
        t->type = NET_DOUBLE;
    if (proto_piece(blob, field, &piece))
        t->values = (struct values){.at = piece.at, .size = piece.size};
    else
        t->values = (struct values){.list = blob, .field = field};
    t->origin = (struct origin){&l->net->source[1], blob.at, 0};
    return true;
}

/* Takes a blob whose sizes, without those of 1, are the wanted ones; a size of -1 is taken from it. */
static bool take_blob(const struct layer *l, struct proto blob, struct tensor *t, struct shape *wanted)
{
    struct shape given;
    int at = 0;
    if (!blob_shape(l, blob, &given))
        return false;
    for (int i = 0; i < wanted->rank; i++) {
        const bool open = wanted->dim[i].term || wanted->dim[i].value < 0;
        while (at < given.rank && given.rank - at > wanted->rank - i && dim_is(given.dim[at], 1))
            at++;
        if (open && at < given.rank)
            wanted->dim[i] = given.dim[at];
        if (at >= given.rank || !dim_equal(wanted->dim[i], given.dim[at])) {
            struct strbuf text = {0};
            shape_print(&text, &given);
            sb_add(&text, ", and the network wants ");
            shape_print(&text, wanted);
            refuse(l, "a blob of its weights has the sizes %s", sb_text(&text));
            sb_free(&text);
            return false;
        }
        at++;
    }
    for (; at < given.rank; at++)
        if (!dim_is(given.dim[at], 1))
            return refuse(l, "a blob of its weights has more sizes than the network wants");
    const struct dim count = shape_elements(l->net, wanted);
    return net_shape(l->net, t, wanted) && take_values(l, blob, t, (uint64_t)count.value);
}

/* A parameter of the layer: from its blobs, or without values where there is no caffemodel. */
static struct tensor *parameter(const struct layer *l, unsigned index, const char *what, struct shape *wanted)
{
    struct proto_item item;
    size_t place = 0;
    const char *text = name_below(l, what);
    struct tensor *t = text ? net_new_tensor(l->net, text) : NULL;
    if (!t)
        return NULL;
    t->type = NET_FLOAT;
    t->constant = true;
    t->origin = l->origin;
    if (!l->net->source[1].bytes) {
        for (int i = 0; i < wanted->rank; i++)
            if (!wanted->dim[i].term && wanted->dim[i].value < 0) {
                refuse(l, "the number of its inputs is not known without weights; give --shape "
                          "INPUT=1x3x32x32 for the network's input");
                return NULL;
            }
        return net_shape(l->net, t, wanted) ? t : NULL;
    }
    for (unsigned i = 0; l->blobs.at && proto_next(l->blobs, "blobs", &place, &item); i++)
        if (i == index)
            return take_blob(l, proto_of(&item), t, wanted) ? t : NULL;
    refuse(l, "its %s are not in the caffemodel", what);
    return NULL;
}

/* Size of a dimension of the first bottom; -1 when it is not known. */
static struct dim bottom_size(const struct layer *l, int axis)
{
    const struct shape *s = l->bottoms[0]->shape;
    axis = s && axis < 0 ? axis + s->rank : axis;
    return s && axis >= 0 && axis < s->rank ? s->dim[axis] : dim_number(-1);
}

static int bottom_rank(const struct layer *l)
{
    return l->bottoms[0]->shape ? l->bottoms[0]->shape->rank : 4;
}

/* ---- windows ------------------------------------------------------------------------------------- */

/* Two numbers, of a list of one or two, or of fields for height and width. */
static bool pair(const struct layer *l, struct proto p, const char *list, const char *stem, int64_t fallback,
                 int64_t to[2])
{
    char name[2][16];
    struct proto_numbers numbers = proto_numbers(p, list);
    uint64_t bits;
    unsigned count = 0;
    snprintf(name[0], sizeof *name, "%s_h", stem);
    snprintf(name[1], sizeof *name, "%s_w", stem);
    to[0] = to[1] = fallback;
    while (proto_number(&numbers, &bits)) {
        if (count == 2)
            return refuse(l, "%s has more than 2 numbers; images have height and width", list);
        to[count++] = (int64_t)(uint32_t)bits;
        to[1] = to[count - 1];
    }
    for (unsigned i = 0; strcmp(stem, "dilation") != 0 && i < 2; i++)
        if (proto_has(p, name[i]))
            to[i] = proto_integer(p, name[i]);
    return true;
}

static bool set_window(const struct layer *l, struct node *node, struct proto p, const int64_t kernel[2])
{
    int64_t pad[2], stride[2];
    return node && pair(l, p, "pad", "pad", 0, pad) && pair(l, p, "stride", "stride", 1, stride) &&
           node_set_integers(l->net, node, "kernel_shape", kernel, 2) &&
           node_set_integers(l->net, node, "strides", stride, 2) &&
           node_set_integers(l->net, node, "pads", (const int64_t[]){pad[0], pad[1], pad[0], pad[1]}, 4);
}

static struct tensor *convert_convolution(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "convolution_param");
    const bool transposed = !strcmp(l->type, "Deconvolution"), bias = proto_integer(p, "bias_term") != 0;
    const int64_t outputs = proto_integer(p, "num_output"), groups = proto_integer(p, "group");
    int64_t kernel[2], dilation[2];
    struct dim inputs = bottom_size(l, 1);
    struct node *node = new_node(l, transposed ? "ConvTranspose" : "Conv", bias ? 3 : 2);
    if (!node || !pair(l, p, "kernel_size", "kernel", 0, kernel) ||
        !pair(l, p, "dilation", "dilation", 1, dilation) || !set_window(l, node, p, kernel))
        return NULL;
    if (proto_integer(p, "axis") != 1 || groups < 1 || kernel[0] < 1 || kernel[1] < 1 || outputs < 1 ||
        outputs % groups) {
        refuse(l, "axis must be 1, kernels and num_output 1 or more, and num_output a multiple of group");
        return NULL;
    }
    if (!transposed && (inputs.term || inputs.value > 0))
        inputs = dim_div(&l->net->arena, inputs, dim_number(groups));
    struct shape weights = {.rank = 4,
                            .dim = {dim_number(outputs), inputs, dim_number(kernel[0]),
                                    dim_number(kernel[1])}},
                 biases = {.rank = 1, .dim = {{outputs, NULL}}};
    if (transposed) {
        weights.dim[0] = inputs;
        weights.dim[1] = dim_number(outputs / groups);
    }
    node->inputs[1] = parameter(l, 0, "weights", &weights);
    if (bias)
        node->inputs[2] = parameter(l, 1, "bias", &biases);
    if (!node->inputs[1] || (bias && !node->inputs[2]) ||
        !node_set_integers(l->net, node, "dilations", dilation, 2) ||
        !node_set_integer(l->net, node, "group", groups))
        return NULL;
    return add(l, node);
}

static struct tensor *convert_pooling(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "pooling_param");
    const bool average = !strcmp(proto_word(p, "pool"), "AVE");
    int64_t kernel[2];
    if (!average && strcmp(proto_word(p, "pool"), "MAX") != 0) {
        refuse(l, "pool must be MAX or AVE");
        return NULL;
    }
    if (proto_integer(p, "global_pooling"))
        return add(l, new_node(l, average ? "GlobalAveragePool" : "GlobalMaxPool", 1));
    struct node *node = new_node(l, average ? "AveragePool" : "MaxPool", 1);
    if (!pair(l, p, "kernel_size", "kernel", 0, kernel) || !set_window(l, node, p, kernel) ||
        !node_set_integer(l->net, node, "ceil_mode", !strcmp(proto_word(p, "round_mode"), "CEIL")))
        return NULL;
    if (average && !node_set_integer(l->net, node, "count_include_pad", 1))
        return NULL;
    return add(l, node);
}

/* ---- products ------------------------------------------------------------------------------------ */

static struct tensor *flatten(const struct layer *l, int64_t axis)
{
    struct node *node = new_node(l, "Flatten", 1);
    return node && node_set_integer(l->net, node, "axis", axis) ? add(l, node) : NULL;
}

static struct tensor *convert_inner_product(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "inner_product_param");
    const bool bias = proto_integer(p, "bias_term") != 0, transposed = proto_integer(p, "transpose") != 0;
    const int64_t outputs = proto_integer(p, "num_output");
    struct tensor *rows = bottom_rank(l) == 2 && l->bottoms[0]->shape ? l->bottoms[0] : flatten(l, 1);
    struct node *node = new_node(l, "Gemm", bias ? 3 : 2);
    if (!rows || !node || !node_set_integer(l->net, node, "transB", !transposed))
        return NULL;
    if (proto_integer(p, "axis") != 1 || outputs < 1) {
        refuse(l, "axis must be 1 and num_output 1 or more");
        return NULL;
    }
    struct dim inputs = rows->shape ? rows->shape->dim[1] : dim_number(-1);
    struct shape weights = {.rank = 2, .dim = {dim_number(outputs), inputs}},
                 biases = {.rank = 1, .dim = {{outputs, NULL}}};
    if (transposed)
        weights = (struct shape){.rank = 2, .dim = {inputs, dim_number(outputs)}};
    node->inputs[0] = rows;
    node->inputs[1] = parameter(l, 0, "weights", &weights);
    if (bias)
        node->inputs[2] = parameter(l, 1, "bias", &biases);
    return node->inputs[1] && (!bias || node->inputs[2]) ? add(l, node) : NULL;
}

/* ---- channels ------------------------------------------------------------------------------------ */

/* The shape of a value for each channel, that broadcasts over an image: [C, 1, 1]. */
static struct shape channel_shape(const struct layer *l, int64_t axis, bool one)
{
    const int rank = bottom_rank(l);
    const int at = (int)(axis < 0 ? axis + rank : axis);
    struct shape shape = {.rank = rank > at ? rank - at : 1};
    for (int i = 1; i < shape.rank; i++)
        shape.dim[i] = dim_number(1);
    shape.dim[0] = one ? dim_number(1) : bottom_size(l, at);
    return shape;
}

/* A blob of one size, seen as [C, 1, 1]. */
static struct tensor *channel_parameter(const struct layer *l, unsigned index, const char *what, int64_t axis,
                                        bool one)
{
    struct shape shape = channel_shape(l, axis, one), list = {.rank = 1, .dim = {shape.dim[0]}};
    struct tensor *t = parameter(l, index, what, &list);
    shape.dim[0] = list.dim[0];
    return t && net_shape(l->net, t, &shape) ? t : NULL;
}

static struct tensor *convert_prelu(const struct layer *l)
{
    const bool shared = proto_integer(proto_sub(l->m, "prelu_param"), "channel_shared") != 0;
    return with_tensor(l, "PRelu", l->bottoms[0], channel_parameter(l, 0, "slopes", 1, shared));
}

static struct tensor *convert_scale(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "scale_param");
    const int64_t axis = proto_integer(p, "axis");
    if (l->bottom_count != 1 || proto_integer(p, "num_axes") != 1 || axis < 0 || axis >= bottom_rank(l)) {
        refuse(l, "one bottom, and a scale for each index of one axis (num_axes: 1) are supported");
        return NULL;
    }
    struct tensor *scaled =
        with_tensor(l, "Mul", l->bottoms[0], channel_parameter(l, 0, "scales", axis, false));
    if (!scaled || !proto_integer(p, "bias_term"))
        return scaled;
    return with_tensor(l, "Add", scaled, channel_parameter(l, 1, "bias", axis, false));
}

static struct tensor *convert_bias(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "bias_param");
    const int64_t axis = proto_integer(p, "axis");
    if (l->bottom_count != 1 || proto_integer(p, "num_axes") != 1 || axis < 0 || axis >= bottom_rank(l)) {
        refuse(l, "one bottom, and a bias for each index of one axis (num_axes: 1) are supported");
        return NULL;
    }
    return with_tensor(l, "Add", l->bottoms[0], channel_parameter(l, 0, "bias", axis, false));
}

/* Caffe stores sums of means and variances, and by how much to divide them. */
static bool divide(const struct layer *l, struct tensor *t, float by)
{
    struct value_reader reader = value_reader(t);
    const size_t count = (size_t)t->shape->dim[0].value;
    float *to = arena_take(&l->net->arena, count, sizeof *to);
    uint64_t bits;
    for (size_t i = 0; to && i < count && value_next(&reader, &bits); i++)
        to[i] = by != 0 ? value_real(t->type, bits) / by : 0;
    t->values = (struct values){.at = (const uint8_t *)to, .size = count * sizeof *to};
    t->type = NET_FLOAT;
    return to != NULL;
}

static struct tensor *filled(const struct layer *l, int64_t count, float value)
{
    struct arena *arena = &l->net->arena;
    float *values = arena_take(arena, (size_t)count, sizeof *values);
    struct tensor *t = values ? net_floats(l->net, constant_name(l), values, 0) : NULL;
    const struct shape shape = {.rank = 1, .dim = {{count, NULL}}};
    for (int64_t i = 0; t && i < count; i++)
        values[i] = value;
    if (t)
        t->values = (struct values){.at = (const uint8_t *)values, .size = (size_t)count * sizeof *values};
    return t && net_shape(l->net, t, &shape) ? t : NULL;
}

static struct tensor *convert_batch_norm(const struct layer *l)
{
    struct node *node = new_node(l, "BatchNormalization", 5);
    struct shape list = {.rank = 1, .dim = {bottom_size(l, 1)}}, one = {.rank = 1, .dim = {{1, NULL}}};
    struct tensor *mean = parameter(l, 0, "mean", &list),
                  *variance = mean ? parameter(l, 1, "variance", &list) : NULL;
    struct tensor *factor = variance ? parameter(l, 2, "factor", &one) : NULL;
    uint64_t bits;
    if (!node || !factor ||
        !node_set_real(l->net, node, "epsilon", proto_real(proto_sub(l->m, "batch_norm_param"), "eps")))
        return NULL;
    struct value_reader reader = value_reader(factor);
    if (value_next(&reader, &bits)) {
        const float by = value_real(factor->type, bits);
        if (by != 1 && (!divide(l, mean, by) || !divide(l, variance, by)))
            return NULL;
    }
    if (list.dim[0].term || list.dim[0].value < 0) {
        refuse(
            l,
            "the number of its channels is not known; give --shape INPUT=1x3x32x32 for the network's input");
        return NULL;
    }
    node->inputs[1] = filled(l, list.dim[0].value, 1);
    node->inputs[2] = filled(l, list.dim[0].value, 0);
    node->inputs[3] = mean;
    node->inputs[4] = variance;
    return node->inputs[1] && node->inputs[2] ? add(l, node) : NULL;
}

static struct tensor *convert_lrn(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "lrn_param");
    struct node *node = new_node(l, "LRN", 1);
    if (strcmp(proto_word(p, "norm_region"), "ACROSS_CHANNELS") != 0) {
        refuse(l, "norm_region must be ACROSS_CHANNELS");
        return NULL;
    }
    return node && node_set_integer(l->net, node, "size", proto_integer(p, "local_size")) &&
                   node_set_real(l->net, node, "alpha", proto_real(p, "alpha")) &&
                   node_set_real(l->net, node, "beta", proto_real(p, "beta")) &&
                   node_set_real(l->net, node, "bias", proto_real(p, "k"))
               ? add(l, node)
               : NULL;
}

/* ---- element by element -------------------------------------------------------------------------- */

static struct tensor *convert_relu(const struct layer *l)
{
    const double slope = proto_real(proto_sub(l->m, "relu_param"), "negative_slope");
    struct node *node = new_node(l, slope != 0 ? "LeakyRelu" : "Relu", 1);
    return node && (slope == 0 || node_set_real(l->net, node, "alpha", slope)) ? add(l, node) : NULL;
}

static struct tensor *convert_elu(const struct layer *l)
{
    struct node *node = new_node(l, "Elu", 1);
    return node && node_set_real(l->net, node, "alpha", proto_real(proto_sub(l->m, "elu_param"), "alpha"))
               ? add(l, node)
               : NULL;
}

/* (shift + scale x)^power */
static struct tensor *convert_power(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "power_param");
    const double power = proto_real(p, "power"), scale = proto_real(p, "scale"),
                 shift = proto_real(p, "shift");
    struct tensor *x = l->bottoms[0];
    if (scale != 1)
        x = with_number(l, "Mul", x, (float)scale);
    if (shift != 0)
        x = with_number(l, "Add", x, (float)shift);
    if (power != 1)
        x = with_number(l, "Pow", x, (float)power);
    return x == l->bottoms[0] ? add(l, new_node(l, "Identity", 1)) : x;
}

/* base^(shift + scale x), where a base of -1 stands for e. */
static struct tensor *convert_exp(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "exp_param");
    const double base = proto_real(p, "base"), factor = (base > 0 ? log(base) : 1) * proto_real(p, "scale");
    struct tensor *x = l->bottoms[0];
    const double shift = proto_real(p, "shift") * (base > 0 ? log(base) : 1);
    if (factor != 1)
        x = with_number(l, "Mul", x, (float)factor);
    if (shift != 0)
        x = with_number(l, "Add", x, (float)shift);
    struct node *node = x ? new_node(l, "Exp", 1) : NULL;
    if (!node)
        return NULL;
    node->inputs[0] = x;
    return add(l, node);
}

static struct tensor *convert_eltwise(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "eltwise_param");
    const char *operation = proto_word(p, "operation"), *type = !strcmp(operation, "SUM")    ? "Add"
                                                                : !strcmp(operation, "PROD") ? "Mul"
                                                                                             : "Max";
    const size_t given = proto_number_count(p, "coeff");
    struct proto_numbers factors = proto_numbers(p, "coeff");
    struct tensor *sum = NULL;
    uint64_t bits;
    if (l->bottom_count < 2 || (given && (given != l->bottom_count || strcmp(operation, "SUM") != 0))) {
        refuse(l, "two bottoms or more are wanted, and coeff goes with SUM and has a number for each");
        return NULL;
    }
    for (size_t i = 0; i < l->bottom_count; i++) {
        struct tensor *x = l->bottoms[i];
        const float factor = given && proto_number(&factors, &bits) ? value_real(NET_FLOAT, bits) : 1;
        if (factor != 1)
            x = with_number(l, "Mul", x, factor);
        sum = i ? with_tensor(l, type, sum, x) : x;
        if (!sum)
            return NULL;
    }
    return sum;
}

static struct tensor *convert_plain(const struct layer *l)
{
    static const char *const types[][2] = {{"AbsVal", "Abs"},       {"BNLL", "Softplus"},
                                           {"Dropout", "Identity"}, {"Sigmoid", "Sigmoid"},
                                           {"Split", "Identity"},   {"TanH", "Tanh"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i][0], l->type))
            return add(l, new_node(l, types[i][1], 1));
    return NULL;
}

/* ---- moving -------------------------------------------------------------------------------------- */

static struct tensor *convert_softmax(const struct layer *l)
{
    struct node *node = new_node(l, "Softmax", 1);
    return node && node_set_integer(l->net, node, "axis",
                                    proto_integer(proto_sub(l->m, "softmax_param"), "axis"))
               ? add(l, node)
               : NULL;
}

static struct tensor *convert_concat(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "concat_param");
    struct node *node = new_node(l, "Concat", l->bottom_count);
    for (size_t i = 0; node && i < l->bottom_count; i++)
        node->inputs[i] = l->bottoms[i];
    return node && node_set_integer(l->net, node, "axis",
                                    proto_integer(p, proto_has(p, "concat_dim") ? "concat_dim" : "axis"))
               ? add(l, node)
               : NULL;
}

static struct tensor *convert_flatten(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "flatten_param");
    if (proto_integer(p, "end_axis") != -1) {
        refuse(l, "end_axis must be -1");
        return NULL;
    }
    if (proto_integer(p, "axis") != 1) {
        refuse(l, "axis must be 1");
        return NULL;
    }
    return flatten(l, 1);
}

static struct tensor *convert_reshape(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "reshape_param");
    struct proto_numbers dims = proto_numbers(proto_sub(p, "shape"), "dim");
    struct node *node = new_node(l, "Reshape", 2);
    int64_t shape[NET_RANK_MAX];
    size_t count = 0;
    uint64_t bits;
    while (count < NET_RANK_MAX && proto_number(&dims, &bits))
        shape[count++] = (int64_t)bits;
    if (proto_integer(p, "axis") || proto_integer(p, "num_axes") != -1) {
        refuse(l, "axis must be 0 and num_axes -1");
        return NULL;
    }
    if (!node)
        return NULL;
    node->inputs[1] = net_integers(l->net, constant_name(l), shape, count);
    return node->inputs[1] ? add(l, node) : NULL;
}

static struct tensor *convert_arg_max(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "argmax_param");
    struct node *node = new_node(l, "ArgMax", 1);
    if (!proto_has(p, "axis") || proto_integer(p, "top_k") != 1 || proto_integer(p, "out_max_val")) {
        refuse(l, "an axis, top_k 1 and no out_max_val are supported");
        return NULL;
    }
    return node && node_set_integer(l->net, node, "axis", proto_integer(p, "axis")) ? add(l, node) : NULL;
}

/* Its results are the outputs of one node; the first is returned. */
static struct tensor *convert_slice(const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "slice_param");
    const int64_t axis = proto_integer(p, proto_has(p, "slice_dim") ? "slice_dim" : "axis");
    struct proto_numbers points = proto_numbers(p, "slice_point");
    const size_t count = proto_number_count(p, "slice_point");
    struct node *node = net_node(l->net, "Split", count ? 2 : 1, l->top_count);
    int64_t *sizes = arena_take(&l->net->arena, l->top_count, sizeof *sizes);
    const struct dim whole = bottom_size(l, (int)axis);
    uint64_t bits;
    int64_t from = 0;
    if (!node || !sizes)
        return NULL;
    if (count && (count + 1 != l->top_count || whole.term)) {
        refuse(l, "there are %zu slice points for %zu tops, of an axis that must have a size", count,
               l->top_count);
        return NULL;
    }
    for (size_t i = 0; count && i < l->top_count; i++) {
        const int64_t to = proto_number(&points, &bits) ? (int64_t)(uint32_t)bits : whole.value;
        sizes[i] = to - from;
        from = to;
    }
    node->name = l->name;
    node->origin = l->origin;
    node->op = operator_find("", "Split", OPSET);
    node->inputs[0] = l->bottoms[0];
    if (count)
        node->inputs[1] = net_integers(l->net, constant_name(l), sizes, l->top_count);
    return (!count || node->inputs[1]) && node_set_integer(l->net, node, "axis", axis) ? add(l, node) : NULL;
}

static const struct conversion {
    const char *type, *v1;
    struct tensor *(*convert)(const struct layer *l);
} conversions[] = {
    {"AbsVal", "ABSVAL", convert_plain},
    {"ArgMax", "ARGMAX", convert_arg_max},
    {"BNLL", "BNLL", convert_plain},
    {"BatchNorm", "", convert_batch_norm},
    {"Bias", "", convert_bias},
    {"Concat", "CONCAT", convert_concat},
    {"Convolution", "CONVOLUTION", convert_convolution},
    {"Deconvolution", "DECONVOLUTION", convert_convolution},
    {"Dropout", "DROPOUT", convert_plain},
    {"ELU", "", convert_elu},
    {"Eltwise", "ELTWISE", convert_eltwise},
    {"Exp", "EXP", convert_exp},
    {"Flatten", "FLATTEN", convert_flatten},
    {"InnerProduct", "INNER_PRODUCT", convert_inner_product},
    {"LRN", "LRN", convert_lrn},
    {"PReLU", "", convert_prelu},
    {"Pooling", "POOLING", convert_pooling},
    {"Power", "POWER", convert_power},
    {"ReLU", "RELU", convert_relu},
    {"Reshape", "", convert_reshape},
    {"Scale", "", convert_scale},
    {"Sigmoid", "SIGMOID", convert_plain},
    {"Slice", "SLICE", convert_slice},
    {"Softmax", "SOFTMAX", convert_softmax},
    {"Split", "SPLIT", convert_plain},
    {"TanH", "TANH", convert_plain},
    /* Layers that training and measuring need: a network without them gives the same results. */
    {"Accuracy", "ACCURACY", NULL},
    {"EuclideanLoss", "EUCLIDEAN_LOSS", NULL},
    {"HingeLoss", "HINGE_LOSS", NULL},
    {"SigmoidCrossEntropyLoss", "SIGMOID_CROSS_ENTROPY_LOSS", NULL},
    {"Silence", "SILENCE", NULL},
    {"SoftmaxWithLoss", "SOFTMAX_LOSS", NULL},
};

static const struct conversion *conversion_of(const struct layer *l)
{
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (!strcmp(conversions[i].type, l->type) ||
            (*conversions[i].v1 && !strcmp(conversions[i].v1, l->type)))
            return &conversions[i];
    return NULL;
}

/* ---- blobs --------------------------------------------------------------------------------------- */

static struct blob *find_blob(const struct caffe *c, const char *name)
{
    for (size_t i = c->blob_count; i--;)
        if (!strcmp(c->blobs[i]->name, name))
            return c->blobs[i];
    return NULL;
}

/* The blob's name stands for the tensor from here on. The tensor takes the name, unless it is taken. */
static bool set_blob(struct caffe *c, const char *name, struct tensor *tensor)
{
    struct blob *blob = find_blob(c, name);
    if (!blob) {
        blob = arena_take(&c->net->arena, 1, sizeof *blob);
        if (!blob || !arena_list(&c->net->arena, &c->blobs, c->blob_count))
            return false;
        c->blobs[c->blob_count++] = blob;
        blob->name = name;
    }
    blob->tensor = tensor;
    return tensor != NULL;
}

static bool take_bottoms(struct caffe *c, struct layer *l)
{
    struct proto_item item;
    size_t place = 0;
    const size_t count = proto_count(l->m, "bottom");
    l->top_count = proto_count(l->m, "top");
    l->bottoms = arena_take(&c->net->arena, count, sizeof(struct tensor *));
    if (!l->bottoms)
        return false;
    while (proto_next(l->m, "bottom", &place, &item)) {
        const char *name = keep(c->net, (struct proto_text){(const char *)item.at, item.size});
        const struct blob *blob = name ? find_blob(c, name) : NULL;
        if (!blob)
            return refuse(l, "its bottom \"%.60s\" is made by no layer before it", name ? name : "");
        l->bottoms[l->bottom_count++] = blob->tensor;
    }
    return true;
}

/* The layer's field says whether its results are wanted as well; where the prototxt has none, that of the
 * weights. */
static bool is_marked(const struct layer *l)
{
    const struct proto m = proto_has(l->m, "external_output") || !l->blobs.at ? l->m : l->blobs;
    return proto_integer(m, "external_output") != 0;
}

/* The results of a layer: the outputs of its last node, or one value for all tops. */
static bool give_tops(struct caffe *c, const struct layer *l, struct tensor *result)
{
    struct proto_item item;
    size_t place = 0;
    const struct node *last = result->producer;
    for (size_t i = 0; proto_next(l->m, "top", &place, &item); i++) {
        const char *name = keep(c->net, (struct proto_text){(const char *)item.at, item.size});
        const bool each = last && l->top_count > 1 && last->output_count == l->top_count;
        struct tensor *t = each ? last->outputs[i] : result;
        if (!name || !set_blob(c, name, t) || !net_rename(c->net, t, each ? name : l->name))
            return false;
        if ((each || !i) && is_marked(l) && !net_add_mark(c->net, t->name))
            return false;
    }
    return true;
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static bool blob_dims(const struct layer *l, struct proto blob, struct shape *shape)
{
    struct proto_numbers dims = proto_numbers(blob, "dim");
    uint64_t bits;
    for (shape->rank = 0; proto_number(&dims, &bits);) {
        if (shape->rank == NET_RANK_MAX || bits > (uint64_t)NET_SIZE_MOST)
            return refuse(l, "a size is out of range, or there are more than %d", NET_RANK_MAX);
        shape->dim[shape->rank++] = dim_number((int64_t)bits);
    }
    return true;
}

static struct tensor *new_input(struct caffe *c, const struct layer *l, const char *name,
                                const struct shape *shape)
{
    struct tensor *t = net_new_tensor(c->net, name);
    if (!t)
        return NULL;
    t->type = NET_FLOAT;
    t->origin = l->origin;
    return reading_input(c->r, t, shape) && set_blob(c, name, t) ? t : NULL;
}

/* An Input layer has a shape for each top, or one for all. */
static bool take_input_layer(struct caffe *c, const struct layer *l)
{
    const struct proto p = proto_sub(l->m, "input_param");
    struct proto_item item, shape_item;
    size_t place = 0, shape_place = 0;
    struct shape shape = {.rank = -1};
    while (proto_next(l->m, "top", &place, &item)) {
        const char *name = keep(c->net, (struct proto_text){(const char *)item.at, item.size});
        if (proto_next(p, "shape", &shape_place, &shape_item) && !blob_dims(l, proto_of(&shape_item), &shape))
            return false;
        if (!name || !new_input(c, l, name, &shape))
            return false;
    }
    return true;
}

/* Sizes that a data layer's file would give get a name. */
static struct dim data_dim(struct caffe *c, const char *name, int axis, int64_t given)
{
    char text[128];
    const int length = snprintf(text, sizeof text, "%.100s.%d", name, axis);
    return given > 0 ? dim_number(given) : reading_dim(c->r, text, (size_t)length);
}

/* Images, and labels, which only training and measuring read. */
static bool take_data_layer(struct caffe *c, const struct layer *l)
{
    const struct proto memory = proto_sub(l->m, "memory_data_param"), data = proto_sub(l->m, "data_param"),
                       transform = proto_sub(l->m, "transform_param");
    struct proto_item item;
    size_t place = 0;
    const int64_t batch = memory.at ? proto_integer(memory, "batch_size") : proto_integer(data, "batch_size"),
                  crop = proto_integer(transform, "crop_size");
    for (size_t i = 0; proto_next(l->m, "top", &place, &item); i++) {
        const char *name = keep(c->net, (struct proto_text){(const char *)item.at, item.size});
        if (!name)
            return false;
        if (i) {
            struct tensor *label = net_new_tensor(c->net, name);
            if (!label || !arena_list(&c->net->arena, &c->labels, c->label_count) ||
                !set_blob(c, name, label))
                return false;
            label->type = NET_FLOAT;
            label->origin = l->origin;
            c->labels[c->label_count++] = label;
            continue;
        }
        const struct shape shape = {
            .rank = 4,
            .dim = {data_dim(c, name, 0, batch),
                    data_dim(c, name, 1, memory.at ? proto_integer(memory, "channels") : 0),
                    data_dim(c, name, 2, memory.at ? proto_integer(memory, "height") : crop),
                    data_dim(c, name, 3, memory.at ? proto_integer(memory, "width") : crop)}};
        if (!new_input(c, l, name, &shape))
            return false;
    }
    return true;
}

/* Inputs that the network itself names, with a shape each or four sizes each. */
static bool take_net_inputs(struct caffe *c)
{
    const struct layer l = {
        .r = c->r, .net = c->net, .name = "", .type = "input", .origin = {&c->net->source[0], NULL, 1}};
    struct proto_numbers dims = proto_numbers(c->model, "input_dim");
    struct proto_item item, shape_item;
    size_t place = 0, shape_place = 0;
    uint64_t bits;
    while (proto_next(c->model, "input", &place, &item)) {
        const char *name = keep(c->net, (struct proto_text){(const char *)item.at, item.size});
        struct shape shape = {.rank = -1};
        if (proto_next(c->model, "input_shape", &shape_place, &shape_item)) {
            if (!blob_dims(&l, proto_of(&shape_item), &shape))
                return false;
        } else if (proto_has(c->model, "input_dim")) {
            for (shape.rank = 0; shape.rank < 4 && proto_number(&dims, &bits); shape.rank++)
                shape.dim[shape.rank] = dim_number((int64_t)bits);
        }
        if (!name || !new_input(c, &l, name, &shape))
            return false;
    }
    return true;
}

/* ---- layers -------------------------------------------------------------------------------------- */

/* Whether a rule fits the phase; the network has no levels and no stages. */
static bool rule_fits(const struct caffe *c, struct proto rule)
{
    const char *phase = c->r->options->train ? "TRAIN" : "TEST";
    return (!proto_has(rule, "phase") || !strcmp(proto_word(rule, "phase"), phase)) &&
           (!proto_has(rule, "min_level") || proto_integer(rule, "min_level") <= 0) &&
           (!proto_has(rule, "max_level") || proto_integer(rule, "max_level") >= 0) &&
           !proto_has(rule, "stage");
}

static bool any_rule(const struct caffe *c, struct proto m, const char *field)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(m, field, &place, &item))
        if (rule_fits(c, proto_of(&item)))
            return true;
    return false;
}

static bool is_included(const struct caffe *c, struct proto m)
{
    return proto_has(m, "include") ? any_rule(c, m, "include") : !any_rule(c, m, "exclude");
}

/* The layer of that name in the caffemodel; its blobs are those of the layer. */
static struct proto weights_of(const struct caffe *c, struct proto_text name)
{
    static const char *const fields[] = {"layer", "layers"};
    struct proto_item item;
    for (size_t i = 0; c->weights.at && i < 2; i++) {
        size_t place = 0;
        while (proto_next(c->weights, fields[i], &place, &item)) {
            const struct proto_text other = proto_text(proto_of(&item), "name");
            if (other.length == name.length && !memcmp(other.at, name.at, name.length))
                return proto_of(&item);
        }
    }
    return (struct proto){NULL, NULL, 0};
}

static bool take_unknown(struct caffe *c, const struct layer *l)
{
    struct node *node = net_node(c->net, l->type, l->bottom_count, 1);
    if (!node)
        return false;
    node->name = l->name;
    node->domain = "Caffe";
    node->origin = l->origin;
    if (l->bottom_count)
        memcpy(node->inputs, l->bottoms, l->bottom_count * sizeof *node->inputs);
    node->outputs[0] = net_new_tensor(c->net, l->type);
    return node->outputs[0] && net_add_node(c->net, node) && give_tops(c, l, node->outputs[0]);
}

static bool is_one_of(const char *type, const char *const *list)
{
    while (*list && strcmp(*list, type) != 0)
        list++;
    return *list != NULL;
}

static bool take_layer(struct caffe *c, struct proto m)
{
    static const char *const data[] = {"Data",       "MemoryData",  "ImageData",   "HDF5Data",
                                       "WindowData", "DATA",        "MEMORY_DATA", "IMAGE_DATA",
                                       "HDF5_DATA",  "WINDOW_DATA", NULL};
    struct layer l = {.r = c->r, .net = c->net, .m = m, .origin = {&c->net->source[0], NULL, proto_line(m)}};
    const bool v1 = !strcmp(m.type->name, "V1LayerParameter");
    if (!is_included(c, m))
        return true;
    l.name = keep(c->net, proto_text(m, "name"));
    l.type = v1 ? proto_word(m, "type") : keep(c->net, proto_text(m, "type"));
    if (!l.name || !l.type)
        return false;
    if (v1 && proto_has(m, "layer"))
        return refuse(
            &l,
            "layers of the first generation (V0) are not read; Caffe's upgrade_net_proto_text converts them");
    if (!strcmp(l.type, "Input"))
        return take_input_layer(c, &l);
    if (is_one_of(l.type, data))
        return take_data_layer(c, &l);
    l.blobs = weights_of(c, proto_text(m, "name"));
    if (!take_bottoms(c, &l))
        return false;
    const struct conversion *conversion = conversion_of(&l);
    if (!conversion)
        return take_unknown(c, &l);
    l.type = conversion->type;
    if (!conversion->convert)
        return true;
    if (!l.bottom_count || !l.top_count)
        return refuse(&l, "it has no %s", l.bottom_count ? "top" : "bottom");
    struct tensor *result = conversion->convert(&l);
    return result && give_tops(c, &l, result);
}

/* What no layer reads is an output; labels that one reads are inputs. */
static bool take_ends(struct caffe *c)
{
    const struct shape unknown = {.rank = -1};
    for (size_t i = 0; i < c->label_count; i++)
        if (c->labels[i]->users && !reading_input(c->r, c->labels[i], &unknown))
            return false;
    for (size_t i = 0; i < c->net->tensor_count; i++) {
        struct tensor *t = c->net->tensors[i];
        if (t->producer && !t->users && !net_add_output(c->net, t))
            return false;
    }
    if (c->net->output_count)
        return true;
    diag_error(c->r->diag, (struct place){.file = c->net->source[0].path},
               "the network has no layer whose result is an output");
    return false;
}

static bool take_weights(struct caffe *c)
{
    const struct source *source = &c->net->source[1];
    if (!source->bytes)
        return true;
    if (!proto_check(caffe_net, source, c->r->diag)) {
        diag_error(c->r->diag, (struct place){.file = source->path}, "this is no caffemodel");
        return false;
    }
    c->weights = (struct proto){caffe_net, source->bytes, source->size};
    if (proto_has(c->weights, "layer") || proto_has(c->weights, "layers"))
        return true;
    diag_error(c->r->diag, (struct place){.file = source->path}, "this is no caffemodel: it has no layers");
    return false;
}

bool caffe_read(struct reading *r)
{
    struct caffe c = {.r = r, .net = r->net};
    struct net *net = r->net;
    static const char *const fields[] = {"layers", "layer"};
    struct proto_item item;
    net->format = "Caffe";
    net->opset = OPSET;
    if (!proto_from_text(caffe_net, &net->source[0], net->arena.limit, &net->text, r->diag))
        return false;
    /* The wire form counts as memory of the network. */
    if (net->text.cap > net->arena.limit / 2)
        net->arena.full = true;
    else
        net->arena.limit -= net->text.cap;
    c.model = (struct proto){caffe_net, (const uint8_t *)sb_text(&net->text), net->text.len};
    net->name = keep(net, proto_text(c.model, "name"));
    if (!net->name || !take_weights(&c) || !take_net_inputs(&c))
        return false;
    for (size_t i = 0; i < 2; i++) {
        size_t place = 0;
        while (proto_next(c.model, fields[i], &place, &item))
            if (!take_layer(&c, proto_of(&item)))
                return false;
    }
    if (!net->node_count) {
        diag_error(r->diag, (struct place){.file = net->source[0].path},
                   "the text has no layers: is it a Caffe network?");
        return false;
    }
    return take_ends(&c);
}
