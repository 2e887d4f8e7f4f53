/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds and opens devices. A device is one that describes itself through
 * OpenCL, or one that the user names together with a container that describes
 * it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/version.h"
#include "host/container/container.h"
#include "host/icd/tulle_cl.h"
#include "host/lib/library.h"
#include "host/operator/kept.h"

#define PLATFORMS_MAX 32
#define DEVICES_MAX 256
#define CONTAINER_MAX ((size_t)2 << 30)

struct found {
    cl_device_id id[DEVICES_MAX];
    struct variant variant[DEVICES_MAX];
    size_t count;
};

/* ---- what there is ------------------------------------------------------------------------------- */

static void text_of(cl_device_id id, cl_device_info what, char to[TULLE_NAME_BYTES])
{
    char text[1024] = "";
    if (clGetDeviceInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    snprintf(to, TULLE_NAME_BYTES, "%.*s", TULLE_NAME_BYTES - 1, text);
}

/* What the user calls it: the driver puts the project's name before its own devices. */
static void name_of(cl_device_id id, char to[TULLE_NAME_BYTES])
{
    static const char prefix[] = "tulle ";
    const size_t length = sizeof prefix - 1;
    text_of(id, CL_DEVICE_NAME, to);
    if (!strncmp(to, prefix, length))
        memmove(to, to + length, strlen(to + length) + 1);
}

/* Whether the device says what it is, in words of this version. */
static bool variant_of(cl_device_id id, struct variant *variant)
{
    size_t bytes = 0;
    struct diag diag = {0};
    if (clGetDeviceInfo(id, CL_DEVICE_TULLE_VARIANT_FILE, 0, NULL, &bytes) != CL_SUCCESS || !bytes)
        return false;
    struct strbuf text = {.text = calloc(1, bytes + 1), .len = bytes - 1, .cap = bytes + 1};
    cl_ulong hash = 0;
    bool ok = text.text &&
              clGetDeviceInfo(id, CL_DEVICE_TULLE_VARIANT_FILE, bytes, text.text, NULL) == CL_SUCCESS &&
              clGetDeviceInfo(id, CL_DEVICE_TULLE_HASH, sizeof hash, &hash, NULL) == CL_SUCCESS &&
              variant_load_text("the device's variant", &text, NULL, 0, variant, &diag) &&
              variant_hash(variant, TULLE_ISA_VERSION) == hash;
    diag_free(&diag);
    sb_free(&text);
    return ok;
}

/* All OpenCL devices, or those that say that they are Tulle's. */
static void find(struct found *found, bool any)
{
    cl_platform_id platform[PLATFORMS_MAX];
    cl_uint platforms = 0;
    found->count = 0;
    if (clGetPlatformIDs(PLATFORMS_MAX, platform, &platforms) != CL_SUCCESS)
        return;
    for (cl_uint p = 0; p < platforms && p < PLATFORMS_MAX; p++) {
        cl_device_id id[DEVICES_MAX];
        cl_uint count = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, DEVICES_MAX, id, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < DEVICES_MAX && found->count < DEVICES_MAX; d++) {
            found->id[found->count] = id[d];
            found->count += any || variant_of(id[d], &found->variant[found->count]);
        }
    }
}

static void describe(cl_device_id id, const struct variant *v, struct tulle_device_info *info)
{
    struct variant_derived derived;
    cl_platform_id platform = NULL;
    cl_ulong memory = 0;
    variant_derive(v, &derived);
    *info = (struct tulle_device_info){.size = sizeof *info,
                                       .hash = variant_hash(v, TULLE_ISA_VERSION),
                                       .rows = v->n,
                                       .clusters = v->m,
                                       .pes = v->k,
                                       .data_bytes = derived.data_bytes,
                                       .accumulator_bits = v->acc_width,
                                       .memory_bytes_per_cycle = derived.memory_bytes * v->memory_ports};
    name_of(id, info->name);
    snprintf(info->variant, sizeof info->variant, "%s", v->name);
    clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    info->memory = memory;
    if (clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), (void *)&platform, NULL) ==
        CL_SUCCESS)
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform - 1, info->platform, NULL);
}

