/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX files: shapes, types, what is refused and how it is said.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gen_base/scratch.h"
#include "tests/host_net/support.h"

TestSuite(host_net_onnx, .init = scratch_enter, .fini = scratch_leave);

#define INPUT(name, dims) \
    "input { name: '" name "' type { tensor_type { elem_type: 1 shape { " dims " } } } } "
#define D(n) "dim { dim_value: " #n " } "
#define N "dim { dim_param: 'N' } "

static void gives(const char *type, const char *shape, const char *attributes, const char *wanted)
{
    write_node("a.onnx", type, shape, attributes);
    struct net *net = reads("a.onnx", NULL);
    has_shape(net, "Y", wanted);
    net_free(net);
}

static void fails(const char *type, const char *shape, const char *attributes, const char *word)
{
    write_node("a.onnx", type, shape, attributes);
    refuses("a.onnx", NULL, word);
}

#define INTS(name, list) "attribute { name: '" name "' type: INTS ints: [" list "] } "
#define INT(name, value) "attribute { name: '" name "' type: INT i: " value " } "
#define TEXT(name, value) "attribute { name: '" name "' type: STRING s: '" value "' } "

Test(host_net_onnx, shapes)
{
    gives("Relu", "2x3", "", "[2, 3]");
    gives("Transpose", "2x3xN", "", "[N, 3, 2]");
    gives("Transpose", "2x3xN", INTS("perm", "0, 2, 1"), "[2, N, 3]");
    gives("Transpose", "2x3x4", INTS("perm", "1, 2, 0"), "[3, 4, 2]");
    gives("Flatten", "Nx3x4", INT("axis", "1"), "[N, 12]");
    gives("MaxPool", "1x2x7x7", INTS("kernel_shape", "3, 3") INTS("strides", "2, 2"), "[1, 2, 3, 3]");
    gives("MaxPool", "1x2x8x8", INTS("kernel_shape", "3, 3") INTS("strides", "2, 2") INT("ceil_mode", "1"),
          "[1, 2, 4, 4]");
    gives("MaxPool", "1x2x8x8",
          INTS("kernel_shape", "3, 3") INTS("strides", "2, 2") TEXT("auto_pad", "VALID"), "[1, 2, 3, 3]");
    gives("MaxPool", "1x2x8x9",
          INTS("kernel_shape", "3, 3") INTS("strides", "2, 2") TEXT("auto_pad", "SAME_UPPER"),
          "[1, 2, 4, 5]");
    gives("AveragePool", "1x2xHx8", INTS("kernel_shape", "2, 2") INTS("strides", "2, 2"),
          "[1, 2, (H - 2)/2 + 1, 4]");
    /* A window that lies in the padding behind the image alone does not count. */
    gives("MaxPool", "1x1x4x4",
          INTS("kernel_shape", "2, 2") INTS("strides", "3, 3") INTS("pads", "0, 0, 2, 2")
              INT("ceil_mode", "1"),
          "[1, 1, 2, 2]");
    gives("GlobalAveragePool", "1x2x8x9", "", "[1, 2, 1, 1]");
    gives("ReduceMean", "2x3x4", INTS("axes", "1") INT("keepdims", "0"), "[2, 4]");
    gives("ReduceMean", "2x3x4", "", "[1, 1, 1]");
    gives("ArgMax", "2x3x4", INT("axis", "-1"), "[2, 3, 1]");
    gives("DepthToSpace", "1x8x2x3", INT("blocksize", "2"), "[1, 2, 4, 6]");
    gives("SpaceToDepth", "1x2x4x6", INT("blocksize", "2"), "[1, 8, 2, 3]");
    gives("Shape", "2xNx4", "", "[3]");
}

