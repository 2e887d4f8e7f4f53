/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks: read into a graph (host/net) and described.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "host/lib/net.h"
#include "host/net/compiled/compiled.h"
#include "host/net/cpu/crew.h"
#include "host/net/graph/summary.h"
#include "host/net/read/read.h"

static enum tulle_status check_readable(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return message_set(TULLE_FILE, "%s: %s", path, strerror(errno));
    fclose(file);
    return TULLE_OK;
}

/* 0 for what is not known while dimensions have no value. */
static uint64_t known(struct dim dim)
{
    return dim.term ? 0 : (uint64_t)dim.value;
}

static void fill_info(struct tulle_net *to)
{
    const struct net *net = to->net;
    const struct net_summary s = net_summarise(to->net);
    to->info = (struct tulle_net_info){.size = sizeof to->info,
                                       .inputs = net->input_count,
                                       .outputs = net->output_count,
                                       .nodes = net->node_count,
                                       .parameters = known(s.parameters),
                                       .non_zeros = s.non_zeros,
                                       .multiplications = known(s.multiplications),
                                       .weight_bytes = known(s.weight_bytes),
                                       .activation_bytes = known(s.activation_bytes),
                                       .live_bytes = s.live_bytes,
                                       .kept_bytes = s.kept_bytes};
}

#define LAYER_MS 60000
enum { FUSED = 1, AS_PREDICTED, OTHERS_MOST = 63 }; /* of struct tulle_net_options */

/* What is wrong with further devices; NULL: nothing. */
static const char *check_others(const struct tulle_net_options *o)
{
    if (!o->other_count)
        return NULL;
    if (!o->others || !o->device)
        return o->others ? "others go with a device" : "others is NULL";
    if (o->fused)
        return "others go without fused: a part of a network is on one device";
    if (o->other_count > OTHERS_MOST)
        return "there are more than 63 others";
    for (size_t i = 0; i < o->other_count; i++)
        if (!o->others[i])
            return "one of others is NULL";
    return NULL;
}

