/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "gen/version.h"
#include "host/net/graph/function.h"
#include "host/net/write/write.h"

struct writer {
    const struct net *net;
    struct strbuf *to;
    size_t added;    /* nodes that were added, for their names */
    bool keeps_name; /* the node that is being written */
    bool as_it_is;   /* nothing is said in ONNX's way */
};

/* ---- fields by their name ------------------------------------------------------------------------ */

static const struct proto_message *message(const char *name)
{
    const struct proto_message *const *m = onnx_messages;
    while (strcmp((*m)->name, name) != 0)
        m++;
    return *m;
}

static unsigned field(const char *in, const char *name)
{
    return proto_field_number(message(in), name);
}

static void put_text(struct writer *w, const char *in, const char *name, const char *text)
{
    proto_put_text(w->to, field(in, name), text);
}

static void put_integer(struct writer *w, const char *in, const char *name, int64_t value)
{
    proto_put_integer(w->to, field(in, name), (uint64_t)value);
}

static size_t begin(struct writer *w, const char *in, const char *name)
{
    return proto_begin(w->to, field(in, name));
}

static void end(struct writer *w, size_t at)
{
    proto_end(w->to, at);
}

/* ---- tensors ------------------------------------------------------------------------------------- */

static void put_strings(struct writer *w, const struct tensor *t)
{
    struct proto_item item;
    size_t place = 0;
    while (t->values.list.at && proto_next(t->values.list, t->values.field, &place, &item))
        proto_put_bytes(w->to, field("TensorProto", "string_data"), item.at, item.size);
}

/* Numbers of a list as raw bytes. */
static void put_list(struct writer *w, const struct tensor *t)
{
    const unsigned bits = net_type_bits(t->type);
    const unsigned bytes = t->type == NET_COMPLEX64    ? 4
                           : t->type == NET_COMPLEX128 ? 8
                           : bits < 8                  ? 1
                                                       : bits / 8;
    struct value_reader reader = value_reader(t);
    struct strbuf raw = {0};
    uint64_t value;
    while (value_next(&reader, &value))
        for (unsigned i = 0; i < bytes; i++)
            sb_addn(&raw, &(char){(char)(value >> 8 * i & 0xff)}, 1);
    proto_put_bytes(w->to, field("TensorProto", "raw_data"), sb_text(&raw), raw.len);
    w->to->failed |= raw.failed;
    sb_free(&raw);
}

static void put_tensor(struct writer *w, const char *name, const struct tensor *t)
{
    uint64_t elements = 1;
    for (int i = 0; t->shape && i < t->shape->rank; i++) {
        put_integer(w, "TensorProto", "dims", t->shape->dim[i].value);
        elements *= (uint64_t)t->shape->dim[i].value;
    }
    put_integer(w, "TensorProto", "data_type", t->type);
    put_text(w, "TensorProto", "name", name);
    if (t->type == NET_STRING)
        put_strings(w, t);
    else if (t->values.at)
        proto_put_bytes(w->to, field("TensorProto", "raw_data"), t->values.at, t->values.size);
    else if (t->values.list.at)
        put_list(w, t);
    else {
        void *zeros = calloc(1, (size_t)net_type_bytes(t->type, elements) + 1);
        w->to->failed |= !zeros;
        if (zeros)
            proto_put_bytes(w->to, field("TensorProto", "raw_data"), zeros,
                            (size_t)net_type_bytes(t->type, elements));
        free(zeros);
    }
}

static void put_initializer(struct writer *w, const char *name, const struct tensor *t)
{
    const size_t at = begin(w, "GraphProto", "initializer");
    put_tensor(w, name, t);
    end(w, at);
}

static void put_numbers(struct writer *w, const char *name, enum net_type type, const void *values,
                        size_t count, bool scalar)
{
    struct shape shape = {.rank = scalar ? 0 : 1, .dim = {{(int64_t)count, NULL}}};
    const struct tensor t = {
        .type = type, .shape = &shape, .values = {.at = values, .size = (size_t)net_type_bytes(type, count)}};
    put_initializer(w, name, &t);
}

