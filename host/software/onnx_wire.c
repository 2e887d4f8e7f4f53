/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IR_VERSION = 8, OPSET = 17, NAME = 16 };
enum { VARINT = 0, BYTES = 2 };
enum { ATTRIBUTE_INT = 2, ATTRIBUTE_INTS = 7 };

static void varint(struct strbuf *to, uint64_t value)
{
    char bytes[10];
    unsigned n = 0;
    for (; value >= 128; value >>= 7)
        bytes[n++] = (char)(value | 128);
    bytes[n++] = (char)value;
    sb_addn(to, bytes, n);
}

static void put_integer(struct strbuf *to, unsigned field, uint64_t value)
{
    varint(to, field << 3 | VARINT);
    varint(to, value);
}

static void put_bytes(struct strbuf *to, unsigned field, const char *bytes, size_t size)
{
    varint(to, field << 3 | BYTES);
    varint(to, size);
    sb_addn(to, bytes, size);
}

static void put_text(struct strbuf *to, unsigned field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

static void put_message(struct strbuf *to, unsigned field, struct strbuf *message)
{
    put_bytes(to, field, sb_text(message), message->len);
    sb_free(message);
}

static const char *name_of(onnx_value value, char name[NAME])
{
    snprintf(name, NAME, "v%u", value);
    return name;
}

static unsigned bytes_of(enum onnx_type type)
{
    return type == ONNX_INT64                          ? 8
           : type == ONNX_INT32 || type == ONNX_FLOAT  ? 4
           : type == ONNX_INT16 || type == ONNX_UINT16 ? 2
                                                       : 1;
}

onnx_value onnx_constant(struct onnx *o, enum onnx_type type, const int64_t *values, const int64_t *dims,
                         unsigned rank)
{
    struct strbuf tensor = {0}, raw = {0};
    char name[NAME];
    uint64_t count = 1;
    const unsigned bytes = bytes_of(type);
    for (unsigned d = 0; d < rank; d++) {
        put_integer(&tensor, 1, (uint64_t)dims[d]);
        count *= (uint64_t)dims[d];
    }
    put_integer(&tensor, 2, type);
    put_text(&tensor, 8, name_of(++o->last, name));
    for (uint64_t i = 0; i < count; i++) {
        char word[8];
        for (unsigned b = 0; b < bytes; b++)
            word[b] = (char)((uint64_t)values[i] >> (8 * b));
        sb_addn(&raw, word, bytes);
    }
    put_message(&tensor, 9, &raw);
    put_message(&o->graph, 5, &tensor);
    return o->last;
}

onnx_value onnx_number(struct onnx *o, enum onnx_type type, int64_t value)
{
    return onnx_constant(o, type, &value, NULL, 0);
}

onnx_value onnx_node(struct onnx *o, const char *op, onnx_value a, onnx_value b, onnx_value c,
                     const char *attribute, int64_t integer)
{
    struct strbuf node = {0}, with = {0};
    char name[NAME];
    const onnx_value operands[] = {a, b, c};
    for (unsigned i = 0; i < 3; i++)
        if (operands[i])
            put_text(&node, 1, name_of(operands[i], name));
    put_text(&node, 2, name_of(++o->last, name));
    put_text(&node, 4, op);
    if (attribute) {
        put_text(&with, 1, attribute);
        const bool list = !strcmp(attribute, "axes");
        put_integer(&with, list ? 8 : 3, (uint64_t)integer);
        put_integer(&with, 20, list ? ATTRIBUTE_INTS : ATTRIBUTE_INT);
        put_message(&node, 5, &with);
    }
    put_message(&o->graph, 1, &node);
    return o->last;
}

onnx_value onnx_cast(struct onnx *o, onnx_value value, enum onnx_type type)
{
    return onnx_node(o, "Cast", value, 0, 0, "to", type);
}

onnx_value onnx_listed(struct onnx *o, const char *op, onnx_value value, const int64_t *list, unsigned count)
{
    const int64_t dims[] = {count};
    return onnx_node(o, op, value, onnx_constant(o, ONNX_INT64, list, dims, 1), 0, NULL, 0);
}

/* A name with its type and dimensions. */
static void put_value(struct onnx *o, unsigned field, const char *name, enum onnx_type type,
                      const int64_t *dims, unsigned rank)
{
    struct strbuf shape = {0}, tensor = {0}, kind = {0}, value = {0};
    for (unsigned d = 0; d < rank; d++) {
        struct strbuf dim = {0};
        if (dims[d] == ONNX_BATCH)
            put_text(&dim, 2, "batch");
        else
            put_integer(&dim, 1, (uint64_t)dims[d]);
        put_message(&shape, 1, &dim);
    }
    put_integer(&tensor, 1, type);
    put_message(&tensor, 2, &shape);
    put_message(&kind, 1, &tensor);
    put_text(&value, 1, name);
    put_message(&value, 2, &kind);
    put_message(&o->graph, field, &value);
}

/* Identity gives it a number. */
onnx_value onnx_input(struct onnx *o, const char *name, enum onnx_type type, const int64_t *dims,
                      unsigned rank)
{
    struct strbuf node = {0};
    char number[NAME];
    put_value(o, 11, name, type, dims, rank);
    put_text(&node, 1, name);
    put_text(&node, 2, name_of(++o->last, number));
    put_text(&node, 4, "Identity");
    put_message(&o->graph, 1, &node);
    return o->last;
}

void onnx_output(struct onnx *o, onnx_value value, const char *name, enum onnx_type type, const int64_t *dims,
                 unsigned rank)
{
    struct strbuf node = {0};
    char number[NAME];
    put_text(&node, 1, name_of(value, number));
    put_text(&node, 2, name);
    put_text(&node, 4, "Identity");
    put_message(&o->graph, 1, &node);
    put_value(o, 12, name, type, dims, rank);
}

void onnx_write(const struct onnx *o, const char *name, struct strbuf *to)
{
    struct strbuf graph = {0}, opset = {0};
    put_text(&graph, 2, name);
    sb_addn(&graph, sb_text(&o->graph), o->graph.len);
    put_integer(to, 1, IR_VERSION);
    put_text(to, 2, "tulle software");
    put_message(to, 7, &graph);
    put_text(&opset, 1, "");
    put_integer(&opset, 2, OPSET);
    put_message(to, 8, &opset);
}

void onnx_free(struct onnx *o)
{
    sb_free(&o->graph);
}
