/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/net/cpu/cpu.h"
#include "host/net/cpu/kernel.h"
#include "host/net/read/read.h"

/* What may be between a float and a stored one: a part of the element, as in ONNX's own tests, and a part of
 * the largest element, as sums of such numbers are rounded. */
#define OF_ELEMENT 1e-3
#define OF_LARGEST 1e-6

/* A tensor file as a view, which lives as long as the run of its net. */
struct loaded {
    struct net *net;
    struct run *run;
    struct view view;
};

static void unload(struct loaded *l)
{
    run_free(l->run);
    net_free(l->net);
}

static bool load(struct loaded *l, const char *path, struct diag *diag)
{
    *l = (struct loaded){.net = net_read_tensor(path, diag)};
    l->run = l->net ? run_new(l->net, diag) : NULL;
    if (l->run && run_get(l->run, l->net->tensors[0], &l->view))
        return true;
    if (l->net && !diag->errors)
        diag_error(diag, (struct place){.file = path}, "values of this type are not supported");
    unload(l);
    return false;
}

static char *path_of(const char *folder, const char *stem, size_t number, char path[4096])
{
    snprintf(path, 4096, "%s/%s_%zu.pb", folder, stem, number);
    return path;
}

static bool set_inputs(struct net *net, struct run *run, const char *folder, struct diag *diag)
{
    char path[4096];
    for (size_t i = 0; i < net->input_count; i++) {
        struct loaded l;
        if (access(path_of(folder, "input", i, path), R_OK) != 0) {
            diag_error(diag, (struct place){.file = path},
                       "there is no such file; input \"%.60s\" has no value", net->inputs[i]->name);
            return false;
        }
        if (!load(&l, path, diag))
            return false;
        const bool ok = run_set(run, net->inputs[i], &l.view);
        unload(&l);
        if (!ok)
            return false;
    }
    return true;
}

static double largest_of(const struct view *v)
{
    double largest = 0;
    for (size_t i = 0; i < v->count; i++)
        largest = isfinite(view_real(v, i)) ? fmax(largest, fabs(view_real(v, i))) : largest;
    return largest;
}

/* How many elements differ by more than is allowed; the largest difference. */
static size_t differing(const struct view *a, const struct view *b, double *largest)
{
    const double allowed = OF_LARGEST * largest_of(b);
    size_t count = 0;
    *largest = 0;
    for (size_t i = 0; i < a->count; i++) {
        const double x = view_real(a, i), y = view_real(b, i), difference = fabs(x - y);
        const bool same = x == y || (isnan(x) && isnan(y));
        *largest = !same && difference > *largest ? difference : *largest;
        count += !same && !(is_real(a->type) && difference <= allowed + OF_ELEMENT * fabs(y));
    }
    return count;
}

static bool same_sizes(const struct view *a, const struct view *b)
{
    bool same = a->rank == b->rank && a->type == b->type;
    for (int i = 0; same && i < a->rank; i++)
        same = a->dim[i] == b->dim[i];
    return same;
}

static bool compare(struct net *net, struct run *run, const char *folder, struct strbuf *to,
                    struct diag *diag)
{
    char path[4096];
    bool ok = true;
    for (size_t i = 0; i < net->output_count && access(path_of(folder, "output", i, path), R_OK) == 0; i++) {
        struct loaded l;
        struct view v;
        double largest;
        if (!load(&l, path, diag))
            return false;
        if (!run_get(run, net->outputs[i], &v) || !same_sizes(&v, &l.view)) {
            diag_error(diag, (struct place){.file = path}, "output \"%.60s\" has another type or shape",
                       net->outputs[i]->name);
            ok = false;
        } else {
            const size_t count = differing(&v, &l.view, &largest);
            sb_addf(to, "%s: %s: %zu of %zu elements differ, the largest difference is %g\n", folder,
                    net->outputs[i]->name, count, v.count, largest);
            if (count)
                diag_error(diag, (struct place){.file = path}, "output \"%.60s\": %zu of %zu elements differ",
                           net->outputs[i]->name, count, v.count);
            ok = ok && !count;
        }
        unload(&l);
    }
    return ok;
}

static bool run_set_of(struct net *net, const char *folder, struct strbuf *to, struct diag *diag)
{
    struct run *run = run_new(net, diag);
    const bool ok =
        run && set_inputs(net, run, folder, diag) && run_nodes(run) && compare(net, run, folder, to, diag);
    run_free(run);
    return ok;
}

bool net_run(struct net *net, const char *folder, struct strbuf *to, struct diag *diag)
{
    char path[4096];
    bool ok = true;
    size_t sets = 0;
    for (;; sets++) {
        snprintf(path, sizeof path, "%s/test_data_set_%zu", folder, sets);
        if (access(path, R_OK) != 0)
            break;
        ok &= run_set_of(net, path, to, diag);
    }
    return sets ? ok : run_set_of(net, folder, to, diag);
}
