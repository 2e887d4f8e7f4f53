/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net/marked.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/net/cpu/kernel.h"
#include "host/net/pass/pass.h"
#include "host/net/write/write.h"
#include "tests/host_net/support.h"

enum { SUBSETS = 4 };

static void add_result(struct results *to, const char *name, const struct view *view)
{
    const size_t bytes = (size_t)net_type_bytes(view->type, view->count);
    cr_assert(to->count < RESULTS_MOST);
    snprintf(to->of[to->count].name, sizeof to->of->name, "%s", name);
    struct view *v = &to->of[to->count++].view;
    *v = *view;
    v->data = malloc(bytes + 1);
    memcpy(v->data, view->data, bytes);
    for (size_t k = 0; k < v->count; k++)
        if (isfinite(view_real(v, k)))
            to->largest = fmax(to->largest, fabs(view_real(v, k)));
}

void results_free(struct results *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->of[i].view.data);
    free(r);
}

const struct view *results_find(const struct results *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->of[i].name, name))
            return &r->of[i].view;
    return NULL;
}

static void set_inputs(struct net *net, struct run *run, uint64_t seed)
{
    struct random random = {seed};
    for (size_t i = 0; i < net->input_count; i++) {
        struct view v = {.type = NET_FLOAT, .rank = net->inputs[i]->shape->rank, .count = 1};
        for (int k = 0; k < v.rank; k++) {
            v.dim[k] = net->inputs[i]->shape->dim[k].value;
            v.count *= (size_t)v.dim[k];
        }
        float *numbers = calloc(v.count + 1, sizeof *numbers);
        for (size_t k = 0; k < v.count; k++)
            numbers[k] = ((float)random_range(&random, 0, 4000) - 2000) / 1000;
        v.data = numbers;
        cr_assert(run_set(run, net->inputs[i], &v));
        free(numbers);
    }
}

/* The outputs of a run in their order, with marks; or all that nodes give (`marks` NULL). */
static struct results *run_net(struct net *net, struct marks *marks, const struct marked *how, void *context)
{
    struct results *to = calloc(1, sizeof *to);
    struct diag diag = {0};
    struct view v;
    struct run *run = run_new(net, &diag);
    cr_assert(to && run);
    set_inputs(net, run, how->seed);
    if (context && how->run)
        how->run(context, run);
    if (marks)
        run_forget(run);
    cr_assert(run_nodes(run) && (!marks || marks_compute(marks, run, 1, &diag)), "%s", sb_text(&diag.text));
    for (size_t i = 0; !marks && i < net->node_count; i++)
        for (size_t k = 0; k < net->nodes[i]->output_count; k++)
            if (strcmp(net->nodes[i]->type, "Constant") != 0 && run_get(run, net->nodes[i]->outputs[k], &v))
                add_result(to, net->nodes[i]->outputs[k]->name, &v);
    for (size_t i = 0; marks && i < net->output_count; i++) {
        cr_assert(run_get(run, net->outputs[i], &v), "%s has no value", net->outputs[i]->name);
        add_result(to, net->outputs[i]->name, &v);
    }
    run_free(run);
    return to;
}

struct results *results_of(struct net *net, struct marks *marks, uint64_t seed)
{
    return run_net(net, marks, &(struct marked){.seed = seed}, NULL);
}

static double difference(const struct view *a, const struct view *b, const char *what)
{
    double largest = 0;
    cr_assert(a->type == b->type && a->count == b->count && a->rank == b->rank, "%s: another type or shape",
              what);
    for (size_t k = 0; k < a->count; k++) {
        const double x = view_real(a, k), y = view_real(b, k);
        if (x != y && !(isnan(x) && isnan(y)))
            largest = fmax(largest, isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY);
    }
    return largest;
}

/* A network after its passes, what it gives, and what it gave before them. */
struct problem {
    const struct marked *how;
    void *context;
    struct net *net;
    struct marks *marks;
    struct strbuf before; /* its graph */
    struct results *all, *plain;
    size_t swallowed;
};

