/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- types --------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned bits;
} types[NET_TYPES] = {
    [NET_NO_TYPE] = {"?", 0},
    [NET_FLOAT] = {"float32", 32},
    [NET_UINT8] = {"uint8", 8},
    [NET_INT8] = {"int8", 8},
    [NET_UINT16] = {"uint16", 16},
    [NET_INT16] = {"int16", 16},
    [NET_INT32] = {"int32", 32},
    [NET_INT64] = {"int64", 64},
    [NET_STRING] = {"string", 0},
    [NET_BOOL] = {"bool", 8},
    [NET_FLOAT16] = {"float16", 16},
    [NET_DOUBLE] = {"float64", 64},
    [NET_UINT32] = {"uint32", 32},
    [NET_UINT64] = {"uint64", 64},
    [NET_COMPLEX64] = {"complex64", 64},
    [NET_COMPLEX128] = {"complex128", 128},
    [NET_BFLOAT16] = {"bfloat16", 16},
    [NET_UINT4] = {"uint4", 4},
    [NET_INT4] = {"int4", 4},
};

const char *net_type_name(enum net_type type)
{
    return (unsigned)type < NET_TYPES && types[type].name ? types[type].name : "?";
}

unsigned net_type_bits(enum net_type type)
{
    return (unsigned)type < NET_TYPES ? types[type].bits : 0;
}

uint64_t net_type_bytes(enum net_type type, uint64_t elements)
{
    return (elements * net_type_bits(type) + 7) / 8;
}

/* ---- the network --------------------------------------------------------------------------------- */

struct net *net_new(size_t most)
{
    struct net *net = calloc(1, sizeof *net);
    if (net && !arena_open(&net->arena, most)) {
        free(net);
        return NULL;
    }
    return net;
}

void net_free(struct net *net)
{
    if (!net)
        return;
    source_close(&net->source[0]);
    source_close(&net->source[1]);
    for (size_t i = 0; i < net->external_count; i++)
        source_close(net->external[i]);
    sb_free(&net->text);
    keep_close(&net->keep);
    spare_close(&net->spare);
    arena_close(&net->arena);
    free(net);
}

/* ---- names --------------------------------------------------------------------------------------- */

static size_t hash(const char *name, size_t length)
{
    uint64_t value = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
    return (size_t)(value ^ value >> 32);
}

/* The slot of that name, or the empty one where it belongs. */
static struct tensor **slot(const struct net *net, const char *name, size_t length)
{
    size_t at = hash(name, length) & (net->names_size - 1);
    while (net->names[at] &&
           (strncmp(net->names[at]->name, name, length) != 0 || net->names[at]->name[length]))
        at = (at + 1) & (net->names_size - 1);
    return &net->names[at];
}

static bool grow_names(struct net *net)
{
    if (net->names_size > 2 * net->tensor_count)
        return true;
    const size_t size = net->names_size ? 4 * net->names_size : 64;
    struct tensor **names = arena_take(&net->arena, size, sizeof(struct tensor *));
    if (!names)
        return false;
    net->names = names;
    net->names_size = size;
    for (size_t i = 0; i < net->tensor_count; i++)
        *slot(net, net->tensors[i]->name, strlen(net->tensors[i]->name)) = net->tensors[i];
    return true;
}

struct tensor *net_find(const struct net *net, const char *name, size_t length)
{
    return net->names_size ? *slot(net, name, length) : NULL;
}

struct tensor *net_tensor(struct net *net, const char *name, size_t length)
{
    const char *end = memchr(name, 0, length);
    length = end ? (size_t)(end - name) : length;
    struct tensor *tensor = net_find(net, name, length);
    if (tensor)
        return tensor;
    if (!arena_list(&net->arena, &net->tensors, net->tensor_count) || !grow_names(net))
        return NULL;
    tensor = arena_take(&net->arena, 1, sizeof *tensor);
    if (!tensor)
        return NULL;
    tensor->name = arena_text(&net->arena, name, length);
    if (!tensor->name)
        return NULL;
    *slot(net, name, length) = tensor;
    net->tensors[net->tensor_count++] = tensor;
    return tensor;
}

