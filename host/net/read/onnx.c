/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX files: a ModelProto in the wire form of protocol buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/read/readers.h"

enum { IR_FIRST = 3, IR_LAST = 10, OPSET_LAST = 22 };

static struct origin origin_of(const struct reading *r, struct proto m)
{
    return (struct origin){&r->net->source[0], m.at, 0};
}

static const char *keep(struct reading *r, struct proto_text text)
{
    return text.length ? arena_text(&r->net->arena, text.at, text.length) : "";
}

/* ---- tensors ------------------------------------------------------------------------------------- */

/* The field that holds numbers of a type when they are not raw. */
static const char *typed_field(enum net_type type)
{
    switch (type) {
    case NET_FLOAT:
    case NET_COMPLEX64:
        return "float_data";
    case NET_DOUBLE:
    case NET_COMPLEX128:
        return "double_data";
    case NET_INT64:
        return "int64_data";
    case NET_UINT32:
    case NET_UINT64:
        return "uint64_data";
    case NET_STRING:
        return "string_data";
    default:
        return "int32_data";
    }
}

static bool tensor_error(const struct reading *r, const struct tensor *t, const char *what)
{
    struct strbuf name = {0};
    sb_add_quoted(&name, t->name ? t->name : "");
    origin_error(r->net, t->origin, "tensor %s: %s", sb_text(&name), what);
    sb_free(&name);
    return false;
}

static struct proto_text external_entry(struct proto m, const char *key)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(m, "external_data", &place, &item))
        if (proto_is(proto_text(proto_of(&item), "key"), key))
            return proto_text(proto_of(&item), "value");
    return (struct proto_text){"", 0};
}

/* A number of digits alone; UINT64_MAX when it is none. */
static uint64_t digits(struct proto_text text, uint64_t fallback)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || value > UINT64_MAX / 16)
            return UINT64_MAX;
        value = value * 10 + (uint64_t)(text.at[i] - '0');
    }
    return text.length ? value : fallback;
}

static bool external_values(struct reading *r, struct proto m, struct tensor *t, uint64_t bytes)
{
    const struct proto_text location = external_entry(m, "location");
    if (r->as_it_is || !location.length || memchr(location.at, 0, location.length))
        return tensor_error(r, t, "its numbers are in another file, which has no name");
    const struct source *file = reading_external(r, t->origin, location.at, location.length);
    if (!file)
        return false;
    const uint64_t offset = digits(external_entry(m, "offset"), 0),
                   length = digits(external_entry(m, "length"), bytes);
    if (length != bytes || offset > file->size || length > file->size - offset)
        return tensor_error(r, t, "offset or length of its numbers do not fit the file that has them");
    t->values = (struct values){.at = file->bytes + offset, .size = (size_t)length};
    return true;
}

static bool typed_values(struct reading *r, struct proto m, struct tensor *t, uint64_t elements)
{
    const char *field = typed_field(t->type);
    const bool complex = t->type == NET_COMPLEX64 || t->type == NET_COMPLEX128,
               half = net_type_bits(t->type) == 4;
    const uint64_t wanted = complex ? 2 * elements : half ? (elements + 1) / 2 : elements;
    struct proto_item piece;
    if (t->type == NET_STRING) {
        if (proto_count(m, field) != elements)
            return tensor_error(r, t, "it has another number of strings than its dimensions say");
        t->values = (struct values){.list = m, .field = field};
        return true;
    }
    if (proto_number_count(m, field) != wanted)
        return tensor_error(r, t, "it has another number of values than its dimensions say");
    if (proto_piece(m, field, &piece))
        t->values = (struct values){.at = piece.at, .size = piece.size};
    else
        t->values = (struct values){.list = m, .field = field};
    return true;
}

