/* SPDX-License-Identifier: Apache-2.0
 *
 * Saves and loads operators: the plan, the packed weights, and the layouts
 * that convert operands and results. A file has little-endian numbers of 64
 * bits and arrays of 32 bits, and ends with a checksum.
 *
 * A file may come from anywhere. Loading checks every number that the host
 * uses as an address; the device checks the numbers that it uses.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "gen/version.h"
#include "host/container/archive.h"
#include "host/container/sha256.h"
#include "host/lib/saved.h"

#define MAGIC UINT64_C(0x37504F454C4C5554)          /* "TULLEOP7": the version is in it */
#define MAGIC_SEQUENCE UINT64_C(0x315153454C4C5554) /* "TULLESQ1" */
#define FILE_MAX ((size_t)8 << 30)

/* ---- saving ---------------------------------------------------------------------------------------------
 */

static enum tulle_status check_saving(const struct tulle_operator *op, const void *to, const char *call)
{
    return op && to ? TULLE_OK
                    : message_set(TULLE_INVALID_ARGUMENT, "%s: op or the place for it is NULL", call);
}

static enum tulle_status save(const struct tulle_operator *op, struct strbuf *file)
{
    struct archive a = {.to = file};
    struct planned copy = op->of; /* what is written is not changed; the list serves both ways */
    archive_bits(&a, op->sequence ? MAGIC_SEQUENCE : MAGIC);
    archive_bits(&a, op->device->info.hash);
    if (op->sequence)
        saved_sequence(&a, &copy, op->sequence, &op->image->packed);
    else {
        saved_operator(&a, &copy);
        saved_packed(&a, &copy, &op->image->packed);
    }
    archive_seal(file);
    return sb_ok(file) ? TULLE_OK : message_no_memory();
}

enum tulle_status tulle_operator_save(const struct tulle_operator *op, const char *path)
{
    struct strbuf file = {0};
    struct diag diag = {0};
    enum tulle_status status = check_saving(op, path, "tulle_operator_save");
    if (!status)
        status = save(op, &file);
    if (!status && !output_file(path, &file, &diag))
        status = message_set(TULLE_FILE, "%s", sb_text(&diag.text));
    sb_free(&file);
    diag_free(&diag);
    return status;
}