static enum tulle_status check_options(const struct tulle_net_options *o)
{
    if (o->shape_count && !o->shapes)
        return message_set(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: shapes is NULL");
    if (o->threads > CREW_MOST)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "struct tulle_net_options: threads is %u; it is at most %d", o->threads,
                           CREW_MOST);
    if (o->fused < 0 || o->fused > AS_PREDICTED)
        return message_set(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: fused is %d; it is 0, 1 or 2",
                           o->fused);
    const char *wrong = check_others(o);
    if (wrong)
        return message_set(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: %s", wrong);
    const int reserved[] = {o->reserved, (int)o->reserved2, o->reserved3};
    for (unsigned i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (reserved[i])
            return message_set(TULLE_INVALID_ARGUMENT,
                               "struct tulle_net_options: reserved%.*s is %d; it is 0", i > 0,
                               i == 1 ? "2" : "3", reserved[i]);
    return TULLE_OK;
}

/* The list of all devices, which stays with the network. */
static enum tulle_status take_team(struct tulle_net *net, const struct compiled *compiled,
                                   const struct tulle_net_options *o)
{
    if (!o->other_count)
        return TULLE_OK;
    if (compiled->path)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "%s: a compiled network runs on one device; leave out others", compiled->path);
    net->team = calloc(1 + o->other_count, sizeof(struct tulle_device *));
    if (!net->team)
        return message_no_memory();
    net->team[0] = o->device;
    for (size_t i = 0; i < o->other_count; i++)
        net->team[1 + i] = o->others[i];
    return TULLE_OK;
}

/* The layers of the network on its device, if it has one. */
static enum tulle_status make_layers(struct tulle_net *net, struct compiled *compiled,
                                     struct tulle_net *first, const struct tulle_net_options *o,
                                     struct diag *diag)
{
    enum tulle_status status = take_team(net, compiled, o);
    struct layers_options options = {.milliseconds = o->milliseconds ? o->milliseconds : LAYER_MS,
                                     .fused = o->fused == FUSED,
                                     .team = net->team,
                                     .team_count = net->team ? 1 + o->other_count : 0};
    if (status || !o->device)
        return status;
    if (first) {
        options.maker = net_again(first);
        options.fused = layers_fused(first->layers);
    }
    net->layers = first                      ? layers_new(net->net, o->device, &options, &status, diag)
                  : compiled->path           ? compiled_layers(compiled, o->device, &options, &status, diag)
                  : o->fused == AS_PREDICTED ? layers_choose(net->net, o->device, &options, &status, diag)
                                             : layers_new(net->net, o->device, &options, &status, diag);
    if (!net->layers)
        return net_message(status, diag);
    net->device.size = sizeof net->device;
    status = tulle_device_describe(o->device, &net->device);
    if (status)
        return status;
    net->info.device_nodes = layers_nodes(net->layers);
    if (first && net->info.device_nodes != first->info.device_nodes)
        return message_set(TULLE_INVALID_FILE, "%s: the file changed while it was read", net->path);
    return TULLE_OK;
}

/* A compiled network's graph, or that of a network file. NULL after an error. */
static struct net *read_net(const char *path, const struct tulle_net_options *o, struct compiled *compiled,
                            struct diag *diag)
{
    const struct net_read_options reading = {.weights = o->weights,
                                             .train = o->train != 0,
                                             .shapes = o->shapes,
                                             .shape_count = o->shape_count,
                                             .sized = o->sized != 0};
    if (compiled_is(path))
        return compiled_read(path, compiled, diag) ? compiled->net : NULL;
    if (!o->device)
        return net_read(path, &reading, diag);
    struct strbuf single = {0};
    struct net *net = net_read_single(path, &reading, &single, diag);
    sb_free(&single);
    return net;
}

/* ---- external outputs ---------------------------------------------------------------------------- */

static enum tulle_status choose_marks(struct tulle_net *net, const char *const *names, size_t count)
{
    struct diag diag = {0};
    const struct marks_source source = {.gives = net->layers ? layers_give : NULL,
                                        .context = net->layers,
                                        .graph = net->before.len ? sb_text(&net->before) : NULL,
                                        .size = net->before.len,
                                        .few = net->few,
                                        .allowed = (const char *const *)net->allowed,
                                        .allowed_count = net->allowed_count};
    const bool ok = marks_choose(net->marks, names, count, &source, &diag);
    const enum tulle_status status = ok ? TULLE_OK : net_message(TULLE_INVALID_ARGUMENT, &diag);
    net->info.outputs = net->net->output_count;
    diag_free(&diag);
    return status;
}

static bool add_name(char ***list, size_t *count, const char *name)
{
    char **more = realloc(*list, (*count + 1) * sizeof *more);
    char *copy = strdup(name);
    *list = more ? more : *list;
    if (!more || !copy) {
        free(copy);
        return false;
    }
    more[(*count)++] = copy;
    return true;
}

static void remove_name(char **list, size_t *count, size_t at)
{
    free(list[at]);
    --*count;
    for (; at < *count; at++)
        list[at] = list[at + 1];
}

static void free_names(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

/* Where the name is; the count: nowhere. */
static size_t find_name(char *const *list, size_t count, const char *name)
{
    size_t at = 0;
    while (at < count && strcmp(list[at], name) != 0)
        at++;
    return at;
}

/* The marks that the file has. */
static enum tulle_status take_marks(struct tulle_net *net, const struct compiled *compiled)
{
    const char *const *names = compiled->path ? compiled->marks.names : net->net->marks;
    const size_t count = compiled->path ? compiled->marks.count : net->net->mark_count;
    bool ok = (net->marks = marks_new(net->net)) != NULL;
    net->few = compiled->path && !compiled->marks.any;
    if (compiled->marks.size)
        sb_addn(&net->before, compiled->marks.graph, compiled->marks.size);
    for (size_t i = 0; ok && i < count; i++)
        ok = add_name(&net->marked, &net->marked_count, names[i]) &&
             (!net->few || add_name(&net->allowed, &net->allowed_count, names[i]));
    if (!ok || !sb_ok(&net->before))
        return message_no_memory();
    return choose_marks(net, names, count);
}

enum tulle_status tulle_net_mark(struct tulle_net *net, const char *name, int on)
{
    if (!net || !name)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_mark: %s is NULL", net ? "name" : "net");
    const size_t at = find_name(net->marked, net->marked_count, name);
    const bool marked = at < net->marked_count;
    if (marked == (on != 0))
        return message_set(TULLE_INVALID_ARGUMENT, "external output \"%.60s\": it is %s", name,
                           marked ? "marked already" : "not marked");
    if (!on)
        remove_name(net->marked, &net->marked_count, at);
    else if (!add_name(&net->marked, &net->marked_count, name))
        return message_no_memory();
    enum tulle_status status = choose_marks(net, (const char *const *)net->marked, net->marked_count);
    if (!status || !on)
        return status;
    struct strbuf message = {0};
    sb_add(&message, message_text());
    remove_name(net->marked, &net->marked_count, net->marked_count - 1);
    if (!choose_marks(net, (const char *const *)net->marked, net->marked_count))
        status = message_set(status, "%s", sb_text(&message));
    sb_free(&message);
    return status;
}

/* ---- reading and writing ------------------------------------------------------------------------- */

static enum tulle_status load(struct tulle_net *net, const char *path, const struct tulle_net_options *o,
                              struct tulle_net *first)
{
    struct diag diag = {0};
    struct compiled compiled = {.path = NULL};
    net->path = strdup(path);
    if (!net->path)
        return message_no_memory();
    net->net = read_net(net->path, o, &compiled, &diag);
    enum tulle_status status = net->net ? TULLE_OK : net_message(TULLE_INVALID_FILE, &diag);
    if (net->net) {
        fill_info(net);
        net->threads = o->threads ? o->threads : 1;
        net->compiled = compiled.path != NULL;
        status = make_layers(net, &compiled, first, o, &diag);
        if (!status)
            status = take_marks(net, &compiled);
    }
    compiled_close(&compiled);
    diag_free(&diag);
    return status;
}

enum tulle_status net_load_again(const char *path, const struct tulle_net_options *options,
                                 struct tulle_net *first, struct tulle_net **to)
{
    struct tulle_net_options o;
    enum tulle_status status = sized_take(SIZED_NET_OPTIONS, options, &o);
    if (!status)
        status = check_options(&o);
    if (!status)
        status = check_readable(path);
    if (!status && o.weights)
        status = check_readable(o.weights);
    if (status)
        return status;
    struct tulle_net *net = calloc(1, sizeof *net);
    if (!net)
        return message_no_memory();
    status = load(net, path, &o, first);
    if (status)
        tulle_net_free(net);
    else
        *to = net;
    return status;
}

enum tulle_status tulle_net_load(const char *path, const struct tulle_net_options *options,
                                 struct tulle_net **to)
{
    if (!path || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_load: %s is NULL", path ? "net" : "path");
    return net_load_again(path, options, NULL, to);
}

enum tulle_status tulle_net_save(const struct tulle_net *net, const char *path)
{
    struct strbuf file = {0};
    struct diag diag = {0};
    enum tulle_status status = TULLE_OK;
    if (!net || !path || !net->layers)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_save: %s",
                           !net    ? "net is NULL"
                           : !path ? "path is NULL"
                                   : "the network was loaded without a device");
    if (net->team)
        return message_set(TULLE_UNSUPPORTED, "tulle_net_save: %s: layers on several devices cannot be saved",
                           net->path);
    const struct compiled_marks with = {.names = (const char *const *)net->marked,
                                        .count = net->marked_count,
                                        .any = !net->few,
                                        .graph = sb_text(&net->before),
                                        .size = net->before.len};
    if (!compiled_write(net->net, net->layers, &net->device, net->marks, &with, &file, &diag))
        status = net_message(TULLE_UNSUPPORTED, &diag);
    else if (!output_file(path, &file, &diag))
        status = net_message(TULLE_FILE, &diag);
    sb_free(&file);
    diag_free(&diag);
    return status;
}

void tulle_net_free(struct tulle_net *net)
{
    if (!net)
        return;
    marks_free(net->marks);
    layers_free(net->layers);
    net_free(net->net);
    free_names(net->marked, net->marked_count);
    free_names(net->allowed, net->allowed_count);
    sb_free(&net->before);
    free(net->path);
    free(net->team);
    free(net);
}

enum tulle_status tulle_net_describe(const struct tulle_net *net, struct tulle_net_info *info)
{
    if (!net || !info)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_describe: %s is NULL", net ? "info" : "net");
    const enum tulle_status status = sized_check(SIZED_NET_INFO, info);
    if (!status)
        sized_give(SIZED_NET_INFO, &net->info, info);
    return status;
}
