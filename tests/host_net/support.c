/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net/support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

void write_bytes(const char *path, const struct strbuf *bytes)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(sb_text(bytes), 1, bytes->len, file) == bytes->len && fclose(file) == 0);
}

struct strbuf wire_of(const struct proto_message *type, const char *text)
{
    const struct source source = {"text", (const uint8_t *)text, strlen(text), NULL};
    struct strbuf wire = {0};
    struct diag diag = {0};
    cr_assert(proto_from_text(type, &source, 1 << 24, &wire, &diag), "%s", sb_text(&diag.text));
    return wire;
}

void write_wire(const char *path, const struct proto_message *type, const char *text)
{
    struct strbuf wire = wire_of(type, text);
    write_bytes(path, &wire);
    sb_free(&wire);
}

void write_onnx(const char *path, const char *graph)
{
    struct strbuf text = {0};
    sb_addf(&text, "ir_version: 8 opset_import { version: 13 } graph { name: 'g' %s }", graph);
    write_wire(path, onnx_model, sb_text(&text));
    sb_free(&text);
}

/* "2x3" as the dimensions of a tensor; a word is a named one. */
static void add_dims(struct strbuf *to, const char *shape)
{
    while (*shape) {
        const size_t length = strcspn(shape, "x");
        const bool digit = *shape >= '0' && *shape <= '9';
        sb_addf(to, digit ? "dim { dim_value: %.*s } " : "dim { dim_param: '%.*s' } ", (int)length, shape);
        shape += length + (shape[length] == 'x');
    }
}

void write_node(const char *path, const char *type, const char *shape, const char *attributes)
{
    struct strbuf text = {0};
    sb_add(&text, "input { name: 'X' type { tensor_type { elem_type: 1 shape { ");
    add_dims(&text, shape);
    sb_addf(&text, "} } } } node { op_type: '%s' name: 'n' input: 'X' output: 'Y' %s } output { name: 'Y' }",
            type, attributes);
    write_onnx(path, sb_text(&text));
    sb_free(&text);
}

/* ---- TFLite -------------------------------------------------------------------------------------- */

static void put(struct strbuf *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        sb_addn(to, &(char){(char)(value >> 8 * i & 0xff)}, 1);
}

static void patch(struct strbuf *to, size_t at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to->text[at + i] = (char)(value >> 8 * i & 0xff);
}

/* A table whose fields take four bytes each and are 0; a field that is -1 is not there. Returns its place. */
static size_t table(struct strbuf *to, unsigned fields, const int64_t *values)
{
    const size_t offsets = to->len;
    put(to, 4 + 2 * fields, 2);
    put(to, 4 + 4 * fields, 2);
    for (unsigned i = 0; i < fields; i++)
        put(to, values[i] < 0 ? 0 : 4 + 4 * i, 2);
    const size_t at = to->len;
    put(to, at - offsets, 4);
    for (unsigned i = 0; i < fields; i++)
        put(to, (uint64_t)(values[i] < 0 ? 0 : values[i]), 4);
    return at;
}

static void refer(struct strbuf *to, size_t table, unsigned field)
{
    const size_t slot = table + 4 + 4 * field;
    patch(to, slot, (uint32_t)(to->len - slot));
}

static size_t vector(struct strbuf *to, size_t table, unsigned field, size_t count, unsigned bytes,
                     const int64_t *values)
{
    refer(to, table, field);
    put(to, count, 4);
    const size_t at = to->len;
    for (size_t i = 0; i < count; i++)
        put(to, values ? (uint64_t)values[i] : 0, bytes);
    return at;
}

static void text(struct strbuf *to, size_t table, unsigned field, const char *text)
{
    refer(to, table, field);
    put(to, strlen(text), 4);
    sb_addn(to, text, strlen(text) + 1);
}

