/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/input.h"
#include "gen/base/output.h"
#include "host/cli/net_run.h"
#include "host/net/cpu/kernel.h"
#include "host/net/feed/results.h"

static bool fail(struct diag *diag, const char *path, const char *cause)
{
    diag_error(diag, (struct place){.file = path}, "%s", cause);
    return false;
}

/* ---- files --------------------------------------------------------------------------------------- */

static bool add_file(struct outdir *out, const struct tensor *t, const struct view *v)
{
    char name[RESULT_NAME], path[RESULT_NAME + 8];
    struct strbuf bytes = {0};
    result_file_name(t->name, name);
    snprintf(path, sizeof path, "%s.npy", name);
    result_npy(v, &bytes);
    const bool ok = outdir_file(out, path, &bytes);
    sb_free(&bytes);
    return ok;
}

static bool write_folder(struct run *run, struct tensor *const *list, size_t count, const char *path,
                         struct diag *diag)
{
    struct outdir *out = outdir_begin(path, diag);
    struct view v;
    bool ok = out != NULL;
    for (size_t i = 0; ok && i < count; i++)
        if (run_get(run, list[i], &v))
            ok = add_file(out, list[i], &v);
    return out && outdir_commit(out) && ok;
}

static bool write_json(struct net *net, struct run *run, const char *path, struct diag *diag)
{
    struct strbuf text = {0};
    struct view v;
    sb_add(&text, "[");
    for (size_t i = 0; i < net->output_count; i++) {
        sb_add(&text, i ? ",\n " : "");
        if (run_get(run, net->outputs[i], &v))
            result_json(net->outputs[i]->name, &v, &text);
    }
    sb_add(&text, "]\n");
    const bool ok = sb_ok(&text) ? output_file(path, &text, diag) : fail(diag, path, "out of memory");
    sb_free(&text);
    return ok;
}

static bool write_npy(struct net *net, struct run *run, const char *path, struct diag *diag)
{
    struct strbuf bytes = {0};
    struct view v;
    if (net->output_count != 1) {
        diag_error(
            diag, (struct place){.file = path},
            "the network has %zu outputs, and a .npy file has one array; give a folder, or a .json file",
            net->output_count);
        return false;
    }
    if (!run_get(run, net->outputs[0], &v))
        return fail(diag, path, "the output has no numbers");
    result_npy(&v, &bytes);
    const bool ok = sb_ok(&bytes) ? output_file(path, &bytes, diag) : fail(diag, path, "out of memory");
    sb_free(&bytes);
    return ok;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), last = strlen(end);
    return length > last && !strcmp(path + length - last, end);
}

