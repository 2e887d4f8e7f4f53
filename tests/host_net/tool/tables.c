/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: net-tables onnx|caffe|tflite|operators
 *
 * Prints what the tables of host/net know, for tests that compare it with what
 * others say: fields and enumerations of a format, or operators with their
 * attributes.
 */
#include <stdio.h>
#include <string.h>

#include "host/net/graph/operators.h"
#include "host/net/proto/proto.h"
#include "host/net/read/tflite_schema.h"

/* The last part of a name: fields are declared with it. */
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static void print_values(const struct proto_message *m, const struct proto_field *f)
{
    for (const struct proto_name *v = f->values; v && v->name; v++)
        printf("value\t%s\t%s\t%d\t%s\n", m->name, f->name, v->value, v->name);
}

static void print_messages(const struct proto_message *const *list)
{
    static const char *const kinds[] = {
        [PROTO_INT32] = "int32",   [PROTO_INT64] = "int64",   [PROTO_UINT32] = "uint32",
        [PROTO_UINT64] = "uint64", [PROTO_BOOL] = "bool",     [PROTO_ENUM] = "enum",
        [PROTO_FLOAT] = "float",   [PROTO_DOUBLE] = "double", [PROTO_STRING] = "string",
        [PROTO_BYTES] = "bytes"};
    for (; *list; list++)
        for (unsigned i = 0; i < (*list)->count; i++) {
            const struct proto_field *f = &(*list)->fields[i];
            printf("field\t%s\t%u\t%s\t%s\t%s\t%g\n", (*list)->name, f->number, f->name,
                   f->many ? "repeated" : "optional",
                   f->kind == PROTO_MESSAGE ? last_part(f->message->name) : kinds[f->kind], f->fallback);
            print_values(*list, f);
        }
}

static void print_tflite(void)
{
#define X(table, field, index) printf("table\t%s\t%d\t%s\n", #table, index, #field);
    TFLITE_FIELDS(X)
#undef X
#define X(name, number) printf("enum\tBuiltinOperator\t%d\t%s\n", number, #name);
    TFLITE_OPERATORS(X)
#undef X
}

/* Of ONNX's own domain; attributes of graphs alone are left out. */
static void print_operators(void)
{
    for (size_t i = 0; i < operator_count; i++) {
        const struct operator_entry *op = &operators[i];
        struct operator_attribute a;
        const char *at = op->attributes;
        struct operator_slot slot;
        size_t inputs = 0, needed = 0;
        if (*op->domain)
            continue;
        for (bool more = true; more && operator_slot(op->inputs, inputs, &slot); inputs++) {
            more = !slot.variadic;
            needed += !slot.optional;
        }
        printf("%s %u %u %zu %zu", op->name, op->since, op->until, needed, inputs);
        while (operator_next_attribute(&at, &a))
            if (!a.internal)
                printf(" %.*s:%.*s:%u:%u:%d:%.*s", (int)a.name.length, a.name.at, (int)a.kind.length,
                       a.kind.at, a.since, a.until, a.required, (int)a.fallback.length, a.fallback.at);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (!strcmp(what, "onnx"))
        print_messages(onnx_messages);
    else if (!strcmp(what, "caffe"))
        print_messages(caffe_messages);
    else if (!strcmp(what, "tflite"))
        print_tflite();
    else if (!strcmp(what, "operators"))
        print_operators();
    else
        return fputs("usage: net-tables onnx|caffe|tflite|operators\n", stderr), 2;
    return 0;
}
