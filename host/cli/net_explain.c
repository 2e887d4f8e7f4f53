/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_explain.h"

#include <inttypes.h>
#include <string.h>

#include "gen/version.h"
#include "host/measure/limits.h"
#include "host/net/device/parts.h"

/* Of a layer, or of all that are on the device. */
struct figures {
    uint64_t predicted, measured; /* cycles; 0: not known */
    uint64_t weights, multiplications, bytes;
    uint64_t weights_read, program_read; /* of the bytes of a run, before it: by the program */
    uint64_t to_device, from_device;     /* bytes that the host copied; 0: nothing ran */
    double roofline;
    struct limits limits; /* of a layer */
};

struct explaining {
    const struct layer *list;
    const struct part *parts;
    size_t count;
    struct tulle_device_info device;
    bool ran;
    struct strbuf *to;
};

static struct limits layer_limits(const struct tulle_device_info *d, uint64_t multiplications,
                                  const struct job_needs *needs)
{
    const double port = d->memory_bytes_per_cycle;
    return (struct limits){.compute = (double)multiplications / (d->rows * d->clusters * d->pes),
                           .read = (double)needs->read / port,
                           .write = (double)needs->written / port};
}

/* What has run is held against the multiplications that its numbers needed. */
static bool figures_of(const struct explaining *e, const struct layer *layer, struct figures *f)
{
    struct tulle_operator_info info = {.size = sizeof info};
    const struct job_needs *needs = &layer->needs;
    if (tulle_operator_describe(layer->op, &info))
        return false;
    *f = (struct figures){.predicted = info.predicted_cycles,
                          .measured = e->ran ? layer->counters.cycles : 0,
                          .weights = needs->weights,
                          .multiplications = e->ran ? layer->counters.effective_macs : needs->multiplications,
                          .bytes = e->ran ? layer->counters.bytes_read + layer->counters.bytes_written
                                          : needs->read + needs->written,
                          .to_device = layer->counters.bytes_to_device,
                          .from_device = layer->counters.bytes_from_device};
    f->weights_read = info.weights_read;
    f->program_read = info.program_read;
    f->limits = layer_limits(&e->device, f->multiplications, needs);
    f->roofline = roofline(&f->limits);
    return true;
}

/* What each layer of a part needs by itself, and what the part takes. */
static void figures_of_part(const struct explaining *e, const struct part *part, struct figures *f)
{
    const struct tulle_counters *c = &part->counters;
    *f = (struct figures){.predicted = part->predicted,
                          .measured = e->ran ? c->cycles : 0,
                          .to_device = c->bytes_to_device,
                          .from_device = c->bytes_from_device};
    struct tulle_operator_info info = {.size = sizeof info};
    if (!tulle_operator_describe(part->op, &info)) {
        f->weights_read = info.weights_read;
        f->program_read = info.program_read;
    }
    for (size_t i = part->first; i <= part->last; i++) {
        if (!e->list[i].job)
            continue;
        const struct job_needs *needs = &e->list[i].needs;
        const struct limits limits = layer_limits(&e->device, needs->multiplications, needs);
        f->weights += needs->weights;
        f->multiplications += needs->multiplications;
        f->bytes += needs->read + needs->written;
        f->roofline += roofline(&limits);
        f->limits.compute += limits.compute;
        f->limits.read += limits.read;
        f->limits.write += limits.write;
    }
    if (!e->ran && info.bytes_read)
        f->bytes = info.bytes_read + info.bytes_written;
    if (!e->ran)
        return;
    /* Zeros among the activations of a run need no multiplications. */
    if (c->effective_macs < f->multiplications) {
        f->roofline *= (double)c->effective_macs / (double)f->multiplications;
        f->limits.compute *= (double)c->effective_macs / (double)f->multiplications;
    }
    f->multiplications = c->effective_macs;
    f->bytes = c->bytes_read + c->bytes_written;
}

static void add(struct figures *sum, const struct figures *f)
{
    sum->predicted += f->predicted;
    sum->measured += f->measured;
    sum->weights += f->weights;
    sum->multiplications += f->multiplications;
    sum->bytes += f->bytes;
    sum->weights_read += f->weights_read;
    sum->program_read += f->program_read;
    sum->to_device += f->to_device;
    sum->from_device += f->from_device;
    sum->roofline += f->roofline;
}