static bool read_dims(struct reading *r, struct proto m, struct tensor *t, uint64_t *elements)
{
    struct shape shape = {.rank = 0};
    struct proto_numbers dims = proto_numbers(m, "dims");
    uint64_t bits;
    *elements = 1;
    while (proto_number(&dims, &bits)) {
        if (shape.rank == NET_RANK_MAX)
            return tensor_error(r, t, "it has more than 16 dimensions");
        if (bits > (uint64_t)NET_SIZE_MOST || __builtin_mul_overflow(*elements, bits, elements) ||
            *elements > (uint64_t)NET_SIZE_MOST)
            return tensor_error(r, t, "its dimensions are out of range");
        shape.dim[shape.rank++] = dim_number((int64_t)bits);
    }
    return net_shape(r->net, t, &shape);
}

bool onnx_read_tensor(struct reading *r, struct proto m, struct tensor *t)
{
    struct proto_item raw;
    uint64_t elements;
    size_t place = 0;
    const int64_t type = proto_integer(m, "data_type");
    t->origin = origin_of(r, m);
    if (type <= 0 || type >= NET_TYPES || (type != NET_STRING && !net_type_bits((enum net_type)type)))
        return tensor_error(r, t, "its type is not supported");
    t->type = (enum net_type)type;
    t->constant = true;
    if (proto_has(m, "segment"))
        return tensor_error(r, t, "it is stored in segments, which is not supported");
    if (!read_dims(r, m, t, &elements))
        return false;
    const uint64_t bytes = net_type_bytes(t->type, elements);
    if (proto_integer(m, "data_location") == 1)
        return external_values(r, m, t, bytes);
    if (!proto_next(m, "raw_data", &place, &raw))
        return typed_values(r, m, t, elements);
    if (raw.size != bytes || t->type == NET_STRING)
        return tensor_error(r, t, "its raw data has another length than type and dimensions say");
    t->values = (struct values){.at = raw.at, .size = raw.size};
    return true;
}

/* ---- attributes ---------------------------------------------------------------------------------- */

static bool take_integers(struct reading *r, struct proto m, struct attribute *a)
{
    struct proto_numbers numbers = proto_numbers(m, "ints");
    uint64_t bits;
    a->count = proto_number_count(m, "ints");
    int64_t *to = arena_take(&r->net->arena, a->count + 1, sizeof *to);
    for (size_t i = 0; to && i < a->count && proto_number(&numbers, &bits); i++)
        to[i] = (int64_t)bits;
    a->integers = to;
    return to != NULL;
}

static bool take_reals(struct reading *r, struct proto m, struct attribute *a)
{
    struct proto_numbers numbers = proto_numbers(m, "floats");
    uint64_t bits;
    a->count = proto_number_count(m, "floats");
    float *to = arena_take(&r->net->arena, a->count + 1, sizeof *to);
    for (size_t i = 0; to && i < a->count && proto_number(&numbers, &bits); i++)
        to[i] = value_real(NET_FLOAT, bits);
    a->reals = to;
    return to != NULL;
}

static bool take_texts(struct reading *r, struct proto m, struct attribute *a)
{
    struct proto_item item;
    size_t place = 0;
    a->count = proto_count(m, "strings");
    const char **to = arena_take(&r->net->arena, a->count + 1, sizeof *to);
    for (size_t i = 0; to && i < a->count && proto_next(m, "strings", &place, &item); i++)
        to[i] = keep(r, (struct proto_text){(const char *)item.at, item.size});
    a->texts = to;
    return to != NULL;
}

static bool take_single(struct reading *r, struct proto m, struct attribute *a)
{
    struct arena *arena = &r->net->arena;
    int64_t *integer = arena_take(arena, 1, sizeof *integer);
    float *real = arena_take(arena, 1, sizeof *real);
    const char **text = arena_take(arena, 1, sizeof *text);
    if (!integer || !real || !text)
        return false;
    a->count = 1;
    *integer = proto_integer(m, "i");
    *real = (float)proto_real(m, "f");
    if (a->kind == ATTRIBUTE_INT)
        a->integers = integer;
    if (a->kind == ATTRIBUTE_FLOAT)
        a->reals = real;
    if (a->kind != ATTRIBUTE_STRING)
        return true;
    *text = keep(r, proto_text(m, "s"));
    a->texts = text;
    return *text != NULL;
}