Test(host_net_onnx, contradictions_are_refused)
{
    fails("Transpose", "2x3", INTS("perm", "0, 0"),
          "node \"n\" (Transpose): perm is no order of 2 dimensions");
    fails("MaxPool", "1x2x2x2", INTS("kernel_shape", "3, 3"),
          "the window is larger than the image with its padding");
    fails("MaxPool", "1x2x2x2", "", "attribute kernel_shape is missing");
    fails("MaxPool", "1x2x2x2", INTS("kernel_shape", "2, 0"), "kernel_shape has 0; it must be 1 or more");
    fails("MaxPool", "1x2x2x2", INTS("kernel_shape", "2"), "kernel_shape has 1 numbers; 2 are wanted");
    fails("MaxPool", "1x2x2x2", INTS("kernel_shape", "2, 2") INTS("stride", "2, 2"),
          "attribute stride is not known in operator set 13; there is strides");
    fails("MaxPool", "1x2x2x2", INT("kernel_shape", "2"), "attribute kernel_shape is int; it must be ints");
    fails("DepthToSpace", "1x3x2x3", INT("blocksize", "2"), "the image is no multiple of blocks of 2");
    fails("DepthToSpace", "1x4x2x2", "", "attribute blocksize is missing");
    fails("ArgMax", "2x3", INT("axis", "2"), "axis 2 is not one of the 2 dimensions");
    fails("Not", "2x3", "", "input X is float32; it must be bool");
    fails("MatMul", "2x3", "", "input B is missing");
    fails("And", "2x3", "input: 'X'", "input A is float32; it must be bool");
    write_onnx(
        "a.onnx",
        INPUT(
            "X",
            D(2)) "initializer { name: 'i' dims: 2 data_type: 7 int64_data: [1, 2] } "
                  "node { op_type: 'Add' name: 'n' input: 'X' input: 'i' output: 'Y' } output { name: 'Y' }");
    refuses("a.onnx", NULL, "input B is int64, but an input before it is float32; both must be the same");
    fails("Relu", "2x3", "input: 'X'", "it has 2 inputs; the operator takes 1");
    write_onnx("a.onnx", INPUT("X", D(2)) "initializer { name: 'i' dims: 0 data_type: 1 } "
                                          "node { op_type: 'Clip' name: 'n' input: 'X' input: 'i' output: "
                                          "'Y' } output { name: 'Y' }");
    refuses("a.onnx", NULL, "input min is a list; it must be one value");
}

/* Sizes that a network computes from its input's shape, as exporters write it. */
Test(host_net_onnx, sizes_are_followed)
{
    write_onnx(
        "a.onnx",
        INPUT("X",
              N D(4)
                  D(6)) "node { op_type: 'Shape' input: 'X' output: 's' } "
                        "initializer { name: 'zero' dims: 1 data_type: 7 int64_data: 0 } "
                        "initializer { name: 'rest' dims: 1 data_type: 7 raw_data: "
                        "'\\377\\377\\377\\377\\377\\377\\377\\377' } "
                        "node { op_type: 'Gather' input: 's' input: 'zero' output: 'n' } "
                        "node { op_type: 'Concat' input: 'n' input: 'rest' output: 't' attribute { name: "
                        "'axis' type: INT i: 0 } } "
                        "node { op_type: 'Reshape' input: 'X' input: 't' output: 'Y' } output { name: 'Y' }");
    struct net *net = reads("a.onnx", NULL);
    has_shape(net, "Y", "[N, 24]");
    net_free(net);
    const char *shapes[] = {"N=3"};
    net = reads("a.onnx", &(struct net_read_options){.shapes = shapes, .shape_count = 1, .sized = true});
    has_shape(net, "Y", "[3, 24]");
    net_free(net);
    shapes[0] = "X=2x4x6";
    net = reads("a.onnx", &(struct net_read_options){.shapes = shapes, .shape_count = 1});
    has_shape(net, "Y", "[2, 24]");
    net_free(net);
    refuses("a.onnx", &(struct net_read_options){.sized = true},
            "dimensions without a value: N; give --shape NAME=SIZE for each");
    shapes[0] = "M=2";
    refuses("a.onnx", &(struct net_read_options){.shapes = shapes, .shape_count = 1},
            "--shape M=2: no dimension and no input has this name");
    shapes[0] = "N=two";
    refuses("a.onnx", &(struct net_read_options){.shapes = shapes, .shape_count = 1},
            "--shape N=two: it must be NAME=8 or INPUT=1x3x32x32");
    shapes[0] = "X=2x4";
    refuses("a.onnx", &(struct net_read_options){.shapes = shapes, .shape_count = 1},
            "input X has 3 dimensions");
}