static void put_shape(struct writer *w, const struct shape *shape)
{
    const size_t at = begin(w, "TypeProto.Tensor", "shape");
    for (int i = 0; i < shape->rank; i++) {
        const size_t dim = begin(w, "TensorShapeProto", "dim");
        struct strbuf text = {0};
        dim_print(&text, shape->dim[i]);
        if (shape->dim[i].term)
            put_text(w, "TensorShapeProto.Dimension", "dim_param", sb_text(&text));
        else
            put_integer(w, "TensorShapeProto.Dimension", "dim_value", shape->dim[i].value);
        sb_free(&text);
        end(w, dim);
    }
    end(w, at);
}

static void put_tensor_type(struct writer *w, enum net_type type, const struct shape *shape)
{
    const size_t at = begin(w, "TypeProto", "tensor_type");
    put_integer(w, "TypeProto.Tensor", "elem_type", type);
    if (shape)
        put_shape(w, shape);
    end(w, at);
}

/* What a ZipMap gives: for each row a map from the classes' labels to their values. */
static void put_maps_type(struct writer *w, const struct node *node)
{
    static const struct shape none = {.rank = 0};
    const size_t list = begin(w, "TypeProto", "sequence_type"),
                 each = begin(w, "TypeProto.Sequence", "elem_type"), map = begin(w, "TypeProto", "map_type");
    put_integer(w, "TypeProto.Map", "key_type",
                node_attribute(node, "classlabels_int64s") ? NET_INT64 : NET_STRING);
    const size_t value = begin(w, "TypeProto.Map", "value_type");
    put_tensor_type(w, NET_FLOAT, &none);
    end(w, value);
    end(w, map);
    end(w, each);
    end(w, list);
}

static void put_info(struct writer *w, const char *list, const struct tensor *t)
{
    const size_t at = begin(w, "GraphProto", list);
    put_text(w, "ValueInfoProto", "name", t->name);
    const size_t type = begin(w, "ValueInfoProto", "type");
    if (t->producer && !strcmp(t->producer->type, "ZipMap"))
        put_maps_type(w, t->producer);
    else
        put_tensor_type(w, t->type, t->shape);
    end(w, type);
    end(w, at);
}

/* ---- attributes ---------------------------------------------------------------------------------- */

static void put_values(struct writer *w, const struct attribute *a)
{
    const bool list =
        a->kind == ATTRIBUTE_INTS || a->kind == ATTRIBUTE_FLOATS || a->kind == ATTRIBUTE_STRINGS;
    for (size_t i = 0; a->integers && i < a->count; i++)
        put_integer(w, "AttributeProto", list ? "ints" : "i", a->integers[i]);
    for (size_t i = 0; a->reals && i < a->count; i++)
        proto_put_float(w->to, field("AttributeProto", list ? "floats" : "f"), a->reals[i]);
    for (size_t i = 0; a->texts && i < a->count; i++)
        put_text(w, "AttributeProto", list ? "strings" : "s", a->texts[i]);
    if (!a->tensor)
        return;
    const size_t at = begin(w, "AttributeProto", "t");
    put_tensor(w, "", a->tensor);
    end(w, at);
}

static void put_attribute(struct writer *w, const struct attribute *a)
{
    static const char *const kinds[] = {
        [ATTRIBUTE_INT] = "INT",       [ATTRIBUTE_INTS] = "INTS",      [ATTRIBUTE_FLOAT] = "FLOAT",
        [ATTRIBUTE_FLOATS] = "FLOATS", [ATTRIBUTE_STRING] = "STRING",  [ATTRIBUTE_STRINGS] = "STRINGS",
        [ATTRIBUTE_TENSOR] = "TENSOR", [ATTRIBUTE_OTHER] = "UNDEFINED"};
    const struct proto_name *value = NULL;
    const struct proto_message *type = message("AttributeProto");
    for (unsigned i = 0; i < type->count; i++)
        if (type->fields[i].values)
            value = type->fields[i].values;
    while (value && value->name && strcmp(value->name, kinds[a->kind]) != 0)
        value++;
    const size_t at = begin(w, "NodeProto", "attribute");
    put_text(w, "AttributeProto", "name", a->name);
    put_values(w, a);
    put_integer(w, "AttributeProto", "type", value ? value->value : 0);
    end(w, at);
}

