/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes on random graphs: what a graph computes stays, to the bit or within the
 * bound that the pass states; the graph can be written and read again; and each pass
 * finds its pattern.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "host/net/feed/results.h"
#include "host/net/pass/pass.h"
#include "host/net/write/write.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/graphs.h"
#include "tests/host_net/random_graphs.h"
#include "tests/host_net/support.h"

TestSuite(host_net_passes, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

enum { OUTPUTS_MOST = 80 };

/* Outputs of a run, and the largest number of any tensor in it. */
struct outputs {
    size_t count;
    struct view view[OUTPUTS_MOST]; /* with their own numbers */
    double largest;
};

/* `whole`: inputs are integers from 0 to 255, else floats from -2 to 2. */
static struct outputs run_net(struct net *net, uint64_t seed, bool whole)
{
    struct outputs to = {.count = net->output_count};
    struct random random = {seed};
    struct diag diag = {0};
    struct run *run = run_new(net, &diag);
    for (size_t i = 0; i < net->input_count; i++) {
        struct view v = {.type = NET_FLOAT, .rank = net->inputs[i]->shape->rank, .count = 1};
        for (int k = 0; k < v.rank; k++) {
            v.dim[k] = net->inputs[i]->shape->dim[k].value;
            v.count *= (size_t)v.dim[k];
        }
        float *numbers = calloc(v.count, sizeof *numbers);
        for (size_t k = 0; k < v.count; k++)
            numbers[k] = whole ? (float)random_range(&random, 0, 255)
                               : ((float)random_range(&random, 0, 4000) - 2000) / 1000;
        v.data = numbers;
        cr_assert(run_set(run, net->inputs[i], &v), "%s", sb_text(&diag.text));
        free(numbers);
    }
    cr_assert(run_nodes(run), "%s", sb_text(&diag.text));
    for (size_t i = 0; i < net->tensor_count; i++) {
        struct view v;
        if (!run_get(run, net->tensors[i], &v))
            continue;
        for (size_t k = 0; k < v.count; k++)
            if (isfinite(view_real(&v, k)))
                to.largest = fmax(to.largest, fabs(view_real(&v, k)));
    }
    cr_assert(net->output_count <= OUTPUTS_MOST);
    for (size_t i = 0; i < net->output_count; i++) {
        struct view *v = &to.view[i];
        cr_assert(run_get(run, net->outputs[i], v));
        void *copy = malloc((size_t)net_type_bytes(v->type, v->count) + 1);
        memcpy(copy, v->data, (size_t)net_type_bytes(v->type, v->count));
        v->data = copy;
    }
    run_free(run);
    return to;
}

static void free_outputs(struct outputs *o)
{
    for (size_t i = 0; i < o->count; i++)
        free(o->view[i].data);
}

/* The largest difference; any elements that differ at all are counted. */
static double difference(const struct outputs *a, const struct outputs *b, size_t *count, const char *what)
{
    double largest = 0;
    cr_assert_eq(a->count, b->count, "%s", what);
    for (size_t i = 0; i < a->count; i++) {
        cr_assert(result_same_sizes(&a->view[i], &b->view[i]), "%s: another type or shape", what);
        for (size_t k = 0; k < a->view[i].count; k++) {
            const double x = view_real(&a->view[i], k), y = view_real(&b->view[i], k);
            if (x == y || (isnan(x) && isnan(y)))
                continue;
            (*count)++;
            largest = fmax(largest, isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY);
        }
    }
    return largest;
}

static struct net *read_again(const struct net *net)
{
    struct strbuf bytes = {0};
    net_write_onnx(net, &bytes);
    write_bytes("again.onnx", &bytes);
    sb_free(&bytes);
    return reads("again.onnx", NULL);
}

/* What stands in a graph fits together. */
static void is_tidy(const struct net *net, const char *what)
{
    for (size_t i = 0; i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        cr_assert(!node->gone && node->op, "%s", what);
        for (size_t k = 0; k < node->input_count; k++)
            cr_assert(!node->inputs[k] || node->inputs[k]->users, "%s: no user of %s", what,
                      node->inputs[k]->name);
        for (size_t k = 0; k < node->output_count; k++)
            cr_assert(!node->outputs[k] || node->outputs[k]->producer == node, "%s", what);
    }
}

/* Runs the passes of the list, or all (NULL) until nothing changes. */
static size_t apply(struct net *net, const char *const *list, const char *what)
{
    struct diag diag = {0};
    size_t changes, all = 0, round = 1;
    for (size_t i = 0; list && list[i]; i++) {
        cr_assert(pass_run(net, pass_find(list[i], strlen(list[i])), &changes, &diag), "%s: %s", what,
                  sb_text(&diag.text));
        is_tidy(net, what);
        all += changes;
    }
    for (unsigned rounds = 0; !list && round; rounds++) {
        cr_assert(rounds < 16, "%s: passes have no end", what);
        round = 0;
        for (const struct pass *p = passes; p->name; p++) {
            cr_assert(pass_run(net, p, &changes, &diag), "%s: %s", what, sb_text(&diag.text));
            is_tidy(net, what);
            round += changes;
        }
        all += round;
    }
    return all;
}

/* What results may differ by: a part of the largest number in the graph, and a number. */
struct bound {
    double part, number;
};

/* A graph before and after passes, and written and read again. Returns how many elements differ at all. */
static size_t keeps(const char *const *list, uint64_t seed, struct bound bound, bool whole, size_t *changes)
{
    char what[64];
    size_t count = 0, none = 0;
    snprintf(what, sizeof what, "%s, seed %llu", list ? list[0] : "all", (unsigned long long)seed);
    struct net *net = reads("graph.onnx", NULL);
    struct outputs before = run_net(net, seed, whole);
    *changes += apply(net, list, what);
    struct outputs after = run_net(net, seed, whole);
    const double largest = difference(&after, &before, &count, what);
    cr_assert(largest <= bound.part * before.largest + bound.number,
              "%s: a difference of %g; numbers up to %g", what, largest, before.largest);
    struct net *again = read_again(net);
    struct outputs last = run_net(again, seed, whole);
    cr_assert_eq(difference(&last, &after, &none, what), 0, "%s: written and read again it differs", what);
    free_outputs(&before);
    free_outputs(&after);
    free_outputs(&last);
    net_free(again);
    net_free(net);
    return count;
}

static const struct bound exactly = {0, 0};

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* On graphs of floats, with the least changes that a pass must find in all of them. */
static void on_floats(const char *const *list, double part, size_t least)
{
    enum { GRAPHS = 150 };
    size_t changes = 0;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        struct random random = {seed};
        graph_of_floats(&random, "graph.onnx");
        keeps(list, seed, (struct bound){part, 0}, false, &changes);
    }
    cr_assert(changes >= least, "%s: %zu changes, not %zu", list ? list[0] : "all", changes, least);
}

