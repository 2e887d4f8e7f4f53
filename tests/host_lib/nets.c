/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks through the library.
 */
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
    info.size--;
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