struct tensor *net_new_tensor(struct net *net, const char *like)
{
    enum { DIGITS = 24 };
    const size_t length = strlen(like);
    if (length && !net_find(net, like, length))
        return net_tensor(net, like, length);
    char *name = arena_take(&net->arena, length + DIGITS, 1);
    if (!name)
        return NULL;
    for (size_t i = net->tensor_count;; i++) {
        const int count = snprintf(name, length + DIGITS, "%s_%zu", like, i);
        if (!net_find(net, name, (size_t)count))
            return net_tensor(net, name, (size_t)count);
    }
}

/* The slot of the old name stays: it is passed over, as the name is another, and goes when the table grows.
 */
bool net_rename(struct net *net, struct tensor *tensor, const char *name)
{
    struct tensor **to = slot(net, name, strlen(name));
    const char *copy = *to ? tensor->name : arena_text(&net->arena, name, strlen(name));
    if (!*to && copy)
        *to = tensor;
    tensor->name = copy ? copy : tensor->name;
    return copy != NULL;
}

/* ---- building ------------------------------------------------------------------------------------ */

struct node *net_node(struct net *net, const char *type, size_t inputs, size_t outputs)
{
    struct node *node = arena_take(&net->arena, 1, sizeof *node);
    if (!node)
        return NULL;
    *node =
        (struct node){.name = "", .type = type, .domain = "", .input_count = inputs, .output_count = outputs};
    node->inputs = arena_take(&net->arena, inputs, sizeof(struct tensor *));
    node->outputs = arena_take(&net->arena, outputs, sizeof(struct tensor *));
    return node->inputs && node->outputs ? node : NULL;
}

bool net_add_node(struct net *net, struct node *node)
{
    if (!arena_list(&net->arena, &net->nodes, net->node_count))
        return false;
    net->nodes[net->node_count++] = node;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i])
            node->inputs[i]->users++;
    for (size_t i = 0; i < node->output_count; i++)
        if (node->outputs[i])
            node->outputs[i]->producer = node;
    return true;
}

bool net_add_input(struct net *net, struct tensor *tensor)
{
    if (!tensor || !arena_list(&net->arena, &net->inputs, net->input_count))
        return false;
    tensor->input = true;
    net->inputs[net->input_count++] = tensor;
    return true;
}

bool net_add_output(struct net *net, struct tensor *tensor)
{
    if (!tensor || !arena_list(&net->arena, &net->outputs, net->output_count))
        return false;
    tensor->output = true;
    net->outputs[net->output_count++] = tensor;
    return true;
}

bool net_add_mark(struct net *net, const char *name)
{
    if (!arena_list(&net->arena, &net->marks, net->mark_count))
        return false;
    net->marks[net->mark_count++] = name;
    return true;
}

static void count_users(struct net *net)
{
    for (size_t i = 0; i < net->tensor_count; i++) {
        net->tensors[i]->users = 0;
        net->tensors[i]->producer = NULL;
    }
    for (size_t i = 0; i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        for (size_t k = 0; k < node->input_count; k++)
            if (node->inputs[k])
                node->inputs[k]->users++;
        for (size_t k = 0; k < node->output_count; k++)
            if (node->outputs[k])
                node->outputs[k]->producer = net->nodes[i];
    }
}

void net_recount(struct net *net)
{
    size_t count = 0;
    count_users(net);
    for (size_t i = 0; i < net->tensor_count; i++) {
        struct tensor *t = net->tensors[i];
        if (t->users || t->producer || t->input || t->output || t->variable)
            net->tensors[count++] = t;
    }
    net->tensor_count = count;
}

bool net_shape(struct net *net, struct tensor *tensor, const struct shape *shape)
{
    const size_t bytes =
        offsetof(struct shape, dim) + (size_t)(shape->rank < 0 ? 0 : shape->rank) * sizeof *shape->dim;
    tensor->shape = NULL;
    if (shape->rank < 0)
        return true;
    tensor->shape = arena_take(&net->arena, bytes, 1);
    if (!tensor->shape)
        return false;
    memcpy(tensor->shape, shape, bytes);
    return true;
}

