/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_quantise.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cli/net_passes.h"
#include "host/net/cpu/kernel.h"

/* Values of one input, one for each sample. */
struct list {
    struct view *views;
    size_t count;
    void **numbers; /* of the files, which the views lie in */
    size_t files;
};

struct loading {
    struct net *net;
    const struct net_quantise_options *options;
    struct list *lists; /* of each input */
    struct diag *diag;
};

static bool no_memory(const struct loading *l)
{
    diag_no_memory(l->diag, l->net->source[0].path);
    return false;
}

/* How many values for the input lie one behind the other in a larger one. */
static size_t pieces_of(const struct tensor *input, const struct view *v)
{
    const struct shape *s = input->shape;
    if (!s || s->rank != v->rank || v->rank < 1 || s->dim[0].term || s->dim[0].value < 1)
        return 1;
    for (int i = 1; i < v->rank; i++)
        if (s->dim[i].term || s->dim[i].value != v->dim[i])
            return 1;
    return v->dim[0] % s->dim[0].value ? 1 : (size_t)(v->dim[0] / s->dim[0].value);
}

/* Takes the numbers of a file over. */
static bool add_value(struct loading *l, size_t input, const struct view *v)
{
    struct list *list = &l->lists[input];
    const size_t pieces = pieces_of(l->net->inputs[input], v);
    void **numbers = realloc(list->numbers, (list->files + 1) * sizeof *numbers);
    list->numbers = numbers ? numbers : list->numbers;
    struct view *views = realloc(list->views, (list->count + pieces + 1) * sizeof *views);
    list->views = views ? views : list->views;
    if (!numbers || !views) {
        free(v->data);
        return no_memory(l);
    }
    numbers[list->files++] = v->data;
    for (size_t i = 0; i < pieces; i++) {
        struct view piece = *v;
        piece.count = v->count / pieces;
        piece.data = (char *)v->data + i * piece.count * type_bytes(v->type);
        piece.dim[0] = v->rank ? v->dim[0] / (int64_t)pieces : 0;
        views[list->count++] = piece;
    }
    return true;
}

static bool add_file(struct loading *l, size_t input, const char *path)
{
    struct view v;
    return feed_file(l->net, l->net->inputs[input], path, &l->options->feed, &v, l->diag) &&
           add_value(l, input, &v);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder but those with a dot in front, in the order of their bytes. NULL: it cannot be read.
 */
static char **names_in(const char *folder, size_t *count)
{
    DIR *from = opendir(folder);
    char **names = NULL;
    for (struct dirent *entry; from && (entry = readdir(from));) {
        if (*entry->d_name == '.')
            continue;
        char **more = realloc(names, (*count + 1) * sizeof *more);
        names = more ? more : names;
        if (!more || !(names[*count] = strdup(entry->d_name)))
            break;
        ++*count;
    }
    if (from)
        closedir(from);
    if (names)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

static bool add_folder(struct loading *l, size_t input, const char *folder)
{
    size_t count = 0;
    char **names = names_in(folder, &count);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        struct strbuf path = {0};
        sb_addf(&path, "%s/%s", folder, names[i]);
        ok = ok && add_file(l, input, sb_text(&path));
        sb_free(&path);
        free(names[i]);
    }
    free(names);
    if (!count)
        diag_error(l->diag, (struct place){.file = folder}, "there is no file in it to calibrate with");
    return ok && count;
}

static bool add_given(struct loading *l, const char *text)
{
    const char *equals = strchr(text, '=');
    struct stat info;
    size_t input = 0;
    for (size_t i = 0; equals && i < l->net->input_count; i++) {
        const char *name = l->net->inputs[i]->name;
        if (strlen(name) != (size_t)(equals - text) || memcmp(name, text, strlen(name)) != 0)
            continue;
        input = i;
        text = equals + 1;
        break;
    }
    if (stat(text, &info) == 0 && S_ISDIR(info.st_mode))
        return add_folder(l, input, text);
    return add_file(l, input, text);
}

/* ---- samples ------------------------------------------------------------------------------------- */

static bool check_lists(const struct loading *l)
{
    for (size_t i = 0; i < l->net->input_count; i++)
        if (l->lists[i].count != l->lists[0].count) {
            diag_error(
                l->diag, (struct place){.file = l->net->source[0].path},
                "input \"%.60s\" has %zu values to calibrate with, and \"%.60s\" has %zu; give as many "
                "for each, with --calibrate NAME=FILE",
                l->net->inputs[i]->name, l->lists[i].count, l->net->inputs[0]->name, l->lists[0].count);
            return false;
        }
    return true;
}

static struct view *join(const struct loading *l)
{
    const size_t inputs = l->net->input_count, count = l->lists[0].count;
    struct view *views = calloc(inputs * count + 1, sizeof *views);
    for (size_t i = 0; views && i < count; i++)
        for (size_t k = 0; k < inputs; k++)
            views[i * inputs + k] = l->lists[k].views[i];
    if (!views)
        no_memory(l);
    return views;
}

static void free_lists(struct loading *l)
{
    for (size_t i = 0; l->lists && i < l->net->input_count; i++) {
        for (size_t k = 0; k < l->lists[i].files; k++)
            free(l->lists[i].numbers[k]);
        free(l->lists[i].numbers);
        free(l->lists[i].views);
    }
    free(l->lists);
}

/* ---- the command --------------------------------------------------------------------------------- */

static bool quantise(const struct loading *l, struct net *reference, struct strbuf *onnx, struct strbuf *to)
{
    const struct net_quantise_options *o = l->options;
    const struct quantise_samples samples = {l->lists[0].count, join(l), o->threads};
    struct quantise_report report = {0};
    const bool ok =
        samples.views && quantise_net(l->net, reference, &samples, &o->how, onnx, &report, l->diag);
    if (ok)
        (o->json ? quantise_report_json : quantise_report_text)(&report, to);
    quantise_report_free(&report);
    free((void *)samples.views);
    return ok;
}

bool net_quantise(struct net *net, struct net *reference, const struct net_quantise_options *options,
                  struct strbuf *onnx, struct strbuf *to, struct diag *diag)
{
    struct loading l = {net, options, calloc(net->input_count + 1, sizeof *l.lists), diag};
    bool ok = l.lists ? true : no_memory(&l);
    if (ok && !net->input_count) {
        diag_error(diag, (struct place){.file = net->source[0].path}, "it has no input to calibrate with");
        ok = false;
    }
    for (unsigned i = 0; ok && i < options->file_count; i++)
        ok = add_given(&l, options->files[i]);
    ok = ok && check_lists(&l) && quantise(&l, reference, onnx, to);
    free_lists(&l);
    return ok;
}