/* The i-th element of a vector of tables begins here. */
static void element(struct strbuf *to, size_t vector, size_t i)
{
    patch(to, vector + 4 * i, (uint32_t)(to->len + 4 - (vector + 4 * i)));
}

/* A table that is an element of a vector: its offsets come first, so the place is patched. */
static size_t element_table(struct strbuf *to, size_t vector, size_t i, unsigned fields,
                            const int64_t *values)
{
    element(to, vector, i);
    const size_t at = table(to, fields, values);
    patch(to, vector + 4 * i, (uint32_t)(at - (vector + 4 * i)));
    return at;
}

static size_t field_table(struct strbuf *to, size_t parent, unsigned field, unsigned fields,
                          const int64_t *values)
{
    const size_t slot = parent + 4 + 4 * field, at = table(to, fields, values);
    patch(to, slot, (uint32_t)(at - slot));
    return at;
}

struct tensor_spec {
    const char *name;
    int64_t shape[4];
    size_t rank;
    int64_t type, buffer, scales;
};

static void put_tensor(struct strbuf *to, size_t list, size_t i, const struct tensor_spec *t)
{
    const size_t at = element_table(to, list, i, 5, (const int64_t[]){0, t->type, t->buffer, 0, 0});
    const int64_t one = 0x3f000000, zero = 3;
    int64_t scales[8], zeros[8];
    vector(to, at, 0, t->rank, 4, t->shape);
    text(to, at, 3, t->name);
    const size_t q = field_table(to, at, 4, 4, (const int64_t[]){-1, -1, 0, 0});
    for (int64_t k = 0; k < t->scales; k++) {
        scales[k] = one;
        zeros[k] = t->scales > 1 ? 0 : zero;
    }
    vector(to, q, 2, (size_t)t->scales, 4, scales);
    vector(to, q, 3, (size_t)t->scales, 8, zeros);
}

static void put_operator(struct strbuf *to, size_t list, size_t i, int64_t code, size_t inputs,
                         const int64_t *in, int64_t out, int64_t kind, unsigned fields,
                         const int64_t *options)
{
    const size_t at = element_table(to, list, i, 5, (const int64_t[]){code, 0, 0, kind, 0});
    vector(to, at, 1, inputs, 4, in);
    vector(to, at, 2, 1, 4, &out);
    field_table(to, at, 4, fields, options);
}

/* Buffer 0 is empty, and each tensor has the next. */
static void put_buffers(struct strbuf *to, size_t model, const struct tflite_tensor *tensors, size_t count)
{
    const size_t buffer = vector(to, model, 4, count + 1, 4, NULL);
    int64_t bytes[64];
    for (size_t i = 0; i <= count; i++) {
        const struct tflite_tensor *t = i ? &tensors[i - 1] : NULL;
        const size_t at = element_table(to, buffer, i, 1, (const int64_t[]){t && t->numbers ? 0 : -1});
        size_t numbers = t && t->numbers ? 1 : 0;
        for (size_t k = 0; numbers && k < t->rank; k++)
            numbers *= (size_t)t->shape[k];
        const size_t each = t && t->type == TFLITE_INT8S ? 1 : 4;
        for (size_t k = 0; k < each * numbers; k++)
            bytes[k] = t->numbers[k / each] >> 8 * (k % each) & 255;
        if (numbers)
            vector(to, at, 0, each * numbers, 1, bytes);
    }
}