/* Files of early versions do not say the kind. */
static const char *kind_of(struct proto m)
{
    static const struct {
        const char *field, *kind;
    } fields[] = {{"ints", "INTS"}, {"floats", "FLOATS"}, {"strings", "STRINGS"}, {"s", "STRING"},
                  {"t", "TENSOR"},  {"i", "INT"},         {"f", "FLOAT"}};
    const char *given = proto_word(m, "type");
    for (size_t i = 0; !strcmp(given, "UNDEFINED") && i < sizeof fields / sizeof *fields; i++)
        if (proto_has(m, fields[i].field))
            return fields[i].kind;
    return given;
}

static bool take_attribute(struct reading *r, struct proto m, struct attribute *a)
{
    static const char *const kinds[] = {
        [ATTRIBUTE_INT] = "INT",       [ATTRIBUTE_INTS] = "INTS",     [ATTRIBUTE_FLOAT] = "FLOAT",
        [ATTRIBUTE_FLOATS] = "FLOATS", [ATTRIBUTE_STRING] = "STRING", [ATTRIBUTE_STRINGS] = "STRINGS",
        [ATTRIBUTE_TENSOR] = "TENSOR",
    };
    const char *kind = kind_of(m);
    a->name = keep(r, proto_text(m, "name"));
    a->kind = ATTRIBUTE_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i]))
            a->kind = (enum attribute_kind)i;
    if (!a->name)
        return false;
    switch (a->kind) {
    case ATTRIBUTE_INTS:
        return take_integers(r, m, a);
    case ATTRIBUTE_FLOATS:
        return take_reals(r, m, a);
    case ATTRIBUTE_STRINGS:
        return take_texts(r, m, a);
    case ATTRIBUTE_TENSOR:
        a->count = 1;
        a->tensor = arena_take(&r->net->arena, 1, sizeof *a->tensor);
        if (!a->tensor)
            return false;
        a->tensor->name = a->name;
        return onnx_read_tensor(r, proto_sub(m, "t"), a->tensor);
    case ATTRIBUTE_OTHER:
        return true;
    default:
        return take_single(r, m, a);
    }
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static bool take_inputs(struct reading *r, struct proto m, struct node *node)
{
    struct proto_item item;
    size_t place = 0;
    for (size_t i = 0; proto_next(m, "input", &place, &item) && i < node->input_count; i++) {
        if (!item.size)
            continue; /* left out */
        node->inputs[i] = net_tensor(r->net, (const char *)item.at, item.size);
        if (!node->inputs[i])
            return false;
    }
    return true;
}

static bool take_outputs(struct reading *r, struct proto m, struct node *node)
{
    struct proto_item item;
    size_t place = 0;
    for (size_t i = 0; proto_next(m, "output", &place, &item) && i < node->output_count; i++) {
        if (!item.size)
            continue;
        struct tensor *t = node->outputs[i] = net_tensor(r->net, (const char *)item.at, item.size);
        if (!t)
            return false;
        if (t->producer || t->constant || t->input) {
            node_error(r->net, node, "its output \"%.60s\" is there already", t->name);
            return false;
        }
        t->producer = node;
        t->origin = node->origin;
    }
    return true;
}

static unsigned opset_of(const struct reading *r, struct proto model, const char *domain)
{
    struct proto_item item;
    size_t place = 0;
    if (!*domain || !strcmp(domain, "ai.onnx"))
        return r->net->opset;
    while (proto_next(model, "opset_import", &place, &item))
        if (proto_is(proto_text(proto_of(&item), "domain"), domain))
            return (unsigned)proto_integer(proto_of(&item), "version");
    return 0;
}

static bool take_node(struct reading *r, struct proto model, struct proto m)
{
    struct proto_item item;
    size_t place = 0;
    struct node *node = net_node(r->net, "", proto_count(m, "input"), proto_count(m, "output"));
    if (!node)
        return false;
    node->name = keep(r, proto_text(m, "name"));
    node->type = keep(r, proto_text(m, "op_type"));
    node->domain = keep(r, proto_text(m, "domain"));
    node->origin = origin_of(r, m);
    node->attribute_count = proto_count(m, "attribute");
    node->attributes = arena_take(&r->net->arena, node->attribute_count, sizeof *node->attributes);
    if (!node->name || !node->type || !node->domain || !node->attributes)
        return false;
    for (size_t i = 0; i < node->attribute_count && proto_next(m, "attribute", &place, &item); i++)
        if (!take_attribute(r, proto_of(&item), &node->attributes[i]))
            return false;
    if (r->as_it_is || strcmp(node->domain, "tulle") != 0)
        node->op = operator_find(node->domain, node->type, opset_of(r, model, node->domain));
    if (node->op)
        node->domain = node->op->domain;
    return take_inputs(r, m, node) && take_outputs(r, m, node) && net_add_node(r->net, node);
}