/* Elements are as large as the caller says of the first one. */
static void give_element(const struct found *found, size_t index, struct tulle_device_info *list)
{
    struct tulle_device_info info, *to = (void *)((char *)list + index * list->size);
    describe(found->id[index], &found->variant[index], &info);
    to->size = list->size;
    sized_give(SIZED_DEVICE_INFO, &info, to);
}

enum tulle_status tulle_devices(struct tulle_device_info *list, size_t room, size_t *count)
{
    if (!count || (room && !list))
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_devices: count, or list with room in it, is NULL");
    enum tulle_status status = room ? sized_check(SIZED_DEVICE_INFO, list) : TULLE_OK;
    if (status)
        return status;
    struct found *found = malloc(sizeof *found);
    if (!found)
        return message_no_memory();
    find(found, false);
    *count = found->count;
    for (size_t i = 0; i < found->count && i < room; i++)
        give_element(found, i, list);
    free(found);
    return TULLE_OK;
}

/* ---- files ----------------------------------------------------------------------------------------- */

enum tulle_status device_read_file(const char *path, size_t limit, struct strbuf *to)
{
    char piece[65536];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (!file)
        return message_set(TULLE_FILE, "%s: %s", path, strerror(errno));
    while ((count = fread(piece, 1, sizeof piece, file)) && sb_ok(to) && to->len <= limit)
        sb_addn(to, piece, count);
    enum tulle_status status = ferror(file) ? message_set(TULLE_FILE, "%s: %s", path, strerror(errno))
                               : !sb_ok(to) ? message_no_memory()
                               : to->len > limit
                                   ? message_set(TULLE_INVALID_FILE, "%s: it is too large", path)
                                   : TULLE_OK;
    fclose(file);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------------- */

static bool is_number(const char *name, size_t *number)
{
    char *end;
    *number = strtoul(name, &end, 10);
    return *name >= '0' && *name <= '9' && !*end;
}

/* The index of the device of that name; `count` when there is none. */
static size_t select_device(const struct found *found, const char *name)
{
    size_t number;
    char text[TULLE_NAME_BYTES];
    if (!name || is_number(name, &number))
        return name && number < found->count ? number : name ? found->count : 0;
    for (size_t i = 0; i < found->count; i++) {
        name_of(found->id[i], text);
        if (!strcmp(text, name))
            return i;
    }
    return found->count;
}

static void name_them(const struct found *found, struct strbuf *names)
{
    char text[TULLE_NAME_BYTES];
    for (size_t i = 0; i < found->count && i < 8; i++) {
        name_of(found->id[i], text);
        sb_addf(names, "%s%s", i ? ", " : "", text);
    }
    if (found->count > 8)
        sb_add(names, ", ...");
}

/* What the driver says of devices that it was asked for and does not use; nothing without the driver. */
static void add_unused(struct strbuf *to)
{
    cl_platform_id platform[PLATFORMS_MAX];
    cl_uint platforms = 0;
    size_t bytes = 0;
    if (clGetPlatformIDs(PLATFORMS_MAX, platform, &platforms) != CL_SUCCESS)
        return;
    for (cl_uint p = 0; p < platforms && p < PLATFORMS_MAX; p++) {
        if (clGetPlatformInfo(platform[p], CL_PLATFORM_TULLE_UNUSED, 0, NULL, &bytes) != CL_SUCCESS)
            continue;
        char *text = calloc(1, bytes + 1);
        if (text && clGetPlatformInfo(platform[p], CL_PLATFORM_TULLE_UNUSED, bytes, text, NULL) == CL_SUCCESS)
            sb_add(to, text);
        free(text);
    }
}

/* None of Tulle's: why the driver has none, or which ones there are of others, so that nobody looks for a
 * loader that is at work. */
static enum tulle_status tell_none(bool any, const char *unused)
{
    if (!any && *unused)
        return message_set(TULLE_NO_DEVICE, "no device of TULLE_DEVICES can be used: %s", unused);
    struct strbuf names = {0};
    struct found *others = any ? NULL : malloc(sizeof *others);
    if (others) {
        find(others, true);
        name_them(others, &names);
    }
    enum tulle_status status =
        message_set(TULLE_NO_DEVICE,
                    "no OpenCL device%s was found%s%s%s; is libtulle-icd.so registered with the loader "
                    "(OCL_ICD_VENDORS; OCL_ICD_FILENAMES with that of Khronos)?",
                    any ? "" : " that says it is a Tulle array", names.len ? " (others, which do not: " : "",
                    names.len ? sb_text(&names) : "", names.len ? ")" : "");
    free(others);
    sb_free(&names);
    return status;
}

static enum tulle_status tell_no_device(const struct found *found, const char *name, bool any)
{
    struct strbuf names = {0}, unused = {0};
    enum tulle_status status;
    add_unused(&unused);
    name_them(found, &names);
    if (!found->count)
        status = tell_none(any, sb_text(&unused));
    else
        status = message_set(TULLE_NO_DEVICE, "there is no device \"%s\"; there are %s%s%s", name ? name : "",
                             sb_text(&names), unused.len ? "; not used: " : "", sb_text(&unused));
    sb_free(&names);
    sb_free(&unused);
    return status;
}

static void free_device(struct tulle_device *d)
{
    if (d->program)
        clReleaseProgram(d->program);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->context)
        clReleaseContext(d->context);
    pthread_mutex_destroy(&d->lock);
    kept_store_free(d->store);
    free(d);
}

