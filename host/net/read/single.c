/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks whose batch has no size are read for one input at a time: the name of the
 * batch becomes a shape of the options, and the file is read again with it, so that
 * sizes follow from it everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/read/read.h"

enum { BATCHES_MOST = 16 };

struct batches {
    const char *name[BATCHES_MOST]; /* of dimensions that stand first in an input and nowhere else */
    size_t count;
    const struct net *net;
};

/* Whether a dimension is just that name. */
static bool is_name(struct dim dim, const char *name)
{
    struct strbuf text = {0};
    dim_print(&text, dim);
    const bool is = dim.term && sb_ok(&text) && !strcmp(sb_text(&text), name);
    sb_free(&text);
    return is;
}

struct search {
    const char *name;
    bool found;
};

static void compare(void *context, const char *name)
{
    struct search *search = context;
    search->found = search->found || !strcmp(search->name, name);
}

static bool stands_behind(const struct net *net, const char *name)
{
    struct search search = {.name = name};
    for (size_t i = 0; i < net->input_count; i++)
        for (int k = 1; net->inputs[i]->shape && k < net->inputs[i]->shape->rank; k++)
            dim_names(net->inputs[i]->shape->dim[k], compare, &search);
    return search.found;
}

static void take_name(void *context, const char *name)
{
    struct batches *b = context;
    bool known = b->count == BATCHES_MOST || stands_behind(b->net, name);
    for (size_t i = 0; i < b->count; i++)
        known = known || !strcmp(b->name[i], name);
    if (!known)
        b->name[b->count++] = name;
}

/* One dimension alone is no batch. */
static void find_batches(struct batches *b)
{
    for (size_t i = 0; i < b->net->input_count; i++) {
        const struct shape *shape = b->net->inputs[i]->shape;
        const size_t before = b->count;
        if (!shape || shape->rank < 2)
            continue;
        dim_names(shape->dim[0], take_name, b);
        if (b->count > before && !is_name(shape->dim[0], b->name[before]))
            b->count = before;
    }
}

static struct net *read_with(const char *path, const struct net_read_options *options,
                             const struct batches *b, struct strbuf *names, struct diag *diag)
{
    struct net_read_options how = *options;
    const size_t given = how.shape_count;
    struct strbuf text[BATCHES_MOST] = {{0}};
    const char **shapes = calloc(given + b->count + 1, sizeof *shapes);
    bool ok = shapes != NULL;
    for (size_t i = 0; ok && i < given; i++)
        shapes[i] = how.shapes[i];
    for (size_t i = 0; ok && i < b->count; i++) {
        sb_addf(names, "%s%s", i ? ", " : "", b->name[i]);
        sb_addf(&text[i], "%s=1", b->name[i]);
        shapes[given + i] = sb_text(&text[i]);
        ok = sb_ok(&text[i]) && sb_ok(names);
    }
    how.shapes = shapes;
    how.shape_count = given + b->count;
    struct net *net = ok ? net_read(path, &how, diag) : NULL;
    if (!ok)
        diag_no_memory(diag, path);
    for (size_t i = 0; i < b->count; i++)
        sb_free(&text[i]);
    free(shapes);
    return net;
}

struct net *net_read_single(const char *path, const struct net_read_options *options, struct strbuf *names,
                            struct diag *diag)
{
    struct net_read_options open = *options;
    open.sized = false;
    struct net *net = net_read(path, &open, diag);
    struct batches batches = {.net = net};
    if (!net)
        return NULL;
    find_batches(&batches);
    if (!batches.count && !options->sized)
        return net;
    struct net *again = read_with(path, options, &batches, names, diag);
    net_free(net);
    return again;
}