static double efficiency(const struct figures *f)
{
    const uint64_t cycles = f->measured ? f->measured : f->predicted;
    return cycles ? f->roofline / (double)cycles : 0;
}

/* ---- text ---------------------------------------------------------------------------------------- */

enum { NAME_SHOWN = 32, TYPE_SHOWN = 12 };

static void show_figures(struct strbuf *to, const struct figures *f)
{
    sb_addf(to, "%10" PRIu64 " ", f->predicted);
    if (f->measured)
        sb_addf(to, "%10" PRIu64 " ", f->measured);
    else
        sb_addf(to, "%10s ", "-");
    sb_addf(to, "%10.0f %5.2f %11" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", f->roofline, efficiency(f),
            f->multiplications, f->bytes, f->weights);
}

static void show_name(struct strbuf *to, const char *type, const char *name)
{
    sb_addf(to, "%-*.*s %-*.*s ", TYPE_SHOWN, TYPE_SHOWN, type, NAME_SHOWN, NAME_SHOWN, name);
}

static void show_layer(const struct explaining *e, size_t at, const struct figures *f)
{
    const struct layer *layer = &e->list[at];
    show_name(e->to, layer->node->type, net_layers_name(layer->node));
    if (layer->op)
        show_figures(e->to, f);
    else if (layer->part && layer->folded_into == at)
        sb_addf(e->to, "in part %zu\n", (size_t)(layer->part - e->parts) + 1);
    else if (layer->reason)
        sb_addf(e->to, "CPU: %s\n", layer->reason);
    else
        sb_addf(e->to, "within %.*s\n", NAME_SHOWN, net_layers_name(e->list[layer->folded_into].node));
}