/* With a container: its bytes for the driver, a vendor's own ones for a vendor's. */
static enum tulle_status make_program(struct tulle_device *d, const struct strbuf *bytes,
                                      const struct container *container)
{
    cl_int code = CL_SUCCESS, binary = CL_SUCCESS;
    if (!container) {
        d->program = clCreateProgramWithBuiltInKernels(d->context, 1, &d->id, CL_TULLE_KERNEL, &code);
        return code ? message_opencl("the program of the device", code) : TULLE_OK;
    }
    bool foreign = container->kind == CONTAINER_VENDOR;
    const unsigned char *start = foreign ? container->payload : (const unsigned char *)bytes->text;
    size_t length = foreign ? container->payload_bytes : bytes->len;
    d->program = clCreateProgramWithBinary(d->context, 1, &d->id, &length, &start, &binary, &code);
    if (code == CL_INVALID_BINARY)
        return message_set(TULLE_UNSUPPORTED,
                           "the container is of variant %s (hash %016llx), which is not what the "
                           "device has",
                           container->variant.name, (unsigned long long)container->hash);
    if (!code)
        code = clBuildProgram(d->program, 1, &d->id, NULL, NULL, NULL);
    return code ? message_opencl("the container", code) : TULLE_OK;
}

static enum tulle_status open_cl(struct tulle_device *d, const struct strbuf *bytes,
                                 const struct container *container)
{
    cl_int code;
    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    if (!d->context)
        return message_opencl("the device's context", code);
    d->queue = clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!d->queue)
        return message_opencl("the device's queue", code);
    return make_program(d, bytes, container);
}

/* Plans for an array of fewer rows use the first ones of a larger one: the others get nothing to do. All that
 * describes the device is what an array of so many rows has, its hash too, which is in what is saved. */
static enum tulle_status take_rows(struct tulle_device *d, const struct tulle_device_options *options)
{
    if (options->rows > d->variant.n)
        return message_set(TULLE_RANGE, "struct tulle_device_options: rows is %u; the device's array has %u",
                           options->rows, d->variant.n);
    d->variant.n = options->rows ? options->rows : d->variant.n;
    return TULLE_OK;
}

