/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/net/compiled/compiled.h"
#include "host/net/compiled/parts.h"
#include "host/net/device/parts.h"

struct writing {
    struct archive a;
    const struct net *net;
    const struct layer *layers;
    size_t count;
    const struct part *parts; /* of several layers */
    size_t part_count;
    bool fused;
    const struct compiled_marks *marks;
    struct diag *diag;
};

static bool fail(const struct writing *w, const char *what)
{
    return diag_fail(w->diag, w->net->source[0].path, "%s", what);
}

static void put_part(struct writing *w, enum part_kind kind, size_t node, const void *bytes, size_t count)
{
    struct piece part = {(uint32_t)kind, (uint32_t)node, bytes, count};
    part_do(&w->a, &part);
}

/* Behind `head`. */
static bool put_operator(struct writing *w, enum part_kind kind, size_t at, const struct tulle_operator *op,
                         struct strbuf *head)
{
    size_t size = 0;
    if (tulle_operator_save_bytes(op, NULL, 0, &size))
        return fail(w, tulle_message());
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return fail(w, "out of memory");
    const bool ok = !tulle_operator_save_bytes(op, bytes, size, &size);
    if (ok) {
        sb_addn(head, (const char *)bytes, size);
        put_part(w, kind, at, sb_text(head), head->len);
    }
    free(bytes);
    return ok ? sb_ok(head) || fail(w, "out of memory") : fail(w, tulle_message());
}

static bool put_one(struct writing *w, size_t at)
{
    struct strbuf head = {0};
    sb_addn(&head, (const char *)w->layers[at].digest, JOB_DIGEST_BYTES);
    const bool ok = put_operator(w, PART_OPERATOR, at, w->layers[at].op, &head);
    sb_free(&head);
    return ok;
}

static bool put_joined(struct writing *w, const struct part *part)
{
    struct strbuf head = {0};
    struct archive a = {.to = &head};
    size_t last = part->last;
    sb_addn(&head, (const char *)part->digest, JOB_DIGEST_BYTES);
    part_do_last(&a, &last);
    const bool ok = put_operator(w, PART_JOINED, part->first, part->op, &head);
    sb_free(&head);
    return ok;
}

/* Of a part that several layers are in, the first one stands for all. */
static bool has_part(const struct layer *layer)
{
    return !layer->part && (layer->op || layer->reason);
}

static bool put_layer(struct writing *w, size_t at)
{
    const struct layer *layer = &w->layers[at];
    if (layer->part)
        return layer->part->first != at || put_joined(w, layer->part);
    if (layer->op)
        return put_one(w, at);
    if (layer->reason)
        put_part(w, PART_CPU, at, layer->reason, strlen(layer->reason));
    return true;
}

/* What one keeps on the device; `most`: the most that a run of one takes. */
static bool add_memory(const struct writing *w, const struct tulle_operator *op, uint64_t *bytes,
                       uint64_t *most)
{
    struct tulle_operator_info info = {.size = sizeof info};
    if (!op)
        return true;
    if (tulle_operator_describe(op, &info))
        return fail(w, tulle_message());
    *bytes += info.device_bytes - info.run_bytes;
    *most = info.run_bytes > *most ? info.run_bytes : *most;
    return true;
}

/* What all operators keep on the device, and the most that a run of one takes. */
static bool count_memory(const struct writing *w, uint64_t *bytes)
{
    uint64_t most = 0;
    bool ok = true;
    *bytes = 0;
    for (size_t i = 0; ok && i < w->count; i++)
        ok = add_memory(w, w->layers[i].op, bytes, &most);
    for (size_t i = 0; ok && i < w->part_count; i++)
        ok = add_memory(w, w->parts[i].op, bytes, &most);
    *bytes += most;
    return ok;
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
        parts += has_part(&w->layers[i]);
    const size_t marks = w->marks->count + has_graph(w->marks);
    parts += marks + w->part_count + w->fused;
    const uint8_t *name = (const uint8_t *)device->variant;
    size_t length = strlen(device->variant);
    archive_bits(&w->a, COMPILED_MAGIC);
    archive_bits(&w->a, w->fused ? COMPILED_FUSED : marks ? COMPILED_MARKS : COMPILED_FIRST);
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
    w.parts = layers_parts(layers, &w.part_count);
    w.fused = layers_fused(layers);
    bool ok = put_head(&w, device);
    marks_write_net(marks, &graph);
    ok = ok && (sb_ok(&graph) || fail(&w, "out of memory"));
    if (ok)
        put_part(&w, PART_NETWORK, 0, sb_text(&graph), graph.len);
    if (ok && w.fused)
        put_part(&w, PART_FUSED, 0, NULL, 0);
    for (size_t i = 0; ok && i < w.count; i++)
        ok = put_layer(&w, i);
    if (ok)
        put_marks(&w);
    sb_free(&graph);
    archive_seal(to);
    return ok && (sb_ok(to) || fail(&w, "out of memory"));
}
