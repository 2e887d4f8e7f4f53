/* SPDX-License-Identifier: Apache-2.0
 *
 * Caffe and TFLite files become the graphs that they stand for, and every graph
 * can be written as ONNX and read again.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "host/net/graph/summary.h"
#include "host/net/write/write.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/support.h"

TestSuite(host_net_formats, .init = scratch_enter, .fini = scratch_leave);

static void write_small_caffe(void)
{
    struct strbuf weights = small_caffemodel();
    scratch_write("net.prototxt", small_prototxt());
    write_bytes("net.caffemodel", &weights);
    sb_free(&weights);
}

/* The types of a graph's nodes, in their order. */
static void has_nodes(const struct net *net, const char *wanted)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < net->node_count; i++)
        sb_addf(&text, "%s%s", i ? " " : "", net->nodes[i]->type);
    cr_assert_str_eq(sb_text(&text), wanted);
    sb_free(&text);
}

/* What is written is read as a graph with the same inputs and outputs. */
static void check_written(struct net *net, const char *nodes)
{
    struct strbuf bytes = {0}, shape = {0};
    net_write_onnx(net, &bytes);
    cr_assert(sb_ok(&bytes));
    write_bytes("written.onnx", &bytes);
    struct net *again = reads("written.onnx", NULL);
    cr_assert_eq(again->output_count, net->output_count);
    for (size_t i = 0; i < net->output_count; i++) {
        shape.len = 0;
        shape_print(&shape, net->outputs[i]->shape);
        has_shape(again, net->outputs[i]->name, sb_text(&shape));
        cr_assert_eq(again->outputs[i]->type, net->outputs[i]->type);
    }
    has_nodes(again, nodes);
    const struct net_summary before = net_summarise(net), after = net_summarise(again);
    cr_assert(dim_equal(before.multiplications, after.multiplications));
    net_free(again);
    sb_free(&bytes);
    sb_free(&shape);
}

Test(host_net_formats, caffe)
{
    write_small_caffe();
    struct net *net = reads("net.prototxt", &(struct net_read_options){.weights = "net.caffemodel"});
    has_nodes(net, "Conv Relu MaxPool Flatten Gemm Softmax");
    has_shape(net, "conv", "[1, 4, 6, 6]");
    has_shape(net, "relu", "[1, 4, 6, 6]");
    has_shape(net, "pool", "[1, 4, 3, 3]"); /* rounded up */
    has_shape(net, "prob", "[1, 3]");
    cr_assert_eq(net->output_count, 1u);
    cr_assert_str_eq(net->outputs[0]->name, "prob");
    cr_assert_eq(net->mark_count, 1u);
    cr_assert_str_eq(net->marks[0], "pool");
    const struct net_summary s = net_summarise(net);
    cr_assert(dim_is(s.parameters, 72 + 4 + 108 + 3) && !s.missing);
    cr_assert(dim_is(s.multiplications, 6 * 6 * 72 + 108));
    cr_assert_eq(s.non_zeros, 72u + 4 + 108 + 3); /* 0.5 is the least */
    check_written(net, "Conv Relu MaxPool Flatten Gemm Softmax");
    net_free(net);
    net = reads("net.prototxt", NULL);
    cr_assert(net_summarise(net).missing);
    check_written(net, "Conv Relu MaxPool Flatten Gemm Softmax");
    net_free(net);
    net = reads("net.prototxt", &(struct net_read_options){.train = true});
    has_nodes(net, "Conv Relu Identity MaxPool Flatten Gemm Softmax");
    net_free(net);
}

static void caffe_fails(const char *text, const char *word)
{
    scratch_write("bad.prototxt", text);
    refuses("bad.prototxt", &(struct net_read_options){.weights = "net.caffemodel"}, word);
}

#define DATA "input: 'data' input_dim: 1 input_dim: 2 input_dim: 6 input_dim: 6\n"