enum tulle_status tulle_operator_save_bytes(const struct tulle_operator *op, void *bytes, size_t room,
                                            size_t *needed)
{
    struct strbuf file = {0};
    enum tulle_status status = check_saving(op, needed, "tulle_operator_save_bytes");
    if (!status)
        status = save(op, &file);
    if (!status) {
        *needed = file.len;
        if (bytes && room >= file.len)
            memcpy(bytes, file.text, file.len);
    }
    sb_free(&file);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------------------
 */

static bool read_one(struct archive *a, struct tulle_operator *op)
{
    struct packed *packed = &op->image->packed;
    saved_operator(a, &op->of);
    if (!a->wrong)
        saved_packed(a, &op->of, packed);
    return !a->wrong && a->at == a->size && saved_packed_is_sound(&op->of, packed, SAVED_ALL);
}

static bool read_sequence(struct archive *a, struct tulle_operator *op)
{
    struct packed *packed = &op->image->packed;
    struct sequence *s = op->sequence = calloc(1, sizeof *s);
    const struct planned base = op->of;
    a->memory = !s;
    if (!s)
        return false;
    op->of.m = 1;
    s->variant = op->of.variant;
    s->data_bytes = op->of.data_bytes;
    saved_sequence(a, &base, s, packed);
    return !a->wrong && a->at == a->size && saved_sequence_is_sound(s, packed);
}

/* `name`: of the file, for messages. `size` bytes are before the checksum. */
static enum tulle_status read_operator(const char *name, const void *bytes, size_t size,
                                       struct tulle_operator *op)
{
    struct archive a = {.from = bytes, .size = size};
    const uint64_t magic = archive_bits(&a, 0), hash = archive_bits(&a, 0);
    if (magic != MAGIC && magic != MAGIC_SEQUENCE)
        return message_set(TULLE_INVALID_FILE, "%s: not an operator that this version saved", name);
    if (hash != op->device->info.hash)
        return message_set(TULLE_INVALID_FILE, "%s: it is for variant %016llx, and %s is %s, %016llx", name,
                           (unsigned long long)hash, op->device->info.name, op->device->info.variant,
                           (unsigned long long)op->device->info.hash);
    const bool sound = magic == MAGIC ? read_one(&a, op) : read_sequence(&a, op);
    if (a.memory)
        return message_no_memory();
    return sound ? TULLE_OK : message_set(TULLE_INVALID_FILE, "%s: the operator in it is inconsistent", name);
}

static enum tulle_status read_whole(const char *name, const void *bytes, size_t size,
                                    struct tulle_operator *op)
{
    if (size < SHA256_BYTES + 16)
        return message_set(TULLE_INVALID_FILE, "%s: it is too short for an operator", name);
    if (!archive_is_whole(bytes, &size))
        return message_set(TULLE_INVALID_FILE, "%s: it is damaged, or no operator: its checksum is wrong",
                           name);
    return read_operator(name, bytes, size, op);
}

static void load_alternative(struct tulle_operator *op)
{
    op->of.alternatives.count = 1;
    op->of.alternatives.of[0] = (struct plan_alternative){.choice = op->of.choice,
                                                          .made = true,
                                                          .price.cycles = op->of.info.predicted_cycles,
                                                          .summary = op->image->packed.part[0].plan.summary};
}

/* What a run begins with. */
static enum tulle_status begin(struct tulle_operator *op)
{
    struct packed *packed = &op->image->packed;
    packed_sizes(packed);
    if (!op->sequence)
        return packed_partial(&op->of, packed);
    op->of.info.predicted_cycles = op->sequence->predicted;
    if (!sequence_fits(packed, op->of.memory))
        return message_set(TULLE_DEVICE_MEMORY, "the sequence takes more than the device's memory");
    return sequence_begin(op->sequence, packed);
}

static enum tulle_status load(const char *name, const void *bytes, size_t size, struct tulle_operator *op)
{
    op->of.loaded = true;
    op->image = image_new();
    enum tulle_status status = op->image ? read_whole(name, bytes, size, op) : message_no_memory();
    if (!status)
        status = begin(op);
    if (!status)
        status = image_finish(op, &op->of, op->image, NULL);
    if (status)
        return status;
    assert(op->image);
    if (op->sequence && op->image->streamed)
        return message_set(TULLE_DEVICE_MEMORY, "the sequence takes more than the device's memory");
    load_alternative(op);
    operator_sizes(op);
    return TULLE_OK;
}

static enum tulle_status load_for(struct tulle_device *device, const char *name, const void *bytes,
                                  size_t size, struct tulle_operator **to)
{
    enum tulle_status status = device_check(device);
    if (status)
        return status;
    struct tulle_operator *op = operator_new(device);
    if (!op)
        return message_no_memory();
    status = load(name, bytes, size, op);
    if (status)
        tulle_operator_free(op);
    else
        *to = op;
    return status;
}

enum tulle_status tulle_operator_load(struct tulle_device *device, const char *path,
                                      struct tulle_operator **to)
{
    struct strbuf file = {0};
    if (!device || !path || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_load: device, path or op is NULL");
    enum tulle_status status = device_read_file(path, FILE_MAX, &file);
    if (!status)
        status = load_for(device, path, sb_text(&file), file.len, to);
    sb_free(&file);
    return status;
}

enum tulle_status tulle_operator_load_bytes(struct tulle_device *device, const void *bytes, size_t size,
                                            struct tulle_operator **to)
{
    if (!device || !bytes || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_load_bytes: device, bytes or op is NULL");
    return load_for(device, "a saved operator", bytes, size, to);
}