static enum tulle_status take_beat_cycles(struct tulle_device *d, const struct tulle_device_options *options)
{
    if (options->beat_cycles > TULLE_BEAT_CYCLES_MAX)
        return message_set(TULLE_RANGE, "struct tulle_device_options: beat_cycles is %u; allowed 0..%u",
                           options->beat_cycles, TULLE_BEAT_CYCLES_MAX);
    d->beat_cycles = options->beat_cycles ? options->beat_cycles : 1;
    return TULLE_OK;
}

static enum tulle_status set_up(struct tulle_device *d, const struct tulle_device_options *options,
                                const struct strbuf *bytes, const struct container *container)
{
    cl_ulong largest = 0;
    enum tulle_status status = take_rows(d, options);
    status = status ? status : take_beat_cycles(d, options);
    status = status ? status : open_cl(d, bytes, container);
    variant_derive(&d->variant, &d->derived);
    describe(d->id, &d->variant, &d->info);
    clGetDeviceInfo(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    if (options->memory && options->memory < d->info.memory)
        d->info.memory = options->memory;
    d->largest = largest < d->info.memory ? largest : d->info.memory;
    return status;
}

static enum tulle_status read_container(const char *path, struct strbuf *bytes, struct container *container)
{
    struct strbuf why = {0};
    enum tulle_status status = device_read_file(path, CONTAINER_MAX, bytes);
    if (!status && !container_read(bytes->text, bytes->len, container, &why))
        status = message_set(TULLE_INVALID_FILE, "%s: %s", path, sb_text(&why));
    sb_free(&why);
    return status;
}

static enum tulle_status select_and_set_up(const char *name, const struct tulle_device_options *options,
                                           const struct strbuf *bytes, const struct container *container,
                                           struct tulle_device *d)
{
    struct found *found = malloc(sizeof *found);
    if (!found)
        return message_no_memory();
    /* A vendor's container is for a device that says nothing of itself; every other one for the driver's. */
    bool any = container && container->kind == CONTAINER_VENDOR;
    find(found, any);
    size_t index = select_device(found, name);
    enum tulle_status status = TULLE_OK;
    if (index < found->count) {
        d->id = found->id[index];
        d->variant = container ? container->variant : found->variant[index];
    } else
        status = tell_no_device(found, name, any);
    free(found);
    return status ? status : set_up(d, options, bytes, container);
}

enum tulle_status tulle_device_open(const char *name, const struct tulle_device_options *given,
                                    struct tulle_device **device)
{
    struct tulle_device_options options;
    struct strbuf bytes = {0};
    struct container container;
    if (!device)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_device_open: device is NULL");
    enum tulle_status status = sized_take(SIZED_DEVICE_OPTIONS, given, &options);
    if (status)
        return status;
    struct tulle_device *d = calloc(1, sizeof *d);
    if (!d)
        return message_no_memory();
    d->store = kept_store_new();
    if (!d->store || pthread_mutex_init(&d->lock, NULL)) {
        kept_store_free(d->store);
        free(d);
        return message_no_memory();
    }
    atomic_init(&d->references, 1);
    if (options.container)
        status = read_container(options.container, &bytes, &container);
    if (!status)
        status = select_and_set_up(name, &options, &bytes, options.container ? &container : NULL, d);
    sb_free(&bytes);
    if (status)
        free_device(d);
    else
        *device = d;
    return status;
}

struct tulle_device *device_keep(struct tulle_device *d)
{
    atomic_fetch_add(&d->references, 1);
    return d;
}

void tulle_device_close(struct tulle_device *d)
{
    if (d && atomic_fetch_sub(&d->references, 1) == 1)
        free_device(d);
}

enum tulle_status tulle_device_describe(const struct tulle_device *d, struct tulle_device_info *info)
{
    if (!d || !info)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_device_describe: device or info is NULL");
    enum tulle_status status = sized_check(SIZED_DEVICE_INFO, info);
    if (!status)
        sized_give(SIZED_DEVICE_INFO, &d->info, info);
    return status;
}

enum tulle_status device_check(const struct tulle_device *d)
{
    if (!atomic_load(&d->lost))
        return TULLE_OK;
    return message_set(TULLE_DEVICE_LOST, "%s was lost; close it and open it again", d->info.name);
}