struct strbuf tflite_of(int64_t code, const struct tflite_tensor *tensors, size_t inputs, size_t outputs,
                        unsigned fields, const int64_t *options)
{
    const size_t count = inputs + outputs;
    int64_t places[16], open[16];
    size_t opens = 0;
    struct strbuf to = {0};
    for (size_t i = 0; i < count; i++) {
        places[i] = (int64_t)i;
        if (i < inputs && !tensors[i].numbers)
            open[opens++] = (int64_t)i;
    }
    put(&to, 0, 4);
    sb_addn(&to, "TFL3", 4);
    const size_t model = table(&to, 5, (const int64_t[]){3, 0, 0, -1, 0});
    patch(&to, 0, (uint32_t)model);
    element_table(&to, vector(&to, model, 1, 1, 4, NULL), 0, 4, (const int64_t[]){code, -1, -1, code});
    put_buffers(&to, model, tensors, count);
    const size_t graph =
        element_table(&to, vector(&to, model, 2, 1, 4, NULL), 0, 5, (const int64_t[]){0, 0, 0, 0, 0});
    vector(&to, graph, 1, opens, 4, open);
    vector(&to, graph, 2, outputs, 4, places + inputs);
    text(&to, graph, 4, "main");
    const size_t list = vector(&to, graph, 0, count, 4, NULL);
    for (size_t i = 0; i < count; i++) {
        struct tensor_spec spec = {.name = "t",
                                   .rank = tensors[i].rank,
                                   .type = tensors[i].type,
                                   .buffer = (int64_t)i + 1,
                                   .scales = tensors[i].scaled};
        memcpy(spec.shape, tensors[i].shape, sizeof spec.shape);
        put_tensor(&to, list, i, &spec);
    }
    const size_t node = element_table(&to, vector(&to, graph, 3, 1, 4, NULL), 0, 5,
                                      (const int64_t[]){0, 0, 0, 1, fields ? 0 : -1});
    vector(&to, node, 1, inputs, 4, places);
    vector(&to, node, 2, outputs, 4, places + inputs);
    if (fields)
        field_table(&to, node, 4, fields, options);
    return to;
}

struct strbuf small_tflite(void)
{
    enum { INT8 = 9, INT32 = 2, TENSORS = 8, OPERATORS = 3 };
    static const struct tensor_spec tensors[TENSORS] = {
        {"x", {1, 6, 6, 2}, 4, INT8, 0, 1}, {"w", {4, 3, 3, 2}, 4, INT8, 1, 4}, {"b", {4}, 1, INT32, 2, 4},
        {"c", {1, 4, 4, 4}, 4, INT8, 0, 1}, {"p", {1, 2, 2, 4}, 4, INT8, 0, 1}, {"v", {3, 16}, 2, INT8, 3, 1},
        {"y", {1, 3}, 2, INT8, 0, 1},       {"unused", {2}, 1, INT32, 0, 0},
    };
    static const int64_t codes[OPERATORS] = {3, 17, 9}, bytes[] = {0, 72, 16, 48};
    struct strbuf to = {0};
    put(&to, 0, 4);
    sb_addn(&to, "TFL3", 4);
    const size_t model = table(&to, 5, (const int64_t[]){3, 0, 0, -1, 0});
    patch(&to, 0, (uint32_t)model);
    const size_t code = vector(&to, model, 1, OPERATORS, 4, NULL);
    for (size_t i = 0; i < OPERATORS; i++)
        element_table(&to, code, i, 4, (const int64_t[]){codes[i], -1, -1, codes[i]});
    const size_t buffer = vector(&to, model, 4, 4, 4, NULL);
    for (size_t i = 0; i < 4; i++) {
        const size_t at = element_table(&to, buffer, i, 1, (const int64_t[]){bytes[i] ? 0 : -1});
        if (bytes[i])
            vector(&to, at, 0, (size_t)bytes[i], 1, NULL);
    }
    const size_t graphs = vector(&to, model, 2, 1, 4, NULL);
    const size_t graph = element_table(&to, graphs, 0, 5, (const int64_t[]){0, 0, 0, 0, 0});
    vector(&to, graph, 1, 1, 4, (const int64_t[]){0});
    vector(&to, graph, 2, 1, 4, (const int64_t[]){6});
    text(&to, graph, 4, "main");
    const size_t list = vector(&to, graph, 0, TENSORS, 4, NULL);
    for (size_t i = 0; i < TENSORS; i++)
        put_tensor(&to, list, i, &tensors[i]);
    const size_t nodes = vector(&to, graph, 3, OPERATORS, 4, NULL);
    put_operator(&to, nodes, 0, 0, 3, (const int64_t[]){0, 1, 2}, 3, 1, 4, (const int64_t[]){1, 1, 1, 3});
    put_operator(&to, nodes, 1, 1, 1, (const int64_t[]){3}, 4, 5, 6, (const int64_t[]){1, 2, 2, 2, 2, 1});
    put_operator(&to, nodes, 2, 2, 2, (const int64_t[]){4, 5}, 6, 8, 1, (const int64_t[]){0});
    return to;
}