Test(host_net_passes, identities)
{
    on_floats(LIST("identities"), 0, 100);
}
Test(host_net_passes, constants)
{
    on_floats(LIST("constants"), 0, 100);
}
Test(host_net_passes, dead)
{
    on_floats(LIST("dead"), 0, 50);
}
Test(host_net_passes, channels)
{
    on_floats(LIST("channels"), 0, 10);
}
/* A tensor of another number of channels is a change. */
Test(host_net_passes, channels_that_move)
{
    enum { GRAPHS = 300 };
    size_t changes = 0, all = 0;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        struct random random = {seed};
        graph_of_dead_channels(&random, "graph.onnx");
        keeps(LIST("channels"), seed, exactly, false, &changes);
        keeps(NULL, seed, exactly, false, &all);
    }
    cr_assert(changes >= 1700, "%zu changes", changes);
    cr_assert(all >= changes);
}
Test(host_net_passes, pads)
{
    on_floats(LIST("pads"), 0, 50);
}
Test(host_net_passes, functions)
{
    on_floats(LIST("functions"), 0, 30);
}
Test(host_net_passes, scales)
{
    on_floats(LIST("scales"), 1e-6, 30);
}
Test(host_net_passes, all_of_them)
{
    on_floats(NULL, 1e-6, 500);
}

Test(host_net_passes, quantised_exactly)
{
    size_t changes = 0, quantised = 0, channels = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random random = {seed};
        graph_of_scales(&random, random_range(&random, 1, 3), true, "graph.onnx");
        keeps(LIST("quantised", "dead"), seed, exactly, false, &quantised);
        keeps(LIST("quantised", "dead", "channels"), seed, exactly, false, &channels);
        keeps(NULL, seed, exactly, false, &changes);
    }
    cr_assert(quantised + changes >= 500, "%zu changes", quantised + changes);
    cr_assert(channels >= quantised + 20, "dead channels of %zu tensors", channels - quantised);
}

/* With any scales a result may be the next integer, of which an output's step is at most 1/16. */
Test(host_net_passes, quantised_nearly)
{
    size_t changes = 0, other = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random random = {seed};
        graph_of_scales(&random, 1, false, "graph.onnx");
        other += keeps(LIST("quantised"), seed, (struct bound){0, 1.0 / 16}, false, &changes);
    }
    cr_assert(changes >= 150, "%zu changes", changes);
    cr_assert(other <= 15, "%zu elements differ", other);
    cr_log_info("%zu elements differ", other);
}