/* Everything that is missing is in the messages of one run. */
Test(host_net_onnx, all_that_is_missing_is_listed)
{
    struct diag diag = {0};
    write_onnx("a.onnx", INPUT("X", N D(4)) "node { op_type: 'Foo' name: 'f' input: 'X' output: 'a' } "
                                            "node { op_type: 'Bar' domain: 'com.x' input: 'a' output: 'b' } "
                                            "node { op_type: 'Foo' input: 'b' output: 'c' } "
                                            "node { op_type: 'Relu' input: 'X' output: 'd' attribute { name: "
                                            "'slope' type: FLOAT f: 1 } } "
                                            "output { name: 'c' } output { name: 'd' }");
    cr_assert(!net_read("a.onnx", NULL, &diag));
    static const char *const words[] = {
        "node \"f\" (Foo): the operator is not supported; 2 nodes have it",
        "node \"b\" (Bar): the operator is not supported, of com.x; 1 node has it",
        "(Relu): attribute slope is not known in operator set 13",
        "dimensions without a value: N; give --shape NAME=SIZE",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_assert(strstr(sb_text(&diag.text), words[i]), "no \"%s\" in: %s", words[i], sb_text(&diag.text));
    cr_assert_eq(diag.errors, 4u);
    diag_free(&diag);
}

Test(host_net_onnx, order_of_nodes)
{
    write_onnx("a.onnx",
               INPUT("X", D(2)) "node { op_type: 'Relu' input: 'b' output: 'Y' } node { op_type: 'Abs' "
                                "input: 'a' output: 'b' } "
                                "node { op_type: 'Neg' input: 'X' output: 'a' } output { name: 'Y' }");
    struct net *net = reads("a.onnx", NULL);
    cr_assert_str_eq(net->nodes[0]->type, "Neg");
    cr_assert_str_eq(net->nodes[2]->type, "Relu");
    has_shape(net, "Y", "[2]");
    net_free(net);
    write_onnx("a.onnx",
               INPUT("X", D(2)) "node { op_type: 'Add' input: 'X' input: 'b' output: 'a' } "
                                "node { op_type: 'Abs' input: 'a' output: 'b' } output { name: 'b' }");
    refuses("a.onnx", NULL, "is computed from its own output");
    write_onnx(
        "a.onnx",
        INPUT("X", D(2)) "node { op_type: 'Add' input: 'X' input: 'b' output: 'a' } output { name: 'a' }");
    refuses("a.onnx", NULL, "its input \"b\" is computed by no node, nor given");
    write_onnx("a.onnx",
               INPUT("X", D(2)) "node { op_type: 'Abs' input: 'X' output: 'X' } output { name: 'X' }");
    refuses("a.onnx", NULL, "its output \"X\" is there already");
    write_onnx("a.onnx",
               INPUT("X", D(2)) "node { op_type: 'Abs' input: 'X' output: 'a' } output { name: 'b' }");
    refuses("a.onnx", NULL, "the output \"b\" is computed by no node");
    write_onnx("a.onnx", INPUT("X", D(2)) "node { op_type: 'Abs' input: 'X' output: 'a' } output { name: 'a' "
                                          "type { tensor_type { elem_type: 1 shape { " D(3) "} } } }");
    refuses("a.onnx", NULL, "its output \"a\" has the shape [2], but the file says [3]");
    write_onnx("a.onnx", INPUT("X", D(2)) "node { op_type: 'Abs' input: 'X' output: 'a' } output { name: 'a' "
                                          "type { tensor_type { elem_type: 6 } } }");
    refuses("a.onnx", NULL, "its output \"a\" is float32, but the file says int32");
}

static void versions(const char *text, const char *word)
{
    write_wire("a.onnx", onnx_model, text);
    refuses("a.onnx", NULL, word);
}

Test(host_net_onnx, versions)
{
    versions("ir_version: 11 opset_import { version: 13 } graph { name: 'g' }",
             "IR version 11; versions 3 to 10 are read");
    versions("ir_version: 2 opset_import { version: 13 } graph { name: 'g' }",
             "IR version 2; versions 3 to 10 are read");
    versions("ir_version: 8 opset_import { version: 23 } graph { name: 'g' }",
             "operator set 23; sets up to 22 are read");
    versions("ir_version: 8 opset_import { version: 13 }", "this is no network");
    versions("ir_version: 8 opset_import { version: 13 } graph { name: 'g' }", "the graph has no outputs");
}

/* ---- numbers of tensors -------------------------------------------------------------------------- */

/* A file with one tensor W, whose fields follow. */
static void write_tensor(const char *fields)
{
    struct strbuf text = {0};
    sb_addf(&text,
            INPUT("X", D(1)) "initializer { name: 'W' %s } node { op_type: 'Identity' input: 'W' output: 'Y' "
                             "} output { name: 'Y' }",
            fields);
    write_onnx("a.onnx", sb_text(&text));
    sb_free(&text);
}

static void has_numbers(const char *fields, size_t count, const int64_t *wanted)
{
    uint64_t bits;
    write_tensor(fields);
    struct net *net = reads("a.onnx", NULL);
    const struct tensor *t = net_find(net, "W", 1);
    struct value_reader reader = value_reader(t);
    for (size_t i = 0; i < count; i++) {
        cr_assert(value_next(&reader, &bits), "%s: %zu", fields, i);
        const int64_t value = t->type == NET_FLOAT || t->type == NET_DOUBLE
                                  ? (int64_t)value_real(t->type, bits)
                                  : value_integer(t->type, bits);
        cr_assert_eq(value, wanted[i], "%s: %zu: %lld", fields, i, (long long)value);
    }
    cr_assert(!value_next(&reader, &bits));
    net_free(net);
}

Test(host_net_onnx, numbers)
{
    const int64_t numbers[] = {-1, 2, 300};
    has_numbers("dims: 3 data_type: 1 float_data: [-1, 2, 300]", 3, numbers);
    has_numbers("dims: 3 data_type: 11 double_data: [-1, 2, 300]", 3, numbers);
    has_numbers("dims: 3 data_type: 7 int64_data: [-1, 2, 300]", 3, numbers);
    has_numbers("dims: 3 data_type: 6 int32_data: [-1, 2, 300]", 3, numbers);
    has_numbers("dims: 2 data_type: 3 int32_data: [-1, 2]", 2, numbers);
    has_numbers("dims: 3 data_type: 6 raw_data: '\\377\\377\\377\\377\\002\\0\\0\\0\\054\\001\\0\\0'", 3,
                numbers);
    has_numbers("dims: 2 data_type: 3 raw_data: '\\377\\002'", 2, numbers);
    has_numbers("dims: 0 data_type: 3", 0, numbers);
    has_numbers("data_type: 7 int64_data: -1", 1, numbers);
}

static void tensor_fails(const char *fields, const char *word)
{
    write_tensor(fields);
    refuses("a.onnx", NULL, word);
}

Test(host_net_onnx, numbers_that_do_not_fit)
{
    tensor_fails("dims: 3 data_type: 1 float_data: [1, 2]",
                 "tensor \"W\": it has another number of values than its dimensions say");
    tensor_fails("dims: 3 data_type: 1 raw_data: '1234'", "its raw data has another length");
    tensor_fails("dims: -1 data_type: 1", "its dimensions are out of range");
    tensor_fails("dims: [1000000, 1000000, 1000000] data_type: 1", "its dimensions are out of range");
    tensor_fails("dims: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] data_type: 1 float_data: 1",
                 "it has more than 16 dimensions");
    tensor_fails("dims: 1 data_type: 17", "its type is not supported");
    tensor_fails("dims: 1 data_type: 1 segment { begin: 0 }", "it is stored in segments");
}

#define EXTERNAL(location, more)                                                                     \
    "dims: 2 data_type: 1 data_location: EXTERNAL external_data { key: 'location' value: '" location \
    "' } " more

Test(host_net_onnx, numbers_in_another_file)
{
    const int64_t numbers[] = {1, -2};
    struct strbuf bytes = {0};
    const float floats[] = {0, 1, -2};
    sb_addn(&bytes, (const char *)floats, sizeof floats);
    scratch_folder("in");
    write_bytes("in/w.bin", &bytes);
    write_bytes("w.bin", &bytes);
    cr_assert(symlink("/etc/passwd", "link") == 0);
    has_numbers(
        EXTERNAL("w.bin",
                 "external_data { key: 'offset' value: '4' } external_data { key: 'length' value: '8' }"),
        2, numbers);
    has_numbers(EXTERNAL("in/w.bin", "external_data { key: 'offset' value: '4' }"), 2, numbers);
    tensor_fails(EXTERNAL("w.bin", "external_data { key: 'offset' value: '5' }"),
                 "offset or length of its numbers do not fit the file");
    tensor_fails(EXTERNAL("w.bin", "external_data { key: 'length' value: '4' }"),
                 "offset or length of its numbers do not fit the file");
    tensor_fails(EXTERNAL("w.bin", "external_data { key: 'offset' value: '-1' }"),
                 "offset or length of its numbers do not fit the file");
    tensor_fails(EXTERNAL("in/../w.bin", ""), "is not there or not in the network's folder");
    tensor_fails(EXTERNAL("/etc/passwd", ""), "is not there or not in the network's folder");
    tensor_fails(EXTERNAL("link", ""), "is not there or not in the network's folder");
    tensor_fails(EXTERNAL("none", ""), "is not there or not in the network's folder");
    tensor_fails("dims: 2 data_type: 1 data_location: EXTERNAL",
                 "its numbers are in another file, which has no name");
    sb_free(&bytes);
}

/* What a small file may make of the memory: reading stops at the bound. */
Test(host_net_onnx, memory_is_bounded)
{
    struct strbuf text = {0};
    sb_add(&text, INPUT("X", D(1)));
    for (unsigned i = 0; i < 60000; i++)
        sb_addf(&text, "node { op_type: 'Abs' input: 'X' output: '%u' } ", i);
    sb_add(&text, "output { name: '0' }");
    write_onnx("a.onnx", sb_text(&text));
    refuses("a.onnx", NULL, "reading it takes more than 4 times the memory of the file; it is refused");
    sb_free(&text);
}

Test(host_net_onnx, other_files)
{
    scratch_write("a", "");
    refuses("a", NULL, "the file is empty");
    refuses("none", NULL, "cannot open");
    refuses(".", NULL, "not a regular file");
    struct strbuf bytes = {0};
    sb_addn(&bytes, "\0\1\2\3\4\5", 6);
    write_bytes("a", &bytes);
    refuses("a", NULL, "it was taken for ONNX, as it is neither TFLite nor a text");
    write_node("a", "Relu", "2", "");
    refuses("a", &(struct net_read_options){.weights = "a"},
            "a second file has the weights of a Caffe network");
    sb_free(&bytes);
}