/* ---- nodes --------------------------------------------------------------------------------------- */

/* A name for a value that the graph does not have. */
struct name {
    char text[64];
};

static struct name fresh(struct writer *w)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "tulle.%zu", ++w->added);
    while (net_find(w->net, name.text, strlen(name.text)))
        snprintf(name.text, sizeof name.text, "tulle.%zu", ++w->added);
    return name;
}

static void put_transpose(struct writer *w, const char *from, const char *to, const int64_t *order,
                          size_t rank)
{
    const struct attribute perm = {.name = "perm", .kind = ATTRIBUTE_INTS, .count = rank, .integers = order};
    const size_t at = begin(w, "GraphProto", "node");
    put_text(w, "NodeProto", "input", from);
    put_text(w, "NodeProto", "output", to);
    put_text(w, "NodeProto", "op_type", "Transpose");
    put_attribute(w, &perm);
    end(w, at);
}

/* A QuantizeLinear or DequantizeLinear with the numbers of the tensor. */
static void put_scaling(struct writer *w, const char *type, const struct tensor *t, const char *from,
                        const char *to)
{
    const struct quantisation *q = t->quantisation;
    const int64_t axis = q->axis;
    const struct attribute attribute = {.name = "axis", .kind = ATTRIBUTE_INT, .count = 1, .integers = &axis};
    const struct name scale = fresh(w), zero = fresh(w);
    const unsigned bytes = net_type_bits(t->type) / 8;
    struct strbuf zeros = {0};
    for (unsigned i = 0; i < q->count; i++)
        for (unsigned k = 0; k < bytes; k++)
            sb_addn(&zeros, &(char){(char)((uint64_t)(int64_t)q->zero[i] >> 8 * k & 0xff)}, 1);
    put_numbers(w, scale.text, NET_FLOAT, q->scale, q->count, q->count == 1);
    put_numbers(w, zero.text, t->type, sb_text(&zeros), q->count, q->count == 1);
    sb_free(&zeros);
    const size_t at = begin(w, "GraphProto", "node");
    put_text(w, "NodeProto", "input", from);
    put_text(w, "NodeProto", "input", scale.text);
    put_text(w, "NodeProto", "input", zero.text);
    put_text(w, "NodeProto", "output", to);
    put_text(w, "NodeProto", "op_type", type);
    if (q->count > 1)
        put_attribute(w, &attribute);
    end(w, at);
}

/* ONNX scales these alone. */
static bool is_scaled(const struct tensor *t)
{
    return t && t->quantisation && (t->type == NET_INT8 || t->type == NET_UINT8 || t->type == NET_INT32);
}

static bool takes_integers(const struct node *node)
{
    return *node->domain || !strcmp(node->type, "QuantizeLinear") || !strcmp(node->type, "DequantizeLinear");
}

/* Orders of dimensions: to channels first, and back; and of weights to [outputs][inputs][kernel]. */
static void order_of(const char *what, int rank, int64_t order[NET_RANK_MAX])
{
    const bool back = !strcmp(what, "NCHW"), single = !strcmp(what, "1HWO");
    for (int i = 0; i < rank; i++)
        order[i] = back ? (i ? (i == rank - 1 ? 1 : i + 1) : 0) : (i > 1 ? i - 1 : i ? rank - 1 : 0);
    for (int i = 0; single && i < rank; i++)
        order[i] = i ? i - 1 : rank - 1;
}

static bool has_layout(const struct node *node, const char *attribute, const char *layout)
{
    const struct attribute *a = node_attribute(node, attribute);
    return a && a->texts && !strcmp(a->texts[0], layout);
}

static struct name transposed(struct writer *w, const char *from, const char *what, const struct tensor *t)
{
    int64_t order[NET_RANK_MAX];
    const struct name name = fresh(w);
    const int rank = t->shape ? t->shape->rank : 4;
    order_of(what, rank, order);
    put_transpose(w, from, name.text, order, (size_t)rank);
    return name;
}

