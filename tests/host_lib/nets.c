/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks through the library.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gen/base/strbuf.h"
#include "support.h"
#include "tests/gen_base/scratch.h"

static const char network[] = "input: 'data' input_dim: 2 input_dim: 3 input_dim: 8 input_dim: 8\n"
                              "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c'\n"
                              "  convolution_param { num_output: 5 kernel_size: 3 } }\n"
                              "layer { name: 'r' type: 'ReLU' bottom: 'c' top: 'c' }\n";

TestSuite(host_lib_nets, .init = scratch_enter, .fini = scratch_leave);

Test(host_lib_nets, are_described)
{
    struct tulle_net_info info = {.size = sizeof info};
    struct tulle_net *net = NULL;
    scratch_write("a.prototxt", network);
    done(tulle_net_load("a.prototxt", NULL, &net));
    done(tulle_net_describe(net, &info));
    cr_assert_eq(info.inputs, 1u);
    cr_assert_eq(info.outputs, 1u);
    cr_assert_eq(info.nodes, 2u);
    cr_assert_eq(info.parameters, 5u * 3 * 9 + 5);
    cr_assert_eq(info.non_zeros, 0u);
    cr_assert_eq(info.multiplications, 2u * 6 * 6 * 5 * 27);
    cr_assert_eq(info.weight_bytes, 4u * 140);
    cr_assert_eq(info.activation_bytes, 4u * 2 * (3 * 64 + 2 * 5 * 36));
    /* A convolution's input and result, then the result and that of its function. */
    cr_assert_eq(info.live_bytes, 4u * 2 * (3 * 64 + 5 * 36));
    cr_assert_eq(info.kept_bytes, 4u * info.weight_bytes);
    info.size = offsetof(struct tulle_net_info, kept_bytes) - 1;
    refuses(TULLE_INVALID_ARGUMENT, "struct tulle_net_info: size is", tulle_net_describe(net, &info));
    tulle_net_free(net);
    tulle_net_free(NULL);
}

Test(host_lib_nets, shapes_are_given)
{
    static const char *const shapes[] = {"data=1x3x10x10"};
    struct tulle_net_options options = {
        .size = sizeof options, .shapes = shapes, .shape_count = 1, .sized = 1};
    struct tulle_net_info info = {.size = sizeof info};
    struct tulle_net *net = NULL;
    scratch_write("a.prototxt", network);
    done(tulle_net_load("a.prototxt", &options, &net));
    done(tulle_net_describe(net, &info));
    cr_assert_eq(info.multiplications, 8u * 8 * 5 * 27);
    tulle_net_free(net);
}

/* ---- runs ---------------------------------------------------------------------------------------- */

/* Of tests/host_net/support.h, which has a function with the name of a macro here. */
void write_onnx(const char *path, const char *graph);

/* "sum" = 2 * data + other; "prod" = data * data. */
static const char two[] =
    "input: 'data' input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2\n"
    "input: 'other' input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2\n"
    "layer { name: 'twice' type: 'Power' bottom: 'data' top: 'twice' power_param { scale: 2 } }\n"
    "layer { name: 'sum' type: 'Eltwise' bottom: 'twice' bottom: 'other' top: 'sum'"
    " eltwise_param { operation: SUM } }\n"
    "layer { name: 'prod' type: 'Eltwise' bottom: 'data' bottom: 'data' top: 'prod'"
    " eltwise_param { operation: PROD } }\n";

static struct tulle_net *opened;
static struct tulle_tensor data, other, sum, prod;
static float numbers[4] = {1, 2, 3, 4}, others[4] = {10, 20, 30, 40}, sums[4], prods[4];
static const struct tulle_tensor *const inputs[] = {&data, &other};
static struct tulle_tensor *const outputs[] = {&sum, &prod};

static void open_two(void)
{
    scratch_write("two.prototxt", two);
    done(tulle_net_load("two.prototxt", NULL, &opened));
    data.size = other.size = sum.size = prod.size = sizeof data;
    done(tulle_net_input(opened, 0, &data));
    done(tulle_net_input(opened, 1, &other));
    done(tulle_net_output(opened, 0, &sum));
    done(tulle_net_output(opened, 1, &prod));
    data.values = numbers;
    other.values = others;
    sum.values = sums;
    prod.values = prods;
}