/* ---- the graph ----------------------------------------------------------------------------------- */

/* The type and shape of a value; false when it is no tensor. */
static bool take_info(struct reading *r, struct proto m, struct tensor *t, struct shape *shape)
{
    const struct proto tensor = proto_sub(proto_sub(m, "type"), "tensor_type"),
                       dims = proto_sub(tensor, "shape");
    const int64_t type = proto_integer(tensor, "elem_type");
    struct proto_item item;
    size_t place = 0;
    shape->rank = dims.at ? 0 : -1;
    if (!tensor.at)
        return tensor_error(r, t, "it is no tensor; sequences, maps and optional values are not supported");
    if (type < 0 || type >= NET_TYPES || (type && type != NET_STRING && !net_type_bits((enum net_type)type)))
        return tensor_error(r, t, "its type is not supported");
    t->type = (enum net_type)type;
    while (proto_next(dims, "dim", &place, &item)) {
        const struct proto dim = proto_of(&item);
        const struct proto_text name = proto_text(dim, "dim_param");
        char fresh[128];
        if (shape->rank == NET_RANK_MAX)
            return tensor_error(r, t, "it has more than 16 dimensions");
        const int length = snprintf(fresh, sizeof fresh, "%.100s.%d", t->name, shape->rank);
        struct dim *to = &shape->dim[shape->rank++];
        *to = proto_has(dim, "dim_value") ? dim_number(proto_integer(dim, "dim_value"))
              : name.length               ? reading_dim(r, name.at, name.length)
                                          : reading_dim(r, fresh, (size_t)length);
        if (!to->term && (to->value < 0 || to->value > NET_SIZE_MOST))
            return tensor_error(r, t, "a dimension is out of range");
    }
    return true;
}

static bool take_initializers(struct reading *r, struct proto graph)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(graph, "initializer", &place, &item)) {
        const struct proto_text name = proto_text(proto_of(&item), "name");
        struct tensor *t = net_tensor(r->net, name.at, name.length);
        if (!t)
            return false;
        if (t->constant)
            return tensor_error(r, t, "there are two of this name");
        if (!onnx_read_tensor(r, proto_of(&item), t))
            return false;
    }
    if (!proto_has(graph, "sparse_initializer"))
        return true;
    diag_error(r->diag, (struct place){.file = r->net->source[0].path},
               "sparse initializers are not supported; store them as tensors");
    return false;
}

static bool take_inputs_of_graph(struct reading *r, struct proto graph)
{
    struct proto_item item;
    size_t place = 0;
    bool ok = true;
    while (proto_next(graph, "input", &place, &item)) {
        const struct proto_text name = proto_text(proto_of(&item), "name");
        struct tensor *t = net_tensor(r->net, name.at, name.length);
        struct shape shape;
        if (!t)
            return false;
        if (t->constant)
            continue; /* an initializer gives its value */
        t->origin = origin_of(r, proto_of(&item));
        if (t->input)
            return tensor_error(r, t, "there are two inputs of this name");
        ok &= take_info(r, proto_of(&item), t, &shape) && reading_input(r, t, &shape);
    }
    return ok;
}

/* Shapes that the file gives for values in between. */
static bool take_value_infos(struct reading *r, struct proto graph, const char *field)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(graph, field, &place, &item)) {
        const struct proto m = proto_of(&item);
        const struct proto_text name = proto_text(m, "name");
        struct tensor *t = net_find(r->net, name.at, name.length);
        struct shape shape;
        if (t && !t->constant && !t->input && !t->shape &&
            proto_sub(proto_sub(m, "type"), "tensor_type").at) {
            if (!take_info(r, m, t, &shape) || !net_shape(r->net, t, &shape))
                return false;
        }
    }
    return true;
}

