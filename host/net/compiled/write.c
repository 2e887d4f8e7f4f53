/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/net/compiled/compiled.h"
#include "host/net/compiled/parts.h"

struct writing {
    struct archive a;
    const struct net *net;
    const struct layer *layers;
    size_t count;
    const struct compiled_marks *marks;
    struct diag *diag;
};

static bool fail(const struct writing *w, const char *what)
{
    return diag_fail(w->diag, w->net->source[0].path, "%s", what);
}

static void put_part(struct writing *w, enum part_kind kind, size_t node, const void *bytes, size_t count)
{
    struct part part = {(uint32_t)kind, (uint32_t)node, bytes, count};
    part_do(&w->a, &part);
}

/* The digest, and the operator behind it. */
static bool put_operator(struct writing *w, size_t at)
{
    const struct layer *layer = &w->layers[at];
    size_t size = 0;
    if (tulle_operator_save_bytes(layer->op, NULL, 0, &size))
        return fail(w, tulle_message());
    uint8_t *bytes = malloc(JOB_DIGEST_BYTES + size);
    if (!bytes)
        return fail(w, "out of memory");
    memcpy(bytes, layer->digest, JOB_DIGEST_BYTES);
    const bool ok = !tulle_operator_save_bytes(layer->op, bytes + JOB_DIGEST_BYTES, size, &size);
    if (ok)
        put_part(w, PART_OPERATOR, at, bytes, JOB_DIGEST_BYTES + size);
    free(bytes);
    return ok || fail(w, tulle_message());
}

static bool put_layer(struct writing *w, size_t at)
{
    const struct layer *layer = &w->layers[at];
    if (layer->op)
        return put_operator(w, at);
    if (layer->reason)
        put_part(w, PART_CPU, at, layer->reason, strlen(layer->reason));
    return true;
}

/* What all operators keep on the device, and the most that a run of one takes. */
static bool count_memory(const struct writing *w, uint64_t *bytes)
{
    uint64_t most = 0;
    *bytes = 0;
    for (size_t i = 0; i < w->count; i++) {
        struct tulle_operator_info info = {.size = sizeof info};
        if (!w->layers[i].op)
            continue;
        if (tulle_operator_describe(w->layers[i].op, &info))
            return fail(w, tulle_message());
        *bytes += info.device_bytes - info.run_bytes;
        most = info.run_bytes > most ? info.run_bytes : most;
    }
    *bytes += most;
    return true;
}

static bool has_graph(const struct compiled_marks *marks)
{
    return marks->any || marks->size;
}

static void put_marks(struct writing *w)
{
    const struct compiled_marks *m = w->marks;
    for (size_t i = 0; i < m->count; i++)
        put_part(w, PART_MARK, 0, m->names[i], strlen(m->names[i]));
    if (has_graph(m))
        put_part(w, m->any ? PART_BEFORE : PART_SIDE, 0, m->graph, m->size);
}

static bool put_head(struct writing *w, const struct tulle_device_info *device)
{
    uint64_t memory, parts = 1;
    if (!count_memory(w, &memory))
        return false;
    for (size_t i = 0; i < w->count; i++)
        parts += w->layers[i].op || w->layers[i].reason;
    const size_t marks = w->marks->count + has_graph(w->marks);
    parts += marks;
    const uint8_t *name = (const uint8_t *)device->variant;
    size_t length = strlen(device->variant);
    archive_bits(&w->a, COMPILED_MAGIC);
    archive_bits(&w->a, marks ? COMPILED_FORMAT : COMPILED_FIRST);
    archive_bits(&w->a, device->hash);
    archive_bytes(&w->a, &name, &length);
    archive_size(&w->a, memory);
    archive_size(&w->a, parts);
    return true;
}

bool compiled_write(const struct net *net, const struct layers *layers,
                    const struct tulle_device_info *device, const struct marks *marks,
                    const struct compiled_marks *with, struct strbuf *to, struct diag *diag)
{
    struct writing w = {.a.to = to, .net = net, .marks = with, .diag = diag};
    struct strbuf graph = {0};
    w.layers = layers_list(layers, &w.count);
    size_t parts;
    layers_parts(layers, &parts);
    bool ok = !parts || fail(&w, "parts of several layers cannot be saved yet; load it without `fused`");
    ok = ok && put_head(&w, device);
    marks_write_net(marks, &graph);
    ok = ok && (sb_ok(&graph) || fail(&w, "out of memory"));
    if (ok)
        put_part(&w, PART_NETWORK, 0, sb_text(&graph), graph.len);
    for (size_t i = 0; ok && i < w.count; i++)
        ok = put_layer(&w, i);
    if (ok)
        put_marks(&w);
    sb_free(&graph);
    archive_seal(to);
    return ok && (sb_ok(to) || fail(&w, "out of memory"));
}