Test(host_lib_nets, are_run)
{
    open_two();
    cr_assert_str_eq(other.name, "other");
    cr_assert(other.index == 1 && other.type == TULLE_ELEMENT_FLOAT32 && other.rank == 4);
    cr_assert(other.dimensions[0] == 1 && other.dimensions[3] == 2 && other.bytes == 16);
    cr_assert(other.scale == 0 && !strcmp(sum.name, "sum"));
    /* More often than the network's memory would hold what a run needs. */
    for (unsigned i = 0; i < 5000; i++) {
        numbers[0] = (float)i;
        done(tulle_net_run(opened, inputs, 2, outputs, 2));
        cr_assert(sums[0] == 2 * (float)i + 10 && sums[3] == 48 && prods[3] == 16);
        cr_assert_eq(prods[0], (float)i * (float)i);
    }
    /* By name in another order; by index; and one output alone. */
    data.index = 7;
    done(tulle_net_run(opened, (const struct tulle_tensor *const[]){&other, &data}, 2, outputs, 2));
    data.index = 0;
    data.name = other.name = prod.name = NULL;
    memset(prods, 0, sizeof prods);
    memset(sums, 0, sizeof sums);
    done(tulle_net_run(opened, inputs, 2, outputs + 1, 1));
    cr_assert(prods[1] == 4 && sums[1] == 0);
    done(tulle_net_run(opened, inputs, 2, NULL, 0));
    tulle_net_free(opened);
}

static void refuses_run(const char *text)
{
    memset(sums, 0, sizeof sums);
    memset(prods, 0, sizeof prods);
    refuses(TULLE_INVALID_ARGUMENT, text, tulle_net_run(opened, inputs, 2, outputs, 2));
    for (unsigned i = 0; i < 4; i++)
        cr_assert(sums[i] == 0 && prods[i] == 0, "a result is written: %s", text);
}

/* The call with one field changed. */
#define REFUSES_WITH(field, value, text)                              \
    do {                                                              \
        const struct tulle_tensor kept_[] = {data, other, sum, prod}; \
        field = value;                                                \
        refuses_run(text);                                            \
        data = kept_[0];                                              \
        other = kept_[1];                                             \
        sum = kept_[2];                                               \
        prod = kept_[3];                                              \
    } while (0)

