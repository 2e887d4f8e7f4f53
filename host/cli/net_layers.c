/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_layers.h"

#include <string.h>

#include "host/cli/place.h"
#include "host/net/device/parts.h"

enum { MS = 1000 };

const char *net_layers_name(const struct node *node)
{
    return *node->name ? node->name : node->outputs[0]->name;
}

/* The bar is for one run; the next one begins it again. */
static void show_layer(void *context, const struct node *node)
{
    struct progress *progress = context;
    if (progress->step == progress->steps)
        progress->step = 0;
    progress_step(progress, net_layers_name(node));
}

static unsigned count_operators(const struct layers *layers)
{
    size_t count;
    unsigned steps = 0;
    const struct layer *list = layers_list(layers, &count);
    for (size_t i = 0; i < count; i++)
        steps += list[i].op || (list[i].part && list[i].part->first == i);
    return steps;
}

static bool open_marks(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                       struct diag *diag)
{
    const struct net_marks *m = &o->marks;
    const struct compiled_marks *file = o->compiled ? &o->compiled->marks : NULL;
    struct marks_source source = {.gives = to->layers ? layers_give : NULL,
                                  .context = to->layers,
                                  .graph = m->before.len ? sb_text(&m->before) : NULL,
                                  .size = m->before.len};
    if (file && file->size) {
        source.graph = file->graph;
        source.size = file->size;
    }
    if (file) {
        source.few = !file->any;
        source.allowed = file->names;
        source.allowed_count = file->count;
    }
    to->marks = marks_new(net);
    if (!to->marks)
        diag_no_memory(diag, net->source[0].path);
    return to->marks && marks_choose(to->marks, (const char *const *)m->names, m->count, &source, diag);
}

static bool open_layers(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                        struct diag *diag)
{
    if (!place_open(o->device, NULL, (unsigned)o->seconds, &to->device, diag))
        return false;
    const struct layers_options options = {.milliseconds = (unsigned)o->seconds * MS,
                                           .apart = o->apart,
                                           .fused = o->fused && !o->apart,
                                           .check = o->check,
                                           .watcher = {&to->progress, show_layer}};
    enum tulle_status status;
    to->layers = o->compiled ? compiled_layers(o->compiled, to->device, &options, &status, diag)
                             : layers_new(net, to->device, &options, &status, diag);
    if (to->layers)
        to->progress = progress_begin(count_operators(to->layers), o->quiet);
    return to->layers;
}

bool net_layers_open(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                     struct diag *diag)
{
    *to = (struct net_layers){0};
    return (!o->device || open_layers(net, o, to, diag)) && open_marks(net, o, to, diag);
}

void net_layers_close(struct net_layers *layers)
{
    progress_end(&layers->progress);
    marks_free(layers->marks);
    layers_free(layers->layers);
    tulle_device_close(layers->device);
}

static bool report_check(const struct net *net, const struct layers_check *check, struct strbuf *to,
                         struct diag *diag)
{
    sb_addf(to, "check: %zu layers of the device, %zu elements, %zu differ from the CPU\n", check->layers,
            check->elements, check->differ);
    if (!check->first)
        return true;
    diag_error(diag, (struct place){.file = net->source[0].path},
               "layer \"%.60s\" (%.60s): element %zu is %lld on the device and %lld on the CPU; %zu of %zu "
               "elements differ in all layers",
               net_layers_name(check->first), check->first->type, check->element, (long long)check->device,
               (long long)check->cpu, check->differ, check->elements);
    return false;
}

void net_layers_count(const struct net_layers *l, const struct net_layers_options *o, struct strbuf *to)
{
    size_t count, device = 0, folded = 0;
    const struct layer *list = layers_list(l->layers, &count);
    for (size_t i = 0; i < count; i++) {
        folded += list[i].folded_into != i;
        device += list[i].folded_into == i && (list[i].op || list[i].part);
    }
    sb_addf(to, "%s: %zu of %zu nodes, %zu of them within the one before; %zu on the CPU", o->device,
            device + folded, count, folded, count - device - folded);
}

static void add_counters(struct tulle_counters *sum, const struct tulle_counters *more)
{
    sum->cycles += more->cycles;
    sum->bytes_to_device += more->bytes_to_device;
    sum->bytes_from_device += more->bytes_from_device;
}

bool net_layers_report(const struct net *net, const struct net_layers *l, const struct net_layers_options *o,
                       struct strbuf *to, struct diag *diag)
{
    size_t count;
    struct tulle_counters sum = {.size = sizeof sum};
    if (!l->layers)
        return true;
    const struct layer *list = layers_list(l->layers, &count);
    for (size_t i = 0; i < count; i++)
        add_counters(&sum, &list[i].counters);
    const struct part *parts = layers_parts(l->layers, &count);
    for (size_t i = 0; i < count; i++)
        add_counters(&sum, &parts[i].counters);
    net_layers_count(l, o, to);
    if (o->fused)
        sb_addf(to, "; %zu part%s", count, count == 1 ? "" : "s");
    if (sum.cycles)
        sb_addf(to, "; %llu cycles", (unsigned long long)sum.cycles);
    sb_addf(to, "; %llu bytes copied to the device and %llu back", (unsigned long long)sum.bytes_to_device,
            (unsigned long long)sum.bytes_from_device);
    sb_add(to, "\n");
    return !o->check || report_check(net, layers_checked(l->layers), to, diag);
}