/* The name under which a node gets its input, once what stands before the node is written. */
static struct name input_name(struct writer *w, const struct node *node, size_t i, bool *same)
{
    struct tensor *t = node->inputs[i];
    struct name name = {""};
    const char *now = t->name;
    if (is_scaled(t) && !takes_integers(node)) {
        name = fresh(w);
        put_scaling(w, "DequantizeLinear", t, now, name.text);
        now = name.text;
    }
    if (i == 0 && has_layout(node, "layout", "NHWC"))
        name = transposed(w, now, "NHWC", t);
    else if (i == 1 && has_layout(node, "weights_layout", "OHWI"))
        name = transposed(w, now, "OHWI", t);
    else if (i == 1 && has_layout(node, "weights_layout", "1HWO"))
        name = transposed(w, now, "1HWO", t);
    *same = !*name.text;
    return name;
}

/* Whether the result of a node is not what ONNX's operator gives. */
static bool is_changed_behind(const struct node *node, const struct tensor *t)
{
    return t && ((is_scaled(t) && !takes_integers(node)) || has_layout(node, "layout", "NHWC"));
}

/* What stands behind the node gives its output the graph's name. */
static void put_behind(struct writer *w, const struct node *node, size_t i, const char *from)
{
    const struct tensor *t = node->outputs[i];
    const bool scaled = is_scaled(t) && !takes_integers(node), moved = has_layout(node, "layout", "NHWC");
    int64_t order[NET_RANK_MAX];
    const int rank = t->shape ? t->shape->rank : 4;
    const struct name middle = fresh(w);
    order_of("NCHW", rank, order);
    if (moved)
        put_transpose(w, from, scaled ? middle.text : t->name, order, (size_t)rank);
    if (scaled)
        put_scaling(w, "QuantizeLinear", t, moved ? middle.text : from, t->name);
}

static void put_plain_node(struct writer *w, const struct node *node, const struct name *in, const bool *same,
                           const struct name *out)
{
    const size_t at = begin(w, "GraphProto", "node");
    for (size_t i = 0; i < node->input_count; i++)
        put_text(w, "NodeProto", "input",
                 !node->inputs[i] ? ""
                 : same[i]        ? node->inputs[i]->name
                                  : in[i].text);
    for (size_t i = 0; i < node->output_count; i++)
        put_text(w, "NodeProto", "output",
                 !node->outputs[i] ? ""
                 : *out[i].text    ? out[i].text
                                   : node->outputs[i]->name);
    put_text(w, "NodeProto", "name", w->keeps_name || w->as_it_is ? node->name : "");
    put_text(w, "NodeProto", "op_type", node->type);
    for (size_t i = 0; i < node->attribute_count; i++) {
        struct operator_attribute known;
        if (w->as_it_is || !node->op || !operator_attribute(node->op, node->attributes[i].name, 0, &known) ||
            !known.internal)
            put_attribute(w, &node->attributes[i]);
    }
    if (*node->domain)
        put_text(w, "NodeProto", "domain", node->domain);
    end(w, at);
}

/* The limits of Clip are inputs from operator set 11 on. */
static void put_limits(struct writer *w, const struct node *function, struct name names[FUNCTION_NUMBERS])
{
    static const char *const limits[FUNCTION_NUMBERS] = {"min", "max"};
    for (size_t i = 0; i < FUNCTION_NUMBERS; i++) {
        const struct attribute *a = node_attribute(function, limits[i]);
        names[i] = a ? fresh(w) : (struct name){""};
        if (a)
            put_numbers(w, names[i].text, NET_FLOAT, a->reals, 1, true);
    }
}

/* The function of a node, as a node behind it. */
static void put_function(struct writer *w, const struct node *function, const char *from, const char *to)
{
    enum { CLIP_HAS_INPUTS = 11 };
    struct name limits[FUNCTION_NUMBERS];
    const bool inputs = !strcmp(function->type, "Clip") && w->net->opset >= CLIP_HAS_INPUTS;
    if (inputs)
        put_limits(w, function, limits);
    const size_t at = begin(w, "GraphProto", "node");
    put_text(w, "NodeProto", "input", from);
    for (size_t i = 0; inputs && i < FUNCTION_NUMBERS; i++)
        put_text(w, "NodeProto", "input", limits[i].text);
    put_text(w, "NodeProto", "output", to);
    put_text(w, "NodeProto", "op_type", function->type);
    for (size_t i = 0; !inputs && i < function->attribute_count; i++)
        put_attribute(w, &function->attributes[i]);
    end(w, at);
}