struct shape net_shape_of(const struct tensor *tensor)
{
    struct shape shape = {.rank = tensor->shape ? tensor->shape->rank : -1};
    if (shape.rank > 0)
        memcpy(shape.dim, tensor->shape->dim, (size_t)shape.rank * sizeof *shape.dim);
    return shape;
}

/* A list with a copy of the numbers. */
static struct tensor *constant(struct net *net, const char *like, enum net_type type, const void *numbers,
                               size_t count)
{
    const struct shape shape = {.rank = 1, .dim = {{(int64_t)count, NULL}}};
    const size_t bytes = (size_t)net_type_bytes(type, count);
    struct tensor *tensor = net_new_tensor(net, like);
    uint8_t *values = arena_take(&net->arena, bytes ? bytes : 1, 1);
    if (!tensor || !values || !net_shape(net, tensor, &shape))
        return NULL;
    if (bytes)
        memcpy(values, numbers, bytes);
    tensor->type = type;
    tensor->constant = true;
    tensor->values = (struct values){.at = values, .size = bytes};
    return tensor;
}

struct tensor *net_integers(struct net *net, const char *like, const int64_t *values, size_t count)
{
    return constant(net, like, NET_INT64, values, count);
}

struct tensor *net_floats(struct net *net, const char *like, const float *values, size_t count)
{
    return constant(net, like, NET_FLOAT, values, count);
}

/* ---- attributes ---------------------------------------------------------------------------------- */

static struct attribute *new_attribute(struct net *net, struct node *node, const char *name,
                                       enum attribute_kind kind, size_t count)
{
    struct attribute *list;
    for (size_t i = 0; i < node->attribute_count; i++)
        if (!strcmp(node->attributes[i].name, name)) {
            node->attributes[i] = (struct attribute){.name = name, .kind = kind, .count = count};
            return &node->attributes[i];
        }
    list = arena_take(&net->arena, node->attribute_count + 1, sizeof *list);
    if (!list)
        return NULL;
    if (node->attribute_count)
        memcpy(list, node->attributes, node->attribute_count * sizeof *list);
    node->attributes = list;
    list += node->attribute_count++;
    *list = (struct attribute){.name = name, .kind = kind, .count = count};
    return list;
}

static bool set_integers(struct net *net, struct node *node, const char *name, enum attribute_kind kind,
                         const int64_t *values, size_t count)
{
    struct attribute *a = new_attribute(net, node, name, kind, count);
    int64_t *to = arena_take(&net->arena, count ? count : 1, sizeof *to);
    if (!a || !to)
        return false;
    if (count)
        memcpy(to, values, count * sizeof *to);
    a->integers = to;
    return true;
}

bool node_set_integers(struct net *net, struct node *node, const char *name, const int64_t *values,
                       size_t count)
{
    return set_integers(net, node, name, ATTRIBUTE_INTS, values, count);
}

bool node_set_integer(struct net *net, struct node *node, const char *name, int64_t value)
{
    return set_integers(net, node, name, ATTRIBUTE_INT, &value, 1);
}

static bool set_reals(struct net *net, struct node *node, const char *name, enum attribute_kind kind,
                      const double *values, size_t count)
{
    struct attribute *a = new_attribute(net, node, name, kind, count);
    float *to = arena_take(&net->arena, count ? count : 1, sizeof *to);
    if (!a || !to)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = (float)values[i];
    a->reals = to;
    return true;
}

bool node_set_reals(struct net *net, struct node *node, const char *name, const double *values, size_t count)
{
    return set_reals(net, node, name, ATTRIBUTE_FLOATS, values, count);
}

bool node_set_real(struct net *net, struct node *node, const char *name, double value)
{
    return set_reals(net, node, name, ATTRIBUTE_FLOAT, &value, 1);
}

