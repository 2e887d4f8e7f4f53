/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/inspect_net.h"

#include <inttypes.h>

#include "host/cli/net_layers.h"

enum { TYPE_SHOWN = 18, NAME_SHOWN = 40 };

/* Within the job of others; the operator of a part stands at its first node. */
static const char *where(const struct compiled_layer *layer)
{
    return layer->digest ? "device" : layer->reason ? "cpu" : "within";
}

static void show_marks(const struct compiled_marks *m, struct strbuf *to)
{
    sb_addf(to, "outputs      external: ");
    for (size_t i = 0; i < m->count; i++)
        sb_addf(to, "%s%s", i ? ", " : "", m->names[i]);
    sb_addf(to, "%s; %s\n\n", m->count ? "" : "none",
            m->any ? "any other can be marked" : "no other can be marked");
}

static void show(const struct compiled *c, struct strbuf *to)
{
    size_t device = 0, cpu = 0;
    for (size_t i = 0; i < c->count; i++) {
        device += c->layers[i].digest != NULL;
        cpu += c->layers[i].reason != NULL;
    }
    sb_addf(to, "kind         compiled network, format %u\n", c->format);
    sb_addf(to, "network      %s\n", c->net->name);
    sb_addf(to, "variant      %s (hash %016" PRIx64 ")\n", c->variant, c->hash);
    sb_addf(to, "memory       %" PRIu64 " bytes of the device\n", c->memory);
    sb_addf(to, "file         %zu bytes, its graph %zu, SHA-256 intact\n", c->file.len, c->graph_bytes);
    sb_addf(to, "nodes        %zu: %zu operators of the device, %zu within these, %zu on the CPU\n", c->count,
            device, c->count - device - cpu, cpu);
    if (c->fused)
        sb_addf(to, "parts        neighbours on the device are one operator\n");
    show_marks(&c->marks, to);
    sb_addf(to, "%-*s %-*s %10s\n", TYPE_SHOWN, "operator", NAME_SHOWN, "layer", "bytes");
    for (size_t i = 0; i < c->count; i++) {
        const struct compiled_layer *layer = &c->layers[i];
        const struct node *node = c->net->nodes[i];
        sb_addf(to, "%-*.*s %-*.*s ", TYPE_SHOWN, TYPE_SHOWN, node->type, NAME_SHOWN, NAME_SHOWN,
                net_layers_name(node));
        if (layer->joins)
            sb_addf(to, "%10zu, of %zu nodes\n", layer->count, layer->last - i + 1);
        else if (layer->digest)
            sb_addf(to, "%10zu\n", layer->count);
        else
            sb_addf(to, "%s\n", layer->reason ? "CPU" : "within the one before");
    }
}

static void json_layer(const struct compiled *c, size_t at, struct strbuf *to)
{
    const struct compiled_layer *layer = &c->layers[at];
    sb_add(to, at ? ",\n  {\"layer\": " : "\n  {\"layer\": ");
    sb_add_json(to, net_layers_name(c->net->nodes[at]));
    sb_add(to, ", \"operator\": ");
    sb_add_json(to, c->net->nodes[at]->type);
    sb_addf(to, ", \"where\": \"%s\"", where(layer));
    if (layer->digest)
        sb_addf(to, ", \"bytes\": %zu", layer->count);
    if (layer->joins)
        sb_addf(to, ", \"nodes\": %zu", layer->last - at + 1);
    if (layer->reason) {
        sb_add(to, ", \"why\": ");
        sb_add_json(to, layer->reason);
    }
    sb_add(to, "}");
}

static void show_json(const struct compiled *c, struct strbuf *to)
{
    sb_addf(to, "{\"kind\": \"compiled network\", \"format\": %u, \"network\": ", c->format);
    sb_add_json(to, c->net->name);
    sb_add(to, ",\n \"variant\": ");
    sb_add_json(to, c->variant);
    sb_add(to, ", \"external_outputs\": [");
    for (size_t i = 0; i < c->marks.count; i++) {
        sb_add(to, i ? ", " : "");
        sb_add_json(to, c->marks.names[i]);
    }
    sb_addf(to, "], \"any_external_output\": %s", c->marks.any ? "true" : "false");
    sb_addf(to,
            ", \"hash\": \"%016" PRIx64 "\", \"memory\": %" PRIu64
            ", \"bytes\": %zu, \"graph_bytes\": %zu,\n \"layers\": [",
            c->hash, c->memory, c->file.len, c->graph_bytes);
    for (size_t i = 0; i < c->count; i++)
        json_layer(c, i, to);
    sb_add(to, "\n ]}\n");
}

bool inspect_net(const char *path, bool json, struct strbuf *to, struct diag *diag)
{
    struct compiled c;
    const bool ok = compiled_read(path, &c, diag);
    if (ok && json)
        show_json(&c, to);
    else if (ok)
        show(&c, to);
    net_free(c.net);
    compiled_close(&c);
    return ok;
}
