/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_compile.h"

#include "host/cli/net_passes.h"

/* Operators learn from their first input. */
static bool learn(struct net *net, struct net_layers *layers, const struct net_run_options *o,
                  struct strbuf *to, struct diag *diag)
{
    struct net_run_options once = *o;
    once.explain = true;
    once.output = NULL;
    return (!o->input_count && !o->test_data) || net_run_inputs(net, layers, &once, to, diag);
}

static bool write(const struct net *net, const struct net_layers *layers, const struct net_marks *marks,
                  const struct tulle_device_info *device, struct strbuf *file, struct diag *diag)
{
    struct strbuf side = {0};
    if (!marks->debug)
        marks_write(layers->marks, &side);
    const struct strbuf *graph = marks->debug ? &marks->before : &side;
    const struct compiled_marks with = {.names = (const char *const *)marks->names,
                                        .count = marks->count,
                                        .any = marks->debug,
                                        .graph = sb_text(graph),
                                        .size = graph->len};
    bool ok = sb_ok(&side);
    if (!ok)
        diag_no_memory(diag, net->source[0].path);
    ok = ok && compiled_write(net, layers->layers, device, layers->marks, &with, file, diag);
    sb_free(&side);
    return ok;
}

bool net_compile(struct net *net, const struct net_run_options *o, bool force, struct strbuf *to,
                 struct diag *diag)
{
    struct net_layers layers;
    struct tulle_device_info device = {.size = sizeof device};
    struct strbuf file = {0};
    const bool ok = net_layers_open(net, &o->on, &layers, diag) && learn(net, &layers, o, to, diag) &&
                    net_layers_place(net, &o->on, &layers, diag) &&
                    !tulle_device_describe(layers.device, &device) &&
                    write(net, &layers, &o->on.marks, &device, &file, diag) &&
                    net_save_bytes(&file, o->output, force, diag);
    if (ok) {
        net_layers_count(&layers, &o->on, to);
        sb_addf(to, "; %zu bytes\n", file.len);
    }
    net_layers_close(&layers);
    sb_free(&file);
    return ok;
}
