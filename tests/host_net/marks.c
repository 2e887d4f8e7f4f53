/* SPDX-License-Identifier: Apache-2.0
 *
 * External outputs of random networks, with passes and without: marked results are those of the network
 * before its passes, they come by name, and nothing else changes. And what is refused.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/marked.h"
#include "tests/host_net/random_graphs.h"
#include "tests/host_net/support.h"

TestSuite(host_net_marks, .init = scratch_enter, .fini = scratch_leave, .timeout = 200);

Test(host_net_marks, of_floats)
{
    size_t swallowed = 0;
    for (uint64_t seed = 1; seed <= FEWER_ROUNDS(60); seed++) {
        struct random random = {seed};
        graph_of_floats(&random, "graph.onnx");
        swallowed += marked_check(&(struct marked){.seed = seed, .part = 1e-6, .settles = true});
        marked_check(&(struct marked){.seed = seed});
    }
    cr_assert_geq(swallowed, FEWER_ROUNDS(60) * 5, "%zu swallowed results", swallowed);
}

Test(host_net_marks, of_dead_channels)
{
    for (uint64_t seed = 1; seed <= FEWER_ROUNDS(60); seed++) {
        struct random random = {seed};
        graph_of_dead_channels(&random, "graph.onnx");
        marked_check(&(struct marked){.seed = seed, .settles = true});
    }
}

Test(host_net_marks, of_integers)
{
    size_t swallowed = 0;
    for (uint64_t seed = 1; seed <= FEWER_ROUNDS(60); seed++) {
        struct random random = {seed};
        graph_of_scales(&random, random_range(&random, 1, 3), true, "graph.onnx");
        swallowed += marked_check(&(struct marked){.seed = seed, .settles = true});
    }
    cr_assert_geq(swallowed, FEWER_ROUNDS(60) * 5, "%zu swallowed results", swallowed);
}

/* Every subset of networks with at most ten results. */
Test(host_net_marks, all_subsets)
{
    unsigned graphs = 0;
    for (uint64_t seed = 1; graphs < FEWER_ROUNDS(4); seed++) {
        struct random random = {seed};
        cr_assert(seed < 1000, "no small graphs");
        graph_of_scales(&random, 1, true, "graph.onnx");
        graphs += marked_check_all(&(struct marked){.seed = seed, .settles = true}, 10);
    }
}

static void marks_fail(struct net *net, const char *const *names, size_t count, const char *word)
{
    struct diag diag = {0};
    struct marks *marks = marks_new(net);
    const size_t outputs = net->output_count;
    cr_assert(!marks_choose(marks, names, count, &(struct marks_source){.size = 0}, &diag));
    cr_expect(strstr(sb_text(&diag.text), word), "%s", sb_text(&diag.text));
    cr_expect_eq(net->output_count, outputs);
    diag_free(&diag);
    marks_free(marks);
}

Test(host_net_marks, what_is_wrong_is_named)
{
    write_onnx(
        "net.onnx",
        "name: 'g' input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }\n"
        "output { name: 'z' type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }\n"
        "node { name: 'first' op_type: 'Neg' input: 'x' output: 'y' }\n"
        "node { name: 'second' op_type: 'Abs' input: 'y' output: 'z' }\n");
    struct net *net = reads("net.onnx", NULL);
    marks_fail(net, (const char *const[]){"none"}, 1, "no layer and no result of this name");
    marks_fail(net, (const char *const[]){"x"}, 1, "it is no layer's result");
    marks_fail(net, (const char *const[]){"y", "first"}, 2, "\"first\": it is marked twice");
    struct marks *marks = marks_new(net);
    struct diag diag = {0};
    const struct marks_source source = {
        .few = true, .allowed = (const char *const[]){"first"}, .allowed_count = 1};
    /* An output is one anyway. */
    cr_assert(marks_choose(marks, (const char *const[]){"first"}, 1, &source, &diag));
    cr_expect_eq(net->output_count, 2u);
    cr_expect_str_eq(net->outputs[1]->name, "y");
    cr_assert(
        marks_choose(marks, (const char *const[]){"z", "y"}, 2, &(struct marks_source){.size = 0}, &diag));
    cr_expect_eq(net->output_count, 2u);
    cr_assert(!marks_choose(marks, (const char *const[]){"y"}, 1, &source, &diag));
    cr_expect(strstr(sb_text(&diag.text), "--debug"), "%s", sb_text(&diag.text));
    cr_expect_eq(net->output_count, 1u);
    diag_free(&diag);
    marks_free(marks);
    net_free(net);
}

/* A layer of several nodes and constants has a result of its name. */
Test(host_net_marks, of_a_layer_of_several_nodes)
{
    scratch_write("net.prototxt",
                  "input: 'data' input_dim: 1 input_dim: 2 input_dim: 2 input_dim: 2\n"
                  "layer { name: 'line' type: 'Power' bottom: 'data' top: 'line' power_param { scale: "
                  "2 shift: 3 } }\n"
                  "layer { name: 'relu' type: 'ReLU' bottom: 'line' top: 'line' }\n");
    struct net *net = reads("net.prototxt", NULL);
    struct marks *marks = marks_new(net);
    struct diag diag = {0};
    cr_assert(marks_choose(marks, (const char *const[]){"line"}, 1, &(struct marks_source){.size = 0}, &diag),
              "%s", sb_text(&diag.text));
    struct results *with = results_of(net, marks, 1), *all = results_of(net, NULL, 1);
    cr_assert(with->count == 2 && !strcmp(with->of[1].name, "line"));
    cr_expect_arr_eq(with->of[1].view.data, results_find(all, "line")->data, 8 * sizeof(float));
    results_free(with);
    results_free(all);
    marks_free(marks);
    net_free(net);
}

/* Each layer gives its own result, also one that the next overwrites. The field of the prototxt goes before
 * that of the weights. */
Test(host_net_marks, of_caffe)
{
    struct strbuf weights = small_caffemodel();
    struct strbuf more =
        wire_of(caffe_net, "layer { name: 'relu' type: 'ReLU' external_output: true }\n"
                           "layer { name: 'pool' type: 'Pooling' external_output: false }\n");
    struct diag diag = {0};
    size_t negative = 0;
    sb_addn(&weights, more.text, more.len);
    write_bytes("net.caffemodel", &weights);
    scratch_write("net.prototxt", small_prototxt());
    struct net *net = reads("net.prototxt", &(struct net_read_options){.weights = "net.caffemodel"});
    cr_assert_eq(net->mark_count, 2u);
    cr_expect_str_eq(net->marks[0], "relu");
    cr_expect_str_eq(net->marks[1], "pool");
    struct marks *marks = marks_new(net);
    cr_assert(marks_choose(marks, (const char *const[]){"relu", "conv"}, 2, &(struct marks_source){.size = 0},
                           &diag));
    struct results *r = results_of(net, marks, 1);
    const struct view *conv = results_find(r, "conv"), *relu = results_find(r, "relu");
    cr_assert(r->count == 3 && conv && relu);
    for (size_t i = 0; i < conv->count; i++) {
        cr_expect_eq(view_real(relu, i), fmax(view_real(conv, i), 0));
        negative += view_real(conv, i) < 0;
    }
    cr_expect(negative, "no number is negative");
    results_free(r);
    marks_free(marks);
    cr_assert(marks_to_outputs(net));
    cr_assert_eq(net->output_count, 3u);
    cr_expect_str_eq(net->outputs[1]->name, "pool");
    cr_expect_str_eq(net->outputs[2]->name, "relu");
    net_free(net);
    sb_free(&weights);
    sb_free(&more);
}
