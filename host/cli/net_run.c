/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/net_explain.h"
#include "host/net/feed/results.h"

enum { PATH_BYTES = 4096 };

static char *path_of(const char *folder, const char *stem, size_t number, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s_%zu.pb", folder, stem, number);
    return path;
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static bool set_input(struct net *net, struct run *run, struct tensor *input, const char *path,
                      const struct feed_options *options, struct diag *diag)
{
    struct view value;
    const bool ok = feed_file(net, input, path, options, &value, diag) && run_set(run, input, &value);
    free(value.data);
    return ok;
}

static bool set_stored(struct net *net, struct run *run, const char *folder, struct diag *diag)
{
    static const struct feed_options plain;
    char path[PATH_BYTES];
    for (size_t i = 0; i < net->input_count; i++) {
        if (access(path_of(folder, "input", i, path), R_OK) != 0) {
            diag_error(diag, (struct place){.file = path},
                       "there is no such file; input \"%.60s\" has no value", net->inputs[i]->name);
            return false;
        }
        if (!set_input(net, run, net->inputs[i], path, &plain, diag))
            return false;
    }
    return true;
}

/* The input that "NAME=FILE" names, with *file behind it, or the first without a value. */
static struct tensor *input_of(struct net *net, const char *text, const char **file)
{
    const char *equals = strchr(text, '=');
    struct tensor *named = equals ? net_find(net, text, (size_t)(equals - text)) : NULL;
    *file = named && named->input ? equals + 1 : text;
    if (named && named->input)
        return named;
    for (size_t i = 0; i < net->input_count; i++)
        if (!net->inputs[i]->constant)
            return net->inputs[i];
    return NULL;
}

bool net_run_give(struct net *net, struct run *run, const struct net_run_options *o, struct diag *diag)
{
    const char *file;
    bool ok = true;
    for (unsigned i = 0; i < o->input_count; i++) {
        struct tensor *input = input_of(net, o->inputs[i], &file);
        if (!input || input->constant) {
            diag_error(diag, (struct place){.file = file}, "%s",
                       input ? "the input has a value already" : "every input has a value already");
            return false;
        }
        if (!set_input(net, run, input, file, &o->feed, diag))
            return false;
    }
    for (size_t i = 0; i < net->input_count; i++) {
        if (net->inputs[i]->constant)
            continue;
        diag_error(diag, (struct place){.file = net->source[0].path},
                   "input \"%.60s\" has no value; give it with --input %.60s=FILE", net->inputs[i]->name,
                   net->inputs[i]->name);
        ok = false;
    }
    return ok;
}

/* ---- stored outputs ------------------------------------------------------------------------------ */

static bool compare_output(struct run *run, struct tensor *output, const char *path, const char *folder,
                           const struct view *stored, struct strbuf *to, struct diag *diag)
{
    struct view v;
    double largest;
    if (!run_get(run, output, &v) || !result_same_sizes(&v, stored)) {
        diag_error(diag, (struct place){.file = path}, "output \"%.60s\" has another type or shape",
                   output->name);
        return false;
    }
    const size_t count = result_differing(&v, stored, &largest);
    sb_addf(to, "%s: %s: %zu of %zu elements differ, the largest difference is %g\n", folder, output->name,
            count, v.count, largest);
    if (count)
        diag_error(diag, (struct place){.file = path}, "output \"%.60s\": %zu of %zu elements differ",
                   output->name, count, v.count);
    return !count;
}

static bool compare(struct net *net, struct run *run, const char *folder, struct strbuf *to,
                    struct diag *diag)
{
    static const struct feed_options plain;
    char path[PATH_BYTES];
    bool ok = true;
    for (size_t i = 0; i < net->output_count && access(path_of(folder, "output", i, path), R_OK) == 0; i++) {
        struct view stored;
        if (!feed_file(net, net->outputs[i], path, &plain, &stored, diag))
            return false;
        ok = compare_output(run, net->outputs[i], path, folder, &stored, to, diag) && ok;
        free(stored.data);
    }
    return ok;
}

/* ---- a run --------------------------------------------------------------------------------------- */

/* What comes after the nodes. Layers are written, and compared, also when a node failed: up to that node. */
static bool finish(struct net *net, struct run *run, bool ran, const struct net_run_options *o,
                   const char *folder, struct strbuf *to, struct diag *diag)
{
    bool ok = ran;
    if (o->layers)
        ok = net_layers_write(net, run, o->layers, diag) && ok;
    if (o->goldens)
        ok = net_layers_compare(net, run, o->goldens, to, diag) && ok;
    if (!ran)
        return false;
    if (folder)
        ok = compare(net, run, folder, to, diag) && ok;
    if (o->output)
        ok = net_results_write(net, run, o->output, diag) && ok;
    if (o->top)
        ok = net_results_top(net, run, o, to, diag) && ok;
    if (!folder && !o->output && !o->top && !o->layers && !o->goldens && !o->explain)
        net_results_print(net, run, to);
    return ok;
}

/* `folder`: of stored inputs; NULL: inputs are given. */
static bool run_once(struct net *net, struct net_layers *on, const char *folder,
                     const struct net_run_options *o, struct strbuf *to, struct diag *diag)
{
    struct run *run = run_new(net, diag);
    bool ok = run && run_threads(run, (unsigned)o->threads);
    if (ok)
        ok = folder ? set_stored(net, run, folder, diag) : net_run_give(net, run, o, diag);
    if (ok && !o->layers && !o->goldens)
        run_forget(run);
    if (ok)
        net_layers_offer(on, run);
    ok = ok && net_placing_watch(&on->placing, net, run);
    const bool ran = ok && run_nodes(run);
    net_placing_watched(&on->placing);
    ok = ok && finish(net, run, ran && marks_compute(on->marks, run, (unsigned)o->threads, diag), o, folder,
                      to, diag);
    run_free(run);
    return ok;
}

static size_t count_sets(const char *folder)
{
    char path[PATH_BYTES];
    size_t sets = 0;
    for (;; sets++) {
        snprintf(path, sizeof path, "%s/test_data_set_%zu", folder, sets);
        if (access(path, R_OK) != 0)
            return sets;
    }
}

/* With all sets of stored inputs there are. */
static bool run_all(struct net *net, struct net_layers *on, size_t sets, const struct net_run_options *o,
                    struct strbuf *to, struct diag *diag)
{
    char path[PATH_BYTES];
    bool ok = true;
    if (!sets)
        return run_once(net, on, o->test_data, o, to, diag);
    for (size_t i = 0; i < sets; i++) {
        snprintf(path, sizeof path, "%s/test_data_set_%zu", o->test_data, i);
        ok &= run_once(net, on, path, o, to, diag);
    }
    return ok;
}

bool net_run_inputs(struct net *net, struct net_layers *on, const struct net_run_options *o,
                    struct strbuf *to, struct diag *diag)
{
    const size_t sets = o->test_data ? count_sets(o->test_data) : 0;
    if (sets > 1 && (o->output || o->layers || o->goldens || o->top)) {
        diag_error(diag, (struct place){.file = o->test_data},
                   "the folder has %zu sets; give one of them, as %s/test_data_set_0", sets, o->test_data);
        return false;
    }
    return run_all(net, on, sets, o, to, diag);
}

/* A run whose results are not told. */
static bool run_quietly(struct net *net, struct net_layers *on, const struct net_run_options *o,
                        struct diag *diag)
{
    struct net_run_options quiet = *o;
    struct strbuf unused = {0};
    quiet.explain = true;
    quiet.output = quiet.layers = quiet.goldens = NULL;
    quiet.top = 0;
    const bool ok = net_run_inputs(net, on, &quiet, &unused, diag);
    sb_free(&unused);
    return ok;
}

/* Placed, and on the host alone, in turn. Results are not told: nodes may be computed twice. */
static bool measure(struct net *net, struct net_layers *on, const struct net_run_options *o,
                    struct diag *diag)
{
    struct net_placing *placing = &on->placing;
    bool ok = true;
    net_placing_begin(placing);
    placing->warm = true;
    for (int64_t i = 0; ok && i < o->on.place.runs; i++) {
        placing->on_host = true;
        ok = run_quietly(net, on, o, diag);
        placing->on_host = false;
        ok = ok && run_quietly(net, on, o, diag);
    }
    placing->done = true;
    return ok;
}

/* In one run the planner learns how many activations are not 0; then comes the choice. In another one the
 * host makes what it keeps of weights, which is not in the predicted times. */
static bool place(struct net *net, struct net_layers *on, const struct net_run_options *o, bool runs,
                  struct diag *diag)
{
    if (!o->on.place.on)
        return true;
    const bool ok = (!runs || run_quietly(net, on, o, diag)) && net_layers_place(net, &o->on, on, diag) &&
                    (!runs || run_quietly(net, on, o, diag));
    net_placing_begin(&on->placing);
    return ok && (!runs || o->on.place.runs < 2 || measure(net, on, o, diag));
}

bool net_run(struct net *net, const struct net_run_options *o, struct strbuf *to, struct diag *diag)
{
    struct net_layers on;
    struct net_layers_options options = o->on;
    options.apart = o->layers || o->goldens;
    const bool runs = !o->explain || o->test_data || o->input_count;
    bool ok = net_layers_open(net, &options, &on, diag) && place(net, &on, o, runs, diag) &&
              (!runs || net_run_inputs(net, &on, o, to, diag));
    if (ok && o->explain)
        ok = net_explain(&on, runs, o->json, to, diag);
    else if (ok)
        ok = net_layers_report(net, &on, &options, to, diag);
    if (ok && !o->json)
        net_placing_report(&on.placing, to);
    net_layers_close(&on);
    return ok;
}