static bool take_outputs_of_graph(struct reading *r, struct proto graph)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(graph, "output", &place, &item)) {
        const struct proto_text name = proto_text(proto_of(&item), "name");
        struct tensor *t = net_find(r->net, name.at, name.length);
        if (!t) {
            origin_error(r->net, origin_of(r, proto_of(&item)), "the output \"%.*s\" is computed by no node",
                         name.length > 60 ? 60 : (int)name.length, name.at);
            return false;
        }
        if (!net_add_output(r->net, t))
            return false;
    }
    return r->net->output_count || tensor_error(r, &(struct tensor){.name = ""}, "the graph has no outputs");
}

static bool take_graph(struct reading *r, struct proto model)
{
    const struct proto graph = proto_sub(model, "graph");
    struct proto_item item;
    size_t place = 0;
    r->net->name = keep(r, proto_text(graph, "name"));
    if (!r->net->name || !take_initializers(r, graph) || !take_inputs_of_graph(r, graph))
        return false;
    while (proto_next(graph, "node", &place, &item))
        if (!take_node(r, model, proto_of(&item)))
            return false;
    return take_outputs_of_graph(r, graph) && take_value_infos(r, graph, "output") &&
           take_value_infos(r, graph, "value_info") && (!r->as_it_is || onnx_take_notes(r, graph));
}

static bool take_versions(struct reading *r, struct proto model)
{
    const struct place place = {.file = r->net->source[0].path};
    const int64_t ir = proto_integer(model, "ir_version");
    struct proto_item item;
    size_t at = 0;
    int64_t opset = 0;
    while (proto_next(model, "opset_import", &at, &item)) {
        const struct proto_text domain = proto_text(proto_of(&item), "domain");
        if (!domain.length || proto_is(domain, "ai.onnx"))
            opset = proto_integer(proto_of(&item), "version");
    }
    if (!proto_sub(model, "graph").at) {
        diag_error(r->diag, place,
                   "this is no network: neither an ONNX file with a graph, nor TFLite, nor a prototxt");
        return false;
    }
    if (ir < IR_FIRST || ir > IR_LAST)
        diag_error(r->diag, place, "IR version %lld; versions %d to %d are read", (long long)ir, IR_FIRST,
                   IR_LAST);
    if (opset < 0 || opset > OPSET_LAST)
        diag_error(r->diag, place, "operator set %lld; sets up to %d are read", (long long)opset, OPSET_LAST);
    r->net->opset = opset > 0 ? (unsigned)opset : 1;
    return ir >= IR_FIRST && ir <= IR_LAST && opset >= 0 && opset <= OPSET_LAST;
}

bool onnx_read(struct reading *r)
{
    const struct source *source = &r->net->source[0];
    const struct proto model = {onnx_model, source->bytes, source->size};
    r->net->format = "ONNX";
    if (!proto_check(onnx_model, source, r->diag)) {
        diag_error(r->diag, (struct place){.file = source->path},
                   "it was taken for ONNX, as it is neither TFLite nor a text");
        return false;
    }
    return take_versions(r, model) && take_graph(r, model);
}

struct net *net_read_tensor(const char *path, struct diag *diag)
{
    static const struct net_read_options options;
    struct source source;
    if (!source_open(&source, path, diag))
        return NULL;
    struct reading r = {.net = net_new(NET_MEMORY_LEAST), .options = &options, .diag = diag};
    if (!r.net) {
        diag_no_memory(diag, path);
        source_close(&source);
        return NULL;
    }
    r.net->source[0] = source;
    r.net->diag = diag;
    const struct proto m = {onnx_tensor, source.bytes, source.size};
    struct tensor *t =
        proto_check(onnx_tensor, &r.net->source[0], diag) ? net_tensor(r.net, path, strlen(path)) : NULL;
    const bool ok = t && onnx_read_tensor(&r, m, t);
    r.net->diag = NULL;
    if (ok)
        return r.net;
    net_free(r.net);
    return NULL;
}
