/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "host/net/read/read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/number.h"
#include "host/net/read/readers.h"

/* ---- shapes from the options --------------------------------------------------------------------- */

static const char *shape_given(struct reading *r, const char *name, size_t length)
{
    for (size_t i = 0; i < r->options->shape_count; i++) {
        const char *shape = r->options->shapes[i];
        if (!strncmp(shape, name, length) && shape[length] == '=') {
            r->shape_used[i] = true;
            return shape + length + 1;
        }
    }
    return NULL;
}

/* "8" or "1x3x32x32": how many sizes; 0 when it is neither. */
static int sizes(const char *text, int64_t to[NET_RANK_MAX])
{
    for (int count = 0; count < NET_RANK_MAX;) {
        bool negative;
        uint64_t value;
        if (number_integer(&text, &negative, &value) != NUMBER_OK || negative ||
            value > (uint64_t)NET_SIZE_MOST)
            return 0;
        to[count++] = (int64_t)value;
        if (!*text)
            return count;
        if (*text++ != 'x')
            return 0;
    }
    return 0;
}

struct dim reading_dim(struct reading *r, const char *name, size_t length)
{
    int64_t size[NET_RANK_MAX];
    const char *text = shape_given(r, name, length);
    if (text && sizes(text, size) == 1)
        return dim_number(size[0]);
    const char *copy = arena_text(&r->net->arena, name, length);
    return copy ? dim_named(&r->net->arena, copy) : dim_number(0);
}

bool reading_input(struct reading *r, struct tensor *tensor, const struct shape *shape)
{
    int64_t size[NET_RANK_MAX];
    struct shape given = *shape;
    const char *text = shape_given(r, tensor->name, strlen(tensor->name));
    if (text) {
        given.rank = sizes(text, size);
        for (int i = 0; i < given.rank; i++)
            given.dim[i] = dim_number(size[i]);
        if (shape->rank >= 0 && given.rank != shape->rank) {
            origin_error(r->net, tensor->origin,
                         "input %.60s has %d dimensions; give a size for each, as --shape %.60s=1x3x32x32",
                         tensor->name, shape->rank, tensor->name);
            return false;
        }
    }
    return net_shape(r->net, tensor, &given) && net_add_input(r->net, tensor);
}

/* ---- files beside the network -------------------------------------------------------------------- */

/* Whether a name stays in its folder as it is written. */
static bool stays_inside(const char *name)
{
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        const size_t length = strcspn(at, "/");
        if (!length || (length == 2 && !strncmp(at, "..", 2)))
            return false;
    }
    return *name != '/';
}

/* Whether it does when links are followed. */
static bool lies_inside(const char *folder, const char *path)
{
    char *real_folder = realpath(folder, NULL), *real_path = realpath(path, NULL);
    const size_t length = real_folder ? strlen(real_folder) : 0;
    const bool inside = real_folder && real_path && !strncmp(real_path, real_folder, length) &&
                        (real_path[length] == '/' || (length && real_folder[length - 1] == '/'));
    free(real_folder);
    free(real_path);
    return inside;
}

static const struct source *open_external(struct reading *r, struct origin origin, const char *name,
                                          const char *folder, const char *path)
{
    struct net *net = r->net;
    if (!stays_inside(name) || !lies_inside(folder, path)) {
        origin_error(net, origin,
                     "numbers of a tensor are in the file \"%.100s\", which is not there or not in the "
                     "network's folder",
                     name);
        return NULL;
    }
    struct source *source = arena_take(&net->arena, 1, sizeof *source);
    if (!source || !arena_list(&net->arena, &net->external, net->external_count) ||
        !source_open(source, path, r->diag))
        return NULL;
    net->external[net->external_count++] = source;
    return source;
}

const struct source *reading_external(struct reading *r, struct origin origin, const char *name,
                                      size_t length)
{
    const char *path = r->net->source[0].path, *slash = strrchr(path, '/');
    struct strbuf folder = {0}, full = {0};
    if (slash)
        sb_addn(&folder, path, (size_t)(slash - path) + 1);
    else
        sb_add(&folder, "./");
    sb_add(&full, sb_text(&folder));
    sb_addn(&full, name, length);
    const struct source *found = NULL;
    for (size_t i = 0; !found && i < r->net->external_count; i++)
        if (!strcmp(r->net->external[i]->path, sb_text(&full)))
            found = r->net->external[i];
    const size_t before = folder.len;
    const char *inside = arena_string(&r->net->arena, &folder), *kept = NULL;
    if (inside && !found)
        kept = arena_string(&r->net->arena, &full);
    if (kept)
        found = open_external(r, origin, kept + before, inside, kept);
    sb_free(&full);
    return found;
}

