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

static unsigned count_operators(const struct place_crowd *crowd)
{
    size_t count;
    unsigned steps = 0;
    for (size_t d = 0; d < crowd->count; d++) {
        const struct layer *list = layers_list(crowd->layers[d], &count);
        for (size_t i = 0; i < count; i++)
            steps += list[i].op || (list[i].part && list[i].part->first == i);
    }
    return steps;
}

static bool open_marks(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                       struct diag *diag)
{
    const struct net_marks *m = &o->marks;
    const struct compiled_marks *file = o->compiled ? &o->compiled->marks : NULL;
    struct marks_source source = {.gives = to->layers ? place_crowd_give : NULL,
                                  .context = &to->crowd,
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
    to->marks = to->marks ? to->marks : marks_new(net);
    if (!to->marks)
        diag_no_memory(diag, net->source[0].path);
    return to->marks && marks_choose(to->marks, (const char *const *)m->names, m->count, &source, diag);
}

/* A node that is marked for another processor is not for the device. */
static bool may(void *context, const struct node *node)
{
    const struct net_layers_may *m = context;
    return place_may(&m->placing->options, node, m->processor);
}

/* The first device once more, with rows of its array alone. */
static bool open_rows(const struct net_layers_options *o, struct net_layers *to, struct diag *diag)
{
    struct tulle_device_info info = {.size = sizeof info};
    enum tulle_status status = tulle_device_describe(to->devices[0], &info);
    for (unsigned i = 0; !status && i < o->place.rows_count; i++) {
        const struct tulle_device_options options = {.size = sizeof options, .rows = o->place.rows[i]};
        struct tulle_device **device = &to->devices[1 + o->other_count + i];
        status = tulle_device_open(info.name, &options, device);
        snprintf(to->rows_name[i], sizeof to->rows_name[i], "%u rows of %.60s", options.rows, o->device);
    }
    return place_done(o->device, status, diag);
}

static bool open_devices(const struct net_layers_options *o, struct net_layers *to, struct diag *diag)
{
    const char *specs[PLACE_PROCESSORS_MOST] = {o->device};
    bool ok;
    for (unsigned i = 0; i < o->other_count; i++)
        specs[1 + i] = o->others[i];
    to->lent = o->opened != NULL;
    if (o->opened) {
        to->devices[0] = o->opened;
        ok = true;
    } else if (o->other_count)
        ok = place_open_all(specs, 1 + o->other_count, (unsigned)o->seconds, to->devices, diag);
    else
        ok = place_open(o->device, NULL, (unsigned)o->seconds, &to->devices[0], diag);
    to->device = to->devices[0];
    return ok && open_rows(o, to, diag);
}

/* The layers that the processor behind the host and so many others can have: a device, or all of them
 * together. */
static bool open_layers_on(struct net *net, const struct net_layers_options *o, size_t number, bool together,
                           struct net_layers *to, struct diag *diag)
{
    struct tulle_device *device = to->devices[together ? 0 : number];
    to->may[number] = (struct net_layers_may){&to->placing, PLACE_HOST + 1 + number};
    const struct layers_options options = {.milliseconds = (unsigned)o->seconds * MS,
                                           .apart = o->apart,
                                           .fused = o->fused && !o->apart && !o->place.on,
                                           .check = o->check,
                                           .team = to->devices,
                                           .team_count = together ? 1 + o->other_count : 0,
                                           .watcher = {&to->progress, show_layer},
                                           .placer = {&to->may[number], o->place.on ? may : NULL}};
    enum tulle_status status;
    struct layers *layers = o->compiled ? compiled_layers(o->compiled, device, &options, &status, diag)
                            : o->as_predicted && !o->apart
                                ? layers_choose(net, device, &options, &status, diag)
                                : layers_new(net, device, &options, &status, diag);
    if (layers)
        to->crowd.layers[to->crowd.count++] = layers;
    return layers;
}

static bool open_layers(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                        struct diag *diag)
{
    const size_t devices = o->place.on || !o->together ? 1 + o->other_count + o->place.rows_count : 0;
    if ((o->place.on && !net_placing_open(&to->placing, &o->place, diag)) || !open_devices(o, to, diag))
        return false;
    for (size_t d = 0; d < devices; d++)
        if (!open_layers_on(net, o, d, false, to, diag))
            return false;
    if (o->together && !open_layers_on(net, o, devices, true, to, diag))
        return false;
    to->layers = to->crowd.layers[0];
    to->progress = progress_begin(count_operators(&to->crowd), o->quiet);
    return true;
}

bool net_layers_open(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                     struct diag *diag)
{
    *to = (struct net_layers){0};
    return (!o->device || open_layers(net, o, to, diag)) && open_marks(net, o, to, diag);
}

struct joining {
    struct net *net;
    const struct net_layers_options *options;
    struct net_layers *to;
};

/* The first device's layers in parts, in place of those that it has. */
static bool join(void *context, const struct layers_placer *placer, struct diag *diag)
{
    const struct joining *j = context;
    struct net_layers *to = j->to;
    const struct layers_options options = {.milliseconds = (unsigned)j->options->seconds * MS,
                                           .fused = true,
                                           .check = j->options->check,
                                           .watcher = {&to->progress, show_layer},
                                           .placer = *placer};
    enum tulle_status status;
    layers_free(to->layers);
    to->layers = to->crowd.layers[0] = layers_new(j->net, to->device, &options, &status, diag);
    to->placing.devices[0].layers = to->layers;
    return to->layers;
}

bool net_layers_place(struct net *net, const struct net_layers_options *o, struct net_layers *to,
                      struct diag *diag)
{
    bool ok = true;
    for (size_t d = 0; ok && o->place.on && d < to->crowd.count; d++) {
        const size_t given = 1 + o->other_count;
        const bool together = d >= given + o->place.rows_count;
        const char *name = together     ? "all devices"
                           : d >= given ? to->rows_name[d - given]
                           : d          ? o->others[d - 1]
                                        : o->device;
        ok = net_placing_add(&to->placing, &o->place, to->devices[together ? 0 : d], name,
                             to->crowd.layers[d], diag);
    }
    if (!ok || !o->place.on)
        return ok;
    const bool joins = o->fused && !o->apart;
    const struct place_joiner joiner = {&(struct joining){net, o, to}, join};
    return net_placing_apply(&to->placing, net, joins ? &joiner : NULL, diag) &&
           (!joins || open_marks(net, o, to, diag));
}

void net_layers_offer(struct net_layers *layers, struct run *run)
{
    if (layers->layers && !layers->placing.on_host)
        place_crowd_offer(&layers->crowd, run);
}

void net_layers_close(struct net_layers *layers)
{
    progress_end(&layers->progress);
    marks_free(layers->marks);
    net_placing_close(&layers->placing);
    for (size_t d = 0; d < PLACE_PROCESSORS_MOST; d++) {
        layers_free(layers->crowd.layers[d]);
        tulle_device_close(d || !layers->lent ? layers->devices[d] : NULL);
    }
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
    size_t count = 0, device = 0, folded = 0;
    for (size_t d = 0; d < l->crowd.count; d++) {
        const struct layer *list = layers_list(l->crowd.layers[d], &count);
        for (size_t i = 0; i < count; i++) {
            folded += list[i].folded_into != i;
            device += list[i].folded_into == i && (list[i].op || list[i].part);
        }
    }
    sb_addf(to, "%s%s: %zu of %zu nodes, %zu of them within the one before; %zu on the CPU", o->device,
            o->other_count ? " and others" : "", device + folded, count, folded, count - device - folded);
}

static void add_counters(struct tulle_counters *sum, const struct tulle_counters *more)
{
    sum->cycles += more->cycles;
    sum->bytes_to_device += more->bytes_to_device;
    sum->bytes_from_device += more->bytes_from_device;
}

/* Of all layers and parts of a device. Returns how many parts there are. */
static size_t add_all_counters(struct tulle_counters *sum, const struct layers *layers)
{
    size_t count;
    const struct layer *list = layers_list(layers, &count);
    for (size_t i = 0; i < count; i++)
        add_counters(sum, &list[i].counters);
    const struct part *parts = layers_parts(layers, &count);
    for (size_t i = 0; i < count; i++)
        add_counters(sum, &parts[i].counters);
    return count;
}

bool net_layers_report(const struct net *net, const struct net_layers *l, const struct net_layers_options *o,
                       struct strbuf *to, struct diag *diag)
{
    struct tulle_counters sum = {.size = sizeof sum};
    size_t count = 0;
    bool same = true;
    if (!l->layers)
        return true;
    for (size_t d = 0; d < l->crowd.count; d++)
        count += add_all_counters(&sum, l->crowd.layers[d]);
    net_layers_count(l, o, to);
    if (o->fused || o->as_predicted || count)
        sb_addf(to, "; %zu part%s", count, count == 1 ? "" : "s");
    if (sum.cycles)
        sb_addf(to, "; %llu cycles", (unsigned long long)sum.cycles);
    sb_addf(to, "; %llu bytes copied to the device and %llu back", (unsigned long long)sum.bytes_to_device,
            (unsigned long long)sum.bytes_from_device);
    sb_add(to, "\n");
    for (size_t d = 0; o->check && d < l->crowd.count; d++)
        same = report_check(net, layers_checked(l->crowd.layers[d]), to, diag) && same;
    return same;
}