static void put_node(struct writer *w, const struct node *node)
{
    struct function_node function;
    struct name *names = calloc(node->input_count + node->output_count + 1, sizeof *names),
                *out = names + node->input_count;
    bool *same = calloc(node->input_count + 1, sizeof *same);
    if (!names || !same) {
        w->to->failed = true;
        free(names);
        free(same);
        return;
    }
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] && !(same[i] = w->as_it_is))
            names[i] = input_name(w, node, i, &same[i]);
    for (size_t i = 0; !w->as_it_is && i < node->output_count; i++)
        if (is_changed_behind(node, node->outputs[i]))
            out[i] = fresh(w);
    const bool has_function =
        !w->as_it_is && node->output_count && node->outputs[0] && function_of(w->net, node, &function);
    if (has_function)
        out[0] = fresh(w);
    put_plain_node(w, node, names, same, out);
    if (has_function)
        put_function(w, &function.node, out[0].text, node->outputs[0]->name);
    for (size_t i = has_function; i < node->output_count; i++)
        if (node->outputs[i] && *out[i].text)
            put_behind(w, node, i, out[i].text);
    free(names);
    free(same);
}

/* ---- the model ----------------------------------------------------------------------------------- */

struct node_name {
    const char *text;
    size_t node;
};

static int compare_names(const void *a, const void *b)
{
    const struct node_name *left = a, *right = b;
    const int order = strcmp(left->text, right->text);
    return order ? order : left->node < right->node ? -1 : 1;
}

/* Of nodes with the same name the last one keeps it: ONNX Runtime takes no name twice. NULL: out of memory.
 */
static bool *find_named(const struct net *net)
{
    struct node_name *names = calloc(net->node_count + 1, sizeof *names);
    bool *named = names ? calloc(net->node_count + 1, sizeof *named) : NULL;
    for (size_t i = 0; named && i < net->node_count; i++)
        names[i] = (struct node_name){net->nodes[i]->name, i};
    if (named)
        qsort(names, net->node_count, sizeof *names, compare_names);
    for (size_t i = 0; named && i < net->node_count; i++)
        named[names[i].node] = i + 1 == net->node_count || strcmp(names[i].text, names[i + 1].text) != 0;
    free(names);
    return named;
}

static void put_nodes(struct writer *w)
{
    bool *named = find_named(w->net);
    w->to->failed |= !named;
    for (size_t i = 0; named && i < w->net->node_count; i++) {
        w->keeps_name = named[i];
        put_node(w, w->net->nodes[i]);
    }
    free(named);
}

/* ---- what ONNX cannot say ------------------------------------------------------------------------ */

static void put_note(struct writer *w, const char *key, const char *value)
{
    const size_t at = begin(w, "TensorAnnotation", "quant_parameter_tensor_names");
    put_text(w, "StringStringEntryProto", "key", key);
    put_text(w, "StringStringEntryProto", "value", value);
    end(w, at);
}

/* Scales as the digits of their bits, and zero points. */
static void put_quantisation(struct writer *w, const struct quantisation *q)
{
    struct strbuf axis = {0}, scales = {0}, zeros = {0};
    sb_addf(&axis, "%08x", q->axis);
    for (unsigned i = 0; i < q->count; i++) {
        uint32_t bits;
        memcpy(&bits, &q->scale[i], sizeof bits);
        sb_addf(&scales, "%08x", bits);
        sb_addf(&zeros, "%08x", (uint32_t)q->zero[i]);
    }
    w->to->failed |= axis.failed || scales.failed || zeros.failed;
    put_note(w, NET_NOTE_AXIS, sb_text(&axis));
    put_note(w, NET_NOTE_SCALES, sb_text(&scales));
    put_note(w, NET_NOTE_ZEROS, sb_text(&zeros));
    sb_free(&axis);
    sb_free(&scales);
    sb_free(&zeros);
}