/* ---- what is missing ----------------------------------------------------------------------------- */

static bool same_operator(const struct node *a, const struct node *b)
{
    return !b->op && !strcmp(a->type, b->type) && !strcmp(a->domain, b->domain);
}

/* One line for each operator that is not known, with how many nodes have it. */
static void list_unknown(const struct net *net)
{
    const struct node *listed[DIAG_MAX];
    size_t kinds = 0;
    for (size_t i = 0; i < net->node_count && kinds < DIAG_MAX; i++) {
        const struct node *node = net->nodes[i];
        size_t count = 0;
        bool before = node->op != NULL;
        for (size_t k = 0; !before && k < kinds; k++)
            before = same_operator(node, listed[k]);
        if (before)
            continue;
        for (size_t k = i; k < net->node_count; k++)
            count += same_operator(node, net->nodes[k]);
        listed[kinds++] = node;
        node_error(net, node,
                   "the operator is not supported%s%.60s; %zu node%s; docs/operators.md lists those that are",
                   *node->domain ? ", of " : "", node->domain, count, count > 1 ? "s have it" : " has it");
    }
}

struct names {
    struct strbuf text;
    const char *seen[64];
    size_t count;
};

static void add_name(void *context, const char *name)
{
    struct names *n = context;
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->seen[i], name))
            return;
    if (n->count == sizeof n->seen / sizeof *n->seen)
        return;
    n->seen[n->count++] = name;
    sb_addf(&n->text, "%s%.60s", n->count > 1 ? ", " : "", name);
}

static bool check_sizes(struct reading *r, bool failed)
{
    struct names names = {.count = 0};
    for (size_t i = 0; i < r->net->input_count; i++)
        for (int k = 0; r->net->inputs[i]->shape && k < r->net->inputs[i]->shape->rank; k++)
            dim_names(r->net->inputs[i]->shape->dim[k], add_name, &names);
    const bool missing = names.count && (r->options->sized || failed);
    if (missing)
        diag_error(r->diag, (struct place){.file = r->net->source[0].path},
                   "dimensions without a value: %s; give --shape NAME=SIZE for each", sb_text(&names.text));
    sb_free(&names.text);
    return !missing;
}

static bool check_shapes_used(struct reading *r)
{
    bool ok = true;
    int64_t size[NET_RANK_MAX];
    for (size_t i = 0; i < r->options->shape_count; i++) {
        const char *shape = r->options->shapes[i], *equals = strchr(shape, '=');
        if (equals && sizes(equals + 1, size) && r->shape_used[i])
            continue;
        diag_error(r->diag, (struct place){.file = r->net->source[0].path},
                   equals && sizes(equals + 1, size)
                       ? "--shape %.100s: no dimension and no input has this name"
                       : "--shape %.100s: it must be NAME=8 or INPUT=1x3x32x32",
                   shape);
        ok = false;
    }
    return ok;
}

/* The producer of the next input that has no place yet; `ok` false: there is none, or the nodes go in a
 * circle. */
static struct node *wanted_first(const struct net *net, struct node *node, bool *ok)
{
    for (; node->looked_at < node->input_count; node->looked_at++) {
        const struct tensor *t = node->inputs[node->looked_at];
        if (!t || t->ready || t->constant || t->input || t->variable)
            continue;
        if (t->producer && !t->producer->waits)
            return t->producer;
        node_error(net, node, "its input \"%.60s\" %s", t->name,
                   t->producer ? "is computed from its own output" : "is computed by no node, nor given");
        *ok = false;
        return NULL;
    }
    return NULL;
}

struct order {
    struct node **stack, **ordered;
    size_t count;
};

/* Gives a node its place, and before it those that its inputs come from. */
static bool place_node(const struct net *net, struct order *order, struct node *node)
{
    size_t depth = 0;
    bool ok = true;
    if (node->waits)
        return true;
    for (struct node *next = node; next || depth;) {
        if (next) {
            next->waits = true;
            order->stack[depth++] = next;
        }
        struct node *top = order->stack[depth - 1];
        next = wanted_first(net, top, &ok);
        if (!ok)
            return false;
        if (next)
            continue;
        for (size_t k = 0; k < top->output_count; k++)
            if (top->outputs[k])
                top->outputs[k]->ready = true;
        order->ordered[order->count++] = top;
        depth--;
    }
    return true;
}