/* ---- Caffe --------------------------------------------------------------------------------------- */

const char *small_prototxt(void)
{
    return "name: \"small\"\n"
           "layer { name: 'data' type: 'Input' top: 'data' input_param { shape: { dim: [1, 2, 6, 6] } } }\n"
           "layer { name: 'conv' type: 'Convolution' bottom: 'data' top: 'conv'\n"
           "  convolution_param { num_output: 4 kernel_size: 3 pad: 1 } }\n"
           "layer { name: 'relu' type: 'ReLU' bottom: 'conv' top: 'conv' }\n"
           "layer { name: 'drop' type: 'Dropout' bottom: 'conv' top: 'conv' include { phase: TRAIN } }\n"
           "layer { name: 'pool' type: 'Pooling' bottom: 'conv' top: 'pool' external_output: true\n"
           "  pooling_param { pool: MAX kernel_size: 3 stride: 2 } } # rounds up\n"
           "layer { name: 'ip' type: 'InnerProduct' bottom: 'pool' top: 'ip' inner_product_param { "
           "num_output: 3 } }\n"
           "layer { name: 'prob' type: 'Softmax' bottom: 'ip' top: 'prob' }\n"
           "layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'ip' bottom: 'ip' top: 'loss' }\n";
}

static void add_blob(struct strbuf *to, const char *shape, unsigned count)
{
    sb_addf(to, "blobs { shape { dim: [%s] } data: [", shape);
    for (unsigned i = 0; i < count; i++)
        sb_addf(to, "%s%u.5", i ? ", " : "", i % 7);
    sb_add(to, "] }\n");
}

struct strbuf small_caffemodel(void)
{
    struct strbuf text = {0};
    sb_add(&text, "layer { name: 'conv' type: 'Convolution' ");
    add_blob(&text, "4, 2, 3, 3", 72);
    add_blob(&text, "4", 4);
    sb_add(&text, "}\nlayers { name: 'ip' type: INNER_PRODUCT ");
    add_blob(&text, "1, 1, 3, 36", 108);
    add_blob(&text, "1, 1, 1, 3", 3);
    sb_add(&text, "}\n");
    struct strbuf wire = wire_of(caffe_net, sb_text(&text));
    sb_free(&text);
    return wire;
}

/* ---- reading ------------------------------------------------------------------------------------- */

struct net *reads(const char *path, const struct net_read_options *options)
{
    struct diag diag = {0};
    struct net *net = net_read(path, options, &diag);
    cr_assert(net && !diag.errors, "%s: %s", path, sb_text(&diag.text));
    return net;
}

void refuses(const char *path, const struct net_read_options *options, const char *word)
{
    struct diag diag = {0};
    cr_assert(!net_read(path, options, &diag), "%s is read", path);
    cr_assert(strstr(sb_text(&diag.text), word), "no \"%s\" in: %s", word, sb_text(&diag.text));
    diag_free(&diag);
}

void has_shape(const struct net *net, const char *name, const char *shape)
{
    const struct tensor *t = net_find(net, name, strlen(name));
    struct strbuf text = {0};
    cr_assert(t, "there is no tensor %s", name);
    shape_print(&text, t->shape);
    cr_assert_str_eq(sb_text(&text), shape, "%s", name);
    sb_free(&text);
}
