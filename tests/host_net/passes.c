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
    size_t changes = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random random = {seed};
        graph_of_scales(&random, random_range(&random, 1, 3), true, "graph.onnx");
        keeps(LIST("quantised"), seed, exactly, false, &changes);
        keeps(NULL, seed, exactly, false, &changes);
    }
    cr_assert(changes >= 500, "%zu changes", changes);
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