Test(host_net_formats, caffe_is_refused)
{
    write_small_caffe();
    caffe_fails(
        DATA "layer { name: 'a' type: 'Python' bottom: 'data' top: 'a' }",
        "bad.prototxt:2: error: node \"a\" (Python): the operator is not supported, of Caffe; 1 node has it");
    caffe_fails(DATA "layer { name: 'a' type: 'ReLU' bottom: 'b' top: 'a' }",
                "bad.prototxt:2: error: layer \"a\" (ReLU): its bottom \"b\" is made by no layer before it");
    caffe_fails(DATA "layer { name: 'conv' type: 'Convolution' bottom: 'data' top: 'a' convolution_param { "
                     "num_output: 5 kernel_size: 3 } }",
                "layer \"conv\" (Convolution): a blob of its weights has the sizes [4, 2, 3, 3], and the "
                "network wants [5, 2, 3, 3]");
    caffe_fails(DATA "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'a' convolution_param { "
                     "num_output: 4 kernel_size: 3 } }",
                "its weights are not in the caffemodel");
    caffe_fails(DATA "layer { name: 'a' type: 'Pooling' bottom: 'data' top: 'a' pooling_param { pool: "
                     "STOCHASTIC kernel_size: 2 } }",
                "pool must be MAX or AVE");
    caffe_fails(
        DATA
        "layer { name: 'a' type: 'Pooling' bottom: 'data' top: 'a' pooling_param { kernel_size: 2 } pad: 1 }",
        "bad.prototxt:2:92: error: LayerParameter has no field pad");
    caffe_fails("", "the file is empty");
    caffe_fails("name: 'a'\n", "the text has no layers: is it a Caffe network?");
    scratch_write("net.caffemodel", "no weights");
    caffe_fails(DATA "layer { name: 'a' type: 'ReLU' bottom: 'data' top: 'a' }",
                "net.caffemodel: error: this is no caffemodel");
}

Test(host_net_formats, caffe_without_sizes)
{
    static const char text[] =
        "layer { name: 'd' type: 'Data' top: 'd' top: 'label' data_param { source: 'x' batch_size: 4 } }\n"
        "layer { name: 'c' type: 'Convolution' bottom: 'd' top: 'c' convolution_param { num_output: 5 "
        "kernel_size: 3 group: 1 } }";
    const char *shapes[] = {"d=1x3x8x8"};
    scratch_write("a.prototxt", text);
    struct net *net = reads("a.prototxt", NULL);
    cr_assert_eq(net->input_count, 1u); /* nobody reads the labels */
    has_shape(net, "c", "[4, 5, d.2 - 2, d.3 - 2]");
    has_shape(net, "c.weights", "[5, d.1, 3, 3]");
    net_free(net);
    net = reads("a.prototxt", &(struct net_read_options){.shapes = shapes, .shape_count = 1, .sized = true});
    has_shape(net, "c", "[1, 5, 6, 6]");
    net_free(net);
}

Test(host_net_formats, tflite)
{
    struct strbuf bytes = small_tflite();
    write_bytes("a.tflite", &bytes);
    struct net *net = reads("a.tflite", NULL);
    has_nodes(net, "Conv Clip MaxPool Relu Reshape Gemm");
    has_shape(net, "c", "[1, 4, 4, 4]");
    has_shape(net, "p", "[1, 2, 2, 4]");
    has_shape(net, "y", "[1, 3]");
    const struct tensor *w = net_find(net, "w", 1), *x = net_find(net, "x", 1);
    cr_assert(w->constant && w->quantisation->count == 4 && w->quantisation->axis == 0);
    cr_assert(x->quantisation->count == 1 && x->quantisation->zero[0] == 3 &&
              x->quantisation->scale[0] == 0.5F);
    cr_assert(w->values.at >= net->source[0].bytes &&
                  w->values.at < net->source[0].bytes + net->source[0].size,
              "the weights were copied");
    cr_assert(dim_is(net_summarise(net).multiplications, 4 * 4 * 72 + 48));
    check_written(
        net,
        "DequantizeLinear Transpose DequantizeLinear Transpose DequantizeLinear Conv Transpose "
        "QuantizeLinear "
        "DequantizeLinear Clip QuantizeLinear "
        "DequantizeLinear Transpose MaxPool Transpose QuantizeLinear DequantizeLinear Relu QuantizeLinear "
        "DequantizeLinear Reshape QuantizeLinear DequantizeLinear DequantizeLinear Gemm QuantizeLinear");
    net_free(net);
    bytes.len = 200;
    write_bytes("a.tflite", &bytes);
    refuses("a.tflite", NULL, "an offset leads out of the file: it is damaged or cut off");
    sb_free(&bytes);
}