bool node_set_text(struct net *net, struct node *node, const char *name, const char *text)
{
    struct attribute *a = new_attribute(net, node, name, ATTRIBUTE_STRING, 1);
    const char **to = arena_take(&net->arena, 1, sizeof *to);
    if (!a || !to)
        return false;
    *to = text;
    a->texts = to;
    return true;
}

const struct attribute *node_attribute(const struct node *node, const char *name)
{
    for (size_t i = 0; i < node->attribute_count; i++)
        if (!strcmp(node->attributes[i].name, name))
            return &node->attributes[i];
    return NULL;
}

/* ---- shapes -------------------------------------------------------------------------------------- */

struct dim shape_elements(struct net *net, const struct shape *shape)
{
    struct dim count = dim_number(1);
    for (int i = 0; i < shape->rank; i++)
        count = dim_mul(&net->arena, count, shape->dim[i]);
    return count;
}

void shape_print(struct strbuf *to, const struct shape *shape)
{
    sb_add(to, "[");
    for (int i = 0; shape && i < shape->rank; i++) {
        sb_add(to, i ? ", " : "");
        dim_print(to, shape->dim[i]);
    }
    sb_add(to, shape ? "]" : "?]");
}

/* ---- numbers of constants ------------------------------------------------------------------------ */

struct value_reader value_reader(const struct tensor *tensor)
{
    struct value_reader reader = {.tensor = tensor};
    if (!tensor->values.at && tensor->values.list.at)
        reader.numbers = proto_numbers(tensor->values.list, tensor->values.field);
    return reader;
}

bool value_next(struct value_reader *reader, uint64_t *bits)
{
    const struct values *v = &reader->tensor->values;
    const unsigned bytes = net_type_bits(reader->tensor->type) / 8;
    if (!v->at)
        return v->list.at && proto_number(&reader->numbers, bits);
    if (!bytes || bytes > 8 || v->size - reader->place < bytes)
        return false;
    *bits = 0;
    memcpy(bits, v->at + reader->place, bytes);
    reader->place += bytes;
    return true;
}

int64_t value_integer(enum net_type type, uint64_t bits)
{
    switch (type) {
    case NET_INT8:
        return (int8_t)bits;
    case NET_INT16:
        return (int16_t)bits;
    case NET_INT32:
        return (int32_t)bits;
    case NET_UINT8:
    case NET_BOOL:
        return (uint8_t)bits;
    case NET_UINT16:
        return (uint16_t)bits;
    case NET_UINT32:
        return (uint32_t)bits;
    default:
        return (int64_t)bits;
    }
}

float value_real(enum net_type type, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    double real;
    float single;
    if (type == NET_DOUBLE) {
        memcpy(&real, &bits, sizeof real);
        return (float)real;
    }
    if (type != NET_FLOAT)
        return (float)value_integer(type, bits);
    memcpy(&single, &low, sizeof single);
    return single;
}

/* ---- messages ------------------------------------------------------------------------------------ */

static void report(const struct net *net, struct origin origin, const char *text)
{
    if (origin.line)
        diag_error(net->diag, (struct place){origin.source->path, origin.line, 0}, "%s", text);
    else
        source_error(origin.source ? origin.source : &net->source[0], origin.at, net->diag, "%s", text);
}

void origin_error(const struct net *net, struct origin origin, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    report(net, origin, sb_text(&text));
    sb_free(&text);
}

void node_verror(const struct net *net, const struct node *node, const char *format, va_list args)
{
    struct strbuf text = {0};
    sb_addf(&text, "node ");
    if (*node->name)
        sb_add_quoted(&text, node->name);
    else if (node->output_count && node->outputs[0])
        sb_add_quoted(&text, node->outputs[0]->name);
    sb_addf(&text, " (%.60s): ", node->type);
    sb_vaddf(&text, format, args);
    report(net, node->origin, sb_text(&text));
    sb_free(&text);
}

void node_error(const struct net *net, const struct node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    node_verror(net, node, format, args);
    va_end(args);
}
