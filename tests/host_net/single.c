/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks that are read for one input at a time: what counts as the batch, and that its size follows
 * everywhere.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_base/scratch.h"
#include "tests/host_net/support.h"

TestSuite(host_net_single, .init = scratch_enter, .fini = scratch_leave);

#define INPUT(name, dims) \
    "input { name: '" name "' type { tensor_type { elem_type: 1 shape { " dims " } } } } "
#define NAME(name) "dim { dim_param: '" name "' } "
#define SIZE(size) "dim { dim_value: " size " } "
#define RELU "node { op_type: 'Relu' input: 'X' output: 'Y' } output { name: 'Y' } "

static struct net *reads_single(const struct net_read_options *options, const char *names)
{
    struct diag diag = {0};
    struct strbuf said = {0};
    struct net *net = net_read_single("a.onnx", options, &said, &diag);
    cr_assert(net && !diag.errors, "%s", sb_text(&diag.text));
    cr_assert_str_eq(sb_text(&said), names);
    sb_free(&said);
    return net;
}

static void becomes(const char *graph, const char *shape, const char *names)
{
    write_onnx("a.onnx", graph);
    struct net *net = reads_single(&(struct net_read_options){.sized = false}, names);
    has_shape(net, "X", shape);
    has_shape(net, "Y", shape);
    net_free(net);
}

Test(host_net_single, the_first_of_several_dimensions_is_the_batch)
{
    becomes(INPUT("X", NAME("N") SIZE("4")) RELU, "[1, 4]", "N");
    becomes(INPUT("X", SIZE("3") SIZE("4")) RELU, "[3, 4]", "");
    becomes(INPUT("X", "dim { } " SIZE("4")) RELU, "[1, 4]", "X.0");
    /* Others keep their names, and so does a name that is another size as well. */
    becomes(INPUT("X", NAME("N") NAME("M")) RELU, "[1, M]", "N");
    becomes(INPUT("X", SIZE("2") NAME("M")) RELU, "[2, M]", "");
    becomes(INPUT("X", NAME("N") NAME("N")) RELU, "[N, N]", "");
    becomes(INPUT("X", NAME("N")) RELU, "[N]", "");
    becomes(INPUT("Z", SIZE("1") NAME("N")) INPUT("X", NAME("N") SIZE("4")) RELU, "[N, 4]", "");
}

Test(host_net_single, inputs_may_share_it_or_have_their_own)
{
    static const char add[] =
        "node { op_type: 'Add' input: 'X' input: 'Z' output: 'Y' } output { name: 'Y' } ";
    struct strbuf graph = {0};
    sb_addf(&graph, "%s%s%s", INPUT("X", NAME("N") SIZE("4")), INPUT("Z", NAME("N") SIZE("4")), add);
    becomes(sb_text(&graph), "[1, 4]", "N");
    sb_free(&graph);
    sb_addf(&graph, "%s%s%s", INPUT("X", NAME("N") SIZE("4")), INPUT("Z", NAME("M") SIZE("4")), add);
    becomes(sb_text(&graph), "[1, 4]", "N, M");
    sb_free(&graph);
}

Test(host_net_single, a_size_that_is_given_stays)
{
    const char *shapes[] = {"N=5"};
    const struct net_read_options given = {.shapes = shapes, .shape_count = 1};
    write_onnx("a.onnx", INPUT("X", NAME("N") SIZE("4")) RELU);
    struct net *net = reads_single(&given, "");
    has_shape(net, "Y", "[5, 4]");
    net_free(net);
    /* One of two. */
    write_onnx("a.onnx", INPUT("X", NAME("K") NAME("N")) RELU);
    net = reads_single(&given, "K");
    has_shape(net, "Y", "[1, 5]");
    net_free(net);
}

Test(host_net_single, what_else_has_no_size_is_refused_if_wanted)
{
    struct diag diag = {0};
    struct strbuf said = {0};
    write_onnx("a.onnx", INPUT("X", NAME("N") NAME("M")) RELU);
    cr_assert(!net_read_single("a.onnx", &(struct net_read_options){.sized = true}, &said, &diag));
    cr_assert(strstr(sb_text(&diag.text), "dimensions without a value: M; give --shape NAME=SIZE for each"),
              "%s", sb_text(&diag.text));
    sb_free(&said);
    diag_free(&diag);
    const char *shapes[] = {"M=7"};
    struct net *net =
        reads_single(&(struct net_read_options){.shapes = shapes, .shape_count = 1, .sized = true}, "N");
    has_shape(net, "Y", "[1, 7]");
    net_free(net);
    /* Errors are those of reading. */
    shapes[0] = "K=7";
    cr_assert(!net_read_single("a.onnx", &(struct net_read_options){.shapes = shapes, .shape_count = 1},
                               &said, &diag));
    cr_assert(strstr(sb_text(&diag.text), "--shape K=7: no dimension and no input has this name"));
    sb_free(&said);
    diag_free(&diag);
}