Test(host_lib_nets, wrong_values)
{
    open_two();
    REFUSES_WITH(data.size, 3, "struct tulle_tensor: size is 3");
    REFUSES_WITH(data.name, "none", "the network has no input \"none\"");
    REFUSES_WITH(prod.name, "data", "the network has no output \"data\"");
    REFUSES_WITH(data.name, "other", "input \"other\": it is given twice");
    REFUSES_WITH(prod.name, "sum", "output \"sum\": it is given twice");
    REFUSES_WITH(data.type, TULLE_ELEMENT_INT8,
                 "input \"data\": type is that of int8; the network has float32");
    REFUSES_WITH(data.type, TULLE_ELEMENT_NONE, "input \"data\": type is 0, which is none");
    REFUSES_WITH(data.type, (enum tulle_element)99, "input \"data\": type is 99, which is none");
    REFUSES_WITH(data.rank, 3, "input \"data\": rank is 3; the network has 4 dimensions");
    REFUSES_WITH(data.rank, 17, "input \"data\": rank is 17; it is at most 16");
    REFUSES_WITH(other.dimensions[3], 3, "input \"other\": dimension 3 is 3; the network has 2");
    REFUSES_WITH(other.bytes, 15, "input \"other\": bytes is 15; the values take 16");
    REFUSES_WITH(other.values, NULL, "input \"other\": values is NULL");
    REFUSES_WITH(prod.type, TULLE_ELEMENT_FLOAT64, "output \"prod\": type is that of float64");
    REFUSES_WITH(prod.dimensions[2], 1, "output \"prod\": dimension 2 is 1; the result has 2");
    REFUSES_WITH(prod.bytes, 15, "output \"prod\": bytes is 15; the values take 16");
    REFUSES_WITH(prod.values, NULL, "output \"prod\": values is NULL");
    refuses(TULLE_INVALID_ARGUMENT, "input \"other\" has no value",
            tulle_net_run(opened, inputs, 1, outputs, 2));
    refuses(TULLE_INVALID_ARGUMENT, "3 inputs and 0 outputs; the network has 2 and 2",
            tulle_net_run(opened, inputs, 3, NULL, 0));
    refuses(TULLE_INVALID_ARGUMENT, "inputs is NULL", tulle_net_run(opened, NULL, 2, outputs, 2));
    refuses(TULLE_INVALID_ARGUMENT, "outputs is NULL", tulle_net_run(opened, inputs, 2, NULL, 2));
    refuses(TULLE_INVALID_ARGUMENT, "net is NULL", tulle_net_run(NULL, inputs, 2, outputs, 2));
    refuses(TULLE_INVALID_ARGUMENT, "input 0 is NULL",
            tulle_net_run(opened, (const struct tulle_tensor *const[]){NULL}, 1, NULL, 0));
    refuses(TULLE_INVALID_ARGUMENT, "the network has no input 2; it has 2",
            tulle_net_input(opened, 2, &data));
    refuses(TULLE_INVALID_ARGUMENT, "tulle_net_output: tensor is NULL", tulle_net_output(opened, 0, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "tulle_net_input: net is NULL", tulle_net_input(NULL, 0, &data));
    done(tulle_net_run(opened, inputs, 2, outputs, 2));
    tulle_net_free(opened);
}

/* 64 x 64 times itself, with any number of threads. */
Test(host_lib_nets, threads)
{
    enum { SIZE = 64, NUMBERS = SIZE * SIZE };
    static const unsigned counts[] = {0, 1, 2, 5, 256};
    static float in[NUMBERS], out[NUMBERS], first[NUMBERS];
    struct tulle_net_options options = {.size = sizeof options};
    struct tulle_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    write_onnx("a.onnx",
               "input { name: 'X' type { tensor_type { elem_type: 1 shape { dim { dim_value: 64 } "
               "dim { dim_value: 64 } } } } } node { op_type: 'MatMul' input: 'X' input: 'X' output: 'Y' } "
               "output { name: 'Y' }");
    for (unsigned i = 0; i < NUMBERS; i++)
        in[i] = (float)(i * 7919 % 1000) / 999;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        options.threads = counts[i];
        done(tulle_net_load("a.onnx", &options, &opened));
        done(tulle_net_input(opened, 0, &x));
        done(tulle_net_output(opened, 0, &y));
        x.values = in;
        y.values = out;
        memset(out, 0, sizeof out);
        done(tulle_net_run(opened, (const struct tulle_tensor *const[]){&x}, 1,
                           (struct tulle_tensor *const[]){&y}, 1));
        tulle_net_free(opened);
        cr_assert(out[0] > 0 && (!i || !memcmp(out, first, sizeof out)), "%u threads", counts[i]);
        memcpy(first, out, sizeof out);
    }
    options.threads = 257;
    refuses(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: threads is 257; it is at most 256",
            tulle_net_load("a.onnx", &options, &opened));
    options.threads = 0;
    options.fused = 3;
    refuses(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: fused is 3; it is 0, 1 or 2",
            tulle_net_load("a.onnx", &options, &opened));
    options.fused = 0;
    options.reserved = 7;
    refuses(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: reserved is 7; it is 0",
            tulle_net_load("a.onnx", &options, &opened));
}

/* The largest of each 2 x 2 numbers. */
static const char largest[] =
    "input { name: 'X' type { tensor_type { elem_type: 3 shape { dim { dim_value: 1 } dim { dim_value: 2 } "
    "dim { dim_value: 4 } dim { dim_value: 4 } } } } } "
    "node { op_type: 'MaxPool' input: 'X' output: 'Y' attribute { name: 'kernel_shape' ints: 2 ints: 2 type: "
    "INTS }"
    " attribute { name: 'strides' ints: 2 ints: 2 type: INTS } } "
    "output { name: 'Y' type { tensor_type { elem_type: 3 } } }";

