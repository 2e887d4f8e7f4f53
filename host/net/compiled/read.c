/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "host/net/compiled/compiled.h"
#include "host/net/compiled/parts.h"
#include "host/net/read/read.h"

#define FILE_MAX ((size_t)8 << 30)

bool compiled_is(const char *path)
{
    uint8_t bytes[8];
    FILE *file = fopen(path, "rb");
    struct archive a = {.from = bytes, .size = file ? fread(bytes, 1, sizeof bytes, file) : 0};
    if (file)
        fclose(file);
    return archive_bits(&a, 0) == COMPILED_MAGIC && !a.wrong;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool is_wrong(const struct compiled *c, struct diag *diag, const char *what)
{
    return diag_fail(diag, c->path, "the compiled network in it is inconsistent: %s", what);
}

static bool read_head(struct compiled *c, struct archive *a, uint64_t *parts, struct diag *diag)
{
    const uint8_t *name = NULL;
    size_t length = 0;
    if (archive_bits(a, 0) != COMPILED_MAGIC)
        return diag_fail(diag, c->path, "it is no compiled network");
    const uint64_t format = archive_bits(a, 0);
    if (format < COMPILED_FIRST || format > COMPILED_FORMAT)
        return diag_fail(diag, c->path,
                         "a compiled network of format %" PRIu64 "; this version reads formats %d to %d",
                         format, COMPILED_FIRST, COMPILED_FORMAT);
    c->format = (unsigned)format;
    c->hash = archive_bits(a, 0);
    archive_bytes(a, &name, &length);
    a->wrong |= length >= sizeof c->variant;
    if (!a->wrong && length)
        memcpy(c->variant, name, length);
    c->memory = archive_size(a, 0);
    *parts = archive_size(a, 0);
    return true;
}

/* The first part. */
static bool read_network(struct compiled *c, struct archive *a, struct diag *diag)
{
    struct piece part = {0};
    part_do(a, &part);
    if (a->wrong || part.kind != PART_NETWORK)
        return is_wrong(c, diag, "it has no graph");
    c->graph_bytes = part.count;
    c->net = net_read_graph(c->path, part.bytes, part.count, diag);
    if (!c->net)
        return false;
    c->count = c->net->node_count;
    c->layers = calloc(c->count + 1, sizeof *c->layers);
    if (!c->layers)
        diag_no_memory(diag, c->path);
    return c->layers;
}

/* A name, or the graph that computes results. */
static bool read_mark(struct compiled *c, const struct piece *part, struct diag *diag)
{
    struct compiled_marks *m = &c->marks;
    if (c->format < COMPILED_MARKS || m->any || m->size || part->node)
        return is_wrong(c, diag, "a part is for no node");
    if (part->kind != PART_MARK) {
        m->any = part->kind == PART_BEFORE;
        m->graph = part->bytes;
        m->size = part->count;
        return m->any || m->size || is_wrong(c, diag, "a graph is empty");
    }
    char **names = realloc(c->names, (m->count + 1) * sizeof *names);
    char *name = strndup((const char *)part->bytes, part->count);
    c->names = names ? names : c->names;
    m->names = (const char *const *)c->names;
    if (!names || !name) {
        free(name);
        diag_no_memory(diag, c->path);
        return false;
    }
    names[m->count++] = name;
    return strlen(name) == part->count || is_wrong(c, diag, "a name has a byte 0");
}

/* The nodes behind the first one, which have no part of their own. */
static bool read_last(const struct piece *part, struct compiled *c, struct compiled_layer *layer)
{
    struct archive a = {.from = part->bytes, .size = part->count, .at = JOB_DIGEST_BYTES};
    layer->joins = true;
    part_do_last(&a, &layer->last);
    bool free = layer->last < c->count && layer->last > part->node;
    for (size_t i = part->node + 1; free && i <= layer->last; i++)
        free = !c->layers[i].there;
    for (size_t i = part->node + 1; free && i <= layer->last; i++)
        c->layers[i] = (struct compiled_layer){.there = true, .last = i};
    return free;
}

static bool read_layer(struct compiled *c, const struct piece *part, struct diag *diag)
{
    const bool joins = part->kind == PART_JOINED, on_device = joins || part->kind == PART_OPERATOR;
    const size_t before = (on_device ? JOB_DIGEST_BYTES : 0) + (joins ? PART_LAST_BYTES : 0);
    if (part->kind == PART_NETWORK || part->node >= c->count || part->count < before ||
        c->layers[part->node].there || (joins && !c->fused))
        return is_wrong(c, diag, "a part is for no node");
    struct compiled_layer *layer = &c->layers[part->node];
    *layer = (struct compiled_layer){.there = true,
                                     .digest = on_device ? part->bytes : NULL,
                                     .bytes = part->bytes + before,
                                     .count = part->count - before,
                                     .last = part->node};
    if (joins && !read_last(part, c, layer))
        return is_wrong(c, diag, "a part is for no node");
    if (!on_device)
        layer->reason = strndup((const char *)part->bytes, part->count);
    if (on_device || layer->reason)
        return true;
    diag_no_memory(diag, c->path);
    return false;
}

static bool read_part(struct compiled *c, struct archive *a, struct diag *diag)
{
    struct piece part = {0};
    part_do(a, &part);
    if (a->wrong)
        return is_wrong(c, diag, "a part is for no node");
    if (part.kind == PART_FUSED) {
        c->fused = c->format >= COMPILED_FUSED && !part.node && !part.count && !c->fused;
        return c->fused || is_wrong(c, diag, "a part is for no node");
    }
    return part.kind >= PART_MARK && part.kind <= PART_SIDE ? read_mark(c, &part, diag)
                                                            : read_layer(c, &part, diag);
}

static bool read_parts(struct compiled *c, size_t size, struct diag *diag)
{
    struct archive a = {.from = (const uint8_t *)sb_text(&c->file), .size = size};
    uint64_t parts = 0;
    if (!read_head(c, &a, &parts, diag) || !read_network(c, &a, diag))
        return false;
    for (uint64_t i = 1; i < parts; i++)
        if (!read_part(c, &a, diag))
            return false;
    return (parts && a.at == a.size) || is_wrong(c, diag, "something is behind its parts");
}

bool compiled_read(const char *path, struct compiled *c, struct diag *diag)
{
    *c = (struct compiled){.path = path};
    if (!input_read(path, FILE_MAX, &c->file, diag))
        return false;
    size_t size = c->file.len;
    if (!archive_is_whole(sb_text(&c->file), &size))
        return diag_fail(diag, c->path, "it is damaged, or no compiled network: its checksum is wrong");
    if (read_parts(c, size, diag))
        return true;
    net_free(c->net);
    c->net = NULL;
    return false;
}

void compiled_close(struct compiled *c)
{
    for (size_t i = 0; c->layers && i < c->count; i++)
        free(c->layers[i].reason);
    for (size_t i = 0; i < c->marks.count; i++)
        free(c->names[i]);
    free(c->names);
    free(c->layers);
    sb_free(&c->file);
    *c = (struct compiled){.path = NULL};
}

/* ---- layers -------------------------------------------------------------------------------------- */

static enum tulle_status take_operator(struct compiled_layer *layer, struct tulle_device *device,
                                       struct tulle_operator **op)
{
    const enum tulle_status status = tulle_operator_load_bytes(device, layer->bytes, layer->count, op);
    layer->used = !status;
    return status;
}

struct making {
    struct compiled *compiled;
    struct tulle_device *device;
};

static enum tulle_status make(void *context, size_t at, const uint8_t digest[JOB_DIGEST_BYTES],
                              struct tulle_operator **op, const char **why)
{
    const struct making *m = context;
    struct compiled_layer *layer = &m->compiled->layers[at];
    if (layer->digest && !layer->joins && !memcmp(layer->digest, digest, JOB_DIGEST_BYTES))
        return take_operator(layer, m->device, op);
    *why = layer->reason ? layer->reason : "the compiled network has no operator for it";
    return TULLE_UNSUPPORTED;
}

static size_t part_end(void *context, size_t first)
{
    const struct making *m = context;
    const struct compiled_layer *layer = &m->compiled->layers[first];
    return layer->joins ? layer->last : SIZE_MAX;
}

static enum tulle_status make_part(void *context, size_t first, const uint8_t digest[JOB_DIGEST_BYTES],
                                   struct tulle_operator **op)
{
    const struct making *m = context;
    struct compiled_layer *layer = &m->compiled->layers[first];
    return memcmp(layer->digest, digest, JOB_DIGEST_BYTES) ? TULLE_UNSUPPORTED
                                                           : take_operator(layer, m->device, op);
}

static bool check_device(const struct compiled *c, const struct tulle_device_info *info,
                         enum tulle_status *status, struct diag *diag)
{
    *status = TULLE_INVALID_FILE;
    if (c->hash != info->hash)
        return diag_fail(diag, c->path,
                         "it is compiled for variant %s, %016" PRIx64 ", and %s is %s, %016" PRIx64
                         "; compile the network for that",
                         c->variant, c->hash, info->name, info->variant, info->hash);
    *status = TULLE_DEVICE_MEMORY;
    if (c->memory > info->memory)
        return diag_fail(diag, c->path,
                         "it takes %" PRIu64 " bytes of the device's memory, and %s has %" PRIu64
                         "; compile the network for this device",
                         c->memory, info->name, info->memory);
    *status = TULLE_OK;
    return true;
}

/* An operator that no layer has taken belongs to another way to make layers. */
static bool check_used(const struct compiled *c, struct diag *diag)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->layers[i].digest && !c->layers[i].used)
            return diag_fail(
                diag, c->path,
                "its layers are not those that this version makes, beginning with node %zu; compile "
                "the network again",
                i);
    return true;
}

struct layers *compiled_layers(struct compiled *c, struct tulle_device *device,
                               const struct layers_options *options, enum tulle_status *status,
                               struct diag *diag)
{
    struct tulle_device_info info = {.size = sizeof info};
    struct making m = {c, device};
    struct layers_options with = *options;
    with.maker = (struct layers_maker){&m, make, part_end, make_part};
    with.fused = c->fused;
    *status = tulle_device_describe(device, &info);
    if (*status || !check_device(c, &info, status, diag))
        return NULL;
    if (options->apart) {
        diag_fail(diag, c->path,
                  "values between its layers are not all there: take the network that it was compiled from");
        *status = TULLE_INVALID_ARGUMENT;
        return NULL;
    }
    if (options->fused && !c->fused) {
        diag_fail(diag, c->path,
                  "it was compiled layer by layer, so neighbours cannot be one job: compile it with "
                  "--mode fused");
        *status = TULLE_INVALID_ARGUMENT;
        return NULL;
    }
    struct layers *layers = layers_new(c->net, device, &with, status, diag);
    if (!layers || check_used(c, diag))
        return layers;
    layers_free(layers);
    *status = TULLE_INVALID_FILE;
    return NULL;
}