/* Puts each node behind those that its inputs come from, and leaves the order of the file where it can. */
static bool order_nodes(struct net *net)
{
    struct order order = {.stack = arena_take(&net->arena, net->node_count, sizeof(struct node *)),
                          .ordered = arena_take(&net->arena, net->node_count, sizeof(struct node *))};
    if (!order.stack || !order.ordered)
        return false;
    for (size_t i = 0; i < net->node_count; i++)
        if (!place_node(net, &order, net->nodes[i]))
            return false;
    net->nodes = order.ordered;
    return true;
}

/* Lists everything that is wrong before it gives up. */
static bool finish(struct reading *r)
{
    struct net *net = r->net;
    bool unknown = false;
    for (size_t i = 0; i < net->node_count; i++)
        unknown |= !net->nodes[i]->op;
    if (unknown)
        list_unknown(net);
    bool ok = order_nodes(net) && derive_net(net) && !unknown;
    ok = check_shapes_used(r) && ok;
    return check_sizes(r, !ok) && ok;
}

/* ---- the file ------------------------------------------------------------------------------------ */

/* A text has only printable characters at its beginning. */
static bool is_text(const struct source *source)
{
    const size_t length = source->size < 256 ? source->size : 256;
    for (size_t i = 0; i < length; i++)
        if (source->bytes[i] < 9 || (source->bytes[i] > 13 && source->bytes[i] < 32) ||
            source->bytes[i] == 127)
            return false;
    return true;
}

static bool read_format(struct reading *r)
{
    const struct source *source = &r->net->source[0];
    const bool text = is_text(source);
    if (r->options->weights && !text) {
        diag_error(
            r->diag, (struct place){.file = source->path},
            "a second file has the weights of a Caffe network, whose first file is a prototxt; this is none");
        return false;
    }
    return tflite_is(source) ? tflite_read(r) : text ? caffe_read(r) : onnx_read(r);
}

static bool open_sources(struct source source[2], const char *path, const struct net_read_options *options,
                         struct diag *diag)
{
    source[1] = (struct source){.path = NULL};
    if (!source_open(&source[0], path, diag))
        return false;
    if (!options->weights || source_open(&source[1], options->weights, diag))
        return true;
    source_close(&source[0]);
    return false;
}

/* Reads from the sources, which become the network's, or are closed. */
static struct net *read_sources(struct source source[2], struct reading *r, bool (*read)(struct reading *r))
{
    const char *path = source[0].path;
    struct diag *diag = r->diag;
    const size_t before = diag->errors;
    const size_t bytes = source[0].size + source[1].size;
    r->net = bytes < SIZE_MAX / NET_MEMORY_TIMES - NET_MEMORY_LEAST
                 ? net_new(NET_MEMORY_TIMES * bytes + NET_MEMORY_LEAST)
                 : NULL;
    if (!r->net) {
        diag_no_memory(diag, path);
        source_close(&source[0]);
        source_close(&source[1]);
        return NULL;
    }
    memcpy(r->net->source, source, 2 * sizeof *source);
    r->net->diag = diag;
    r->shape_used = arena_take(&r->net->arena, r->options->shape_count + 1, sizeof *r->shape_used);
    const bool ok = r->shape_used && read(r) && finish(r) && !r->net->arena.full;
    r->net->diag = NULL;
    if (ok && diag->errors == before)
        return r->net;
    if (r->net->arena.no_memory)
        diag_no_memory(diag, path);
    else if (r->net->arena.full)
        diag_error(diag, (struct place){.file = path},
                   "reading it takes more than %d times the memory of the file; it is refused",
                   NET_MEMORY_TIMES);
    else if (diag->errors == before)
        diag_error(diag, (struct place){.file = path}, "the network cannot be read");
    net_free(r->net);
    return NULL;
}

static const struct net_read_options defaults;

struct net *net_read(const char *path, const struct net_read_options *options, struct diag *diag)
{
    struct source source[2];
    struct reading r = {.options = options ? options : &defaults, .diag = diag};
    return open_sources(source, path, r.options, diag) ? read_sources(source, &r, read_format) : NULL;
}

static struct net *read_bytes(const char *path, const void *bytes, size_t size, bool as_it_is,
                              struct diag *diag)
{
    struct source source[2] = {{.path = NULL}};
    struct reading r = {.options = &defaults, .diag = diag, .as_it_is = as_it_is};
    return source_copy(&source[0], path, bytes, size, diag) ? read_sources(source, &r, onnx_read) : NULL;
}

struct net *net_read_onnx(const char *path, const void *bytes, size_t size, struct diag *diag)
{
    return read_bytes(path, bytes, size, false, diag);
}

struct net *net_read_graph(const char *path, const void *bytes, size_t size, struct diag *diag)
{
    return read_bytes(path, bytes, size, true, diag);
}