bool net_results_write(struct net *net, struct run *run, const char *path, struct diag *diag)
{
    if (ends_in(path, ".npy"))
        return write_npy(net, run, path, diag);
    if (ends_in(path, ".json"))
        return write_json(net, run, path, diag);
    return write_folder(run, net->outputs, net->output_count, path, diag);
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void add_range(const struct view *v, struct strbuf *to)
{
    double low = view_real(v, 0), high = low;
    for (size_t k = 1; k < v->count; k++) {
        low = fmin(low, view_real(v, k));
        high = fmax(high, view_real(v, k));
    }
    sb_addf(to, ", from %g to %g", low, high);
}

void net_results_print(struct net *net, struct run *run, struct strbuf *to)
{
    struct view v;
    for (size_t i = 0; i < net->output_count; i++) {
        const struct tensor *t = net->outputs[i];
        sb_addf(to, "%s %s ", t->name, net_type_name(t->type));
        shape_print(to, t->shape);
        if (run_get(run, net->outputs[i], &v) && v.count)
            add_range(&v, to);
        sb_add(to, "\n");
    }
}

/* Lines of the file of labels; NULL after an error. */
static const char **read_labels(const char *path, size_t classes, struct strbuf *text, struct diag *diag)
{
    enum { LABELS_MOST = 1 << 24 };
    size_t count = 0;
    if (!input_read(path, LABELS_MOST, text, diag))
        return NULL;
    const char **labels = calloc(classes + 1, sizeof *labels);
    for (char *at = text->text; labels && at && *at;) {
        char *end = strchr(at, '\n');
        if (end)
            end[-(end > at && end[-1] == '\r')] = 0;
        if (count < classes)
            labels[count] = at;
        count++;
        at = end ? end + 1 : NULL;
    }
    if (labels && count == classes)
        return labels;
    if (labels)
        diag_error(diag, (struct place){.file = path}, "the file has %zu labels; the output has %zu classes",
                   count, classes);
    else
        fail(diag, path, "out of memory");
    free(labels);
    return NULL;
}

/* What an element stands for: a real number when the tensor has a scale. */
static double meant(const struct tensor *t, const struct view *v, size_t i)
{
    const struct quantisation *q = t->quantisation;
    const double value = view_real(v, i);
    return q && q->count == 1 ? (double)q->scale[0] * (value - q->zero[0]) : value;
}

/* The best elements from `begin` on, of `classes`; of equal ones the first. */
static void print_best(const struct tensor *t, const struct view *v, size_t begin, size_t classes, size_t top,
                       const char **labels, struct strbuf *to)
{
    bool *shown = calloc(classes + 1, sizeof *shown);
    to->failed |= !shown;
    for (size_t place = 0; shown && place < top && place < classes; place++) {
        size_t best = classes;
        for (size_t i = 0; i < classes; i++)
            if (!shown[i] && (best == classes || meant(t, v, begin + i) > meant(t, v, begin + best)))
                best = i;
        shown[best] = true;
        sb_addf(to, "%6zu  %-12g  %s\n", best, meant(t, v, begin + best), labels ? labels[best] : "");
    }
    free(shown);
}

bool net_results_top(struct net *net, struct run *run, const struct net_run_options *o, struct strbuf *to,
                     struct diag *diag)
{
    struct strbuf text = {0};
    struct view v;
    const char **labels = NULL;
    struct tensor *t = net->output_count ? net->outputs[0] : NULL;
    if (!t || !run_get(run, t, &v) || !v.count)
        return fail(diag, net->source[0].path, "the first output has no numbers");
    /* The first dimension counts images, unless it is the only one. */
    const size_t images = v.rank > 1 ? (size_t)v.dim[0] : 1, classes = v.count / images;
    if (o->labels && !(labels = read_labels(o->labels, classes, &text, diag))) {
        sb_free(&text);
        return false;
    }
    for (size_t i = 0; i < images; i++) {
        sb_addf(to, images > 1 ? "%s, image %zu\n" : "%s\n", t->name, i);
        print_best(t, &v, i * classes, classes, (size_t)o->top, labels, to);
    }
    free(labels);
    sb_free(&text);
    return true;
}

/* ---- every tensor -------------------------------------------------------------------------------- */

bool net_layers_write(struct net *net, struct run *run, const char *folder, struct diag *diag)
{
    struct tensor **made = calloc(net->tensor_count + 1, sizeof(struct tensor *));
    size_t count = 0;
    if (!made)
        return fail(diag, folder, "out of memory");
    for (size_t i = 0; i < net->tensor_count; i++)
        if (net->tensors[i]->producer || net->tensors[i]->input)
            made[count++] = net->tensors[i];
    const bool ok = write_folder(run, made, count, folder, diag);
    free(made);
    return ok;
}

/* False after an error: the result is another, or the file is damaged. */
static bool compare_tensor(struct net *net, struct run *run, const struct node *node, struct tensor *t,
                           const char *path, struct diag *diag)
{
    struct view value, stored;
    double largest = 0;
    if (!run_get(run, t, &value))
        return true;
    if (!feed_npy(path, &stored, diag))
        return false;
    bool ok = true;
    const enum net_type type = stored.type;
    if (value.type == NET_BFLOAT16 && type == NET_FLOAT)
        stored.type = value.type; /* numpy has no such type */
    const bool comparable = result_same_sizes(&value, &stored);
    stored.type = type;
    if (!comparable) {
        node_error(net, node, "its result \"%.60s\" has another type or shape than %s", t->name, path);
        ok = false;
    } else {
        const size_t count = result_differing(&value, &stored, &largest);
        if (count)
            node_error(net, node,
                       "%zu of %zu elements of its result \"%.60s\" differ from %s, the largest difference "
                       "is %g; no node before it differs",
                       count, value.count, t->name, path, largest);
        ok = !count;
    }
    free(stored.data);
    return ok;
}

bool net_layers_compare(struct net *net, struct run *run, const char *folder, struct strbuf *to,
                        struct diag *diag)
{
    char name[RESULT_NAME], path[4096];
    size_t same = 0, without = 0;
    for (size_t i = 0; i < net->node_count; i++)
        for (size_t k = 0; k < net->nodes[i]->output_count; k++) {
            struct tensor *t = net->nodes[i]->outputs[k];
            if (!t)
                continue;
            result_file_name(t->name, name);
            snprintf(path, sizeof path, "%s/%s.npy", folder, name);
            if (access(path, F_OK) != 0)
                without++;
            else if (compare_tensor(net, run, net->nodes[i], t, path, diag))
                same++;
            else
                return false;
        }
    if (!same)
        return fail(diag, folder, "no file of the folder has the name of a tensor; nothing was compared");
    sb_addf(to, "%s: %zu tensors are the same, %zu have no file\n", folder, same, without);
    return true;
}