Test(host_net_passes, integers)
{
    size_t changes = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random random = {seed};
        graph_of_integers(&random, "graph.onnx");
        keeps(LIST("integers"), seed, exactly, true, &changes);
        keeps(NULL, seed, exactly, true, &changes);
    }
    cr_assert(changes >= 500, "%zu changes", changes);
}

/* ---- scaled tensors ------------------------------------------------------------------------------ */

/* A Pad before the node that graph_of() made, of height and width by these numbers. */
static void pad_image(struct net *net, struct node *window, const struct operand *image, int64_t code,
                      const int64_t sides[4])
{
    const int64_t list[] = {0, sides[0], sides[1], 0, 0, sides[2], sides[3], 0};
    const struct shape none = {.rank = 0};
    struct tensor *wide = window->inputs[0], *x = net_new_tensor(net, "image");
    struct shape shape = *wide->shape, wider = *wide->shape;
    struct node *pad = net_node(net, "Pad", 3, 1);
    for (int i = 1; i < 3; i++)
        wider.dim[i].value += sides[i - 1] + sides[i + 1];
    cr_assert(x && pad && net_shape(net, x, &shape) && net_shape(net, wide, &wider));
    x->type = wide->type;
    x->quantisation = &image->scales;
    x->input = true;
    wide->input = false;
    net->inputs[0] = x;
    pad->op = operator_find("", "Pad", net->opset);
    pad->name = "pad";
    pad->inputs[0] = x;
    pad->inputs[1] = net_integers(net, "pads", list, 8);
    pad->inputs[2] = net_integers(net, "code", &code, 1);
    pad->outputs[0] = wide;
    cr_assert(net_shape(net, pad->inputs[2], &none));
    pad->inputs[2]->type = NET_INT8;
    pad->inputs[2]->values.size = 1;
    pad->inputs[2]->quantisation = wide->quantisation;
    net->nodes[0] = pad;
    cr_assert(net_add_node(net, window));
    x->users = wide->users = 1;
    wide->producer = pad;
}

static void run_scaled(struct net *net, const struct operand *x, const struct operand *w, int8_t *to)
{
    struct diag diag = {0};
    struct view v;
    struct run *run = run_new(net, &diag);
    cr_assert(run && run_set(run, net->inputs[0], &x->view) && run_set(run, net->inputs[1], &w->view) &&
                  run_nodes(run) && run_get(run, net->outputs[0], &v),
              "%s", sb_text(&diag.text));
    memcpy(to, v.data, v.count);
    run_free(run);
}

/* One image in four is padded by another number than its zero point: that Pad stays. */
static void check_pads(struct random *random)
{
    static int8_t numbers[512], weights[64], before[2048], after[2048];
    const bool other = random_range(random, 0, 3) == 0;
    const int64_t image[] = {1, random_range(random, 2, 6), random_range(random, 2, 6), 2},
                  kernel[] = {3, 2, 2, 2},
                  sides[] = {random_range(random, 0, 2), random_range(random, 0, 2),
                             random_range(random, 0, 2), random_range(random, 1, 2)},
                  result[] = {1, image[1] + sides[0] + sides[2] - 1, image[2] + sides[1] + sides[3] - 1, 3};
    const int32_t zero = (int32_t)random_range(random, 0, 20) - 10;
    for (size_t i = 0; i < sizeof numbers; i++)
        numbers[i] = (int8_t)random_next(random);
    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (int8_t)random_next(random);
    const struct operand x = operand_of(NET_INT8, 4, image, numbers, 0.5F, zero),
                         wide = operand_of(NET_INT8, 4, image, numbers, 0.5F, zero),
                         w = operand_of(NET_INT8, 4, kernel, weights, 0.25F, 0),
                         y = operand_of(NET_INT8, 4, result, NULL, 16, 3);
    struct node *node;
    struct diag diag = {0};
    size_t changes;
    struct net *net = graph_of("", "Conv", (const struct operand *const[]){&wide, &w}, 2, &y, &node);
    cr_assert(net && node_set_text(net, node, "layout", "NHWC") &&
              node_set_text(net, node, "weights_layout", "OHWI") &&
              node_set_text(net, node, "auto_pad", "VALID") && net_add_output(net, node->outputs[0]));
    pad_image(net, node, &x, zero + other, sides);
    run_scaled(net, &x, &w, before);
    cr_assert(pass_run(net, pass_find("pads", 4), &changes, &diag), "%s", sb_text(&diag.text));
    cr_assert(net->node_count == (other ? 2u : 1u), "%zu nodes", net->node_count);
    run_scaled(net, &x, &w, after);
    cr_assert_arr_eq(before, after, (size_t)(result[1] * result[2] * result[3]));
    net_free(net);
    diag_free(&diag);
}

Test(host_net_passes, pads_of_scaled_images)
{
    struct random random = {11};
    for (unsigned round = 0; round < 60; round++)
        check_pads(&random);
}