/* What one run has found of a node, another one finds again when an input has the new sizes. */
Test(host_lib_nets, sizes_that_are_numbers_are_looked_at_in_each_run)
{
    struct tulle_tensor x = {.size = sizeof x}, sizes = {.size = sizeof sizes}, y = {.size = sizeof y};
    float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    int64_t wanted[2] = {2, 3};
    const struct tulle_tensor *const given[] = {&x, &sizes};
    struct tulle_tensor *const taken[] = {&y};
    write_onnx("a.onnx",
               "input { name: 'X' type { tensor_type { elem_type: 1 shape { dim { dim_value: 6 } } } } } "
               "input { name: 'S' type { tensor_type { elem_type: 7 shape { dim { dim_value: 2 } } } } } "
               "node { op_type: 'Reshape' input: 'X' input: 'S' output: 'Y' } "
               "output { name: 'Y' type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } "
               "dim { dim_value: 3 } } } } }");
    done(tulle_net_load("a.onnx", NULL, &opened));
    done(tulle_net_input(opened, 0, &x));
    done(tulle_net_input(opened, 1, &sizes));
    done(tulle_net_output(opened, 0, &y));
    x.values = in;
    sizes.values = wanted;
    y.values = out;
    done(tulle_net_run(opened, given, 2, taken, 1));
    done(tulle_net_run(opened, given, 2, taken, 1));
    cr_expect(!memcmp(in, out, sizeof in));
    wanted[0] = 3;
    wanted[1] = 2;
    cr_expect_eq(tulle_net_run(opened, given, 2, taken, 1), TULLE_UNSUPPORTED, "%s", tulle_message());
    tulle_net_free(opened);
}

Test(host_lib_nets, a_batch_without_a_size_counts_as_one_on_a_device)
{
    const char *shapes[] = {"N=2"};
    struct tulle_net_options options = {.size = sizeof options};
    struct tulle_net_info info = {.size = sizeof info};
    struct tulle_tensor x = {.size = sizeof x};
    static const char known[] = "dim { dim_value: 1 }";
    const char *at = strstr(largest, known);
    struct strbuf open = {0};
    sb_addn(&open, largest, (size_t)(at - largest));
    sb_addf(&open, "dim { dim_param: 'N' }%s", at + strlen(known));
    write_onnx("a.onnx", sb_text(&open));
    sb_free(&open);
    for (unsigned i = 0; i < 3; i++) {
        options.device = i ? open_device("model:networks", "model:networks", 0) : NULL;
        options.shapes = shapes;
        options.shape_count = i == 2;
        done(tulle_net_load("a.onnx", &options, &opened));
        done(tulle_net_describe(opened, &info));
        done(tulle_net_input(opened, 0, &x));
        cr_assert_eq(x.dimensions[0], i ? (int64_t)i : -1);
        cr_assert_eq(info.device_nodes, i ? 1U : 0U);
        tulle_net_free(opened);
        tulle_device_close(options.device);
    }
}

Test(host_lib_nets, a_device_computes_what_it_can)
{
    int8_t in[32], out[8] = {0};
    struct tulle_net_options options = {
        .size = sizeof options, .device = open_device("model:networks,model:tiny", "model:networks", 0)};
    struct tulle_net_info info = {.size = sizeof info};
    struct tulle_net *net = NULL;
    struct tulle_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    write_onnx("a.onnx", largest);
    for (int i = 0; i < 32; i++)
        in[i] = (int8_t)(i * 37);
    options.reserved2 = 1;
    refuses(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: reserved2 is 1; it is 0",
            tulle_net_load("a.onnx", &options, &net));
    options.reserved2 = 0;
    done(tulle_net_load("a.onnx", &options, &net));
    tulle_device_close(options.device); /* the network keeps it open */
    done(tulle_net_describe(net, &info));
    cr_assert_eq(info.device_nodes, 1u);
    done(tulle_net_input(net, 0, &x));
    done(tulle_net_output(net, 0, &y));
    x.values = in;
    y.values = out;
    for (int again = 0; again < 2; again++)
        done(tulle_net_run(net, (const struct tulle_tensor *const[]){&x}, 1,
                           (struct tulle_tensor *const[]){&y}, 1));
    for (int i = 0; i < 8; i++) {
        const int8_t *at = in + i / 4 * 16 + i / 2 % 2 * 8 + i % 2 * 2;
        int8_t most = at[0] > at[1] ? at[0] : at[1];
        most = at[4] > most ? at[4] : most;
        most = at[5] > most ? at[5] : most;
        cr_expect_eq(out[i], most, "%d: %d, not %d", i, out[i], most);
    }
    tulle_net_free(net);
    done(tulle_device_open("model:tiny", NULL, &options.device));
    done(tulle_net_load("a.onnx", &options, &net));
    done(tulle_net_describe(net, &info));
    cr_assert_eq(info.device_nodes, 0u);
    tulle_net_free(net);
    tulle_device_close(options.device);
}