static void show_head(const struct explaining *e)
{
    show_name(e->to, "operator", "layer");
    sb_addf(e->to, "%10s %10s %10s %5s %11s %9s %9s\n", "predicted", "measured", "roofline", "eff.",
            "multiplic.", "bytes", "non-zeros");
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void json_figures(struct strbuf *to, const struct figures *f)
{
    sb_addf(to,
            "\"predicted_cycles\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"roofline_cycles\": %.2f, "
            "\"efficiency\": %.4f, \"multiplications\": %" PRIu64 ", \"bytes\": %" PRIu64
            ", \"weights_read\": %" PRIu64 ", \"program_read\": %" PRIu64 ", \"non_zeros\": %" PRIu64
            ", \"bytes_to_device\": %" PRIu64 ", \"bytes_from_device\": %" PRIu64,
            f->predicted, f->measured, f->roofline, efficiency(f), f->multiplications, f->bytes,
            f->weights_read, f->program_read, f->weights, f->to_device, f->from_device);
}

static void json_limits(struct strbuf *to, const struct limits *l)
{
    sb_addf(to, ", \"limits\": {\"compute\": %.2f, \"read\": %.2f, \"write\": %.2f}", l->compute, l->read,
            l->write);
}

static void json_layer(const struct explaining *e, size_t at, const struct figures *f)
{
    const struct layer *layer = &e->list[at];
    sb_add(e->to, at ? ",\n  {\"layer\": " : "\n  {\"layer\": ");
    sb_add_json(e->to, net_layers_name(layer->node));
    sb_add(e->to, ", \"operator\": ");
    sb_add_json(e->to, layer->node->type);
    if (layer->op) {
        sb_add(e->to, ", \"where\": \"device\", ");
        json_figures(e->to, f);
        json_limits(e->to, &f->limits);
    } else if (layer->part && layer->folded_into == at) {
        sb_addf(e->to, ", \"where\": \"part\", \"part\": %zu", (size_t)(layer->part - e->parts) + 1);
    } else if (layer->reason) {
        sb_add(e->to, ", \"where\": \"cpu\", \"why\": ");
        sb_add_json(e->to, layer->reason);
    } else {
        sb_add(e->to, ", \"where\": \"within\", \"layer_within\": ");
        sb_add_json(e->to, net_layers_name(e->list[layer->folded_into].node));
    }
    sb_add(e->to, "}");
}

static void json_head(const struct explaining *e)
{
    const struct tulle_device_info *d = &e->device;
    sb_addf(e->to,
            "{\"tulle_net\": %d, \"version\": \"" TULLE_VERSION "\", \"isa\": \"" TULLE_ISA_VERSION
            "\",\n \"device\": {\"name\": ",
            NET_EXPLAIN_LAYOUT);
    sb_add_json(e->to, d->variant);
    sb_addf(e->to,
            ", \"n\": %u, \"m\": %u, \"k\": %u, \"memory_width\": %u, \"memory_ports\": 1},\n \"layers\": [",
            d->rows, d->clusters, d->pes, 8 * d->memory_bytes_per_cycle);
}

static void json_check(const struct layers_check *check, struct strbuf *to)
{
    sb_addf(to, ",\n \"check\": {\"layers\": %zu, \"elements\": %zu, \"differ\": %zu}", check->layers,
            check->elements, check->differ);
}

/* ---- both ---------------------------------------------------------------------------------------- */

static void show_part(const struct explaining *e, const struct part *part, bool json, struct figures *sum)
{
    struct figures f;
    struct strbuf name = {0};
    figures_of_part(e, part, &f);
    add(sum, &f);
    sb_addf(&name, "part %zu: %zu layers in one job", (size_t)(part - e->parts) + 1, part->layers);
    if (json) {
        sb_addf(e->to,
                ",\n  {\"layer\": \"%s\", \"operator\": \"\", \"part\": %zu, \"layers\": %zu, "
                "\"where\": \"device\", ",
                sb_text(&name), (size_t)(part - e->parts) + 1, part->layers);
        json_figures(e->to, &f);
        json_limits(e->to, &f.limits);
        sb_add(e->to, "}");
    } else {
        show_name(e->to, "", sb_text(&name));
        show_figures(e->to, &f);
    }
    sb_free(&name);
}

static bool show_all(const struct explaining *e, bool json, struct figures *sum)
{
    for (size_t i = 0; i < e->count; i++) {
        struct figures f = {0};
        if (e->list[i].op && !figures_of(e, &e->list[i], &f))
            return false;
        add(sum, &f);
        if (json)
            json_layer(e, i, &f);
        else
            show_layer(e, i, &f);
        const struct part *part = e->list[i].part;
        if (part && part->last == i)
            show_part(e, part, json, sum);
    }
    return true;
}

bool net_explain(const struct net_layers *layers, bool ran, bool json, struct strbuf *to, struct diag *diag)
{
    struct explaining e = {.device.size = sizeof e.device, .ran = ran, .to = to};
    struct figures sum = {0};
    size_t parts;
    e.list = layers_list(layers->layers, &e.count);
    e.parts = layers_parts(layers->layers, &parts);
    bool ok = !tulle_device_describe(layers->device, &e.device);
    if (json)
        json_head(&e);
    else
        show_head(&e);
    ok = ok && show_all(&e, json, &sum);
    if (json) {
        sb_addf(to, "\n ],\n \"nodes\": %zu, \"device_nodes\": %zu, ", e.count, layers_nodes(layers->layers));
        json_figures(to, &sum);
        if (layers_checked(layers->layers)->layers)
            json_check(layers_checked(layers->layers), to);
        if (layers->placing.there) {
            sb_add(to, ",\n ");
            place_network_json(&layers->placing.network, to);
            if (layers->placing.ran)
                sb_addf(to, ",\n \"placement_measured\": {\"host_us\": %.3f, \"device_us\": %.3f}",
                        1e6 * layers->placing.measured.host, 1e6 * layers->placing.measured.device);
        }
        sb_add(to, "}\n");
    } else {
        show_name(to, "", "all on the device");
        show_figures(to, &sum);
        if (layers->placing.there)
            place_network_explain(&layers->placing.network, to);
    }
    if (!ok)
        diag_error(diag, (struct place){0}, "%s", tulle_message());
    return ok;
}