static void put_notes_of(struct writer *w, const struct tensor *t)
{
    if (!t->quantisation && !t->variable)
        return;
    const size_t at = begin(w, "GraphProto", "quantization_annotation");
    put_text(w, "TensorAnnotation", "tensor_name", t->name);
    if (t->quantisation)
        put_quantisation(w, t->quantisation);
    if (t->variable)
        put_note(w, NET_NOTE_VARIABLE, "1");
    end(w, at);
}

static void put_info_of_result(struct writer *w, const struct tensor *t)
{
    if (!t->output && t->type)
        put_info(w, "value_info", t);
}

/* Results of nodes in the order of these, so that a graph that was read is written as it was, whatever the
 * order in which tensors were met. */
static void put_results(struct writer *w, void (*put)(struct writer *w, const struct tensor *t))
{
    for (size_t i = 0; i < w->net->node_count; i++)
        for (size_t k = 0; k < w->net->nodes[i]->output_count; k++)
            if (w->net->nodes[i]->outputs[k])
                put(w, w->net->nodes[i]->outputs[k]);
}

static void put_notes(struct writer *w)
{
    const struct net *net = w->net;
    for (size_t i = 0; i < net->input_count; i++)
        put_notes_of(w, net->inputs[i]);
    for (size_t i = 0; i < net->tensor_count; i++)
        if (!net->tensors[i]->producer && !net->tensors[i]->input)
            put_notes_of(w, net->tensors[i]);
    put_results(w, put_notes_of);
}

static void put_graph(struct writer *w)
{
    const struct net *net = w->net;
    const size_t at = begin(w, "ModelProto", "graph");
    put_nodes(w);
    put_text(w, "GraphProto", "name", *net->name ? net->name : "network");
    for (size_t i = 0; i < net->tensor_count; i++) {
        const struct tensor *t = net->tensors[i];
        if (!t->producer && (t->values.at || t->values.list.at || (t->variable && !t->input)))
            put_initializer(w, t->name, t);
    }
    for (size_t i = 0; i < net->input_count; i++)
        put_info(w, "input", net->inputs[i]);
    for (size_t i = 0; i < net->tensor_count; i++)
        if (net->tensors[i]->constant && !net->tensors[i]->producer && !net->tensors[i]->values.at &&
            !net->tensors[i]->values.list.at)
            put_info(w, "input", net->tensors[i]);
    for (size_t i = 0; i < net->output_count; i++)
        put_info(w, "output", net->outputs[i]);
    put_results(w, put_info_of_result);
    if (w->as_it_is)
        put_notes(w);
    end(w, at);
}

static void put_opset(struct writer *w, const char *domain, int64_t version)
{
    const size_t at = begin(w, "ModelProto", "opset_import");
    put_text(w, "OperatorSetIdProto", "domain", domain);
    put_integer(w, "OperatorSetIdProto", "version", version);
    end(w, at);
}

static void put_opsets(struct writer *w)
{
    static const char *const domains[] = {"ai.onnx.ml", "com.microsoft", "tulle"};
    put_opset(w, "", w->net->opset);
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++) {
        bool used = false;
        for (size_t i = 0; i < w->net->node_count; i++)
            used |= !strcmp(w->net->nodes[i]->domain, domains[k]);
        if (used)
            put_opset(w, domains[k], 1);
    }
}

static void put_model(const struct net *net, bool as_it_is, struct strbuf *to)
{
    enum { IR_COMMON = 8, IR_19 = 9, IR_21 = 10 };
    struct writer w = {.net = net, .to = to, .as_it_is = as_it_is};
    put_integer(&w, "ModelProto", "ir_version",
                net->opset > 20   ? IR_21
                : net->opset > 18 ? IR_19
                                  : IR_COMMON);
    put_text(&w, "ModelProto", "producer_name", "tulle");
    put_text(&w, "ModelProto", "producer_version", TULLE_VERSION);
    put_graph(&w);
    put_opsets(&w);
}

void net_write_onnx(const struct net *net, struct strbuf *to)
{
    put_model(net, false, to);
}

void net_write_graph(const struct net *net, struct strbuf *to)
{
    put_model(net, true, to);
}