static void run_largest(const char *path, const struct tulle_net_options *options, int8_t *in, int8_t *out,
                        struct tulle_net **net)
{
    struct tulle_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    done(tulle_net_load(path, options, net));
    done(tulle_net_input(*net, 0, &x));
    done(tulle_net_output(*net, 0, &y));
    x.values = in;
    y.values = out;
    done(tulle_net_run(*net, (const struct tulle_tensor *const[]){&x}, 1, (struct tulle_tensor *const[]){&y},
                       1));
}

/* Four devices of two variants. */
Test(host_lib_nets, devices_share_layers)
{
    static const char *const ranks[] = {"1", "2", "3"};
    int8_t in[32], alone[8] = {0}, out[8] = {1};
    struct tulle_device *more[] = {NULL, NULL, NULL};
    struct tulle_net_options options = {
        .size = sizeof options,
        .device = open_device("model:networks,model:networks,model:networks;set=k=4,model:networks", "0", 0)};
    struct tulle_net *net = NULL;
    write_onnx("a.onnx", largest);
    for (int i = 0; i < 32; i++)
        in[i] = (int8_t)(i * 37);
    run_largest("a.onnx", &options, in, alone, &net);
    done(tulle_net_save(net, "a.net"));
    tulle_net_free(net);
    for (int i = 0; i < 3; i++)
        done(tulle_device_open(ranks[i], NULL, &more[i]));
    options.others = more;
    options.other_count = 3;
    run_largest("a.onnx", &options, in, out, &net);
    cr_expect_arr_eq(out, alone, sizeof out);
    refuses(TULLE_UNSUPPORTED, "several devices cannot be saved", tulle_net_save(net, "b.net"));
    refuses(TULLE_UNSUPPORTED, "no software for layers on several devices",
            tulle_net_software(net, "a.c", NULL));
    tulle_net_free(net);
    refuses(TULLE_INVALID_ARGUMENT, "a compiled network runs on one device",
            tulle_net_load("a.net", &options, &net));
    options.fused = 1;
    refuses(TULLE_INVALID_ARGUMENT, "others go without fused", tulle_net_load("a.onnx", &options, &net));
    options.fused = 0;
    tulle_device_close(more[1]);
    more[1] = NULL;
    refuses(TULLE_INVALID_ARGUMENT, "one of others is NULL", tulle_net_load("a.onnx", &options, &net));
    tulle_device_close(options.device);
    for (int i = 0; i < 3; i++)
        tulle_device_close(more[i]); /* NULL is allowed */
}

/* The board fails some accesses after it was opened. */
Test(host_lib_nets, a_device_that_is_lost_ends_the_run)
{
    int8_t in[32] = {1}, out[8] = {0};
    struct tulle_net_options options = {
        .size = sizeof options, .device = open_device("model:networks;fault=ones:2000", "model:networks", 0)};
    struct tulle_net *net = NULL;
    struct tulle_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    enum tulle_status status = TULLE_OK;
    unsigned runs = 0;
    write_onnx("a.onnx", largest);
    done(tulle_net_load("a.onnx", &options, &net));
    done(tulle_net_input(net, 0, &x));
    done(tulle_net_output(net, 0, &y));
    x.values = in;
    y.values = out;
    for (; !status && runs < 2000; runs++)
        status = tulle_net_run(net, (const struct tulle_tensor *const[]){&x}, 1,
                               (struct tulle_tensor *const[]){&y}, 1);
    cr_assert(status == TULLE_DEVICE_LOST && runs > 1, "%s after %u runs", tulle_status_text(status), runs);
    cr_assert(strstr(tulle_message(), "node \"Y\" (MaxPool): "), "%s", tulle_message());
    tulle_net_free(net);
    tulle_device_close(options.device);
}