/* The chosen names, not in their order. */
static size_t names_of(const struct problem *p, const bool *chosen, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; i < p->all->count; i++)
        if (chosen[i])
            names[count++] = p->all->of[i].name;
    for (size_t i = 0; i + 1 < count; i += 2) {
        const char *first = names[i];
        names[i] = names[i + 1];
        names[i + 1] = first;
    }
    return count;
}

static void check_results(struct problem *p, const struct results *with)
{
    const char *last = "";
    cr_assert_geq(with->count, p->plain->count);
    for (size_t i = 0; i < with->count; i++) {
        const char *name = with->of[i].name;
        const struct view *view = &with->of[i].view;
        if (i < p->plain->count) {
            cr_assert_str_eq(name, p->plain->of[i].name);
            cr_assert_eq(difference(view, &p->plain->of[i].view, name), 0, "output %s changes", name);
            continue;
        }
        cr_assert(strcmp(last, name) < 0, "\"%s\" is behind \"%s\"", name, last);
        last = name;
        cr_assert_leq(difference(view, results_find(p->all, name), name), p->how->part * p->all->largest,
                      "seed %llu: %s", (unsigned long long)p->how->seed, name);
        const struct tensor *t = net_find(p->net, name, strlen(name));
        p->swallowed += !t->producer || (p->context && !p->how->gives(p->context, t));
    }
}

static void check_subset(struct problem *p, const bool *chosen)
{
    const char *names[RESULTS_MOST];
    struct diag diag = {0};
    const struct marks_source source = {.gives = p->context ? p->how->gives : NULL,
                                        .context = p->context,
                                        .graph = sb_text(&p->before),
                                        .size = p->before.len};
    const size_t count = names_of(p, chosen, names);
    cr_assert(marks_choose(p->marks, names, count, &source, &diag), "seed %llu: %s",
              (unsigned long long)p->how->seed, sb_text(&diag.text));
    struct results *with = run_net(p->net, p->marks, p->how, p->context);
    check_results(p, with);
    for (size_t i = 0; i < count; i++)
        cr_assert(results_find(with, names[i]), "\"%s\" is no output", names[i]);
    results_free(with);
}

static struct problem make_problem(const struct marked *how)
{
    struct problem p = {.how = how, .net = reads("graph.onnx", NULL)};
    struct diag diag = {0};
    p.all = run_net(p.net, NULL, how, NULL);
    net_write_graph(p.net, &p.before);
    cr_assert(sb_ok(&p.before) && (!how->settles || passes_settle(p.net, NULL, &diag)));
    p.context = how->begin ? how->begin(p.net) : NULL;
    p.marks = marks_new(p.net);
    cr_assert(p.marks);
    p.plain = run_net(p.net, p.marks, how, p.context);
    return p;
}

static void free_problem(struct problem *p)
{
    marks_free(p->marks);
    if (p->context)
        p->how->end(p->context);
    net_free(p->net);
    sb_free(&p->before);
    results_free(p->all);
    results_free(p->plain);
}

size_t marked_check(const struct marked *how)
{
    struct problem p = make_problem(how);
    struct random random = {how->seed};
    bool chosen[RESULTS_MOST];
    for (unsigned i = 0; i < SUBSETS; i++) {
        for (size_t k = 0; k < p.all->count; k++)
            chosen[k] = i == 0 || (i > 1 && random_range(&random, 0, 3) == 0);
        check_subset(&p, chosen);
    }
    free_problem(&p);
    return p.swallowed;
}

bool marked_check_all(const struct marked *how, size_t most)
{
    bool chosen[RESULTS_MOST] = {false};
    struct problem p = make_problem(how);
    const bool few = p.all->count <= most;
    for (unsigned subset = 0; few && subset < 1U << p.all->count; subset++) {
        for (size_t i = 0; i < p.all->count; i++)
            chosen[i] = subset >> i & 1;
        check_subset(&p, chosen);
    }
    free_problem(&p);
    return few;
}