Test(host_lib_nets, open_dimensions)
{
    float in[6] = {1, 2, 3, 4, 5, 6}, out[12] = {0};
    struct tulle_tensor x = {.size = sizeof x}, y = {.size = sizeof y};
    const struct tulle_tensor *const from[] = {&x};
    struct tulle_tensor *const to[] = {&y};
    write_onnx("a.onnx",
               "input { name: 'X' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'N' } "
               "dim { dim_value: 2 } } } } } node { op_type: 'Concat' input: 'X' input: 'X' output: "
               "'Y' attribute { name: 'axis' type: INT i: 0 } } output { name: 'Y' }");
    done(tulle_net_load("a.onnx", NULL, &opened));
    done(tulle_net_input(opened, 0, &x));
    done(tulle_net_output(opened, 0, &y));
    cr_assert(x.dimensions[0] == -1 && x.dimensions[1] == 2 && x.bytes == 0);
    cr_assert(y.dimensions[0] == -1 && y.dimensions[1] == 2 && y.bytes == 0);
    x.values = in;
    y.values = out;
    x.bytes = sizeof in;
    y.bytes = sizeof out;
    refuses(TULLE_INVALID_ARGUMENT, "input \"X\": dimension 0 is -1, which no input has",
            tulle_net_run(opened, from, 1, to, 1));
    x.dimensions[0] = INT64_MAX;
    refuses(TULLE_INVALID_ARGUMENT, ", which no input has", tulle_net_run(opened, from, 1, to, 1));
    for (int n = 3; n >= 1; n--) {
        x.dimensions[0] = n;
        y.dimensions[0] = -1;
        done(tulle_net_run(opened, from, 1, to, 1));
        cr_assert_eq(y.dimensions[0], 2 * n);
        cr_assert(out[2 * n] == 1 && out[4 * n - 1] == in[2 * n - 1]);
    }
    tulle_net_free(opened);
}

Test(host_lib_nets, what_cannot_run)
{
    open_two();
    tulle_net_free(opened);
    scratch_write("a.prototxt", network);
    done(tulle_net_load("a.prototxt", NULL, &opened));
    struct tulle_tensor x = {.size = sizeof x};
    static float zeros[2 * 3 * 64];
    done(tulle_net_input(opened, 0, &x));
    x.values = zeros;
    refuses(TULLE_UNSUPPORTED, "node \"c\" (Conv): its input",
            tulle_net_run(opened, (const struct tulle_tensor *const[]){&x}, 1, NULL, 0));
    tulle_net_free(opened);
}

Test(host_lib_nets, refusals)
{
    struct tulle_net_options options = {.size = sizeof options, .shape_count = 1};
    struct tulle_net *net = NULL;
    struct tulle_net_info info = {.size = sizeof info};
    struct strbuf text = {0};
    refuses(TULLE_INVALID_ARGUMENT, "tulle_net_load: path is NULL", tulle_net_load(NULL, NULL, &net));
    refuses(TULLE_INVALID_ARGUMENT, "tulle_net_load: net is NULL", tulle_net_load("a", NULL, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "tulle_net_describe: net is NULL", tulle_net_describe(NULL, &info));
    refuses(TULLE_FILE, "none: No such file", tulle_net_load("none", NULL, &net));
    scratch_write("a.prototxt", network);
    refuses(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: shapes is NULL",
            tulle_net_load("a.prototxt", &options, &net));
    options.shape_count = 0;
    options.weights = "none";
    refuses(TULLE_FILE, "none: No such file", tulle_net_load("a.prototxt", &options, &net));
    options.weights = "a.prototxt";
    refuses(TULLE_INVALID_FILE, "this is no caffemodel", tulle_net_load("a.prototxt", &options, &net));
    /* As many lines as a message has room for, and how many there are beside. */
    sb_add(&text, network);
    for (unsigned i = 0; i < 20; i++)
        sb_addf(&text, "layer { name: 'l%u' type: 'Type%u' bottom: 'c' top: 'l%u' }\n", i, i, i);
    scratch_write("b.prototxt", sb_text(&text));
    refuses(TULLE_INVALID_FILE, "b.prototxt:5: node \"l0\" (Type0): the operator is not supported",
            tulle_net_load("b.prototxt", NULL, &net));
    cr_assert(strstr(tulle_message(), " more; tulle net info lists them"), "%s", tulle_message());
    cr_assert_null(net);
    sb_free(&text);
}
